// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/arrays.hpp"
#include "operators/plan/conv_options.hpp"
#include "operators/plan/conv_shape.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/conv.hpp>
#include <synelix/error.hpp>

#include <algorithm>
#include <limits>
#include <string>

/// \file
/// Convolution operators: extents and windows, and what does not fit.

namespace synelix {
namespace {

constexpr int most_dimensions = index::conv_dimensions;

std::size_t place(int i) { return static_cast<std::size_t>(i); }

}  // namespace

namespace plan {
namespace {

/// Where the channels of an array stand, and its first dimension of space.
int channel_axis(const ConvOptions& options, int dimensions) {
  return options.channels == ChannelOrder::first ? 1 : dimensions + 1;
}
int space_axis(const ConvOptions& options) {
  return options.channels == ChannelOrder::first ? 2 : 1;
}

/// An array that is read: of so many dimensions, and somewhere.
void check_operand(const char* name, const Strided& array, int rank) {
  if (array.rank != rank) {
    throw Error(name,
                array.rank == 0 ? "none was given"
                                : extents_text(array) + " has the wrong number of dimensions",
                "Pass an array of " + std::to_string(rank) + " dimensions");
  }
  check_array(name, array);
}

void check_count(const char* name, const PerDimension& numbers, int dimensions) {
  if (numbers.count() == 1 || numbers.count() == dimensions) return;
  throw Error(name, std::to_string(numbers.count()) + " numbers do not match the dimensions",
              "Give one, or one for each of " + std::to_string(dimensions) + " dimensions");
}

/// Most of a number that is given for a dimension: what is computed from two of them is counted.
constexpr std::int64_t most_given = std::numeric_limits<std::int32_t>::max();

/// Numbers of each dimension, not below `least`.
void read(const char* name, const PerDimension& numbers, int dimensions, std::int64_t least,
          std::int64_t* to) {
  check_count(name, numbers, dimensions);
  for (int d = 0; d < dimensions; ++d) {
    if (numbers[d] < least) {
      throw Error(name, std::to_string(numbers[d]) + " is too small",
                  "Use " + std::to_string(least) + " or more");
    }
    if (numbers[d] > most_given) {
      throw Error(name, std::to_string(numbers[d]) + " is too large",
                  "Use at most " + std::to_string(most_given));
    }
    to[most_dimensions - dimensions + d] = numbers[d];
  }
}

/// Extents of an array (batch, channels, space) in either order.
struct Image {
  std::int64_t batch;
  std::int64_t channels;
};
Image read_image(const Strided& array, const ConvOptions& options, int dimensions,
                 std::int64_t* space) {
  for (int d = 0; d < dimensions; ++d) {
    space[most_dimensions - dimensions + d] = array.extents[place(space_axis(options) + d)];
  }
  return {array.extents[0], array.extents[place(channel_axis(options, dimensions))]};
}
std::vector<std::int64_t> image_extents(const ConvOptions& options, int dimensions,
                                        std::int64_t batch, std::int64_t channels,
                                        const std::int64_t* space) {
  std::vector<std::int64_t> extents(place(dimensions + 2));
  extents[0] = batch;
  extents[place(channel_axis(options, dimensions))] = channels;
  for (int d = 0; d < dimensions; ++d) {
    extents[place(space_axis(options) + d)] = space[most_dimensions - dimensions + d];
  }
  return extents;
}

void read_taps(const char* name, const Strided& w, int dimensions, ConvSizes& sizes) {
  for (int d = 0; d < dimensions; ++d) {
    const std::int64_t taps = w.extents[place(2 + d)];
    if (taps < 1) {
      throw Error(name, extents_text(w) + " has no tap along a dimension",
                  "Use one tap or more along each dimension");
    }
    sizes.taps[most_dimensions - dimensions + d] = taps;
  }
}

/// Channels of w against those of what it meets.
void check_groups(const ConvSizes& sizes) {
  if (sizes.groups < 1) {
    throw Error("groups", std::to_string(sizes.groups) + " is too small", "Use 1 or more");
  }
  if (sizes.inputs % sizes.groups != 0 || sizes.outputs % sizes.groups != 0) {
    throw Error("groups",
                std::to_string(sizes.groups) + " does not divide " + std::to_string(sizes.inputs) +
                    " channels and " + std::to_string(sizes.outputs) + " results",
                "Use a number that divides both");
  }
}

/// Positions that a window spans, or more than are counted.
std::int64_t window_of(const ConvSizes& sizes, int d) {
  return product_up_to_most(sizes.dilation[d], sizes.taps[d] - 1) + 1;
}

void read_padding(const ConvOptions& options, int dimensions, ConvSizes& sizes) {
  if (options.padding_size == PaddingSize::given) {
    read("padding", options.padding, dimensions, 0, sizes.before);
    read("padding_after", options.padding_after.value_or(options.padding), dimensions, 0,
         sizes.after);
    return;
  }
  if (options.padding_size == PaddingSize::valid) return;
  for (int d = 0; d < most_dimensions; ++d) {
    if (sizes.stride[d] != 1) {
      throw Error("padding_size",
                  "same does not serve a stride of " + std::to_string(sizes.stride[d]),
                  "Use a stride of 1, or give the numbers of padding");
    }
    const std::int64_t all = window_of(sizes, d) - 1;
    sizes.before[d] = all / 2;
    sizes.after[d] = all - all / 2;
  }
}

/// Circular and reflected padding repeats the input, and cannot be longer than it.
void check_padding(const ConvOptions& options, const ConvSizes& sizes) {
  if (options.padding_kind == PaddingKind::zero) return;
  const bool is_reflected = options.padding_kind == PaddingKind::reflect;
  for (int d = 0; d < most_dimensions; ++d) {
    const std::int64_t found = std::max(sizes.before[d], sizes.after[d]);
    const std::int64_t most =
        is_reflected ? std::max<std::int64_t>(0, sizes.in[d] - 1) : sizes.in[d];
    if (found <= most) continue;
    throw Error(
        "padding",
        std::to_string(found) + " of kind " + name_of(options.padding_kind) + " is too large",
        "Use at most " + std::to_string(most) + ", for an input of " + std::to_string(sizes.in[d]));
  }
}

/// Refuses images of more values than are counted, padding and all. Sums of two numbers below are
/// in 64 bits: each is at most `most_bytes`.
void check_padded(const ConvSizes& sizes) {
  std::int64_t values = 1;
  for (int d = 0; d < most_dimensions; ++d) {
    const std::int64_t padded = std::max(sizes.before[d] + sizes.in[d] + sizes.after[d],
                                         std::max(sizes.in[d], sizes.out[d]));
    values = product_up_to_most(values, std::max<std::int64_t>(1, padded));
  }
  const std::int64_t channels = std::max<std::int64_t>({1, sizes.inputs, sizes.outputs});
  values = product_up_to_most(values, channels);
  values = product_up_to_most(values, std::max<std::int64_t>(1, sizes.batch));
  if (values <= most_values) return;
  const auto text = [](const std::int64_t* numbers) {
    return synelix::extents_text({numbers, most_dimensions});
  };
  throw Error("padding",
              text(sizes.before) + " before and " + text(sizes.after) + " behind an input of " +
                  text(sizes.in) + " with " + std::to_string(channels) + " channels in " +
                  std::to_string(sizes.batch) + " entries make too many values",
              "Use at most 2^48 values in all, padding included");
}

/// Extents of the result of the convolution.
void find_out(const char* name, const ConvSizes& sizes, std::int64_t* out) {
  for (int d = 0; d < most_dimensions; ++d) {
    const std::int64_t padded = sizes.before[d] + sizes.in[d] + sizes.after[d];
    if (window_of(sizes, d) > padded) {
      const bool is_counted = window_of(sizes, d) <= most_bytes;
      throw Error(name,
                  "a window of " +
                      (is_counted ? std::to_string(window_of(sizes, d)) : "more than 2^56") +
                      " positions is larger than the padded input",
                  "Use at most " + std::to_string(padded) + " positions");
    }
    out[d] = (padded - window_of(sizes, d)) / sizes.stride[d] + 1;
  }
}

/// Refuses an array in place of y whose space is not that of the result.
void check_out(const char* name, const ConvOptions& options, int dimensions, const Strided& found,
               const ConvSizes& sizes, const char* weights) {
  std::int64_t out[most_dimensions];
  find_out(weights, sizes, out);
  if (std::equal(out, out + most_dimensions, sizes.out)) return;
  throw Error(name, extents_text(found) + " does not match the convolution",
              "Use " +
                  synelix::extents_text(
                      image_extents(options, dimensions, sizes.batch, sizes.outputs, out)) +
                  ", which the convolution would have");
}

/// Channels of all groups together.
std::int64_t inputs_of(const Strided& w, std::int64_t groups) {
  const std::int64_t inputs = product_up_to_most(w.extents[1], groups);
  if (inputs <= most_values) return inputs;
  throw Error("groups",
              std::to_string(groups) + " of " + std::to_string(w.extents[1]) +
                  " channels each are too many",
              "Use at most 2^48 channels in all");
}

void check_channels(const char* name, const Strided& w, std::int64_t results,
                    std::int64_t channels) {
  if (w.extents[0] == results && w.extents[1] == channels) return;
  throw Error(name, extents_text(w) + " does not match the operands",
              "Use " + std::to_string(results) + " results by " + std::to_string(channels) +
                  " channels of a group");
}

void size_forward(const ConvArrays& arrays, const ConvOptions& options, ConvSizes& sizes) {
  const int dimensions = arrays.dimensions;
  const Strided& w = arrays.second.array();
  const Image x = read_image(arrays.first.array(), options, dimensions, sizes.in);
  sizes.batch = x.batch;
  sizes.inputs = x.channels;
  sizes.outputs = w.extents[0];
  check_groups(sizes);
  check_channels("w", w, sizes.outputs, sizes.inputs / sizes.groups);
  read_taps("w", w, dimensions, sizes);
  read_padding(options, dimensions, sizes);
  check_padding(options, sizes);
  find_out("w", sizes, sizes.out);
  sizes.result = image_extents(options, dimensions, sizes.batch, sizes.outputs, sizes.out);
}

void size_transposed(const ConvArrays& arrays, const ConvOptions& options, ConvSizes& sizes) {
  const int dimensions = arrays.dimensions;
  if (options.padding_kind != PaddingKind::zero || options.padding_size == PaddingSize::same) {
    throw Error(
        "padding",
        std::string(options.padding_size == PaddingSize::same ? "same"
                                                              : name_of(options.padding_kind)) +
            " is not supported by a transposed convolution",
        "Use zeros, and give how many");
  }
  const Strided& w = arrays.second.array();
  const Image x = read_image(arrays.first.array(), options, dimensions, sizes.out);
  sizes.batch = x.batch;
  sizes.outputs = x.channels;
  sizes.inputs = inputs_of(w, sizes.groups);
  check_groups(sizes);
  check_channels("w", w, sizes.outputs, w.extents[1]);
  read_taps("w", w, dimensions, sizes);
  read_padding(options, dimensions, sizes);
  std::int64_t more[most_dimensions] = {0, 0, 0};
  read("output_padding", options.output_padding, dimensions, 0, more);
  for (int d = most_dimensions - dimensions; d < most_dimensions; ++d) {
    const std::int64_t most = std::max(sizes.stride[d], sizes.dilation[d]) - 1;
    if (more[d] > most) {
      throw Error("output_padding", std::to_string(more[d]) + " is too large",
                  "Use at most " + std::to_string(most) + ", below the stride or the dilation");
    }
    sizes.in[d] = product_up_to_most(sizes.out[d] - 1, sizes.stride[d]) - sizes.before[d] -
                  sizes.after[d] + window_of(sizes, d) + more[d];
    if (sizes.out[d] < 1 || sizes.in[d] < 1) {
      throw Error("x", extents_text(arrays.first.array()) + " leaves no position along a dimension",
                  "Use one position or more along each dimension, of the result too");
    }
  }
  sizes.result = image_extents(options, dimensions, sizes.batch, sizes.inputs, sizes.in);
}

void size_grad_input(const ConvArrays& arrays, const ConvOptions& options, const PerDimension& size,
                     ConvSizes& sizes) {
  const int dimensions = arrays.dimensions;
  const Strided& w = arrays.second.array();
  const Image y = read_image(arrays.first.array(), options, dimensions, sizes.out);
  sizes.batch = y.batch;
  sizes.outputs = y.channels;
  sizes.inputs = inputs_of(w, sizes.groups);
  check_groups(sizes);
  check_channels("w", w, sizes.outputs, w.extents[1]);
  read("space of the input", size, dimensions, 0, sizes.in);
  read_taps("w", w, dimensions, sizes);
  read_padding(options, dimensions, sizes);
  check_padding(options, sizes);
  check_out("grad_y", options, dimensions, arrays.first.array(), sizes, "w");
  sizes.result = image_extents(options, dimensions, sizes.batch, sizes.inputs, sizes.in);
}

void size_grad_weights(const ConvArrays& arrays, const ConvOptions& options,
                       const PerDimension& size, ConvSizes& sizes) {
  const int dimensions = arrays.dimensions;
  const Image x = read_image(arrays.first.array(), options, dimensions, sizes.in);
  const Image y = read_image(arrays.second.array(), options, dimensions, sizes.out);
  if (x.batch != y.batch) {
    throw Error("grad_y", extents_text(arrays.second.array()) + " has another batch than x",
                "Use the " + std::to_string(x.batch) + " entries of the batch of x");
  }
  sizes.batch = x.batch;
  sizes.inputs = x.channels;
  sizes.outputs = y.channels;
  check_groups(sizes);
  read("taps", size, dimensions, 1, sizes.taps);
  read_padding(options, dimensions, sizes);
  check_padding(options, sizes);
  check_out("grad_y", options, dimensions, arrays.second.array(), sizes, "taps");
  sizes.result = {sizes.outputs, sizes.inputs / sizes.groups};
  for (int d = most_dimensions - dimensions; d < most_dimensions; ++d) {
    sizes.result.push_back(sizes.taps[d]);
  }
}

}  // namespace

ConvNames names_of(ConvOperator op) {
  switch (op) {
    case ConvOperator::forward:
    case ConvOperator::transposed:
      return {"x", "w", "y"};
    case ConvOperator::grad_input:
      return {"grad_y", "w", "grad_x"};
    case ConvOperator::grad_weights:
      return {"x", "grad_y", "grad_w"};
    case ConvOperator::grad_bias:
      break;
  }
  return {"grad_y", "w", "grad_b"};
}

void check_dimensions(int dimensions) {
  if (dimensions >= 1 && dimensions <= most_dimensions) return;
  throw Error("dimensions", std::to_string(dimensions) + " is not supported", "Use 1, 2 or 3");
}

ConvSizes sizes_of(const ConvArrays& arrays, const ConvOptions& options, const PerDimension& size) {
  const int dimensions = arrays.dimensions;
  check_dimensions(dimensions);
  check_known(arrays.op, options);
  const ConvNames names = names_of(arrays.op);
  const bool takes_bias =
      arrays.op == ConvOperator::forward || arrays.op == ConvOperator::transposed;
  if (arrays.bias.is_given() && !takes_bias) {
    throw Error("bias",
                extents_text(arrays.bias.array()) + " was given, and a gradient takes no bias",
                "Leave it out");
  }
  check_operand(names.first, arrays.first.array(), dimensions + 2);
  ConvSizes sizes;
  if (arrays.op == ConvOperator::grad_bias) {
    if (arrays.second.is_given()) {
      throw Error("second",
                  extents_text(arrays.second.array()) +
                      " was given, and a gradient by bias takes no second operand",
                  "Leave it out");
    }
    const Image y = read_image(arrays.first.array(), options, dimensions, sizes.out);
    sizes.batch = y.batch;
    sizes.inputs = 1;
    sizes.outputs = y.channels;
    std::copy(sizes.out, sizes.out + most_dimensions, sizes.in);
    sizes.result = {y.channels};
    return sizes;
  }
  check_operand(names.second, arrays.second.array(), dimensions + 2);
  sizes.groups = options.groups;
  if (sizes.groups < 1 || sizes.groups > most_given) {
    throw Error("groups", std::to_string(sizes.groups) + " is out of range",
                "Use 1 to " + std::to_string(most_given));
  }
  read("stride", options.stride, dimensions, 1, sizes.stride);
  read("dilation", options.dilation, dimensions, 1, sizes.dilation);
  if (arrays.op == ConvOperator::forward) size_forward(arrays, options, sizes);
  if (arrays.op == ConvOperator::transposed) size_transposed(arrays, options, sizes);
  if (arrays.op == ConvOperator::grad_input) size_grad_input(arrays, options, size, sizes);
  if (arrays.op == ConvOperator::grad_weights) size_grad_weights(arrays, options, size, sizes);
  check_padded(sizes);
  check_counted(names.result, sizes.result);
  if (arrays.bias.is_given()) {
    check_operand("bias", arrays.bias.array(), 1);
    const bool is_transposed = arrays.op == ConvOperator::transposed;
    const std::int64_t channels = is_transposed ? sizes.inputs : sizes.outputs;
    if (arrays.bias.array().extents[0] != channels) {
      throw Error("bias", extents_text(arrays.bias.array()) + " does not match the result",
                  "Use " + synelix::extents_text({&channels, 1}) + ", the channels of the result");
    }
  }
  return sizes;
}

}  // namespace plan

std::vector<std::int64_t> conv_extents(const ConvArrays& arrays, const ConvOptions& options,
                                       const PerDimension& size) {
  return plan::sizes_of(arrays, options, size).result;
}

}  // namespace synelix
