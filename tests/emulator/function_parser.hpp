// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Parses one function of a module.
#pragma once

#include "binder.hpp"
#include "declarations.hpp"
#include "module.hpp"
#include "tokens.hpp"

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace emulator {

class FunctionParser {
 public:
  FunctionParser(Tokens& tokens, Declarations& declarations, Module& module);
  /// Reads a function, beginning with .entry or .func. Calls contain only the names of functions.
  std::unique_ptr<Function> read();

 private:
  struct Scope {
    std::unordered_map<std::string, std::uint32_t> registers;
    std::unordered_map<std::string, std::size_t> parameters;  // offsets in the frame
  };

  void read_head();
  void read_bounds();
  std::vector<Parameter> read_parameters();
  void read_body();
  bool read_declaration();
  void read_registers();
  void read_variable();
  void read_label();
  void read_instruction();
  void read_operands(const Opcode& opcode, Operands& operands);
  Operand read_operand(bool in_address = false);
  void read_list(std::vector<Operand>& list);
  void read_address(Operands& operands);
  void read_call(Instruction& instruction);
  void add_parameter_name(Call& call, bool is_result);
  void read_branch(const Opcode& opcode, Instruction& instruction);
  void resolve_labels();

  const std::uint32_t* find_register(const std::string& name) const;
  const std::size_t* find_parameter(const std::string& name) const;

  Tokens& m_tokens;
  Declarations& m_declarations;
  Module& m_module;
  std::unique_ptr<Function> m_function;
  Binder m_binder;
  std::vector<Scope> m_scopes{1};
  std::unordered_map<std::string, std::int32_t> m_labels;
  std::unordered_map<std::string, std::vector<std::string>> m_label_lists;
  std::vector<std::pair<std::size_t, std::string>> m_branches, m_indexed;
  int m_place = -1;
};

}  // namespace emulator
