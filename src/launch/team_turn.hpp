// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// The host's records of the teams of a sweep with breaks (team_turns.hpp).

namespace synelix::sweep {

/// The progress of a team in its share.
struct alignas(64) TeamTurn {
  std::int64_t items = 0;  ///< that are done
  std::int64_t step = 0;   ///< the step at which the next one continues
};

/// The end of a launch: after it, no team begins another item.
struct TurnEnd {
  std::int64_t nanoseconds = 0;  ///< of the steady clock
};

}  // namespace synelix::sweep
