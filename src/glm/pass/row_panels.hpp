// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "pack/matrix.hpp"

#include <synelix/types/design_matrix.hpp>
#include <synelix/types/features.hpp>
#include <synelix/types/scaled.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

/// \file
/// `RowPanels`: the source of the rows of a dense design: an array in memory, computed features, or
/// blocks of a file. A pass requests the rows of some blocks at a time.

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
