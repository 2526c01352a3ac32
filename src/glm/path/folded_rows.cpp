// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/path/folded_rows.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace synelix::glm {

FoldedRows::FoldedRows(const Observed& all, std::vector<std::uint8_t> folds, std::int64_t gap)
    : m_all(all), m_folds(std::move(folds)), m_gap(std::min(gap, all.rows())) {
  for (std::size_t t = 0; t < m_folds.size(); ++t) {
    if (m_folds[t] != no_fold) m_count = std::max(m_count, m_folds[t] + 1);
    if (t == 0 || m_folds[t] != m_folds[t - 1]) m_borders.push_back(static_cast<std::int64_t>(t));
  }
  m_borders.push_back(static_cast<std::int64_t>(m_folds.size()));
}

/// Whether a row is in a fold, or within the gap of a row of the fold.
bool FoldedRows::is_near(std::int64_t row, std::uint8_t fold) const {
  if (m_folds[static_cast<std::size_t>(row)] == fold) return true;
  if (m_gap == 0) return false;
  // Runs that meet [row - gap, row + gap].
  auto run = std::upper_bound(m_borders.begin(), m_borders.end() - 1,
                              std::max<std::int64_t>(row - m_gap, 0));
  for (--run; run + 1 != m_borders.end() && *run <= row + m_gap; ++run) {
    if (m_folds[static_cast<std::size_t>(*run)] == fold) return true;
  }
  return false;
}

void FoldedRows::read_weights(const RowsOf& choice, Range rows, double* weights) const {
  m_all.read_weights({choice.target, RowsOf::Fold::all, 0}, rows, weights);
  if (choice.folds == RowsOf::Fold::all) return;
  for (std::int64_t t = rows.begin; t < rows.end; ++t) {
    double& weight = weights[t - rows.begin];
    if (weight == 0) continue;
    bool counts = false;
    if (choice.folds == RowsOf::Fold::without) {
      counts = !is_near(t, static_cast<std::uint8_t>(choice.fold));
    } else if (choice.fold < m_count) {
      counts = m_folds[static_cast<std::size_t>(t)] == choice.fold;
    } else if (choice.fold == m_count) {
      counts = m_folds[static_cast<std::size_t>(t)] == no_fold;
    } else {
      counts = is_near(t, static_cast<std::uint8_t>(choice.fold - m_count - 1));
    }
    if (!counts) weight = 0;
  }
}

std::vector<std::uint8_t> blocks_of_rows(std::int64_t rows, std::int64_t folds) {
  std::vector<std::uint8_t> all(static_cast<std::size_t>(rows));
  for (std::int64_t t = 0; t < rows; ++t) {
    all[static_cast<std::size_t>(t)] = static_cast<std::uint8_t>(t * folds / rows);
  }
  return all;
}

}  // namespace synelix::glm
