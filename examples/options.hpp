// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <charconv>
#include <map>
#include <string>
#include <system_error>
#include <utility>

/// \file
/// Options of an example's command line: names, each followed by a value.

namespace examples {

/// The values of the command line, and the defaults of missing options.
class Options {
 public:
  /// Throws an Error if an argument is not one of the names of `defaults`, or has no value.
  Options(std::map<std::string, std::string> defaults, int argc, char* argv[])
      : m_values(std::move(defaults)) {
    for (int i = 1; i < argc; i += 2) {
      if (m_values.count(argv[i]) == 0 || i + 1 == argc) {
        throw synelix::Error("arguments", std::string(argv[i]) + " is no option, or has no value",
                             "Valid are those at the head of this file, each with a value");
      }
      m_values[argv[i]] = argv[i + 1];
    }
  }

  [[nodiscard]] const std::string& operator[](const std::string& name) const {
    return m_values.at(name);
  }
  /// The integer value of an option. Throws an Error if it is not an integer, or if it is less than
  /// `least`.
  [[nodiscard]] int number(const std::string& name, int least) const {
    const std::string& text = m_values.at(name);
    const char* end = text.data() + text.size();
    int value = 0;
    const auto [behind, status] = std::from_chars(text.data(), end, value);
    if (status != std::errc() || behind != end || value < least) {
      throw synelix::Error(
          name, text + " is not enough, or not a whole number",
          "Give a whole number of " + std::to_string(least) + " or more, below 2^31");
    }
    return value;
  }

 private:
  std::map<std::string, std::string> m_values;
};

}  // namespace examples
