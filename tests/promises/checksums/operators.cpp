// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kind.hpp"

#include <synelix/conv.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <span>
#include <vector>

// Convolution operators and their gradients, along one to three dimensions: strides, dilation,
// padding of each kind, groups, one channel for each group, both orders of channels, stored types
// with one scale and offset or those of each channel, long windows by transforms.

namespace checksums {
namespace {

using namespace synelix;

using Sizes = std::vector<std::int64_t>;

/// One number for all dimensions, or one for each.
PerDimension per_dimension(const Sizes& sizes) {
  if (sizes.size() == 1) return {sizes[0]};
  if (sizes.size() == 2) return {sizes[0], sizes[1]};
  return {sizes[0], sizes[1], sizes[2]};
}

/// A convolution without its arrays. For `transposed`, `in` is the space of the result.
struct Shape {
  std::int64_t batch = 1;
  std::int64_t groups = 1;
  std::int64_t inputs = 1;
  std::int64_t outputs = 1;
  Sizes in, out, taps, stride, dilation, before, after;
};

enum class Window : std::uint8_t { short_one, long_one };

Shape draw_shape(int dimensions, Window window, PaddingKind kind, Draws& draws) {
  Shape shape;
  shape.batch = draws.between(1, 3);
  const bool is_depthwise = draws.once_in(4);
  shape.groups = is_depthwise ? draws.between(2, 20) : draws.once_in(3) ? draws.between(2, 3) : 1;
  shape.inputs = shape.groups * (is_depthwise ? 1 : draws.between(1, 6));
  shape.outputs = shape.groups * (is_depthwise ? draws.between(1, 2) : draws.between(1, 9));
  const bool is_long = window == Window::long_one;
  const std::int64_t most = is_long ? 600 : dimensions == 1 ? 60 : dimensions == 2 ? 14 : 6;
  for (int d = 0; d < dimensions; ++d) {
    const std::int64_t taps =
        is_long ? draws.between(2, 120) : draws.between(1, dimensions == 3 ? 3 : 5);
    const std::int64_t stride = !is_long && draws.once_in(3) ? draws.between(1, 4) : 1;
    const std::int64_t dilation = draws.once_in(4) ? draws.between(1, 3) : 1;
    const std::int64_t reach = dilation * (taps - 1) + 1;
    std::int64_t in = draws.between(is_long ? 100 : 2, most);
    const std::int64_t reflected = kind == PaddingKind::reflect ? 1 : 0;
    const std::int64_t widest = kind == PaddingKind::zero ? 5 : in - reflected;
    const std::int64_t before = draws.between(0, std::min<std::int64_t>(5, widest));
    const std::int64_t after = draws.between(0, std::min<std::int64_t>(5, widest));
    if (before + in + after < reach) in = reach;
    shape.in.push_back(in);
    shape.taps.push_back(taps);
    shape.stride.push_back(stride);
    shape.dilation.push_back(dilation);
    shape.before.push_back(before);
    shape.after.push_back(after);
    shape.out.push_back((in + before + after - reach) / stride + 1);
  }
  return shape;
}

/// Arrays and options of one case.
template <class Scalar>
class ConvCase {
 public:
  ConvCase(const Runner& runner, int dimensions, Window window, PaddingKind kind, Draws& draws)
      : m_exec(runner.exec), m_draws(draws), m_dimensions(dimensions) {
    m_shape = draw_shape(dimensions, window, kind, draws);
    m_options.machine = runner.machine;
    m_options.stride = per_dimension(m_shape.stride);
    m_options.dilation = per_dimension(m_shape.dilation);
    m_options.padding = per_dimension(m_shape.before);
    m_options.padding_after = per_dimension(m_shape.after);
    m_options.padding_kind = kind;
    m_options.groups = m_shape.groups;
    m_options.channels = draws.once_in(2) ? ChannelOrder::first : ChannelOrder::last;
    m_options.method = window == Window::long_one ? ConvMethod::fft : ConvMethod::direct;
    if (draws.once_in(3)) m_options.budget = mebibytes(64);
  }

  void forward(Checksum& checksum) {
    const Operand x = image(m_shape.inputs, m_shape.in);
    const Operand w = weights();
    const Operand b = m_draws.once_in(2) ? bias(m_shape.outputs) : no_bias;
    compute(ConvOperator::forward, x, w, b, m_shape.outputs, m_shape.out, checksum);
  }
  /// The result has the extents that padding after it gives: those of the forward input, or fewer
  /// if the stride skips the last positions.
  void transposed(Checksum& checksum) {
    m_options.padding_kind = PaddingKind::zero;
    for (std::size_t d = 0; d < m_shape.out.size(); ++d) {
      const std::int64_t reach = m_shape.dilation[d] * (m_shape.taps[d] - 1) + 1;
      const std::int64_t whole = (m_shape.out[d] - 1) * m_shape.stride[d] + reach;
      // A dimension that padding leaves nothing of is refused.
      if (m_shape.before[d] + m_shape.after[d] >= whole) m_shape.before[d] = m_shape.after[d] = 0;
    }
    m_options.padding = per_dimension(m_shape.before);
    m_options.padding_after = per_dimension(m_shape.after);
    const Operand x = image(m_shape.outputs, m_shape.out);
    const Operand w = weights();
    const Operand b = m_draws.once_in(2) ? bias(m_shape.inputs) : no_bias;
    const ConvArrays arrays{ConvOperator::transposed, m_dimensions, x, w, b, {}};
    run(arrays, conv_extents(arrays, m_options), checksum);
  }
  void grad_input(Checksum& checksum) {
    const Operand y = image(m_shape.outputs, m_shape.out);
    const Operand w = weights();
    compute(ConvOperator::grad_input, y, w, {}, m_shape.inputs, m_shape.in, checksum);
  }
  void grad_weights(Checksum& checksum) {
    const Operand x = image(m_shape.inputs, m_shape.in);
    const Operand y = image(m_shape.outputs, m_shape.out);
    run({ConvOperator::grad_weights, m_dimensions, x, y, {}, {}}, weights_extents(), checksum);
  }
  void grad_bias(Checksum& checksum) {
    const Operand y = image(m_shape.outputs, m_shape.out);
    run({ConvOperator::grad_bias, m_dimensions, y, {}, {}, {}}, {m_shape.outputs}, checksum);
  }

 private:
  [[nodiscard]] Sizes extents(std::int64_t channels, const Sizes& space) const {
    Sizes result{m_shape.batch};
    if (m_options.channels == ChannelOrder::first) result.push_back(channels);
    result.insert(result.end(), space.begin(), space.end());
    if (m_options.channels == ChannelOrder::last) result.push_back(channels);
    return result;
  }
  [[nodiscard]] Sizes weights_extents() const {
    Sizes result{m_shape.outputs, m_shape.inputs / m_shape.groups};
    result.insert(result.end(), m_shape.taps.begin(), m_shape.taps.end());
    return result;
  }

  const AnyArray& array(const Sizes& extents) {
    m_arrays.push_back(draw_operand<Scalar>(extents, m_draws));
    return m_arrays.back();
  }
  std::span<const double> numbers(std::int64_t count) {
    std::vector<double>& numbers = m_numbers.emplace_back();
    for (std::int64_t i = 0; i < count; ++i) numbers.push_back(m_draws.real());
    return numbers;
  }
  /// An image, now and then with one scale and offset, or those of each channel.
  Operand image(std::int64_t channels, const Sizes& space) {
    const Strided values = array(extents(channels, space)).strided();
    if (m_draws.once_in(4)) return scaled(values, 0.195, -1.25);
    if (m_draws.once_in(6)) {
      const PerChannel scale = numbers(channels);
      return scaled(values, scale, m_draws.once_in(2) ? PerChannel(numbers(channels)) : 0.0);
    }
    return values;
  }
  Operand weights() {
    const Strided values = array(weights_extents()).strided();
    if (m_draws.once_in(5)) return scaled(values, 0.01, 0.5);
    if (m_draws.once_in(5)) return flipped(values);
    return values;
  }
  Operand bias(std::int64_t channels) { return array({channels}).strided(); }

  void compute(ConvOperator op, const Operand& first, const Operand& second, const Operand& bias,
               std::int64_t channels, const Sizes& space, Checksum& checksum) {
    run({op, m_dimensions, first, second, bias, {}}, extents(channels, space), checksum);
  }
  void run(ConvArrays arrays, const Sizes& extents, Checksum& checksum) {
    auto result = draw_output<Scalar>(extents, m_draws);
    arrays.result = result.output();
    convolve_arrays(m_exec, arrays, m_options);
    checksum.add(result);
  }

  const Exec& m_exec;
  Draws& m_draws;
  int m_dimensions;
  Shape m_shape;
  ConvOptions m_options;
  std::deque<AnyArray> m_arrays;
  std::deque<std::vector<double>> m_numbers;
};

/// The kinds of one number of dimensions.
template <class Scalar>
void run_dimensions(Runner& runner, int dimensions) {
  const std::string name = "operators.conv" + std::to_string(dimensions) + "d";
  const auto run = [&](const std::string& kind, int cases, Window window, auto compute) {
    const Numbers numbers = window == Window::long_one ? Numbers::libm : Numbers::arithmetic;
    runner.run(of_type<Scalar>(name + kind), cases, numbers, [&](Draws& draws, Checksum& checksum) {
      const auto padding = static_cast<PaddingKind>(draws.between(0, 2));
      ConvCase<Scalar> test(runner, dimensions, window, padding, draws);
      (test.*compute)(checksum);
    });
  };
  using Case = ConvCase<Scalar>;
  run("", 100, Window::short_one, &Case::forward);
  run("_transposed", 50, Window::short_one, &Case::transposed);
  run("_grad_input", 60, Window::short_one, &Case::grad_input);
  run("_grad_weights", 60, Window::short_one, &Case::grad_weights);
  run("_grad_bias", 20, Window::short_one, &Case::grad_bias);
  if (dimensions > 1) return;
  run("_fft", 50, Window::long_one, &Case::forward);
  run("_grad_input_fft", 30, Window::long_one, &Case::grad_input);
}

/// The calls that take Views, and windows that run the other way; positions of several slices.
template <class Scalar>
void call_with_views(const Runner& runner, Draws& draws, Checksum& checksum) {
  using Images = Kokkos::View<Scalar****, Kokkos::LayoutRight, Kokkos::HostSpace>;
  const auto fill = [&](const Images& images) {
    for (std::size_t i = 0; i < images.size(); ++i) {
      images.data()[i] = static_cast<Scalar>(draws.real());
    }
  };
  const Images x("x", 2, 3, 70, 130);  // more than 16384 positions
  const Images w("w", 4, 3, 3, 2);
  fill(x);
  fill(w);
  ConvOptions options;
  options.machine = runner.machine;
  options.padding_size = PaddingSize::same;
  const auto y = true_conv2d<Images>(runner.exec, x, w, no_bias, options);
  const auto grad_w = conv2d_grad_weights<Images>(runner.exec, x, y, {3, 2}, options);
  checksum.add(std::span<const Scalar>(y.data(), y.size()));
  checksum.add(std::span<const Scalar>(grad_w.data(), grad_w.size()));
}

template <class Scalar>
void run_operators_of_type(Runner& runner) {
  for (int dimensions = 1; dimensions <= 3; ++dimensions) {
    run_dimensions<Scalar>(runner, dimensions);
  }
  runner.run(
      of_type<Scalar>("operators.views"), 3, Numbers::arithmetic,
      [&](Draws& draws, Checksum& checksum) { call_with_views<Scalar>(runner, draws, checksum); });
}

}  // namespace

void run_operators(Runner& runner) {
  run_operators_of_type<float>(runner);
  run_operators_of_type<double>(runner);
}

}  // namespace checksums
