// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

#include <cstdint>
#include <optional>

/// \file
/// What bilinear_forms.hpp declares, without Kokkos: options and choices. Programs include
/// bilinear_forms.hpp.

namespace synelix {

/// How forms are computed.
enum class FormMethod : std::uint8_t {
  automatic,  ///< `triangle` for quadratic forms, else `product`
  product,    ///< x a, a tile at a time, then dot products with y
  /// The same with the triangle u(j, j) = a(j, j), u(j, k) = a(j, k) + a(k, j) for j < k in place
  /// of a. It has the same quadratic forms and takes about half of the products. Sums u are rounded
  /// once, and are not finite if two values of a add up to more than the type can hold. The form of
  /// a vector that holds Inf is not finite by either method; which of NaN and Inf it is may differ.
  triangle
};

/// The name of a method.
const char* name_of(FormMethod method);

/// How forms are computed, and in what memory.
struct BilinearFormsOptions {
  FormMethod method = FormMethod::automatic;  ///< `triangle` is for quadratic forms only
  /// Bytes that the call may use beyond its arguments, in the memory of the execution space;
  /// absent: a quarter of what is available there.
  std::optional<std::int64_t> budget = {};
  Machine machine = {};  ///< only its instruction set is used
  /// Reports the progress of a one-shot call, and cancels it. For plans use `run_watched`.
  Watch watch = {};
};

/// How forms will be computed.
struct BilinearFormsChoice {
  FormMethod method = FormMethod::product;                 ///< never `automatic`
  InstructionSet instruction_set = InstructionSet::plain;  ///< of tiles on a host
  std::int64_t forms = 0;                                  ///< numbers that are computed
  std::int64_t parts = 0;                                  ///< work items that they are cut into
  std::int64_t teams = 0;                                  ///< teams that compute them
  /// Whether the entire matrix is first copied, in the order in which tiles read it. This is done
  /// if the copy fits the budget and several parts read it. Otherwise each team copies one panel at
  /// a time.
  bool is_packed = false;
  std::int64_t workspace_bytes = 0;  ///< what the plan allocates
  double flops = 0;                  ///< floating-point operations that are carried out
  double bytes = 0;                  ///< bytes of operands and results
};

}  // namespace synelix
