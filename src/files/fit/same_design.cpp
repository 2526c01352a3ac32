// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Whether a design has the columns, the channels and the targets of a model.
#include <synelix/error.hpp>
#include <synelix/types/fit_file.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace synelix {
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

}  // namespace

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
  std::vector<std::int64_t> there = model.target_ids;
  if (there.empty()) {
    there.resize(static_cast<std::size_t>(model.result.targets));
    std::iota(there.begin(), there.end(), std::int64_t{0});
  }
  const std::string difference = difference_of(there, ids);
  if (difference.empty()) return;
  throw Error("targets", "the model's targets are " + difference,
              "Give the targets of the model, in their order");
}

}  // namespace synelix
