// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "operators/fft_cases.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

// Convolutions by transforms and their gradients, with large values next to small ones: the error
// of a result is proportional to the norm of its own window.

namespace conv_weak_rows_tests {
namespace {

namespace sx = synelix;
using Op = sx::ConvOperator;

template <class Types>
class ConvWeakRows : public oracle::ConvLines<Types> {};
TYPED_TEST_SUITE(ConvWeakRows, oracle::AllSpaces);

/// x (entry, input, position), w (output, input, tap) and y (entry, output, position) of a line.
template <class Scalar>
struct Line {
  using Wide = std::conditional_t<std::is_same_v<Scalar, float>, double, long double>;

  std::int64_t batch = 2;
  std::int64_t inputs = 2;
  std::int64_t outputs = 5;
  std::int64_t in = 1500;
  std::int64_t taps = 60;
  std::int64_t padding = 40;
  std::vector<Scalar> x = {};
  std::vector<Scalar> w = {};
  std::vector<Scalar> y = {};

  [[nodiscard]] std::int64_t out() const { return in + 2 * padding - taps + 1; }
  [[nodiscard]] std::vector<std::int64_t> x_extents() const { return {batch, inputs, in}; }
  [[nodiscard]] std::vector<std::int64_t> w_extents() const { return {outputs, inputs, taps}; }
  [[nodiscard]] std::vector<std::int64_t> y_extents() const { return {batch, outputs, out()}; }
  [[nodiscard]] Wide x_at(std::int64_t n, std::int64_t c, std::int64_t i) const {
    return x[static_cast<std::size_t>((n * inputs + c) * in + i)];
  }
  [[nodiscard]] Wide w_at(std::int64_t o, std::int64_t c, std::int64_t k) const {
    return w[static_cast<std::size_t>((o * inputs + c) * taps + k)];
  }
  [[nodiscard]] Wide y_at(std::int64_t n, std::int64_t o, std::int64_t p) const {
    return y[static_cast<std::size_t>((n * outputs + o) * out() + p)];
  }

  /// Usual values; then steps and single large values along each line of x or y.
  void fill(std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    const auto below = [&](std::int64_t n) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    };
    w.resize(static_cast<std::size_t>(outputs * inputs * taps));
    for (Scalar& weight : w) weight = static_cast<Scalar>(normal(random) / 8.0);
    for (auto* lines : {&x, &y}) {
      const std::int64_t length = lines == &x ? in : out();
      const std::int64_t count = batch * (lines == &x ? inputs : outputs);
      lines->resize(static_cast<std::size_t>(count * length));
      for (std::int64_t line = 0; line < count; ++line) {
        Scalar* const values = lines->data() + line * length;
        const std::int64_t turn = below(3) == 0 ? below(length) : length;
        const double level = std::pow(10.0, static_cast<double>(1 + below(12)));
        for (std::int64_t i = 0; i < length; ++i) {
          values[i] = static_cast<Scalar>(normal(random) * (i >= turn ? level : 1.0));
        }
        // Products of two large values stay in range.
        for (std::int64_t k = below(4); k > 0; --k) {
          values[below(length)] = static_cast<Scalar>(
              normal(random) * std::pow(10.0, static_cast<double>(3 + below(14))));
        }
      }
    }
  }

  template <class Space>
  std::vector<Scalar> compute(const Space& exec, Op op, std::int64_t& fft_length) const {
    const sx::Strided x_array(x.data(), x_extents());
    const sx::Strided w_array(w.data(), w_extents());
    const sx::Strided y_array(y.data(), y_extents());
    std::vector<Scalar> result(op == Op::forward        ? y.size()
                               : op == Op::grad_weights ? w.size()
                                                        : x.size());
    sx::ConvArrays arrays{op, 1, {}, {}, {}, {}};
    arrays.first = op == Op::grad_input ? y_array : x_array;
    arrays.second = op == Op::grad_weights ? y_array : w_array;
    arrays.result = sx::StridedOutput(result.data(), op == Op::forward        ? y_extents()
                                                     : op == Op::grad_weights ? w_extents()
                                                                              : x_extents());
    const sx::ConvOptions options{.padding = padding, .method = sx::ConvMethod::fft};
    fft_length = sx::choose_conv(exec, arrays, options).fft_length;
    sx::convolve_arrays(exec, arrays, options);
    return result;
  }
};

/// A sum of products, and the norms that bound its error.
template <class Wide>
struct Sum {
  Wide value = 0;
  Wide energy = 0;
  Wide weights = 0;
  std::int64_t terms = 0;

  void add(Wide seen, Wide weight) {
    value += seen * weight;
    energy += seen * seen;
    weights += weight * weight;
    ++terms;
  }
};

/// The expected result of an operator. The energy is that of the values in which large values hide;
/// sums exclude positions of the padding.
template <class Scalar>
std::vector<Sum<typename Line<Scalar>::Wide>> expected_of(const Line<Scalar>& line, Op op) {
  using Wide = typename Line<Scalar>::Wide;
  std::vector<Sum<Wide>> sums(op == Op::forward        ? line.y.size()
                              : op == Op::grad_weights ? line.w.size()
                                                       : line.x.size());
  for (std::int64_t n = 0; n < line.batch; ++n) {
    for (std::int64_t o = 0; o < line.outputs; ++o) {
      for (std::int64_t c = 0; c < line.inputs; ++c) {
        for (std::int64_t p = 0; p < line.out(); ++p) {
          for (std::int64_t k = 0; k < line.taps; ++k) {
            const std::int64_t i = p + k - line.padding;
            if (i < 0 || i >= line.in) continue;
            const Wide x = line.x_at(n, c, i);
            const Wide w = line.w_at(o, c, k);
            const Wide y = line.y_at(n, o, p);
            if (op == Op::forward) {
              sums[static_cast<std::size_t>((n * line.outputs + o) * line.out() + p)].add(x, w);
            } else if (op == Op::grad_input) {
              sums[static_cast<std::size_t>((n * line.inputs + c) * line.in + i)].add(y, w);
            } else {
              sums[static_cast<std::size_t>((o * line.inputs + c) * line.taps + k)].add(x, y);
            }
          }
        }
      }
    }
  }
  return sums;
}

template <class Scalar, class Space>
void expect_bounded(const Space& exec, Op op, const Line<Scalar>& line, int seed) {
  using Wide = typename Line<Scalar>::Wide;
  std::int64_t fft_length = 0;
  const std::vector<Scalar> found = line.compute(exec, op, fft_length);
  const auto expected = expected_of(line, op);
  const Wide per_norm = static_cast<Wide>(std::numeric_limits<Scalar>::epsilon()) * 256 *
                        std::log2(static_cast<Wide>(fft_length));
  const std::int64_t window = op == Op::forward        ? line.inputs * line.taps
                              : op == Op::grad_weights ? line.batch * line.out()
                                                       : line.outputs * line.taps;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& sum = expected[i];
    const Wide share = static_cast<Wide>(sum.terms) / static_cast<Wide>(window);
    // The weights of a complete window, from which those of the padding are excluded above.
    const Wide bound = per_norm * std::sqrt(sum.energy / share * sum.weights / share);
    ASSERT_LE(std::abs(static_cast<Wide>(found[i]) - sum.value), bound)
        << "value " << i << ", seed " << seed << ", operator " << static_cast<int>(op);
  }
}

TYPED_TEST(ConvWeakRows, HaveTheErrorOfTheirOwnWindows) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  std::mt19937_64 random(61);
  for (int seed = 0; seed < 6; ++seed) {
    Line<Scalar> line;
    line.in = 700 + 200 * seed;
    line.padding = seed % 3 == 0 ? 0 : 45;
    line.fill(random);
    for (const Op op : {Op::forward, Op::grad_input, Op::grad_weights}) {
      expect_bounded(exec, op, line, seed);
    }
  }
}

}  // namespace
}  // namespace conv_weak_rows_tests
