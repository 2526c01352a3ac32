// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/matchers.hpp"

#include <synelix/convolve.hpp>
#include <synelix/stream.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

// The budget that a refusal names is the least that works: no smaller one is taken, whatever the
// batch, and that one gives the results.

namespace least_budgets_tests {
namespace {

using namespace synelix;

using Space = Kokkos::DefaultHostExecutionSpace;

/// The sufficient number of bytes in an error.
template <class Call>
std::int64_t named_least(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    const std::string text = error.what();
    const std::size_t place = text.find("at least ");
    if (text.starts_with("budget: ") && place != std::string::npos) {
      return std::atoll(text.c_str() + place + 9);
    }
    ADD_FAILURE() << text;
    return 0;
  }
  ADD_FAILURE() << "a budget of 1 byte was taken";
  return 0;
}

template <class Call>
bool is_taken(const Call& call) {
  try {
    call();
  } catch (const Error&) {
    return false;
  }
  return true;
}

struct Case {
  std::int64_t samples;
  std::int64_t channels;
  std::int64_t window;
  std::int64_t bases;
};

template <class Scalar>
FilterBank<Scalar, Space> bank_of(const Case& test) {
  std::vector<double> taps(static_cast<std::size_t>(test.window * test.bases));
  for (std::size_t i = 0; i < taps.size(); ++i) taps[i] = static_cast<double>(i % 7) - 3.0;
  return {Space(), CustomTaps{.window = test.window, .bases = test.bases, .taps = taps}, {}};
}

template <class Scalar>
class LeastBudgets : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(LeastBudgets, Scalars);

TYPED_TEST(LeastBudgets, OfAPlanAreTheLeastOfAllBatches) {
  const Space exec;
  for (const Case& test :
       {Case{20'000, 64, 1231, 12}, Case{20'000, 8, 100, 64}, Case{20'000, 1, 300, 257},
        Case{20'000, 64, 60, 16}, Case{500, 3, 40, 5}}) {
    const auto bank = bank_of<TypeParam>(test);
    const SeriesShape shape{.samples = test.samples, .channels = test.channels, .epochs = {}};
    for (const Method method : {Method::fft, Method::direct}) {
      for (const std::int64_t parts : {0, 3}) {
        if (parts > 0 && method != Method::fft) continue;
        const auto choose_with = [&](const Batch& batch, std::int64_t budget) {
          ConvolveOptions options{.method = method, .batch = batch, .budget = budget};
          if (parts > 0) options.fft_parts = parts;
          return choose(exec, shape, bank, options);
        };
        const std::int64_t least = named_least([&] { (void)choose_with({}, 1); });
        EXPECT_EQ(choose_with({}, least).workspace_bytes, least);
        EXPECT_FALSE(is_taken([&] { (void)choose_with({}, least - 1); }));
        for (std::int64_t channels = 1; channels <= std::min<std::int64_t>(test.channels, 17);
             channels += channels < 4 ? 1 : 3) {
          for (std::int64_t bases = 1; bases <= test.bases; bases += bases < 20 ? 1 : 11) {
            const Batch batch{.channels = channels, .bases = bases};
            EXPECT_GE(named_least([&] { (void)choose_with(batch, 1); }), least)
                << name_of(method) << ", a batch of " << channels << " channels and " << bases
                << " bases of " << test.channels << " and " << test.bases;
          }
        }
      }
    }
  }
}

TYPED_TEST(LeastBudgets, OfAPlanGiveTheSameBits) {
  const Space exec;
  const Case test{700, 5, 40, 19};
  const auto bank = bank_of<TypeParam>(test);
  std::vector<TypeParam> x(static_cast<std::size_t>(test.samples * test.channels));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<TypeParam>((i * 37) % 101);
  const StridedSeries series(Strided(x.data(), {test.samples, test.channels}));
  const auto run = [&](ConvolveOptions options) {
    std::vector<TypeParam> y(x.size() * static_cast<std::size_t>(test.bases));
    convolve(exec, series, bank, StridedOutput(y.data(), {test.samples, test.channels, test.bases}),
             options);
    return y;
  };
  for (const Method method : {Method::fft, Method::direct}) {
    ConvolveOptions options{.method = method};
    const auto expected = run(options);
    options.budget = 1;
    options.budget = named_least([&] { (void)choose(exec, series.shape(), bank, options); });
    EXPECT_TRUE(
        oracle::same_bits(run(options), expected, {test.samples, test.channels, test.bases}))
        << name_of(method);
  }
}

TYPED_TEST(LeastBudgets, OfAStreamAreTheLeast) {
  const Space exec;
  for (const Case& test : {Case{17'704, 21, 28, 30}, Case{3000, 1, 100, 3}, Case{900, 40, 5, 2}}) {
    const auto bank = bank_of<TypeParam>(test);
    std::vector<float> x(static_cast<std::size_t>(test.samples * test.channels), 1.0F);
    std::vector<TypeParam> y(x.size() * static_cast<std::size_t>(test.bases));
    std::vector<TypeParam> expected(y.size());
    const std::vector<std::int64_t> extents{test.samples, test.channels, test.bases};
    const StridedSeries series(Strided(x.data(), {test.samples, test.channels}));
    MemorySource source(series);
    MemorySink sink(StridedOutput(y.data(), std::span<const std::int64_t>(extents)));
    for (const Method method : {Method::fft, Method::direct}) {
      const auto plan = [&](std::int64_t budget) {
        return plan_stream(exec, source, bank, sink, {.method = method, .budget = budget});
      };
      const std::int64_t least = named_least([&] { (void)plan(1); });
      EXPECT_LE(plan(least).total_bytes, least);
      for (std::int64_t below = 1; below <= least / 2; below += 1 + below / 4) {
        EXPECT_FALSE(is_taken([&] { (void)plan(least - below); }))
            << least << " bytes are named, and " << least - below << " are taken";
      }
      if (test.samples > 5000) continue;  // a row at a time takes long
      convolve(exec, series, bank,
               StridedOutput(expected.data(), std::span<const std::int64_t>(extents)),
               {.method = method});
      std::fill(y.begin(), y.end(), TypeParam(-7));
      stream_convolve(exec, source, bank, sink, {.method = method, .budget = least});
      EXPECT_TRUE(oracle::same_bits(y, expected, extents)) << name_of(method);
    }
  }
}

}  // namespace
}  // namespace least_budgets_tests
