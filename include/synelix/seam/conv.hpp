// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/conv.hpp>
#include <synelix/error.hpp>

#include <vector>

/// \file
/// Definitions of the operators that conv.hpp declares, alike for one, two and three dimensions.
/// conv.hpp includes it. For the public headers, not for users.

namespace synelix {
namespace seam {

/// The result of an operator in a View of its own, of this rank.
template <class Result, int rank, class ExecutionSpace>
Result convolved(const ExecutionSpace& exec, ConvArrays arrays, const ConvOptions& options,
                 const PerDimension& size = 1) {
  Result result;
  if constexpr (returns_output<ExecutionSpace, rank, rank, Result>()) {
    result = new_output<Result>(exec, "synelix::conv::result", conv_extents(arrays, options, size));
    arrays.result = strided_of(result);
    convolve_arrays(exec, arrays, options);
  }
  return result;
}

}  // namespace seam

#define SYNELIX_CONV_WITH_BIAS(NAME, DIMENSIONS, OPERATOR, WEIGHTS)                                \
  template <class ExecutionSpace, class Output>                                                    \
  void NAME(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias,   \
            const Output& y, const ConvOptions& options) {                                         \
    convolve_arrays(exec,                                                                          \
                    {ConvOperator::OPERATOR, DIMENSIONS, x, WEIGHTS, bias,                         \
                     seam::output_on<ExecutionSpace, DIMENSIONS + 2, DIMENSIONS + 2>(y)},          \
                    options);                                                                      \
  }                                                                                                \
  template <class Result, class ExecutionSpace>                                                    \
  Result NAME(const ExecutionSpace& exec, const Operand& x, const Operand& w, const Operand& bias, \
              const ConvOptions& options) {                                                        \
    return seam::convolved<Result, DIMENSIONS + 2>(                                                \
        exec, {ConvOperator::OPERATOR, DIMENSIONS, x, WEIGHTS, bias, {}}, options);                \
  }
#define SYNELIX_CONV_GRADIENT(NAME, DIMENSIONS, OPERATOR)                                        \
  template <class ExecutionSpace, class Output>                                                  \
    requires(!std::is_convertible_v<const Output&, PerDimension>)                                \
  void NAME(const ExecutionSpace& exec, const Operand& first, const Operand& second,             \
            const Output& gradient, const ConvOptions& options) {                                \
    convolve_arrays(exec,                                                                        \
                    {ConvOperator::OPERATOR, DIMENSIONS, first, second, no_bias,                 \
                     seam::output_on<ExecutionSpace, DIMENSIONS + 2, DIMENSIONS + 2>(gradient)}, \
                    options);                                                                    \
  }                                                                                              \
  template <class Result, class ExecutionSpace>                                                  \
  Result NAME(const ExecutionSpace& exec, const Operand& first, const Operand& second,           \
              const PerDimension& size, const ConvOptions& options) {                            \
    return seam::convolved<Result, DIMENSIONS + 2>(                                              \
        exec, {ConvOperator::OPERATOR, DIMENSIONS, first, second, no_bias, {}}, options, size);  \
  }
#define SYNELIX_CONV_GRADIENT_BY_BIAS(NAME, DIMENSIONS)                                        \
  template <class ExecutionSpace, class Output>                                                \
    requires(!std::is_convertible_v<const Output&, ConvOptions>)                               \
  void NAME(const ExecutionSpace& exec, const Operand& grad_y, const Output& grad_b,           \
            const ConvOptions& options) {                                                      \
    convolve_arrays(exec,                                                                      \
                    {ConvOperator::grad_bias,                                                  \
                     DIMENSIONS,                                                               \
                     grad_y,                                                                   \
                     {},                                                                       \
                     no_bias,                                                                  \
                     seam::output_on<ExecutionSpace, 1, 1>(grad_b)},                           \
                    options);                                                                  \
  }                                                                                            \
  template <class Result, class ExecutionSpace>                                                \
  Result NAME(const ExecutionSpace& exec, const Operand& grad_y, const ConvOptions& options) { \
    return seam::convolved<Result, 1>(                                                         \
        exec, {ConvOperator::grad_bias, DIMENSIONS, grad_y, {}, no_bias, {}}, options);        \
  }
#define SYNELIX_CONV_OPERATORS(DIMENSIONS)                                          \
  SYNELIX_CONV_WITH_BIAS(conv##DIMENSIONS##d, DIMENSIONS, forward, w)               \
  SYNELIX_CONV_WITH_BIAS(true_conv##DIMENSIONS##d, DIMENSIONS, forward, flipped(w)) \
  SYNELIX_CONV_WITH_BIAS(conv##DIMENSIONS##d_transposed, DIMENSIONS, transposed, w) \
  SYNELIX_CONV_GRADIENT(conv##DIMENSIONS##d_grad_input, DIMENSIONS, grad_input)     \
  SYNELIX_CONV_GRADIENT(conv##DIMENSIONS##d_grad_weights, DIMENSIONS, grad_weights) \
  SYNELIX_CONV_GRADIENT_BY_BIAS(conv##DIMENSIONS##d_grad_bias, DIMENSIONS)
SYNELIX_CONV_OPERATORS(1)
SYNELIX_CONV_OPERATORS(2)
SYNELIX_CONV_OPERATORS(3)
#undef SYNELIX_CONV_OPERATORS
#undef SYNELIX_CONV_GRADIENT_BY_BIAS
#undef SYNELIX_CONV_GRADIENT
#undef SYNELIX_CONV_WITH_BIAS

}  // namespace synelix
