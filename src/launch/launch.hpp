// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/host_space.hpp"
#include "launch/team.hpp"
#include "machine/lost_threads.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace synelix::sweep {

/// A label that is converted to a string only if a tool is loaded: Kokkos 5.2 copies the label of
/// every launch, which is an allocation for more than 15 characters. Remove when Kokkos takes
/// labels by reference, as 5.0 does.
class Label {
 public:
  explicit Label(const std::string& text) : m_text(text) {}
  operator std::string() const {  // NOLINT(google-explicit-constructor): required by Kokkos
    return Kokkos::Tools::profileLibraryLoaded() ? m_text : std::string();
  }

 private:
  const std::string& m_text;
};

/// Launch bounds of a sweep for the compiler of a device: its largest team, and the number of
/// resident teams on a core. For a functor without `Bounds`, Kokkos chooses.
template <class Functor>
struct LaunchBoundsOf {
  using type = Kokkos::LaunchBounds<>;
};
template <class Functor>
  requires requires { typename Functor::Bounds; }
struct LaunchBoundsOf<Functor> {
  using type = typename Functor::Bounds;
};

/// The team shape of a sweep that does not use the backend's mapping.
struct TeamShape {
  std::int64_t teams;
  int team_size;
  std::int64_t scratch_bytes;
};

/// The only launch of a sweep: `teams` teams of `team_size` on the instance, with scratch bytes for
/// each. Nothing is allocated unless a tool is loaded.
template <class ExecutionSpace, class Functor>
void launch(const std::string& label, const ExecutionSpace& exec, int teams, int team_size,
            const Functor& functor, std::int64_t scratch_bytes = 0) {
  Kokkos::TeamPolicy<ExecutionSpace, typename LaunchBoundsOf<Functor>::type> policy(exec, teams,
                                                                                    team_size);
  if (scratch_bytes > 0) {
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(scratch_bytes + scratch_slack)));
  }
  try {
    Kokkos::parallel_for(Label(label), policy, functor);
  } catch (...) {
    if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                             typename ExecutionSpace::memory_space>::accessible) {
      give_up_threads(exec);
    }
    throw;
  }
}

}  // namespace synelix::sweep

namespace synelix::plan {

/// Bytes of scratch available to a team that transforms on a device; 0 on a host, whose sweeps need
/// none. As many teams as their `Bounds` ask for must fit on a core (tune/tiles.hpp).
template <class ExecutionSpace, class Scalar>
std::int64_t device_scratch_bytes() {
  if constexpr (is_host_space<ExecutionSpace>) {
    return 0;
  } else {
    const std::int64_t most = Kokkos::TeamPolicy<ExecutionSpace>::scratch_size_max(0);
    const int teams = tune::device_fft_shares(most) ? tune::device_fft_teams(sizeof(Scalar)) : 1;
    return most / teams - sweep::scratch_slack;
  }
}

}  // namespace synelix::plan
