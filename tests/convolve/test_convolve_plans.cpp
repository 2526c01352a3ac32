// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"

#include <synelix/convolve.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

// Plans: moved, updated, in borrowed memory, and the samples that rows need.

namespace convolve_plans_tests {
namespace {

using namespace synelix;
using oracle::agree;
using oracle::AllSpaces;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

template <class Types>
class ConvolvePlans : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;

  static void expect_line(const std::vector<Scalar>& found, const std::vector<double>& expected) {
    EXPECT_TRUE(agree(found, expected, {static_cast<std::int64_t>(expected.size())}, 0.0));
  }

  Space exec;
};
TYPED_TEST_SUITE(ConvolvePlans, AllSpaces);

TYPED_TEST(ConvolvePlans, APlanIsMovedUpdatedAndRunAgain) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const std::vector<Scalar> x{1, 2, 3, 4, 5, 6};
  const StridedSeries series(Strided(x.data(), {6}));
  const FilterBank<Scalar, Space> bank(this->exec, CustomTaps{2, 1, {1, 10}}, {});
  std::vector<Scalar> y(6);
  const StridedOutput output(y.data(), {6, 1});
  ConvolvePlan plan(this->exec, series, bank);
  ConvolvePlan<Scalar, Space> moved(std::move(plan));
  moved.run(this->exec, series, output);
  this->exec.fence();
  this->expect_line(y, {nan, nan, 12, 23, 34, 45});
  moved.update(this->exec, FilterBank<Scalar, Space>(this->exec, CustomTaps{2, 1, {100, 1}}, {}));
  moved.run(this->exec, series, output);
  this->exec.fence();
  this->expect_line(y, {nan, nan, 201, 302, 403, 504});
  ConvolvePlan<Scalar, Space> other(this->exec, series, bank, {.shift = Shift::off});
  other = std::move(moved);
  other.run(this->exec, series, output);
  this->exec.fence();
  this->expect_line(y, {nan, nan, 201, 302, 403, 504});
}

TYPED_TEST(ConvolvePlans, AnUpdatedBankIsTransformedAnew) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  std::vector<Scalar> x(300, Scalar(0));
  x[7] = Scalar(1);
  const StridedSeries series(Strided(x.data(), {300}));
  std::vector<Scalar> y(300);
  const StridedOutput output(y.data(), {300, 1});
  ConvolvePlan<Scalar, Space> plan(
      this->exec, series, FilterBank<Scalar, Space>(this->exec, CustomTaps{2, 1, {1, 10}}, {}),
      {.shift = Shift::off, .border = Border::zero, .method = Method::fft});
  for (const double factor : {1.0, 3.0}) {
    plan.update(this->exec,
                FilterBank<Scalar, Space>(this->exec, CustomTaps{2, 1, {factor, 10 * factor}}, {}));
    plan.run(this->exec, series, output);
    this->exec.fence();
    std::vector<double> expected(300, 0.0);
    expected[7] = factor;
    expected[8] = 10 * factor;
    EXPECT_TRUE(agree(y, expected, {300, 1}, 100.0 * std::numeric_limits<Scalar>::epsilon()));
  }
}

TYPED_TEST(ConvolvePlans, BorrowsAWorkspace) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const std::vector<Scalar> x{1, 2, 3, 4, 5, 6};
  const StridedSeries series(Strided(x.data(), {6}));
  const FilterBank<Scalar, Space> bank(this->exec, CustomTaps{2, 1, {1, 10}}, {});
  const Choice choice = choose(this->exec, series, bank);
  std::vector<std::byte> memory(static_cast<std::size_t>(choice.workspace_bytes) + 1);
  using Workspace = typename ConvolvePlan<Scalar, Space>::Workspace;
  const Workspace odd(memory.data() + 1, memory.size() - 1);  // no alignment is required
  const ConvolvePlan<Scalar, Space> plan(this->exec, series, bank, {}, odd);
  std::vector<Scalar> y(6);
  plan.run(this->exec, series, StridedOutput(y.data(), {6, 1}));
  this->exec.fence();
  this->expect_line(y, {nan, nan, 12, 23, 34, 45});
  const Workspace small(memory.data(), memory.size() - 2);
  EXPECT_THROW((ConvolvePlan<Scalar, Space>(this->exec, series, bank, {}, small)), Error);
}

TYPED_TEST(ConvolvePlans, SamplesForNamesWhatRowsNeed) {
  using Scalar = typename TypeParam::scalar;
  using Space = typename TypeParam::space;
  const FilterBank<Scalar, Space> bank(this->exec, CustomTaps{3, 1, {1, 1, 1}}, {});
  const SeriesShape shape = Events(20, {{}}, {{2, 9}, {12, 20}}).shape();
  const ConvolvePlan<Scalar, Space> plan(this->exec, shape, bank);
  EXPECT_EQ(plan.samples_for({5, 7}), (Range{2, 6}));
  EXPECT_EQ(plan.samples_for({6, 14}), (Range{3, 13}));
  EXPECT_EQ(plan.samples_for({9, 12}).size(), 0) << "a gap needs no samples";
  EXPECT_EQ(plan.samples_for({4, 4}).size(), 0);
  EXPECT_THROW((void)plan.samples_for({4, 21}), Error);
}

}  // namespace
}  // namespace convolve_plans_tests
