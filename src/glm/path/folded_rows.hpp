// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"

#include <cstdint>
#include <vector>

/// \file
/// `FoldedRows`: observations cut into folds.

namespace synelix::glm {

/// Rows that are in no test set.
inline constexpr std::uint8_t no_fold = 255;

/// Observations of rows, with a fold for each. `RowsOf::only` of fold k are the test rows of k,
/// `without` are the training rows: neither test rows nor those within `gap` rows of them.
class FoldedRows final : public Observed {
 public:
  /// \param folds  of each row; the observations must outlive this
  FoldedRows(const Observed& all, std::vector<std::uint8_t> folds, std::int64_t gap);

  /// Folds are 0 ... count() - 1.
  [[nodiscard]] int count() const { return m_count; }
  /// With `only`, the rows that training without fold k leaves out.
  [[nodiscard]] int left_out(int fold) const { return m_gap > 0 ? m_count + 1 + fold : fold; }
  /// With `only`, the rows that are in no test set.
  [[nodiscard]] int in_no_test() const { return m_count; }

  [[nodiscard]] std::int64_t rows() const override { return m_all.rows(); }
  [[nodiscard]] std::int64_t targets() const override { return m_all.targets(); }
  [[nodiscard]] bool has_offset() const override { return m_all.has_offset(); }
  [[nodiscard]] Range counted_rows() const override { return m_all.counted_rows(); }
  [[nodiscard]] std::int64_t held_bytes() const override {
    return m_all.held_bytes() +
           static_cast<std::int64_t>(m_folds.size() + m_borders.capacity() * sizeof(std::int64_t));
  }
  [[nodiscard]] bool weights_follow_targets() const override {
    return m_all.weights_follow_targets();
  }
  void begin(Range rows) const override { m_all.begin(rows); }
  void read_targets(std::int64_t target, Range rows, double* values) const override {
    m_all.read_targets(target, rows, values);
  }
  void read_weights(const RowsOf& choice, Range rows, double* weights) const override;
  void read_offsets(std::int64_t target, Range rows, double* offsets) const override {
    m_all.read_offsets(target, rows, offsets);
  }

 private:
  [[nodiscard]] bool is_near(std::int64_t row, std::uint8_t fold) const;

  const Observed& m_all;
  std::vector<std::uint8_t> m_folds;
  std::int64_t m_gap;
  int m_count = 0;
  std::vector<std::int64_t> m_borders;  ///< first rows of runs of one fold, then the end
};

/// Blocks of consecutive rows, of lengths that differ by at most one.
std::vector<std::uint8_t> blocks_of_rows(std::int64_t rows, std::int64_t folds);

}  // namespace synelix::glm
