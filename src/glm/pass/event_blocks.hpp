// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_tiles.hpp"
#include "glm/pass/pass.hpp"
#include "glm/rows/observed.hpp"
#include "glm/rows/row_loss.hpp"
#include "glm/sweep/host_items.hpp"
#include "index/segment.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

/// \file
/// The work on a block of rows of a design of events: loss and gradient, products.

namespace synelix::glm {

/// The memory of a thread for the blocks of a pass.
template <class Scalar>
class EventScratch {
 public:
  /// Bytes of a thread with this many sets of windows.
  static std::int64_t bytes(const EventDesign& design, int lanes, int window_sets);
  EventScratch(const EventDesign& design, int lanes, int window_sets, std::byte* memory);

  EventCursor* cursors;
  Scalar* rows;
  Scalar* curvatures;
  Scalar* windows;     ///< sets of the windows of all channels
  double* products;    ///< for `multiply_taps`
  double* predictors;  ///< of the rows of a loss, like the arrays below
  double* targets;
  double* weights;
  double* row_curvatures;

 private:
  template <class Value>
  Value* take(std::int64_t values);
  void align_to(std::int64_t page_offset);
  std::byte* m_memory;  ///< null: bytes are only counted
  std::int64_t m_bytes = 0;
};

/// The layout of the sums of a block of one right-hand side, in doubles.
struct BlockSums {
  std::int64_t columns = 0;  ///< columns + 1
  int sets = 1;              ///< gradient, then curvature or scale if wanted

  static constexpr std::int64_t loss = 0;
  static constexpr std::int64_t weight = 1;
  [[nodiscard]] std::int64_t set(int i) const { return 2 + i * columns; }
  [[nodiscard]] std::int64_t values() const { return set(sets); }
};

/// The common data of all items over blocks.
template <class Scalar>
struct BlockWork {
  const EventDesign* design = nullptr;
  EventTables<Scalar> tables = {};
  std::byte* scratch = nullptr;    ///< of all teams
  std::int64_t scratch_bytes = 0;  ///< of each
  int window_sets = 1;
  Range rows = {};            ///< of all blocks together
  std::int64_t blocks = 0;    ///< of each right-hand side
  Scalar* kernels = nullptr;  ///< windows of each right-hand side

  [[nodiscard]] EventScratch<Scalar> scratch_of(std::int64_t team) const {
    return {*design, tables.products->lanes, window_sets, scratch + team * scratch_bytes};
  }
  [[nodiscard]] Range block(std::int64_t i) const;
};

/// Whether any of `rows` is in a tile that a walk over every n-th tile uses. `rows` may begin
/// before row 0 and end after the last row.
inline bool meets_taken_tile(const EventDesign& design, Range rows, std::int64_t every) {
  const std::int64_t first = std::max<std::int64_t>(rows.begin, 0) / design.tile_rows;
  const std::int64_t taken = index::ceil_divide(first, every) * every;  // the next one
  return taken * design.tile_rows < rows.end;
}

/// Calls body(tile) for the tiles of a block with valid rows, of every n-th tile of the recording.
template <class Body>
void for_each_tile(const EventDesign& design, Range rows, std::int64_t every, const Body& body) {
  for (std::int64_t t = rows.begin; t < rows.end; t += design.tile_rows) {
    const Range tile{t, t + design.tile_rows < rows.end ? t + design.tile_rows : rows.end};
    const bool is_taken = t / design.tile_rows % every == 0;
    if (is_taken && has_valid(design.valid, tile)) body(tile);
  }
}

/// The kernel of each channel of each right-hand side: an item is a channel of one of them.
template <class Scalar>
class KernelItems : public sweep::HostItems {
 public:
  const EventDesign* design = nullptr;
  const double* const* coefficients = nullptr;  ///< of each right-hand side
  std::int64_t step = 1;                        ///< from coefficient to coefficient
  Scalar* kernels = nullptr;

  void compute(std::int64_t item, std::int64_t team) const override;
};

/// Loss, gradient, curvatures and scale: an item is a block of one right-hand side.
template <class Scalar>
class EvaluateItems : public sweep::HostItems {
 public:
  BlockWork<Scalar> work = {};
  const RowLoss* loss = nullptr;  ///< null: only the curvatures are computed, which are the weights
  const Observed* observed = nullptr;
  std::span<const Request> requests = {};
  std::int64_t every = 1;
  BlockSums layout = {};
  bool wants_curvatures = false;
  double* sums = nullptr;        ///< of each item
  Scalar* curvatures = nullptr;  ///< of the rows of the work, of one right-hand side; or null

  void compute(std::int64_t item, std::int64_t team) const override;

 private:
  struct Block;
  void run_tile(Block& block, Range tile) const;
  void run_rows(Block& block, Range rows, Scalar* values, Scalar* curvature_rows) const;
};

/// Predictors: an item is a block of one right-hand side.
template <class Scalar>
class ApplyItems : public sweep::HostItems {
 public:
  BlockWork<Scalar> work = {};
  std::int64_t right_hand_sides = 1;
  double* predictors = nullptr;  ///< of the rows of the work, row-major

  void compute(std::int64_t item, std::int64_t team) const override;
};

/// Products with residuals: an item is a block of one right-hand side.
template <class Scalar>
class AdjointItems : public sweep::HostItems {
 public:
  BlockWork<Scalar> work = {};
  Strided residuals = {};
  std::int64_t first_right_hand_side = 0;
  double* sums = nullptr;  ///< `columns` of each item

  void compute(std::int64_t item, std::int64_t team) const override;
};

}  // namespace synelix::glm
