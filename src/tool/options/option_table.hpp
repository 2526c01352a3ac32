// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/options/option_rows.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Options that may be on the command line and, with the same names, in a table of a design. One
/// table of `TableOption` is used for both.

namespace synelix::tool {

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
