// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

/// \file
/// What goes wrong, and how the caller hears of it. The library throws `Error` on the host, before
/// any launch, and hands warnings to one settable handler; it never prints, exits or aborts.
///
///     sx::set_warning_handler([](std::string_view text) { std::clog << text << '\n'; });
///     try {
///       run();
///     } catch (const sx::Error& error) {
///       std::cerr << error.what() << '\n';  // "ARGUMENT: PROBLEM. REMEDY."
///     }

namespace synelix {

/// An argument that cannot be served, or a failing call of a library below.
/// The message names the argument, and says what is wrong with its value and what to do next.
class Error : public std::runtime_error {
 public:
  /// A message that says everything itself.
  explicit Error(const std::string& message) : std::runtime_error(message) {}

  /// "ARGUMENT: PROBLEM. REMEDY.", or "ARGUMENT: PROBLEM." where the remedy is empty. The problem
  /// is a clause with the value in it, such as "10 taps are fewer than the 12 of the basis". The
  /// remedy is a clause with a capital, such as "Use 12 or more". Neither ends with a period.
  Error(std::string_view argument, std::string_view problem, std::string_view remedy)
      : std::runtime_error(compose(argument, problem, remedy)) {}

 private:
  static std::string compose(std::string_view argument, std::string_view problem,
                             std::string_view remedy) {
    std::string text(argument);
    text.append(": ").append(problem).append(".");
    if (!remedy.empty()) {
      text.append(" ").append(remedy).append(".");
    }
    return text;
  }
};

/// Receives one sentence for each warning, on the thread that calls the library.
using WarningHandler = std::function<void(std::string_view)>;

/// Sets the handler of all warnings and returns the one before it. An empty handler, which is the
/// default, ignores them. Safe to call from several threads.
WarningHandler set_warning_handler(WarningHandler handler);

/// Hands one warning to the handler that is set.
void warn(std::string_view message);

}  // namespace synelix
