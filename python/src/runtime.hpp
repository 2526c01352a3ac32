// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "gil.hpp"
#include "warnings.hpp"

#include <synelix/choice.hpp>

#include <nanobind/nanobind.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <memory>

/// \file
/// Kokkos inside a Python process: started by the first call that computes, and ended when Python
/// ends. Calls of several Python threads run side by side, each on an instance of its own.

namespace synelix::python {

namespace nb = nanobind;
using Exec = Kokkos::DefaultHostExecutionSpace;

/// For a call that finds Python at its end. The main thread gets the error. Any other sleeps,
/// because its error would only disturb the end. It gives back the GIL, which it has to hold.
/// \throws StateError
[[noreturn]] void refuse_at_end(const char* name);
/// Ends Kokkos: everything that holds its memory lets go first. Called once, by atexit.
void end();
/// Whether Kokkos was started from here, and has not ended.
bool is_running();
/// Calls that compute now.
int calls();
/// Threads of a call that names none; 0: those of OpenMP. Before the start it decides how many
/// there are. \throws Error for a negative number, or more than the threads that run
void set_threads(int threads);
/// Threads of a call that names none. Starts Kokkos where nobody has. Call with the GIL.
/// \throws Error where Python is ending, or this process was forked from one that was computing
int threads();

/// Records Python's main thread, and registers the handlers of fork. Call it at import, before
/// another thread can start Kokkos.
void prepare();
/// Whether this process was forked from one that was computing, and so cannot use Kokkos.
bool is_torn();
/// On Python's main thread, runs its signal handlers: Ctrl-C becomes KeyboardInterrupt. Takes the
/// GIL. Other threads have no signals, and do not wait for the GIL, which a fork holds.
/// \throws PythonFailure
void check_signals();

/// Lets Ctrl-C, and the end of Python, end a call in memory of so many multiply-adds. Short ones
/// are left alone: asking takes the GIL.
Watch watch_of(double work);
/// Becomes true where Python ends: long calls of other threads than its main one stop.
const std::atomic<bool>* ending();

/// An instance of the execution space for one call, out of a pool.
class Lease {
 public:
  /// What the instance is for. A fork waits for calls, and not for plans, which hold theirs while
  /// nothing runs. Leases of calls begin and end without the GIL. Those of plans begin inside a
  /// `Running`, which waits for a fork: waiting once more would keep the fork waiting for it.
  enum class For { call, plan };
  /// \param threads  0: as `threads()`
  explicit Lease(int threads, For use = For::call);
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease();
  const Exec& operator*() const { return *m_exec; }

 private:
  For m_use;
  int m_threads = 0;
  std::unique_ptr<Exec> m_exec;
};

/// Marks that a plan runs, so that a fork waits. Begins and ends without the GIL.
class Running {
 public:
  Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();
};

/// body(exec) without the GIL, then the warnings.
template <class Body>
void compute(int threads, const Body& body) {
  {
    const WithoutGil released;
    const Lease lease(threads);
    body(*lease);
  }
  pass_warnings();
}

/// body(T*) with a null pointer of double or float.
template <class Body>
decltype(auto) for_type(bool is_double, const Body& body) {
  return is_double ? body(static_cast<double*>(nullptr)) : body(static_cast<float*>(nullptr));
}

}  // namespace synelix::python
