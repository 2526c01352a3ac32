// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>

/// \file
/// The memory of teams, as every sweep is given it.

namespace synelix::sweep {

/// The memory of the teams that are in flight: `bytes` for each, one after the other.
struct Workspace {
  std::byte* data = nullptr;
  std::int64_t bytes = 0;
  std::int64_t teams = 1;
};

}  // namespace synelix::sweep
