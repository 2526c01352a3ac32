// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"

#include <synelix/types/design_matrix.hpp>

#include <cstdint>
#include <vector>

/// \file
/// `ObservedArrays`: targets, offsets and row weights in memory, or Events.

namespace synelix::glm {

/// The arrays of an `Observations`, and the fold of each row. Values are not checked here:
/// check_targets.hpp checks that they are valid for a family.
class ObservedArrays : public Observed {
 public:
  /// \param rows   of the design matrix
  /// \param folds  of each row; empty: all rows are of fold 0
  /// \throws Error if extents differ from the rows or the targets, or Events or an array are out of
  ///         reach
  ObservedArrays(const Observations& observations, std::int64_t rows,
                 std::vector<std::uint8_t> folds = {});

  [[nodiscard]] std::int64_t rows() const override { return m_rows; }
  [[nodiscard]] std::int64_t targets() const override { return m_targets.channels; }
  [[nodiscard]] bool has_offset() const override { return m_offset.channels > 0; }
  [[nodiscard]] Range counted_rows() const override { return m_counted; }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return static_cast<std::int64_t>(m_common.size() * sizeof(std::uint64_t) + m_folds.size());
  }
  [[nodiscard]] bool weights_follow_targets() const override {
    return !m_is_common && !m_common.empty();
  }
  void read_targets(std::int64_t target, Range rows, double* values) const override;
  void read_weights(const RowsOf& choice, Range rows, double* weights) const override;
  void read_offsets(std::int64_t target, Range rows, double* offsets) const override;

  /// The unchanged values of a target, including NaN.
  void read_found(std::int64_t target, Range rows, double* values) const;

 private:
  /// An array of rows by channels.
  struct Columns {
    Strided array;
    int axis = 0;
    std::int64_t channels = 0;  ///< 0: there is none
    Scaling scaling;

    void read(std::int64_t channel, Range rows, double* values) const;
  };

  static Columns columns_of(const char* name, const Operand& operand, std::int64_t rows);
  void bind_targets(const AnySeries& targets);
  void find_common_rows();
  void find_counted_rows();
  [[nodiscard]] bool may_be_missing() const;

  std::int64_t m_rows;
  Columns m_targets;
  const Events* m_events = nullptr;
  Columns m_offset;
  Columns m_row_weights;
  std::vector<std::uint8_t> m_folds;
  std::vector<Epoch> m_epochs;  ///< of the targets; empty: all rows
  Range m_counted;              ///< from the first row with a weight to the last
  bool m_is_common = true;
  /// Whether all targets of a row are finite, one bit each. Empty: all are.
  std::vector<std::uint64_t> m_common;
};

}  // namespace synelix::glm
