// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

#include <cxxabi.h>

#include <utility>

/// \file
/// Releases and acquires the GIL. Until Python 3.13, a thread that requests the GIL while Python
/// ends is terminated: glibc unwinds its stack. Nanobind's own guards do not allow that, and end
/// the entire process. These guards put the thread to sleep until the process ends, as Python 3.14
/// does. Do not acquire the GIL inside a catch block: libstdc++ ends the process if a second
/// exception, for example that unwinding, is caught there.

namespace synelix::python {

/// Sleeps until the process ends. Call without the GIL.
[[noreturn]] void park();

/// Runs body(), which acquires the GIL or runs Python code. If Python ends the thread, it sleeps.
template <class Body>
decltype(auto) in_python(Body&& body) {
#ifdef __GLIBCXX__
  try {
    return std::forward<Body>(body)();
  } catch (abi::__forced_unwind&) {
    park();
  }
#else
  return std::forward<Body>(body)();
#endif
}

/// Whether this thread, which Python has called, has the GIL. (Python's own function is not in its
/// stable interface.)
inline bool& has_gil() {
  thread_local bool has = true;
  return has;
}

/// Releases the GIL for its lifetime.
class WithoutGil {
 public:
  WithoutGil() : m_state(PyEval_SaveThread()) { has_gil() = false; }
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil() {
    in_python([this] { PyEval_RestoreThread(m_state); });
    has_gil() = true;
  }

 private:
  PyThreadState* m_state;
};

/// Holds the GIL for its lifetime, on any thread, including one that already holds it.
class WithGil {
 public:
  WithGil() : m_state(in_python([] { return PyGILState_Ensure(); })), m_had(has_gil()) {
    has_gil() = true;
  }
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil() {
    has_gil() = m_had;
    PyGILState_Release(m_state);
  }

 private:
  PyGILState_STATE m_state;
  bool m_had;
};

}  // namespace synelix::python
