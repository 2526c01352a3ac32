// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/fft/device_bank.hpp"
#include "convolve/fft/device_fft.hpp"
#include "convolve/fft/device_weak_rows.hpp"
#include "convolve/plan/fft_tables.hpp"
#include "convolve/plan/row_table.hpp"
#include "launch/mock_team.hpp"
#include "launch/walking_team.hpp"
#include "oracle/convolution.hpp"
#include "oracle/matchers.hpp"

#include <synelix/basis.hpp>
#include <synelix/choice.hpp>
#include <synelix/series.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

/// \file
/// Common parts of tests of the FFT method of devices: a problem laid out for its functors.

namespace ground {

using namespace synelix;

/// The work items of a sweep.
struct Cut {
  std::int64_t strips = 2;
  std::int64_t channels = 3;
  std::int64_t bases = 5;
  std::int64_t lanes = 2;
  std::int64_t teams = 2;
  std::int64_t blocks = 4;  ///< of a strip, with parts
};

/// The arguments of a sweep. Sizes are odd, so that no group is full; the epochs are longer than a
/// block, shorter than the window, and in between.
template <class Scalar>
struct FftBench {
  oracle::Problem problem{.samples = 1303,
                          .channels = 5,
                          .window = 37,
                          .bases = 3,
                          .x = {},
                          .taps = {},
                          .epochs = {{2, 1120}, {1121, 1140}, {1143, 1300}}};
  ConvolveOptions options;
  std::int64_t points = 256;
  std::int64_t parts = 1;
  bool is_sample_fastest = false;
  std::vector<float> samples;  ///< (t, c)
  std::vector<std::int16_t> stored;
  std::vector<double> wide_samples;  ///< in their place
  std::vector<Scalar> taps;
  std::vector<std::int64_t> begins{0};
  std::vector<std::int64_t> event_samples;
  std::vector<float> event_counts;
  plan::RowTable rows;
  std::vector<Scalar> features;
  std::vector<std::byte> memory;
  bool walks = false;        ///< teams of threads that take turns, not the mock team
  bool walks_weak = false;   ///< the same for the weak rows alone
  std::int32_t suspect = 0;  ///< whether the transforms found weak rows possible
  Walk walked;               ///< result of the last walk
  MockScratch walked_scratch{0, std::byte{0}};
  std::int64_t barriers = 0;

  FftBench() {
    std::mt19937_64 random(23);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < problem.window * problem.bases; ++i) {
      taps.push_back(static_cast<Scalar>(normal(random)));
      problem.taps.push_back(taps.back());
    }
    for (std::int64_t i = 0; i < problem.samples * problem.channels; ++i) {
      samples.push_back(static_cast<float>(normal(random)));
    }
  }

  void make_rows() {
    rows = new_rows();
    if (wide_samples.empty()) {
      problem.x.assign(samples.begin(), samples.end());
    } else {
      problem.x = wide_samples;
    }
    features.assign(static_cast<std::size_t>(rows.rows * problem.channels * problem.bases),
                    Scalar(-1));
  }
  void make_events() {
    begins = {0};
    for (std::int64_t c = 0; c < problem.channels; ++c) {
      for (std::int64_t t = 0; t < problem.samples; ++t) {
        float& sample = samples[static_cast<std::size_t>(t * problem.channels + c)];
        sample = (t * 7 + c * 3) % 11 == 0 ? static_cast<float>(1 + t % 3) : 0.0F;
        if (sample == 0.0F) continue;
        event_samples.push_back(t);
        event_counts.push_back(sample);
      }
      begins.push_back(static_cast<std::int64_t>(event_samples.size()));
    }
  }
  /// The same with fewer samples and channels, before anything is made of them: with parts there
  /// are many blocks.
  void shorten() {
    problem.samples = 503;
    problem.channels = 3;
    problem.epochs = {{2, 310}, {311, 330}, {333, 500}};
    samples.resize(static_cast<std::size_t>(problem.samples * problem.channels));
  }
  /// Samples [begin, end) of a channel such that the transform overflows; rows of weak taps do not.
  void overflow(std::int64_t begin, std::int64_t end, std::int64_t c) {
    constexpr bool is_double = std::is_same_v<Scalar, double>;
    if (is_double && wide_samples.empty()) wide_samples.assign(samples.begin(), samples.end());
    for (std::int64_t t = begin; t < end; ++t) {
      put(t, c, (t % 2 == 0 ? 1.0 : -1.0) * (is_double ? 1.6e308 : 3e38));
    }
  }
  void weaken_taps() {
    for (Scalar& tap : taps) tap *= Scalar(1e-3);
    problem.taps.assign(taps.begin(), taps.end());
  }
  void put(std::int64_t t, std::int64_t c, double value) {
    if (wide_samples.empty()) {
      sample(t, c) = static_cast<float>(value);
    } else {
      wide_samples[static_cast<std::size_t>(t * problem.channels + c)] = value;
    }
  }
  float& sample(std::int64_t t, std::int64_t c) {
    return samples[static_cast<std::size_t>(t * problem.channels + c)];
  }

  [[nodiscard]] std::vector<std::int64_t> extents() const {
    return {rows.rows, problem.channels, problem.bases};
  }
  [[nodiscard]] double tolerance() const {
    return oracle::rounding_of_blocks<Scalar>(problem, 2 * points);
  }
  [[nodiscard]] spectral::StageSizes sizes(std::int64_t lanes) const {
    spectral::StageSizes result;
    result.scalar_bytes = sizeof(Scalar);
    result.points = points;
    result.lanes = lanes;
    result.parts = parts;
    result.part_taps =
        parts > 1 ? index::round_up(index::ceil_divide(problem.window, parts), problem.every)
                  : problem.window;
    result.block_rows = parts > 1 ? result.part_taps / problem.every
                                  : spectral::whole_rows(points, problem.window, problem.every);
    return result;
  }
  [[nodiscard]] pack::ArraySource array() const {
    pack::ArraySource source;
    source.data = samples.data();
    if (!wide_samples.empty()) {
      source.data = wide_samples.data();
      source.type = StoredType::float64;
    }
    source.sample_stride = problem.channels;
    source.channels.append(problem.channels, 1);
    return source;
  }

  /// The features (r, c, b) after a run on the mock team.
  template <class Source>
  std::vector<Scalar> run(const Source& source, const Cut& cut, std::uint64_t seed,
                          std::int64_t ignored = -1) {
    const spectral::StageSizes of_team = sizes(cut.lanes);
    const auto scratch = static_cast<std::size_t>(spectral::stage_scratch_bytes(of_team));
    plan::DeviceFftTables<Scalar, Kokkos::HostSpace> bound(Kokkos::DefaultHostExecutionSpace(),
                                                           of_team, problem.bases);
    Taps of_bank;
    of_bank.window = problem.window;
    of_bank.bases = problem.bases;
    of_bank.values.assign(taps.begin(), taps.end());
    bound.set_taps(of_bank);
    ground::run_on_mock(sweep::DeviceSpectraOfBank<Scalar>{bound.bank_alone(),
                                                           taps.data(),
                                                           problem.window,
                                                           problem.bases,
                                                           {nullptr, 0, cut.teams}},
                        static_cast<int>(cut.teams), seed, -1, scratch);
    const auto sweep_with = [&]<bool has_parts>() {
      sweep::DeviceFftSweep<Scalar, Source, has_parts> functor{};
      fill(functor, source, cut, of_team.block_rows * (has_parts ? cut.blocks : 1));
      functor.bank = bound.bank();
      functor.suspect = &suspect;
      suspect = 0;
      functor.workspace.bytes = index::round_up(spectral::stage_ring_bytes(of_team), 64);
      memory.assign(static_cast<std::size_t>(functor.workspace.bytes * cut.teams) + 64,
                    std::byte{0x7f});
      const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
      functor.workspace.data = memory.data() + (64 - address % 64) % 64;
      std::fill(features.begin(), features.end(), Scalar(-1));
      if (walks) {
        // Like on a device: without a barrier, the rest of the last run may be read.
        if (ignored < 0) walked_scratch = MockScratch(scratch, std::byte{0x7f});
        walked = ground::walk(functor, static_cast<int>(cut.teams), seed, walked_scratch,
                              {.number = ignored, .place = {}});
        barriers = walked.barriers;
      } else {
        barriers = ground::run_on_mock(functor, static_cast<int>(cut.teams), seed,
                                       walks_weak ? -1 : ignored, scratch);
      }
      sweep::DeviceWeakRows<Scalar, Source> weak{};
      fill(weak, source, cut, of_team.block_rows * (has_parts ? cut.blocks : 1));
      weak.sizes = of_team;
      weak.suspect = &suspect;
      const auto weak_scratch = static_cast<std::size_t>(decltype(weak)::scratch_bytes());
      if (walks_weak) {
        const MockScratch fresh(weak_scratch, std::byte{0x7f});
        walked = ground::walk(weak, static_cast<int>(cut.teams), seed, fresh,
                              {.number = ignored, .place = {}});
        barriers = walked.barriers;
      } else {
        ground::run_on_mock(weak, static_cast<int>(cut.teams), seed, -1, weak_scratch);
      }
    };
    if (parts > 1) {
      sweep_with.template operator()<true>();
    } else {
      sweep_with.template operator()<false>();
    }
    return in_order();
  }

 private:
  /// With strips that are not numbered yet.
  [[nodiscard]] plan::RowTable new_rows() {
    SeriesShape shape;
    shape.samples = problem.samples;
    shape.channels = problem.channels;
    shape.epochs = problem.epochs;
    options.every = problem.every;
    return plan::make_rows(shape, problem.window, options);
  }
  template <class Functor, class Source>
  void fill(Functor& functor, const Source& source, const Cut& cut, std::int64_t strip_rows) {
    rows = new_rows();
    functor.source = source;
    functor.grid.strips = {0, plan::number_strips(rows, strip_rows)};
    functor.grid.channels = {0, problem.channels};
    functor.grid.bases = {0, problem.bases};
    functor.grid.strip_step = cut.strips;
    functor.grid.channel_step = cut.channels;
    functor.grid.basis_step = cut.bases;
    functor.problem.segments = rows.segments.data();
    functor.problem.segment_count = static_cast<std::int64_t>(rows.segments.size());
    functor.problem.taps = taps.data();
    functor.problem.window = problem.window;
    functor.problem.bases = problem.bases;
    functor.problem.lag = rows.lag;
    functor.problem.layout = rows.layout;
    functor.problem.strip_rows = strip_rows;
    functor.features.data = features.data();
    functor.features.rows = {0, rows.rows};
    if (is_sample_fastest) {  // (b, c, r)
      functor.features.row_stride = 1;
      functor.features.channels.append(problem.channels, rows.rows);
      functor.features.basis_stride = problem.channels * rows.rows;
    } else {
      functor.features.row_stride = problem.channels * problem.bases;
      functor.features.channels.append(problem.channels, problem.bases);
      functor.features.basis_stride = 1;
    }
    functor.workspace.teams = cut.teams;
  }
  [[nodiscard]] std::vector<Scalar> in_order() const {
    if (!is_sample_fastest) return features;
    std::vector<Scalar> turned(features.size());
    const auto outputs = static_cast<std::size_t>(problem.channels * problem.bases);
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::size_t row = i / outputs;
      const std::size_t c = i % outputs / static_cast<std::size_t>(problem.bases);
      const std::size_t b = i % static_cast<std::size_t>(problem.bases);
      turned[i] = features[(b * static_cast<std::size_t>(problem.channels) + c) *
                               static_cast<std::size_t>(rows.rows) +
                           row];
    }
    return turned;
  }
};

}  // namespace ground
