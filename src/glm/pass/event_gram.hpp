// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_tiles.hpp"
#include "glm/sweep/host_items.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// X' D X of a chunk of rows from pairs of events: a Hessian where D has curvatures, a Gram matrix
/// where it has row weights.

namespace synelix::glm {

/// Products of the taps of two banks, for pairs whose overlap has one weight: (bases of the later,
/// bases of the earlier, lags in whole lines).
class LagTaps {
 public:
  /// Of each two banks; empty where they would take too many bytes.
  explicit LagTaps(const EventDesign& design);
  [[nodiscard]] bool is_empty() const { return m_products.empty(); }
  [[nodiscard]] const double* of(std::int64_t later, std::int64_t earlier) const {
    return m_products[static_cast<std::size_t>(later * m_banks + earlier)].data();
  }
  [[nodiscard]] std::int64_t bytes() const;

 private:
  std::int64_t m_banks = 0;
  std::vector<LineVector<double>> m_products;
};

/// Weights of the rows of a chunk, with `halo` rows on each side and two lines behind. The rows
/// before it are 0. Those behind it are 0 and a pair at the border is taken in two parts; or they
/// are known, and a pair belongs to the chunk in which the window of its later event begins.
template <class Scalar>
struct ChunkWeights {
  Scalar* values = nullptr;          ///< the first of the halo before the chunk
  std::int32_t* run_ends = nullptr;  ///< of the same rows; null where weights vary
  Range rows = {};
  bool is_known_behind = false;

  static std::int64_t size(const EventDesign& design, std::int64_t rows) {
    return rows + 2 * design.halo + 2 * whole_lines<Scalar>(1);
  }
  /// Sets the rows beside the chunk to 0.
  void clear_halo(const EventDesign& design) const;
  /// Finds the run ends.
  void find_runs(const EventDesign& design) const;
};

/// Adds the chunk to the blocks of pairs of channels: an item is a pair.
template <class Scalar>
class PairItems : public sweep::HostItems {
 public:
  const EventDesign* design = nullptr;
  EventTables<Scalar> tables = {};
  const tile::EventTable<double>* lag_tables = nullptr;
  const LagTaps* lag_taps = nullptr;  ///< null: the weights have no run ends
  ChunkWeights<Scalar> weights = {};
  std::byte* scratch = nullptr;  ///< all 0 before the first item; sums are 0 between items
  std::int64_t scratch_bytes = 0;
  /// Columns whose rows are wanted; and whether they are all, so that each pair is taken once.
  Range columns = {};
  bool is_whole = true;
  double* result = nullptr;  ///< (columns, columns of the design + 1)

  [[nodiscard]] std::int64_t items() const;
  static std::int64_t bytes_of_team(const EventDesign& design, int lanes);
  void run(std::int64_t item, std::int64_t team) const override;

 private:
  struct Memory;
  [[nodiscard]] Range channels() const;
  void add_direction(const Memory& memory, const EventChannel& later, const EventChannel& earlier,
                     bool is_one, std::int64_t first_lag, double* block) const;
  void add_lags(const Memory& memory, const EventChannel& later, const EventChannel& earlier,
                double* block) const;
  void write(const EventChannel& left, const EventChannel& right, const EventChannel* wanted,
             const double* forward, const double* backward) const;
};

}  // namespace synelix::glm
