// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "lanes/pack.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// How a thread of a device stores what it has in registers: a pack of neighbouring rows of some
/// bases, at once where the features have them side by side.

namespace synelix::sweep {

/// Stores rows of a strip of one channel.
template <class Scalar>
class RowStore {
 public:
  using Pack = lanes::Pack<Scalar, lanes::DeviceThread>;

  KOKKOS_INLINE_FUNCTION RowStore(const Problem<Scalar>& problem,
                                  const FeatureTarget<Scalar>& features, const index::Strip& strip,
                                  std::int64_t channel, Range bases)
      : m_rows(strip.rows),
        m_valued(index::valued_rows(strip, problem.layout.every)),
        m_bases(bases.size()) {
    const FeatureTarget<Scalar>& own = features.of(strip.trial);
    m_row_stride = own.row_stride;
    m_basis_stride = own.basis_stride;
    m_to = own.first_row(channel, bases.begin) + (strip.row - own.rows.begin) * own.row_stride;
  }

  /// Rows from `row` on, as many as a pack has; those behind the strip's last are left out.
  template <int bases>
  KOKKOS_INLINE_FUNCTION void operator()(const Pack (&sums)[bases], std::int64_t row) const {
    if (row >= m_rows) return;
    const bool is_whole = m_valued.begin <= row && row + Pack::lanes <= m_valued.end;
    Scalar* const to = m_to + row * m_row_stride;
    if (is_whole && m_row_stride == 1 && is_aligned(to) && is_aligned_stride(m_basis_stride)) {
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; ++b) {
        if (b < m_bases) sums[b].canonical().store(to + b * m_basis_stride);
      }
      return;
    }
    if constexpr (bases % Pack::lanes == 0) {
      if (is_whole && m_basis_stride == 1 && m_bases == bases && is_aligned(to) &&
          is_aligned_stride(m_row_stride)) {
        store_rows(sums, to);
        return;
      }
    }
    SYNELIX_UNROLL(16)
    for (int b = 0; b < bases; ++b) {
      if (b >= m_bases) continue;
      SYNELIX_UNROLL(16)
      for (int i = 0; i < Pack::lanes; ++i) {
        if (row + i < m_rows) {
          const bool has_value = m_valued.begin <= row + i && row + i < m_valued.end;
          to[i * m_row_stride + b * m_basis_stride] =
              has_value ? canonical(sums[b].values[i]) : missing_value<Scalar>();
        }
      }
    }
  }

 private:
  KOKKOS_INLINE_FUNCTION static bool is_aligned(const Scalar* to) {
    return reinterpret_cast<std::uintptr_t>(to) % lanes::DeviceThread::bytes == 0;
  }
  KOKKOS_INLINE_FUNCTION static bool is_aligned_stride(std::int64_t stride) {
    return stride % Pack::lanes == 0;
  }

  /// Rows whose bases lie side by side.
  template <int bases>
  KOKKOS_INLINE_FUNCTION void store_rows(const Pack (&sums)[bases], Scalar* to) const {
    SYNELIX_UNROLL(16)
    for (int i = 0; i < Pack::lanes; ++i) {
      SYNELIX_UNROLL(16)
      for (int b = 0; b < bases; b += Pack::lanes) {
        Pack row;
        for (int k = 0; k < Pack::lanes; ++k) row.values[k] = canonical(sums[b + k].values[i]);
        row.store(to + i * m_row_stride + b);
      }
    }
  }

  std::int64_t m_rows;
  Range m_valued;
  std::int64_t m_bases;
  std::int64_t m_row_stride;
  std::int64_t m_basis_stride;
  Scalar* m_to;
};

}  // namespace synelix::sweep
