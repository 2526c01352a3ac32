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

/// The rows of a matrix of the caller's: where they lie if they are float or double with columns
/// side by side, else converted. Values stored as double stay double; others become float.
/// \throws Error where it has not two dimensions, or is out of reach
template <class ExecutionSpace>
std::unique_ptr<RowPanels> stored_panels(const ExecutionSpace& exec, const Operand& features,
                                         const DesignMatrixOptions& options);

/// Seconds that one row of these components takes one thread, counted from windows, channels and
/// bases. Neither threads nor a budget nor a calibration decide: a solver follows from it.
double row_seconds_of(const std::vector<Component>& components, std::span<const InputShape> shapes);

/// The rows of an expression, computed in float some blocks at a time.
/// \param pass_bytes  the least that a pass over so many columns needs beside the plan
/// \throws Error as FeaturesPlan, or where the budget is too small for both
template <class ExecutionSpace>
std::unique_ptr<RowPanels> computed_panels(
    const ExecutionSpace& exec, const Expression& expression, std::span<const AnySeries> inputs,
    const DesignMatrixOptions& options, std::int64_t budget,
    const std::function<std::int64_t(std::int64_t columns)>& pass_bytes);

}  // namespace synelix::glm
