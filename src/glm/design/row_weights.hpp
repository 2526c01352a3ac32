// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"
#include "pack/matrix.hpp"

#include <algorithm>
#include <cstdint>

namespace synelix::glm {

/// Rows with weights and without targets: all 1, or those of an array (rows).
class RowWeights : public Observed {
 public:
  explicit RowWeights(std::int64_t rows) : m_rows(rows) {}
  RowWeights(std::int64_t rows, const Strided& weights) : m_rows(rows), m_weights(weights) {}

  [[nodiscard]] std::int64_t rows() const override { return m_rows; }
  [[nodiscard]] std::int64_t targets() const override { return 0; }
  [[nodiscard]] bool has_offset() const override { return false; }
  [[nodiscard]] bool weights_follow_targets() const override { return false; }
  void read_targets(std::int64_t, Range rows, double* values) const override {
    std::fill_n(values, rows.size(), 0.0);
  }
  void read_offsets(std::int64_t, Range rows, double* offsets) const override {
    std::fill_n(offsets, rows.size(), 0.0);
  }
  void read_weights(const RowsOf&, Range rows, double* weights) const override {
    std::fill_n(weights, rows.size(), 1.0);
    if (m_weights.data == nullptr) return;
    pack::MatrixSource source;
    source.data = m_weights.data;
    source.type = m_weights.type;
    source.row_stride = m_weights.strides[0];
    pack::gather_block(source, source.data,
                       pack::MatrixBlock<double>{rows.begin, rows.size(), 0, 1, weights, 1, 1});
  }

 private:
  std::int64_t m_rows;
  Strided m_weights;
};

}  // namespace synelix::glm
