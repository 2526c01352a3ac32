// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "machine/budget.hpp"
#include "operators/choice/operator_items.hpp"
#include "operators/plan/conv_shape.hpp"
#include "products/choice/form_items.hpp"
#include "products/choice/product_parts.hpp"
#include "tune/device_tile.hpp"
#include "tune/tiles.hpp"

#include <synelix/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// Choices of operators, products and forms follow from a problem and numbers alone: those of a
// device and of any number of threads are made here, where neither is.

namespace choices_tests {
namespace {

using namespace synelix;
constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

ExecutionResources host(std::int64_t threads, std::int64_t budget = no_limit) {
  return {false, threads, [budget](std::int64_t) { return budget; }};
}
ExecutionResources device(std::int64_t threads, std::int64_t budget = no_limit) {
  return {true, threads, [budget](std::int64_t) { return budget; }};
}

/// The least budget that an error names; -1 if a choice is made.
template <class Choose>
std::int64_t least_of(const Choose& choose, std::int64_t budget) {
  try {
    choose(budget);
    return -1;
  } catch (const Error& error) {
    const std::string text = error.what();
    const auto at = text.find("at least ");
    return at == std::string::npos ? -2 : std::stoll(text.substr(at + 9));
  }
}

/// The budget in an error is the least: it suffices, and one byte less does not.
template <class Choose>
void expect_least_suffices(const Choose& choose) {
  const std::int64_t least = least_of(choose, 0);
  ASSERT_GT(least, 0);
  EXPECT_EQ(least_of(choose, least), -1);
  EXPECT_EQ(least_of(choose, least - 1), least);
}

/// A gradient by weights or a convolution of one dimension.
plan::ConvShape shape_of(ConvOperator op, std::int64_t channels, std::int64_t samples,
                         std::int64_t taps) {
  static const std::vector<float> values(std::size_t{1} << 20, 1.0F);
  static std::vector<float> results(std::size_t{1} << 20, 0.0F);
  const Strided x(values.data(), {2, channels, samples});
  const Strided w(values.data(), {channels, channels, taps});
  const std::int64_t positions = samples - taps + 1;
  if (op == ConvOperator::grad_weights) {
    const Strided grad_y(values.data(), {2, channels, positions});
    return plan::shape_of(
        {op, 1, x, grad_y, {}, StridedOutput(results.data(), {channels, channels, taps})}, {},
        StoredType::float32);
  }
  return plan::shape_of({op, 1, x, w, {}, StridedOutput(results.data(), {2, channels, positions})},
                        {}, StoredType::float32);
}

TEST(Choices, OfOperatorsFollowFromTheProblemInAllThatDecidesOverBits) {
  for (const ConvOperator op : {ConvOperator::forward, ConvOperator::grad_weights}) {
    for (const ConvMethod method : {ConvMethod::automatic, ConvMethod::direct, ConvMethod::fft}) {
      ConvOptions options;
      options.method = method;
      const plan::ConvShape shape = shape_of(op, 24, 3000, 129);
      const auto one = plan::choose_operator<float>(shape, options, host(1));
      for (const std::int64_t threads : {2, 7, 64, 500}) {
        const auto many = plan::choose_operator<float>(shape, options, host(threads));
        EXPECT_EQ(many.choice.method, one.choice.method);
        EXPECT_EQ(many.choice.fft_length, one.choice.fft_length);
        EXPECT_EQ(many.choice.slices, one.choice.slices);
        EXPECT_EQ(many.cut.channels, one.cut.channels);
        EXPECT_EQ(many.grad_cut.slice_boxes, one.grad_cut.slice_boxes);
        EXPECT_LE(many.choice.teams, threads);
        EXPECT_GE(many.choice.items, one.choice.items);
      }
    }
  }
}

TEST(Choices, OfOperatorsFitTheirBudget) {
  for (const ConvOperator op : {ConvOperator::forward, ConvOperator::grad_weights}) {
    const plan::ConvShape shape = shape_of(op, 24, 3000, 33);
    const auto choose = [&](std::int64_t budget) {
      const auto cutting = plan::choose_operator<float>(shape, {}, host(16, budget));
      EXPECT_LE(cutting.choice.workspace_bytes, budget);
      EXPECT_GE(cutting.choice.teams, 1);
      return cutting.choice.teams;
    };
    expect_least_suffices(choose);
    EXPECT_EQ(choose(least_of(choose, 0)), 1);
    EXPECT_GT(choose(no_limit), 1);
  }
}

/// A team for each item: all output channels by a box of positions, or some weights by a run of
/// slices. Neither follows from the threads.
TEST(Choices, OfOperatorsOnADeviceAreATeamForEachItem) {
  for (const std::int64_t threads : {1'000, 200'000}) {
    const plan::ConvShape shape = shape_of(ConvOperator::forward, 24, 3000, 33);
    const auto cutting = plan::choose_operator<float>(shape, {}, device(threads));
    EXPECT_EQ(cutting.choice.method, ConvMethod::direct);
    EXPECT_EQ(cutting.choice.columns, 24);
    const std::int64_t boxes = (3000 - 33 + cutting.choice.positions) / cutting.choice.positions;
    EXPECT_EQ(cutting.choice.items, 2 * boxes);
    EXPECT_EQ(cutting.choice.teams, cutting.choice.items);
    EXPECT_LE(cutting.choice.positions, tune::device_conv_threads * tune::device_conv_rows);
    const plan::ConvShape by_weights = shape_of(ConvOperator::grad_weights, 24, 3000, 33);
    const auto gradient = plan::choose_operator<float>(by_weights, {}, device(threads));
    EXPECT_GE(gradient.choice.slices, 2 * 2968 / 512 / 2);
    EXPECT_EQ(gradient.device_grad_cut.partials, gradient.choice.slices);
  }
}

/// Long windows are transformed on a device too, and blocks follow from the problem and the scratch
/// of a team, not from the threads.
TEST(Choices, OfOperatorsOnADeviceTransformLongWindows) {
  constexpr std::int64_t scratch = 40 * 1024;
  for (const ConvOperator op : {ConvOperator::forward, ConvOperator::grad_weights}) {
    const auto choose = [&](std::int64_t taps, ConvMethod method, std::int64_t bytes,
                            std::int64_t threads = 200'000) {
      ConvOptions options;
      options.method = method;
      return plan::choose_operator<float>(shape_of(op, 8, 3000, taps), options, device(threads),
                                          bytes);
    };
    const auto found = choose(700, ConvMethod::automatic, scratch);
    EXPECT_EQ(found.choice.method, ConvMethod::fft);
    EXPECT_EQ(found.choice.fft_length, 2 * found.device_fft.points);
    EXPECT_EQ(found.choice.teams, found.choice.items);
    EXPECT_GE(found.choice.workspace_bytes, found.device_fft.bytes);
    const auto few = choose(700, ConvMethod::automatic, scratch, 1000);
    EXPECT_EQ(few.choice.fft_length, found.choice.fft_length);
    EXPECT_EQ(few.choice.items, found.choice.items);
    EXPECT_EQ(choose(700, ConvMethod::direct, scratch).choice.method, ConvMethod::direct);
    EXPECT_EQ(choose(7, ConvMethod::automatic, scratch).choice.method, ConvMethod::direct);
    EXPECT_EQ(choose(7, ConvMethod::fft, scratch).choice.method, ConvMethod::fft);
    EXPECT_EQ(choose(700, ConvMethod::automatic, 0).choice.method, ConvMethod::direct);
    EXPECT_THROW((void)choose(700, ConvMethod::fft, 0), Error);
    // A window longer than any block of so little scratch is cut into parts.
    EXPECT_GT(choose(2700, ConvMethod::fft, scratch / 2).device_fft.parts, 1);
    const auto within = [&](std::int64_t budget) {
      ConvOptions options;
      options.method = ConvMethod::fft;
      const auto cutting = plan::choose_operator<float>(shape_of(op, 8, 3000, 33), options,
                                                        device(200'000, budget), scratch);
      EXPECT_LE(cutting.choice.workspace_bytes, budget);
      return cutting.choice.teams;
    };
    expect_least_suffices(within);
  }
}

/// Packed values and partials are memory of the device: the least budget is named, and suffices.
TEST(Choices, OfOperatorsOnADeviceFitTheirBudget) {
  for (const ConvOperator op : {ConvOperator::forward, ConvOperator::grad_weights}) {
    const plan::ConvShape shape = shape_of(op, 24, 3000, 33);
    const auto choose = [&](std::int64_t budget) {
      const auto cutting = plan::choose_operator<float>(shape, {}, device(200'000, budget));
      EXPECT_LE(cutting.choice.workspace_bytes, budget);
      EXPECT_GE(cutting.packed_bytes, 24 * 33 * std::int64_t{sizeof(float)});
      return cutting.choice.teams;
    };
    expect_least_suffices(choose);
  }
}

/// A product of these extents, whose operands are stored in rows.
template <class Scalar>
plan::ProductList<Scalar> product_of(std::int64_t rows, std::int64_t columns, std::int64_t inner) {
  plan::ProductList<Scalar> list;
  list.count = 1;
  list.first.rows = rows;
  list.first.columns = columns;
  list.first.inner = inner;
  list.first.left.type = stored_type<Scalar>;
  list.first.left.row_stride = inner;
  list.first.left.column_stride = 1;
  list.first.right.type = stored_type<Scalar>;
  list.first.right.row_stride = columns;
  list.first.right.column_stride = 1;
  list.first.result_row = columns;
  return list;
}

TEST(Choices, OfProductsAskALibraryWhereThereIsOne) {
  const auto list = product_of<double>(2000, 2000, 2000);
  const auto multiplier = [&](plan::VendorLibrary library, const MatmulOptions& options = {}) {
    return plan::choose_products(list, options, host(4), library).choice.multiplier;
  };
  EXPECT_EQ(multiplier(plan::VendorLibrary::present), Multiplier::library);
  EXPECT_NE(multiplier(plan::VendorLibrary::absent), Multiplier::library);
  MatmulOptions options;
  options.multiplier = Multiplier::library;
  EXPECT_THROW((void)multiplier(plan::VendorLibrary::absent, options), Error);
}

TEST(Choices, OfProductsFitTheirBudget) {
  const auto list = product_of<float>(500, 300, 900);
  const auto choose = [&](std::int64_t budget) {
    const auto cut = plan::choose_products(list, {}, host(16, budget), plan::VendorLibrary::absent);
    EXPECT_LE(cut.choice.workspace_bytes, budget);
    return cut.choice.teams;
  };
  expect_least_suffices(choose);
  EXPECT_EQ(choose(least_of(choose, 0)), 1);
  EXPECT_GT(choose(no_limit), 1);
}

TEST(Choices, OfProductsOnADeviceTakeNoMemory) {
  const auto list = product_of<float>(500, 300, 900);
  const auto cut = plan::choose_products(list, {}, device(200'000, 0), plan::VendorLibrary::absent);
  constexpr std::int64_t rows = tune::device_tile_part;
  constexpr std::int64_t columns = tune::device_tile_part;
  EXPECT_EQ(cut.choice.workspace_bytes, 0);
  EXPECT_EQ(cut.choice.parts, (500 + rows - 1) / rows * ((300 + columns - 1) / columns));
  EXPECT_EQ(cut.choice.teams, cut.choice.parts);
}

TEST(Choices, OfFormsFitTheirBudget) {
  sweep::FormProblem<float> problem;
  problem.rows = 1000;
  problem.inner = 200;
  problem.columns = 150;
  problem.left = {.type = StoredType::float32, .row_stride = 200, .column_stride = 1};
  problem.matrix = {.type = StoredType::float32, .row_stride = 150, .column_stride = 1};
  problem.right = {.type = StoredType::float32, .row_stride = 150, .column_stride = 1};
  const auto choose = [&](std::int64_t budget) {
    const auto cutting = plan::choose_forms(problem, {}, host(16, budget));
    EXPECT_LE(cutting.choice.workspace_bytes, budget);
    return cutting.choice;
  };
  expect_least_suffices(choose);
  EXPECT_FALSE(choose(least_of(choose, 0)).is_packed);
  EXPECT_TRUE(choose(no_limit).is_packed);
  EXPECT_EQ(plan::choose_forms(problem, {}, device(200'000, 0)).choice.workspace_bytes, 0);
}

}  // namespace
}  // namespace choices_tests
