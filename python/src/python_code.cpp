// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "python_code.hpp"

#include <string>
#include <utility>

namespace synelix::python {

PythonFailure::PythonFailure(nanobind::python_error& error)
    : Error(in_python([&] { return std::string(error.what()); })),
      m_error(new nanobind::python_error(std::move(error)), [](nanobind::python_error* kept) {
        const WithGil held;
        delete kept;
      }) {}

}  // namespace synelix::python
