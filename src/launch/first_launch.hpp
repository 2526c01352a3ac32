// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace synelix::plan {

/// Whether each kernel is launched once with no work when products are bound, so that `run`
/// allocates nothing.
enum class FirstLaunch : std::uint8_t { now, with_first_run };

}  // namespace synelix::plan
