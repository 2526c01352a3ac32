// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/fit/model_records.hpp"

#include "files/fit/fit_datasets.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/h5_file.hpp"
#include "files/hdf5/h5_terms.hpp"
#include "files/sink/fingerprint_text.hpp"
#include "streams/checksum.hpp"
#include "streams/input_files.hpp"
#include "vocabulary/known.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/version.hpp>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace synelix {
namespace h5 {
namespace {

using Extents = std::vector<std::int64_t>;

/// Extents of values for each target, and each class where there are several.
Extents with_targets(Extents before, const FitResult& result) {
  before.push_back(result.targets);
  if (result.classes > 1) before.push_back(result.classes);
  return before;
}

std::int64_t count_in(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// Numbers of a model that may be left out.
struct Member {
  const char* name;
  std::vector<double> FitResult::* values;
};
constexpr std::array<Member, 8> of_targets{
    {{"mean_loss", &FitResult::mean_loss},
     {"objective", &FitResult::objective},
     {"optimality", &FitResult::optimality},
     {"standard_errors_away", &FitResult::standard_errors_away},
     {"rows_used", &FitResult::rows_used},
     {"residual_degrees_of_freedom", &FitResult::residual_degrees_of_freedom},
     {"scale", &FitResult::scale},
     {"dispersion", &FitResult::dispersion}}};
struct Counts {
  const char* name;
  std::vector<std::int64_t> FitResult::* values;
};
constexpr std::array<Counts, 2> counts_of_targets{
    {{"evaluations", &FitResult::evaluations}, {"hessians", &FitResult::hessians}}};

void require_count(const char* name, std::size_t found, std::int64_t wanted) {
  if (found == 0 || static_cast<std::int64_t>(found) == wanted) return;
  throw Error(name,
              "the model has " + std::to_string(found) + " of them, not " + std::to_string(wanted),
              "Give a result of fit");
}

/// Writes values after a check of their number.
void write(const OutputFile& file, const std::string& path, const Extents& extents,
           const std::vector<double>& values) {
  require_count(path.c_str(), values.size(), count_in(extents));
  write_numbers(file, path, extents, values);
}

void write_path(const OutputFile& file, const FitResult& result, const FitPathRecord& record) {
  const PathResult& path = record.path;
  const Extents each{path.count, result.targets};
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

/// Taps of the terms that are one basis in conv mode.
void write_filters(const OutputFile& file, const std::vector<Term>& terms,
                   const std::vector<Component>& components) {
  for (const Term& term : terms) {
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
    std::string name = term.label;
    std::replace(name.begin(), name.end(), '/', '_');
    const Taps& taps = *only->taps;
    const Dataset dataset = file.create({.path = "/filters/" + name,
                                         .file_type = H5T_IEEE_F64LE,
                                         .extents = {taps.window, taps.bases},
                                         .chunk = {},
                                         .filter = {}});
    check(H5Dwrite(dataset.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                   taps.values.data()),
          file.failing());
    write_attribute(dataset.id(), "axes", std::string("tap,basis"));
    write_attribute(dataset.id(), "basis", only->basis);
    write_attribute(dataset.id(), "causality", std::string(file_name_of(only->causality)));
    write_attribute(dataset.id(), "shift",
                    std::string(is_shifted(only->causality, only->shift) ? "on" : "off"));
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
  write_it("format", std::string("Synelix model 1"));
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
  write_it("synelix_version", std::string(version()));
  write_some("history", options.history);
}

}  // namespace

void write_model(const OutputFile& file, const FitFile& model, const FitProvenance& provenance,
                 const FitOutputOptions& options) {
  const FitResult& result = model.result;
  const Extents coefficients = with_targets({result.columns}, result);
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
  write_filters(file, model.terms, provenance.components);
  if (model.path) write_path(file, result, *model.path);
  write_attributes(file, model, provenance, options);
}

}  // namespace h5

namespace {

/// The value whose name this is. \throws Error where there is none
template <class Enum>
Enum value_named(const std::string& file, const char* what, const std::string& name,
                 std::size_t values) {
  for (std::size_t i = 0; i < values; ++i) {
    if (name == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  throw Error(file, std::string("its ") + what + " '" + name + "' is unknown",
              "Give a file that synelix fit has written");
}

std::string required_text(const std::string& file, hid_t root, const char* name) {
  const std::optional<std::string> text = h5::read_text(root, name);
  if (text) return *text;
  throw Error(file, std::string("it has no attribute ") + name + ", so it is no file of a model",
              "Give a file that synelix fit has written");
}

std::string text_of(const BasisParameter& parameter) {
  std::string text = parameter.first + " = ";
  std::visit(
      [&](const auto& held) {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_arithmetic_v<Held>) {
          text += number_text(held);
        } else if constexpr (std::is_same_v<Held, std::string>) {
          text += held;
        } else {
          for (const auto& value : held) text += number_text(value) + " ";
        }
      },
      parameter.second);
  return text;
}

std::string text_of(const Component& component) {
  std::string text = component.label + ": " + component.basis;
  const auto add = [&](const std::string& more) { text += ", " + more; };
  for (const BasisParameter& parameter : component.parameters) add(text_of(parameter));
  if (component.mode == Mode::conv) {
    add("window " + std::to_string(component.window));
    add(std::string(file_name_of(component.causality)));
    add(is_shifted(component.causality, component.shift) ? "shifted" : "not shifted");
    if (component.taps != nullptr) {
      add("taps " + stream::Checksum().add(component.taps->values).text());
    }
  }
  for (const Bounds& bounds : component.bounds) {
    add("from " + number_text(bounds.lower) + " to " + number_text(bounds.upper));
  }
  return text;
}

}  // namespace

std::vector<std::string> component_texts(const std::vector<Component>& components) {
  std::vector<std::string> texts;
  for (const Component& component : components) texts.push_back(text_of(component));
  return texts;
}

FitFile read_fit(const std::string& file) {
  const h5::Call call;
  const h5::SourceFile opened = h5::open_file(file);
  const h5::Object root = h5::open_object(opened, "/");
  FitFile model;
  FitResult& result = model.result;
  required_text(file, root.id(), "format");
  result.loss.family =
      value_named<Family>(file, "family", required_text(file, root.id(), "family"), 6);
  result.loss.inverse_link = value_named<InverseLink>(
      file, "inverse_link", required_text(file, root.id(), "inverse_link"), 8);
  result.loss.dispersion = h5::read_number(root.id(), "loss_dispersion").value_or(1);
  result.loss.classes =
      static_cast<std::int64_t>(h5::read_number(root.id(), "classes").value_or(2));
  const bool has_classes = result.loss.family == Family::categorical;
  result.classes = has_classes ? result.loss.classes : 1;
  model.terms = h5::read_terms(opened, "/terms");
  for (const Term& term : model.terms) result.columns += term.columns.size();
  model.target_ids = h5::read_integers(opened, "/target_ids", {-1});
  result.targets = static_cast<std::int64_t>(model.target_ids.size());
  const auto extents = [&](std::vector<std::int64_t> before) {
    before.push_back(result.targets);
    if (result.classes > 1) before.push_back(result.classes);
    return before;
  };
  result.coefficients = h5::read_numbers(opened, "/coefficients", extents({result.columns}));
  result.intercepts = h5::read_numbers(opened, "/intercepts", extents({}));
  result.standard_errors =
      h5::read_numbers(opened, "/standard_errors", extents({result.columns + 1}));
  for (const auto& [name, values] : h5::of_targets) {
    result.*values = h5::read_numbers(opened, std::string("/") + name, {result.targets});
  }
  for (const auto& [name, values] : h5::counts_of_targets) {
    result.*values = h5::read_integers(opened, std::string("/") + name, {result.targets});
  }
  for (const std::string& word : h5::read_texts(opened, "/stopped")) {
    result.stop.push_back(value_named<Stop>(file, "stopped", word, 6));
  }
  result.warnings = h5::read_texts(opened, "/warnings");
  model.components = h5::read_texts(opened, "/components");
  model.rate_hz = h5::read_number(root.id(), "rate_hz");
  model.penalty = h5::read_text(root.id(), "penalty").value_or("");
  if (result.targets == 0 || result.intercepts.empty() || result.coefficients.empty()) {
    throw Error(file, "it holds no model", "Give a file that synelix fit has written");
  }
  return model;
}

void require_same_design(const FitFile& model, const std::vector<Term>& terms,
                         const std::vector<std::string>& components) {
  const std::string remedy = "Give the design and the bins that the model was fitted with";
  const auto term_text = [](const Term& term) {
    return "'" + term.label + "' of " + std::to_string(term.channels) + " channels x " +
           std::to_string(term.bases) + " bases";
  };
  for (std::size_t i = 0; i < std::max(terms.size(), model.terms.size()); ++i) {
    const std::string there = i < model.terms.size() ? term_text(model.terms[i]) : "none";
    const std::string here = i < terms.size() ? term_text(terms[i]) : "none";
    if (there == here) continue;
    throw Error("design",
                "term " + std::to_string(i + 1) + " of the model is " + there +
                    ", but that of the design is " + here,
                remedy);
  }
  for (std::size_t i = 0; i < std::max(components.size(), model.components.size()); ++i) {
    const std::string there = i < model.components.size() ? model.components[i] : "none";
    const std::string here = i < components.size() ? components[i] : "none";
    if (there == here) continue;
    throw Error("design",
                "basis " + std::to_string(i + 1) + " of the model is " + there +
                    ", but that of the design is " + here,
                remedy);
  }
}

}  // namespace synelix
