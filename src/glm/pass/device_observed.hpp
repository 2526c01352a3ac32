// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/device_store.hpp"
#include "glm/rows/observed.hpp"
#include "index/segment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

/// \file
/// `DeviceObserved`: targets, weights and offsets that stay in memory of a device during a fit.
/// They do not change, so each row is copied once, by the first wave that contains it.

namespace synelix::glm {

/// The kind of values of an array.
enum class ObservedValues : std::uint8_t { targets, weights, offsets };

/// Identifies an array. Arrays with equal keys are the same.
struct ObservedKey {
  ObservedValues values = ObservedValues::targets;
  RowsOf rows = {};

  ObservedKey(const Observed* observed, ObservedValues what, const RowsOf& wanted) : values(what) {
    const bool is_weights = what == ObservedValues::weights;
    const bool has_target =
        !is_weights || observed == nullptr || observed->weights_follow_targets();
    rows.target = has_target ? wanted.target : -1;
    if (!is_weights || wanted.folds == RowsOf::Fold::all) return;
    rows.folds = wanted.folds;
    rows.fold = wanted.fold;
  }
  bool operator<(const ObservedKey& other) const { return order() < other.order(); }

  /// Whether these are weights that kernels need not read.
  [[nodiscard]] bool are_ones(std::span<const double> some) const {
    return values == ObservedValues::weights &&
           std::all_of(some.begin(), some.end(), [](double value) { return value == 1; });
  }
  /// The values of some rows.
  void read(const Observed& observed, Range some, double* to) const {
    switch (values) {
      case ObservedValues::targets:
        return observed.read_targets(rows.target, some, to);
      case ObservedValues::weights:
        return observed.read_weights(rows, some, to);
      case ObservedValues::offsets:
        return observed.read_offsets(rows.target, some, to);
    }
  }

 private:
  [[nodiscard]] std::tuple<int, std::int64_t, int, int> order() const {
    return {static_cast<int>(values), rows.target, static_cast<int>(rows.folds), rows.fold};
  }
};

template <class ExecutionSpace>
class DeviceObserved {
 public:
  /// An array of all rows.
  class Array {
   public:
    Array(const ExecutionSpace& exec, std::int64_t rows, std::int64_t block_rows)
        : m_memory(exec, "synelix::design_matrix::observed"),
          m_bytes(bytes_of(rows)),
          m_block_rows(block_rows),
          m_blocks(static_cast<std::size_t>(index::ceil_divide(rows, block_rows))) {}

    /// Returns the values from the first row of a wave on. All rows of the wave are in memory when
    /// it returns. Null for weights that are all 1.
    const double* bring(const ExecutionSpace& exec, const Observed& observed,
                        const ObservedKey& key, Range wave) {
      double* const to = reinterpret_cast<double*>(m_memory.get(m_bytes)) + wave.begin;
      const auto first = m_blocks.begin() + wave.begin / m_block_rows;
      const auto last = m_blocks.begin() + index::ceil_divide(wave.end, m_block_rows);
      const auto are_all = [&](Block what) {
        return std::count(first, last, what) == last - first;
      };
      if (are_all(Block::ones)) return nullptr;
      if (are_all(Block::there)) return to;
      std::vector<double> values(static_cast<std::size_t>(wave.size()));
      key.read(observed, wave, values.data());
      if (key.are_ones(values)) {
        std::fill(first, last, Block::ones);
        return nullptr;
      }
      copy_in(exec, values, to);
      exec.fence("synelix::design_matrix: tables that leave scope are copied");
      std::fill(first, last, Block::there);
      return to;
    }

   private:
    enum class Block : std::uint8_t { unknown, there, ones };

    DeviceMemory<ExecutionSpace> m_memory;
    std::int64_t m_bytes;
    std::int64_t m_block_rows;
    std::vector<Block> m_blocks;  ///< of rows
  };

  DeviceObserved(const ExecutionSpace& exec, std::int64_t rows, std::int64_t block_rows)
      : m_exec(exec), m_rows(rows), m_block_rows(block_rows) {}

  /// From now on arrays are kept, in at most this many bytes.
  void keep(std::int64_t most_bytes) { m_most_bytes = std::max<std::int64_t>(0, most_bytes); }
  /// Frees the arrays. From now on none is kept.
  void release() {
    m_arrays.clear();
    m_most_bytes = 0;
  }
  [[nodiscard]] std::int64_t bytes() const {
    return static_cast<std::int64_t>(m_arrays.size()) * bytes_of(m_rows);
  }

  /// Bytes that waves may not use: all bytes that may be kept, because a later walk may add arrays.
  [[nodiscard]] std::int64_t reserved_bytes() const { return std::max(m_most_bytes, bytes()); }

  /// Null if the array is not kept: the caller then copies the rows of each wave.
  Array* find(const Observed& observed, const ObservedKey& key) {
    const std::pair<std::uint64_t, ObservedKey> name{observed.number(), key};
    const auto known = m_arrays.find(name);
    if (known != m_arrays.end()) return &known->second;
    if (bytes() + bytes_of(m_rows) > m_most_bytes) return nullptr;
    return &m_arrays.try_emplace(name, m_exec, m_rows, m_block_rows).first->second;
  }

 private:
  static std::int64_t bytes_of(std::int64_t rows) {
    return index::whole_lines(rows * static_cast<std::int64_t>(sizeof(double)));
  }

  ExecutionSpace m_exec;
  std::int64_t m_rows;
  std::int64_t m_block_rows;
  std::int64_t m_most_bytes = 0;
  std::map<std::pair<std::uint64_t, ObservedKey>, Array> m_arrays;
};

}  // namespace synelix::glm
