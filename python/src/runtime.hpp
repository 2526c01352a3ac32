// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device_calls.hpp"
#include "gil.hpp"
#include "warnings.hpp"

#include <synelix/choice.hpp>

#include <nanobind/nanobind.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

/// \file
/// Kokkos inside a Python process: started by the first call that computes, and ended when Python
/// ends. Calls of several Python threads run side by side, each on an instance of its own.

namespace synelix::python {

namespace nb = nanobind;
/// The host computes on arrays of the host, also in a build for a device.
using Exec = Kokkos::DefaultHostExecutionSpace;
/// The device computes on arrays in its memory. In a build without CUDA, a name for the host.
#ifdef KOKKOS_ENABLE_CUDA
using DeviceExec = Kokkos::Cuda;
#else
using DeviceExec = Exec;
#endif
inline constexpr bool has_device = !std::is_same_v<Exec, DeviceExec>;

/// Which memory the arrays of a call lie in, and so where it computes.
enum class Memory : std::uint8_t { host, device };

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

/// What an instance is for. A fork waits for calls, and not for plans, which hold theirs while
/// nothing runs. Leases of calls begin and end without the GIL. Those of plans begin inside a
/// `Running`, which waits for a fork: waiting once more would keep the fork waiting for it.
enum class LeaseFor : std::uint8_t { call, plan };

/// An instance of an execution space for one call, out of a pool.
template <class Space>
class LeaseOn {
 public:
  using For = LeaseFor;
  /// \param threads  0: as `threads()`; a device has all of its own
  explicit LeaseOn(int threads, For use = For::call);
  LeaseOn(const LeaseOn&) = delete;
  LeaseOn& operator=(const LeaseOn&) = delete;
  ~LeaseOn();
  const Space& operator*() const { return *m_exec; }

 private:
  For m_use;
  int m_threads = 0;
  std::unique_ptr<Space> m_exec;
};
using Lease = LeaseOn<Exec>;

/// Marks that a plan runs, so that a fork waits. Begins and ends without the GIL.
class Running {
 public:
  Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  ~Running();
};

/// On a device, for a call without the GIL: its thread uses the device of this process, and what
/// streams of the caller do with the arrays is done.
template <class Space>
struct At {
  At() {}  // NOLINT(modernize-use-equals-default): a variable of it is used
};
#ifdef KOKKOS_ENABLE_CUDA
template <>
struct At<DeviceExec> {
  At() { wait_for_arrivals(); }
  OnDevice device;
};
#endif

/// body(exec) on the host, without the GIL, then the warnings.
template <class Body>
void compute(int threads, const Body& body) {
  {
    const WithoutGil released;
    const Lease lease(threads);
    body(*lease);
  }
  pass_warnings();
}

/// The same where the arrays lie. On a device, what streams of the caller do with the arrays is
/// done before, and the result is there behind it.
template <class Body>
void compute_in(Memory memory, int threads, const Body& body) {
  if constexpr (has_device) {
    if (memory == Memory::device) {
      {
        const WithoutGil released;
        const LeaseOn<DeviceExec> lease(threads);
        const At<DeviceExec> here;
        body(*lease);
        (*lease).fence("synelix: the result is there");
      }
      return pass_warnings();
    }
  }
  compute(threads, body);
}

/// body(T*) with a null pointer of double or float.
template <class Body>
decltype(auto) for_type(bool is_double, const Body& body) {
  return is_double ? body(static_cast<double*>(nullptr)) : body(static_cast<float*>(nullptr));
}

}  // namespace synelix::python
