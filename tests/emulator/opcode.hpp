// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The words of an opcode, and the handler that they name.
#pragma once

#include "module.hpp"

#include <string>
#include <vector>

namespace emulator {

/// fma.rn.f32: the parts fma, rn, f32.
struct Opcode {
  explicit Opcode(const std::string& opcode);

  const std::string& name() const { return parts.front(); }
  const std::string& type() const { return parts.back(); }
  bool has(const char* part) const;  ///< after the name
  /// All modifiers between name and type are of this list, divided by blanks.
  bool has_only(const std::string& modifiers) const;
  /// Rounding of floats other than to nearest: .rz, .rm, .rp.
  bool is_directed() const { return is_float() && (has("rz") || has("rm") || has("rp")); }
  bool is_float() const { return type() == "f32" || type() == "f64"; }

  std::string text;
  std::vector<std::string> parts;
};

/// A handler, and the rows of its operands: results = sources, each n narrow, w wide or m mask.
/// Sources at the end may be missing. "~" before them: registers may be wider than the type.
struct Shape {
  Handler run = nullptr;
  std::string rows;
};

/// The handler of an opcode, or none. Sets the other properties of the instruction from the opcode.
Shape find_shape(const Opcode& opcode, Instruction& instruction);

// One function for each family, in the file of its handlers.
Shape find_arithmetic(const Opcode& opcode, Instruction& instruction);
Shape find_approximate(const Opcode& opcode, Instruction& instruction);
Shape find_rounded(const Opcode& opcode, Instruction& instruction);
Shape find_bits(const Opcode& opcode, Instruction& instruction);
Shape find_address(const Opcode& opcode, Instruction& instruction);
Shape find_comparison(const Opcode& opcode, Instruction& instruction);
Shape find_conversion(const Opcode& opcode, Instruction& instruction);
Shape find_load_or_store(const Opcode& opcode, Instruction& instruction);
Shape find_atomic(const Opcode& opcode, Instruction& instruction);
Shape find_control(const Opcode& opcode, Instruction& instruction);
Shape find_warp_wide(const Opcode& opcode, Instruction& instruction);

// Moves depend on their operands, and the binder adds some itself.
void copy_narrow(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void copy_wide(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void copy_mask(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void not_mask(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void narrow_row(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void widen_signed(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void widen_unsigned(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void read_clock(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
/// Joins values of a number of bits, or splits a value into them; the row is that of the joined
/// value.
Handler packing(Row row);
Handler unpacking(Row row);
void run_call(Warp& warp, const Instruction& instruction, std::uint32_t lanes);
void run_return(Warp& warp, const Instruction& instruction, std::uint32_t lanes);

}  // namespace emulator
