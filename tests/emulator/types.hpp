// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// From the name of a type to the handler of that type.
#pragma once

#include "lanes.hpp"
#include "module.hpp"

#include <string>

namespace emulator {

/// The letter of a row for values of that type.
inline char letter_of(const std::string& type) {
  return type == "pred" ? 'm' : type.find("64") != std::string::npos ? 'w' : 'n';
}

/// pick.operator()<T>() for types whose sign does not matter; nullptr: no such type.
template <class Pick>
Handler pick_bits(const std::string& type, Pick pick) {
  if (type.size() == 3 && (type[0] == 'b' || type[0] == 's' || type[0] == 'u')) {
    const std::string bits = type.substr(1);
    if (bits == "16") return pick.template operator()<u16>();
    if (bits == "32") return pick.template operator()<u32>();
    if (bits == "64") return pick.template operator()<u64>();
  }
  return nullptr;
}

template <class Pick>
Handler pick_integer(const std::string& type, Pick pick) {
  if (type == "s16") return pick.template operator()<s16>();
  if (type == "s32") return pick.template operator()<s32>();
  if (type == "s64") return pick.template operator()<s64>();
  return pick_bits(type, pick);
}

template <class Pick>
Handler pick_float(const std::string& type, Pick pick) {
  if (type == "f32") return pick.template operator()<float>();
  if (type == "f64") return pick.template operator()<double>();
  return nullptr;
}

}  // namespace emulator
