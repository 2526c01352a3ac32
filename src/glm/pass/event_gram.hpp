// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_tiles.hpp"
#include "glm/sweep/host_items.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// X' D X of a chunk of rows from pairs of events: a Hessian if D holds curvatures, a Gram matrix
/// if D holds row weights.

namespace synelix::glm {

/// Products of the taps of two banks, for pairs whose overlap has one weight: (bases of the later,
/// bases of the earlier, lags in complete lines).
class LagTaps {
 public:
  /// For each pair of banks; empty if they would take too many bytes.
  explicit LagTaps(const EventDesign& design);
  [[nodiscard]] bool is_empty() const { return m_products.empty(); }
  [[nodiscard]] const double* of(std::int64_t later, std::int64_t earlier) const {
    return m_products[static_cast<std::size_t>(later * m_banks + earlier)].data();
  }
  [[nodiscard]] std::int64_t bytes() const;
  /// Their bytes, before they are made.
  static std::int64_t bytes_for(const EventDesign& design);

 private:
  std::int64_t m_banks = 0;
  std::vector<LineVector<double>> m_products;
};

/// Weights of the rows of a chunk, with `halo` rows on each side and two more lines at the end. The
/// rows before the chunk are 0. If the rows after it are 0, a pair at the border is added in two
/// parts. If they are known, a pair belongs to the chunk in which the window of its later event
/// begins.
template <class Scalar>
struct ChunkWeights {
  Scalar* values = nullptr;          ///< the first of the halo before the chunk
  std::int32_t* run_ends = nullptr;  ///< of the same rows; null if weights vary
  Range rows = {};
  bool is_known_behind = false;

  static std::int64_t size(const EventDesign& design, std::int64_t rows) {
    return rows + 2 * design.halo + 2 * whole_lines<Scalar>(1);
  }
  /// Sets the rows on both sides of the chunk to 0.
  void clear_halo(const EventDesign& design) const;
  /// Finds the run ends.
  void find_runs(const EventDesign& design) const;
};

/// Channels whose events are merged into one list: they have one window, bank and offset.
struct PairGroup {
  Range channels = {};
  std::int64_t most_events = 0;  ///< in any chunk
};

/// Partition of the channels into groups.
class PairGroups {
 public:
  /// Groups of at most this many channels, with at most this many values of sums over pairs.
  PairGroups(const EventDesign& design, std::int64_t most_channels, std::int64_t most_values);
  [[nodiscard]] const std::vector<PairGroup>& all() const { return m_groups; }
  [[nodiscard]] std::int64_t most_events() const { return m_most_events; }
  [[nodiscard]] std::int64_t most_channels() const { return m_most_channels; }

 private:
  std::vector<PairGroup> m_groups;
  std::int64_t m_most_events = 0;
  std::int64_t m_most_channels = 0;
};

/// The groups for adding pairs. Pairs whose overlap has one weight need one sum for each lag. Other
/// pairs need a window of sums, so fewer channels fit in the cache.
struct PairGrouping {
  explicit PairGrouping(const EventDesign& design);
  PairGroups single;
  PairGroups narrow;
  PairGroups wide;
};

/// Adds the pairs of a chunk to the blocks of channels: result(j, k) gets the pairs in which the
/// event of column j is the later one. X' D X is the result plus its transpose. An item is a group
/// of earlier channels with some groups of later ones.
template <class Scalar>
class PairItems : public sweep::HostItems {
 public:
  const EventDesign* design = nullptr;
  const PairGroups* later_groups = nullptr;
  const PairGroups* earlier_groups = nullptr;
  tile::PairKinds kinds = tile::PairKinds::all;
  std::int64_t least_items = 1;  ///< that keep all teams busy
  std::int64_t every = 1;        ///< one of this many tiles has weights; 1: all
  EventTables<Scalar> tables = {};
  const tile::EventTable<double>* lag_tables = nullptr;
  const LagTaps* lag_taps = nullptr;  ///< of pairs of one weight
  ChunkWeights<Scalar> weights = {};
  std::byte* scratch = nullptr;  ///< all 0 before the first item; sums are 0 between items
  std::int64_t scratch_bytes = 0;
  Range laters = {};    ///< channels
  Range earliers = {};  ///< channels
  /// Columns with a row of the result: those of the later channels or, if it is transposed, of the
  /// earlier ones.
  Range columns = {};
  bool is_transposed = false;
  double* result = nullptr;  ///< (columns, columns of the design + 1)

  [[nodiscard]] std::int64_t items() const;
  /// Bytes of a team for any kind of pairs.
  static std::int64_t bytes_of_team(const EventDesign& design, const PairGrouping& grouping,
                                    int lanes);
  void compute(std::int64_t item, std::int64_t team) const override;

 private:
  struct Memory;
  [[nodiscard]] std::int64_t parts_of_laters() const;
  std::int64_t drop_unweighted(tile::PairEvent* events, std::int64_t count,
                               std::int64_t window) const;
  void add_group(const Memory& memory, Range earlier, std::int64_t events, Range later) const;
  void multiply_lags(const Memory& memory, Range later, Range earlier, Range lags,
                     std::int64_t pair_step) const;
  void add_lags(const Memory& memory, std::int64_t pair, const EventChannel& later,
                const EventChannel& earlier) const;
  void write(const EventChannel& later, const EventChannel& earlier, const double* block) const;
};

/// The channels of the columns.
Range channels_of(const EventDesign& design, Range columns);

}  // namespace synelix::glm
