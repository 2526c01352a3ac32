// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "launch/mock_team.hpp"
#include "launch/walking_team.hpp"
#include "oracle/matchers.hpp"
#include "oracle/products.hpp"
#include "products/plan/product_arguments.hpp"
#include "products/sweep/device_forms.hpp"

#include <synelix/bilinear_forms.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Bilinear forms as devices compute them, on the mock team and on threads that walk: one answer for
// every order of virtual items, that of the loops, and the need of each barrier.

namespace device_forms_tests {
namespace {

using namespace synelix;
using oracle::Array;
using oracle::RandomOperand;
using oracle::same_bits;

/// The computed problem.
struct Case {
  std::int64_t matrices;
  std::int64_t count;
  std::int64_t m;
  std::int64_t n;
  bool is_quadratic;
  FormMethod method;
};

/// Operands of stored types, and their forms by the functor of a device.
template <class Scalar>
class FormsBench {
 public:
  using Functor = sweep::DeviceFormsSweep<Scalar>;

  FormsBench(const Case& test, StoredType type, std::mt19937_64& random)
      : m_case(test),
        m_x({test.count, test.m}, type, placement(2, random), random, 0.5, 0.25),
        m_a({test.matrices, test.m, test.n}, stored_type<Scalar>, placement(3, random), random),
        m_y({test.count, test.n}, type, placement(2, random), random),
        m_q({test.matrices, test.count}, oracle::right_placement(2), oracle::unwritten<Scalar>) {}

  int teams = 1;
  bool walks = false;
  std::int64_t barriers = 0;  ///< of the last run

  std::vector<Scalar> run(std::uint64_t seed, std::int64_t ignored = -1) {
    for (std::int64_t i = 0; i < m_q.size(); ++i) m_q.at(i) = oracle::unwritten<Scalar>;
    const Operand x = m_x.matrices();
    const Operand a = m_a.matrices();
    const Operand y = m_y.matrices();
    Functor functor;
    functor.problem = plan::form_problem<Scalar>(x, a, m_case.is_quadratic ? nullptr : &y,
                                                 m_q.output(), {.method = m_case.method});
    functor.parts =
        m_case.matrices * ((m_case.count + Functor::part_rows - 1) / Functor::part_rows);
    functor.workspace.teams = teams;
    const auto scratch = static_cast<std::size_t>(functor.team_shape(1, 1).scratch_bytes);
    if (walks) {
      if (ignored < 0) m_scratch = ground::MockScratch(scratch, std::byte{0x7f});
      const auto walked =
          ground::walk(functor, teams, seed, m_scratch, {.number = ignored, .place = {}});
      EXPECT_TRUE(walked.is_together || ignored >= 0);
      barriers = walked.barriers;
    } else {
      barriers = ground::run_on_mock(functor, teams, seed, ignored, scratch);
    }
    EXPECT_EQ(m_q.damaged(), 0) << "written outside the result";
    return m_q.values();
  }

  [[nodiscard]] testing::AssertionResult is_right(const std::vector<Scalar>& found) const {
    std::vector<double> expected;
    double most = 0;
    const auto at = [](const std::vector<double>& values, std::int64_t i) {
      return values[static_cast<std::size_t>(i)];
    };
    const std::vector<double>& right = m_case.is_quadratic ? m_x.physical() : m_y.physical();
    for (std::int64_t o = 0; o < m_case.matrices; ++o) {
      for (std::int64_t i = 0; i < m_case.count; ++i) {
        double sum = 0;
        double magnitude = 0;
        for (std::int64_t j = 0; j < m_case.m; ++j) {
          for (std::int64_t k = 0; k < m_case.n; ++k) {
            const double term = at(m_x.physical(), i * m_case.m + j) *
                                at(m_a.physical(), (o * m_case.m + j) * m_case.n + k) *
                                at(right, i * m_case.n + k);
            sum += term;
            magnitude += std::fabs(term);
          }
        }
        expected.push_back(sum);
        most = std::max(most, magnitude);
      }
    }
    return oracle::agree(found, expected, m_q.extents(),
                         oracle::product_tolerance<Scalar>(most, m_case.m + m_case.n));
  }

 private:
  static oracle::Placement placement(std::size_t rank, std::mt19937_64& random) {
    return oracle::random_placement(rank, oracle::Signs::any, random);
  }

  Case m_case;
  RandomOperand<Scalar> m_x;
  RandomOperand<Scalar> m_a;
  RandomOperand<Scalar> m_y;
  Array<Scalar> m_q;
  ground::MockScratch m_scratch{0, std::byte{0}};
};

template <class Scalar>
class DeviceForms : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DeviceForms, Scalars);

TYPED_TEST(DeviceForms, HaveOneAnswerInAnyOrder) {
  std::mt19937_64 random(5);
  const Case all[] = {
      {1, 67, 70, 130, false, FormMethod::automatic}, {2, 65, 75, 75, true, FormMethod::triangle},
      {2, 5, 70, 70, true, FormMethod::product},      {3, 7, 0, 3, false, FormMethod::automatic},
      {1, 7, 3, 0, false, FormMethod::automatic},     {1, 3, 1, 1, true, FormMethod::automatic},
      {1, 0, 4, 4, true, FormMethod::automatic}};
  for (const Case& test : all) {
    for (const StoredType type : {stored_type<TypeParam>, StoredType::int8}) {
      FormsBench<TypeParam> bench(test, type, random);
      const auto right = bench.run(1);
      ASSERT_TRUE(bench.is_right(right)) << test.count << ", " << test.m << ", " << test.n;
      const std::vector<std::int64_t> extents{static_cast<std::int64_t>(right.size())};
      for (std::uint64_t seed = 2; seed <= 20; ++seed) {
        bench.teams = 1 + static_cast<int>(seed % 3);
        ASSERT_TRUE(same_bits(bench.run(seed), right, extents)) << "order " << seed;
      }
      bench.walks = true;
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        ASSERT_TRUE(same_bits(bench.run(seed), right, extents)) << "walk " << seed;
      }
    }
  }
}

/// Two barriers for each block of inner indices. Sums are multiplied with the right operand after
/// the last one of a block of columns, are added after one more, and are started again after the
/// next one.
TYPED_TEST(DeviceForms, NeedEachOfTheirBarriers) {
  std::mt19937_64 random(6);
  constexpr std::int64_t inner = 2 * sweep::DeviceTile<TypeParam>::inner_block + 1;
  FormsBench<TypeParam> bench({1, 65, inner, 70, false, FormMethod::automatic},
                              stored_type<TypeParam>, random);
  for (const bool walks : {false, true}) {
    bench.walks = walks;
    const auto right = bench.run(1);
    const std::vector<std::int64_t> extents{static_cast<std::int64_t>(right.size())};
    const std::int64_t barriers = bench.barriers;
    ASSERT_EQ(barriers, (2 * 3 + 1) * 2 * 2)
        << "two barriers of three blocks, and one, of two blocks of columns, two parts";
    for (std::int64_t k = 0; k < barriers; ++k) {
      int differ = 0;
      for (std::uint64_t seed = 1; seed <= 19; ++seed) {
        differ += same_bits(bench.run(seed, k), right, extents) ? 0 : 1;
      }
      EXPECT_GE(differ, 3) << "of 19 orders; " << (walks ? "walking, " : "") << "barrier " << k
                           << " of " << barriers << " was left out";
    }
  }
}

}  // namespace
}  // namespace device_forms_tests
