// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

/// \file
/// A team without threads. Passes are collected; at a barrier, all items of all passes since the
/// previous barrier run in one random order. A pass that reads the output of another one without a
/// barrier between gives other bits for other orders.

namespace ground {

namespace sweep = synelix::sweep;

/// The barriers of a run: counted, and one of them left out where `ignored` names it.
struct Barriers {
  std::int64_t ignored = -1;
  std::int64_t met = 0;
};

/// The scratch of a team as in CUDA and HIP: full of garbage, starting 16 bytes after a cache line,
/// and no more than a launch requests. A copy returns the same memory again.
class MockScratch {
 public:
  MockScratch(std::size_t bytes, std::byte fill)
      : m_memory(std::make_shared<std::vector<std::byte>>(bytes + sweep::scratch_slack + 2 * line,
                                                          fill)) {
    m_next = (address() + line - 1) / line * line + 16;
    m_end = m_next + bytes + sweep::scratch_slack;
  }

  KOKKOS_FUNCTION void* get_shmem_aligned(std::size_t bytes, std::ptrdiff_t alignment) const {
    KOKKOS_IF_ON_HOST((return take(bytes, alignment);))
    KOKKOS_IF_ON_DEVICE((return nullptr;))
  }

 private:
  static constexpr std::uintptr_t line = 64;

  void* take(std::size_t bytes, std::ptrdiff_t alignment) const {
    const auto align = static_cast<std::uintptr_t>(alignment);
    const std::uintptr_t at = (m_next + align - 1) / align * align;
    if (at + bytes > m_end) throw std::length_error("scratch of the mock team");
    m_next = at + bytes;
    return m_memory->data() + (at - address());
  }

  [[nodiscard]] std::uintptr_t address() const {
    return reinterpret_cast<std::uintptr_t>(m_memory->data());
  }

  std::shared_ptr<std::vector<std::byte>> m_memory;
  mutable std::uintptr_t m_next = 0;
  std::uintptr_t m_end = 0;
};

/// Values that nothing has written, full of NaN.
template <class Value>
std::shared_ptr<Value[]> garbage(int count) {
  static_assert(std::is_trivially_copyable_v<Value>);
  std::shared_ptr<Value[]> memory(new Value[static_cast<std::size_t>(count)]);
  std::memset(static_cast<void*>(memory.get()), 0xff,
              static_cast<std::size_t>(count) * sizeof(Value));
  return memory;
}

class MockTeam {
 public:
  MockTeam(int rank, std::mt19937_64& random, Barriers& barriers, std::size_t scratch_bytes = 0)
      : m_rank(rank),
        m_random(random),
        m_barriers(barriers),
        // Garbage; or zeros if a barrier is removed, which contain no strip that could be read.
        m_scratch(scratch_bytes, barriers.ignored < 0 ? std::byte{0x7f} : std::byte{0}) {}
  MockTeam(const MockTeam&) = delete;
  MockTeam& operator=(const MockTeam&) = delete;
  ~MockTeam() { run(); }

  // Marked for devices, where it never runs: a compiler for devices checks the functions that
  // sweeps call.
  [[nodiscard]] KOKKOS_FUNCTION int league_rank() const { return m_rank; }
  [[nodiscard]] KOKKOS_FUNCTION const MockScratch& team_scratch(int) const { return m_scratch; }

  template <class Body>
  KOKKOS_FUNCTION void collect(std::int64_t count, const Body& body) const {
    KOKKOS_IF_ON_HOST((m_passes.push_back({count, body});))
    KOKKOS_IF_ON_DEVICE(((void)count; (void)body;))
  }

  /// A pass with as many items as a team has threads. A thread executes its items of such passes in
  /// the order of the passes.
  template <class Body>
  KOKKOS_FUNCTION void collect_threads(int threads, const Body& body) const {
    KOKKOS_IF_ON_HOST((m_passes.push_back(
        {threads, [=](std::int64_t thread) { body(static_cast<int>(thread)); }, true});))
    KOKKOS_IF_ON_DEVICE((static_cast<void>(threads); static_cast<void>(body);))
  }

  /// The registers of threads, for the lifetime of the team: initially garbage.
  template <class Value>
  KOKKOS_FUNCTION Value* registers(int threads) const {
    KOKKOS_IF_ON_HOST(
        (auto memory = garbage<Value>(threads); m_kept.push_back(memory); return memory.get();))
    KOKKOS_IF_ON_DEVICE((static_cast<void>(threads); return nullptr;))
  }

  /// A copy for as long as the team lives: items of a pass may run when the original is gone.
  template <class Value>
  KOKKOS_FUNCTION const Value& keep(const Value& value) const {
    KOKKOS_IF_ON_HOST((m_kept.push_back(std::make_shared<const Value>(value));
                       return *static_cast<const Value*>(m_kept.back().get());))
    KOKKOS_IF_ON_DEVICE((return value;))
  }

  KOKKOS_FUNCTION void team_barrier() const {
    KOKKOS_IF_ON_HOST((if (m_barriers.met++ != m_barriers.ignored) run();))
  }

 private:
  struct Pass {
    std::int64_t count;
    std::function<void(std::int64_t)> body;
    bool of_threads = false;
  };

  void run() const {
    std::vector<std::pair<std::size_t, std::int64_t>> items;
    for (std::size_t p = 0; p < m_passes.size(); ++p) {
      for (std::int64_t i = 0; i < m_passes[p].count; ++i) items.emplace_back(p, i);
    }
    std::shuffle(items.begin(), items.end(), m_random);
    std::map<std::int64_t, std::vector<std::size_t>> places;  // of the work of each thread
    for (std::size_t k = 0; k < items.size(); ++k) {
      if (m_passes[items[k].first].of_threads) places[items[k].second].push_back(k);
    }
    for (const auto& [thread, at] : places) {
      std::vector<std::size_t> passes;
      for (const std::size_t k : at) passes.push_back(items[k].first);
      std::sort(passes.begin(), passes.end());
      for (std::size_t k = 0; k < at.size(); ++k) items[at[k]].first = passes[k];
    }
    for (const auto& [pass, i] : items) m_passes[pass].body(i);
    m_passes.clear();
  }

  int m_rank;
  std::mt19937_64& m_random;
  Barriers& m_barriers;
  MockScratch m_scratch;
  mutable std::vector<Pass> m_passes;
  mutable std::vector<std::shared_ptr<const void>> m_kept;
};

/// The numbers of the teams of a league in random order.
inline std::vector<int> shuffled(int teams, std::mt19937_64& random) {
  std::vector<int> order(static_cast<std::size_t>(teams));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// Runs a sweep's functor with its teams in random order; returns the barriers met.
template <class Functor>
std::int64_t run_on_mock(const Functor& functor, int teams, std::uint64_t seed,
                         std::int64_t ignored_barrier = -1, std::size_t scratch_bytes = 0) {
  std::mt19937_64 random(seed);
  Barriers barriers{ignored_barrier, 0};
  for (const int rank : shuffled(teams, random)) {
    const MockTeam team(rank, random, barriers, scratch_bytes);
    functor(team);
  }
  return barriers.met;
}

}  // namespace ground
