// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "launch/mock_team.hpp"
#include "launch/walking_team.hpp"
#include "oracle/matchers.hpp"
#include "oracle/products.hpp"
#include "products/plan/product_arguments.hpp"
#include "products/sweep/device_matmul.hpp"
#include "products/sweep/slices.hpp"

#include <synelix/matmul.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

// Matrix products as devices compute them, on the mock team and on threads that walk: one answer
// for every order of virtual items and every cut, that of three loops, and the need of each
// barrier.

namespace device_matmul_tests {
namespace {

using namespace synelix;
using oracle::Array;
using oracle::RandomOperand;
using oracle::same_bits;

constexpr std::uint64_t permutations = 50;

/// A batch of products, or one, with room for its results.
template <class Scalar>
struct Operands {
  std::int64_t count;
  std::int64_t rows;
  std::int64_t inner;
  std::int64_t columns;
  RandomOperand<Scalar> a;  ///< (count, rows, inner), or without the first for one
  RandomOperand<Scalar> b;  ///< (inner, columns)
  Array<Scalar> c;          ///< (count, rows, columns), likewise
};

/// The parameters of a product besides its shape.
struct Stored {
  StoredType a = StoredType::float32;
  StoredType b = StoredType::float32;
  double scale = 1;
  double offset = 0;
};

template <class Scalar>
std::unique_ptr<Operands<Scalar>> one_product(std::int64_t rows, std::int64_t inner,
                                              std::int64_t columns, const Stored& stored,
                                              std::mt19937_64& random) {
  const auto placed = [&](oracle::Signs signs) {
    return oracle::random_placement(2, signs, random);
  };
  return std::make_unique<Operands<Scalar>>(Operands<Scalar>{
      1, rows, inner, columns,
      RandomOperand<Scalar>({rows, inner}, stored.a, placed(oracle::Signs::any), random,
                            stored.scale, stored.offset),
      RandomOperand<Scalar>({inner, columns}, stored.b, placed(oracle::Signs::any), random),
      Array<Scalar>({rows, columns}, placed(oracle::Signs::positive), oracle::unwritten<Scalar>)});
}

/// Products laid out for the functor, on the host.
template <class Scalar>
class MatmulBench {
 public:
  using Functor = sweep::DeviceMatmulSweep<Scalar>;
  static constexpr std::int64_t inner_block = Functor::inner_block;

  std::int64_t part_rows = Functor::part_rows;
  std::int64_t part_columns = Functor::part_columns;
  int teams = 3;
  bool walks = false;         ///< on teams of threads that take turns, not on the mock team
  std::int64_t barriers = 0;  ///< of the last run
  ground::Walk walked;        ///< its result

  /// Products of any shapes.
  MatmulBench(std::vector<std::unique_ptr<Operands<Scalar>>> operands, const MatmulOptions& options)
      : m_operands(std::move(operands)), m_options(options) {
    std::vector<Product> products;
    for (auto& one : m_operands) {
      products.push_back({one->a.matrices(), one->b.matrices(), one->c.output()});
    }
    m_list = plan::list_products<Scalar>(products, options, mebibytes(64));
  }
  /// A batch: `count` left operands of the shape, one right operand.
  MatmulBench(std::int64_t count, std::int64_t rows, std::int64_t inner, std::int64_t columns,
              const oracle::Placement& placement, const MatmulOptions& options)
      : m_options(options) {
    std::mt19937_64 random(5);
    const StoredType type = stored_type<Scalar>;
    m_operands.push_back(std::make_unique<Operands<Scalar>>(Operands<Scalar>{
        count, rows, inner, columns,
        RandomOperand<Scalar>({count, rows, inner}, type, placement, random),
        RandomOperand<Scalar>({inner, columns}, type, oracle::right_placement(2), random),
        Array<Scalar>({count, rows, columns}, placement, oracle::unwritten<Scalar>)}));
    auto& one = *m_operands.front();
    m_list = plan::list_batch<Scalar>(one.a.matrices(), one.b.matrices(), one.c.output(), options);
    EXPECT_TRUE(m_list.table.empty()) << "a batch by steps";
  }

  [[nodiscard]] sweep::ProductSet<Scalar> set() {
    sweep::ProductSet<Scalar> set;
    set.first = m_list.first;
    set.count = m_list.count;
    set.left_places = m_list.left_places;
    set.right_places = m_list.right_places;
    set.result_places = m_list.result_places;
    set.part_rows = part_rows;
    set.part_columns = part_columns;
    m_first_parts.assign(1, 0);
    for (std::int64_t i = 0; i < set.count; ++i) {
      const auto& product =
          m_list.is_list() ? m_list.table[static_cast<std::size_t>(i)] : m_list.first;
      m_first_parts.push_back(m_first_parts.back() + set.parts_of(product));
    }
    set.parts = m_first_parts.back();
    if (!m_list.table.empty()) {
      set.table = m_list.table.data();
      set.first_part = m_first_parts.data();
    }
    return set;
  }

  /// The results of a run, consecutive products; the previous value of a result is NaN if it must
  /// not be read.
  std::vector<Scalar> run(std::uint64_t seed, std::int64_t ignored = -1) {
    for (auto& one : m_operands) {
      for (std::int64_t i = 0; i < one->c.size(); ++i) one->c.at(i) = before();
    }
    const Functor functor{set(), {nullptr, 0, teams}};
    const auto scratch = static_cast<std::size_t>(functor.team_shape(1, 1).scratch_bytes);
    if (walks) {
      if (ignored < 0) m_scratch = ground::MockScratch(scratch, std::byte{0x7f});
      walked = ground::walk(functor, teams, seed, m_scratch, {.number = ignored, .place = {}});
      barriers = walked.barriers;
    } else {
      barriers = ground::run_on_mock(functor, teams, seed, ignored, scratch);
    }
    std::vector<Scalar> found;
    for (const auto& one : m_operands) {
      const auto values = one->c.values();
      found.insert(found.end(), values.begin(), values.end());
      EXPECT_EQ(one->c.damaged(), 0) << "written outside the result";
    }
    return found;
  }

  /// Whether these are the results of three loops.
  [[nodiscard]] testing::AssertionResult is_right(const std::vector<Scalar>& found) const {
    std::vector<double> expected;
    double tolerance = 0;
    const auto held = m_options.beta == 0 ? 0.0 : static_cast<double>(before());
    for (const auto& one : m_operands) {
      const std::vector<double>& all = one->a.physical();
      for (std::int64_t p = 0; p < one->count; ++p) {
        const auto begin = all.begin() + p * one->rows * one->inner;
        const auto product =
            oracle::product_of({begin, begin + one->rows * one->inner}, one->b.physical(),
                               one->rows, one->inner, one->columns);
        for (const double value : product.values) {
          expected.push_back(m_options.alpha * value + m_options.beta * held);
        }
        tolerance = std::max(
            tolerance, oracle::product_tolerance<Scalar>(std::abs(m_options.alpha) * product.most +
                                                             std::abs(m_options.beta * held),
                                                         one->inner));
      }
    }
    return oracle::agree(found, expected, {static_cast<std::int64_t>(found.size())}, tolerance);
  }

 private:
  [[nodiscard]] Scalar before() const {
    return m_options.beta == 0 ? std::numeric_limits<Scalar>::quiet_NaN() : Scalar(0.625);
  }

  std::vector<std::unique_ptr<Operands<Scalar>>> m_operands;
  MatmulOptions m_options;
  plan::ProductList<Scalar> m_list;
  std::vector<std::int64_t> m_first_parts;
  ground::MockScratch m_scratch{0, std::byte{0}};
};

template <class Scalar>
class DeviceMatmul : public testing::Test {
 public:
  using Bench = MatmulBench<Scalar>;
  using List = std::vector<std::unique_ptr<Operands<Scalar>>>;

  /// Ragged products: of several parts, of one, without rows, columns or inner indices; of every
  /// stored type, and scaled.
  static List ragged() {
    std::mt19937_64 random(3);
    const std::int64_t block = Bench::inner_block;
    const Stored plain{stored_type<Scalar>, stored_type<Scalar>};
    List list;
    const auto add = [&](std::int64_t rows, std::int64_t inner, std::int64_t columns,
                         const Stored& stored) {
      list.push_back(one_product<Scalar>(rows, inner, columns, stored, random));
    };
    add(0, 3, 5, plain);
    add(71, 2 * block + 5, 67, plain);
    add(5, 0, 3, plain);
    add(3, block, 130, {StoredType::int8, StoredType::uint16});
    add(7, 2, 0, plain);
    add(1, 1, 1, plain);
    add(33, block + 1, 17, {StoredType::int8, StoredType::int8, 0.25, -1.5});
    add(129, 3, 2, {StoredType::int16, StoredType::uint8, 0.125});
    add(2, 3 * block, 2, {StoredType::float64, StoredType::float32});
    add(4, 4, 0, plain);
    return list;
  }

  /// One answer for all orders and cuts; and that of three loops.
  static void expect_one_answer(Bench& bench) {
    const auto right = bench.run(1);
    EXPECT_TRUE(bench.is_right(right));
    const std::vector<std::int64_t> extents{static_cast<std::int64_t>(right.size())};
    for (std::uint64_t seed = 2; seed <= permutations + 1; ++seed) {
      bench.teams = 1 + static_cast<int>(seed % 4);
      ASSERT_TRUE(same_bits(bench.run(seed), right, extents)) << "order " << seed;
    }
    bench.part_rows = 13;
    bench.part_columns = 48;
    ASSERT_TRUE(same_bits(bench.run(1), right, extents)) << "smaller parts";
    bench.walks = true;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      ASSERT_TRUE(same_bits(bench.run(seed), right, extents)) << "walk " << seed;
      EXPECT_TRUE(bench.walked.is_together);
    }
  }
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceMatmul, Scalars);

TYPED_TEST(DeviceMatmul, OfRaggedProductsHasOneAnswerInAnyOrder) {
  using Self = TestFixture;
  for (const MatmulOptions& options : {MatmulOptions{}, MatmulOptions{.alpha = 0.5, .beta = -2},
                                       MatmulOptions{.alpha = 0, .beta = 3}}) {
    typename Self::Bench bench(Self::ragged(), options);
    ASSERT_EQ(bench.set().parts, 4 + 1 + 3 + 1 + 1 + 3 + 1);
    Self::expect_one_answer(bench);
  }
}

/// Left operands and results a step apart, each of several parts; also stored as columns, and with
/// the batch as the fastest dimension.
TYPED_TEST(DeviceMatmul, OfABatchHasOneAnswerInAnyOrder) {
  using Self = TestFixture;
  const std::vector<std::vector<std::size_t>> orders{{0, 1, 2}, {0, 2, 1}, {1, 2, 0}};
  for (const auto& order : orders) {
    oracle::Placement placement = oracle::right_placement(3);
    placement.order = order;
    typename Self::Bench bench(3, 67, Self::Bench::inner_block + 3, 21, placement, {.beta = 0.75});
    ASSERT_EQ(bench.set().parts, 3 * 2);
    Self::expect_one_answer(bench);
  }
}

/// Numbers of each inner index of the left operand, and of the right one.
TYPED_TEST(DeviceMatmul, ScalesEachRowAndColumn) {
  constexpr std::int64_t rows = 5;
  constexpr std::int64_t inner = 7;
  constexpr std::int64_t columns = 9;
  std::mt19937_64 random(8);
  const auto stored = [&](std::int64_t m, std::int64_t n) {
    return RandomOperand<TypeParam>({m, n}, StoredType::int8, oracle::right_placement(2), random);
  };
  const auto a = stored(rows, inner);
  const auto b = stored(columns, inner);  // its rows are columns
  std::vector<double> scale;
  std::vector<double> offset;
  for (std::int64_t k = 0; k < inner; ++k) {
    scale.push_back(0.25 * static_cast<double>(k + 1));
    offset.push_back(1.5 - static_cast<double>(k));
  }
  std::vector<TypeParam> found(rows * columns);
  const std::vector<Product> products{{scaled(a.matrices(), scale),
                                       transposed(scaled(b.matrices(), scale, offset)),
                                       StridedOutput(found.data(), {rows, columns})}};
  const auto list = plan::list_products<TypeParam>(products, {}, mebibytes(1));
  sweep::DeviceMatmulSweep<TypeParam> functor;
  functor.set.first = list.table.front();
  functor.set.count = functor.set.parts = 1;
  functor.set.part_rows = functor.set.part_columns = functor.part_rows;
  ground::run_on_mock(functor, 1, 1, -1,
                      static_cast<std::size_t>(functor.team_shape(1, 1).scratch_bytes));
  std::vector<double> left = a.physical();
  std::vector<double> right(inner * columns);
  for (std::size_t i = 0; i < left.size(); ++i) left[i] *= scale[i % inner];
  for (std::size_t j = 0; j < columns; ++j) {
    for (std::size_t k = 0; k < inner; ++k) {
      right[k * columns + j] = b.physical()[j * inner + k] * scale[k] + offset[k];
    }
  }
  const auto expected = oracle::product_of(left, right, rows, inner, columns);
  EXPECT_TRUE(oracle::agree(found, expected.values, {rows, columns},
                            oracle::product_tolerance<TypeParam>(expected.most, inner)));
}

/// Two barriers for each block of inner indices: after staging, and after adding. The second part
/// finds the operands of the first one in scratch.
TYPED_TEST(DeviceMatmul, NeedsEachOfItsBarriers) {
  using Self = TestFixture;
  std::mt19937_64 random(4);
  typename Self::List list;
  const Stored plain{stored_type<TypeParam>, stored_type<TypeParam>};
  list.push_back(one_product<TypeParam>(65, 2 * Self::Bench::inner_block + 1, 9, plain, random));
  list.push_back(one_product<TypeParam>(17, 3, 19, plain, random));
  typename Self::Bench bench(std::move(list), {});
  bench.part_rows = bench.part_columns = 64;
  bench.teams = 1;
  for (const bool walks : {false, true}) {
    bench.walks = walks;
    const auto right = bench.run(1);
    const std::vector<std::int64_t> extents{static_cast<std::int64_t>(right.size())};
    const std::int64_t barriers = bench.barriers;
    ASSERT_EQ(barriers, 2 * (3 + 3 + 1)) << "of two parts of three blocks each, and one of one";
    for (std::int64_t k = 0; k < barriers; ++k) {
      int differ = 0;
      for (std::uint64_t seed = 1; seed <= 19; ++seed) {
        differ += same_bits(bench.run(seed, k), right, extents) ? 0 : 1;
      }
      const std::string name = (walks ? "walking, barrier " : "barrier ") + std::to_string(k) +
                               " of " + std::to_string(barriers) + " was left out";
      if (k + 1 < barriers) {
        EXPECT_GE(differ, 5) << "of 19 orders; " << name;
      } else {
        EXPECT_EQ(differ, 0) << "nothing is left to wait for; " << name;
      }
    }
  }
}

/// Slices of one product go to results of any layout, for any order and teams.
TYPED_TEST(DeviceMatmul, SlicesAreCopiedInAnyOrder) {
  constexpr std::int64_t places = 11;
  constexpr std::int64_t rows = 7;
  constexpr std::int64_t columns = 5;
  constexpr std::int64_t step = 3;
  constexpr std::int64_t product_row = (places - 1) * step + columns + 2;
  std::vector<TypeParam> product(rows * product_row);
  for (std::size_t i = 0; i < product.size(); ++i) product[i] = static_cast<TypeParam>(i);
  std::vector<TypeParam> expected;
  for (std::int64_t p = 0; p < places; ++p) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        expected.push_back(product[static_cast<std::size_t>(i * product_row + p * step + j)]);
      }
    }
  }
  std::mt19937_64 random(6);
  for (std::uint64_t seed = 1; seed <= permutations; ++seed) {
    Array<TypeParam> results({places, rows, columns},
                             oracle::random_placement(3, oracle::Signs::positive, random),
                             oracle::unwritten<TypeParam>);
    const StridedOutput output = results.output();
    sweep::DeviceSlicesSweep<TypeParam> functor;
    functor.slices.product = product.data();
    functor.slices.product_row = product_row;
    functor.slices.step = step;
    sweep::ProductSet<TypeParam>& set = functor.slices.set;
    set.count = places;
    set.result_places.append(set.count, output.strides[0]);
    set.first.result = static_cast<TypeParam*>(output.data);
    set.first.result_row = output.strides[1];
    set.first.result_column = output.strides[2];
    set.first.rows = rows;
    set.first.columns = columns;
    const int teams = 1 + static_cast<int>(seed % 6);
    functor.workspace.teams = teams;
    EXPECT_EQ(ground::run_on_mock(functor, teams, seed), 0) << "barriers";
    ASSERT_TRUE(same_bits(results.values(), expected, results.extents())) << "order " << seed;
    ASSERT_EQ(results.damaged(), 0) << "order " << seed;
  }
}

}  // namespace
}  // namespace device_matmul_tests
