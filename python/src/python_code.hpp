// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gil.hpp"
#include "warnings.hpp"

#include <synelix/error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

/// \file
/// Python code that runs during a call: progress functions, sources, sinks and signal handlers.

namespace synelix::python {

/// An exception of Python that crosses threads of the library, which do not hold the GIL.
class PythonFailure : public Error {
 public:
  explicit PythonFailure(nanobind::python_error& error)
      : Error(in_python([&] { return std::string(error.what()); })),
        m_error(new nanobind::python_error(std::move(error)), [](nanobind::python_error* kept) {
          const WithGil held;
          delete kept;
        }) {}
  [[nodiscard]] nanobind::python_error& error() const { return *m_error; }

 private:
  std::shared_ptr<nanobind::python_error> m_error;
};

/// Runs body() with the GIL. Warnings of the call are kept separate from those of calls inside of
/// body.
/// \throws PythonFailure for an exception of Python
template <class Body>
void run_python(const Body& body) {
  const WithGil held;
  const WarningsApart apart;
  std::optional<nanobind::python_error> error;
  try {
    in_python(body);
  } catch (nanobind::python_error& thrown) {
    error.emplace(std::move(thrown));
  }
  if (error) throw PythonFailure(*error);  // not inside the catch block: it runs code of Python
}

}  // namespace synelix::python
