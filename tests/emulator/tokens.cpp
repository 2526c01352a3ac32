// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tokens.hpp"

#include <cctype>
#include <cstdlib>
#include <stdexcept>

namespace emulator {
namespace {

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '%' ||
         c == '.';
}

}  // namespace

Tokens::Tokens(const std::string& text)
    : m_first(text.c_str()), m_at(m_first), m_last(m_first + text.size()), m_begin(m_first) {
  advance();
}

void Tokens::fail(const std::string& what) const {
  throw std::runtime_error("PTX line " + std::to_string(m_line) + ": " + what + ", at '" +
                           m_token.value + "'");
}

bool Tokens::is_label() const { return *m_at == ':' && m_at[1] != ':'; }

void Tokens::skip() {
  for (;;) {
    while (m_at < m_last && std::isspace(static_cast<unsigned char>(*m_at)) != 0) {
      m_line += *m_at++ == '\n' ? 1 : 0;
    }
    if (m_at + 1 >= m_last || *m_at != '/' || (m_at[1] != '/' && m_at[1] != '*')) return;
    if (m_at[1] == '/') {
      while (m_at < m_last && *m_at != '\n') ++m_at;
      continue;
    }
    while (m_at + 1 < m_last && (*m_at != '*' || m_at[1] != '/')) {
      m_line += *m_at++ == '\n' ? 1 : 0;
    }
    m_at += 2;
  }
}

void Tokens::read_number() {
  m_token.kind = Token::number;
  const char letter = *m_at == '0' ? static_cast<char>(std::tolower(m_at[1])) : ' ';
  char* end = nullptr;
  if ((letter == 'f' || letter == 'd') && std::isxdigit(static_cast<unsigned char>(m_at[2])) != 0) {
    m_token.form = letter;
    m_token.bits = std::strtoull(m_at + 2, &end, 16);
    m_at = end;
    return;
  }
  m_token.bits = std::strtoull(m_at, &end, 0);
  m_at = end;
  if (*m_at == '.' && is_digit(m_at[1])) {  // of .version
    ++m_at;
    while (is_digit(*m_at)) ++m_at;
  }
  if (*m_at == 'U') ++m_at;
}

void Tokens::read_word() {
  m_token.kind = Token::word;
  while (m_at < m_last && is_of_word(*m_at)) ++m_at;
  while (m_at + 2 < m_last && *m_at == ':' && m_at[1] == ':') {  // .shared::cta
    m_at += 2;
    while (m_at < m_last && is_of_word(*m_at)) ++m_at;
  }
}

void Tokens::advance() {
  skip();
  m_token = {};
  m_begin = m_at;
  if (m_at >= m_last || *m_at == '\0') return;
  if (is_digit(*m_at)) {
    read_number();
  } else if (is_of_word(*m_at)) {
    read_word();
  } else if (*m_at == '"') {
    m_token.kind = Token::text;
    do ++m_at;
    while (m_at < m_last && *m_at != '"');
    m_token.value.assign(m_begin + 1, m_at);
    ++m_at;
    return;
  } else {
    m_token.kind = Token::mark;
    ++m_at;
  }
  m_token.value.assign(m_begin, m_at);
}

bool Tokens::is(const char* value) const {
  return m_token.kind != Token::text && m_token.value == value;
}

bool Tokens::take(const char* value) {
  if (!is(value)) return false;
  advance();
  return true;
}

void Tokens::expect(const char* value) {
  if (!take(value)) fail(std::string("expected ") + value);
}

std::string Tokens::word() {
  if (m_token.kind != Token::word) fail("expected a word");
  std::string value = m_token.value;
  advance();
  return value;
}

std::int64_t Tokens::integer() {
  const bool is_negative = take("-");
  if (m_token.kind != Token::number) fail("expected a number");
  const auto value = static_cast<std::int64_t>(m_token.bits);
  advance();
  return is_negative ? -value : value;
}

}  // namespace emulator
