// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/processes.hpp"
#include "oracle/random_case.hpp"
#include "oracle/refusals.hpp"

#include <synelix/stream_products.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

// Streams of vectors have the bits of the calls in memory, whatever the blocks, and stay inside
// their budget.

namespace stream_products_tests {
namespace {

namespace sx = synelix;
using oracle::draw;
using oracle::expect_refused;
using oracle::same_bits;

constexpr std::int64_t count = 2011;
constexpr std::int64_t m = 37;
constexpr std::int64_t n = 29;

/// Vectors of int16, with a scale and offset of each element, and plain ones.
template <class Scalar>
struct Vectors {
  std::vector<std::int16_t> stored;
  std::vector<double> scale;
  std::vector<double> offset;
  std::vector<Scalar> plain;  ///< (count, n)
  std::vector<Scalar> a;      ///< (3, m, n)
  std::vector<Scalar> square;

  Vectors() {
    std::mt19937_64 random(41);
    const auto real = [&] { return static_cast<Scalar>(draw(random, -999, 999)) / Scalar(256); };
    for (std::int64_t i = 0; i < count * m; ++i) {
      stored.push_back(static_cast<std::int16_t>(draw(random, -300, 300)));
    }
    for (std::int64_t j = 0; j < m; ++j) {
      scale.push_back(0.125 * static_cast<double>(1 + j % 5));
      offset.push_back(static_cast<double>(j % 3) - 1);
    }
    for (std::int64_t i = 0; i < count * n; ++i) plain.push_back(real());
    for (std::int64_t i = 0; i < 3 * m * n; ++i) a.push_back(real());
    for (std::int64_t i = 0; i < m * m; ++i) square.push_back(real());
  }

  [[nodiscard]] sx::Strided x() const { return {stored.data(), {count, m}}; }
  [[nodiscard]] sx::Strided y() const { return {plain.data(), {count, n}}; }
  /// Of a vector the library takes it that a device does not reach it; in a test one does.
  [[nodiscard]] sx::Operand scaled_x() const {
    return sx::scaled(x(), std::span(scale), std::span(offset));
  }
  [[nodiscard]] sx::MemorySource x_source() const {
    return sx::MemorySource(sx::StridedSeries(scaled_x(), {.epochs = {{0, 700}, {800, count}}}));
  }
  [[nodiscard]] sx::MemorySource y_source() const {
    return sx::MemorySource(sx::StridedSeries(y()));
  }
};

template <class Types>
class StreamProducts : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
};
TYPED_TEST_SUITE(StreamProducts, oracle::AllSpaces);

/// Blocks of every size, and small budgets.
std::vector<sx::StreamProductsOptions> all_options() {
  std::vector<sx::StreamProductsOptions> options{{}};
  for (const std::int64_t rows : {1, 100, 777}) {
    options.push_back({});
    options.back().block_rows = rows;
  }
  for (const std::int64_t kibibytes : {400, 900, 3000}) {
    options.push_back({});
    options.back().budget = kibibytes * 1024;
  }
  return options;
}

void expect_inside(const sx::StreamReport& report, const sx::StreamProductsOptions& options) {
  EXPECT_LE(report.plan.total_bytes, report.plan.budget);
  if (options.budget) {
    // On a device it is of the memory there; the host has a separate budget.
    EXPECT_EQ(oracle::has_device ? report.plan.device_budget : report.plan.budget, *options.budget);
  }
  if (options.block_rows) {
    EXPECT_EQ(report.plan.block.rows, *options.block_rows);
    EXPECT_EQ(report.blocks, (count + *options.block_rows - 1) / *options.block_rows);
  }
}

TYPED_TEST(StreamProducts, OfMatmulAreThoseInMemory) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Vectors<Scalar> vectors;
  const sx::Strided b(vectors.a.data(), {m, n});
  std::vector<Scalar> expected(count * n);
  sx::matmul(exec, vectors.scaled_x(), b, sx::StridedOutput(expected.data(), {count, n}),
             {.multiplier = sx::Multiplier::tiles});
  for (const sx::StreamProductsOptions& options : all_options()) {
    sx::MemorySource x = vectors.x_source();
    std::vector<Scalar> found(count * n, Scalar(-1));
    const auto report =
        sx::stream_matmul<Scalar>(exec, x, b, sx::StridedOutput(found.data(), {count, n}), options);
    ASSERT_TRUE(same_bits(found, expected, {count, n}));
    expect_inside(report, options);
    EXPECT_EQ(report.bytes_read, count * m * 2);
  }
}

TYPED_TEST(StreamProducts, OfFormsAreThoseInMemory) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Vectors<Scalar> vectors;
  const sx::Strided one(vectors.a.data(), {m, n});
  const sx::Strided three(vectors.a.data(), {3, m, n});
  const sx::Strided square(vectors.square.data(), {m, m});
  std::vector<Scalar> bilinear(count);
  std::vector<Scalar> quadratic(count);
  std::vector<Scalar> of_three(3 * count);
  sx::bilinear_forms(exec, vectors.scaled_x(), one, vectors.y(),
                     sx::StridedOutput(bilinear.data(), {count}));
  sx::bilinear_forms(exec, vectors.scaled_x(), three, vectors.y(),
                     sx::StridedOutput(of_three.data(), {3, count}, {1, 3}));
  sx::quadratic_forms(exec, vectors.scaled_x(), square,
                      sx::StridedOutput(quadratic.data(), {count}));
  for (const sx::StreamProductsOptions& options : all_options()) {
    sx::MemorySource x = vectors.x_source();
    sx::MemorySource y = vectors.y_source();
    std::vector<Scalar> found(count, Scalar(-1));
    const sx::StridedOutput q(found.data(), {count});
    expect_inside(sx::stream_bilinear_forms<Scalar>(exec, x, one, y, q, options), options);
    ASSERT_TRUE(same_bits(found, bilinear, {count}));
    expect_inside(sx::stream_quadratic_forms<Scalar>(exec, x, square, q, options), options);
    ASSERT_TRUE(same_bits(found, quadratic, {count}));
    std::vector<Scalar> all(3 * count, Scalar(-1));
    const sx::StridedOutput each(all.data(), {count, 3});
    expect_inside(sx::stream_bilinear_forms<Scalar>(exec, x, three, y, each, options), options);
    ASSERT_TRUE(same_bits(all, of_three, {count, 3}));
  }
}

/// Streams of one matrix in blocks of a number of rows, the last one often of a single row, against
/// the call in memory. \return the results
template <class Scalar, class Compute, class Stream>
std::vector<Scalar> expect_same_in_blocks(std::int64_t rows, std::int64_t columns,
                                          const Compute& compute, const Stream& stream) {
  const auto values = static_cast<std::size_t>(rows * columns);
  std::vector<Scalar> expected(values);
  compute(expected.data());
  for (const std::int64_t block_rows : {1, 96, 97, 100, 1000}) {
    SCOPED_TRACE(block_rows);
    std::vector<Scalar> found(values, Scalar(-1));
    EXPECT_NO_THROW(stream(found.data(), sx::StreamProductsOptions{.block_rows = block_rows}));
    EXPECT_TRUE(same_bits(found, expected, {rows, columns}));
  }
  return expected;
}

/// Matrices of few inner indices: copying them takes less memory than a panel, which blocks of few
/// rows would need. With one thread, nothing else compensates for that.
TYPED_TEST(StreamProducts, OfSmallMatricesTakeWhatWasChosen) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Vectors<Scalar> vectors;
  constexpr std::int64_t rows = 1001;
  std::vector<std::vector<Scalar>> all;
  const auto check = [&](const sx::Strided& x, const sx::Strided& y) {
    const std::int64_t inner = x.extents[1];
    const std::int64_t columns = y.extents[1];
    const sx::Strided a(vectors.a.data(), {inner, columns});
    const sx::Strided square(vectors.square.data(), {inner, inner});
    const sx::Strided column(vectors.a.data(), {inner, 1});
    sx::MemorySource xs{sx::StridedSeries(x)};
    sx::MemorySource ys{sx::StridedSeries(y)};
    const auto forms = [&](Scalar* to) { return sx::StridedOutput(to, {rows}); };
    all.push_back(expect_same_in_blocks<Scalar>(
        rows, 1, [&](Scalar* to) { sx::bilinear_forms(exec, x, a, y, forms(to)); },
        [&](Scalar* to, const auto& options) {
          sx::stream_bilinear_forms<Scalar>(exec, xs, a, ys, forms(to), options);
        }));
    all.push_back(expect_same_in_blocks<Scalar>(
        rows, 1, [&](Scalar* to) { sx::quadratic_forms(exec, x, square, forms(to)); },
        [&](Scalar* to, const auto& options) {
          sx::stream_quadratic_forms<Scalar>(exec, xs, square, forms(to), options);
        }));
    for (const sx::Strided& b : {a, column}) {
      const auto products = [&](Scalar* to) { return sx::StridedOutput(to, {rows, b.extents[1]}); };
      all.push_back(expect_same_in_blocks<Scalar>(
          rows, b.extents[1],
          [&](Scalar* to) {
            sx::matmul(exec, x, b, products(to), {.multiplier = sx::Multiplier::tiles});
          },
          [&](Scalar* to, const auto& options) {
            sx::stream_matmul<Scalar>(exec, xs, b, products(to), options);
          }));
    }
  };
  const Scalar* const plain = vectors.plain.data();
  check({plain, {rows, 16}}, {plain + rows * 8, {rows, 16}});
  check({vectors.stored.data(), {rows, m}}, {plain, {rows, n}});
  if (const char* const path = std::getenv("SYNELIX_HASH_FILE")) {
    std::ofstream file(path, std::ios::app);
    for (const std::vector<Scalar>& values : all) file << oracle::hash_of(values) << '\n';
  }
}

TEST(StreamProductsThreads, OneIsEnoughForSmallMatrices) {
  const std::string filter = "StreamProducts/*.OfSmallMatricesTakeWhatWasChosen";
  const std::string one = oracle::hashes_of(1, filter);
  EXPECT_GE(std::count(one.begin(), one.end(), '\n'), 2 * 8) << one;
  EXPECT_EQ(oracle::hashes_of(5, filter), one);
}

TYPED_TEST(StreamProducts, OfARangeOfVectors) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Vectors<Scalar> vectors;
  const sx::Strided square(vectors.square.data(), {m, m});
  std::vector<Scalar> all(count);
  std::vector<Scalar> some(500);
  sx::MemorySource x = vectors.x_source();
  sx::stream_quadratic_forms<Scalar>(exec, x, square, sx::StridedOutput(all.data(), {count}));
  sx::StreamOptions stream;
  stream.samples = sx::Range{650, 1150};
  std::int64_t calls = 0;
  stream.progress = [&](const sx::StreamProgress&) { ++calls; };
  sx::stream_quadratic_forms<Scalar>(exec, x, square, sx::StridedOutput(some.data(), {500}),
                                     {.block_rows = 64}, stream);
  EXPECT_TRUE(same_bits(some, {all.begin() + 650, all.begin() + 1150}, {500}));
  EXPECT_GE(calls, 8);
}

/// A sink that has most of the rows already.
template <class Scalar>
class PartialSink final : public sx::Sink {
 public:
  void begin(const sx::FeaturesDescription& description) override {
    EXPECT_EQ(description.shape.rows, count);
    EXPECT_EQ(description.window, 0);
  }
  [[nodiscard]] std::optional<sx::Unwritten> unwritten() const override {
    return sx::Unwritten{.boxes = {{{1900, 2000}, {0, 1}, {0, 1}}}, .blocks_before = 3};
  }
  void write(const sx::Block& block, const void* from) override {
    const auto* next = static_cast<const Scalar*>(from);
    for (std::int64_t i = block.rows.begin; i < block.rows.end; ++i) rows.emplace_back(i, *next++);
  }
  void finish() override { is_finished = true; }
  void abandon() noexcept override {}

  std::vector<std::pair<std::int64_t, Scalar>> rows;
  bool is_finished = false;
};

TYPED_TEST(StreamProducts, GoOnWhereASinkSaysWhatIsMissing) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Vectors<Scalar> vectors;
  const sx::Strided square(vectors.square.data(), {m, m});
  std::vector<Scalar> all(count);
  sx::quadratic_forms(exec, vectors.scaled_x(), square, sx::StridedOutput(all.data(), {count}));
  sx::MemorySource x = vectors.x_source();
  PartialSink<Scalar> sink;
  sx::stream_quadratic_forms<Scalar>(exec, x, square, sink, {.block_rows = 30});
  EXPECT_TRUE(sink.is_finished);
  ASSERT_EQ(sink.rows.size(), 100U);
  for (const auto& [row, value] : sink.rows) EXPECT_EQ(value, all[static_cast<std::size_t>(row)]);
}

TEST(StreamProductsRefusals, WhatDoesNotFit) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const Vectors<float> vectors;
  const sx::Strided square(vectors.square.data(), {m, m});
  const sx::Strided other(vectors.a.data(), {n, m});
  std::vector<float> found(count);
  const sx::StridedOutput q(found.data(), {count});
  sx::MemorySource x = vectors.x_source();
  sx::MemorySource shorter(sx::StridedSeries(sx::Strided(vectors.plain.data(), {count - 1, n})));
  const auto quadratic = [&](const sx::Operand& a, const sx::StridedOutput& to,
                             const sx::StreamProductsOptions& options) {
    sx::stream_quadratic_forms<float>(exec, x, a, to, options);
  };
  expect_refused([&] { quadratic(other, q, {}); }, "a", "(29, 37)", "as many rows of a");
  expect_refused([&] { quadratic(square, sx::StridedOutput(found.data(), {count - 1}), {}); },
                 "MemorySink", "(2010, 1)", "(2011, 1)");
  expect_refused([&] { quadratic(square, q, {.block_rows = 0}); }, "block_rows", "0", "1 or more");
  expect_refused([&] { quadratic(square, q, {.budget = 20'000}); }, "budget", "20000 bytes",
                 "at least ");
  expect_refused(
      [&] {
        sx::stream_bilinear_forms<float>(exec, x, sx::Strided(vectors.a.data(), {m, n}), shorter,
                                         q);
      },
      "y", "x 2011 and y 2010", "as many samples");
  expect_refused(
      [&] { sx::stream_matmul<float>(exec, x, sx::Strided(vectors.a.data(), {3, m, n}), q); }, "b",
      "3 dimensions", "one matrix");
  EXPECT_EQ(found, std::vector<float>(count, 0.0F));
}

}  // namespace
}  // namespace stream_products_tests
