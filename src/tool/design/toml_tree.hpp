// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// A TOML document as plain values with their lines; and `Section`: a table that is read key by
/// key, whose errors give the place of a fault.

namespace synelix::tool {

struct TomlEntry;

/// A value of a document.
struct TomlValue {
  enum class Kind : std::uint8_t { text, number, flag, list, table };
  Kind kind = Kind::table;
  std::int64_t line = 0;
  std::string text;                ///< of text, number and flag
  std::vector<TomlValue> items;    ///< of a list
  std::vector<TomlEntry> entries;  ///< of a table, in their order

  /// The value of a key; null if a table has none.
  [[nodiscard]] const TomlValue* find(std::string_view key) const;
};

/// A key of a table and its value.
struct TomlEntry {
  std::string key;
  TomlValue value;
};

/// The kind of a value, for messages: "a list".
std::string_view kind_text(const TomlValue& value);

/// A value without blanks, comments and lines: two documents with the same text are equivalent.
std::string plain_text(const TomlValue& value);

/// Reads a document; `file` is for messages. Throws Error with file and line.
TomlValue parse_toml(std::string_view text, const std::string& file);

/// A table of a document. All its exceptions are Errors that begin with FILE:LINE: HEADING KEY.
class Section {
 public:
  Section(const TomlValue& table, std::string heading, std::string file);

  [[nodiscard]] const std::string& heading() const { return m_heading; }
  [[nodiscard]] const std::string& file() const { return m_file; }
  [[nodiscard]] const TomlValue& table() const { return *m_table; }
  [[nodiscard]] bool has(std::string_view key) const { return m_table->find(key) != nullptr; }

  /// FILE:LINE: HEADING, of the table or of one of its keys.
  [[nodiscard]] std::string place() const;
  [[nodiscard]] std::string place(std::string_view key) const;

  /// Throws if there is another key than these.
  void require_only(const std::vector<std::string_view>& allowed) const;
  /// Throws if a key is missing.
  void require(std::string_view key, std::string_view what) const;
  /// Throws Error("PLACE KEY: PROBLEM. REMEDY.").
  [[noreturn]] void refuse(std::string_view key, std::string_view problem,
                           std::string_view remedy) const;

  /// The text of a value, including numbers, as it is written.
  [[nodiscard]] std::string text(std::string_view key) const;
  /// Whether the key exists and is true.
  [[nodiscard]] bool flag(std::string_view key) const;
  /// The entries of a list as text; a single value is a list of one.
  [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
  /// A list or a table.
  [[nodiscard]] const TomlValue& list(std::string_view key) const;

  /// Text converted by a parser that throws Error; absent if the key is absent.
  template <class Target, class Parse>
  void read(std::string_view key, Target& target, const Parse& parse) const {
    if (!has(key)) return;
    const std::string found = text(key);
    guarded(key, [&] { target = parse(found); });
  }
  /// Runs a call, and prepends the place to its Errors.
  template <class Call>
  void guarded(std::string_view key, const Call& call) const;

 private:
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;
  [[nodiscard]] const TomlValue& value(std::string_view key) const;

  const TomlValue* m_table;
  std::string m_heading;
  std::string m_file;
};

template <class Call>
void Section::guarded(std::string_view key, const Call& call) const {
  std::string message;
  try {
    call();
    return;
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  fail(key, message);
}

}  // namespace synelix::tool
