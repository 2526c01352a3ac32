// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Models in files, and the answers of walks in FILE.part.
#include "hdf5/fit/fit_answers.hpp"
#include "made_file.hpp"

#include <synelix/fit_file.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>

#include <fcntl.h>
#include <unistd.h>

namespace fit_file_tests {
namespace {

namespace sx = synelix;
using testing::HasSubstr;

sx::FitFile model_of(std::int64_t targets, std::int64_t classes = 1) {
  sx::FitFile model;
  sx::FitResult& result = model.result;
  result.columns = 5;
  result.targets = targets;
  result.classes = classes;
  result.loss.family = classes > 1 ? sx::Family::categorical : sx::Family::negative_binomial;
  result.loss.inverse_link = classes > 1 ? sx::InverseLink::softmax : sx::InverseLink::softplus;
  result.loss.dispersion = 0.25;
  result.loss.classes = std::max<std::int64_t>(classes, 2);
  const auto numbers = [](std::int64_t count, double first) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), first);
    return values;
  };
  result.coefficients = numbers(5 * targets * classes, 0.5);
  result.intercepts = numbers(targets * classes, -3);
  result.standard_errors = numbers(6 * targets * classes, 0.125);
  result.standard_errors.back() = std::numeric_limits<double>::quiet_NaN();
  result.mean_loss = numbers(targets, 1);
  result.objective = numbers(targets, 2);
  result.optimality = numbers(targets, 3);
  result.standard_errors_away = numbers(targets, 4);
  result.rows_used = numbers(targets, 1000);
  result.residual_degrees_of_freedom = numbers(targets, 990);
  result.scale = numbers(targets, 5);
  result.dispersion = numbers(targets, 6);
  result.evaluations.assign(static_cast<std::size_t>(targets), 17);
  result.hessians.assign(static_cast<std::size_t>(targets), 2);
  result.stop.assign(static_cast<std::size_t>(targets), sx::Stop::converged);
  result.stop.back() = sx::Stop::separated;
  result.warnings = {"target 1 is separated", "a column is zero"};
  model.terms = {{"coupling", {0, 4}, {2}, 2, 2, {0, 1}}, {"speed", {4, 5}, {}, 1, 1, {1, 2}}};
  model.components = {"coupling: History, window 2, causal, shifted", "speed: Identity"};
  for (std::int64_t i = 0; i < targets; ++i) model.target_ids.push_back(10 * i + 3);
  model.inputs = {{"spikes", {6, 191}}, {"spikes", {6, 191}}, {"speed", {0}}};
  model.rate_hz = 100;
  model.penalty = "ridge:0.001";
  return model;
}

void expect_same(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_TRUE(found[i] == expected[i] || (std::isnan(found[i]) && std::isnan(expected[i])))
        << i << ": " << found[i];
  }
}

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// The message of the Error that a call throws.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const sx::Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

const sx::Fingerprint fingerprint{{"design", "1"}, {"target", "counts"}};

TEST(FitFile, AModelComesBackAsItWas) {
  const made::Folder folder;
  for (const std::int64_t classes : {1, 4}) {
    const std::string file = folder / ("model" + std::to_string(classes) + ".h5");
    const sx::FitFile wrote = model_of(2, classes);
    {
      sx::FitOutput output(file, {.history = "a command", .fingerprint = fingerprint});
      EXPECT_FALSE(std::filesystem::exists(file));
      output.write(wrote);
    }
    EXPECT_FALSE(std::filesystem::exists(file + ".part"));
    const sx::FitFile read = sx::read_fit(file);
    const sx::FitResult& found = read.result;
    EXPECT_EQ(found.columns, 5);
    EXPECT_EQ(found.targets, 2);
    EXPECT_EQ(found.classes, classes);
    EXPECT_EQ(found.loss.family, wrote.result.loss.family);
    EXPECT_EQ(found.loss.inverse_link, wrote.result.loss.inverse_link);
    EXPECT_EQ(found.loss.dispersion, 0.25);
    EXPECT_EQ(found.stop, wrote.result.stop);
    EXPECT_EQ(found.evaluations, wrote.result.evaluations);
    EXPECT_EQ(found.warnings, wrote.result.warnings);
    expect_same(found.coefficients, wrote.result.coefficients);
    expect_same(found.intercepts, wrote.result.intercepts);
    expect_same(found.standard_errors, wrote.result.standard_errors);
    expect_same(found.scale, wrote.result.scale);
    expect_same(found.dispersion, wrote.result.dispersion);
    EXPECT_EQ(read.target_ids, wrote.target_ids);
    EXPECT_EQ(read.components, wrote.components);
    ASSERT_EQ(read.inputs.size(), 3U);
    EXPECT_EQ(read.inputs[1].name, "spikes");
    EXPECT_EQ(read.inputs[1].ids, (std::vector<std::int64_t>{6, 191}));
    EXPECT_EQ(read.inputs[2].ids, std::vector<std::int64_t>{0});
    EXPECT_EQ(read.rate_hz, 100);
    EXPECT_EQ(read.penalty, "ridge:0.001");
    ASSERT_EQ(read.terms.size(), 2U);
    EXPECT_EQ(read.terms[0].label, "coupling");
    EXPECT_EQ(read.terms[1].columns, (sx::Range{4, 5}));
  }
}

TEST(FitFile, OtherDesignsAreNamed) {
  const sx::FitFile model = model_of(1);
  EXPECT_NO_THROW(sx::require_same_design(model, model.terms, model.components));
  std::vector<sx::Term> terms = model.terms;
  terms[0].bases = 3;
  EXPECT_THAT(
      refusal([&] { sx::require_same_design(model, terms, model.components); }),
      HasSubstr("term 1 of the model is 'coupling' of 2 channels x 2 bases, but that of the "
                "design is 'coupling' of 2 channels x 3 bases"));
  terms = {model.terms[0]};
  EXPECT_THAT(refusal([&] { sx::require_same_design(model, terms, model.components); }),
              HasSubstr("is 'speed' of 1 channels x 1 bases, but that of the design is none"));
  std::vector<std::string> components = model.components;
  components[0] = "coupling: History, window 3, causal, shifted";
  EXPECT_THAT(refusal([&] { sx::require_same_design(model, model.terms, components); }),
              HasSubstr("basis 1 of the model is coupling: History, window 2"));
}

TEST(FitFile, OtherChannelsAndTargetsAreNamed) {
  sx::FitFile model = model_of(2);
  std::vector<sx::InputChannels> inputs = model.inputs;
  inputs[0].name = "renamed";
  EXPECT_NO_THROW(sx::require_same_inputs(model, inputs));
  inputs[1].ids = {191, 6};
  EXPECT_THAT(refusal([&] { sx::require_same_inputs(model, inputs); }),
              HasSubstr("the input 'spikes': the channels of the model's input are 6, 191, but "
                        "these are 191, 6"));
  inputs.pop_back();
  EXPECT_THAT(refusal([&] { sx::require_same_inputs(model, inputs); }),
              HasSubstr("come from 3 inputs, but those of the design from 2"));
  model.inputs.clear();  // an older file
  EXPECT_NO_THROW(sx::require_same_inputs(model, inputs));
  EXPECT_NO_THROW(sx::require_same_targets(model, {3, 13}));
  EXPECT_THAT(refusal([&] { sx::require_same_targets(model, {13, 3}); }),
              HasSubstr("the model's targets are 3, 13, but these are 13, 3"));
  model.target_ids.clear();  // 0, 1
  EXPECT_NO_THROW(sx::require_same_targets(model, {0, 1}));
  sx::FitFile many = model_of(20);
  std::vector<std::int64_t> ids = many.target_ids;
  ids[12] = 7;
  EXPECT_THAT(refusal([&] { sx::require_same_targets(many, ids); }),
              HasSubstr("123 at place 13 of 20, but there is 7"));
  ids.pop_back();
  EXPECT_THAT(refusal([&] { sx::require_same_targets(many, ids); }),
              HasSubstr("20 in number, but these are 19"));
}

TEST(FitFile, WrongSizesAndOtherFilesAreRefused) {
  const made::Folder folder;
  sx::FitFile model = model_of(2);
  model.result.scale.pop_back();
  {
    sx::FitOutput output(folder / "model.h5");
    EXPECT_THAT(refusal([&] { output.write(model); }), HasSubstr("1 of them, not 2"));
  }
  EXPECT_THAT(folder.names(), testing::IsEmpty());
  std::ofstream(folder / "text.h5") << "no HDF5";
  EXPECT_THAT(refusal([&] { sx::read_fit(folder / "text.h5"); }), HasSubstr("text.h5"));
  EXPECT_THAT(refusal([&] { sx::FitOutput(folder / "text.h5"); }), HasSubstr("existing file"));
  EXPECT_THAT(refusal([&] { sx::FitOutput(folder / "text.h5"); }),
              testing::Not(HasSubstr("append")));
}

TEST(FitFile, OtherFormatsAndWrongCountsAreRefused) {
  const made::Folder folder;
  const std::string file = folder / "model.h5";
  {
    sx::FitOutput output(file);
    output.write(model_of(2));
  }
  const auto set_format = [&](const std::string& text) {
    const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
    H5Adelete(opened, "format");
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, text.size());
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(opened, "format", type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, text.data());
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    H5Fclose(opened);
  };
  set_format("Synelix model 2");
  EXPECT_THAT(refusal([&] { sx::read_fit(file); }),
              AllOf(HasSubstr("'Synelix model 2'"), HasSubstr("reads 'Synelix model 1'")));
  set_format("Synelix taps");
  EXPECT_THAT(refusal([&] { sx::read_fit(file); }), HasSubstr("which is not a model"));
  set_format("Synelix model 1");
  EXPECT_NO_THROW(sx::read_fit(file));
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  H5Ldelete(opened, "stopped", H5P_DEFAULT);
  H5Lmove(opened, "components", opened, "stopped", H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(opened);
  EXPECT_THAT(refusal([&] { sx::read_fit(file); }), HasSubstr("stopped"));
}

TEST(FitFile, ScoresComeBackAndAreOneForEachTarget) {
  const made::Folder folder;
  sx::FitFile model = model_of(2);
  model.scores = {{.weight = 7, .deviance = 0.5}, {.weight = 8, .pseudo_r2_cohen = 0.25}};
  {
    sx::FitOutput output(folder / "model.h5");
    output.write(model);
  }
  const sx::FitFile read = sx::read_fit(folder / "model.h5");
  ASSERT_EQ(read.scores.size(), 2U);
  EXPECT_EQ(read.scores[0].weight, 7);
  EXPECT_EQ(read.scores[0].deviance, 0.5);
  EXPECT_EQ(read.scores[1].pseudo_r2_cohen, 0.25);
  model.scores.pop_back();
  sx::FitOutput output(folder / "other.h5");
  EXPECT_THAT(refusal([&] { output.write(model); }), HasSubstr("1 of them, not 2"));
}

TEST(FitFile, FiltersOfTwoTermsNeedTwoNames) {
  std::vector<sx::Term> terms = model_of(1).terms;
  EXPECT_NO_THROW(sx::require_filter_names(terms));
  terms[0].label = "a/b";
  terms[1].label = "a_b";
  EXPECT_THAT(refusal([&] { sx::require_filter_names(terms); }),
              HasSubstr("the terms 'a/b' and 'a_b': their filters would both be filters/a_b"));
  terms[1].label = "..";
  EXPECT_THAT(refusal([&] { sx::require_filter_names(terms); }), HasSubstr("no name"));
}

sx::AnswerStore::Question question(std::uint64_t number) { return {number, number * 7}; }

TEST(FitOutput, AnswersAreFoundInTheNextRun) {
  const made::Folder folder;
  const std::string file = folder / "model.h5";
  const sx::FitOutputOptions options{.start = sx::Start::resume, .fingerprint = fingerprint};
  const std::string large(100000, 'x');
  {
    sx::FitOutput output(file, options);
    EXPECT_EQ(output.resumed_answers(), 0);
    EXPECT_TRUE(output.find(question(1)).empty());
    output.keep(question(1), bytes_of("first"));
    output.keep(question(2), bytes_of(large));
    EXPECT_EQ(text_of(output.find(question(1))), "first");
  }
  EXPECT_THAT(folder.names(), testing::ElementsAre("model.h5.part"));
  EXPECT_EQ(sx::unfinished_output(file), file + ".part");
  {
    sx::FitOutput output(file, options);
    EXPECT_EQ(output.resumed_answers(), 2);
    EXPECT_EQ(text_of(output.find(question(1))), "first");
    EXPECT_EQ(text_of(output.find(question(2))), large);
    EXPECT_TRUE(output.find(question(3)).empty());
    output.keep(question(3), bytes_of("third"));
    EXPECT_EQ(text_of(output.find(question(3))), "third");
  }
  {
    sx::FitOutput output(file, options);
    EXPECT_EQ(output.resumed_answers(), 3);
    output.write(model_of(1));
  }
  EXPECT_THAT(folder.names(), testing::ElementsAre("model.h5"));
  const sx::FitOutput output(file, options);
  EXPECT_TRUE(output.was_finished());
}

TEST(FitOutput, WithoutAnswersNothingIsLeft) {
  const made::Folder folder;
  {
    const sx::FitOutput output(folder / "model.h5");
  }
  EXPECT_THAT(folder.names(), testing::IsEmpty());
}

TEST(FitOutput, KeepingIsWorthATenthOfTheTime) {
  const made::Folder folder;
  const sx::FitOutput output(folder / "model.h5");
  EXPECT_TRUE(output.is_worth(0.01, 1000));
  EXPECT_FALSE(output.is_worth(1e-6, 1000)) << "it is found again sooner";
  EXPECT_FALSE(output.is_worth(0.01, 100 << 20));
  EXPECT_TRUE(output.is_worth(100, 100 << 20));
}

TEST(FitOutput, TestsMayKeepAllAnswers) {
  const made::Folder folder;
  const sx::FitOutput output(folder / "model.h5", {.answers = sx::AnswersKept::all});
  EXPECT_TRUE(output.is_worth(0, 100 << 20));
  EXPECT_THAT(refusal([&] {
                sx::FitOutput(folder / "n.h5", {.answers = static_cast<sx::AnswersKept>(7)});
              }),
              HasSubstr("answers"));
}

TEST(FitOutput, AnotherFitIsNotGoneOnWith) {
  const made::Folder folder;
  const std::string file = folder / "model.h5";
  {
    sx::FitOutput output(file, {.start = sx::Start::resume, .fingerprint = fingerprint});
    output.keep(question(1), bytes_of("answer"));
  }
  const sx::Fingerprint other{{"design", "2"}, {"target", "counts"}};
  EXPECT_THAT(
      refusal([&] { sx::FitOutput(file, {.start = sx::Start::resume, .fingerprint = other}); }),
      HasSubstr("it was made with design 1, but this run asks for design 2"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("model.h5.part")) << "it stays";
  {
    sx::FitOutput output(file, {.fingerprint = other});
    EXPECT_EQ(output.resumed_answers(), 0) << "a run without resume begins anew";
    EXPECT_TRUE(output.find(question(1)).empty());
    output.write(model_of(1));
  }
  EXPECT_THAT(refusal([&] {
                sx::FitOutput(file, {.start = sx::Start::resume, .fingerprint = fingerprint});
              }),
              HasSubstr("design 2"));
}

/// Flips a bit of a file.
void spoil(const std::string& file, std::int64_t address) {
  std::fstream opened(file, std::ios::in | std::ios::out | std::ios::binary);
  opened.seekg(address);
  const int byte = opened.get();
  opened.seekp(address);
  opened.put(static_cast<char>(byte ^ 1));
}

TEST(FitOutput, DamagedAndHalfWrittenAnswersAreLeftOut) {
  const made::Folder folder;
  const std::string file = folder / "model.h5";
  const std::string part = file + ".part";
  const sx::FitOutputOptions options{.start = sx::Start::resume, .fingerprint = fingerprint};
  {
    sx::FitOutput output(file, options);
    for (std::uint64_t i = 1; i <= 3; ++i) output.keep(question(i), bytes_of("the answer"));
  }
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(part));
  std::filesystem::resize_file(part, static_cast<std::uintmax_t>(size - 3));
  {
    sx::FitOutput output(file, options);
    EXPECT_EQ(output.resumed_answers(), 2) << "the process ended while it wrote the third";
    output.keep(question(4), bytes_of("the answer"));
  }
  spoil(part, size - 60);  // in the second record
  {
    sx::FitOutput output(file, options);
    EXPECT_EQ(output.resumed_answers(), 1);
    EXPECT_EQ(text_of(output.find(question(1))), "the answer");
  }
  spoil(part, sx::h5::FitAnswers::address + 30);  // in the text
  EXPECT_THAT(refusal([&] { sx::FitOutput(file, options); }), HasSubstr("is damaged"));
  EXPECT_THAT(folder.names(), testing::ElementsAre("model.h5.part")) << "it stays";
}

}  // namespace
}  // namespace fit_file_tests
