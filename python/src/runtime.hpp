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
/// ends. Calls of several Python threads run concurrently, each on its own instance.

namespace synelix::python {

namespace nb = nanobind;
/// The host computes on arrays of the host, even in a build for a device.
using Exec = Kokkos::DefaultHostExecutionSpace;
/// The device computes on arrays in its memory. In a build without CUDA, this is a name for the
/// host.
#ifdef KOKKOS_ENABLE_CUDA
using DeviceExec = Kokkos::Cuda;
#else
using DeviceExec = Exec;
#endif
inline constexpr bool has_device = !std::is_same_v<Exec, DeviceExec>;

/// The memory of a call's arrays, which determines where it computes.
enum class Memory : std::uint8_t { host, device };

/// For a call at the end of Python. The main thread gets the error. Any other thread sleeps,
/// because its error would only disturb the end. It releases the GIL, which it must hold.
/// \throws StateError
[[noreturn]] void refuse_at_end(const char* name);
/// Ends Kokkos, after all owners have released its memory. Called once, by atexit.
void end();
/// Whether Kokkos was started from here, and has not ended.
bool is_running();
/// Number of calls that compute now.
int calls();
/// Sets the threads of a call without a number; 0: those of OpenMP. Before the start it determines
/// how many there are. \throws Error for a negative number, or more than the threads that run
void set_threads(int threads);
/// Threads of a call without a number. Starts Kokkos if necessary. Call with the GIL.
/// \throws Error if Python is ending, or this process was forked from one that was computing
int threads();

/// Records Python's main thread, and registers the fork handlers. Call it at import, before another
/// thread can start Kokkos.
void prepare();
/// Whether this process was forked from one that was computing, and so cannot use Kokkos.
bool is_torn();
/// On Python's main thread, runs its signal handlers: Ctrl-C becomes KeyboardInterrupt. Acquires
/// the GIL. Other threads get no signals, and do not wait for the GIL, which a fork holds.
/// \throws PythonFailure
void check_signals();

/// Lets Ctrl-C, and the end of Python, end a call on arrays in memory with this many multiply-adds.
/// Short calls are not watched, because each check acquires the GIL.
Watch watch_of(double work);
/// Becomes true when Python ends: long calls of threads other than its main one stop.
const std::atomic<bool>* ending();

/// The use of an instance. A fork waits for calls, but not for plans, which keep their instance
/// while nothing runs. Leases of calls begin and end without the GIL. Those of plans begin inside a
/// `Running`, which waits for a fork: a second wait would be a deadlock.
enum class LeaseFor : std::uint8_t { call, plan };

/// An instance of an execution space for one call, from a pool.
template <class Space>
class LeaseOn {
 public:
  using For = LeaseFor;
  /// \param threads 0: as `threads()`; a device uses all of its threads
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

/// On a device, for a call without the GIL: makes the device of this process current in the thread,
/// and waits for the caller's streams.
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

/// Runs body() without the GIL, while forks wait; then shows the warnings.
template <class Body>
void run_in_flight(const Body& body) {
  {
    const WithoutGil released;
    const Running running;
    body();
  }
  pass_warnings();
}

/// Runs body(exec) on the host, without the GIL; then shows the warnings.
template <class Body>
void compute(int threads, const Body& body) {
  {
    const WithoutGil released;
    const Lease lease(threads);
    body(*lease);
  }
  pass_warnings();
}

/// The same in the memory of the arrays. On a device, it waits for the caller's streams before, and
/// for the result after.
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

/// Calls body(T*) with a null pointer of double or float.
template <class Body>
decltype(auto) for_type(bool is_double, const Body& body) {
  return is_double ? body(static_cast<double*>(nullptr)) : body(static_cast<float*>(nullptr));
}

}  // namespace synelix::python
