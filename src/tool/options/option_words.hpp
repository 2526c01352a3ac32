// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <synelix/error.hpp>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// Words that stand for values, on a command line and in a design.

namespace synelix::tool {

/// The value of one of several words. Throws Error with those that there are.
template <class Value>
Value parse_word(std::span<const std::pair<std::string_view, Value>> words,
                 const std::string& text) {
  std::string names;
  for (const auto& [word, value] : words) {
    if (word == text) return value;
    names += (names.empty() ? "" : ", ") + std::string(word);
  }
  throw Error("'" + text + "' is not a value of this option. Valid are: " + names + ".");
}

using CausalityWord = std::pair<std::string_view, Causality>;
inline constexpr std::array<CausalityWord, 3> causalities{
    {{"causal", Causality::causal},
     {"acausal", Causality::acausal},
     {"anti-causal", Causality::anti_causal}}};
using BorderWord = std::pair<std::string_view, Border>;
inline constexpr std::array<BorderWord, 3> borders{
    {{"nan", Border::nan}, {"zero", Border::zero}, {"valid", Border::valid}}};
using MethodWord = std::pair<std::string_view, Method>;
inline constexpr std::array<MethodWord, 4> methods{{{"automatic", Method::automatic},
                                                    {"direct", Method::direct},
                                                    {"events", Method::events},
                                                    {"fft", Method::fft}}};
using TypeWord = std::pair<std::string_view, OutputType>;
inline constexpr std::array<TypeWord, 2> types{
    {{"float", OutputType::float32}, {"double", OutputType::float64}}};

using StagingWord = std::pair<std::string_view, Staging>;
inline constexpr std::array<StagingWord, 3> stagings{
    {{"automatic", Staging::automatic}, {"always", Staging::always}, {"never", Staging::never}}};

inline Causality parse_causality(const std::string& text) {
  return parse_word(std::span<const CausalityWord>(causalities), text);
}
inline Border parse_border(const std::string& text) {
  return parse_word(std::span<const BorderWord>(borders), text);
}
inline Method parse_method(const std::string& text) {
  return parse_word(std::span<const MethodWord>(methods), text);
}
inline Staging parse_staging(const std::string& text) {
  return parse_word(std::span<const StagingWord>(stagings), text);
}
inline OutputType parse_type(const std::string& text) {
  return parse_word(std::span<const TypeWord>(types), text);
}

}  // namespace synelix::tool
