// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/mpi.hpp>
#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

// A series that is cut along time: any cut, the bits of one process.

namespace convolve_plan_tests {
namespace {

using namespace synelix;
using mpi::RankError;
using mpi::Ranks;
using testing::HasSubstr;

using Space = Kokkos::DefaultHostExecutionSpace;
constexpr std::int64_t bases = 4;

/// A convolution, and how it is stored.
struct Problem {
  std::int64_t samples = 3001;
  std::int64_t channels = 3;
  std::int64_t window = 41;
  std::int64_t every = 1;
  std::int64_t epochs = 0;
  Border border = Border::nan;
  Causality causality = Causality::causal;
  Method method = Method::direct;

  [[nodiscard]] ConvolveOptions options() const {
    ConvolveOptions options;
    options.causality = causality;
    options.border = border;
    options.every = every;
    options.method = method;
    options.budget = mebibytes(8);
    return options;
  }
  [[nodiscard]] Epochs ranges() const {
    Epochs ranges;
    for (std::int64_t e = 0; e < epochs; ++e) {
      ranges.push_back({samples * e / epochs + 2, samples * (e + 1) / epochs});
    }
    return ranges;
  }
};

std::vector<Problem> all_problems() {
  std::vector<Problem> problems;
  for (const Border border : {Border::nan, Border::valid, Border::zero}) {
    for (const Causality causality :
         {Causality::causal, Causality::anti_causal, Causality::acausal}) {
      for (const Method method : {Method::direct, Method::fft}) {
        for (const std::int64_t every : {1, 3}) {
          for (const std::int64_t epochs : {0, 5}) {
            problems.push_back({.window = method == Method::fft ? 301 : 41,
                                .every = every,
                                .epochs = epochs,
                                .border = border,
                                .causality = causality,
                                .method = method});
          }
        }
      }
    }
  }
  problems.push_back({.samples = 7, .channels = 2, .window = 3});
  problems.push_back({.samples = 3, .channels = 2, .window = 2});
  return problems;
}

/// A cut that all ranks draw alike. Some ranks may be empty.
Range random_cut(const Ranks& ranks, std::int64_t samples, std::mt19937& random) {
  std::vector<std::int64_t> cuts{0, samples};
  for (int r = 1; r < ranks.size(); ++r) {
    cuts.push_back(static_cast<std::int64_t>(random() % static_cast<unsigned>(samples + 1)));
  }
  std::sort(cuts.begin(), cuts.end());
  const auto r = static_cast<std::size_t>(ranks.rank());
  return {cuts[r], cuts[r + 1]};
}

/// The problem on all ranks, against one process. Values differ from NaN by their bits alone, so
/// that NaN is compared, too.
template <class Scalar, class Stored, class Layout>
void expect_same_bits(const Ranks& ranks, const Problem& problem, Range own, double scale = 1.0,
                      double offset = 0.0) {
  const Space exec;
  Kokkos::View<Stored**, Layout, Kokkos::HostSpace> whole("whole", problem.samples,
                                                          problem.channels);
  std::mt19937 random(9);
  std::normal_distribution<double> normal(0.0, 20.0);
  for (std::int64_t t = 0; t < problem.samples; ++t) {
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      whole(t, c) = static_cast<Stored>(normal(random));
    }
  }
  const FilterBank<Scalar, Space> bank(exec, RaisedCosineLinear{.bases = static_cast<int>(bases)},
                                       {.window = problem.window});
  const auto samples = scaled(whole, scale, offset);
  const StridedSeries series(samples, {.epochs = problem.ranges()});
  const synelix::ConvolvePlan<Scalar, Space> alone(exec, series.shape(), bank, problem.options());
  const auto features_of = [](std::int64_t rows, std::int64_t channels) {
    return Kokkos::View<Scalar***, Kokkos::LayoutRight, Kokkos::HostSpace>("features", rows,
                                                                           channels, bases);
  };
  const auto expected = features_of(alone.rows(), problem.channels);
  alone.run(exec, series, StridedOutput(expected.data(), {alone.rows(), problem.channels, bases}));

  mpi::ConvolvePlan<Scalar, Space> plan(ranks, exec, series.shape(), own, bank, problem.options());
  Kokkos::View<Stored**, Layout, Kokkos::HostSpace> mine("mine", own.size(), problem.channels);
  for (std::int64_t t = 0; t < own.size(); ++t) {
    for (std::int64_t c = 0; c < problem.channels; ++c) mine(t, c) = whole(own.begin + t, c);
  }
  const auto got = features_of(plan.rows().size(), problem.channels);
  for (int round = 0; round < 2; ++round) {  // a plan runs again and again
    Kokkos::deep_copy(got, Scalar(-7));
    plan.start(exec, mine, got);
    plan.finish(exec);
    exec.fence();
    const std::int64_t row_values = problem.channels * bases;
    EXPECT_EQ(std::memcmp(got.data(), expected.data() + plan.rows().begin * row_values,
                          static_cast<std::size_t>(got.size()) * sizeof(Scalar)),
              0)
        << "rank " << ranks.rank() << " with samples " << own.begin << " to " << own.end
        << ", window " << problem.window << ", every " << problem.every << ", epochs "
        << problem.epochs << ", border " << static_cast<int>(problem.border) << ", causality "
        << static_cast<int>(problem.causality) << ", method " << name_of(problem.method);
  }
  std::int64_t rows = plan.rows().size();
  MPI_Allreduce(MPI_IN_PLACE, &rows, 1, MPI_INT64_T, MPI_SUM, ranks.comm());
  EXPECT_EQ(rows, alone.rows());
}

TEST(RankedPlan, HasTheBitsOfOneProcess) {
  const Ranks ranks;
  std::mt19937 random(5);
  for (const Problem& problem : all_problems()) {
    const Range own = random_cut(ranks, problem.samples, random);
    expect_same_bits<float, float, Kokkos::LayoutRight>(ranks, problem, own);
  }
}

TEST(RankedPlan, StoredTypesAndLayouts) {
  const Ranks ranks;
  std::mt19937 random(6);
  const Problem problem{.samples = 500, .epochs = 3};
  for (int round = 0; round < 3; ++round) {
    const Range own = random_cut(ranks, problem.samples, random);
    expect_same_bits<double, double, Kokkos::LayoutLeft>(ranks, problem, own);
    expect_same_bits<float, std::int8_t, Kokkos::LayoutLeft>(ranks, problem, own);
    expect_same_bits<float, std::int16_t, Kokkos::LayoutRight>(ranks, problem, own, 0.25, -3.0);
  }
}

/// The error of a plan over one short series, on all ranks.
class Refused : public testing::Test {
 public:
  const Ranks ranks;
  const Space exec;
  SeriesShape whole = [] {
    SeriesShape shape;
    shape.samples = 1000;
    shape.channels = 2;
    return shape;
  }();
  Range own = ranks.share(1000);
  const FilterBank<float, Space> bank{
      exec, RaisedCosineLinear{.bases = static_cast<int>(bases)}, {.window = 20}};
  ConvolveOptions options{.budget = mebibytes(4)};
  const bool is_last = ranks.rank() == ranks.size() - 1;

  /// The same sentence on all ranks.
  void expect(const std::string& words, ErrorKind kind = ErrorKind::argument) {
    std::string text;
    try {
      const mpi::ConvolvePlan<float, Space> plan(ranks, exec, whole, own, bank, options);
    } catch (const RankError& error) {
      text = error.what();
      EXPECT_EQ(error.kind(), kind);
    }
    EXPECT_THAT(text, HasSubstr(words));
  }
};

TEST_F(Refused, CutsThatAreNone) {
  if (ranks.size() > 1) {
    if (is_last) --own.begin;
    expect("does not begin where the ranks before end, at ");
    own = ranks.share(1000);
  }
  if (is_last) --own.end;
  expect("rank " + std::to_string(ranks.size() - 1) +
         ": own: the last range ends at 999. Cut all samples, so that it ends at 1000.");
  own = is_last ? Range{0, 1001} : ranks.share(1000);
  expect("own: [0, 1001) is not a range of the samples");
}

TEST_F(Refused, ArgumentsThatDiffer) {
  if (ranks.size() == 1) GTEST_SKIP() << "one rank agrees with itself";
  if (is_last) options.border = Border::zero;
  expect("convolution: border is '");
  options = {.budget = mebibytes(4)};
  if (is_last) whole.channels = 3;
  expect("whole: series is '1000 x 3 float32', and '1000 x 2 float32' on rank 0");
}

TEST_F(Refused, ABudgetThatIsTooSmallOnOneRank) {
  if (is_last) options.budget = 10;
  expect("budget: 10 bytes", ErrorKind::budget);
}

TEST_F(Refused, BudgetsMayDiffer) {
  options.budget = mebibytes(4 << ranks.rank());
  const mpi::ConvolvePlan<float, Space> plan(ranks, exec, whole, own, bank, options);
  EXPECT_EQ(plan.halo_bytes(), ranks.rank() == 0 ? 0 : 20 * 2 * 4);
  EXPECT_EQ(plan.interior(), (Range{own.begin + (ranks.rank() == 0 ? 0 : 20), own.end}));
}

TEST_F(Refused, Events) {
  whole.has_events = true;
  expect("whole: events are not cut along time");
}

TEST_F(Refused, CallsInAnotherOrder) {
  mpi::ConvolvePlan<float, Space> plan(ranks, exec, whole, own, bank, options);
  const Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> x("x", own.size(), 2);
  const Kokkos::View<float***, Kokkos::LayoutRight, Kokkos::HostSpace> f("f", own.size(), 2, bases);
  EXPECT_THROW(plan.finish(exec), StateError);
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> other("x", own.size(), 2);
  EXPECT_THROW(plan.start(exec, other, f), Error);
  const Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace> longer("x", own.size() + 1,
                                                                             2);
  EXPECT_THROW(plan.start(exec, longer, f), Error);
  const Strided inside(f.data(), {own.size(), 2});
  EXPECT_THROW(plan.start(exec, inside, f), Error);
  plan.start(exec, x, f);
  EXPECT_THROW(plan.start(exec, x, f), StateError);
  plan.finish(exec);
}

}  // namespace
}  // namespace convolve_plan_tests
