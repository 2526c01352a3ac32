// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/products.hpp"
#include "oracle/refusals.hpp"
#include "oracle/sets.hpp"
#include "oracle/shared.hpp"
#include "tune/tiles.hpp"

#include <synelix/matmul.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace matmul_tests {
namespace {

namespace sx = synelix;
using oracle::Array;
using oracle::draw;
using oracle::RandomOperand;

template <class Types>
class Matmul : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
};
TYPED_TEST_SUITE(Matmul, oracle::AllSpaces);

constexpr sx::StoredType all_types[] = {sx::StoredType::float32, sx::StoredType::float64,
                                        sx::StoredType::int8,    sx::StoredType::uint8,
                                        sx::StoredType::int16,   sx::StoredType::uint16};

/// A product of random operands, with the previous values of its result.
template <class Scalar>
struct RandomProduct {
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t columns;
  RandomOperand<Scalar> a;
  RandomOperand<Scalar> b;
  Array<Scalar> c;

  RandomProduct(std::int64_t m, std::int64_t k, std::int64_t n, sx::StoredType type_a,
                sx::StoredType type_b, std::mt19937_64& random)
      : rows(m),
        inner(k),
        columns(n),
        a({m, k}, type_a, oracle::random_placement(2, oracle::Signs::any, random), random,
          oracle::once_in(random, 3) ? 0.25 : 1.0, oracle::once_in(random, 3) ? -1.5 : 0.0),
        b({k, n}, type_b, oracle::random_placement(2, oracle::Signs::any, random), random),
        c({m, n}, oracle::random_placement(2, oracle::Signs::positive, random),
          oracle::unwritten<Scalar>) {}

  testing::AssertionResult is_right(const sx::MatmulOptions& options, double before) const {
    const auto product = oracle::product_of(a.physical(), b.physical(), rows, inner, columns);
    std::vector<double> expected = product.values;
    for (double& value : expected) value = options.alpha * value + options.beta * before;
    const double most = std::abs(options.alpha) * product.most + std::abs(options.beta * before);
    return oracle::agree(c.values(), expected, {rows, columns},
                         oracle::product_tolerance<Scalar>(most, inner));
  }
};

template <class Scalar>
RandomProduct<Scalar> random_product(std::mt19937_64& random, std::int64_t most) {
  const auto extent = [&] {
    return oracle::once_in(random, 9) ? draw(random, 0, 1) : draw(random, 1, most);
  };
  const auto type = [&] {
    return oracle::once_in(random, 2) ? sx::stored_type<Scalar> : all_types[draw(random, 0, 5)];
  };
  const std::int64_t m = extent();
  const std::int64_t k = extent();
  const std::int64_t n = extent();
  const sx::StoredType type_a = type();
  return {m, k, n, type_a, type(), random};
}

TYPED_TEST(Matmul, AnyShapeLayoutAndTypeIsTheThreeLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(7);
  const auto cases = static_cast<int>(oracle::drawn_cases(400));
  for (int i = 0; i < cases; ++i) {
    auto test = random_product<Scalar>(random, i % 10 == 0 ? 260 : 40);
    sx::MatmulOptions options;
    options.machine.instruction_set = oracle::set_of_turn(static_cast<std::uint64_t>(i));
    if (oracle::once_in(random, 2)) options.alpha = 0.5;
    if (oracle::once_in(random, 3)) options.beta = -2;
    sx::matmul(exec, test.a.matrices(), test.b.matrices(), test.c.output(), options);
    ASSERT_TRUE(test.is_right(options, oracle::unwritten<Scalar>))
        << "case " << i << ": (" << test.rows << ", " << test.inner << ", " << test.columns << ")";
    ASSERT_EQ(test.c.damaged(), 0) << "written outside the result, case " << i;
  }
}

TYPED_TEST(Matmul, ListsHaveTheBitsOfTheirProductsInAnyOrder) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(8);
  std::vector<std::unique_ptr<RandomProduct<Scalar>>> tests;
  std::vector<std::vector<Scalar>> alone;
  const auto cases = static_cast<int>(4 * oracle::drawn_cases(15));
  for (int i = 0; i < cases; ++i) {
    tests.push_back(std::make_unique<RandomProduct<Scalar>>(
        random_product<Scalar>(random, i == 17 ? 300 : 40)));
  }
  const sx::MatmulOptions options{.alpha = 1.5, .multiplier = sx::Multiplier::tiles};
  for (const auto& test : tests) {
    sx::matmul(exec, test->a.matrices(), test->b.matrices(), test->c.output(), options);
    ASSERT_TRUE(test->is_right(options, 0));
    alone.push_back(test->c.values());
  }
  std::vector<std::size_t> order(tests.size());
  std::iota(order.begin(), order.end(), 0);
  for (int turn = 0; turn < 3; ++turn) {
    std::vector<sx::Product> products;
    for (const std::size_t i : order) {
      for (std::int64_t k = 0; k < tests[i]->c.size(); ++k) tests[i]->c.at(k) = Scalar(3);
      products.push_back({tests[i]->a.matrices(), tests[i]->b.matrices(), tests[i]->c.output()});
    }
    sx::matmul(exec, std::span<const sx::Product>(products), options);
    for (std::size_t i = 0; i < tests.size(); ++i) {
      ASSERT_TRUE(oracle::same_bits(tests[i]->c.values(), alone[i], tests[i]->c.extents()))
          << "product " << i << " in turn " << turn;
    }
    std::shuffle(order.begin(), order.end(), random);
  }
}

/// Only on hosts: products on a device need no workspace, and have no teams of threads.
template <class Types>
class MatmulOnHosts : public Matmul<Types> {};
TYPED_TEST_SUITE(MatmulOnHosts, oracle::HostSpaces);

TYPED_TEST(MatmulOnHosts, BudgetAndThreadsDecideOverNoBit) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(9);
  RandomProduct<Scalar> test(203, 391, 401, sx::StoredType::int16, sx::stored_type<Scalar>, random);
  sx::MatmulOptions options;
  const sx::MatmulChoice free =
      sx::choose_matmul(exec, test.a.matrices(), test.b.matrices(), test.c.output(), options);
  sx::matmul(exec, test.a.matrices(), test.b.matrices(), test.c.output(), options);
  ASSERT_TRUE(test.is_right(options, 0));
  const auto expected = test.c.values();
  EXPECT_EQ(free.multiplier, sx::Multiplier::tiles);  // int16 is converted
  EXPECT_GT(free.parts, 1);
  EXPECT_GT(free.workspace_bytes, 0);
  const std::int64_t line = 64;  // which the workspace begins with
  const std::int64_t least = (free.workspace_bytes - line) / free.teams + line;  // one team
  options.budget = least;
  const sx::MatmulPlan<Scalar, typename TestFixture::Space> plan(
      exec, test.a.matrices(), test.b.matrices(), test.c.output(), options);
  EXPECT_EQ(plan.choice().teams, 1);
  EXPECT_LE(plan.choice().workspace_bytes, least);
  for (std::int64_t i = 0; i < test.c.size(); ++i) test.c.at(i) = Scalar(0);
  plan.run(exec);
  exec.fence();
  EXPECT_TRUE(oracle::same_bits(test.c.values(), expected, test.c.extents()));
  options.budget = least - 1;
  EXPECT_THROW(sx::matmul(exec, test.a.matrices(), test.b.matrices(), test.c.output(), options),
               sx::Error);
}

TYPED_TEST(Matmul, BatchesBroadcastAsInNumPy) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(10);
  struct Shapes {
    std::vector<std::int64_t> a;
    std::vector<std::int64_t> b;
    std::vector<std::int64_t> c;
  };
  const std::int64_t m = 5;
  const std::int64_t k = 7;
  const std::int64_t n = 19;
  const Shapes all[] = {
      {{6, m, k}, {6, k, n}, {6, m, n}},       {{m, k}, {6, k, n}, {6, m, n}},
      {{6, m, k}, {k, n}, {6, m, n}},          {{1, m, k}, {6, k, n}, {6, m, n}},
      {{2, 3, m, k}, {3, k, n}, {2, 3, m, n}}, {{2, 1, m, k}, {1, 3, k, n}, {2, 3, m, n}},
      {{0, m, k}, {k, n}, {0, m, n}},          {{3, 2, 2, m, k}, {2, 1, k, n}, {3, 2, 2, m, n}}};
  for (const Shapes& shapes : all) {
    for (int turn = 0; turn < 6; ++turn) {
      const auto placed = [&](std::size_t rank, oracle::Signs signs) {
        return turn == 0   ? oracle::right_placement(rank)
               : turn == 1 ? oracle::left_placement(rank)
                           : oracle::random_placement(rank, signs, random);
      };
      RandomOperand<Scalar> a(shapes.a, sx::StoredType::float32,
                              placed(shapes.a.size(), oracle::Signs::any), random);
      RandomOperand<Scalar> b(shapes.b, sx::StoredType::float64,
                              placed(shapes.b.size(), oracle::Signs::any), random);
      Array<Scalar> c(shapes.c, placed(shapes.c.size(), oracle::Signs::positive),
                      oracle::unwritten<Scalar>);
      sx::matmul(exec, a.matrices(), b.matrices(), c.output());
      // Each result by the operands' matrices that numpy would take.
      const auto matrix_of = [](const std::vector<std::int64_t>& extents, std::int64_t number,
                                const std::vector<std::int64_t>& result) {
        std::int64_t at = 0;
        std::int64_t step = 1;
        for (std::size_t i = 3; i <= result.size(); ++i) {
          const std::int64_t place = number % result[result.size() - i];
          number /= result[result.size() - i];
          if (i > extents.size()) continue;
          const std::int64_t extent = extents[extents.size() - i];
          at += extent == 1 ? 0 : place * step;
          step *= extent;
        }
        return at;
      };
      const auto slice = [](const std::vector<double>& values, std::int64_t i, std::int64_t size) {
        return std::vector<double>(values.begin() + i * size, values.begin() + (i + 1) * size);
      };
      std::vector<double> expected;
      double most = 0;
      for (std::int64_t i = 0; i < c.size() / (m * n); ++i) {
        const auto product = oracle::product_of(
            slice(a.physical(), matrix_of(shapes.a, i, shapes.c), m * k),
            slice(b.physical(), matrix_of(shapes.b, i, shapes.c), k * n), m, k, n);
        expected.insert(expected.end(), product.values.begin(), product.values.end());
        most = std::max(most, product.most);
      }
      EXPECT_TRUE(oracle::agree(c.values(), expected, shapes.c,
                                oracle::product_tolerance<Scalar>(most, k)));
      EXPECT_EQ(c.damaged(), 0);
    }
  }
}

/// Products of a few tiles each, with values that are read in place: every number of rows of a last
/// tile, and every number of columns of a last pack.
TYPED_TEST(Matmul, BatchesOfSmallProductsAreTheThreeLoops) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(21);
  constexpr std::int64_t inner = 3;
  oracle::OneIn taken(53);
  for (const sx::InstructionSet set : oracle::sets_at_hand()) {
    for (std::int64_t rows = 1; rows <= 35; ++rows) {
      // Fewer than four for each thread are cut into parts of 24 rows. Tiles of 6 rows leave a last
      // single row of 31. A device has no such parts.
      const std::int64_t count =
          rows > 24 && !oracle::has_device ? 4 * std::int64_t{exec.concurrency()} + 1 : 5;
      for (const std::int64_t columns : {1, 2, 3, 5, 8, 15, 16, 17, 24, 31, 32, 33, 47, 48}) {
        if (!taken.is_next()) continue;
        std::vector<Scalar> a(static_cast<std::size_t>(count * rows * inner));
        std::vector<Scalar> b(static_cast<std::size_t>(count * inner * columns));
        for (auto* const values : {&a, &b}) {
          for (Scalar& value : *values) value = static_cast<Scalar>(draw(random, -9, 9));
        }
        Array<Scalar> c({count, rows, columns}, oracle::right_placement(3),
                        oracle::unwritten<Scalar>);
        sx::MatmulOptions options;
        options.machine.instruction_set = set;
        sx::matmul(exec, sx::Strided(a.data(), {count, rows, inner}),
                   sx::Strided(b.data(), {count, inner, columns}), c.output(), options);
        std::vector<Scalar> expected;
        for (std::int64_t i = 0; i < count * rows * columns; ++i) {
          Scalar sum = 0;
          for (std::int64_t k = 0; k < inner; ++k) {
            sum += a[static_cast<std::size_t>(i / columns * inner + k)] *
                   b[static_cast<std::size_t>((i / (rows * columns) * inner + k) * columns +
                                              i % columns)];
          }
          expected.push_back(sum);  // of small integers, so of one value
        }
        ASSERT_EQ(c.values(), expected)
            << "(" << rows << ", " << columns << ") by " << sx::name_of(set);
        ASSERT_EQ(c.damaged(), 0);
      }
    }
  }
}

TYPED_TEST(Matmul, TransposedOperandsAndColumnsScaledOneByOne) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const std::int64_t m = 13;
  const std::int64_t k = 21;
  const std::int64_t n = 6;
  std::mt19937_64 random(11);
  const RandomOperand<Scalar> a({k, m}, sx::StoredType::int8, oracle::right_placement(2), random);
  const RandomOperand<Scalar> b({n, k}, sx::StoredType::uint8, oracle::right_placement(2), random);
  std::vector<double> scale;
  std::vector<double> offset;
  for (std::int64_t i = 0; i < k; ++i) {
    scale.push_back(0.5 + 0.125 * static_cast<double>(i));
    offset.push_back(static_cast<double>(i) - 10);
  }
  Array<Scalar> c({m, n}, oracle::right_placement(2), oracle::unwritten<Scalar>);
  sx::matmul(exec, transposed(a.matrices()),
             transposed(scaled(b.matrices(), std::span(scale), std::span(offset))), c.output());
  std::vector<double> left;
  std::vector<double> right;
  for (std::int64_t i = 0; i < m * k; ++i)
    left.push_back(a.physical()[static_cast<std::size_t>(i % k * m + i / k)]);
  for (std::int64_t i = 0; i < k * n; ++i) {
    const auto row = static_cast<std::size_t>(i / n);
    const double stored = b.physical()[static_cast<std::size_t>(i % n * k) + row];
    right.push_back(static_cast<double>(static_cast<Scalar>(stored * scale[row] + offset[row])));
  }
  const auto product = oracle::product_of(left, right, m, k, n);
  EXPECT_TRUE(oracle::agree(c.values(), product.values, {m, n},
                            oracle::product_tolerance<Scalar>(product.most, k)));
}

TYPED_TEST(Matmul, BetaZeroReadsNoResultAndAlphaZeroNoOperand) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  std::vector<Scalar> ones(9, Scalar(1));
  std::vector<Scalar> nans(9, nan);
  std::vector<Scalar> result(9, nan);
  const sx::StridedOutput c(result.data(), {3, 3});
  sx::matmul(exec, sx::Strided(ones.data(), {3, 3}), sx::Strided(ones.data(), {3, 3}), c);
  EXPECT_EQ(result, std::vector<Scalar>(9, Scalar(3)));
  sx::matmul(exec, sx::Strided(nans.data(), {3, 3}), sx::Strided(ones.data(), {3, 3}), c,
             {.alpha = 0, .beta = 2});
  EXPECT_EQ(result, std::vector<Scalar>(9, Scalar(6)));
  sx::matmul(exec, sx::Strided(nans.data(), {3, 0}), sx::Strided(ones.data(), {0, 3}), c);
  EXPECT_EQ(result, std::vector<Scalar>(9, Scalar(0)));  // an empty sum
  sx::matmul(exec, sx::Strided(nans.data(), {3, 3}), sx::Strided(ones.data(), {3, 3}), c);
  for (const Scalar value : result) EXPECT_TRUE(std::isnan(value));
}

/// A result that is not read may have any contents: dense, in columns, or with gaps both ways; of
/// one product, a batch, a list and windows; small ones, and ones that are cut along the inner
/// index, whose last block may have a single term.
TYPED_TEST(Matmul, BetaZeroReadsNoResultOfAnyPlacement) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  const Scalar nan = std::numeric_limits<Scalar>::quiet_NaN();
  const std::vector<Scalar> ones(static_cast<std::size_t>(400 * 260), Scalar(1));
  oracle::Placement gaps = oracle::right_placement(3);
  gaps.gaps = {1, 1, 1};
  oracle::Placement columns_first = gaps;
  columns_first.order = {0, 2, 1};
  const oracle::Placement placements[] = {oracle::right_placement(3), oracle::left_placement(3),
                                          gaps, columns_first};
  oracle::OneIn taken(11);
  for (const sx::InstructionSet set : oracle::sets_at_hand()) {
    for (const std::int64_t rows : {1, 7, 40, 100}) {
      for (const std::int64_t inner : {0, 1, 3, sx::tune::host_matrix_inner + 1, 260}) {
        for (const oracle::Placement& placement : placements) {
          if (!taken.is_next()) continue;
          const std::int64_t columns = 37;
          sx::MatmulOptions options{.multiplier = sx::Multiplier::tiles};
          options.machine.instruction_set = set;
          const sx::Operand a(sx::Strided(ones.data(), {2, rows, inner}));
          const sx::Operand b(sx::Strided(ones.data(), {inner, columns}));
          const std::vector<Scalar> expected(static_cast<std::size_t>(2 * rows * columns),
                                             static_cast<Scalar>(inner));
          Array<Scalar> c({2, rows, columns}, placement, nan);
          sx::matmul(exec, a, b, c.output(), options);
          ASSERT_EQ(c.values(), expected) << "a batch, " << rows << " rows, inner " << inner;
          Array<Scalar> listed[] = {{{1, rows, columns}, placement, nan},
                                    {{1, rows, columns}, placement, nan}};
          std::vector<sx::Product> list;
          for (Array<Scalar>& each : listed) {
            const sx::StridedOutput whole = each.output();
            const std::array<std::int64_t, 2> extents{rows, columns};
            const std::array<std::int64_t, 2> strides{whole.strides[1], whole.strides[2]};
            list.push_back({sx::Strided(ones.data(), {rows, inner}), b,
                            sx::StridedOutput(static_cast<Scalar*>(whole.data),
                                              std::span<const std::int64_t>(extents),
                                              std::span<const std::int64_t>(strides))});
          }
          sx::matmul(exec, std::span<const sx::Product>(list), options);
          for (const Array<Scalar>& each : listed) {
            ASSERT_EQ(each.values(), std::vector<Scalar>(static_cast<std::size_t>(rows * columns),
                                                         static_cast<Scalar>(inner)))
                << "a list, " << rows << " rows, inner " << inner;
          }
          Array<Scalar> slices({2, rows, columns - 1}, placement, nan);
          sx::matmul(exec, sx::Strided(ones.data(), {rows, inner}), windows(b, columns - 1),
                     slices.output(), options);
          ASSERT_EQ(slices.values(),
                    std::vector<Scalar>(static_cast<std::size_t>(2 * rows * (columns - 1)),
                                        static_cast<Scalar>(inner)))
              << "windows, " << rows << " rows, inner " << inner;
        }
      }
    }
  }
}

TYPED_TEST(Matmul, WindowsAreViewsWhoseProductIsComputedOnce) {
  using Scalar = typename TestFixture::Scalar;
  using Space = typename TestFixture::Space;
  const Space exec;
  std::mt19937_64 random(12);
  const std::int64_t m = 10;
  const std::int64_t k = 20;
  const std::int64_t length = 1000;
  for (const std::int64_t step : {1, 3, 20, 33}) {
    const std::int64_t n = 20;
    const RandomOperand<Scalar> a({m, k}, sx::stored_type<Scalar>, oracle::right_placement(2),
                                  random);
    const RandomOperand<Scalar> b({k, length}, sx::stored_type<Scalar>, oracle::right_placement(2),
                                  random);
    const sx::Operand w = windows(b.matrices(), n, step);
    const std::int64_t places = (length - n) / step + 1;
    ASSERT_EQ(w.rank(), 3);
    ASSERT_EQ(w.count(), places);
    const auto whole = oracle::product_of(a.physical(), b.physical(), m, k, length);
    std::vector<double> expected;
    for (std::int64_t i = 0; i < places * m * n; ++i) {
      expected.push_back(
          whole.values[static_cast<std::size_t>(i / n % m * length + i / (m * n) * step + i % n)]);
    }
    const double tolerance = oracle::product_tolerance<Scalar>(whole.most, k);
    Array<Scalar> c({places, m, n}, oracle::random_placement(3, oracle::Signs::positive, random),
                    oracle::unwritten<Scalar>);
    sx::MatmulPlan<Scalar, Space> plan(exec, a.matrices(), w, c.output());
    const bool turned = c.output().strides[2] != 1 && c.output().strides[1] == 1;
    EXPECT_EQ(plan.choice().is_sliced, step < n && !turned) << step;
    plan.run(exec);
    exec.fence();
    EXPECT_TRUE(oracle::agree(c.values(), expected, {places, m, n}, tolerance)) << step;
    EXPECT_EQ(c.damaged(), 0);
    // Added to the previous value, twice its value.
    sx::matmul(exec, a.matrices(), w, c.output(), {.alpha = 2, .beta = 1});
    for (double& value : expected) value *= 3;
    EXPECT_TRUE(oracle::agree(c.values(), expected, {places, m, n}, 4 * tolerance)) << step;

    const auto found = sx::matmul_windows<Scalar>(exec, a.matrices(), b.matrices(), n, step);
    std::vector<Scalar> values;
    ASSERT_EQ(static_cast<std::int64_t>(found.windows.extent(0)), places);
    EXPECT_EQ(found.windows.data(), found.product.data()) << "windows are not a copy";
    const auto product = oracle::on_host(found.product);
    const Kokkos::View<const Scalar***, Kokkos::LayoutStride, Kokkos::HostSpace,
                       Kokkos::MemoryUnmanaged>
        on_windows(product.data(), found.windows.layout());
    for (std::size_t p = 0; p < on_windows.extent(0); ++p) {
      for (std::size_t i = 0; i < on_windows.extent(1); ++i) {
        for (std::size_t j = 0; j < on_windows.extent(2); ++j) {
          values.push_back(Scalar(3) * on_windows(p, i, j));
        }
      }
    }
    EXPECT_TRUE(oracle::agree(values, expected, {places, m, n}, 4 * tolerance));
    EXPECT_EQ(found.product.size(), static_cast<std::size_t>(m * length));
  }
}

TYPED_TEST(Matmul, WindowsAlongBothDimensionsAndOnTheLeft) {
  using Scalar = typename TestFixture::Scalar;
  const typename TestFixture::Space exec;
  std::mt19937_64 random(13);
  const RandomOperand<Scalar> image({9, 12}, sx::StoredType::uint8, oracle::right_placement(2),
                                    random);
  const RandomOperand<Scalar> b({4, 3}, sx::stored_type<Scalar>, oracle::right_placement(2),
                                random);
  const sx::Operand w = windows(image.matrices(), 3, 4, 2);  // (4, 5, 3, 4)
  ASSERT_EQ(w.rank(), 4);
  Array<Scalar> c({4, 5, 3, 3}, oracle::right_placement(4), oracle::unwritten<Scalar>);
  sx::matmul(exec, w, b.matrices(), c.output());
  std::vector<double> expected;
  for (std::int64_t p = 0; p < 20; ++p) {
    std::vector<double> window;
    for (std::int64_t i = 0; i < 12; ++i) {
      window.push_back(
          image.physical()[static_cast<std::size_t>((p / 5 * 2 + i / 4) * 12 + p % 5 * 2 + i % 4)]);
    }
    const auto product = oracle::product_of(window, b.physical(), 3, 4, 3);
    expected.insert(expected.end(), product.values.begin(), product.values.end());
  }
  EXPECT_TRUE(oracle::agree(c.values(), expected, {4, 5, 3, 3}, 1e-2));
}

/// Of hosts alone: a device has no library of a vendor here, and its tiles are compared above.
TYPED_TEST(MatmulOnHosts, LargeProductsGoToTheLibraryInAnyLayout) {
  using Scalar = typename TestFixture::Scalar;
  using Space = typename TestFixture::Space;
  const Space exec;
  std::mt19937_64 random(14);
  const std::int64_t m = 300;
  const std::int64_t k = 700;
  const std::int64_t n = 400;
  for (int turn = 0; turn < 8; ++turn) {
    const auto placed = [&](bool left) {
      return left ? oracle::left_placement(2) : oracle::right_placement(2);
    };
    const RandomOperand<Scalar> a({m, k}, sx::stored_type<Scalar>, placed((turn & 1) != 0), random);
    const RandomOperand<Scalar> b({k, n}, sx::stored_type<Scalar>, placed((turn & 2) != 0), random);
    Array<Scalar> c({m, n}, placed((turn & 4) != 0), Scalar(1));
    Array<Scalar> tiles({m, n}, placed((turn & 4) != 0), Scalar(1));
    sx::MatmulOptions options{.alpha = -1, .beta = 3};
    EXPECT_EQ(sx::choose_matmul(exec, a.matrices(), b.matrices(), c.output()).multiplier,
              sx::Multiplier::library);
    sx::matmul(exec, a.matrices(), b.matrices(), c.output(), options);
    options.multiplier = sx::Multiplier::tiles;
    sx::matmul(exec, a.matrices(), b.matrices(), tiles.output(), options);
    const auto product = oracle::product_of(a.physical(), b.physical(), m, k, n);
    std::vector<double> expected = product.values;
    for (double& value : expected) value = 3 - value;
    const double tolerance = oracle::product_tolerance<Scalar>(product.most, k);
    EXPECT_TRUE(oracle::agree(c.values(), expected, {m, n}, tolerance)) << turn;
    EXPECT_TRUE(oracle::agree(tiles.values(), expected, {m, n}, tolerance)) << turn;
  }
}

TYPED_TEST(Matmul, ViewsOfAnyLayout) {
  using Scalar = typename TestFixture::Scalar;
  using Shared = oracle::SharedWith<typename TestFixture::Space>;
  const typename TestFixture::Space exec;
  Kokkos::View<Scalar**, Kokkos::LayoutLeft, Shared> a("a", 3, 4);
  Kokkos::View<std::int8_t***, Kokkos::LayoutRight, Shared> b("b", 2, 4, 5);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 4; ++k) a(i, k) = static_cast<Scalar>(i + 1);
  }
  Kokkos::deep_copy(b, std::int8_t{2});
  const auto c = sx::matmul<Kokkos::View<Scalar***, Kokkos::LayoutRight, Shared>>(
      exec, a, sx::scaled(b, 0.5, 1));
  ASSERT_EQ(c.extent(0), 2U);
  ASSERT_EQ(c.extent(1), 3U);
  ASSERT_EQ(c.extent(2), 5U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(c(1, i, 4), static_cast<Scalar>(8 * (i + 1)));
  // Blocks of one matrix are results of their own.
  Kokkos::View<Scalar**, Kokkos::LayoutRight, Shared> whole("whole", 6, 10);
  const auto block = [&](int i, int j) {
    return Kokkos::subview(whole, std::pair<int, int>(3 * i, 3 * i + 3),
                           std::pair<int, int>(5 * j, 5 * j + 5));
  };
  const auto first = Kokkos::subview(b, 0, Kokkos::ALL, Kokkos::ALL);
  const std::vector<sx::Product> products = {
      sx::product(a, first, block(0, 0)), sx::product(a, first, block(0, 1)),
      sx::product(a, first, block(1, 0)), sx::product(a, first, block(1, 1))};
  sx::matmul(exec, std::span<const sx::Product>(products));
  EXPECT_EQ(whole(5, 9), Scalar(24));
  EXPECT_EQ(whole(0, 5), Scalar(8));
  oracle::expect_refused(
      [&] {
        const std::vector<sx::Product> twice = {products[0], products[3], products[0]};
        sx::matmul(exec, std::span<const sx::Product>(twice));
      },
      "products[2].c", "overlaps that of products[0].c", "apart");
}

}  // namespace
}  // namespace matmul_tests
