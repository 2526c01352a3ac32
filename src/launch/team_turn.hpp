// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// What the host keeps of the teams of a sweep with breaks (team_turns.hpp).

namespace synelix::sweep {

/// Where a team stands in its share.
struct alignas(64) TeamTurn {
  std::int64_t items = 0;  ///< that are done
  std::int64_t step = 0;   ///< where the next one goes on
};

/// When a launch ends: no team begins another item then.
struct TurnEnd {
  std::int64_t nanoseconds = 0;  ///< of the steady clock
};

}  // namespace synelix::sweep
