// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/range.hpp"
#include "launch/arrays.hpp"
#include "operators/plan/conv_operators.hpp"
#include "operators/plan/conv_options.hpp"
#include "operators/plan/conv_padding.hpp"
#include "operators/plan/conv_shape.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>
#include <synelix/types/conv.hpp>

#include <algorithm>
#include <limits>
#include <string>

/// \file
/// Convolution operators: extents and windows, and checks that they are consistent.

namespace synelix {
namespace {

constexpr int most_dimensions = index::conv_dimensions;

using index::place;

}  // namespace

namespace plan {
namespace {

/// The channel axis of an array, and its first dimension of space.
int channel_axis(const ConvOptions& options, int dimensions) {
  return options.channels == ChannelOrder::first ? 1 : dimensions + 1;
}
int space_axis(const ConvOptions& options) {
  return options.channels == ChannelOrder::first ? 2 : 1;
}

/// Checks an array that is read: its number of dimensions, and its address.
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

/// The largest number that may be given for a dimension, so that products of two fit in 64 bits.
constexpr std::int64_t most_given = std::numeric_limits<std::int32_t>::max();

/// Reads the numbers of each dimension, at least `least`.
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

/// Checks the channels of w against those of the other operand.
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

/// Positions that a window spans, or a number that is too large.
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

/// Circular and reflected padding repeats the input, so it cannot be longer than the input.
void check_padding(const ConvOptions& options, const ConvSizes& sizes) {
  const PaddingRow& row = row_of(options.padding_kind);
  if (row.most == nullptr) return;
  for (int d = 0; d < most_dimensions; ++d) {
    const std::int64_t found = std::max(sizes.before[d], sizes.after[d]);
    const std::int64_t most = row.most(sizes.in[d]);
    if (found <= most) continue;
    throw Error(
        "padding", std::to_string(found) + " of kind " + row.name + " is too large",
        "Use at most " + std::to_string(most) + ", for an input of " + std::to_string(sizes.in[d]));
  }
}

/// Throws for images with more values than can be counted, including padding. Sums of two numbers
/// below fit in 64 bits, because each is at most `most_bytes`.
void check_padded(const ConvSizes& sizes) {
  std::int64_t values = 1;
  for (int d = 0; d < most_dimensions; ++d) {
    const std::int64_t padded = std::max(sizes.before[d] + sizes.in[d] + sizes.after[d],
                                         std::max(sizes.in[d], sizes.out[d]));
    values = product_up_to_most(values, std::max<std::int64_t>(1, padded));
  }
  const auto channels = std::max<std::int64_t>({1, sizes.inputs, sizes.outputs});
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

/// Throws if the space of an array given as y is not that of the result.
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

/// Channels of all groups.
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

/// Batch, channels and space of the images that an operator reads.
void read_images(const ConvArrays& arrays, const ConvOptions& options, const ConvOperatorRow& row,
                 ConvSizes& sizes) {
  const auto read_one = [&](const Operand& operand, ConvRole role) {
    const bool is_input = role == ConvRole::input;
    const Image image =
        read_image(operand.array(), options, arrays.dimensions, is_input ? sizes.in : sizes.out);
    (is_input ? sizes.inputs : sizes.outputs) = image.channels;
    return image.batch;
  };
  sizes.batch = read_one(arrays.first, row.first.role);
  if (row.second.role != ConvRole::input && row.second.role != ConvRole::output) return;
  if (read_one(arrays.second, row.second.role) == sizes.batch) return;
  throw Error(
      row.second.name,
      extents_text(arrays.second.array()) + " has another batch than " + row.first.name,
      "Use the " + std::to_string(sizes.batch) + " entries of the batch of " + row.first.name);
}

/// Channels, groups and taps; `size` gives those that no operand has.
void read_weights(const ConvArrays& arrays, const ConvOperatorRow& row, const PerDimension& size,
                  ConvSizes& sizes) {
  const bool has_input = row.operand(ConvRole::input) != nullptr;
  const bool has_weights = row.second.role == ConvRole::weights;
  const Strided& w = arrays.second.array();
  if (has_weights && has_input) sizes.outputs = w.extents[0];
  if (has_weights && !has_input) sizes.inputs = inputs_of(w, sizes.groups);
  check_groups(sizes);
  if (has_weights) {
    check_channels(row.second.name, w, sizes.outputs,
                   has_input ? sizes.inputs / sizes.groups : w.extents[1]);
  }
  if (row.needs_space()) read("space of the input", size, arrays.dimensions, 0, sizes.in);
  if (has_weights) read_taps(row.second.name, w, arrays.dimensions, sizes);
  if (row.needs_taps()) read("taps", size, arrays.dimensions, 1, sizes.taps);
}

void check_transposed(const ConvOptions& options) {
  if (options.padding_kind == PaddingKind::zero && options.padding_size != PaddingSize::same) {
    return;
  }
  throw Error(
      "padding",
      std::string(options.padding_size == PaddingSize::same ? "same"
                                                            : name_of(options.padding_kind)) +
          " is not supported by a transposed convolution",
      "Use zeros, and give how many");
}

/// Extents of the result of a transposed convolution.
void find_transposed(const ConvArrays& arrays, const ConvOptions& options,
                     const ConvOperatorRow& row, ConvSizes& sizes) {
  const int dimensions = arrays.dimensions;
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
      throw Error(row.first.name,
                  extents_text(arrays.first.array()) + " leaves no position along a dimension",
                  "Use one position or more along each dimension, of the result too");
    }
  }
}

/// Computes the dependent space: of the output, or of the input of a transposed convolution. If the
/// output is an operand, it must have this space.
void find_space(const ConvArrays& arrays, const ConvOptions& options, const ConvOperatorRow& row,
                ConvSizes& sizes) {
  if (row.is_transposed && row.is_by_input()) {
    return find_transposed(arrays, options, row, sizes);
  }
  check_padding(options, sizes);
  const char* const weights = row.needs_taps() ? "taps" : row.second.name;
  const ConvArrayRow* const output = row.operand(ConvRole::output);
  if (output == nullptr) return find_out(weights, sizes, sizes.out);
  const Operand& found = output == &row.first ? arrays.first : arrays.second;
  check_out(output->name, options, arrays.dimensions, found.array(), sizes, weights);
}

/// Extents of the result in the caller's layout.
std::vector<std::int64_t> result_extents(const ConvArrays& arrays, const ConvOptions& options,
                                         ConvRole role, const ConvSizes& sizes) {
  const int dimensions = arrays.dimensions;
  if (role == ConvRole::bias) return {sizes.outputs};
  if (role == ConvRole::input) {
    return image_extents(options, dimensions, sizes.batch, sizes.inputs, sizes.in);
  }
  if (role == ConvRole::output) {
    return image_extents(options, dimensions, sizes.batch, sizes.outputs, sizes.out);
  }
  std::vector<std::int64_t> extents = {sizes.outputs, sizes.inputs / sizes.groups};
  extents.insert(extents.end(), sizes.taps + most_dimensions - dimensions,
                 sizes.taps + most_dimensions);
  return extents;
}

}  // namespace

void check_dimensions(int dimensions) {
  if (dimensions >= 1 && dimensions <= most_dimensions) return;
  throw Error("dimensions", std::to_string(dimensions) + " is not supported", "Use 1, 2 or 3");
}

ConvSizes sizes_of(const ConvArrays& arrays, const ConvOptions& options, const PerDimension& size) {
  const int dimensions = arrays.dimensions;
  check_dimensions(dimensions);
  check_known(arrays.op, options);
  const ConvOperatorRow& row = row_of(arrays.op);
  if (arrays.bias.is_given() && !row.takes_bias) {
    throw Error("bias",
                extents_text(arrays.bias.array()) + " was given, and a gradient takes no bias",
                "Leave it out");
  }
  check_operand(row.first.name, arrays.first.array(), dimensions + 2);
  ConvSizes sizes;
  if (row.result.role == ConvRole::bias) {
    if (arrays.second.is_given()) {
      throw Error("second",
                  extents_text(arrays.second.array()) +
                      " was given, and a gradient by bias takes no second operand",
                  "Leave it out");
    }
    read_images(arrays, options, row, sizes);
    sizes.inputs = 1;
    std::copy(sizes.out, sizes.out + most_dimensions, sizes.in);
    sizes.result = result_extents(arrays, options, row.result.role, sizes);
    return sizes;
  }
  check_operand(row.second.name, arrays.second.array(), dimensions + 2);
  sizes.groups = options.groups;
  if (sizes.groups < 1 || sizes.groups > most_given) {
    throw Error("groups", std::to_string(sizes.groups) + " is out of range",
                "Use 1 to " + std::to_string(most_given));
  }
  read("stride", options.stride, dimensions, 1, sizes.stride);
  read("dilation", options.dilation, dimensions, 1, sizes.dilation);
  if (row.is_transposed) check_transposed(options);
  read_images(arrays, options, row, sizes);
  read_weights(arrays, row, size, sizes);
  read_padding(options, dimensions, sizes);
  find_space(arrays, options, row, sizes);
  sizes.result = result_extents(arrays, options, row.result.role, sizes);
  check_padded(sizes);
  check_counted(row.result.name, sizes.result);
  if (arrays.bias.is_given()) {
    check_operand("bias", arrays.bias.array(), 1);
    const std::int64_t channels = row.is_by_input() ? sizes.inputs : sizes.outputs;
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
