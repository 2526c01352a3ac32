// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads a model from its file, and compares its columns, channels and targets with a design.
#include "hdf5/fit/model_records.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "streams/fingerprint.hpp"
#include "streams/input_files.hpp"
#include "types/checks.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>
#include <synelix/types/fit_file.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace synelix {
namespace h5 {

std::string filter_name(const Term& term) {
  std::string name = term.label;
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

namespace {

std::vector<Score> read_scores(const SourceFile& file, std::int64_t targets) {
  std::vector<Score> scores;
  for (const auto& [name, value] : scores_of_targets) {
    const std::vector<double> values =
        read_values<double>(file, std::string("/scores/") + name, {targets});
    if (values.empty()) return {};
    scores.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) scores[i].*value = values[i];
  }
  return scores;
}

/// The inputs of the columns; empty if the file has an older version.
std::vector<InputChannels> read_inputs(const SourceFile& file) {
  const std::vector<std::int64_t> inputs = read_values<std::int64_t>(file, "/inputs/input", {-1});
  const std::vector<std::string> names = read_texts(file, "/inputs/name");
  const std::vector<std::int64_t> ids = read_values<std::int64_t>(file, "/inputs/id", {-1});
  std::vector<InputChannels> channels;
  bool is_sound = names.size() == inputs.size() && ids.size() == inputs.size();
  for (std::size_t i = 0; is_sound && i < inputs.size(); ++i) {
    if (i == 0 || inputs[i] != inputs[i - 1]) channels.push_back({names[i], {}});
    channels.back().ids.push_back(ids[i]);
    is_sound = inputs[i] == static_cast<std::int64_t>(channels.size()) - 1;
  }
  if (is_sound) return channels;
  h5::refuse_model(file.name() + ":/inputs", "its datasets do not describe the channels of inputs");
}

}  // namespace
}  // namespace h5

namespace {

/// The value with this name. \throws Error if there is none
template <class Enum>
Enum value_named(const std::string& file, const char* what, const std::string& name,
                 std::size_t values) {
  for (std::size_t i = 0; i < values; ++i) {
    if (name == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  }
  h5::refuse_model(file, std::string("its ") + what + " '" + name + "' is unknown");
}

std::string required_text(const std::string& file, hid_t root, const char* name) {
  const std::optional<std::string> text = h5::read_text(root, name);
  if (text) return *text;
  h5::refuse_model(file,
                   std::string("it has no attribute ") + name + ", so it is not a file of a model");
}

std::int64_t classes_of(const std::string& file, double found) {
  constexpr double most = 1 << 20;
  if (found >= 2 && found <= most) return static_cast<std::int64_t>(found);
  h5::refuse_model(file, "its attribute classes is " + number_text(found));
}

/// Every writer of this format has written this attribute.
void require_format(const std::string& file, const std::string& found) {
  if (found == h5::format_name) return;
  const std::string_view kind = h5::format_name.substr(0, h5::format_name.size() - 1);
  if (found.starts_with(kind)) {
    throw FileError(file,
                    "its format is '" + found + "', and this version of synelix reads '" +
                        std::string(h5::format_name) + "'",
                    "Read it with the version that wrote it, or fit again");
  }
  h5::refuse_model(file, "its format is '" + found + "', which is not a model");
}

std::string parameter_text(const BasisParameter& parameter) {
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

std::string component_text(const Component& component) {
  std::string text = component.label + ": " + component.basis;
  const auto add = [&](const std::string& more) { text += ", " + more; };
  for (const BasisParameter& parameter : component.parameters) add(parameter_text(parameter));
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

void require_filter_names(const std::vector<Term>& terms) {
  std::map<std::string, std::string> labels;
  for (const Term& term : terms) {
    const std::string name = h5::filter_name(term);
    if (name.empty() || name == "." || name == "..") {
      throw Error("the term '" + term.label + "'", "its filters would have no name in a file",
                  "Give it a name with a letter");
    }
    const auto [other, is_new] = labels.emplace(name, term.label);
    if (is_new) continue;
    throw Error("the terms '" + other->second + "' and '" + term.label + "'",
                "their filters would both be filters/" + name + " in the file of a model",
                "Give one of them another name");
  }
}

std::vector<std::string> component_texts(const std::vector<Component>& components) {
  std::vector<std::string> texts;
  texts.reserve(components.size());
  for (const Component& component : components) texts.push_back(component_text(component));
  return texts;
}

FitFile read_fit(const std::string& file) {
  const h5::Call call;
  const h5::SourceFile opened = h5::open_file(file);
  const h5::Object root = h5::open_object(opened, "/");
  FitFile model;
  FitResult& result = model.result;
  require_format(file, required_text(file, root.id(), "format"));
  result.loss.family =
      value_named<Family>(file, "family", required_text(file, root.id(), "family"), 6);
  result.loss.inverse_link = value_named<InverseLink>(
      file, "inverse_link", required_text(file, root.id(), "inverse_link"), 8);
  result.loss.dispersion = h5::read_number(root.id(), "loss_dispersion").value_or(1);
  result.loss.classes = classes_of(file, h5::read_number(root.id(), "classes").value_or(2));
  const bool has_classes = result.loss.family == Family::categorical;
  result.classes = has_classes ? result.loss.classes : 1;
  model.terms = h5::read_terms(opened, "/terms");
  for (const Term& term : model.terms) result.columns += term.columns.size();
  model.target_ids = h5::read_values<std::int64_t>(opened, "/target_ids", {-1});
  result.targets = static_cast<std::int64_t>(model.target_ids.size());
  result.coefficients =
      h5::read_values<double>(opened, "/coefficients", h5::with_targets({result.columns}, result));
  result.intercepts = h5::read_values<double>(opened, "/intercepts", h5::with_targets({}, result));
  result.standard_errors = h5::read_values<double>(opened, "/standard_errors",
                                                   h5::with_targets({result.columns + 1}, result));
  for (const auto& [name, values] : h5::of_targets) {
    result.*values = h5::read_values<double>(opened, std::string("/") + name, {result.targets});
  }
  for (const auto& [name, values] : h5::counts_of_targets) {
    result.*values =
        h5::read_values<std::int64_t>(opened, std::string("/") + name, {result.targets});
  }
  for (const std::string& word : h5::read_texts(opened, "/stopped")) {
    result.stop.push_back(value_named<Stop>(file, "stopped", word, 6));
  }
  if (!result.stop.empty() && static_cast<std::int64_t>(result.stop.size()) != result.targets) {
    h5::refuse_model(file + ":/stopped", "it has " + std::to_string(result.stop.size()) +
                                             " words for " + std::to_string(result.targets) +
                                             " targets");
  }
  model.scores = h5::read_scores(opened, result.targets);
  result.warnings = h5::read_texts(opened, "/warnings");
  model.components = h5::read_texts(opened, "/components");
  model.inputs = h5::read_inputs(opened);
  model.rate_hz = h5::read_number(root.id(), "rate_hz");
  model.penalty = h5::read_text(root.id(), "penalty").value_or("");
  if (result.targets == 0 || result.intercepts.empty() || result.coefficients.empty()) {
    h5::refuse_model(file, "it holds no model");
  }
  stream::require_same_content(opened.behind().files());
  return model;
}

namespace {

std::string ids_text(const std::vector<std::int64_t>& ids) {
  std::string text;
  for (const std::int64_t id : ids) text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text.empty() ? "none" : text;
}

/// "1, 2, but these are 2, 1"; for long lists only the first difference. Empty: no difference.
std::string difference_of(const std::vector<std::int64_t>& there,
                          const std::vector<std::int64_t>& here) {
  if (there == here) return {};
  constexpr std::size_t most_listed = 8;
  if (there.size() != here.size()) {
    return std::to_string(there.size()) + " in number, but these are " +
           std::to_string(here.size());
  }
  if (there.size() <= most_listed) return ids_text(there) + ", but these are " + ids_text(here);
  const auto [one, other] = std::mismatch(there.begin(), there.end(), here.begin());
  return std::to_string(*one) + " at place " + std::to_string(one - there.begin() + 1) + " of " +
         std::to_string(there.size()) + ", but there is " + std::to_string(*other);
}

/// \throws Error for the first entry whose text differs, or that only one of the lists has
template <class Entry, class Text>
void require_same_list(const std::string& what, const std::vector<Entry>& of_model,
                       const std::vector<Entry>& of_design, const Text& text) {
  for (std::size_t i = 0; i < std::max(of_model.size(), of_design.size()); ++i) {
    const std::string there = i < of_model.size() ? text(of_model[i]) : "none";
    const std::string here = i < of_design.size() ? text(of_design[i]) : "none";
    if (there == here) continue;
    throw Error("design",
                what + " " + std::to_string(i + 1) + " of the model is " + there +
                    ", but that of the design is " + here,
                "Give the design and the bins that the model was fitted with");
  }
}

}  // namespace

void require_same_design(const FitFile& model, const std::vector<Term>& terms,
                         const std::vector<std::string>& components) {
  const auto term_text = [](const Term& term) {
    return "'" + term.label + "' of " + std::to_string(term.channels) + " channels x " +
           std::to_string(term.bases) + " bases";
  };
  const auto as_it_is = [](const std::string& component) { return component; };
  require_same_list("term", model.terms, terms, term_text);
  require_same_list("basis", model.components, components, as_it_is);
}

void require_same_inputs(const FitFile& model, const std::vector<InputChannels>& inputs) {
  if (model.inputs.empty()) return;
  if (model.inputs.size() != inputs.size()) {
    throw Error("inputs",
                "the columns of the model come from " + std::to_string(model.inputs.size()) +
                    " inputs, but those of the design from " + std::to_string(inputs.size()),
                "Give the design that the model was fitted with");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::string difference = difference_of(model.inputs[i].ids, inputs[i].ids);
    if (difference.empty()) continue;
    throw Error("the input '" + inputs[i].name + "'",
                "the channels of the model's input are " + difference,
                "Give the channels of the model, in their order");
  }
}

void require_same_targets(const FitFile& model, const std::vector<std::int64_t>& ids) {
  const auto there = stream::ids_or_numbers(model.target_ids, model.result.targets);
  const std::string difference = difference_of(there, ids);
  if (difference.empty()) return;
  throw Error("targets", "the model's targets are " + difference,
              "Give the targets of the model, in their order");
}

}  // namespace synelix
