// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/launch.hpp"
#include "pack/block_copy.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

/// \file
/// Copies between arrays of the caller and pinned buffers, by all threads of the host.

namespace synelix::sweep {

/// One share of a copy for each index.
struct CopyShare {
  pack::BlockCopy copy;
  std::int64_t shares;

  void operator()(std::int64_t k) const {
    const std::int64_t items = copy.items();
    // As two products: items x shares might overflow.
    const auto border = [&](std::int64_t i) {
      return items / shares * i + items % shares * i / shares;
    };
    copy.copy_items(border(k), border(k + 1));
  }
};

/// The number of values that justifies a share of a copy.
inline constexpr std::int64_t values_of_share = 16'384;

/// Copies, and returns after the copy is complete.
inline void copy_on_host(const std::string& label, const pack::BlockCopy& copy) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Host host;
  const std::int64_t items = copy.items();
  if (items == 0 || copy.values() == 0) return;
  const std::int64_t whole = items * copy.values() / values_of_share + 1;
  const std::int64_t most = std::int64_t{4} * host.concurrency();
  std::int64_t shares = whole < most ? whole : most;
  if (items < shares) shares = items;
  Kokkos::parallel_for(Label(label), Kokkos::RangePolicy<Host>(host, 0, shares),
                       CopyShare{copy, shares});
  host.fence("synelix::convolve: the host has copied");
}

}  // namespace synelix::sweep
