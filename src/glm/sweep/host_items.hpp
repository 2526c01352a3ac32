// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/workspace.hpp"

#include <cstdint>
#include <string>

/// \file
/// Loops over independent work items on a host. This header does not need Kokkos; host_sweeps.hpp
/// has the functors.

namespace synelix::sweep {

/// The work of a team. The items of one team run one after the other, so they share the memory of
/// the team.
class HostItems {
 public:
  virtual ~HostItems() = default;
  virtual void compute(std::int64_t item, std::int64_t team) const = 0;
};

/// The same items with breaks. An item of this class runs the remaining items of a team until the
/// time is over.
class HostItemsWithBreaks final : public HostItems {
 public:
  /// \param turns  for each team
  HostItemsWithBreaks(const HostItems& items, std::int64_t count, std::int64_t teams,
                      TeamTurn* turns, TurnEnd end)
      : m_items(items), m_count(count), m_teams(teams), m_turns(turns), m_end(end) {}
  void compute(std::int64_t rank, std::int64_t team) const override;

 private:
  const HostItems& m_items;
  std::int64_t m_count;
  std::int64_t m_teams;
  TeamTurn* m_turns;
  TurnEnd m_end;
};

/// A function of the number of an item. Refers to it.
class LoopBody {
 public:
  template <class Body>
  LoopBody(const Body& body)  // NOLINT(google-explicit-constructor): a lambda is passed as it is
      : m_body(&body), m_call([](const void* called, std::int64_t item) {
          (*static_cast<const Body*>(called))(item);
        }) {}
  void operator()(std::int64_t item) const { m_call(m_body, item); }

 private:
  const void* m_body;
  void (*m_call)(const void*, std::int64_t);
};

/// Calls body(i) for i = 0, ..., items - 1 on all threads of the host. Returns when all are done.
/// The body must not throw.
void run_host_loop(const std::string& label, std::int64_t items, LoopBody body);

/// Threads of the host that such a loop uses.
std::int64_t host_threads();

}  // namespace synelix::sweep
