// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/exponential_fit.hpp"

#include "bases/singular.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

namespace synelix::bases {
namespace {

constexpr std::size_t block_samples = 4096;

}  // namespace

ExponentialFit::ExponentialFit(std::vector<double> rates)
    : m_rates(std::move(rates)), m_triangle(m_rates.size() * m_rates.size(), 0.0) {
  m_block.reserve(block_samples);
}

void ExponentialFit::add(double u) {
  m_block.push_back(u);
  ++m_samples;
  if (m_block.size() == block_samples) update();
}

void ExponentialFit::update() {
  const std::size_t columns = m_rates.size();
  const std::size_t rows = columns + m_block.size();
  std::vector<double> stacked(rows * columns);
  for (std::size_t j = 0; j < columns; ++j) {
    double* const column = &stacked[j * rows];
    std::copy_n(&m_triangle[j * columns], columns, column);
    for (std::size_t i = 0; i < m_block.size(); ++i) {
      column[columns + i] = std::exp(-m_rates[j] * m_block[i]);
    }
  }
  m_triangle =
      upper_triangle(std::move(stacked), static_cast<int>(rows), static_cast<int>(columns));
  m_block.clear();
}

ExponentialFit::Map ExponentialFit::map() {
  if (!m_block.empty()) update();
  const std::size_t columns = m_rates.size();
  const Singular found =
      decompose(m_triangle, static_cast<int>(columns), static_cast<int>(columns));
  const double least =
      found.s[0] *
      static_cast<double>(std::max<std::int64_t>(m_samples, static_cast<std::int64_t>(columns))) *
      std::numeric_limits<double>::epsilon();
  const auto rank = static_cast<std::size_t>(std::count_if(
      found.s.begin(), found.s.end(), [least](double value) { return value > least; }));
  Map result{static_cast<std::int64_t>(rank), std::vector<double>(columns * rank)};
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t b = 0; b < rank; ++b) {
      result.values[i * rank + b] = found.vt[i * columns + b] / found.s[b];
    }
  }
  return result;
}

}  // namespace synelix::bases
