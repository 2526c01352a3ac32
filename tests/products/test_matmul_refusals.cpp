// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/apart.hpp"

#include "oracle/random_case.hpp"
#include "oracle/refusals.hpp"

#include <synelix/matmul.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <vector>

namespace matmul_refusals_tests {
namespace {

namespace sx = synelix;
using Exec = Kokkos::DefaultHostExecutionSpace;
using oracle::draw;
using oracle::expect_refused;

/// Memory that any small array fits.
class MatmulRefusals : public testing::Test {
 protected:
  [[nodiscard]] sx::Strided in(std::initializer_list<std::int64_t> shape) const {
    return {m_read.data(), shape};
  }
  sx::StridedOutput out(std::initializer_list<std::int64_t> shape) {
    return {m_written.data(), shape};
  }
  void multiply(const sx::Operand& a, const sx::Operand& b, const sx::StridedOutput& c,
                const sx::MatmulOptions& options = {}) {
    sx::matmul(Exec(), a, b, c, options);
  }

  std::vector<float> m_read = std::vector<float>(4096, 1.0F);
  std::vector<float> m_written = std::vector<float>(4096, 5.0F);
};

TEST_F(MatmulRefusals, ExtentsThatDoNotFit) {
  expect_refused([&] { multiply(in({3, 4}), in({5, 6}), out({3, 6})); }, "b", "(3, 4) and (5, 6)",
                 "as many rows of b as a has columns");
  expect_refused([&] { multiply(in({2, 3, 4}), in({3, 4, 5}), out({2, 3, 5})); }, "b",
                 "(2, 3, 4) and (3, 4, 5)", "the same batch");
  expect_refused([&] { multiply(in({3, 4}), in({4, 6}), out({3, 5})); }, "c", "(3, 5) of float32",
                 "(3, 6) of float32");
  expect_refused([&] { multiply(in({2, 3, 4}), in({4, 6}), out({3, 6})); }, "c", "(3, 6)",
                 "(2, 3, 6)");
  expect_refused([&] { multiply(in({12}), in({12, 1}), out({1, 1})); }, "a", "(12,)",
                 "two dimensions");
  const sx::Strided nowhere(static_cast<float*>(nullptr), {2, 2});
  expect_refused([&] { multiply(in({2, 2}), nowhere, out({2, 2})); }, "b", "a null pointer",
                 "memory for (2, 2)");
  expect_refused(
      [&] {
        multiply(in({3, 4}), in({4, 6}), sx::StridedOutput(static_cast<float*>(nullptr), {3, 6}));
      },
      "c", "a null pointer", "(3, 6)");
  std::vector<sx::Product> products{{in({2, 2}), in({2, 2}), out({2, 2})},
                                    {in({2, 2, 2}), in({2, 2}), out({2, 2})}};
  expect_refused([&] { sx::matmul(Exec(), std::span<const sx::Product>(products)); }, "products[1]",
                 "(2, 2, 2) and (2, 2)", "two matrices");
  EXPECT_EQ(m_written[0], 5.0F) << "nothing is written where something is refused";
}

TEST_F(MatmulRefusals, Results) {
  std::array<std::int16_t, 4> integers{};
  expect_refused(
      [&] { multiply(in({2, 2}), in({2, 2}), sx::StridedOutput(integers.data(), {2, 2})); }, "c",
      "int16", "float32 or float64");
  expect_refused([&] { multiply(in({3, 3}), in({3, 3}), {m_written.data(), {3, 3}, {2, 1}}); }, "c",
                 "strides that make values overlap", "a place of its own");
  expect_refused(
      [&] {
        multiply(sx::Strided(m_written.data(), {3, 3}), in({3, 3}),
                 sx::StridedOutput(m_written.data() + 8, {3, 3}));
      },
      "c", "overlaps that of a", "apart");
  std::array<double, 4> numbers{};
  expect_refused(
      [&] {
        sx::matmul(Exec(), sx::scaled(in({2, 2}), std::span(numbers).subspan<2>()), in({2, 2}),
                   sx::StridedOutput(numbers.data(), {2, 2}));
      },
      "c", "overlaps that of a", "apart");
  expect_refused(
      [&] { sx::matmul<Kokkos::View<float**, Exec>>(Exec(), in({2, 2}), in({2, 2}), {.beta = 1}); },
      "beta", "1", "0 for a new result");
  expect_refused([&] { sx::matmul<Kokkos::View<float***, Exec>>(Exec(), in({2, 2}), in({2, 2})); },
                 "matmul result", "rank 3", "rank 2");
}

TEST_F(MatmulRefusals, Options) {
  for (const double wrong : {1e39, -std::numeric_limits<double>::infinity(), std::nan("")}) {
    expect_refused([&] { multiply(in({2, 2}), in({2, 2}), out({2, 2}), {.alpha = wrong}); },
                   "alpha", "", "finite in the type of the result");
    expect_refused([&] { multiply(in({2, 2}), in({2, 2}), out({2, 2}), {.beta = wrong}); }, "beta",
                   "", "finite in the type of the result");
  }
  const sx::MatmulOptions library{.multiplier = sx::Multiplier::library};
  expect_refused([&] { multiply(in({2, 2, 2}), in({2, 2}), out({2, 2, 2}), library); },
                 "multiplier", "library", "more than one product");
  expect_refused([&] { multiply(scaled(in({2, 2}), 2, 0), in({2, 2}), out({2, 2}), library); },
                 "multiplier", "library", "converted");
  multiply(in({2, 0}), in({0, 2}), out({2, 2}), library);  // nothing to multiply
  EXPECT_EQ(m_written[3], 0.0F);
  multiply(in({2, 3}), in({3, 2}), out({2, 2}), library);
  EXPECT_EQ(m_written[3], 3.0F);
}

TEST_F(MatmulRefusals, ViewsOfMatrices) {
  const sx::Operand b(in({4, 9}));
  expect_refused([&] { windows(b, 10); }, "windows columns", "10", "1 to 9");
  expect_refused([&] { windows(b, 0); }, "windows columns", "0", "1 to 9");
  expect_refused([&] { windows(b, 5, 3, 1); }, "windows rows", "5", "1 to 4");
  expect_refused([&] { windows(b, 3, 0); }, "windows step", "0", "1 or more");
  expect_refused([&] { windows(in({1, 1, 1, 1, 1, 4, 9}), 3); }, "windows",
                 "matrices of 7 dimensions", "at most 6");
  const std::array<double, 9> scales{};
  const std::span<const double> each(scales);
  expect_refused([&] { windows(sx::scaled(b, each), 3); }, "windows", "of each channel",
                 "one scale");
  expect_refused([&] { sx::scaled(sx::scaled(in({4, 9}), 2), each); }, "scaled", "scaled already",
                 "stored values");
  expect_refused([&] { transposed(in({9})); }, "transposed", "(9,)", "two dimensions");
}

TEST_F(MatmulRefusals, NumbersOfColumnsThatDoNotFit) {
  const std::array<double, 9> scales{};
  const std::span<const double> each(scales);
  const std::string both = "Give one number, or one for each of the 4 channels";
  expect_refused([&] { multiply(sx::scaled(in({3, 4}), each), in({4, 2}), out({3, 2})); },
                 "a's scales", "9 numbers", both);
  expect_refused([&] { multiply(in({2, 3}), sx::scaled(in({3, 4}), 1, each), out({2, 4})); },
                 "b's offsets", "9 numbers", both);
  expect_refused(  // of rows
      [&] { multiply(transposed(sx::scaled(in({3, 4}), each)), in({3, 2}), out({4, 2})); },
      "transposed's scales", "9 numbers", both);
  const std::vector<sx::Product> list{{in({3, 4}), sx::scaled(in({4, 4}), each), out({3, 4})}};
  expect_refused([&] { sx::matmul(Exec(), std::span(list)); }, "products[0].b's scales",
                 "9 numbers", both);
  expect_refused([&] { sx::scaled(in({3, 4}), std::nan("")); }, "scaled", "nan", "a finite scale");
}

/// One budget that suffices for slices, one that suffices only for products, and none below.
TEST_F(MatmulRefusals, BudgetsOfSlices) {
  std::vector<std::int8_t> a(std::size_t{10} * 20, 3);
  const sx::Operand left(sx::Strided(a.data(), {10, 20}));
  std::vector<float> b(std::size_t{20} * 1000, 1.0F);
  const sx::Operand w = windows(sx::Strided(b.data(), {20, 1000}), 20);
  std::vector<float> c(std::size_t{981} * 10 * 20);
  const sx::StridedOutput result(c.data(), {981, 10, 20});
  const Exec exec;
  const sx::MatmulChoice free = sx::choose_matmul(exec, left, w, result);
  EXPECT_TRUE(free.is_sliced);
  const sx::StridedOutput nowhere(static_cast<float*>(nullptr), {981, 10, 20});
  EXPECT_EQ(sx::choose_matmul(exec, left, w, nowhere).workspace_bytes, free.workspace_bytes);
  std::int64_t before = 0;
  std::vector<float> expected;
  for (std::int64_t budget = 0; budget <= free.workspace_bytes; budget += 4000) {
    sx::MatmulChoice choice;
    try {
      choice = sx::choose_matmul(exec, left, w, result, {.budget = budget});
    } catch (const sx::Error&) {
      ASSERT_EQ(before, 0) << "a larger budget is refused: " << budget;
      continue;
    }
    before = budget;
    EXPECT_LE(choice.workspace_bytes, budget);
    sx::matmul(exec, left, w, result, {.budget = budget});
    if (expected.empty()) expected = c;
    ASSERT_EQ(c, expected) << budget;
  }
  EXPECT_GT(before, 0);
}

/// The memory of a block of a matrix, value by value.
std::set<const float*> values_of(const sx::Strided& array) {
  std::set<const float*> values;
  for (std::int64_t i = 0; i < array.extents[0]; ++i) {
    for (std::int64_t j = 0; j < array.extents[1]; ++j) {
      values.insert(static_cast<const float*>(array.data) + i * array.strides[0] +
                    j * array.strides[1]);
    }
  }
  return values;
}

TEST(Apart, IsNeverSaidOfArraysThatShareAValue) {
  std::mt19937_64 random(3);
  std::vector<float> memory(4000);
  int apart = 0;
  int apart_though_addresses_meet = 0;
  for (int turn = 0; turn < 20'000; ++turn) {
    const auto block = [&] {
      const std::int64_t rows = draw(random, 0, 6);
      const std::int64_t columns = draw(random, 0, 6);
      const std::int64_t row = oracle::once_in(random, 4) ? draw(random, 1, 12) : 12;
      std::array<std::int64_t, 2> extents{rows, columns};
      std::array<std::int64_t, 2> strides{row, 1};
      if (oracle::once_in(random, 4)) {
        std::swap(extents[0], extents[1]);
        std::swap(strides[0], strides[1]);
      }
      return sx::StridedOutput(memory.data() + draw(random, 1000, 1100),
                               std::span<const std::int64_t>(extents),
                               std::span<const std::int64_t>(strides));
    };
    const sx::StridedOutput a = block();
    const sx::Strided b = sx::seam::read_only(block());
    if (!sx::plan::are_apart(a, b)) continue;
    ++apart;
    const std::set<const float*> mine = values_of(sx::seam::read_only(a));
    const std::set<const float*> theirs = values_of(b);
    for (const float* value : mine) ASSERT_EQ(theirs.count(value), 0U) << "turn " << turn;
    if (!mine.empty() && !theirs.empty() && *mine.begin() < *theirs.rbegin() &&
        *theirs.begin() < *mine.rbegin()) {
      ++apart_though_addresses_meet;
    }
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(apart_though_addresses_meet, 100);
}

}  // namespace
}  // namespace matmul_refusals_tests
