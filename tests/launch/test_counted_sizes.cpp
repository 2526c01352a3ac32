// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/random_case.hpp"
#include "oracle/refusals.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/conv.hpp>
#include <synelix/matmul.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <vector>

// Extents, strides and options whose product is beyond 64 bits are refused before anything is
// computed from them: the sanitizer of undefined behavior finds nothing here.

namespace counted_sizes_tests {
namespace {

namespace sx = synelix;
using Exec = Kokkos::DefaultHostExecutionSpace;
using Op = sx::ConvOperator;
using oracle::draw;
using oracle::expect_refused;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t huge = std::int64_t{1} << 62;

class CountedSizes : public testing::Test {
 protected:
  [[nodiscard]] sx::Strided in(std::initializer_list<std::int64_t> extents) const {
    sx::Strided array = in_place(extents);
    std::int64_t stride = 1;
    for (int i = array.rank - 1; i >= 0; --i) {
      const auto k = static_cast<std::size_t>(i);
      array.strides[k] = stride;
      stride = array.extents[k] < 1000 ? stride * array.extents[k] : stride;
    }
    return array;
  }
  /// All values in one place.
  [[nodiscard]] sx::Strided in_place(std::initializer_list<std::int64_t> extents) const {
    sx::Strided array(m_values.data(), {1});
    array.rank = 0;
    for (const std::int64_t extent : extents) {
      array.extents[static_cast<std::size_t>(array.rank)] = extent;
      array.strides[static_cast<std::size_t>(array.rank++)] = 0;
    }
    return array;
  }
  [[nodiscard]] sx::StridedOutput out(std::initializer_list<std::int64_t> extents) {
    const sx::Strided array = in(extents);
    sx::StridedOutput output(m_results.data(), {1});
    output.rank = array.rank;
    output.extents = array.extents;
    output.strides = array.strides;
    return output;
  }

  std::vector<float> m_values = std::vector<float>(4096, 1.0F);
  std::vector<float> m_results = std::vector<float>(4096, 1.0F);
};

TEST_F(CountedSizes, OfMatricesAreRefused) {
  const std::string counted = "at most 2^48 values";
  const std::string reached = "at most 2^56 bytes";
  for (const std::int64_t extent : {huge, most, std::int64_t{1} << 40}) {
    expect_refused([&] { transposed(in_place({extent, extent})); }, "transposed",
                   std::to_string(extent), counted);
    expect_refused([&] { sx::matmul(Exec(), in({1, 1}), in_place({extent, extent, 0}), out({1})); },
                   "b", std::to_string(extent), counted);
  }
  for (const std::int64_t stride : {huge, -huge, most, std::numeric_limits<std::int64_t>::min()}) {
    sx::Strided array = in({3, 4});
    array.strides[0] = stride;
    expect_refused([&] { sx::matmul(Exec(), array, in({4, 2}), out({3, 2})); }, "a",
                   std::to_string(stride), reached);
    array.extents[0] = 1;  // the stride is not used
    const sx::Operand one{array};
    sx::matmul(Exec(), one, in({4, 2}), out({1, 2}));
    EXPECT_EQ(m_results[1], 4.0F);
    sx::matmul(Exec(), transposed(in({1, 2})), one, out({2, 4}));
    EXPECT_EQ(m_results[7], 1.0F);
    sx::StridedOutput c = out({3, 4});
    c.strides[1] = stride;
    expect_refused([&] { sx::matmul(Exec(), in({3, 5}), in({5, 4}), c); }, "c",
                   std::to_string(stride), reached);
  }
  sx::Strided nameless = in({2, 2});
  nameless.rank = 99;
  expect_refused([&] { sx::quadratic_forms(Exec(), nameless, in({2, 2}), out({2})); }, "x",
                 "99 dimensions", "at most 8");
  const sx::Operand line(in_place({1, std::int64_t{1} << 40}));
  expect_refused([&] { windows(line, std::int64_t{1} << 39); }, "windows", "549755813888", counted);
  const sx::Operand few(in({4, 9}));
  EXPECT_EQ(windows(few, 9, most).rank(), 3);  // one place, whatever the step
  EXPECT_EQ(windows(few, 4, 9, most).rank(), 4);
  EXPECT_EQ(windows(few, 3, most).array().extents[0], 1);
}

TEST_F(CountedSizes, OfProductsAndFormsAreRefused) {
  const Exec exec;
  const std::int64_t million = std::int64_t{1} << 40;
  const sx::Operand column(in_place({million, 1}));
  const sx::Operand row(in_place({1, million}));
  expect_refused([&] { (void)sx::choose_matmul(exec, column, row, out({million, million})); }, "c",
                 std::to_string(million), "at most 2^48 values");
  expect_refused(
      [&] { (void)sx::choose_matmul(exec, column, row, out({million, million}), {.budget = 1}); },
      "c", std::to_string(million), "at most 2^48 values");
  // Long sums of one value are counted, and would take long.
  (void)sx::choose_matmul(exec, row, column, out({1, 1}));
  const sx::Operand wide(in_place({1, million}));
  (void)sx::choose_bilinear_forms(exec, wide, sx::Operand(in_place({million, 1})),
                                  sx::Operand(in({1, 1})), out({1}));
  (void)sx::choose_bilinear_forms(exec, sx::Operand(in({1, 1})),
                                  sx::Operand(in_place({million, 1, 1})), sx::Operand(in({1, 1})),
                                  sx::StridedOutput(static_cast<float*>(nullptr), {million, 1}));
}

TEST_F(CountedSizes, OfConvolutionsAreRefused) {
  const Exec exec;
  const auto refuse = [&](const sx::ConvArrays& arrays, const sx::ConvOptions& options,
                          const std::string& argument, const std::string& found,
                          const std::string& allowed) {
    SCOPED_TRACE(argument + " " + found);
    expect_refused([&] { sx::convolve_arrays(exec, arrays, options); }, argument, found, allowed);
    expect_refused([&] { (void)sx::choose_conv(exec, arrays, options); }, argument, found, allowed);
  };
  const auto w = in({2, 3, 3});
  for (const std::int64_t extent : {huge, most, (std::int64_t{1} << 48) + 1}) {
    refuse({Op::forward, 1, in_place({1, 3, extent}), w, {}, out({1, 2, extent - 2})}, {}, "x",
           std::to_string(extent), "2^48 values");
    refuse({Op::forward, 1, in_place({extent, 3, 5}), w, {}, out({extent, 2, 3})}, {}, "x",
           std::to_string(extent), "2^48 values");
    refuse({Op::forward, 1, in_place({1, extent, 5}), w, {}, out({1, 2, 3})}, {}, "x",
           std::to_string(extent), "2^48 values");
    refuse({Op::forward, 1, in({1, 3, 5}), in_place({2, 3, extent}), {}, out({1, 2, 3})}, {}, "w",
           std::to_string(extent), "2^48 values");
    EXPECT_THROW((void)sx::flipped(in_place({2, 3, extent})), sx::Error);
  }
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  const std::int64_t taps = std::int64_t{1} << 40;
  refuse({Op::forward, 1, in({1, 3, 5}), in_place({2, 3, taps}), {}, out({1, 2, 3})},
         {.dilation = largest}, "w", "a window of more than 2^56", "the padded input");
  refuse({Op::forward, 3, in({1, 1, 1, 1, 1}), in({1, 1, 1, 1, 1}), {}, out({1, 1, 3, 3, 3})},
         {.stride = largest, .padding = largest}, "padding", std::to_string(largest),
         "2^48 values in all");
  refuse({Op::grad_input, 3, in({1, 1, 3, 3, 3}), in({1, 1, 1, 1, 1}), {}, out({1, 1, 1, 1, 1})},
         {.stride = largest, .padding = largest}, "padding", std::to_string(largest),
         "2^48 values in all");
  refuse({Op::transposed, 1, in({1, 2, taps}), in_place({2, 3, 4}), {}, out({1, 3, 7})},
         {.stride = largest}, "padding", "before", "2^48 values in all");
  refuse({Op::transposed, 1, in({1, 2, 4}), in_place({2, taps, 1}), {}, out({1, 3, 4})},
         {.groups = largest}, "groups", "channels each", "2^48 channels in all");
  refuse({Op::grad_weights, 1, in({1, 3, 9}), in({1, 2, 8}), {}, out({2, 3, huge})}, {}, "taps",
         std::to_string(huge), "at most 2147483647");
  EXPECT_THROW((void)sx::conv_extents({Op::grad_weights, 1, in({1, 3, 9}), in({1, 2, 8}), {}, {}},
                                      {.dilation = largest}, largest),
               sx::Error);
}

/// Enumerations hold any number that is cast to them.
TEST_F(CountedSizes, UnknownValuesOfOptionsAreRefused) {
  const Exec exec;
  const auto value = [](auto known) { return static_cast<decltype(known)>(77); };
  const sx::Strided image = in({1, 3, 9});
  const sx::Strided weights = in({2, 3, 2});
  const auto refuse_conv = [&](const std::string& argument, const sx::ConvOptions& options,
                               Op op = Op::forward) {
    const sx::ConvArrays arrays{op, 1, image, weights, {}, out({1, 2, 8})};
    expect_refused([&] { sx::convolve_arrays(exec, arrays, options); }, argument, "77", "0 (");
    expect_refused([&] { (void)sx::choose_conv(exec, arrays, options); }, argument, "77", "0 (");
    expect_refused([&] { (void)sx::conv_extents(arrays, options); }, argument, "77", "0 (");
    expect_refused([&] { (void)sx::ConvPlan<float, Exec>(exec, arrays, options); }, argument, "77",
                   "0 (");
  };
  refuse_conv("op", {}, value(Op::forward));
  refuse_conv("padding_kind", {.padding_kind = value(sx::PaddingKind::zero)});
  refuse_conv("padding_size", {.padding_size = value(sx::PaddingSize::same)});
  refuse_conv("channels", {.channels = value(sx::ChannelOrder::last)});
  refuse_conv("method", {.method = value(sx::ConvMethod::fft)});
  refuse_conv("machine.instruction_set",
              {.machine = {.instruction_set = value(sx::InstructionSet::plain)}});
  const sx::Operand square(in({3, 3}));
  const auto refuse_matmul = [&](const std::string& argument, const sx::MatmulOptions& options) {
    const std::vector<sx::Product> list{{square, square, out({3, 3})}};
    expect_refused([&] { sx::matmul(exec, square, square, out({3, 3}), options); }, argument, "77",
                   "0 (");
    expect_refused([&] { sx::matmul(exec, std::span<const sx::Product>(list), options); }, argument,
                   "77", "0 (");
  };
  refuse_matmul("multiplier", {.multiplier = value(sx::Multiplier::tiles)});
  refuse_matmul("machine.instruction_set",
                {.machine = {.instruction_set = value(sx::InstructionSet::plain)}});
  const auto refuse_forms = [&](const std::string& argument,
                                const sx::BilinearFormsOptions& options) {
    expect_refused([&] { sx::bilinear_forms(exec, square, square, square, out({3}), options); },
                   argument, "77", "0 (");
    expect_refused([&] { sx::quadratic_forms(exec, square, square, out({3}), options); }, argument,
                   "77", "0 (");
  };
  refuse_forms("method", {.method = value(sx::FormMethod::product)});
  refuse_forms("machine.instruction_set",
               {.machine = {.instruction_set = value(sx::InstructionSet::plain)}});
  sx::Strided unknown = image;
  unknown.type = value(sx::StoredType::int8);
  expect_refused([&] { sx::quadratic_forms(exec, unknown, unknown, out({3})); }, "x.type", "77",
                 "0 (float32)");
  expect_refused([&] { sx::conv1d(exec, unknown, weights, sx::no_bias, out({1, 2, 8})); }, "x.type",
                 "77", "5 (uint16)");
  unknown.rank = 1;
  unknown.extents[0] = 2;
  expect_refused([&] { sx::conv1d(exec, image, weights, unknown, out({1, 2, 8})); }, "bias.type",
                 "77", "5 (uint16)");
  sx::StridedOutput result = out({1, 2, 8});
  result.type = value(sx::StoredType::float32);
  expect_refused([&] { sx::conv1d(exec, image, weights, sx::no_bias, result); }, "y", "",
                 "float32");
  result = out({3, 3});
  result.type = value(sx::StoredType::float32);
  expect_refused([&] { sx::matmul(exec, square, square, result); }, "c", "", "float32");
}

/// Numbers near any limit: they give an error or are counted, without an overflow. Nothing runs.
TEST_F(CountedSizes, DrawnAtRandomAreRefusedOrCounted) {
  const Exec exec;
  std::mt19937_64 random(5);
  const auto number = [&](std::int64_t least) {
    switch (draw(random, 0, 6)) {
      case 0:
        return most - draw(random, 0, 3);
      case 1:
        return std::int64_t{1} << draw(random, 0, 62);
      case 2:
        return draw(random, least, 1 << 20);
      default:
        return draw(random, least, 6);
    }
  };
  const auto array = [&](int rank) {
    sx::Strided result = in_place({1});
    result.rank = rank;
    for (int i = 0; i < rank; ++i) {
      const auto k = static_cast<std::size_t>(i);
      result.extents[k] = number(0);
      result.strides[k] = oracle::once_in(random, 2)   ? 0
                          : oracle::once_in(random, 4) ? -number(0)
                                                       : number(0);
    }
    return result;
  };
  const auto output = [&](int rank) {
    const sx::Strided drawn = array(rank);
    sx::StridedOutput result(m_results.data(), {1});
    result.rank = rank;
    result.extents = drawn.extents;
    result.strides = drawn.strides;
    return result;
  };
  int refused = 0;
  constexpr int turns = 60'000;
  for (int turn = 0; turn < turns; ++turn) {
    const int dimensions = static_cast<int>(draw(random, 1, 3));
    const auto per_dimension = [&](std::int64_t least) { return sx::PerDimension(number(least)); };
    sx::ConvOptions options{.stride = per_dimension(1),
                            .dilation = per_dimension(1),
                            .padding = per_dimension(0),
                            .padding_size = static_cast<sx::PaddingSize>(draw(random, 0, 2)),
                            .padding_kind = static_cast<sx::PaddingKind>(draw(random, 0, 2)),
                            .groups = number(1),
                            .output_padding = per_dimension(0)};
    const sx::ConvArrays arrays{static_cast<Op>(draw(random, 0, 4)),
                                dimensions,
                                array(dimensions + 2),
                                array(dimensions + 2),
                                sx::Operand(),
                                {}};
    try {
      sx::ConvArrays placed = arrays;
      if (arrays.op == Op::grad_bias) placed.second = {};
      const std::vector<std::int64_t> extents = sx::conv_extents(placed, options, per_dimension(1));
      if (oracle::once_in(random, 2)) {
        placed.result = output(dimensions + 2);
      } else {
        placed.result = sx::StridedOutput(m_results.data(), {1});
        placed.result.rank = static_cast<int>(extents.size());
        std::copy(extents.begin(), extents.end(), placed.result.extents.begin());
      }
      (void)sx::choose_conv(exec, placed, options);
    } catch (const sx::Error&) {
      ++refused;
    }
    try {
      const int rank = static_cast<int>(draw(random, 2, 4));
      const sx::Operand a(array(rank));
      const sx::Operand b(array(rank));
      (void)windows(a, number(1), number(1));
      (void)sx::choose_matmul(exec, a, b, output(rank));
    } catch (const sx::Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, turns);
  EXPECT_LT(refused, 2 * turns);
}

}  // namespace
}  // namespace counted_sizes_tests
