// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operators/plan/conv_shape.hpp"

#include "index/range.hpp"
#include "launch/apart.hpp"
#include "launch/arrays.hpp"
#include "operators/plan/conv_operators.hpp"
#include "operators/plan/conv_padding.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <string>

/// \file
/// Convolution operators: layouts of arrays, and which source positions a result position needs.

namespace synelix::plan {
namespace {

constexpr int most_dimensions = index::conv_dimensions;

using index::place;

/// One dimension of a gradient by input, which is built pass by pass.
class GradientAxis {
 public:
  GradientAxis(const ConvSizes& sizes, int d, PaddingKind kind, ConvTables& tables)
      : m_tables(tables),
        m_d(d),
        m_in(sizes.in[d]),
        m_before(sizes.before[d]),
        m_stride(sizes.stride[d]),
        m_dilation(sizes.dilation[d]) {
    order_taps(sizes.taps[d]);
    const auto repeated = row_of(kind).repeated;
    if (repeated != nullptr) m_repeated = repeated({m_in, m_before, sizes.after[d]});
  }

  /// The passes of a class.
  void add_class(std::int64_t number) {
    m_number = number;
    add({m_before, false, {0, m_in}});
    for (const RepeatedPositions& repeated : m_repeated) add(repeated);
  }

  /// Taps in the order of passes.
  [[nodiscard]] const std::vector<std::int64_t>& order() const { return m_order; }

 private:
  /// Adds the taps that positions of one remainder modulo the stride need, the last one first.
  void order_taps(std::int64_t taps) {
    m_order.resize(static_cast<std::size_t>(taps));
    std::iota(m_order.begin(), m_order.end(), 0);
    const auto key = [&](std::int64_t tap) { return tap * m_dilation % m_stride; };
    std::sort(m_order.begin(), m_order.end(), [&](std::int64_t a, std::int64_t b) {
      return key(a) != key(b) ? key(a) < key(b) : a > b;
    });
  }

  /// Adds the positions of the class in one run of the padded input.
  void add(const RepeatedPositions& run) {
    const auto& [shift, is_backward, positions] = run;
    const Range part = index::common(positions, {0, m_in});
    const auto first_from = [&](std::int64_t position) {
      return position > m_number ? index::ceil_divide(position - m_number, m_stride) : 0;
    };
    index::ConvPass pass;
    pass.begin = first_from(part.begin);
    pass.end = first_from(part.end);
    if (part.size() == 0 || pass.begin >= pass.end) return;
    pass.is_backward = is_backward;
    const std::int64_t padded = is_backward ? shift - m_number : shift + m_number;
    const std::int64_t remainder = (padded % m_stride + m_stride) % m_stride;
    const auto fits = [&](std::int64_t tap) { return tap * m_dilation % m_stride == remainder; };
    const auto found = std::find_if(m_order.begin(), m_order.end(), fits);
    if (found == m_order.end()) return;
    pass.tap = found - m_order.begin();
    pass.taps = std::count_if(found, m_order.end(), fits);
    pass.source = (padded - *found * m_dilation) / m_stride;
    m_tables.passes.push_back(pass);
    m_tables.most_taps[m_d] = std::max(m_tables.most_taps[m_d], pass.taps);
  }

  ConvTables& m_tables;
  int m_d;
  std::int64_t m_in;
  std::int64_t m_before;
  std::int64_t m_stride;
  std::int64_t m_dilation;
  std::int64_t m_number = 0;
  std::vector<std::int64_t> m_order;
  std::vector<RepeatedPositions> m_repeated;
};

/// The arrays of an operator in the caller's layout, and the strides of each.
struct Strides {
  std::int64_t batch = 0;
  std::int64_t channel = 0;
  std::int64_t space[most_dimensions] = {0, 0, 0};
};
template <class Void>
Strides strides_of(const BasicStrided<Void>& array, const ConvOptions& options, int dimensions) {
  const bool is_first = options.channels == ChannelOrder::first;
  Strides strides;
  strides.batch = array.strides[0];
  strides.channel = array.strides[place(is_first ? 1 : dimensions + 1)];
  for (int d = 0; d < dimensions; ++d) {
    strides.space[most_dimensions - dimensions + d] = array.strides[place((is_first ? 2 : 1) + d)];
  }
  return strides;
}

pack::ConvSource source_of(const Operand& operand, const ConvOptions& options, int dimensions) {
  const Strides strides = strides_of(operand.array(), options, dimensions);
  pack::ConvSource source;
  source.data = operand.array().data;
  source.type = operand.array().type;
  source.scale = operand.scale().all();
  source.offset = operand.offset().all();
  source.channel_scale = operand.scale().each();
  source.channel_offset = operand.offset().each();
  source.batch_stride = strides.batch;
  source.channel_stride = strides.channel;
  std::copy(strides.space, strides.space + most_dimensions, source.space_strides);
  return source;
}

/// Weights (results, channels of a group, taps); for a convolution, results are output channels.
template <class Void>
pack::ConvWeights<Void> weights_of(const BasicStrided<Void>& array, const ConvSizes& sizes,
                                   int dimensions, bool results_are_outputs) {
  pack::ConvWeights<Void> weights;
  weights.data = array.data;
  weights.type = array.type;
  weights.group_stride = sizes.outputs / sizes.groups * array.strides[0];
  weights.output_channel_stride = array.strides[results_are_outputs ? 0 : 1];
  weights.channel_stride = array.strides[results_are_outputs ? 1 : 0];
  for (int d = 0; d < dimensions; ++d) {
    weights.tap_strides[most_dimensions - dimensions + d] = array.strides[place(2 + d)];
  }
  return weights;
}

/// Throws if weights or bias are scaled channel by channel.
void check_scaling(const ConvArrays& arrays) {
  const auto check = [](const Operand& operand, const char* name) {
    if (!operand.is_scaled_by_channel()) return;
    throw Error(name, "scales and offsets of each channel are not supported here",
                "Use one scale and offset for all values");
  };
  const ConvArrayRow& second = row_of(arrays.op).second;
  if (second.role == ConvRole::weights) check(arrays.second, second.name);
  check(arrays.bias, "bias");
}

/// Channels of an operand, each of which may have a scale and an offset.
std::int64_t channels_of(const Strided& array, const ConvOptions& options) {
  const int channels = options.channels == ChannelOrder::first ? 1 : array.rank - 1;
  return array.rank > 1 ? array.extents[place(channels)] : 1;
}

void check_result(const ConvArrays& arrays, const ConvOptions& options, const ConvSizes& sizes,
                  StoredType type) {
  const ConvOperatorRow& row = row_of(arrays.op);
  StridedOutput expected;
  expected.type = type;
  expected.rank = static_cast<int>(sizes.result.size());
  std::copy(sizes.result.begin(), sizes.result.end(), expected.extents.begin());
  check_output(row.result.name, arrays.result, expected);
  Arguments arguments;
  arguments.writes(row.result.name, arrays.result);
  const auto add = [&](const Operand& operand, const char* name) {
    if (!operand.is_given()) return;
    check_channels(name, operand, channels_of(operand.array(), options));
    arguments.reads(name, operand);
  };
  add(arrays.first, row.first.name);
  add(arrays.second, row.second.name);
  add(arrays.bias, "bias");
  check_apart(arguments);
}

/// The sizes that only the result of a gradient determines.
PerDimension size_of_result(const ConvArrays& arrays, const ConvOptions& options) {
  const ConvOperatorRow& row = row_of(arrays.op);
  if (!row.needs_space() && !row.needs_taps()) return 1;
  const StridedOutput& result = arrays.result;
  if (result.rank != arrays.dimensions + 2) {
    throw Error(row.result.name, extents_text(result) + " has the wrong number of dimensions",
                "Pass an array of " + std::to_string(arrays.dimensions + 2) + " dimensions");
  }
  const int first = row.needs_space() && options.channels == ChannelOrder::last ? 1 : 2;
  const std::int64_t* const space = result.extents.data() + first;
  if (arrays.dimensions == 1) return {space[0]};
  if (arrays.dimensions == 2) return {space[0], space[1]};
  return {space[0], space[1], space[2]};
}

double count_of(const std::int64_t* extents) {
  double count = 1;
  for (int d = 0; d < most_dimensions; ++d) count *= static_cast<double>(extents[d]);
  return count;
}

template <class Void>
double bytes_of(const BasicStrided<Void>& array) {
  if (array.rank == 0) return 0;
  auto bytes = static_cast<double>(size_of(array.type));
  for (int i = 0; i < array.rank; ++i) bytes *= static_cast<double>(array.extents[place(i)]);
  return bytes;
}

void fill_forward(const ConvArrays& arrays, const ConvOptions& options, const ConvSizes& sizes,
                  sweep::ConvProblem& problem) {
  const bool is_forward = !row_of(arrays.op).is_by_input();
  problem.source = source_of(arrays.first, options, arrays.dimensions);
  problem.weights = weights_of(arrays.second.array(), sizes, arrays.dimensions, is_forward);
  problem.weights.scale = arrays.second.scale().all();
  problem.weights.offset = arrays.second.offset().all();
  problem.has_bias = arrays.bias.is_given();
  problem.bias.data = arrays.bias.array().data;
  problem.bias.type = arrays.bias.array().type;
  problem.bias.scale = arrays.bias.scale().all();
  problem.bias.offset = arrays.bias.offset().all();
  problem.bias.channel_stride = arrays.bias.array().strides[0];
  const Strides strides = strides_of(arrays.result, options, arrays.dimensions);
  problem.result.data = arrays.result.data;
  problem.result.batch_stride = strides.batch;
  problem.result.channel_stride = strides.channel;
  std::copy(strides.space, strides.space + most_dimensions, problem.result.space_strides);
  problem.batch = sizes.batch;
  problem.groups = sizes.groups;
  problem.channels = (is_forward ? sizes.inputs : sizes.outputs) / sizes.groups;
  problem.output_channels = (is_forward ? sizes.outputs : sizes.inputs) / sizes.groups;
}

void fill_by_weights(const ConvArrays& arrays, const ConvOptions& options, const ConvSizes& sizes,
                     sweep::ConvWeightsProblem& problem) {
  const ConvOperatorRow& row = row_of(arrays.op);
  if (row.result.role == ConvRole::bias) {  // the gradient of weights with one tap on a source of
                                            // ones
    problem.source.is_constant = true;
    problem.source.offset = 1;
    problem.output_gradient = source_of(arrays.first, options, arrays.dimensions);
    problem.result.data = arrays.result.data;
    problem.result.type = arrays.result.type;
    problem.result.output_channel_stride = arrays.result.strides[0];
  } else {
    const bool is_input_first = row.first.role == ConvRole::input;
    const Operand& input = is_input_first ? arrays.first : arrays.second;
    const Operand& output = is_input_first ? arrays.second : arrays.first;
    problem.source = source_of(input, options, arrays.dimensions);
    problem.output_gradient = source_of(output, options, arrays.dimensions);
    problem.result = weights_of(arrays.result, sizes, arrays.dimensions, true);
  }
  problem.batch = sizes.batch;
  problem.groups = sizes.groups;
  problem.channels = sizes.inputs / sizes.groups;
  problem.output_channels = sizes.outputs / sizes.groups;
}

/// Why transforms are not possible for an operator; null if they are.
const char* no_fft(const ConvArrays& arrays, const ConvSizes& sizes) {
  if (row_of(arrays.op).result.role == ConvRole::bias) return "a gradient by bias";
  if (arrays.dimensions != 1) return "more than one dimension";
  constexpr int last = most_dimensions - 1;
  if (sizes.stride[last] != 1) return "a stride other than 1";
  const std::int64_t extents[] = {sizes.batch, sizes.inputs, sizes.outputs, sizes.in[last],
                                  sizes.out[last]};
  if (std::count(std::begin(extents), std::end(extents), 0) > 0) return "arrays without values";
  return nullptr;
}

}  // namespace

ConvTables tables_of(const ConvSizes& sizes, PaddingKind kind, bool is_grad_input) {
  ConvTables tables;
  for (int d = 0; d < most_dimensions; ++d) {
    index::ConvAxis& axis = tables.axes[d];
    axis.taps = sizes.taps[d];
    tables.first_pass[d] = tables.numbers.size();
    std::vector<std::int64_t> order;
    tables.numbers.push_back(static_cast<std::int64_t>(tables.passes.size()));
    if (is_grad_input) {
      axis.results = sizes.in[d];
      axis.sources = sizes.out[d];
      axis.stride = sizes.stride[d];
      axis.classes = std::max<std::int64_t>(1, std::min(sizes.stride[d], sizes.in[d]));
      axis.spacing = sizes.dilation[d] / std::gcd(sizes.dilation[d], sizes.stride[d]);
      GradientAxis gradient(sizes, d, kind, tables);
      for (std::int64_t i = 0; i < axis.classes; ++i) {
        gradient.add_class(i);
        tables.numbers.push_back(static_cast<std::int64_t>(tables.passes.size()));
      }
      order = gradient.order();
    } else {
      axis.results = sizes.out[d];
      axis.sources = sizes.in[d];
      axis.step = sizes.stride[d];
      axis.spacing = sizes.taps[d] > 1 ? sizes.dilation[d] : sizes.stride[d];
      axis.gcd = std::gcd(axis.step, axis.spacing);
      axis.padding_mode = row_of(kind).mode;
      tables.passes.push_back({0, axis.results, 0, axis.taps, -sizes.before[d], false});
      tables.numbers.push_back(static_cast<std::int64_t>(tables.passes.size()));
      tables.most_taps[d] = axis.taps;
      order.resize(static_cast<std::size_t>(axis.taps));
      std::iota(order.begin(), order.end(), 0);
    }
    tables.tap_order[d] = tables.numbers.size();
    tables.numbers.insert(tables.numbers.end(), order.begin(), order.end());
  }
  return tables;
}

ConvShape shape_of(const ConvArrays& arrays, const ConvOptions& options, StoredType type) {
  check_dimensions(arrays.dimensions);
  check_scaling(arrays);
  const ConvSizes sizes = sizes_of(arrays, options, size_of_result(arrays, options));
  check_result(arrays, options, sizes, type);
  ConvShape shape;
  const ConvOperatorRow& row = row_of(arrays.op);
  shape.is_by_weights = row.is_by_weights();
  if (shape.is_by_weights) {
    fill_by_weights(arrays, options, sizes, shape.by_weights);
  } else {
    fill_forward(arrays, options, sizes, shape.problem);
  }
  shape.tables = tables_of(sizes, options.padding_kind, row.is_by_input());
  shape.no_fft = no_fft(arrays, sizes);
  shape.flops = 2 * static_cast<double>(sizes.batch) * count_of(sizes.out) *
                static_cast<double>(sizes.outputs) * static_cast<double>(sizes.inputs) /
                static_cast<double>(sizes.groups) * count_of(sizes.taps);
  shape.bytes = bytes_of(arrays.first.array()) + bytes_of(arrays.second.array()) +
                bytes_of(arrays.bias.array()) + bytes_of(arrays.result);
  return shape;
}

}  // namespace synelix::plan
