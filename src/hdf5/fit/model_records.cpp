// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/fit/model_records.hpp"

#include "hdf5/objects/chunk_pieces.hpp"
#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "part_files/records.hpp"
#include "streams/input_files.hpp"
#include "types/checks.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <type_traits>

namespace synelix::h5 {
namespace {

/// A file with more values was not written by this library: the values are read into memory.
constexpr std::int64_t most_model_values = std::int64_t{1} << 28;
constexpr std::int64_t most_texts = std::int64_t{1} << 20;
constexpr std::int64_t most_columns = std::int64_t{1} << 32;

}  // namespace

void refuse_model(const std::string& where, const std::string& problem) {
  throw FileError(where, problem, "Give a file that synelix fit has written");
}

template <class Value>
void write_values(const OutputFile& file, const std::string& path,
                  const std::vector<std::int64_t>& extents, const std::vector<Value>& values) {
  if (values.empty()) return;
  constexpr bool is_double = std::is_same_v<Value, double>;
  file.write_contiguous(path, is_double ? H5T_IEEE_F64LE : H5T_STD_I64LE,
                        is_double ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, extents, values.data());
}

template <class Value>
std::vector<Value> read_values(const SourceFile& file, const std::string& path,
                               const std::vector<std::int64_t>& wanted) {
  if (!exists(file, path)) return {};
  const Dataset dataset = open_dataset(file, FilePath{file.name(), path});
  const std::vector<std::int64_t> extents = extents_of(dataset);
  const bool fits = std::equal(
      extents.begin(), extents.end(), wanted.begin(), wanted.end(),
      [](std::int64_t is, std::int64_t has_to_be) { return has_to_be < 0 || is == has_to_be; });
  if (!are_numbers(dataset, NumberKind::any) || !fits) {
    refuse_model(file.name() + ":" + path,
                 "it holds " + contents_text(dataset) + ", which a model of this file cannot have");
  }
  std::vector<Value> values(static_cast<std::size_t>(count_of(dataset, most_model_values)));
  read_all(dataset, std::is_same_v<Value, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
           values.data(), file.name() + ":" + path + ": cannot be read");
  return values;
}

#define SYNELIX_INSTANTIATE(Value)                                                         \
  template void write_values(const OutputFile&, const std::string&,                        \
                             const std::vector<std::int64_t>&, const std::vector<Value>&); \
  template std::vector<Value> read_values(const SourceFile&, const std::string&,           \
                                          const std::vector<std::int64_t>&);
SYNELIX_INSTANTIATE(double)
SYNELIX_INSTANTIATE(std::int64_t)
#undef SYNELIX_INSTANTIATE

void write_texts(const OutputFile& file, const std::string& path,
                 const std::vector<std::string>& texts, const std::vector<std::int64_t>& extents) {
  if (texts.empty()) return;
  std::size_t most = 1;
  for (const std::string& text : texts) most = std::max(most, text.size());
  std::vector<char> bytes(texts.size() * most, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::memcpy(bytes.data() + i * most, texts[i].data(), texts[i].size());
  }
  const Type type = text_type(most, file.failing());
  file.write_contiguous(path, type.id(), type.id(), extents, bytes.data());
}

void write_columns(const OutputFile& file, const std::string& path,
                   const std::vector<Term>& terms) {
  std::vector<NamedNumbers> records;
  for (const Term& term : terms) {
    for (std::int64_t column = 0; column < term.columns.size(); ++column) {
      records.push_back({term.label, {column / term.bases, column % term.bases}});
    }
  }
  constexpr std::array<const char*, 2> numbers{"channel", "basis"};
  if (!records.empty()) write_records(file, path, "term", numbers, records);
}

std::vector<std::string> read_texts(const SourceFile& file, const std::string& path) {
  if (!exists(file, path)) return {};
  const Dataset dataset = open_dataset(file, FilePath{file.name(), path});
  const Type type = type_of(dataset);
  if (H5Tget_class(type.id()) != H5T_STRING) {
    refuse_model(file.name() + ":" + path, "it holds " + type_text(type.id()) + ", not text");
  }
  return read_strings(type, count_of(dataset, most_texts), [&](hid_t memory, void* to) {
    return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

std::vector<Term> read_terms(const SourceFile& file, const std::string& path) {
  const std::string name = file.name() + ":" + path;
  const Dataset dataset = open_dataset(file, FilePath{file.name(), path});
  const Type type = type_of(dataset);
  const int member =
      H5Tget_class(type.id()) == H5T_COMPOUND ? H5Tget_member_index(type.id(), "name") : -1;
  if (member < 0) refuse_model(file.name() + ":" + path, "it is not a table of terms");
  const Type label(H5Tget_member_type(type.id(), static_cast<unsigned>(member)), name);
  const std::size_t name_bytes = H5Tget_size(label.id());
  const Type memory = record_type("name", label, numbers_of_terms, H5T_NATIVE_INT64, name);
  const std::size_t record_bytes = H5Tget_size(memory.id());
  const auto count = static_cast<std::size_t>(count_of(dataset, most_texts));
  std::vector<std::byte> bytes(count * record_bytes);
  read_all(dataset, memory.id(), bytes.data(), name + ": cannot be read");
  std::vector<Term> terms(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const record = bytes.data() + i * record_bytes;
    std::string text(reinterpret_cast<const char*>(record), name_bytes);
    text.resize(std::min(text.find('\0'), text.size()));
    std::array<std::int64_t, 4> values{};
    std::memcpy(values.data(), record + name_bytes, sizeof(values));
    const bool is_sound = std::all_of(values.begin(), values.end(), [](std::int64_t value) {
      return value >= 0 && value <= most_columns;
    });
    if (!is_sound) {
      refuse_model(file.name() + ":" + path,
                   "its term '" + text + "' has a number of columns that no design has");
    }
    terms[i].label = text;
    terms[i].columns = {values[0], values[0] + values[1]};
    terms[i].channels = values[2];
    terms[i].bases = values[3];
  }
  return terms;
}

namespace {

using ValueExtents = std::vector<std::int64_t>;

void require_count(const char* name, std::size_t found, std::int64_t wanted) {
  if (found == 0 || static_cast<std::int64_t>(found) == wanted) return;
  throw FileError(
      name, "the model has " + std::to_string(found) + " of them, not " + std::to_string(wanted),
      "Give a result of fit");
}

/// Writes values after it checks their number.
/// \param name  for messages; null: the path
template <class Value>
void write(const OutputFile& file, const std::string& path, const ValueExtents& extents,
           const std::vector<Value>& values, const char* name = nullptr) {
  require_count(name == nullptr ? path.c_str() : name, values.size(), stream::product_of(extents));
  write_values(file, path, extents, values);
}

void write_stops(const OutputFile& file, const std::string& path, const ValueExtents& extents,
                 const std::vector<Stop>& stops) {
  std::vector<std::string> words;
  words.reserve(stops.size());
  for (const Stop stop : stops) words.emplace_back(name_of(stop));
  write_texts(file, path, words, extents);
}

void write_path(const OutputFile& file, const FitResult& result, const FitPathRecord& record) {
  const PathResult& path = record.path;
  const ValueExtents each{path.count, result.targets};
  write(file, "/path/strengths", each, path.strengths);
  write(file, "/path/strength_max", {result.targets}, path.strength_max);
  write(file, "/path/coefficients", with_targets({path.count, result.columns}, result),
        path.coefficients);
  write(file, "/path/intercepts", with_targets({path.count}, result), path.intercepts);
  write(file, "/path/mean_loss", each, path.mean_loss);
  write(file, "/path/objective", each, path.objective);
  write(file, "/path/optimality", each, path.optimality);
  write(file, "/path/standard_errors_away", each, path.standard_errors_away);
  write_stops(file, "/path/stopped", each, path.stop);
  write(file, "/path/nonzero", each, path.nonzero);
  write(file, "/path/chosen", {result.targets}, record.chosen);
  if (record.folds == 0) return;
  write(file, "/folds/scores", {record.folds, path.count, result.targets}, record.scores);
  write(file, "/folds/mean", each, record.mean);
  write(file, "/folds/standard_error", each, record.standard_error);
}

void write_scores(const OutputFile& file, const FitFile& model) {
  require_count("scores", model.scores.size(), model.result.targets);
  for (const auto& [name, value] : scores_of_targets) {
    std::vector<double> values;
    values.reserve(model.scores.size());
    for (const Score& score : model.scores) values.push_back(score.*value);
    write_values(file, std::string("/scores/") + name, {model.result.targets}, values);
  }
}

/// The channels of the inputs, one row for each.
void write_inputs(const OutputFile& file, const std::vector<InputChannels>& inputs) {
  std::vector<std::int64_t> numbers;
  std::vector<std::string> names;
  std::vector<std::int64_t> ids;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const std::int64_t id : inputs[i].ids) {
      numbers.push_back(static_cast<std::int64_t>(i));
      names.push_back(inputs[i].name);
      ids.push_back(id);
    }
  }
  const ValueExtents channels{static_cast<std::int64_t>(ids.size())};
  write_values(file, "/inputs/input", channels, numbers);
  write_texts(file, "/inputs/name", names, channels);
  write_values(file, "/inputs/id", channels, ids);
}

/// Taps of the terms that are one basis in conv mode, with the name of its input.
void write_model_filters(const OutputFile& file, const FitFile& model,
                         const std::vector<Component>& components) {
  for (const Term& term : model.terms) {
    const Component* only = nullptr;
    std::int64_t number = 0;
    for (const Component& component : components) {
      const bool is_inside = component.inputs.begin >= term.inputs.begin &&
                             component.inputs.end <= term.inputs.end && component.inputs.size() > 0;
      if (!is_inside) continue;
      only = &component;
      ++number;
    }
    if (number != 1 || only->taps == nullptr) continue;
    const std::string name = filter_name(term);
    const Taps& taps = *only->taps;
    const Dataset dataset =
        file.write_contiguous("/filters/" + name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE,
                              {taps.window, taps.bases}, taps.values.data());
    write_attribute(dataset.id(), "axes", std::string("tap,basis"));
    write_attribute(dataset.id(), "basis", only->basis);
    write_attribute(dataset.id(), "causality", std::string(file_name_of(only->causality)));
    write_attribute(dataset.id(), "shift",
                    std::string(is_shifted(only->causality, only->shift) ? "on" : "off"));
    const auto input = static_cast<std::size_t>(only->inputs.begin);
    if (input < model.inputs.size()) {
      write_attribute(dataset.id(), "input", model.inputs[input].name);
    }
  }
}

std::string files_text(const std::vector<InputFile>& files) {
  std::string text;
  for (const InputFile& file : files) {
    text += (text.empty() ? "" : "\n") + stream::text_of(file) + ", " + std::to_string(file.bytes) +
            " bytes, modified " + std::to_string(file.modified_ns) + " ns";
  }
  return text;
}

void write_attributes(const OutputFile& file, const FitFile& model, const FitProvenance& provenance,
                      const FitOutputOptions& options) {
  const Object root(H5Oopen(file.file().id(), "/", H5P_DEFAULT), file.failing());
  const auto write_it = [&](const char* name, const AttributeValue& value) {
    write_attribute(root.id(), name, value);
  };
  const auto write_some = [&](const char* name, const std::string& text) {
    if (!text.empty()) write_it(name, text);
  };
  const FitResult& result = model.result;
  write_it("format", std::string(format_name));
  write_it("family", std::string(name_of(result.loss.family)));
  write_it("inverse_link", std::string(name_of(result.loss.inverse_link)));
  write_it("loss_dispersion", result.loss.dispersion);
  write_it("classes", result.loss.classes);
  write_some("penalty", model.penalty);
  write_it("solver", std::string(name_of(result.choice.solver)));
  write_some("choice", result.choice.reason);
  if (model.path) {
    write_some("score", model.path->score);
    write_some("choose", model.path->choose);
  }
  if (model.rate_hz) write_it("rate_hz", *model.rate_hz);
  write_it("time_unit", std::string(model.rate_hz ? "seconds" : "rows"));
  write_some("design", provenance.design);
  write_some("files", files_text(provenance.files));
  write_some("fingerprint", text_of(options.fingerprint));
  write_origin(root.id());
  write_some("history", options.history);
}

}  // namespace

void write_model(const OutputFile& file, const FitFile& model, const FitProvenance& provenance,
                 const FitOutputOptions& options) {
  require_filter_names(model.terms);
  const FitResult& result = model.result;
  const ValueExtents coefficients = with_targets({result.columns}, result);
  write(file, "/coefficients", coefficients, result.coefficients);
  write(file, "/intercepts", with_targets({}, result), result.intercepts);
  write(file, "/standard_errors", with_targets({result.columns + 1}, result),
        result.standard_errors);
  for (const auto& [name, values] : of_targets) {
    write(file, std::string("/") + name, {result.targets}, result.*values);
  }
  for (const auto& [name, values] : counts_of_targets) {
    write(file, std::string("/") + name, {result.targets}, result.*values, name);
  }
  write_stops(file, "/stopped", {result.targets}, result.stop);
  write_values(file, "/target_ids", {result.targets},
               stream::ids_or_numbers(model.target_ids, result.targets));
  write_terms(file, "/terms", model.terms);
  write_columns(file, "/columns", model.terms);
  const auto write_list = [&](const char* name, const std::vector<std::string>& texts) {
    write_texts(file, name, texts, {static_cast<std::int64_t>(texts.size())});
  };
  write_list("/components", model.components);
  write_list("/warnings", result.warnings);
  write_scores(file, model);
  write_inputs(file, model.inputs);
  write_model_filters(file, model, provenance.components);
  if (model.path) write_path(file, result, *model.path);
  write_attributes(file, model, provenance, options);
}

}  // namespace synelix::h5
