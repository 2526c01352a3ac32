// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.hpp"

#include "kept.hpp"
#include "python_code.hpp"

#include <synelix/error.hpp>
#include <synelix/kokkos_settings.hpp>
#include <synelix/session.hpp>

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>
#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace synelix::python {
namespace {

/// The state of this file. Never destroyed: Python objects may outlive static objects.
struct Runtime {
  std::mutex mutex;
  std::condition_variable changed;
  bool has_started = false;
  bool is_ours = false;  ///< Kokkos was initialized here, and so is finalized here
  bool has_ended = false;
  std::atomic<bool> cancel = false;  ///< true: watched calls end, because Python ends
  std::atomic<bool> is_forking = false;
  bool is_torn = false;           ///< a child of a process that was computing when it forked
  unsigned long main_thread = 0;  ///< of Python
  int wanted = 0;                 ///< threads of a call without a number; 0: all
  int most = 0;                   ///< threads of Kokkos
  int in_flight = 0;              ///< calls that compute
  /// Instances by their threads; for a device by 0.
  std::map<int, std::vector<std::unique_ptr<Exec>>> free;
  std::map<int, std::vector<std::unique_ptr<DeviceExec>>> free_on_device;
  std::unique_ptr<Session> session;  ///< the session that started Kokkos in a build for a device
  std::set<Kept*> kept;
};

Runtime& runtime() {
  static auto* const all = new Runtime;
  return *all;
}

// A forked child has one thread, the caller's. Threads that the OpenMP runtime waits for, and
// threads that hold mutexes of Kokkos, do not exist there. So a fork waits for the calls that
// compute. It waits a second at most, because a call may wait for the GIL, which the forking thread
// holds. Then it releases OpenMP's pool; each process makes a new one when it computes next.
void before_fork() {
  Runtime& run = runtime();
  std::unique_lock lock(run.mutex);
  run.is_forking = true;
  run.changed.wait_for(lock, std::chrono::seconds(1), [&] { return run.in_flight == 0; });
#ifdef KOKKOS_ENABLE_OPENMP
  if (run.has_started && run.in_flight == 0) omp_pause_resource_all(omp_pause_hard);
#endif
  lock_warnings();
  lock.release();  // both mutexes are held until the process has forked
}

void after_fork() {
  Runtime& run = runtime();
  run.is_forking = false;
  unlock_warnings();
  run.mutex.unlock();
  run.changed.notify_all();
}

void after_fork_in_child() {
  Runtime& run = runtime();
  // A device does not work in a child of the process in which it was started.
  run.is_torn = run.is_torn || run.in_flight > 0 || (has_device && run.has_started);
  run.in_flight = 0;
  run.main_thread =
      PyThread_get_thread_ident();  // the thread that forked is Python's main one here
  // Waiting threads do not exist here, but the old condition counts them, and would wait for them.
  new (&run.changed) std::condition_variable;
  after_fork();
}

bool is_main_thread() { return PyThread_get_thread_ident() == runtime().main_thread; }

void start_locked(Runtime& run) {
  if (run.is_torn) {
    throw StateError("synelix",
                     has_device ? "this process was forked from one that had computed, and this "
                                  "build is for a device"
                                : "this process was forked during a computation",
                     "Use the start method \"spawn\" or \"forkserver\" of multiprocessing");
  }
  if (run.has_ended) throw StateError("synelix", "Python is ending", "Use it earlier");
  if (run.has_started) return;
  if (!Kokkos::is_initialized()) {
    check_kokkos_settings({});
    if constexpr (has_device) {  // a session checks that there is a device
      SessionOptions options;
      if (run.wanted > 0) options.threads = run.wanted;
      run.session = std::make_unique<Session>(options);
    } else {
      Kokkos::InitializationSettings settings;
      settings.set_disable_warnings(true);
      if (run.wanted > 0) settings.set_num_threads(run.wanted);
      Kokkos::initialize(settings);
    }
    run.is_ours = true;
  }
  run.most = Exec().concurrency();
  run.has_started = true;
}

// Lets a call without the GIL begin: after a fork, once the library runs, and not if Python ends.
void admit_or_park(Runtime& run, std::unique_lock<std::mutex>& lock) {
  run.changed.wait(lock, [&] { return !run.is_forking; });
  if (run.has_ended && !run.is_torn && !is_main_thread()) {
    lock.unlock();
    park();
  }
  start_locked(run);
}

// Called at the end of a call that held no GIL.
void leave(Runtime& run) {
  bool is_over = false;
  {
    const std::lock_guard lock(run.mutex);
    --run.in_flight;
    is_over = run.has_ended && !run.is_torn && !is_main_thread();
  }
  run.changed.notify_all();
  if (is_over) park();
}

}  // namespace

void park() {
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

void refuse_at_end(const char* name) {
  if (!is_main_thread()) {
    if (!has_gil()) park();
    const WithoutGil released;
    park();
  }
  throw StateError(name, "Python is ending", "Use it earlier");
}

// Calls of threads that Python does not wait for may still compute. They get a second to notice
// that they are cancelled; if one does not, the operating system cleans up after the process.
void end() {
  Runtime& run = runtime();
  {
    const WithoutGil released;
    std::unique_lock lock(run.mutex);
    if (run.has_ended) return;
    run.has_ended = true;
    run.cancel = true;
    if (!run.has_started || run.is_torn) return;
    const auto is_idle = [&] { return run.in_flight == 0; };
    if (!run.changed.wait_for(lock, std::chrono::seconds(1), is_idle)) return;
  }
  // With the GIL: another thread may be reading a property of an object that releases memory here.
  const std::lock_guard lock(run.mutex);
  if (run.in_flight > 0) return;
  for (Kept* each : run.kept) each->release();
  run.free.clear();
  run.free_on_device.clear();
  run.session.reset();
  if (run.is_ours && Kokkos::is_initialized() && !Kokkos::is_finalized()) Kokkos::finalize();
}

bool is_running() {
  const std::lock_guard lock(runtime().mutex);
  return runtime().has_started && !runtime().has_ended;
}

bool is_torn() {
  const std::lock_guard lock(runtime().mutex);
  return runtime().is_torn;
}

int calls() {
  const std::lock_guard lock(runtime().mutex);
  return runtime().in_flight;
}

void set_threads(int threads) {
  Runtime& run = runtime();
  const std::lock_guard lock(run.mutex);
  if (threads < 0) throw Error("n", std::to_string(threads) + " is negative", "Give 0 or more");
  if (run.has_started && threads > run.most) {
    throw Error("n",
                std::to_string(threads) + " is more than the " + std::to_string(run.most) +
                    " threads that synelix has started",
                "Call set_num_threads before anything is computed");
  }
  run.wanted = threads;
}

int threads() {
  Runtime& run = runtime();
  std::unique_lock lock(run.mutex);
  if (run.has_ended && !run.is_torn) {
    lock.unlock();
    refuse_at_end("synelix");
  }
  start_locked(run);
  return run.wanted > 0 ? run.wanted : run.most;
}

void prepare() {
  runtime().main_thread = nb::cast<unsigned long>(
      nb::module_::import_("threading").attr("main_thread")().attr("ident"));
  pthread_atfork(before_fork, after_fork, after_fork_in_child);
}

void check_signals() {
  if (!is_main_thread() || runtime().is_forking) return;  // a fork holds the GIL, and waits
  run_python([] {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  });
}

Watch watch_of(double work) {
  constexpr double short_work = 1e8;  // some 10 ms of one thread
  if (work < short_work) return {};
  if (!is_main_thread()) return {.progress = {}, .cancel = &runtime().cancel};
  return {.progress = [](const CallProgress&) { check_signals(); }};
}

const std::atomic<bool>* ending() { return &runtime().cancel; }

namespace {

template <class Space>
auto& pool_of(Runtime& run) {
  if constexpr (std::is_same_v<Space, Exec>) {
    return run.free;
  } else {
    return run.free_on_device;
  }
}

template <class Space>
Space new_instance(int threads) {
  if constexpr (std::is_same_v<Space, Exec>) {
    return instance_with_threads<Exec>(threads);
  } else {
    return Kokkos::Experimental::partition_space(Space(), std::vector<int>{1})[0];
  }
}

}  // namespace

template <class Space>
LeaseOn<Space>::LeaseOn(int threads, For use) : m_use(use) {
  Runtime& run = runtime();
  if (threads < 0) {
    throw Error("threads", std::to_string(threads) + " is negative", "Give 0 for all, or more");
  }
  std::unique_lock lock(run.mutex);
  if (m_use == For::call) admit_or_park(run, lock);
  if constexpr (std::is_same_v<Space, Exec>) {
    const int wanted = threads > 0 ? threads : run.wanted;
    m_threads = wanted > 0 ? std::min(wanted, run.most) : run.most;
  }
  std::vector<std::unique_ptr<Space>>& free = pool_of<Space>(run)[m_threads];
  if (free.empty()) {
    m_exec = std::make_unique<Space>(new_instance<Space>(m_threads));
  } else {
    m_exec = std::move(free.back());
    free.pop_back();
  }
  if (m_use == For::call) ++run.in_flight;
}

template <class Space>
LeaseOn<Space>::~LeaseOn() {
  Runtime& run = runtime();
  {
    const std::lock_guard lock(run.mutex);
    if (run.has_ended || run.is_torn) {
      static_cast<void>(m_exec.release());  // an instance may not end after Kokkos
    } else {
      pool_of<Space>(run)[m_threads].push_back(std::move(m_exec));
    }
  }
  if (m_use == For::call) leave(run);
}

template class LeaseOn<Exec>;
#ifdef KOKKOS_ENABLE_CUDA
template class LeaseOn<DeviceExec>;
#endif

Running::Running() {
  Runtime& run = runtime();
  std::unique_lock lock(run.mutex);
  admit_or_park(run, lock);
  ++run.in_flight;
}

Running::~Running() { leave(runtime()); }

void Kept::keep() {
  const std::lock_guard lock(runtime().mutex);
  runtime().kept.insert(this);
}

// Counts as a call, so that forks and the end of Python wait for it. The mutex is released
// meanwhile: freeing Kokkos memory may wait for the calls of other threads. It does not sleep when
// Python ends, because its thread may hold the GIL.
void Kept::let_go() noexcept {
  Runtime& run = runtime();
  {
    const std::lock_guard lock(run.mutex);
    run.kept.erase(this);
    if (run.is_torn || run.has_ended) {
      leak();
      return;
    }
    ++run.in_flight;
  }
  release();
  {
    const std::lock_guard lock(run.mutex);
    --run.in_flight;
  }
  run.changed.notify_all();
}

}  // namespace synelix::python
