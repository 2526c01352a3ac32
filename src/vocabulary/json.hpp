// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// JSON texts (RFC 8259), as far as a small file of settings needs them. The library has no
/// dependency for JSON, because every user of it would have to install that. The program has one,
/// for its reports.

namespace synelix {

/// A value of a JSON text. Numbers keep their text, so that a value that is read and written again
/// is the same.
struct Json {
  enum class Kind : std::uint8_t { null, boolean, number, text, list, object };

  Kind kind = Kind::null;
  std::string name;         ///< of a member of an object
  std::string text;         ///< "true" or "false", a number as it is written, or characters (UTF-8)
  std::vector<Json> items;  ///< of a list or an object, in the order of the text

  static Json of_text(std::string_view characters);
  static Json of_number(double value);
  static Json of_number(std::int64_t value);
  static Json list() { return {.kind = Kind::list, .name = {}, .text = {}, .items = {}}; }
  static Json object() { return {.kind = Kind::object, .name = {}, .text = {}, .items = {}}; }

  /// Appends a member to an object.
  void add(std::string_view member, Json value);
  /// The member of an object, the last one of this name; null where there is none, or no object.
  [[nodiscard]] const Json* find(std::string_view member) const;
  [[nodiscard]] Json* find(std::string_view member);
  /// Whether it is this text.
  [[nodiscard]] bool is_text(std::string_view characters) const {
    return kind == Kind::text && text == characters;
  }
  /// The value of a number; absent for anything else, and for a number that a double cannot hold.
  [[nodiscard]] std::optional<double> number() const;
  /// The value of a number without fraction and exponent; absent for anything else.
  [[nodiscard]] std::optional<std::int64_t> whole_number() const;
};

/// The value of a text; absent where it is no JSON, or is nested more than 64 levels deep.
std::optional<Json> parse_json(std::string_view text);

/// A text that reads back as the value: each item in a line of its own, indented by two blanks for
/// each level. `indented` false: all in one line, for messages.
std::string json_text(const Json& value, bool indented = true);

}  // namespace synelix
