// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/scaled.hpp>

#include <cstdint>
#include <optional>

/// \file
/// What matmul.hpp declares, without Kokkos: windows, options, choices and a product. Programs
/// include matmul.hpp.

namespace synelix {

/// Rows as columns: the last two dimensions are swapped; the others are a batch. Scaling is kept:
/// numbers of each column become numbers of each row.
/// \throws Error for less than two dimensions
Operand transposed(const Operand& matrices);

/// Every window of `columns` neighboring columns. The first is at column 0, and each is `step`
/// columns after the previous one: (..., places, rows, columns), without a copy.
///
///     // a (10, 20), b (20, 1000): c (981, 10, 20)
///     auto c = sx::matmul<Kokkos::View<float***>>(exec, a, sx::windows(b, 20));
///
/// As numpy.lib.stride_tricks.sliding_window_view(b, 20, axis=1)[:, :: step].swapaxes(0, 1).
/// \throws Error for fewer than one column, more than there are, a step below 1, an array of more
///         than six dimensions, or scales or offsets for each channel
Operand windows(const Operand& matrices, std::int64_t columns, std::int64_t step = 1);
/// Every window of `rows` by `columns`, along both: (..., row places, column places, rows,
/// columns). \throws Error as above, for rows as for columns
Operand windows(const Operand& matrices, std::int64_t rows, std::int64_t columns,
                std::int64_t step);

/// What computes products.
enum class Multiplier : std::uint8_t {
  automatic,  ///< `library` for one large product, else `tiles`
  tiles,      ///< this library's tiles: any set
  library     ///< the vendor's: one product of unscaled values, whose arrays each have a direction
              ///< of stride 1
};

/// The name of a multiplier.
const char* name_of(Multiplier multiplier);

/// How products are computed.
struct MatmulOptions {
  double alpha = 1;                               ///< finite; 0: operands are not read
  double beta = 0;                                ///< 0: the result is not read
  Multiplier multiplier = Multiplier::automatic;  ///< `library` is an Error if it does not apply
  /// Bytes that the call may use beyond its arguments, in the memory of the execution space;
  /// absent: a quarter of what is available there.
  std::optional<std::int64_t> budget = {};
  Machine machine = {};  ///< only its instruction set is used
  /// Reports the progress of a one-shot call, and cancels it. For plans use `run_watched`.
  Watch watch = {};
};

/// How products will be computed.
struct MatmulChoice {
  Multiplier multiplier = Multiplier::tiles;               ///< never `automatic`
  InstructionSet instruction_set = InstructionSet::plain;  ///< of tiles on a host
  std::int64_t products = 0;                               ///< of the given set
  std::int64_t parts = 0;  ///< work items that the products are cut into; 0 with a library
  std::int64_t teams = 0;  ///< teams that compute them
  /// Whether all products are slices of one product, which is computed once. That is so if the
  /// right operands of a batch are overlapping windows along columns, the left one is the same for
  /// all, nothing is added to results, rows of results are not adjacent, and the product fits the
  /// budget.
  bool is_sliced = false;
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates
  double flops = 0;                  ///< floating-point operations that are carried out
  double bytes = 0;                  ///< bytes of operands and results, of what is computed
};

/// One product of a list: two matrices and the array of their product, of float or double.
struct Product {
  Operand a;        ///< (rows, inner)
  Operand b;        ///< (inner, columns)
  StridedOutput c;  ///< (rows, columns)
  /// Name of the Kokkos memory space of `c`; empty if only the caller knows.
  const char* memory_space = "";
};

}  // namespace synelix
