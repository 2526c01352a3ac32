// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/rows/observed.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// \file
/// `glm::Observed` over plain vectors.

namespace oracle {

/// Targets (rows, targets), row-major; the other vectors may be empty.
class ReferenceObserved : public synelix::glm::Observed {
 public:
  std::vector<double> values = {};       ///< (rows, targets)
  std::vector<double> offsets = {};      ///< (rows, targets)
  std::vector<double> row_weights = {};  ///< (rows)
  std::vector<int> folds = {};           ///< (rows)
  bool rows_are_common = true;

  ReferenceObserved(std::int64_t rows, std::int64_t targets, std::vector<double> targets_of_rows)
      : values(std::move(targets_of_rows)), m_rows(rows), m_targets(targets) {}

  [[nodiscard]] std::int64_t rows() const override { return m_rows; }
  [[nodiscard]] std::int64_t targets() const override { return m_targets; }
  [[nodiscard]] bool has_offset() const override { return !offsets.empty(); }

  void read_targets(std::int64_t target, synelix::Range rows, double* to) const override {
    for (std::int64_t t = rows.begin; t < rows.end; ++t) {
      const double value = values[at(t, target)];
      to[t - rows.begin] = std::isfinite(value) ? value : 0;
    }
  }
  void read_weights(const synelix::glm::RowsOf& choice, synelix::Range rows,
                    double* to) const override {
    for (std::int64_t t = rows.begin; t < rows.end; ++t) to[t - rows.begin] = weight(choice, t);
  }
  void read_offsets(std::int64_t target, synelix::Range rows, double* to) const override {
    for (std::int64_t t = rows.begin; t < rows.end; ++t)
      to[t - rows.begin] = offsets[at(t, target)];
  }

 private:
  [[nodiscard]] std::size_t at(std::int64_t t, std::int64_t target) const {
    return static_cast<std::size_t>(t * m_targets + target);
  }
  [[nodiscard]] double weight(const synelix::glm::RowsOf& choice, std::int64_t t) const {
    using Fold = synelix::glm::RowsOf::Fold;
    const auto row = static_cast<std::size_t>(t);
    for (std::int64_t i = 0; i < m_targets; ++i) {
      const bool counts = rows_are_common || choice.target < 0 || choice.target == i;
      if (counts && !std::isfinite(values[at(t, i)])) return 0;
    }
    const int fold = folds.empty() ? 0 : folds[row];
    if (choice.folds == Fold::without && fold == choice.fold) return 0;
    if (choice.folds == Fold::only && fold != choice.fold) return 0;
    return row_weights.empty() ? 1 : row_weights[row];
  }

  std::int64_t m_rows;
  std::int64_t m_targets;
};

}  // namespace oracle
