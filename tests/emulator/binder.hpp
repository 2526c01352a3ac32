// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Gives the operands of instructions their slots.
#pragma once

#include "module.hpp"
#include "opcode.hpp"
#include "tokens.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emulator {

struct Operand {
  enum Kind : std::uint8_t { nothing, variable, number, special, symbol } kind = nothing;
  std::uint32_t slot = 0;  ///< of a register
  std::uint64_t bits = 0;  ///< of a number; the offset from a symbol
  char form = 'i';
  bool is_negated = false;  ///< !p
  std::string name;
};

/// Operands as in the text; lists are split.
struct Operands {
  std::vector<Operand> to, from;
  bool has_list_to = false, has_list_from = false, has_address = false;
  Operand base;
  std::int64_t offset = 0;
};

/// The slots of one function, and its instructions.
class Binder {
 public:
  static constexpr std::uint32_t sink = 0;    ///< receives unused results
  static constexpr std::uint32_t always = 1;  ///< the mask of all lanes

  Binder(Function& function, Module& module, const Tokens& tokens);

  std::uint32_t add_register(const std::string& type);
  void add_local(const Variable& variable);
  std::size_t add_parameter(std::size_t bytes, std::size_t align);  ///< its offset

  /// Binds the operands and appends the instruction.
  void add(const Opcode& opcode, const Operands& operands, Instruction instruction);
  void append(const Instruction& instruction) { m_function.code.push_back(instruction); }
  std::uint32_t source(const Operand& operand, Row row, const Opcode& opcode);

 private:
  Shape find_move(const Opcode& opcode, const Operands& operands, Instruction& instruction);
  void bind_address(const Operands& operands, Instruction& instruction);
  std::uint32_t add_slot(Slot slot);
  std::uint32_t constant(std::uint64_t bits, Row row);
  std::uint32_t named(const Operand& operand, Row row);
  Slot symbol(const std::string& name);
  /// A slot of that row, with an instruction before or after that converts.
  std::uint32_t converted_source(std::uint32_t slot, Row row, Handler convert);
  std::uint32_t result(const Operand& operand, Row row, const Opcode& opcode);

  Function& m_function;
  Module& m_module;
  const Tokens& m_tokens;
  std::map<std::pair<std::uint64_t, Row>, std::uint32_t> m_constants;
  std::map<std::pair<std::string, Row>, std::uint32_t> m_named;
  std::unordered_map<std::string, std::size_t> m_locals;
  std::vector<Instruction> m_before, m_after;
};

/// Gives the slots of a finished function their places in its frame.
void lay_out_frame(Function& function);

}  // namespace emulator
