// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Parts of a PTX text that occur both in modules and in functions.
#pragma once

#include "module.hpp"
#include "tokens.hpp"

#include <map>
#include <string>
#include <tuple>

namespace emulator {

class Declarations {
 public:
  Declarations(Tokens& tokens, Module& module) : m_tokens(tokens), m_module(module) {}

  void read_file();          ///< after .file
  int read_location();       ///< .loc: the number of a place
  Variable read_variable();  ///< from its space on; with the semicolon, except for parameters

 private:
  void read_type(Variable& variable, std::size_t& bytes);
  void read_initial(Variable& variable, std::size_t bytes);

  Tokens& m_tokens;
  Module& m_module;
  std::map<std::tuple<int, int, int>, int> m_place_of;
};

/// Bytes of ".b8", "b8", ".f64"; 0: no type.
std::size_t bytes_of_type(const std::string& type);

}  // namespace emulator
