// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <synelix/synelix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// One-shot calls that their caller follows and ends: the same bits in parts, and no work after it.

namespace watched_calls_tests {
namespace {

using namespace synelix;
using testing::ElementsAre;

constexpr std::int64_t samples = 40'000;
constexpr std::int64_t channels = 7;
constexpr std::int64_t bases = 6;

class WatchedCalls : public testing::TestWithParam<Method> {
 protected:
  WatchedCalls() {
    for (std::size_t i = 0; i < m_x.size(); ++i) {
      m_x[i] = std::sin(static_cast<float>(i % 1013) * 0.37F);
    }
    for (std::int64_t t = 3; t < samples; t += 61) m_spikes.samples.push_back(t);
  }

  [[nodiscard]] StridedSeries series() const {
    return StridedSeries(Strided(m_x.data(), {samples, channels}),
                         {.epochs = {{0, 9'000}, {9'500, samples}}});
  }
  [[nodiscard]] std::vector<float> convolved(const ConvolveOptions& options) const {
    std::vector<float> y(static_cast<std::size_t>(samples * channels * bases), -1);
    const StridedOutput features(y.data(), {samples, channels, bases});
    if (options.method == Method::events) {
      convolve(Events(samples, std::vector<Events::Train>(channels, m_spikes)), m_bank, features,
               options);
    } else {
      convolve(series(), m_bank, features, options);
    }
    return y;
  }

  std::vector<float> m_x = std::vector<float>(samples * channels);
  Events::Train m_spikes;
  const FilterBank<float> m_bank{RaisedCosineLog{.bases = bases}, {.window = 150}};
};

TEST_P(WatchedCalls, HaveTheSameBits) {
  std::vector<CallProgress> seen;
  const std::vector<float> whole = convolved({.method = GetParam()});
  const std::vector<float> parts = convolved(
      {.method = GetParam(),
       .watch = {.progress = [&](const CallProgress& progress) { seen.push_back(progress); }}});
  EXPECT_EQ(std::memcmp(whole.data(), parts.data(), whole.size() * sizeof(float)), 0);
  ASSERT_FALSE(seen.empty());
  EXPECT_EQ(seen.back().rows_done, samples);
  EXPECT_EQ(seen.back().rows, samples);
  for (std::size_t i = 1; i < seen.size(); ++i) {
    EXPECT_GT(seen[i].rows_done, seen[i - 1].rows_done);
    EXPECT_GE(seen[i].seconds, seen[i - 1].seconds);
  }
}

TEST_P(WatchedCalls, EndWhereTheyAreCancelled) {
  std::atomic<bool> cancel = true;
  int parts = 0;
  try {
    (void)convolved(
        {.method = GetParam(),
         .watch = {.progress = [&](const CallProgress&) { ++parts; }, .cancel = &cancel}});
    ADD_FAILURE() << "a call that was cancelled before it began has ended";
  } catch (const Cancelled& error) {
    EXPECT_EQ(error.kind(), ErrorKind::cancelled);
    EXPECT_STREQ(error.what(), "convolve: cancelled after 0 of 40000 rows");
  }
  EXPECT_EQ(parts, 0);
  struct Stop {};
  EXPECT_THROW((void)convolved({.method = GetParam(),
                                .watch = {.progress = [](const CallProgress&) { throw Stop(); }}}),
               Stop);
}

INSTANTIATE_TEST_SUITE_P(Methods, WatchedCalls,
                         testing::Values(Method::direct, Method::fft, Method::events),
                         [](const auto& tested) { return std::string(name_of(tested.param)); });

TEST(FeatureExtents, AreThoseOfTheFeatures) {
  const std::vector<float> x(5 * 40 * 3);
  const StridedSeries series(Strided(x.data(), {5, 40, 3}),
                             {.sample_axis = 1, .epochs = {{0, 15}, {20, 40}}});
  const ConvolveOptions options{.border = Border::valid, .every = 2};
  const std::int64_t rows = feature_rows(series.shape(), 10, options);
  EXPECT_THAT(feature_extents(series, 10, 4, options), ElementsAre(5, rows, 3, 4));
  EXPECT_THAT(feature_extents(series, 10, 4), ElementsAre(5, 40, 3, 4));
  const Events events(40, {{{3}, {}}, {{5}, {}}});
  EXPECT_THAT(feature_extents(events, 10, 4), ElementsAre(40, 2, 4));
}

}  // namespace
}  // namespace watched_calls_tests
