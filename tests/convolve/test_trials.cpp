// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"
#include "promises/kokkos_events.hpp"

#include <synelix/trials.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

// Lists of trials: each has the bits that it has alone, in one launch.

namespace trials_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;
using oracle::same_bits;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t bases = 3;
constexpr std::int64_t window = 11;

template <class Types>
class Trials : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  using Matrix = Kokkos::View<Scalar**, Kokkos::LayoutRight, oracle::SharedWith<Space>>;

  Trials() : bank(exec, RaisedCosineLog{.bases = bases}, {.window = window}) {}

  /// Trials of these lengths, of 5 channels.
  std::vector<Matrix> matrices(const std::vector<std::int64_t>& lengths) {
    std::vector<Matrix> trials;
    std::normal_distribution<double> normal;
    for (const std::int64_t length : lengths) {
      trials.emplace_back("trial", length, 5);
      for (std::size_t i = 0; i < trials.back().size(); ++i) {
        trials.back().data()[i] = static_cast<Scalar>(normal(random));
      }
    }
    return trials;
  }

  std::vector<Events> spikes(const std::vector<std::int64_t>& lengths) {
    std::vector<Events> trials;
    for (const std::int64_t length : lengths) {
      std::vector<Events::Train> trains(4);
      for (auto& train : trains) {
        for (std::int64_t t = 0; t < length; ++t) {
          if (random() % 7 == 0) train.samples.push_back(t);
        }
        for (std::size_t i = 0; i < train.samples.size(); ++i) {
          train.counts.push_back(static_cast<float>(1 + random() % 3));
        }
      }
      trials.emplace_back(length, trains);
    }
    return trials;
  }

  /// Each output of a list against the trial convolved alone.
  template <class Input, class Output>
  void expect_alone(const std::vector<Input>& trials, const std::vector<Output>& found,
                    const ConvolveOptions& options) {
    ASSERT_EQ(found.size(), trials.size());
    for (std::size_t k = 0; k < trials.size(); ++k) {
      const auto alone =
          oracle::on_host(convolve<typename Output::array_layout>(exec, trials[k], bank, options));
      const auto one = oracle::on_host(found[k]);
      ASSERT_EQ(one.span(), alone.span()) << "trial " << k;
      ASSERT_EQ(one.extent(0), alone.extent(0)) << "trial " << k;
      EXPECT_TRUE(same_bits(std::vector<Scalar>(one.data(), one.data() + one.span()),
                            std::vector<Scalar>(alone.data(), alone.data() + alone.span()),
                            {static_cast<std::int64_t>(alone.span())}))
          << "trial " << k << " of " << trials.size();
    }
  }

  Space exec;
  FilterBank<Scalar, Space> bank;
  std::mt19937_64 random{5};
};
TYPED_TEST_SUITE(Trials, oracle::AllSpaces);

const std::vector<std::int64_t> lengths{40, 3, 1, 200, 11, 12, 7, 1000, 10};

TYPED_TEST(Trials, HaveTheBitsThatTheyHaveAlone) {
  const auto trials = this->matrices(lengths);
  const auto events = this->spikes(lengths);
  for (const Causality causality :
       {Causality::causal, Causality::acausal, Causality::anti_causal}) {
    for (const Border border : {Border::nan, Border::zero, Border::valid}) {
      for (const std::int64_t every : {1, 3}) {
        SCOPED_TRACE("causality " + std::to_string(static_cast<int>(causality)) + ", border " +
                     std::to_string(static_cast<int>(border)) + ", every " + std::to_string(every));
        const ConvolveOptions options{
            .causality = causality, .border = border, .every = every, .machine = {}};
        this->expect_alone(trials,
                           convolve<Kokkos::LayoutRight>(this->exec, trials, this->bank, options),
                           options);
        for (const Method method : {Method::direct, Method::events}) {
          ConvolveOptions by_method = options;
          by_method.method = method;
          this->expect_alone(
              events, convolve<Kokkos::LayoutRight>(this->exec, events, this->bank, by_method),
              by_method);
        }
      }
    }
  }
}

TYPED_TEST(Trials, MayHaveEpochsAndGaps) {
  std::vector<Series<typename TestFixture::Matrix>> trials;
  for (const auto& matrix : this->matrices({50, 300, 2})) trials.emplace_back(matrix);
  trials.emplace_back(this->matrices({100})[0],
                      SeriesOptions{.sample_axis = 0, .epochs = {{3, 40}, {40, 45}, {60, 99}}});
  const auto found = convolve<Kokkos::LayoutLeft>(this->exec, trials, this->bank);
  this->expect_alone(trials, found, {});
}

TYPED_TEST(Trials, MayLieInAnyLayoutWithAnyAxis) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  using Cube = Kokkos::View<Scalar***, Kokkos::LayoutLeft, Shared>;
  std::vector<Series<Cube>> trials;
  for (const std::int64_t length : {30, 5, 64}) {
    const Cube cube("trial", 2, length, 3);
    for (std::size_t i = 0; i < cube.size(); ++i) {
      cube.data()[i] = static_cast<Scalar>(this->random() % 100);
    }
    trials.emplace_back(cube, SeriesOptions{.sample_axis = 1, .epochs = {}});
  }
  const auto found = convolve<Kokkos::LayoutRight>(this->exec, trials, this->bank);
  ASSERT_EQ(found[0].extent(1), 30U);
  this->expect_alone(trials, found, {});
}

TYPED_TEST(Trials, MayHaveFeaturesOfOtherStrides) {
  // Rows of features are contiguous, and the distance of bases is the length of the trial; packs of
  // lanes have strips of several trials.
  const auto trials = this->matrices({100, 101, 102, 103, 104, 105, 106, 107});
  const auto found = convolve<Kokkos::LayoutLeft>(this->exec, trials, this->bank);
  this->expect_alone(trials, found, {});
}

TYPED_TEST(Trials, APlanTakesOtherMemoryAndAllocatesNothing) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const auto first = this->matrices(lengths);
  const auto second = this->matrices(lengths);
  const TrialsPlan plan(this->exec, first, this->bank, {.border = Border::zero});
  std::vector<Kokkos::View<Scalar***, Kokkos::LayoutRight, Shared>> features;
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    EXPECT_EQ(plan.rows(k), lengths[k]);
    features.emplace_back("features", plan.rows(k), 5, bases);
  }
  for (const auto* trials : {&first, &second, &first}) {
    promises::KokkosEvents seen;
    plan.run(this->exec, *trials, features);
    ASSERT_EQ(seen.launches.size(), 1U) << "one for all trials";
    EXPECT_EQ(seen.launches[0].label, "synelix::convolve::direct");
    EXPECT_THAT(seen.fences, IsEmpty());
    EXPECT_EQ(seen.allocations.size(), 0U);
    EXPECT_THAT(seen.regions, ElementsAre("synelix::convolve"));
    this->exec.fence();
    this->expect_alone(*trials, features, {.border = Border::zero});
  }
}

TYPED_TEST(Trials, HaveTheSameBitsForEveryBatchAndBudget) {
  const auto trials = this->matrices(lengths);
  const auto events = this->spikes(lengths);
  for (const Batch& batch :
       {Batch{.samples = 13}, Batch{.samples = 64, .channels = 2, .bases = 1}, Batch{.bases = 2}}) {
    const ConvolveOptions options{.border = Border::zero, .batch = batch, .budget = 64 << 10};
    this->expect_alone(trials,
                       convolve<Kokkos::LayoutRight>(this->exec, trials, this->bank, options),
                       {.border = Border::zero});
    this->expect_alone(events,
                       convolve<Kokkos::LayoutRight>(this->exec, events, this->bank, options),
                       {.border = Border::zero});
  }
}

TYPED_TEST(Trials, StayInsideTheBudget) {
  const std::vector<std::int64_t> many(1000, 20);
  const auto trials = this->matrices(many);
  // Kokkos keeps the scratch of its threads from then on.
  const TrialsPlan before(this->exec, trials, this->bank, {.budget = mebibytes(2)});
  const promises::KokkosEvents seen;
  const TrialsPlan plan(this->exec, trials, this->bank, {.budget = mebibytes(2)});
  for (const auto& allocation : seen.allocations) {
    EXPECT_THAT(allocation.label, testing::StartsWith("synelix::"));
  }
  EXPECT_LE(plan.choice().workspace_bytes, mebibytes(2));
  EXPECT_GT(seen.bytes_of(this->exec), 0);
  EXPECT_LE(seen.bytes_of(this->exec), plan.choice().workspace_bytes);
  EXPECT_GT(plan.choice().workspace_bytes, 500 * 1000) << "the tables of the trials count";
  expect_refused([&] { TrialsPlan(this->exec, trials, this->bank, {.budget = 100'000}); }, "budget",
                 "100000 bytes", "at least");
}

TYPED_TEST(Trials, AnEmptyListGivesAnEmptyList) {
  this->RecordProperty("launches_nothing", "an empty list has nothing to compute");
  const std::vector<typename TestFixture::Matrix> none;
  EXPECT_THAT(convolve<Kokkos::LayoutRight>(this->exec, none, this->bank), IsEmpty());
  expect_refused([&] { TrialsPlan(this->exec, none, this->bank); }, "trials", "the list is empty",
                 "at least one");
}

TYPED_TEST(Trials, WarnOnceForACall) {
  const auto warnings_of = [&](const std::vector<std::int64_t>& wanted,
                               const ConvolveOptions& options) {
    const auto trials = this->matrices(wanted);
    const oracle::Warnings warnings;
    (void)convolve<Kokkos::LayoutRight>(this->exec, trials, this->bank, options);
    return warnings.texts();
  };
  EXPECT_THAT(warnings_of({30, 11, 12}, {}), IsEmpty()) << "a window fits each";
  EXPECT_THAT(warnings_of({30, 10, 12, 1}, {}),
              ElementsAre(testing::AllOf(HasSubstr("trials are shorter"), HasSubstr("11 samples"),
                                         HasSubstr("give NaN"))));
  EXPECT_THAT(warnings_of({30, 10}, {.border = Border::zero}), IsEmpty());
  const FilterBank<typename TypeParam::scalar, typename TypeParam::space> even(
      this->exec, RaisedCosineLog{.bases = 2}, {.window = 8});
  const auto trials = this->matrices({20, 30, 40});
  const oracle::Warnings warnings;
  (void)convolve<Kokkos::LayoutRight>(this->exec, trials, even, {.causality = Causality::acausal});
  EXPECT_THAT(warnings.texts(), ElementsAre(HasSubstr("acausal window should probably be odd")));
}

TYPED_TEST(Trials, RefuseWhatDoesNotFit) {
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  using Matrix = typename TestFixture::Matrix;
  auto trials = this->matrices({20, 30});
  trials.emplace_back("empty", 0, 5);
  expect_refused([&] { (void)convolve<Kokkos::LayoutRight>(this->exec, trials, this->bank); },
                 "trials[2]: series", "extent 0", "at least one sample");
  trials.back() = Matrix("narrow", 20, 4);
  expect_refused([&] { (void)convolve<Kokkos::LayoutRight>(this->exec, trials, this->bank); },
                 "trials[2]: series", "20 samples x 4 channels", "5 channels");
  trials.back() = Matrix("fits", 20, 5);
  const TrialsPlan plan(this->exec, trials, this->bank);
  using Output = Kokkos::View<Scalar***, Kokkos::LayoutRight, Shared>;
  std::vector<Output> features{Output("a", 20, 5, bases), Output("b", 30, 5, bases)};
  const auto run = [&] { plan.run(this->exec, trials, features); };
  expect_refused(run, "features", "2 outputs", "3, which the plan was made for");
  features.emplace_back("c", 21, 5, bases);
  expect_refused(run, "trials[2]: features", "(21, 5, 3)", "(20, 5, 3)");
  features.back() = features.front();
  expect_refused(run, "features[2]", "overlaps that of trial 0", "memory apart");
  features.back() = Output("c", 20, 5, bases);
  run();
  EXPECT_THROW((void)plan.rows(3), Error);
  const std::vector<StridedSeries> inside{StridedSeries(Strided(features[1].data(), {20, 5})),
                                          StridedSeries(Strided(trials[1].data(), {30, 5})),
                                          StridedSeries(Strided(trials[2].data(), {20, 5}))};
  expect_refused([&] { plan.run(this->exec, inside, features); }, "features[1]",
                 "overlaps that of trial 0", "memory apart from the inputs");
}

}  // namespace
}  // namespace trials_tests
