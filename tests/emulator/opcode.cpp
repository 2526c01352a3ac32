// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "opcode.hpp"

#include <algorithm>

namespace emulator {

Opcode::Opcode(const std::string& opcode) : text(opcode) {
  for (std::size_t at = 0; at <= opcode.size();) {
    const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
    parts.push_back(opcode.substr(at, dot - at));
    at = dot + 1;
  }
}

bool Opcode::has(const char* part) const {
  return std::find(parts.begin() + 1, parts.end(), part) != parts.end();
}

bool Opcode::has_only(const std::string& modifiers) const {
  const std::string list = " " + modifiers + " ";
  for (std::size_t k = 1; k + 1 < parts.size(); ++k) {
    if (list.find(" " + parts[k] + " ") == std::string::npos) return false;
  }
  return true;
}

Shape find_shape(const Opcode& opcode, Instruction& instruction) {
  for (const auto find :
       {find_arithmetic, find_approximate, find_rounded, find_bits, find_comparison, find_address,
        find_conversion, find_load_or_store, find_atomic, find_control, find_warp_wide}) {
    Shape shape = find(opcode, instruction);
    if (shape.run != nullptr) return shape;
  }
  return {};
}

}  // namespace emulator
