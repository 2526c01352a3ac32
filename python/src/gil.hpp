// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

#include <cxxabi.h>

#include <utility>

/// \file
/// The GIL, given back and taken. Until Python 3.13, a thread that wants the GIL where Python ends
/// is ended on the spot: glibc unwinds its stack. Nanobind's own guards do not let that through,
/// and end the whole process. These put the thread to sleep until the process is gone, as Python
/// 3.14 does. Do not take the GIL inside a catch block: libstdc++ ends the process where a second
/// exception, such as that unwinding, is caught there.

namespace synelix::python {

/// Sleeps until the process is gone. Call without the GIL.
[[noreturn]] void park();

/// body(), which takes the GIL or runs code of Python. The thread sleeps where Python ends it.
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

/// Whether this thread, which Python has called, has the GIL. (Python's own question is not in its
/// stable interface.)
inline bool& has_gil() {
  thread_local bool has = true;
  return has;
}

/// Gives the GIL back as long as it lives.
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

/// Holds the GIL as long as it lives, on any thread, and on one that holds it already.
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
