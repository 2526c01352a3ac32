// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "glm/rows/families.hpp"
#include "glm/score/model_view.hpp"

#include <synelix/types/scaled.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `RateWalk`: the linear predictors of a model for one part of the rows after the other, in memory
/// of a fixed size.

namespace synelix::glm {

/// Rows of a work item. Sums over rows are taken within such blocks of the recording, and blocks
/// are added in order, so sums do not depend on the parts of a walk.
inline constexpr std::int64_t rows_of_item = 512;

/// Offsets of rows and targets: (rows) or (rows, targets) of any stored type; 0 if absent.
class OffsetColumns {
 public:
  OffsetColumns() = default;
  /// \throws Error if the extents differ
  OffsetColumns(const Operand& offset, std::int64_t rows, std::int64_t targets);
  [[nodiscard]] double value(std::int64_t row, std::int64_t target) const;

 private:
  Operand m_offset;
};

/// The rows of a walk that are in memory.
struct WalkedRows {
  Range rows;
  const double* predictors;  ///< (rows, targets, classes) with intercepts, row-major
  std::int64_t stride;       ///< from row to row

  /// Linear predictors of a row and target, one for each class.
  [[nodiscard]] const double* of(std::int64_t row, std::int64_t target,
                                 std::int64_t classes) const {
    return predictors + (row - rows.begin) * stride + target * classes;
  }
};

/// The linear predictors of a model.
class RateWalk {
 public:
  /// Uses parts of 4 MiB of predictors, and at least 512 rows.
  /// \param shares  number of arrays of the size of a part that the caller and this object hold
  ///                together
  RateWalk(Pass& pass, const ModelView& model, std::int64_t shares = 1);

  /// Calls visit(WalkedRows) for consecutive parts of all rows. Parts begin at multiples of
  /// `rows_of_item`. Predictors of invalid rows are NaN.
  template <class Visit>
  void each(const Visit& visit) {
    each({0, m_rows}, visit);
  }
  /// The same for the parts that contain these rows; the first may begin before them.
  template <class Visit>
  void each(Range rows, const Visit& visit) {
    std::int64_t begin = rows.begin / rows_of_item * rows_of_item;
    for (; begin < rows.end; begin += m_rows_of_part) {
      visit(part({begin, std::min(begin + m_rows_of_part, rows.end)}));
    }
  }

 private:
  WalkedRows part(Range rows);

  Pass& m_pass;
  const ModelView& m_model;
  std::int64_t m_rows;
  std::int64_t m_rows_of_part;
  std::vector<double> m_predictors;
};

/// The work items of a part of a walk: blocks of rows times targets, blocks fastest.
struct WalkItems {
  Range rows;
  std::int64_t blocks;
  std::int64_t count;

  WalkItems(Range part, std::int64_t targets)
      : rows(part),
        blocks((part.size() + rows_of_item - 1) / rows_of_item),
        count(blocks * targets) {}
  [[nodiscard]] std::int64_t target(std::int64_t item) const { return item / blocks; }
  [[nodiscard]] Range block(std::int64_t item) const {
    const std::int64_t begin = rows.begin + item % blocks * rows_of_item;
    return {begin, std::min(begin + rows_of_item, rows.end)};
  }
};

/// Counts the rows with a mean that the family cannot have, for each target. Several threads
/// process items, which are added in order.
class OutsideRows {
 public:
  explicit OutsideRows(const ModelView& model)
      : m_model(model), m_found(static_cast<std::size_t>(model.targets)) {}

  /// Call it before the items of a part.
  void begin(const WalkItems& items) {
    m_of_items.assign(static_cast<std::size_t>(items.count), {});
  }
  /// Checks a row of an item, with its predictor and its mean.
  void look(std::int64_t item, std::int64_t row, double predictor, double mean) {
    if (!is_outside(m_model.loss, predictor, mean)) return;
    Found& found = m_of_items[static_cast<std::size_t>(item)];
    if (found.count++ == 0) found.first = row;
  }
  /// Call it after the items of a part.
  void add(const WalkItems& items);
  /// One sentence for all targets, or no sentence.
  [[nodiscard]] std::vector<std::string> warnings() const;

 private:
  struct Found {
    std::int64_t count = 0;
    std::int64_t first = 0;
  };

  const ModelView& m_model;
  std::vector<Found> m_of_items;
  std::vector<Found> m_found;
};

}  // namespace synelix::glm
