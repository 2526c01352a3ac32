// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/sink/cells.hpp"
#include "files/sink/checkpoint.hpp"

#include <synelix/types/stream.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

/// \file
/// `SumTable`: checksums of the values of written blocks, for files with unfiltered values.
///
/// A cell has a sum over its written values (`value_sum`), so blocks may cut it in any way. Each
/// sum has three versions, each with the number of its last block: the one for the last slot, the
/// one for the last slot on the disk, and the one that is being written.

namespace synelix::stream {

class SumTable {
 public:
  explicit SumTable(const FeaturesShape& shape);

  [[nodiscard]] const Cells& cells() const { return m_cells; }
  /// Bytes in the checkpoint.
  [[nodiscard]] std::int64_t bytes() const;
  /// Adds the values of a written block. \param number of the block
  void add(const Block& block, const void* values, std::int64_t number, const Checkpoint& to) const;
  /// Compares the written values with their sums. Reads cells through `read`, which throws on
  /// failure. \returns for each cell, whether its values are valid; its sum in the table is then
  /// that of the written values, and 0 otherwise
  using Read = std::function<void(const Block& cell, void* to)>;
  [[nodiscard]] std::vector<bool> verify(const Advance& advance, const Checkpoint& at,
                                         const Read& read) const;
  /// Resets the sums of the cells that intersect boxes.
  void clear(const std::vector<Block>& boxes, const Checkpoint& at) const;

 private:
  struct Version {
    std::int64_t number = 0;
    std::uint64_t sum = 0;
  };
  using Entry = std::array<Version, 3>;

  [[nodiscard]] static const Version& newest(const Entry& entry, std::int64_t number);
  [[nodiscard]] std::uint64_t sum_of(std::int64_t index, const Block& part, const Block& block,
                                     const void* values) const;
  template <class Change>
  void change(const Block& touched, const Checkpoint& at, const Change& change_entry) const;

  Cells m_cells;
  std::int64_t m_words;  ///< 32-bit words of a value
};

}  // namespace synelix::stream
