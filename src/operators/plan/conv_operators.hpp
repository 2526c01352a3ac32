// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/conv.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

/// \file
/// The convolution operators, one row each. Checks, sizes and problems read these rows, so a new
/// operator on the same arrays is a new row.

namespace synelix::plan {

/// The role of an operator's array in the convolution y = x * w + bias.
enum class ConvRole : std::uint8_t {
  none,
  input,    ///< x or its gradient
  output,   ///< y or its gradient
  weights,  ///< w or its gradient
  bias      ///< the bias or its gradient
};

/// The name of an operator's array for users, and its role.
struct ConvArrayRow {
  const char* name;
  ConvRole role;
};

/// The arrays that an operator reads and writes. The roles determine everything else.
struct ConvOperatorRow {
  ConvOperator value;
  const char* name;
  ConvArrayRow first;
  ConvArrayRow second;
  ConvArrayRow result;
  bool takes_bias;
  bool is_transposed;  ///< of a transposed convolution: its x is the output here; only zero padding

  /// The operand with this role; null: none.
  [[nodiscard]] constexpr const ConvArrayRow* operand(ConvRole role) const {
    if (first.role == role) return &first;
    return second.role == role ? &second : nullptr;
  }
  /// Whether the sweep for gradients by weights computes it.
  [[nodiscard]] constexpr bool is_by_weights() const {
    return result.role == ConvRole::weights || result.role == ConvRole::bias;
  }
  [[nodiscard]] constexpr bool is_by_input() const { return result.role == ConvRole::input; }
  /// Whether the space of the input is known only from the result. For a transposed convolution it
  /// follows from `output_padding`.
  [[nodiscard]] constexpr bool needs_space() const { return is_by_input() && !is_transposed; }
  /// Whether the taps are known only from the result.
  [[nodiscard]] constexpr bool needs_taps() const { return result.role == ConvRole::weights; }
};

inline constexpr ConvOperatorRow conv_operators[] = {
    {ConvOperator::forward,
     "forward",
     {"x", ConvRole::input},
     {"w", ConvRole::weights},
     {"y", ConvRole::output},
     true,
     false},
    {ConvOperator::transposed,
     "transposed",
     {"x", ConvRole::output},
     {"w", ConvRole::weights},
     {"y", ConvRole::input},
     true,
     true},
    {ConvOperator::grad_input,
     "grad_input",
     {"grad_y", ConvRole::output},
     {"w", ConvRole::weights},
     {"grad_x", ConvRole::input},
     false,
     false},
    {ConvOperator::grad_weights,
     "grad_weights",
     {"x", ConvRole::input},
     {"grad_y", ConvRole::output},
     {"grad_w", ConvRole::weights},
     false,
     false},
    {ConvOperator::grad_bias,
     "grad_bias",
     {"grad_y", ConvRole::output},
     {"w", ConvRole::none},
     {"grad_b", ConvRole::bias},
     false,
     false},
};

/// The row of an operator. An undeclared value gets the row of `grad_bias`: its arrays need names
/// before `check_known` rejects it.
constexpr const ConvOperatorRow& row_of(ConvOperator op) {
  const auto number = static_cast<std::size_t>(op);
  return conv_operators[number < std::size(conv_operators)
                            ? number
                            : static_cast<std::size_t>(ConvOperator::grad_bias)];
}

}  // namespace synelix::plan
