// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/guarded.hpp"
#include "oracle/library.hpp"
#include "oracle/matchers.hpp"
#include "oracle/sets.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// Samples, features and workspace between pages without access, with every instruction set of this
// machine: a read of one pack beyond a line's last sample ends the program.

namespace guard_pages_tests {
namespace {

using namespace oracle;
using namespace synelix;

template <class Types>
class GuardPages : public testing::Test {};
TYPED_TEST_SUITE(GuardPages, AllSpaces);

/// The sets that this build and machine have.
template <class Scalar, class Space>
std::vector<InstructionSet> sets_of(const Space& exec) {
  std::vector<InstructionSet> sets;
  const FilterBank<Scalar, Space> bank(exec, History{}, {.window = 2});
  const SeriesShape shape{.samples = 9, .channels = 1, .epochs = {}};
  for (const InstructionSet set : oracle::host_sets()) {
    try {
      (void)choose(exec, shape, bank, {.machine = {.instruction_set = set}});
      sets.push_back(set);
    } catch (const Error&) {
      continue;
    }
  }
  return sets;
}

/// The features of a series by a plan whose workspace is guarded too.
template <class Scalar, class Space, class T>
std::vector<Scalar> run_guarded(const Space& exec, const FilterBank<Scalar, Space>& bank,
                                const Guarded<T>& samples, std::vector<std::int64_t> extents,
                                const SeriesOptions& series_options, const ConvolveOptions& options,
                                GuardedEnd end, const Scaling& scaling = {}) {
  const Strided array(samples.data(), std::span<const std::int64_t>(extents));
  const StridedSeries series(oracle::scaled_by(array, scaling), series_options);
  const Choice choice = choose(exec, series.shape(), bank, options);
  Guarded<std::byte> workspace(static_cast<std::size_t>(choice.workspace_bytes), std::byte{0x7f},
                               end);
  const ConvolvePlan<Scalar, Space> plan(
      exec, series, bank, options,
      typename ConvolvePlan<Scalar, Space>::Workspace(workspace.data(), workspace.size()));
  extents[static_cast<std::size_t>(series_options.sample_axis)] = plan.rows();
  extents.push_back(bank.bases());
  std::size_t values = 1;
  for (const std::int64_t extent : extents) values *= static_cast<std::size_t>(extent);
  Guarded<Scalar> features(values, Scalar(-7), end);
  plan.run(exec, series, StridedOutput(features.data(), std::span<const std::int64_t>(extents)));
  exec.fence();
  return features.values();
}

/// Taps of filters that are not delayed copies of each other, because copies would be computed
/// once.
std::vector<double> taps_of_filters(std::int64_t window, std::int64_t bases) {
  std::vector<double> taps;
  for (std::int64_t i = 0; i < window * bases; ++i) {
    taps.push_back(0.5 * static_cast<double>(i % bases + 1));
  }
  return taps;
}

constexpr GuardedEnd ends[] = {GuardedEnd::first, GuardedEnd::last};
constexpr Method methods[] = {Method::direct, Method::fft};

TYPED_TEST(GuardPages, OfRandomProblems) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const auto sets = sets_of<Scalar>(exec);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const auto test = random_case<Scalar>(seed);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + test.description());
    const auto bank = bank_of<Scalar>(exec, test.problem);
    visit_type(test.type, [&]<class T>() {
      std::vector<T> values(test.stored.size());
      for (std::int64_t i = 0; i < static_cast<std::int64_t>(values.size()); ++i) {
        const std::int64_t t = i / test.problem.channels;
        const std::int64_t c = i % test.problem.channels;
        values[static_cast<std::size_t>(position(test.extents, test.series.sample_axis, t, c))] =
            static_cast<T>(test.stored[static_cast<std::size_t>(i)]);
      }
      for (const GuardedEnd end : ends) {
        const Guarded<T> samples(values, end);
        for (const InstructionSet set : sets) {
          for (const Method method : methods) {
            ConvolveOptions options = test.options();
            options.method = method;
            options.machine.instruction_set = set;
            const auto found = run_guarded(exec, bank, samples, test.extents, test.series, options,
                                           end, test.scaling);
            ASSERT_EQ(found.size() % static_cast<std::size_t>(test.problem.bases), 0U);
          }
        }
      }
    });
  }
}

/// Lines: rows whose windows are read in place.
TYPED_TEST(GuardPages, OfShortAndLongLines) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  const auto sets = sets_of<Scalar>(exec);
  for (const std::int64_t channels : {1, 3, 16, 37, 150}) {
    for (const std::int64_t bases : {1, 4, 7, 12}) {
      for (const std::int64_t window : {1, 2, 9, 40}) {
        const std::int64_t samples = 300 + channels % 16;
        const std::vector<double> taps = taps_of_filters(window, bases);
        const FilterBank<Scalar, typename TypeParam::space> bank(
            exec, CustomTaps{.window = window, .bases = bases, .taps = taps}, {});
        const std::vector<Scalar> values(static_cast<std::size_t>(samples * channels), Scalar(1));
        for (const GuardedEnd end : ends) {
          const Guarded<Scalar> given(values, end);
          for (const InstructionSet set : sets) {
            for (const Border border : {Border::zero, Border::valid}) {
              const auto found = run_guarded(exec, bank, given, {samples, channels}, {},
                                             {.shift = Shift::off,
                                              .border = border,
                                              .method = Method::direct,
                                              .machine = {.instruction_set = set}},
                                             end);
              ASSERT_EQ(found.back(), Scalar(0.5) * Scalar(bases * window))
                  << channels << " channels, " << bases << " bases, window " << window << ", "
                  << name_of(set);
            }
          }
        }
      }
    }
  }
}

/// Lines with fewer values than a pack: the middle of a long series, in which only a few rows have
/// a complete window, which ends at the last sample. Those rows must be copied first, because a
/// pack of them reads beyond that sample.
TYPED_TEST(GuardPages, OfLinesWithFewRowsOfAWholeWindow) {
  using Scalar = typename TypeParam::scalar;
  const typename TypeParam::space exec;
  constexpr std::int64_t bases = 4;
  constexpr std::int64_t samples =
      600;  // a strip of a quarter of them has values enough for a line
  const auto sets = sets_of<Scalar>(exec);
  for (const std::int64_t channels : {4, 5, 7}) {
    for (std::int64_t whole = 1; whole <= 4; ++whole) {
      const std::int64_t window = samples - whole + 1;
      const std::vector<double> taps = taps_of_filters(window, bases);
      const FilterBank<Scalar, typename TypeParam::space> bank(
          exec, CustomTaps{.window = window, .bases = bases, .taps = taps}, {});
      const Guarded<Scalar> given(
          std::vector<Scalar>(static_cast<std::size_t>(samples * channels), Scalar(1)),
          GuardedEnd::last);
      for (const InstructionSet set : sets) {
        const auto found = run_guarded(exec, bank, given, {samples, channels}, {},
                                       {.causality = Causality::acausal,
                                        .shift = Shift::off,
                                        .method = Method::direct,
                                        .machine = {.instruction_set = set}},
                                       GuardedEnd::last);
        std::int64_t rows = 0;
        for (std::int64_t t = 0; t < samples; ++t) {
          const Scalar last = found[static_cast<std::size_t>((t + 1) * channels * bases - 1)];
          if (std::isnan(last)) continue;
          ++rows;
          ASSERT_EQ(last, Scalar(0.5) * Scalar(bases * window))
              << channels << " channels, row " << t << ", " << name_of(set);
        }
        ASSERT_EQ(rows, whole) << channels << " channels, " << name_of(set);
      }
    }
  }
}

}  // namespace
}  // namespace guard_pages_tests
