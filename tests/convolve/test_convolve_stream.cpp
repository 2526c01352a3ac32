// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/bounded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"
#include "oracle/shared.hpp"
#include "promises/kokkos_events.hpp"

#include <synelix/convolve_stream.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

// A stream of blocks: for any lengths, the bits of the entire series.

namespace convolve_stream_tests {
namespace {

using namespace synelix;
using oracle::expect_refused;
using oracle::same_bits;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t samples = 400;
constexpr std::int64_t channels = 5;
constexpr std::int64_t bases = 3;

template <class Types>
class Streamed : public testing::Test {
 public:
  using Scalar = typename Types::scalar;
  using Space = typename Types::space;
  using Bank = FilterBank<Scalar, Space>;
  using Stream = ConvolveStream<Scalar, Space>;

  Streamed() {
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < samples * channels; ++i) {
      x.push_back(static_cast<Scalar>(random() % 40 == 0 ? 0.0 : normal(random)));
    }
    x[777] = std::numeric_limits<Scalar>::quiet_NaN();
    x[1203] = std::numeric_limits<Scalar>::infinity();
    trains.resize(channels);
    for (auto& train : trains) {
      for (std::int64_t t = 0; t < samples; ++t) {
        if (random() % 9 != 0) continue;
        train.samples.push_back(t);
        train.counts.push_back(static_cast<float>(1 + random() % 3));
      }
    }
  }

  [[nodiscard]] Bank bank_of(std::int64_t window) const {
    if (window > bases) return Bank(exec, RaisedCosineLog{.bases = bases}, {.window = window});
    return Bank(exec, CustomTaps{.window = 1, .bases = bases, .taps = {0.5, -2.0, 3.0}}, {});
  }

  /// Epochs that cover the series, as streams have them.
  static Epochs epochs() { return {{0, 150}, {150, 157}, {157, 158}, {158, samples}}; }

  [[nodiscard]] Events block_of_events(Range range) const {
    std::vector<Events::Train> part(trains.size());
    for (std::size_t c = 0; c < trains.size(); ++c) {
      for (std::size_t i = 0; i < trains[c].samples.size(); ++i) {
        const std::int64_t t = trains[c].samples[i];
        if (t < range.begin || t >= range.end) continue;
        part[c].samples.push_back(t - range.begin);
        part[c].counts.push_back(trains[c].counts[i]);
      }
    }
    return {range.size(), part};
  }

  /// The entire series at once.
  std::vector<Scalar> whole(bool has_events, const Bank& bank, const ConvolveOptions& options,
                            Choice& choice) const {
    const StridedSeries series(Strided(x.data(), {samples, channels}),
                               {.sample_axis = 0, .epochs = epochs()});
    const Events events(samples, trains, epochs());
    const ConvolvePlan<Scalar, Space> plan(exec, has_events ? events.shape() : series.shape(), bank,
                                           options);
    choice = plan.choice();
    std::vector<Scalar> y(static_cast<std::size_t>(plan.rows() * channels * bases), Scalar(-1));
    const StridedOutput features(y.data(), {plan.rows(), channels, bases});
    if (has_events) {
      plan.run(exec, copy_events(exec, events), features);
    } else {
      plan.run(exec, series, features);
    }
    exec.fence();
    return y;
  }

  /// Block by block, of lengths that `next` gives, 0 to `longest`.
  template <class Next>
  std::vector<Scalar> in_blocks(bool has_events, Stream& stream, const Next& next) {
    std::vector<Scalar> y;
    std::vector<Scalar> some(static_cast<std::size_t>(stream.most_rows() * channels * bases));
    const StridedOutput features(some.data(), {stream.most_rows(), channels, bases});
    const auto take = [&](Range rows) {
      exec.fence();
      EXPECT_EQ(rows.begin * channels * bases, static_cast<std::int64_t>(y.size()));
      y.insert(y.end(), some.begin(), some.begin() + rows.size() * channels * bases);
      std::fill(some.begin(), some.end(), Scalar(-7));
    };
    for (const Epoch& epoch : epochs()) {
      for (std::int64_t t = epoch.begin; t < epoch.end;) {
        const std::int64_t n = std::min<std::int64_t>(next(), epoch.end - t);
        EXPECT_LE(stream.rows_for(n), stream.most_rows());
        const std::int64_t rows = stream.rows_for(n);
        Range given;
        if (!has_events) {
          given = stream.push(exec, Strided(x.data() + t * channels, {n, channels}), features);
        } else if (n > 0) {
          given = stream.push(exec, copy_events(exec, block_of_events({t, t + n})), features);
        } else {
          continue;
        }
        EXPECT_EQ(given.size(), rows);
        take(given);
        t += n;
        EXPECT_EQ(stream.samples(), t - epoch.begin);
      }
      EXPECT_LE(stream.rows_at_end(), stream.most_rows());
      const std::int64_t rows = stream.rows_at_end();
      const Range given = stream.finish(exec, features);
      EXPECT_EQ(given.size(), rows);
      take(given);
    }
    return y;
  }

  Space exec;
  std::mt19937_64 random{23};
  std::vector<Scalar> x;
  std::vector<Events::Train> trains;
};
TYPED_TEST_SUITE(Streamed, oracle::AllSpaces);

SeriesShape longest_of(std::int64_t longest, StoredType type, bool has_events) {
  SeriesShape shape;
  shape.samples = longest;
  shape.channels = channels;
  shape.type = type;
  shape.has_events = has_events;
  return shape;
}

TYPED_TEST(Streamed, HasTheBitsOfTheWholeForAnyBlocks) {
  using Self = TestFixture;
  using Scalar = typename TypeParam::scalar;
  struct Wanted {
    std::int64_t window;
    Causality causality;
    Shift shift;
  };
  const Wanted windows[] = {
      {12, Causality::causal, Shift::on},      {12, Causality::causal, Shift::off},
      {1, Causality::causal, Shift::on},       {13, Causality::acausal, Shift::automatic},
      {12, Causality::anti_causal, Shift::on}, {12, Causality::anti_causal, Shift::off}};
  oracle::OneIn taken(37);
  for (const Wanted& wanted : windows) {
    const auto bank = this->bank_of(wanted.window);
    for (const Border border : {Border::nan, Border::zero, Border::valid}) {
      for (const std::int64_t every : {1, 3, 50}) {
        for (const bool has_events : {false, true}) {
          for (const Method method : {Method::direct, Method::events}) {
            if (method == Method::events && !has_events) continue;
            if (!taken.is_next()) continue;
            const ConvolveOptions options{.causality = wanted.causality,
                                          .shift = wanted.shift,
                                          .border = border,
                                          .method = method,
                                          .every = every,
                                          .machine = {}};
            SCOPED_TRACE("W " + std::to_string(wanted.window) + " causality " +
                         std::to_string(static_cast<int>(wanted.causality)) + " shift " +
                         std::to_string(static_cast<int>(wanted.shift)) + " border " +
                         std::to_string(static_cast<int>(border)) + " every " +
                         std::to_string(every) + (has_events ? " events by " : " ") +
                         name_of(method));
            Choice choice;
            const auto expected = this->whole(has_events, bank, options, choice);
            for (const std::int64_t longest : {1, 17, 120}) {
              typename Self::Stream stream(this->exec,
                                           longest_of(longest, stored_type<Scalar>, has_events),
                                           bank, choice, options);
              EXPECT_EQ(stream.choice().method, method);
              const auto found = this->in_blocks(has_events, stream, [&] {
                return longest == 1 ? 1
                                    : static_cast<std::int64_t>(
                                          this->random() % static_cast<std::uint64_t>(longest + 1));
              });
              ASSERT_TRUE(same_bits(
                  found, expected,
                  {static_cast<std::int64_t>(expected.size()) / channels / bases, channels, bases}))
                  << "longest block " << longest;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(Streamed, TakesStoredTypesScalingAndAnyStrides) {
  using Self = TestFixture;
  using Scalar = typename TypeParam::scalar;
  using Shared = oracle::SharedWith<typename TypeParam::space>;
  const auto bank = this->bank_of(20);
  const Kokkos::View<std::int16_t***, Kokkos::LayoutLeft, Shared> x("samples", 300, 2, 3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x.data()[i] = static_cast<std::int16_t>(this->random() % 2000);
  }
  const std::vector<double> scale{1, 2, 3, 4, 5, 6};
  const Series series(scaled(x, scale, -3.0));
  const auto whole = oracle::on_host(convolve<Kokkos::LayoutRight>(this->exec, series, bank));
  SeriesShape longest = series.shape();
  longest.samples = 64;
  typename Self::Stream stream(this->exec, longest, bank, choose_stream(this->exec, series, bank));
  const Kokkos::View<Scalar****, Kokkos::LayoutLeft, Shared> some("some", 64, 2, 3, bases);
  for (std::int64_t t = 0; t < 300;) {
    const std::int64_t n = std::min<std::int64_t>(1 + t % 64, 300 - t);
    const auto block = Kokkos::subview(x, Kokkos::pair<std::int64_t, std::int64_t>(t, t + n),
                                       Kokkos::ALL, Kokkos::ALL);
    const Range rows = stream.push(this->exec, block, some);
    this->exec.fence();
    ASSERT_EQ(rows, (Range{t, t + n}));
    std::vector<Scalar> found;
    std::vector<Scalar> expected;
    for (std::int64_t r = 0; r < n; ++r) {
      for (std::size_t i = 0; i < 6 * bases; ++i) {
        found.push_back(some(r, i / bases / 3, i / bases % 3, i % bases));
        expected.push_back(whole(t + r, i / bases / 3, i / bases % 3, i % bases));
      }
    }
    ASSERT_TRUE(same_bits(found, expected, {n, 6, bases})) << "from sample " << t;
    t += n;
  }
}

TYPED_TEST(Streamed, SaysItsDelay) {
  const auto bank = this->bank_of(12);
  const auto delay = [&](Causality causality, Shift shift) {
    const ConvolveOptions options{.causality = causality, .shift = shift};
    const SeriesShape longest = longest_of(10, stored_type<typename TypeParam::scalar>, false);
    typename TestFixture::Stream stream(this->exec, longest, bank,
                                        choose_stream(this->exec, longest, bank, options), options);
    EXPECT_EQ(stream.rows_for(stream.delay()), 0);
    EXPECT_EQ(stream.rows_for(stream.delay() + 1), 1);
    return stream.delay();
  };
  EXPECT_EQ(delay(Causality::causal, Shift::on), 0);
  EXPECT_EQ(delay(Causality::causal, Shift::off), 0);
  EXPECT_EQ(delay(Causality::acausal, Shift::off), 6);
  EXPECT_EQ(delay(Causality::anti_causal, Shift::off), 11);
  EXPECT_EQ(delay(Causality::anti_causal, Shift::on), 12);
}

TYPED_TEST(Streamed, IsTwoLaunchesAndNothingElse) {
  using Scalar = typename TypeParam::scalar;
  const auto bank = this->bank_of(12);
  for (const bool has_events : {false, true}) {
    const SeriesShape longest = longest_of(50, stored_type<Scalar>, has_events);
    const Choice choice = choose_stream(this->exec, longest, bank);
    std::vector<Scalar> some(60 * channels * bases);
    const StridedOutput features(some.data(), {60, channels, bases});
    const Events events = copy_events(this->exec, this->block_of_events({0, 50}));
    promises::KokkosEvents seen;
    typename TestFixture::Stream stream(this->exec, longest, bank, choice,
                                        {.budget = mebibytes(1)});
    for (const auto& allocation : seen.allocations) {
      EXPECT_THAT(allocation.label, testing::StartsWith("synelix::"));
    }
    EXPECT_GT(seen.bytes_of(this->exec), 0);
    EXPECT_LE(seen.bytes_of(this->exec), stream.choice().workspace_bytes);
    EXPECT_LE(stream.choice().workspace_bytes, mebibytes(1));
    for (int i = 0; i < 3; ++i) {
      seen.clear();
      if (has_events) {
        stream.push(this->exec, events, features);
      } else {
        stream.push(this->exec, Strided(this->x.data(), {50, channels}), features);
      }
      ASSERT_EQ(seen.launches.size(), 2U);
      EXPECT_EQ(seen.launches[0].label, "synelix::convolve::keep");
      EXPECT_THAT(seen.launches[1].label, testing::StartsWith("synelix::convolve::"));
      for (const auto& launch : seen.launches) {
        EXPECT_EQ(launch.device, Kokkos::Tools::Experimental::device_id(this->exec));
      }
      EXPECT_THAT(seen.fences, IsEmpty());
      EXPECT_THAT(seen.copies, IsEmpty());
      EXPECT_EQ(seen.allocations.size(), 0U);
      EXPECT_THAT(seen.regions, ElementsAre("synelix::convolve"));
    }
  }
}

TYPED_TEST(Streamed, RefusesWhatDoesNotFitAndTakesNothing) {
  using Scalar = typename TypeParam::scalar;
  using Stream = typename TestFixture::Stream;
  const auto bank = this->bank_of(12);
  const SeriesShape longest = longest_of(10, stored_type<Scalar>, false);
  const Choice choice = choose_stream(this->exec, longest, bank);
  Stream stream(this->exec, longest, bank, choice);
  std::vector<Scalar> some(20 * channels * bases);
  const StridedOutput features(some.data(), {10, channels, bases});
  const auto push = [&](const Strided& block, const StridedOutput& output) {
    return [&stream, this, block, output] { stream.push(this->exec, block, output); };
  };
  const Scalar* const x = this->x.data();
  expect_refused(push(Strided(x, {11, channels}), features), "block", "(11, 5)", "0 to 10 samples");
  expect_refused(push(Strided(x, {4, 4}), features), "block", "(4, 4)", "5 channels");
  const std::vector<std::int16_t> other(100);
  expect_refused(push(Strided(other.data(), {4, channels}), features), "block", "int16", "float");
  expect_refused(push(Strided(x, {6, channels}), StridedOutput(some.data(), {5, channels, bases})),
                 "features", "(5, 5, 3)", "at least 6 rows x 5 channels x 3 bases");
  expect_refused(push(Strided(some.data(), {6, channels}), features), "features", "overlaps",
                 "apart from all other arguments");
  const Events events = copy_events(this->exec, this->block_of_events({0, 5}));
  expect_refused([&] { stream.push(this->exec, events, features); }, "block", "events", "float");
  EXPECT_EQ(stream.samples(), 0);
  stream.push(this->exec, Strided(x, {10, channels}), features);
  EXPECT_EQ(stream.samples(), 10);

  SeriesShape cut = longest;
  cut.epochs = {{0, 5}};
  expect_refused([&] { Stream(this->exec, cut, bank, choice); }, "longest.epochs", "has 1 epochs",
                 "call finish()");
  expect_refused([&] { Stream(this->exec, longest, bank, choice, {.every = 2}); }, "choice.every",
                 "1", "2, as in the options");
  Choice by_events = choice;
  by_events.method = Method::events;
  expect_refused([&] { Stream(this->exec, longest, bank, by_events); }, "method", "events",
                 "direct");
  expect_refused([&] { Stream(this->exec, longest, bank, choice, {.budget = 1000}); }, "budget",
                 "1000 bytes", "at least");
  SeriesShape endless = longest;
  endless.samples = std::int64_t{1} << 61;
  expect_refused([&] { Stream(this->exec, endless, bank, choice); }, "longest",
                 "2305843009213693952 samples x 5 channels", "2^62 bytes");
}

}  // namespace
}  // namespace convolve_stream_tests
