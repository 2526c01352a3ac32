// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// Words for values, on a command line and in a design.

namespace synelix::tool {

/// The value for one of several words, which may be written with underscores, as in C++ and in
/// files of models. Throws Error with the valid words.
template <class Value>
Value parse_word(std::span<const std::pair<std::string_view, Value>> words,
                 const std::string& text) {
  std::string names;
  std::string wanted = text;
  std::replace(wanted.begin(), wanted.end(), '_', '-');
  for (const auto& [word, value] : words) {
    if (word == wanted) return value;
    names += (names.empty() ? "" : ", ") + std::string(word);
  }
  throw Error("'" + text + "' is not a value of this option. Valid are: " + names + ".");
}

/// The word for one of several values.
template <class Value>
std::string_view word_of(std::span<const std::pair<std::string_view, Value>> words, Value wanted) {
  for (const auto& [word, value] : words) {
    if (value == wanted) return word;
  }
  return "unknown";
}

/// The name of a value in the library, with dashes.
template <class Value>
std::string name_with_dashes(Value value) {
  std::string name = name_of(value);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// All values of an enumeration whose values the library names, in their order.
template <class Value>
std::vector<Value> values_with_names() {
  std::vector<Value> values;
  for (std::uint8_t i = 0; name_of(static_cast<Value>(i)) != std::string_view("unknown"); ++i) {
    values.push_back(static_cast<Value>(i));
  }
  return values;
}

/// As parse_word, with the library's names of the values.
template <class Value>
Value parse_name(const std::string& text) {
  const std::vector<Value> values = values_with_names<Value>();
  std::vector<std::string> names(values.size());
  std::transform(values.begin(), values.end(), names.begin(), name_with_dashes<Value>);
  std::vector<std::pair<std::string_view, Value>> words(values.size());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = {names[i], values[i]};
  return parse_word(std::span<const std::pair<std::string_view, Value>>(words), text);
}

using CausalityWord = std::pair<std::string_view, Causality>;
inline constexpr std::array<CausalityWord, 3> causalities{
    {{"causal", Causality::causal},
     {"acausal", Causality::acausal},
     {"anti-causal", Causality::anti_causal}}};
using BorderWord = std::pair<std::string_view, Border>;
inline constexpr std::array<BorderWord, 3> borders{
    {{"nan", Border::nan}, {"zero", Border::zero}, {"valid", Border::valid}}};
using StopWord = std::pair<std::string_view, IntervalStop>;
inline constexpr std::array<StopWord, 2> interval_stops{
    {{"included", IntervalStop::included}, {"excluded", IntervalStop::excluded}}};
using OverlapsWord = std::pair<std::string_view, Overlaps>;
inline constexpr std::array<OverlapsWord, 2> overlaps_words{
    {{"join", Overlaps::join}, {"apart", Overlaps::apart}}};
using TypeWord = std::pair<std::string_view, OutputType>;
inline constexpr std::array<TypeWord, 2> types{
    {{"float", OutputType::float32}, {"double", OutputType::float64}}};

using ChoiceWord = std::pair<std::string_view, Choose>;
inline constexpr std::array<ChoiceWord, 2> choices{
    {{"min", Choose::best}, {"1se", Choose::one_standard_error}}};
using PenaltyWord = std::pair<std::string_view, PenaltyWords::Kind>;
inline constexpr std::array<PenaltyWord, 5> penalties{
    {{"none", PenaltyWords::Kind::none},
     {"ridge", PenaltyWords::Kind::ridge},
     {"lasso", PenaltyWords::Kind::lasso},
     {"elastic-net", PenaltyWords::Kind::elastic_net},
     {"group-lasso", PenaltyWords::Kind::group_lasso}}};

using StagingWord = std::pair<std::string_view, Staging>;
inline constexpr std::array<StagingWord, 3> stagings{
    {{"automatic", Staging::automatic}, {"always", Staging::always}, {"never", Staging::never}}};

inline Causality parse_causality(const std::string& text) {
  return parse_word(std::span<const CausalityWord>(causalities), text);
}
inline Border parse_border(const std::string& text) {
  return parse_word(std::span<const BorderWord>(borders), text);
}
inline IntervalStop parse_interval_stop(const std::string& text) {
  return parse_word(std::span<const StopWord>(interval_stops), text);
}
inline Overlaps parse_overlaps(const std::string& text) {
  return parse_word(std::span<const OverlapsWord>(overlaps_words), text);
}
inline Method parse_method(const std::string& text) { return parse_name<Method>(text); }
inline Staging parse_staging(const std::string& text) {
  return parse_word(std::span<const StagingWord>(stagings), text);
}
inline OutputType parse_type(const std::string& text) {
  return parse_word(std::span<const TypeWord>(types), text);
}

/// The help of `--instruction-set`, for every command that has it.
inline constexpr const char* instruction_set_help =
    "Instruction set of the processor: plain, avx2 or avx512, or on Arm plain, neon or sve256, of "
    "those that the build has. Results of one set have the same bits on every processor. Default: "
    "the widest.";

}  // namespace synelix::tool
