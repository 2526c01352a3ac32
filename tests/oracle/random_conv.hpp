// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/array.hpp"
#include "oracle/matchers.hpp"
#include "oracle/operators.hpp"
#include "oracle/products.hpp"
#include "oracle/sets.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

/// \file
/// Convolutions drawn at random, their arrays placed at random in either order of channels.

namespace oracle {

inline constexpr synelix::StoredType stored_types[] = {
    synelix::StoredType::float32, synelix::StoredType::float64, synelix::StoredType::int8,
    synelix::StoredType::uint8,   synelix::StoredType::int16,   synelix::StoredType::uint16};

/// The channel axis of image arrays with a number of dimensions of space.
struct ImageOrder {
  int dimensions = 2;
  synelix::ChannelOrder channels = synelix::ChannelOrder::first;

  [[nodiscard]] std::vector<std::int64_t> extents(std::int64_t batch, std::int64_t count,
                                                  const Convolution::Sizes& space) const {
    std::vector<std::int64_t> result{batch};
    if (channels == synelix::ChannelOrder::first) result.push_back(count);
    for (int d = 3 - dimensions; d < 3; ++d) result.push_back(space[static_cast<std::size_t>(d)]);
    if (channels == synelix::ChannelOrder::last) result.push_back(count);
    return result;
  }

  /// Values as (batch, channels, space).
  template <class Value>
  [[nodiscard]] std::vector<Value> channels_first(const std::vector<Value>& values,
                                                  std::int64_t count, std::int64_t space) const {
    if (channels == synelix::ChannelOrder::first) return values;
    std::vector<Value> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t entry = at / (count * space);
      const std::int64_t position = at / count % space;
      result[static_cast<std::size_t>((entry * count + at % count) * space + position)] = values[i];
    }
    return result;
  }
};

/// A number for each dimension that there is.
inline synelix::PerDimension per_dimension(const Convolution::Sizes& sizes, int dimensions) {
  if (dimensions == 1) return {sizes[2]};
  if (dimensions == 2) return {sizes[1], sizes[2]};
  return {sizes[0], sizes[1], sizes[2]};
}

/// The required properties of a random convolution.
struct ConvWish {
  int dimensions = 2;
  synelix::PaddingKind kind = synelix::PaddingKind::zero;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;  ///< 0: one channel each
};

/// A convolution without its arrays.
inline Convolution random_convolution(const ConvWish& wish, std::mt19937_64& random) {
  Convolution conv;
  conv.kind = wish.kind;
  conv.batch = draw(random, 1, 3);
  if (wish.groups == 0) {
    conv.groups = draw(random, 2, 5);
    conv.inputs = conv.groups;
    conv.outputs = conv.groups * draw(random, 1, 2);
  } else {
    conv.groups = wish.groups;
    conv.inputs = conv.groups * draw(random, 1, 5);
    conv.outputs = conv.groups * draw(random, 1, 9);
  }
  const std::int64_t most = wish.dimensions == 1 ? 60 : wish.dimensions == 2 ? 14 : 6;
  for (auto d = static_cast<std::size_t>(3 - wish.dimensions); d < 3; ++d) {
    conv.taps[d] = draw(random, 1, wish.dimensions == 3 ? 3 : 4);
    conv.stride[d] = once_in(random, 4) ? draw(random, 1, 4) : wish.stride;
    conv.dilation[d] = once_in(random, 4) ? draw(random, 1, 3) : wish.dilation;
    const std::int64_t window = conv.dilation[d] * (conv.taps[d] - 1) + 1;
    conv.in[d] = once_in(random, 8) ? draw(random, 1, 2) : draw(random, 2, most);
    const bool is_reflected = wish.kind == synelix::PaddingKind::reflect;
    const std::int64_t widest =
        wish.kind == synelix::PaddingKind::zero ? 5 : conv.in[d] - (is_reflected ? 1 : 0);
    conv.before[d] = draw(random, 0, std::min<std::int64_t>(5, widest));
    conv.after[d] = draw(random, 0, std::min<std::int64_t>(5, widest));
    if (conv.before[d] + conv.in[d] + conv.after[d] < window) {
      conv.in[d] = window;  // which leaves room for any padding
    }
  }
  return conv;
}

/// A convolution with x, w, y's gradient, and a bias, of any stored type.
template <class Scalar>
struct RandomConv {
  Convolution conv;
  ImageOrder order;
  RandomOperand<Scalar> x;
  RandomOperand<Scalar> w;
  RandomOperand<Scalar> y;
  std::vector<float> bias;
  synelix::InstructionSet set;

  RandomConv(const Convolution& convolution, int dimensions, std::mt19937_64& random)
      : conv(convolution),
        order{dimensions,
              once_in(random, 2) ? synelix::ChannelOrder::first : synelix::ChannelOrder::last},
        x(image(conv.inputs, conv.in, random)),
        w(weights(random)),
        y(image(conv.outputs, conv.out(), random)),
        set(set_of_turn(random())) {
    for (std::int64_t o = 0; o < conv.outputs; ++o) {
      bias.push_back(static_cast<float>(draw(random, -9, 9)));
    }
  }

  [[nodiscard]] synelix::ConvOptions options() const {
    synelix::ConvOptions options;
    options.stride = per_dimension(conv.stride, order.dimensions);
    options.dilation = per_dimension(conv.dilation, order.dimensions);
    options.padding = per_dimension(conv.before, order.dimensions);
    options.padding_after = per_dimension(conv.after, order.dimensions);
    options.padding_kind = conv.kind;
    options.groups = conv.groups;
    options.channels = order.channels;
    options.machine.instruction_set = set;
    return options;
  }
  [[nodiscard]] synelix::Strided bias_array() const {
    return synelix::Strided(bias.data(), {conv.outputs});
  }
  [[nodiscard]] std::vector<double> bias_values() const { return {bias.begin(), bias.end()}; }

  /// Physical values as the oracle has them.
  [[nodiscard]] std::vector<double> x_values() const {
    return order.channels_first(x.physical(), conv.inputs, volume(conv.in));
  }
  [[nodiscard]] std::vector<double> y_values() const {
    return order.channels_first(y.physical(), conv.outputs, volume(conv.out()));
  }

  [[nodiscard]] std::vector<std::int64_t> x_extents() const {
    return order.extents(conv.batch, conv.inputs, conv.in);
  }
  [[nodiscard]] std::vector<std::int64_t> y_extents() const {
    return order.extents(conv.batch, conv.outputs, conv.out());
  }
  [[nodiscard]] std::vector<std::int64_t> w_extents() const {
    std::vector<std::int64_t> extents{conv.outputs, conv.inputs / conv.groups};
    for (int d = 3 - order.dimensions; d < 3; ++d) {
      extents.push_back(conv.taps[static_cast<std::size_t>(d)]);
    }
    return extents;
  }

  [[nodiscard]] std::string text() const {
    std::string text = std::to_string(order.dimensions) + "d, padding " + name_of(conv.kind) +
                       ", groups " + std::to_string(conv.groups) + ", channels " +
                       std::to_string(conv.inputs) + " to " + std::to_string(conv.outputs) + ", " +
                       name_of(set);
    for (std::size_t d = 0; d < 3; ++d) {
      text += "; in " + std::to_string(conv.in[d]) + " taps " + std::to_string(conv.taps[d]) +
              " stride " + std::to_string(conv.stride[d]) + " dilation " +
              std::to_string(conv.dilation[d]) + " padding " + std::to_string(conv.before[d]) +
              " " + std::to_string(conv.after[d]);
    }
    return text;
  }

 private:
  RandomOperand<Scalar> image(std::int64_t channels, const Convolution::Sizes& space,
                              std::mt19937_64& random) const {
    return operand(order.extents(conv.batch, channels, space), random);
  }
  RandomOperand<Scalar> weights(std::mt19937_64& random) const {
    return operand(w_extents(), random);
  }
  static RandomOperand<Scalar> operand(const std::vector<std::int64_t>& extents,
                                       std::mt19937_64& random) {
    const synelix::StoredType type =
        once_in(random, 2) ? synelix::stored_type<Scalar> : stored_types[draw(random, 0, 5)];
    const Placement placement = once_in(random, 2)
                                    ? right_placement(extents.size())
                                    : random_placement(extents.size(), Signs::any, random);
    const bool is_scaled = once_in(random, 3);
    return {extents, type, placement, random, is_scaled ? 0.25 : 1.0, is_scaled ? -1.5 : 0.0};
  }
};

/// Sums against a library's results, which are (batch, channels, space).
template <class Scalar>
testing::AssertionResult agree_with_sums(const std::vector<Scalar>& found, const Sums& expected,
                                         const std::vector<std::int64_t>& extents) {
  return agree(found, expected.values, extents,
               product_tolerance<Scalar>(expected.most(), expected.terms()));
}

}  // namespace oracle
