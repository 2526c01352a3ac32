// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

/// \file
/// Errors and warnings. The library throws `Error` on the host, before any launch, and passes
/// warnings to one settable handler. It never prints, exits or aborts.
///
///     sx::set_warning_handler([](std::string_view text) { std::clog << text << '\n'; });
///     try {
///       run();
///     } catch (const sx::BudgetError& error) {
///       use_less_memory();
///     } catch (const sx::Error& error) {
///       std::cerr << error.what() << '\n';  // "ARGUMENT: PROBLEM. REMEDY."
///     }
///
/// Each kind of error has a class, derived from `Error`, and a value of `ErrorKind`, for bindings
/// of other languages.

namespace synelix {

/// What an error is about.
enum class ErrorKind : std::uint8_t {
  argument,  ///< a value that is not supported
  budget,    ///< memory: a budget is too small, the message names the least that works
  file,      ///< a file cannot be read or written, or lacks the requested data
  state,     ///< the call came at a wrong time, or a call of the system fails
  cancelled  ///< the caller ended the call
};

/// What a remedy tells to do, where a program or a binding has other words for it than C++. It then
/// gives its own text in place of `Error::remedy()`.
enum class Remedy : std::uint8_t {
  any,             ///< the words are those of every language
  automatic,       ///< begins with "Use automatic", the value that leaves a choice to the library
  other_input,     ///< use another method for samples, or pass spike trains
  replace_file,    ///< give a new name, or replace the existing file
  append_to_file,  ///< as `replace_file`, or append to the file
  calibrate        ///< move a damaged file of calibrations away, and calibrate
};

/// An unsupported argument, or a failed call of another library. The message names the argument,
/// and says what is wrong with its value and what to do next.
class Error : public std::runtime_error {
 public:
  /// A complete message that names no argument.
  explicit Error(const std::string& message, ErrorKind kind = ErrorKind::argument)
      : std::runtime_error(message), m_kind(kind) {}

  /// "ARGUMENT: PROBLEM. REMEDY.", or "ARGUMENT: PROBLEM." if the remedy is empty. The problem is a
  /// clause with the value in it, such as "10 taps are fewer than the 12 of the basis". The remedy
  /// is a clause with a capital, such as "Use 12 or more". Neither ends with a period.
  Error(std::string_view argument, std::string_view problem, std::string_view remedy,
        ErrorKind kind = ErrorKind::argument, Remedy id = Remedy::any)
      : std::runtime_error(compose(argument, problem, remedy)),
        m_argument_length(argument.size()),
        m_problem_length(problem.size()),
        m_kind(kind),
        m_remedy(id) {}
  /// As above, of ErrorKind::argument.
  Error(std::string_view argument, std::string_view problem, std::string_view remedy, Remedy id)
      : Error(argument, problem, remedy, ErrorKind::argument, id) {}

  /// What the error is about.
  [[nodiscard]] ErrorKind kind() const noexcept { return m_kind; }
  /// What the remedy tells to do.
  [[nodiscard]] Remedy remedy_id() const noexcept { return m_remedy; }
  /// The argument, such as "batch.samples" or the name of a file: where `what()` begins. Empty if
  /// the message names none. Valid during the lifetime of the error.
  [[nodiscard]] std::string_view argument() const noexcept {
    return std::string_view(what()).substr(0, m_argument_length);
  }
  /// The problem, without its period. Empty if the message names no argument.
  [[nodiscard]] std::string_view problem() const noexcept {
    return std::string_view(what()).substr(problem_begin(), m_problem_length);
  }
  /// The remedy, without its period. Empty if there is none, or the message names no argument.
  [[nodiscard]] std::string_view remedy() const noexcept {
    const std::string_view text = what();
    const std::size_t begin = problem_begin() + m_problem_length + 2;  // after ". "
    return m_problem_length == 0 || begin >= text.size()
               ? std::string_view()
               : text.substr(begin, text.size() - begin - 1);
  }

 private:
  [[nodiscard]] std::size_t problem_begin() const noexcept {
    return m_problem_length == 0 ? 0 : m_argument_length + 2;  // after ": "
  }

  static std::string compose(std::string_view argument, std::string_view problem,
                             std::string_view remedy) {
    std::string text(argument);
    text.append(": ").append(problem).append(".");
    if (!remedy.empty()) {
      text.append(" ").append(remedy).append(".");
    }
    for (char& each : text) {
      if (each == '\0') each = '?';  // what() ends at the first NUL
    }
    return text;
  }

  std::size_t m_argument_length = 0;  // no string: copies of an exception must not throw
  std::size_t m_problem_length = 0;
  ErrorKind m_kind = ErrorKind::argument;
  Remedy m_remedy = Remedy::any;
};

/// Memory that is written overlaps the memory of another argument.
class OverlapError : public Error {
 public:
  /// "ARGUMENT: its memory overlaps that of OTHER. REMEDY."
  OverlapError(std::string_view argument, std::string_view other, std::string_view remedy)
      : Error(argument, std::string("its memory overlaps that of ").append(other), remedy),
        m_other_length(other.size()) {}

  /// The other argument. Valid during the lifetime of the error.
  [[nodiscard]] std::string_view other() const noexcept {
    return problem().substr(problem().size() - m_other_length);
  }

 private:
  std::size_t m_other_length = 0;
};

/// A budget that is too small, or memory that cannot be allocated.
class BudgetError : public Error {
 public:
  /// An error of ErrorKind::budget with this message, which names no argument.
  /// \param least  the least budget in bytes that the message names; 0: it names none
  explicit BudgetError(const std::string& message, std::int64_t least = 0)
      : Error(message, ErrorKind::budget), m_least(least) {}
  /// As the constructor of Error with these arguments.
  /// \param least  the least budget in bytes that the remedy names; 0: it names none
  BudgetError(std::string_view argument, std::string_view problem, std::string_view remedy,
              std::int64_t least = 0)
      : Error(argument, problem, remedy, ErrorKind::budget), m_least(least) {}

  /// The least budget in bytes that the message names. 0 if it names none.
  [[nodiscard]] std::int64_t least_bytes() const noexcept { return m_least; }

 private:
  std::int64_t m_least = 0;
};

/// A file that cannot be read or written, or that lacks the requested data.
class FileError : public Error {
 public:
  /// An error of ErrorKind::file with this message, which names no argument.
  explicit FileError(const std::string& message) : Error(message, ErrorKind::file) {}
  /// As the constructor of Error with these arguments.
  FileError(std::string_view argument, std::string_view problem, std::string_view remedy,
            Remedy id = Remedy::any)
      : Error(argument, problem, remedy, ErrorKind::file, id) {}
};

/// A call at a wrong time (for example, Kokkos is not running), or a failed call of the system.
class StateError : public Error {
 public:
  /// An error of ErrorKind::state with this message, which names no argument.
  explicit StateError(const std::string& message) : Error(message, ErrorKind::state) {}
  /// As the constructor of Error with these arguments.
  StateError(std::string_view argument, std::string_view problem, std::string_view remedy)
      : Error(argument, problem, remedy, ErrorKind::state) {}
};

/// The caller ended the call. A stream has written the blocks that were computed before. The
/// results of a call in memory are incomplete.
class Cancelled : public Error {
 public:
  /// A message that says how far the call got.
  explicit Cancelled(const std::string& message) : Error(message, ErrorKind::cancelled) {}
};

/// Receives one sentence for each warning, on the thread that calls the library.
using WarningHandler = std::function<void(std::string_view)>;

/// Sets the handler of all warnings and returns the previous one. An empty handler, which is the
/// default, ignores them. Safe to call from several threads.
WarningHandler set_warning_handler(WarningHandler handler);

/// Passes one warning to the current handler.
void warn(std::string_view message);

}  // namespace synelix
