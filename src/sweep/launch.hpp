// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include <string>

namespace synelix::sweep {

/// The one launch of a sweep: `teams` teams of `team_size` on the instance. The label is made once
/// by the caller, since a string made here would be an allocation at each run.
template <class ExecutionSpace, class Functor>
void launch(const std::string& label, const ExecutionSpace& exec, int teams, int team_size,
            const Functor& functor) {
  Kokkos::parallel_for(label, Kokkos::TeamPolicy<ExecutionSpace>(exec, teams, team_size), functor);
}

}  // namespace synelix::sweep
