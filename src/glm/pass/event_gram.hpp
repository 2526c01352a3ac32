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

/// Channels whose events are merged into one list: they have one window, bank and offset.
struct PairGroup {
  Range channels = {};
  std::int64_t most_events = 0;  ///< that any chunk has
};

/// The channels in groups, as many in each as sums over pairs and events have room for.
class PairGroups {
 public:
  explicit PairGroups(const EventDesign& design);
  [[nodiscard]] const std::vector<PairGroup>& all() const { return m_groups; }
  [[nodiscard]] std::int64_t most_events() const { return m_most_events; }

 private:
  std::vector<PairGroup> m_groups;
  std::int64_t m_most_events = 0;
};

/// Adds the pairs of a chunk to the blocks of channels: result(j, k) gets those in which the event
/// of column j is the later one; X' D X is that and its transpose. An item is a group with some
/// later channels.
template <class Scalar>
class PairItems : public sweep::HostItems {
 public:
  const EventDesign* design = nullptr;
  const PairGroups* groups = nullptr;
  EventTables<Scalar> tables = {};
  const tile::EventTable<double>* lag_tables = nullptr;
  const LagTaps* lag_taps = nullptr;  ///< null: the weights have no run ends
  ChunkWeights<Scalar> weights = {};
  std::byte* scratch = nullptr;  ///< all 0 before the first item; sums are 0 between items
  std::int64_t scratch_bytes = 0;
  Range laters = {};    ///< channels
  Range earliers = {};  ///< channels
  /// Columns that have a row of the result: of the later channels; or, where it is transposed, of
  /// the earlier ones.
  Range columns = {};
  bool is_transposed = false;
  double* result = nullptr;  ///< (columns, columns of the design + 1)

  [[nodiscard]] std::int64_t items() const;
  static std::int64_t bytes_of_team(const EventDesign& design, const PairGroups& groups, int lanes);
  void run(std::int64_t item, std::int64_t team) const override;

 private:
  struct Memory;
  [[nodiscard]] std::int64_t parts_of_laters() const;
  std::int64_t merge(const Memory& memory, Range channels) const;
  void add_channel(const Memory& memory, Range group, std::int64_t events,
                   std::int64_t later) const;
  void multiply_lags(const Memory& memory, Range lags, Range group,
                     const EventChannel& later) const;
  void add_lags(const Memory& memory, std::int64_t i, const EventChannel& later,
                const EventChannel& earlier) const;
  void write(const EventChannel& later, const EventChannel& earlier, const double* block) const;
};

/// The channels that have any of the columns.
Range channels_of(const EventDesign& design, Range columns);

}  // namespace synelix::glm
