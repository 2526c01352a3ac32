// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// \file
/// The options of a command as rows of plain data. `read_words.cpp` passes them to CLI11, and is
/// the only file that includes it. Options that may also be in a table of a design, with the same
/// names, are rows of one table for both: `TableOption`.

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
  /// The heading of the rows that are added after this call; empty: the general one.
  void in_group(std::string name) { m_group = std::move(name); }

  /// The row with this name, for example "--units". It must exist.
  OptionRow& at(const std::string& name);

  [[nodiscard]] const std::deque<OptionRow>& all() const { return m_rows; }

 private:
  std::deque<OptionRow> m_rows;
  std::string m_group;
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

using Text = const std::string&;

/// An option of a request.
template <class Request>
struct TableOption {
  const char* name;
  const char* value;  ///< its value; empty: a flag
  const char* group;
  const char* description;
  void (*set)(Request& request, Text text);

  [[nodiscard]] bool is_flag() const { return *value == '\0'; }
};

/// Adds an option to the command line. Given options are recorded in `request.given`.
template <class Request>
void add_table_option(OptionRows& rows, Request& request, const TableOption<Request>& option) {
  const std::string name = "--" + std::string(option.name);
  const auto take = [&request, &option, name](const std::string& text) {
    try {
      option.set(request, option.is_flag() ? std::string() : text);
    } catch (const Error& error) {
      throw UsageError(name, error.what());
    }
    request.given.emplace_back(option.name);
  };
  const OptionKind kind = option.is_flag()    ? OptionKind::flag
                          : name == "--where" ? OptionKind::repeated
                                              : OptionKind::table;
  rows.add({.names = name,
            .kind = kind,
            .value = option.value,
            .description = option.description,
            .take = take,
            .group = option.group});
}

/// The option with a name; null: none.
template <class Request>
const TableOption<Request>* find_option(std::span<const TableOption<Request>> options,
                                        std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const auto& known) { return known.name == name; });
  return found == options.end() ? nullptr : &*found;
}

/// Appends the names of options to `names`, separated by commas.
template <class Request>
std::string with_names(std::string names, std::span<const TableOption<Request>> options) {
  for (const auto& option : options)
    names += (names.empty() ? "" : ", ") + std::string(option.name);
  return names;
}

/// Applies an entry of a design, unless the command line has that option.
/// Throws Error with the place of the entry.
template <class Request>
void take_entry(const DesignOption& entry, const TableOption<Request>& option, Request& request) {
  if (option.is_flag() != entry.flag.has_value()) {
    throw Error(entry.place,
                option.is_flag() ? "'" + entry.text + "' is neither true nor false"
                                 : "true and false are not values of this option",
                option.is_flag() ? "Give true or false" : "Give " + std::string(option.value));
  }
  if (option.is_flag() && !*entry.flag) return;
  const auto& given = request.given;
  if (std::find(given.begin(), given.end(), entry.name) != given.end()) return;
  try {
    option.set(request, entry.text);
  } catch (const Error& error) {
    throw Error(entry.place + ": " + error.what());
  }
}

}  // namespace synelix::tool
