// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>

/// \file
/// `Shares`: the rows of an output, cut into runs. One process at a time writes a run. A part of n
/// is a consecutive set of shares, so a run with another number of parts can resume the output.

namespace synelix::stream {

struct Shares {
  std::int64_t rows = 0;
  std::int64_t step = 1;   ///< all borders except the last are multiples of it
  std::int64_t count = 0;  ///< at most the number of steps of rows

  /// If there are enough rows, shares begin at multiples of 1 MiB of the file, so that no kernel
  /// page and no stripe of a parallel file system has two writers; otherwise at page borders. The
  /// times of 512 rows are a page.
  static Shares of(std::int64_t rows, std::int64_t row_bytes, std::int64_t parts) {
    constexpr std::int64_t page = 4096;
    constexpr std::int64_t least = 64;  // so that parts may become more later
    constexpr std::int64_t for_each_part = 4;
    constexpr std::int64_t most = 65536;                       // 32 MiB of ledger
    constexpr std::int64_t most_rows = std::int64_t{1} << 31;  // of a share: slots have 32 bits
    const std::int64_t enough = std::max({std::clamp(for_each_part * parts, least, most), parts,
                                          (rows + most_rows - 1) / most_rows});
    // The same number for each part, so that parts differ by at most one step.
    const std::int64_t wanted = (enough + parts - 1) / parts * parts;
    for (const std::int64_t unit : {mebibytes(1), page}) {
      const std::int64_t step = std::max<std::int64_t>(unit / std::gcd(unit, row_bytes), 512);
      const std::int64_t steps = (rows + step - 1) / step;
      if (steps >= for_each_part * parts) return {rows, step, std::min(wanted, steps)};
    }
    return {rows, 1, std::min(wanted, rows)};
  }

  [[nodiscard]] Range rows_of(std::int64_t share) const {
    return {border(share), border(share + 1)};
  }

  /// The shares of a part; empty if there are more parts than shares.
  [[nodiscard]] Range shares_of(const OutputPart& part) const {
    return {count * part.number / part.of, count * (part.number + 1) / part.of};
  }

  [[nodiscard]] std::int64_t border(std::int64_t share) const {
    const std::int64_t steps = (rows + step - 1) / step;
    return std::min(rows, steps * share / count * step);
  }
};

}  // namespace synelix::stream
