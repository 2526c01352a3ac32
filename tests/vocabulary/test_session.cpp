// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "launch/launch.hpp"

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <string>
#include <vector>

// Session, and calls without Kokkos. Kokkos starts only once in a program, so each scenario is a
// separate process: a child that prints faults on stderr and exits with 0 if there are none.

namespace session_tests {
namespace {

using namespace synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

int faults = 0;

void expect(bool is_right, const char* what) {
  if (is_right) return;
  std::cerr << "not so: " << what << '\n';
  ++faults;
}

/// The call throws an Error that names `name` and states that Kokkos is not running.
template <class Call>
void expect_not_running(const Call& call, const std::string& name) {
  try {
    call();
    expect(false, (name + " throws without Kokkos").c_str());
  } catch (const Error& error) {
    const std::string text = error.what();
    expect(error.kind() == ErrorKind::state, "it is an error of the state");
    expect(text.rfind(name + ": Kokkos is not running", 0) == 0, text.c_str());
  }
}

void call_without_kokkos() {
  expect_not_running([] { require_running("this test"); }, "this test");
  expect_not_running([] { FilterBank<float>(CustomTaps{1, 1, {1}}, {}); }, "synelix::FilterBank");
  const float sample = 1;
  const StridedSeries series(Strided(&sample, {1}));  // needs no Kokkos, and neither do rows and
                                                      // taps
  expect(feature_rows(series.shape(), 1, {}) == 1, "rows are counted without Kokkos");
  expect(evaluate_taps(History{}, 3).bases == 3, "taps are evaluated without Kokkos");
  const Events events = Events::from_unsorted(10, {{1, 1}});  // neither do events
  expect(events.sample_indices()[0] == 1 && events.counts()[0] == 2, "events are counted");
  expect(Events(10, {{{7}, {}}}).with_epochs({{0, 5}}).bytes() > 0, "events have epochs");
}

/// What a host program does that does not use Kokkos itself.
void convolve_a_little() {
  const std::vector<float> x{1, 2, 3, 4};
  std::vector<float> y(4);
  const FilterBank<float> bank(CustomTaps{2, 1, {1, 10}}, {});
  convolve(StridedSeries(Strided(x.data(), {4})), bank, StridedOutput(y.data(), {4, 1}));
  expect(y[2] == 12 && y[3] == 23, "features are right");
}

/// A device that cannot be had is an Error, and Kokkos has not been started for it.
void refuse_a_device() {
  const auto expect_refused = [](const auto& start) {
    try {
      start();
      expect(false, "a session on device 1000000 throws");
    } catch (const Error& error) {
      const std::string text = error.what();
      const bool is_host = device_architecture().empty();
      expect(text.starts_with("device: "), text.c_str());
      expect(!is_host || text.find("this build computes on the host") != text.npos, text.c_str());
    }
    expect(!Kokkos::is_initialized(), "Kokkos does not run after a refused device");
  };
  char program[] = "program";
  char flag[] = "--kokkos-device-id=0";
  char* arguments[] = {program, flag, nullptr};
  int count = 1;
  expect_refused([] { const Session session(SessionOptions{.device = 1000000}); });
  expect_refused([&] { const Session session(count, arguments, {.device = 1000000}); });
  count = 2;
  try {
    const Session session(count, arguments, {.device = 0});
    expect(false, "two words for a device are one too many");
  } catch (const Error& error) {
    expect(std::strstr(error.what(), "--kokkos-device-id=0 beside it") != nullptr, error.what());
  }
  expect(count == 2, "a refused session leaves the arguments as they are");
}

void start_and_stop() {
  refuse_a_device();
  call_without_kokkos();
  char program[] = "program";
  char flag[] = "--kokkos-num-threads=1";
  char other[] = "--mine";
  char* arguments[] = {program, flag, other, nullptr};
  int count = 3;
  {
    const Session session(count, arguments);
    expect(session.owns(), "the first session starts Kokkos");
    expect(Kokkos::is_initialized(), "Kokkos runs");
    expect(count == 2 && std::strcmp(arguments[1], "--mine") == 0, "Kokkos' flags are taken out");
    {
      const Session inner;
      expect(!inner.owns(), "a second session does nothing");
    }
    expect(Kokkos::is_initialized(), "the end of a second session does nothing");
    convolve_a_little();
  }
  expect(Kokkos::is_finalized(), "the session's end finalises Kokkos");
  expect_not_running([] { require_running("this test"); }, "this test");
  expect_not_running([] { FilterBank<float>(CustomTaps{1, 1, {1}}, {}); }, "synelix::FilterBank");
  try {
    const Session late;
    expect(false, "a session after Kokkos' end throws");
  } catch (const Error& error) {
    expect(std::strstr(error.what(), "finalized already") != nullptr, error.what());
  }
}

/// Events are made before Kokkos runs, used, and outlive it.
void keep_events_beyond_kokkos() {
  const Events events = Events::from_times({{0.1, 0.3}}, TimeBins(0.1, 0.0, 0.4));
  {
    const Session session;
    std::vector<float> y(4);
    const FilterBank<float> bank(CustomTaps{1, 1, {2}}, {});
    convolve(events, bank, StridedOutput(y.data(), {4, 1, 1}), {.shift = Shift::off});
    expect(y[1] == 2 && y[2] == 0 && y[3] == 2, "events that are older than Kokkos are convolved");
  }
  expect(events.sample_indices()[1] == 3, "events outlive Kokkos");
  const Events later = events;
  expect(Events(3, {{{2}, {}}}).sample_indices()[0] == 2, "events are made after Kokkos' end");
}

/// A session has the requested number of threads, and instances have fewer.
void choose_threads() {
  try {
    const Session session(SessionOptions{.threads = 0});
    expect(false, "no threads are too few");
  } catch (const Error& error) {
    expect(error.argument() == "threads", error.what());
  }
  char program[] = "program";
  char flag[] = "--kokkos-num-threads=1";
  char* arguments[] = {program, flag, nullptr};
  int count = 2;
  try {
    const Session session(count, arguments, {.threads = 2});
    expect(false, "two numbers of threads are one too many");
  } catch (const Error& error) {
    expect(std::strstr(error.what(), "--kokkos-num-threads=1 beside it") != nullptr, error.what());
  }
  expect(!Kokkos::is_initialized(), "Kokkos does not run after a refused number of threads");
  const Session session(SessionOptions{.threads = 2});
  const int threads = Space().concurrency();
  expect(threads == 2 || std::string(Space::name()) == "Serial", "the session has two threads");
  for (int wanted = 1; wanted <= threads; ++wanted) {
    const Space some = instance_with_threads<Space>(wanted);
    expect(some.concurrency() == wanted, "an instance has the threads that it was asked for");
    expect(some != Space(), "an instance is one of its own");
  }
  for (const int wanted : {0, threads + 1}) {
    try {
      (void)instance_with_threads<Space>(wanted);
      expect(false, "an instance has at most the threads of the session");
    } catch (const Error& error) {
      expect(error.argument() == "threads", error.what());
    }
  }
}

void leave_the_kokkos_of_others() {
  Kokkos::initialize(Kokkos::InitializationSettings().set_disable_warnings(true));
  {
    const Session session;
    expect(!session.owns(), "a session does not own the Kokkos of others");
    convolve_a_little();
  }
  expect(Kokkos::is_initialized(), "a session never finalises the Kokkos of others");
  Kokkos::finalize();
}

/// A sweep that throws when Kokkos copies it, as memory that Kokkos asks for may.
struct Sweep {
  bool throws = false;

  Sweep() = default;
  explicit Sweep(bool it_throws) : throws(it_throws) {}
  Sweep(const Sweep& other) : throws(other.throws) {
    if (throws) throw std::bad_alloc();
  }
  KOKKOS_FUNCTION void operator()(const Kokkos::TeamPolicy<Space>::member_type&) const {}
};

void lose_a_launch() {
  const Session session(SessionOptions{.threads = 1});
  const Space some = instance_with_threads<Space>(1);
  sweep::launch("test", some, 1, 1, Sweep{});
  require_running("this test");
  try {
    sweep::launch("test", some, 1, 1, Sweep(true));
    expect(false, "a launch throws what Kokkos throws");
  } catch (const std::bad_alloc&) {
  }
  try {
    require_running("this test");
    expect(false, "no call computes in memory that is lost");
  } catch (const Error& error) {
    expect(error.kind() == ErrorKind::state, "it is an error of the state");
    expect(std::strstr(error.what(), "Start the process again") != nullptr, error.what());
  }
}

#define SYNELIX_IN_A_PROCESS_OF_ITS_OWN(scenario) \
  EXPECT_EXIT((scenario(), std::exit(faults == 0 ? 0 : 1)), testing::ExitedWithCode(0), "^$")

TEST(Session, StartsAndStopsKokkosOnce) { SYNELIX_IN_A_PROCESS_OF_ITS_OWN(start_and_stop); }

TEST(Session, LeavesTheKokkosOfOthers) {
  SYNELIX_IN_A_PROCESS_OF_ITS_OWN(leave_the_kokkos_of_others);
}

TEST(Session, EventsNeedNone) { SYNELIX_IN_A_PROCESS_OF_ITS_OWN(keep_events_beyond_kokkos); }

TEST(Session, HasTheThreadsThatItIsAskedFor) { SYNELIX_IN_A_PROCESS_OF_ITS_OWN(choose_threads); }

TEST(Session, RefusesCallsOnceThreadsAreLost) { SYNELIX_IN_A_PROCESS_OF_ITS_OWN(lose_a_launch); }

TEST(Session, CallsWithoutKokkosThrow) {
  faults = 0;
  call_without_kokkos();
  EXPECT_EQ(faults, 0);
}

}  // namespace
}  // namespace session_tests
