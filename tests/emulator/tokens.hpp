// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// The words of a PTX text.
#pragma once

#include <cstdint>
#include <string>

namespace emulator {

struct Token {
  enum Kind : std::uint8_t { end, word, number, text, mark } kind = end;
  std::string value;
  std::uint64_t bits = 0;
  char form = 'i';  ///< of a number: i integer, f bits of a float, d bits of a double
};

/// Reads one token after the other.
class Tokens {
 public:
  explicit Tokens(const std::string& text);

  const Token& token() const { return m_token; }
  std::uint32_t line() const { return m_line; }
  /// The beginning of the token, and the beginning of the text after it.
  std::uint32_t begin() const { return static_cast<std::uint32_t>(m_begin - m_first); }
  bool is_label() const;  ///< a colon follows the token

  void advance();
  bool is(const char* value) const;
  bool take(const char* value);
  void expect(const char* value);
  std::string word();
  std::int64_t integer();

  [[noreturn]] void fail(const std::string& what) const;

 private:
  void skip();
  void read_number();
  void read_word();

  const char *m_first, *m_at, *m_last, *m_begin;
  std::uint32_t m_line = 1;
  Token m_token;
};

}  // namespace emulator
