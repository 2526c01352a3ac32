// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <cstdint>
#include <string>

/// \file
/// The option `held_bytes` of streams and of spike trains.

namespace synelix::stream {

/// \throws Error where a caller cannot hold so many bytes of a budget. A negative number would
/// raise the budget, and sums with a huge one would overflow.
inline void require_held_bytes(std::int64_t bytes) {
  constexpr std::int64_t most = std::int64_t{1} << 56;
  if (bytes >= 0 && bytes <= most) return;
  throw Error("held_bytes", std::to_string(bytes) + " bytes are not a part of a budget",
              "Give the bytes of the budget that are held already: 0 to 2^56");
}

}  // namespace synelix::stream
