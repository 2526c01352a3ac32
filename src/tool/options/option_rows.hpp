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
/// The options of a command as rows of plain data. `read_words.cpp` gives them to CLI11, and is the
/// only file that includes it.

namespace synelix::tool {

/// What is wrong with the words of a command line. It is no Error: an option that adds its name to
/// an Error leaves it alone.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  UsageError(const std::string& option, const std::string& problem)
      : std::runtime_error(option + ": " + problem) {}
};

/// What stands behind the name of an option.
enum class OptionKind : std::uint8_t {
  flag,      ///< nothing
  text,      ///< one value
  table,     ///< one value, which may be in brackets, as in a list of a file
  repeated,  ///< one value, and the option may stand several times
  rest,      ///< all further words
  config     ///< the name of a file with options
};

/// An option of a command, or a positional argument.
struct OptionRow {
  std::string names;  ///< "-o,--output"; of a positional argument "OUT"
  OptionKind kind = OptionKind::text;
  std::string value = {};  ///< what stands for the value in the help; empty: a flag
  std::string description = {};
  /// Takes a value, of a flag "true". Throws UsageError.
  std::function<void(const std::string& text)> take = {};
  std::string group = {};     ///< its heading in the help; empty: that of all others
  std::string excluded = {};  ///< an option that cannot stand beside it; empty: none
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

  /// The row with this name, such as "--units". There has to be one.
  OptionRow& at(const std::string& name);

  [[nodiscard]] const std::deque<OptionRow>& all() const { return m_rows; }

 private:
  std::deque<OptionRow> m_rows;
};

/// Adds an option whose text goes through a parser that throws Error.
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

/// A command: what its help says, and its options.
struct CommandRows {
  std::string name;  ///< "synelix convolve"
  std::string description;
  std::string footer = {};
  OptionRows options = {};
  std::vector<std::pair<std::string, std::string>> commands = {};  ///< names and descriptions
};

}  // namespace synelix::tool
