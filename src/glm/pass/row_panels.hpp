// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/sweep/row_blocks.hpp"
#include "index/segment.hpp"
#include "pack/matrix.hpp"
#include "tune/fit.hpp"

#include <synelix/types/design_matrix.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/scaled.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

/// \file
/// `RowPanels`: the source of the rows of a dense design: an array in memory, computed features, or
/// blocks of a file. A pass requests the rows of some blocks at a time. `RowStore`: which of them
/// it has, and which are valid.

namespace synelix::glm {

/// Rows of features, brought into memory in parts. Called by one thread.
class RowPanels {
 public:
  virtual ~RowPanels() = default;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t columns() const = 0;
  [[nodiscard]] virtual const std::vector<Term>& terms() const = 0;
  [[nodiscard]] virtual RowSource source() const = 0;
  /// float32 or float64: what `fill` writes.
  [[nodiscard]] virtual StoredType type() const = 0;
  /// All rows, if they are in memory with adjacent columns; else an array without data.
  [[nodiscard]] virtual Strided in_place() const { return {}; }
  /// All rows for kernels of a device, if they are in memory; else null.
  [[nodiscard]] virtual const pack::MatrixSource* matrix() const { return nullptr; }
  /// Bytes that it holds in addition to the caller's arguments.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }
  /// The part of these bytes that the caller holds.
  [[nodiscard]] virtual std::int64_t caller_bytes() const { return 0; }
  /// Predicted seconds of one thread for one row; depends only on the expression.
  [[nodiscard]] virtual double row_seconds() const = 0;
  /// Writes rows, `row_stride` values apart, with adjacent columns. They are complete when it
  /// returns.
  virtual void fill(Range rows, void* to, std::int64_t row_stride) = 0;
};

/// The common part of the rows of a pass in memory of a host or a device. It records which rows are
/// valid, as far as they were read.
class RowStore {
 public:
  [[nodiscard]] std::int64_t rows() const { return m_panels->rows(); }
  [[nodiscard]] std::int64_t columns() const { return m_panels->columns(); }
  [[nodiscard]] std::int64_t block_rows() const { return sweep::block_rows_of(columns()); }
  [[nodiscard]] std::int64_t blocks() const { return index::ceil_divide(rows(), block_rows()); }
  [[nodiscard]] const RowPanels& panels() const { return *m_panels; }
  /// One bit for each row.
  [[nodiscard]] const std::vector<std::uint64_t>& valid() const { return m_valid; }
  [[nodiscard]] bool is_valid(std::int64_t row) const {
    return (m_valid[static_cast<std::size_t>(row / 64)] >> (row % 64) & 1) != 0;
  }
  /// Whether the validity of all rows of a range is known.
  [[nodiscard]] bool is_surveyed(Range wanted) const {
    return is_known({wanted.begin / tune::fit_tile_rows * tune::fit_tile_rows, wanted.end}, 1);
  }

 protected:
  RowStore(std::unique_ptr<RowPanels> panels, bool keeps)
      : m_panels(std::move(panels)),
        m_keeps(keeps),
        m_valid(static_cast<std::size_t>(index::ceil_divide(rows(), 64))),
        m_known(static_cast<std::size_t>(index::ceil_divide(rows(), tune::fit_tile_rows))) {}

  /// Whether features are kept once they are computed.
  [[nodiscard]] bool keeps() const { return m_keeps; }
  void set_keeps(bool keeps) { m_keeps = keeps; }
  std::vector<std::uint64_t>& valid_bits() { return m_valid; }
  std::vector<std::uint8_t>& known_tiles() { return m_known; }

  /// Calls visit(rows) for all blocks that overlap a range, `wave_blocks` at a time.
  template <class Visit>
  void each_wave(Range wanted, std::int64_t wave_blocks, const Visit& visit) const {
    const std::int64_t step = wave_blocks * block_rows();
    const std::int64_t first = wanted.begin / block_rows() * block_rows();
    const std::int64_t last = std::min(rows(), index::round_up(wanted.end, block_rows()));
    for (std::int64_t begin = first; begin < last; begin += step) {
      visit(Range{begin, std::min(last, begin + step)});
    }
  }

  /// Whether every n-th tile of rows that begin with a tile was read.
  [[nodiscard]] bool is_known(Range wave, std::int64_t every) const {
    for (std::int64_t t = wave.begin; t < wave.end; t += tune::fit_tile_rows) {
      const std::int64_t tile = t / tune::fit_tile_rows;
      if (tile % every == 0 && m_known[static_cast<std::size_t>(tile)] == 0) return false;
    }
    return true;
  }

  /// Computes the wanted tiles of a wave that are missing, adjacent ones at once.
  /// \param to      the first row of the wave
  /// \param stride  values from one row to the next
  template <class Wave, class Value>
  void fill(const Wave& wave, Value* to, std::int64_t row_bytes, std::int64_t stride) {
    const auto is_wanted = [&](std::int64_t t) {
      const bool is_there = m_keeps && m_known[static_cast<std::size_t>(t / tune::fit_tile_rows)];
      return wave.has_tile(t) && !is_there;
    };
    auto* const first = reinterpret_cast<std::byte*>(to);
    std::int64_t t = wave.rows.begin;
    while (t < wave.rows.end) {
      if (!is_wanted(t)) {
        t += tune::fit_tile_rows;
        continue;
      }
      std::int64_t end = t;
      while (end < wave.rows.end && is_wanted(end)) end += tune::fit_tile_rows;
      end = std::min(end, wave.rows.end);
      m_panels->fill({t, end}, first + (t - wave.rows.begin) * row_bytes, stride);
      t = end;
    }
  }

 private:
  std::unique_ptr<RowPanels> m_panels;
  bool m_keeps;
  std::vector<std::uint64_t> m_valid;
  std::vector<std::uint8_t> m_known;  ///< for each tile
};

/// The rows of a matrix of the caller: in place if they are float or double with adjacent columns,
/// else converted. Values stored as double stay double; others become float.
/// \throws Error if it does not have two dimensions, or is out of reach
template <class ExecutionSpace>
std::unique_ptr<RowPanels> stored_panels(const ExecutionSpace& exec, const Operand& features,
                                         const DesignMatrixOptions& options);

/// Predicted seconds of one thread for one row of these components, from windows, channels and
/// bases. It does not depend on threads, budget or calibration, because it determines the solver.
double row_seconds_of(const std::vector<Component>& components, std::span<const InputShape> shapes);

/// The rows of an expression, computed in float for some blocks at a time.
/// \param pass_bytes  the least bytes of a pass over this many columns, without the plan
/// \throws Error as FeaturesPlan, or if the budget is too small for both
template <class ExecutionSpace>
std::unique_ptr<RowPanels> computed_panels(
    const ExecutionSpace& exec, const Expression& expression, std::span<const AnySeries> inputs,
    const DesignMatrixOptions& options, std::int64_t budget,
    const std::function<std::int64_t(std::int64_t columns)>& pass_bytes);

}  // namespace synelix::glm
