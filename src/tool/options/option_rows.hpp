// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <cstdint>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// \file
/// The options of a command as rows of plain data. `read_words.cpp` passes them to CLI11, and is
/// the only file that includes it.

namespace synelix::tool {

/// A fault in the words of a command line. It is not an Error, so an option that adds its name to
/// an Error does not change it.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  UsageError(const std::string& option, const std::string& problem)
      : std::runtime_error(option + ": " + problem) {}
};

/// The value of an option.
enum class OptionKind : std::uint8_t {
  flag,      ///< nothing
  text,      ///< one value
  table,     ///< one value, which may be in brackets, like a list in a file
  repeated,  ///< one value; the option may be repeated
  rest,      ///< all further words
  config     ///< the name of a file with options
};

/// An option of a command, or a positional argument.
struct OptionRow {
  std::string names;  ///< "-o,--output"; for a positional argument "OUT"
  OptionKind kind = OptionKind::text;
  std::string value = {};  ///< placeholder of the value in the help; empty: a flag
  std::string description = {};
  /// Takes a value; "true" for a flag. Throws UsageError.
  std::function<void(const std::string& text)> take = {};
  std::string group = {};     ///< its heading in the help; empty: the general one
  std::string excluded = {};  ///< an option that it cannot be combined with; empty: none
  bool is_hidden = false;     ///< from the help
  bool is_required = false;
  bool is_configurable = true;  ///< whether a file of --config may have it

  OptionRow& in_group(std::string name) {
    group = std::move(name);
    return *this;
  }
  OptionRow& required() {
    is_required = true;
    return *this;
  }
  OptionRow& only_on_the_command_line() {
    is_configurable = false;
    return *this;
  }
};

/// The options of a command, in the order of the help. References to rows stay valid.
class OptionRows {
 public:
  OptionRow& add_flag(const std::string& names, std::function<void()> set,
                      const std::string& description);
  OptionRow& add_flag(const std::string& names, bool& flag, const std::string& description);
  OptionRow& add_text(const std::string& names, std::string& target, const std::string& value,
                      const std::string& description);
  /// \param kind  of an option whose values are appended to `target`
  OptionRow& add_texts(const std::string& names, OptionKind kind, std::vector<std::string>& target,
                       const std::string& value, const std::string& description);
  OptionRow& add(OptionRow row);

  /// The row with this name, for example "--units". It must exist.
  OptionRow& at(const std::string& name);

  [[nodiscard]] const std::deque<OptionRow>& all() const { return m_rows; }

 private:
  std::deque<OptionRow> m_rows;
};

/// Adds an option whose text is converted by a parser that throws Error.
template <class Target, class Parse>
OptionRow& add_parsed(OptionRows& rows, const std::string& names, Target& target, Parse parse,
                      const std::string& value, const std::string& description) {
  const auto take = [&target, parse,
                     name = names.substr(names.rfind(',') + 1)](const std::string& text) {
    try {
      target = parse(text);
    } catch (const Error& error) {
      throw UsageError(name, error.what());
    }
  };
  return rows.add({.names = names, .value = value, .description = description, .take = take});
}

/// A command: the text of its help, and its options.
struct CommandRows {
  std::string name;  ///< "synelix convolve"
  std::string description;
  std::string footer = {};
  OptionRows options = {};
  std::vector<std::pair<std::string, std::string>> commands = {};  ///< names and descriptions
};

}  // namespace synelix::tool
