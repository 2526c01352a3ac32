// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/mock_team.hpp"

#include <algorithm>
#include <array>
#include <compare>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

/// \file
/// A team of threads that take turns, each alone from one barrier to the next, in random order.
/// Code between passes is executed by each thread, as on a device: a late thread may read a value
/// of the entire team after another thread has changed it. The mock team cannot show this, because
/// only its passes are in random order.

namespace ground {

inline constexpr int walking_threads = 4;

/// Whose turn it is.
class Turns {
 public:
  explicit Turns(std::mt19937_64& random) : m_random(random) {
    for (int thread = 0; thread < walking_threads; ++thread) m_walking.push_back(thread);
    begin_round();
  }

  void wait(int thread) {
    std::unique_lock lock(m_mutex);
    wait(lock, thread);
  }
  /// The others go as far as this thread has come.
  void meet(int thread) {
    std::unique_lock lock(m_mutex);
    pass_on();
    wait(lock, thread);
  }
  /// The others continue without this thread.
  void leave(int thread) {
    const std::unique_lock lock(m_mutex);
    std::erase(m_walking, thread);
    pass_on();
  }

 private:
  void wait(std::unique_lock<std::mutex>& lock, int thread) {
    m_changed[static_cast<std::size_t>(thread)].wait(
        lock, [this, thread] { return m_round.back() == thread; });
  }
  void pass_on() {
    m_round.pop_back();
    if (m_round.empty()) begin_round();
    if (!m_round.empty()) m_changed[static_cast<std::size_t>(m_round.back())].notify_one();
  }
  void begin_round() {
    m_round = m_walking;
    std::shuffle(m_round.begin(), m_round.end(), m_random);
  }

  std::mt19937_64& m_random;
  std::mutex m_mutex;
  std::array<std::condition_variable, walking_threads> m_changed;
  std::vector<int> m_walking;  ///< all that have not left
  std::vector<int> m_round;    ///< those that are still to go, the next one last
};

/// A line of the sources that has a barrier.
struct Place {
  std::string file;  ///< without its folder
  int line = 0;

  friend auto operator<=>(const Place&, const Place&) = default;
  friend bool operator==(const Place&, const Place&) = default;  // nvcc 13.0 defines none else
  [[nodiscard]] std::string name() const { return file + ":" + std::to_string(line); }
};

/// The barriers that a walk leaves out: one by its number, or all of one place.
struct LeftOut {
  std::int64_t number = -1;
  Place place;
};

/// A thread's view of its team.
class WalkingTeam {
 public:
  WalkingTeam(int rank, int thread, Turns& turns, const MockScratch& scratch,
              const LeftOut& left_out)
      : m_rank(rank), m_thread(thread), m_turns(turns), m_scratch(scratch), m_left_out(left_out) {}

  // Marked for devices, as the mock team's functions are.
  [[nodiscard]] KOKKOS_FUNCTION int league_rank() const { return m_rank; }
  [[nodiscard]] KOKKOS_FUNCTION const MockScratch& team_scratch(int) const { return m_scratch; }
  [[nodiscard]] std::int64_t barriers() const { return m_barriers; }
  [[nodiscard]] const std::set<Place>& places() const { return m_places; }

  /// The items of this thread: an item's is another one in the next pass.
  template <class Body>
  KOKKOS_FUNCTION void collect(std::int64_t count, const Body& body) const {
    KOKKOS_IF_ON_HOST((take(count, body);))
    KOKKOS_IF_ON_DEVICE(((void)count; (void)body;))
  }

  /// A pass with as many items as a team on a device has threads. The same thread executes an item
  /// in all such passes, so that it finds its kept values.
  template <class Body>
  KOKKOS_FUNCTION void collect_threads(int threads, const Body& body) const {
    for (int i = 0; i < threads; ++i) {
      // Neither threads nor every n-th of them have one owner, as rows and columns of tiles would.
      if ((i + i / 4 + i / 16) % walking_threads == m_thread) body(i);
    }
  }
  /// The registers of threads: initially garbage. A running thread accesses those of its items.
  template <class Value>
  KOKKOS_FUNCTION Value* registers(int threads) const {
    KOKKOS_IF_ON_HOST(
        (auto memory = garbage<Value>(threads); m_kept.push_back(memory); return memory.get();))
    KOKKOS_IF_ON_DEVICE((static_cast<void>(threads); return nullptr;))
  }

  /// The compiler fills in the place of the call.
  KOKKOS_FUNCTION void team_barrier(const char* file = __builtin_FILE(),
                                    int line = __builtin_LINE()) const {
    KOKKOS_IF_ON_HOST((meet({std::string(file), line});))
    KOKKOS_IF_ON_DEVICE(((void)file; (void)line;))
  }

 private:
  void meet(Place place) const {
    place.file.erase(0, place.file.rfind('/') + 1);
    m_places.insert(place);
    if (m_barriers++ != m_left_out.number && place != m_left_out.place) m_turns.meet(m_thread);
  }

  template <class Body>
  void take(std::int64_t count, const Body& body) const {
    for (std::int64_t i = (m_thread + m_passes++) % walking_threads; i < count;
         i += walking_threads) {
      body(i);
    }
  }

  int m_rank;
  int m_thread;
  Turns& m_turns;
  MockScratch m_scratch;
  const LeftOut& m_left_out;
  mutable std::set<Place> m_places;
  mutable std::int64_t m_barriers = 0;
  mutable std::int64_t m_passes = 0;
  mutable std::vector<std::shared_ptr<const void>> m_kept;
};

/// The result of a run.
struct Walk {
  std::int64_t barriers = 0;  ///< that a thread reached
  bool is_together = true;    ///< all threads reached the same number of barriers
  std::set<Place> places;     ///< of all barriers, including those that were left out
};

/// Runs a sweep's functor with its teams in turn, in random order and on one scratch, in which each
/// finds the data of the previous one; the barriers of each are counted from 0.
template <class Functor>
Walk walk(const Functor& functor, int teams, std::uint64_t seed, const MockScratch& scratch,
          const LeftOut& left_out = {}) {
  std::mt19937_64 random(seed);
  Walk result;
  for (const int rank : shuffled(teams, random)) {
    Turns turns(random);
    std::array<std::int64_t, walking_threads> barriers{};
    std::array<std::set<Place>, walking_threads> places;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < walking_threads; ++thread) {
      threads.emplace_back([&, thread] {
        turns.wait(thread);
        const WalkingTeam team(rank, thread, turns, scratch, left_out);
        functor(team);
        barriers[static_cast<std::size_t>(thread)] = team.barriers();
        places[static_cast<std::size_t>(thread)] = team.places();
        turns.leave(thread);
      });
    }
    for (std::thread& thread : threads) thread.join();
    result.barriers += barriers[0];
    for (const std::int64_t met : barriers) {
      result.is_together = result.is_together && met == barriers[0];
    }
    for (std::set<Place>& met : places) result.places.merge(met);
  }
  return result;
}

}  // namespace ground
