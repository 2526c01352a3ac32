// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "declarations.hpp"

#include <algorithm>
#include <cstring>

namespace emulator {

std::size_t bytes_of_type(const std::string& type) {
  if (type.find("pred") != std::string::npos) return 1;
  const std::size_t at = type.find_last_not_of("0123456789");
  if (at == std::string::npos || at + 1 >= type.size()) return 0;
  return std::stoul(type.substr(at + 1)) / 8;
}

void Declarations::read_file() {
  const auto number = static_cast<std::size_t>(m_tokens.integer());
  if (m_module.files.size() <= number) m_module.files.resize(number + 1);
  m_module.files[number] = m_tokens.token().value;
  m_tokens.advance();
  while (m_tokens.take(",")) m_tokens.integer();
}

int Declarations::read_location() {
  m_tokens.expect(".loc");
  const auto read_place = [this] {
    Place place{};
    place.file = static_cast<int>(m_tokens.integer());
    place.line = static_cast<int>(m_tokens.integer());
    place.column = static_cast<int>(m_tokens.integer());
    place.parent = -1;
    return place;
  };
  const auto key_of = [](const Place& p) { return std::tuple(p.file, p.line, p.column); };
  const auto add = [this](const Place& place) {
    m_module.places.push_back(place);
    return static_cast<int>(m_module.places.size()) - 1;
  };
  Place place = read_place();
  if (m_tokens.take(",")) {
    m_tokens.expect("function_name");
    m_tokens.word();
    if (m_tokens.take("+")) m_tokens.integer();
    m_tokens.expect(",");
    m_tokens.expect("inlined_at");
    const Place parent = read_place();
    const auto found = m_place_of.find(key_of(parent));
    place.parent = found != m_place_of.end() ? found->second : add(parent);
  }
  const int number = add(place);
  m_place_of[key_of(place)] = number;
  return number;
}

void Declarations::read_type(Variable& variable, std::size_t& bytes) {
  for (;;) {
    if (m_tokens.take(".align")) {
      variable.align = static_cast<std::size_t>(m_tokens.integer());
    } else if (m_tokens.take(".attribute")) {
      m_tokens.expect("(");
      while (!m_tokens.take(")")) m_tokens.advance();
    } else if (m_tokens.take(".ptr")) {
      while (m_tokens.is(".global") || m_tokens.is(".shared") || m_tokens.is(".const") ||
             m_tokens.is(".local")) {
        m_tokens.advance();
      }
    } else if (m_tokens.token().kind == Token::word && m_tokens.token().value[0] == '.') {
      bytes = bytes_of_type(m_tokens.word());
    } else {
      return;
    }
  }
}

Variable Declarations::read_variable() {
  Variable variable;
  const std::string space = m_tokens.word();
  variable.space = space == ".shared"  ? Space::shared
                   : space == ".const" ? Space::constant
                   : space == ".local" ? Space::local
                   : space == ".param" ? Space::param
                                       : Space::global;
  std::size_t bytes = 0;
  read_type(variable, bytes);
  variable.align = std::max(variable.align, bytes);
  variable.name = m_tokens.word();
  std::size_t count = 1;
  while (m_tokens.take("[")) {
    count *= m_tokens.is("]") ? 0 : static_cast<std::size_t>(m_tokens.integer());
    m_tokens.expect("]");
  }
  variable.bytes = bytes * count;
  if (m_tokens.take("=")) {
    read_initial(variable, bytes);
    if (variable.bytes == 0) variable.bytes = variable.initial.size();
    variable.initial.resize(variable.bytes);
  }
  if (variable.space != Space::param) m_tokens.take(";");
  return variable;
}

void Declarations::read_initial(Variable& variable, std::size_t bytes) {
  if (m_tokens.take("{")) {
    if (!m_tokens.is("}")) {
      do read_initial(variable, bytes);
      while (m_tokens.take(","));
    }
    m_tokens.expect("}");
    return;
  }
  std::uint64_t bits = 0;
  if (m_tokens.token().kind == Token::word) {
    std::string name = m_tokens.word();
    if (name == "generic") {
      m_tokens.expect("(");
      name = m_tokens.word();
      m_tokens.expect(")");
    }
    variable.addresses.emplace_back(variable.initial.size(), name);
    if (m_tokens.take("+")) bits = static_cast<std::uint64_t>(m_tokens.integer());
  } else if (m_tokens.token().form == 'i') {
    bits = static_cast<std::uint64_t>(m_tokens.integer());
  } else {
    bits = m_tokens.token().bits;
    m_tokens.advance();
  }
  const std::size_t at = variable.initial.size();
  variable.initial.resize(at + bytes);
  std::memcpy(variable.initial.data() + at, &bits, std::min<std::size_t>(bytes, 8));
}

}  // namespace emulator
