// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/plan/row_table.hpp"
#include "convolve/sweep/filters.hpp"
#include "convolve/sweep/problem.hpp"
#include "launch/mock_team.hpp"
#include "launch/walking_team.hpp"
#include "oracle/convolution.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_case.hpp"
#include "tile/flat.hpp"
#include "tune/tiles.hpp"

#include <synelix/choice.hpp>
#include <synelix/series.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

/// \file
/// Common parts of tests of sweeps on the mock team: a problem laid out for a functor, and the
/// expectations for its bits.

namespace ground {

using namespace synelix;

/// The arguments of a sweep's functor on the host. Sizes are odd, so that no group is full.
template <class Scalar>
struct Bench {
  static constexpr std::int64_t zeros = tile::flat_zeros<Scalar>;

  oracle::Problem problem{.samples = 307,
                          .channels = 7,
                          .window = 11,
                          .bases = 5,
                          .x = {},
                          .taps = {},
                          .epochs = {{2, 120}, {121, 121}, {130, 300}}};
  std::vector<float> counts;  ///< (t, c)
  std::vector<Scalar> taps;
  std::vector<Scalar> padded;   ///< the same, between zeros
  std::vector<Scalar> filters;  ///< the same, filter by filter
  std::vector<Range> supports;
  std::vector<std::int64_t> begins{0};
  std::vector<std::int64_t> event_samples;
  std::vector<float> event_counts;
  plan::RowTable rows;
  std::vector<Scalar> features;
  std::vector<std::byte> memory;

  /// A series `longer` times as long, whose rows are cut into strips of this many.
  explicit Bench(std::int64_t strip_rows, std::int64_t window = 11, std::int64_t longer = 1,
                 const ConvolveOptions& options = {}, std::int64_t channels = 7,
                 std::int64_t bases = 5)
      : m_strip_rows(strip_rows) {
    problem.window = window;
    problem.channels = channels;
    problem.bases = bases;
    problem.samples *= longer;
    std::vector<Epoch> epochs = problem.epochs.list();
    for (Epoch& epoch : epochs) epoch = {epoch.begin * longer, epoch.end * longer};
    if (!epochs.empty()) problem.epochs = std::move(epochs);
    std::mt19937_64 random(11);
    counts.resize(static_cast<std::size_t>(problem.samples * problem.channels));
    for (float& count : counts) {
      count = random() % 5 == 0 ? static_cast<float>(1 + random() % 3) : 0.0F;
    }
    problem.x.assign(counts.begin(), counts.end());
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t t = 0; t < problem.samples; ++t) {
        const float count = counts[static_cast<std::size_t>(t * problem.channels + c)];
        if (count == 0.0F) continue;
        event_samples.push_back(t);
        event_counts.push_back(count);
      }
      begins.push_back(static_cast<std::int64_t>(event_samples.size()));
    }
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < problem.window * problem.bases; ++i) {
      const bool outside = i % problem.bases == 1 && (i < 15 || i > 40);  // of a short support
      taps.push_back(outside ? Scalar(0) : static_cast<Scalar>(normal(random)));
      problem.taps.push_back(taps.back());
    }
    filters.resize(taps.size());
    supports.resize(static_cast<std::size_t>(problem.bases));
    padded.resize(taps.size() + static_cast<std::size_t>(2 * zeros));
    ground::run_on_mock(sweep::FilterSweep<Scalar>{taps.data(), problem.window, problem.bases,
                                                   padded.data() + zeros, zeros, filters.data(),
                                                   supports.data(), 2},
                        2, 1);
    SeriesShape shape;
    shape.samples = problem.samples;
    shape.channels = problem.channels;
    shape.epochs = problem.epochs;
    rows = plan::make_rows(shape, problem.window, options);
    features.resize(static_cast<std::size_t>(rows.rows * problem.channels * problem.bases));
    m_around.resize(features.size() + 3 * line);
  }

  [[nodiscard]] std::vector<std::int64_t> extents() const {
    return {rows.rows, problem.channels, problem.bases};
  }
  [[nodiscard]] pack::ArraySource array() const {
    pack::ArraySource source;
    source.data = counts.data();
    source.sample_stride = problem.channels;
    source.channels.append(problem.channels, 1);
    return source;
  }
  [[nodiscard]] pack::EventSource events() const {
    return {begins.data(), event_samples.data(), event_counts.data()};
  }

  /// Everything of a functor but its source.
  template <class Functor>
  Functor functor(const tune::Mapping& mapping, std::int64_t teams, std::int64_t strips,
                  std::int64_t channels, std::int64_t bases) {
    Functor result{};
    index::WorkGrid& grid = result.grid;
    grid.strips = {0, plan::number_strips(rows, m_strip_rows)};
    grid.channels = {0, problem.channels};
    grid.bases = {0, problem.bases};
    grid.strip_step = strips;
    grid.channel_step = channels;
    grid.basis_step = bases;
    // member by member: nvcc 13.0 writes a braced list out wrongly
    result.problem.segments = rows.segments.data();
    result.problem.segment_count = static_cast<std::int64_t>(rows.segments.size());
    result.problem.taps = padded.data() + zeros;
    result.problem.filters = filters.data();
    result.problem.supports = supports.data();
    result.problem.window = problem.window;
    result.problem.bases = problem.bases;
    result.problem.lag = rows.lag;
    result.problem.layout = rows.layout;
    result.problem.strip_rows = m_strip_rows;
    result.features.data = first_feature();
    result.features.rows = {0, rows.rows};
    result.features.row_stride = problem.channels * problem.bases;
    result.features.basis_stride = 1;
    result.features.channels.append(problem.channels, problem.bases);
    if constexpr (requires { result.mapping; }) result.mapping = mapping;
    constexpr std::int64_t team_bytes = 1 << 20;
    memory.assign(static_cast<std::size_t>(teams * team_bytes) + 64, std::byte{0x7f});
    const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
    result.workspace = {memory.data() + (64 - address % 64) % 64, team_bytes, teams};
    return result;
  }

  /// The features after a run on the mock team. The workspace starts as garbage, or as zeros if a
  /// barrier is removed: strips that are read too early then have no rows.
  template <class Functor>
  std::vector<Scalar> run(const Functor& functor, std::uint64_t seed, std::int64_t ignored = -1) {
    const bool has_all = ignored < 0 && left_out == Place();
    std::fill(memory.begin(), memory.end(), has_all ? std::byte{0x7f} : std::byte{0});
    std::fill(m_around.begin(), m_around.end(), Scalar(-1));
    if (walks) {
      if (has_all) m_walked_scratch = MockScratch(scratch_bytes, std::byte{0x7f});
      const auto teams = static_cast<int>(functor.workspace.teams);
      walked = ground::walk(functor, teams, seed, m_walked_scratch,
                            {.number = ignored, .place = left_out});
      barriers = walked.barriers;
      return take();
    }
    barriers = ground::run_on_mock(functor, static_cast<int>(functor.workspace.teams), seed,
                                   ignored, scratch_bytes);
    return take();
  }

  std::size_t shift = 0;  ///< values from the begin of a cache line to the first feature
  bool is_kept = true;    ///< the values before and after the features, in all runs
  std::int64_t barriers = 0;
  std::size_t scratch_bytes = 0;  ///< that a team asks for
  bool walks = false;             ///< on teams of threads that take turns, not on the mock team
  Walk walked;                    ///< result of the last walk
  Place left_out;                 ///< whose barriers walks leave out

 private:
  static constexpr std::size_t line = 64 / sizeof(Scalar);

  Scalar* first_feature() {
    const auto address = reinterpret_cast<std::uintptr_t>(m_around.data());
    return m_around.data() + (64 - address % 64) % 64 / sizeof(Scalar) + shift;
  }

  /// The features, and whether nothing else was written.
  std::vector<Scalar> take() {
    Scalar* const first = first_feature();
    features.assign(first, first + features.size());
    std::fill(first, first + features.size(), Scalar(-1));
    is_kept = is_kept && std::all_of(m_around.begin(), m_around.end(),
                                     [](Scalar value) { return value == Scalar(-1); });
    return features;
  }

  std::vector<Scalar> m_around;
  MockScratch m_walked_scratch{0, std::byte{0}};
  std::int64_t m_strip_rows;
};

inline constexpr std::uint64_t permutations = 50;

template <class Scalar, class Functor>
std::vector<Scalar> expect_one_answer(Bench<Scalar>& bench, const Functor& functor) {
  const std::vector<Scalar> first = bench.run(functor, 1);
  EXPECT_TRUE(oracle::agree(first, oracle::convolve(bench.problem).values, bench.extents(),
                            oracle::rounding<Scalar>(bench.problem)));
  for (std::uint64_t seed = 2; seed <= permutations; ++seed) {
    const std::vector<Scalar> again = bench.run(functor, seed);
    const testing::AssertionResult result = oracle::same_bits(again, first, bench.extents());
    EXPECT_TRUE(result) << "order " << seed;
    if (!result) break;
  }
  return first;
}

/// The number of orders that show that barrier number `ignored` is missing.
template <class Scalar, class Functor>
int orders_that_differ(Bench<Scalar>& bench, const Functor& functor, std::int64_t ignored) {
  const std::vector<Scalar> right = bench.run(functor, 1);
  int differ = 0;
  for (std::uint64_t seed = 1; seed <= 19; ++seed) {
    differ += oracle::same_bits(bench.run(functor, seed, ignored), right, bench.extents()) ? 0 : 1;
  }
  return differ;
}

}  // namespace ground
