// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/fit/model_records.hpp"

#include "files/fit/fit_datasets.hpp"
#include "files/hdf5/features_attributes.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/h5_file.hpp"
#include "files/sink/fingerprint_text.hpp"
#include "streams/input_files.hpp"
#include "vocabulary/known.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace synelix::h5 {
namespace {

using ValueExtents = std::vector<std::int64_t>;

/// ValueExtents of values for each target, and for each class if there are several.
ValueExtents with_targets(ValueExtents before, const FitResult& result) {
  before.push_back(result.targets);
  if (result.classes > 1) before.push_back(result.classes);
  return before;
}

std::int64_t count_in(const ValueExtents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

void require_count(const char* name, std::size_t found, std::int64_t wanted) {
  if (found == 0 || static_cast<std::int64_t>(found) == wanted) return;
  throw FileError(
      name, "the model has " + std::to_string(found) + " of them, not " + std::to_string(wanted),
      "Give a result of fit");
}

/// Writes values after it checks their number.
void write(const OutputFile& file, const std::string& path, const ValueExtents& extents,
           const std::vector<double>& values) {
  require_count(path.c_str(), values.size(), count_in(extents));
  write_numbers(file, path, extents, values);
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
  std::vector<std::string> stopped;
  stopped.reserve(path.stop.size());
  for (const Stop stop : path.stop) stopped.emplace_back(name_of(stop));
  write_texts(file, "/path/stopped", stopped, each);
  require_count("/path/nonzero", path.nonzero.size(), count_in(each));
  write_integers(file, "/path/nonzero", each, path.nonzero);
  require_count("/path/chosen", record.chosen.size(), result.targets);
  write_integers(file, "/path/chosen", {result.targets}, record.chosen);
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
    write_numbers(file, std::string("/scores/") + name, {model.result.targets}, values);
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
  write_integers(file, "/inputs/input", channels, numbers);
  write_texts(file, "/inputs/name", names, channels);
  write_integers(file, "/inputs/id", channels, ids);
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
        file.create_contiguous("/filters/" + name, H5T_IEEE_F64LE, {taps.window, taps.bases});
    check(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   taps.values.data()),
          file.failing());
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
    require_count(name, (result.*values).size(), result.targets);
    write_integers(file, std::string("/") + name, {result.targets}, result.*values);
  }
  std::vector<std::string> stopped;
  stopped.reserve(result.stop.size());
  for (const Stop stop : result.stop) stopped.emplace_back(name_of(stop));
  write_texts(file, "/stopped", stopped, {result.targets});
  std::vector<std::int64_t> ids = model.target_ids;
  if (ids.empty()) {
    ids.resize(static_cast<std::size_t>(result.targets));
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
  }
  write_integers(file, "/target_ids", {result.targets}, ids);
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
