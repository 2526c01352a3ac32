// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/matrix.hpp"

#include <synelix/types/design_matrix.hpp>

#include <cstdint>
#include <vector>

/// \file
/// `RowPanels`: where the rows of a dense design come from. A pass asks for the rows of some blocks
/// at a time: an array that lies in memory, features that are computed, blocks of a file.

namespace synelix::glm {

/// Rows of features, brought into memory some at a time. Called by one thread.
class RowPanels {
 public:
  virtual ~RowPanels() = default;
  [[nodiscard]] virtual std::int64_t rows() const = 0;
  [[nodiscard]] virtual std::int64_t columns() const = 0;
  [[nodiscard]] virtual const std::vector<Term>& terms() const = 0;
  [[nodiscard]] virtual RowSource source() const = 0;
  /// float32 or float64: what `fill` writes.
  [[nodiscard]] virtual StoredType type() const = 0;
  /// All rows, where they lie in memory already with columns side by side; else without data.
  [[nodiscard]] virtual Strided in_place() const { return {}; }
  /// All rows as kernels of a device read them, where they lie in memory already; else null.
  [[nodiscard]] virtual const pack::MatrixSource* matrix() const { return nullptr; }
  /// Bytes that it holds beside the caller's arguments.
  [[nodiscard]] virtual std::int64_t held_bytes() const { return 0; }
  /// Of these, bytes that the caller holds himself.
  [[nodiscard]] virtual std::int64_t caller_bytes() const { return 0; }
  /// Seconds that one row takes one thread, counted: it follows from the expression alone.
  [[nodiscard]] virtual double row_seconds() const = 0;
  /// Writes rows, `row_stride` values apart, columns side by side. They are there when it returns.
  virtual void fill(Range rows, void* to, std::int64_t row_stride) = 0;
};

}  // namespace synelix::glm
