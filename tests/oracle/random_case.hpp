// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/array.hpp"
#include "oracle/convolution.hpp"
#include "oracle/scaled_by.hpp"
#include "oracle/sets.hpp"

#include <synelix/choice.hpp>
#include <synelix/series.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

/// \file
/// Convolution problems drawn at random, for comparisons with the oracle: any shape, stored type,
/// scaling, epochs, causality, border and step.

namespace oracle {

/// The number of cases that a test draws: the usual number, or fewer if the variable
/// SYNELIX_DRAWN_CASES is set, as on an emulator of devices.
inline std::uint64_t drawn_cases(std::uint64_t usual) {
  const char* const most = std::getenv("SYNELIX_DRAWN_CASES");
  return most == nullptr ? usual : std::min<std::uint64_t>(usual, std::strtoull(most, nullptr, 10));
}

/// Uniform in [least, most].
inline std::int64_t draw(std::mt19937_64& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most - least + 1));
}

/// Whether something of probability 1 / n happens.
inline bool once_in(std::mt19937_64& random, std::int64_t n) { return draw(random, 1, n) == 1; }

/// Sorted, disjoint epochs with gaps, some empty, some of a single sample.
inline Epochs random_epochs(std::mt19937_64& random, std::int64_t samples) {
  Epochs epochs;
  std::int64_t at = once_in(random, 2) ? 0 : draw(random, 0, 5);
  while (at <= samples && epochs.size() < 12) {
    const std::int64_t length =
        once_in(random, 4) ? draw(random, 0, 2) : draw(random, 3, 3 + samples / 2);
    const std::int64_t end = std::min(samples, at + length);
    epochs.push_back({at, end});
    at = end + (once_in(random, 2) ? 0 : draw(random, 1, 9));
    if (once_in(random, 6)) break;
  }
  // A list of empty epochs alone is an error.
  const auto is_empty = [](const Epoch& epoch) { return epoch.begin == epoch.end; };
  if (std::ranges::all_of(epochs, is_empty)) return {{0, samples}};
  return epochs;
}

/// The inputs of a library that computes in Scalar, and those of the oracle.
template <class Scalar>
struct RandomCase {
  Problem problem;  ///< physical values, rounded to Scalar
  synelix::StoredType type = synelix::StoredType::float32;
  synelix::SeriesOptions series;
  synelix::Scaling scaling;
  std::vector<std::int64_t> extents;  ///< of the series
  std::vector<double> stored;         ///< (t, c)
  synelix::InstructionSet set = synelix::InstructionSet::automatic;

  [[nodiscard]] synelix::ConvolveOptions options() const {
    synelix::ConvolveOptions options;
    options.causality = problem.causality;
    options.shift = problem.shift;
    options.border = problem.border;
    options.every = problem.every;
    options.machine.instruction_set = set;
    return options;
  }
  /// Whether its values are counts without a scaling, so that events can represent it.
  [[nodiscard]] bool is_counts() const {
    return type == synelix::StoredType::uint8 && scaling.is_identity();
  }
  [[nodiscard]] std::string description() const {
    const Problem& p = problem;
    return std::to_string(p.samples) + " samples x " + std::to_string(p.channels) +
           " channels, rank " + std::to_string(extents.size()) + " axis " +
           std::to_string(series.sample_axis) + ", " + std::string(name_of(type)) + ", window " +
           std::to_string(p.window) + " x " + std::to_string(p.bases) + " bases, causality " +
           std::to_string(static_cast<int>(p.causality)) + " shift " +
           std::to_string(static_cast<int>(p.shift)) + " border " +
           std::to_string(static_cast<int>(p.border)) + " every " + std::to_string(p.every) + ", " +
           std::to_string(p.epochs.size()) + " epochs, " + name_of(set);
  }
};

/// A stored value: small integers for integer types (mostly 0 for uint8, as spike counts are).
inline double random_stored(std::mt19937_64& random, synelix::StoredType type) {
  switch (type) {
    case synelix::StoredType::uint8:
      return once_in(random, 4) ? double(draw(random, 1, 3)) : 0.0;
    case synelix::StoredType::int8:
      return static_cast<double>(draw(random, -128, 127));
    case synelix::StoredType::int16:
      return static_cast<double>(draw(random, -32768, 32767));
    case synelix::StoredType::uint16:
      return static_cast<double>(draw(random, 0, 65535));
    default:
      return static_cast<float>(std::normal_distribution<double>()(random));
  }
}

inline void draw_scaling(std::mt19937_64& random, std::int64_t channels,
                         synelix::Scaling& scaling) {
  if (once_in(random, 2)) return;
  scaling.scale = 0.25;
  scaling.offset = once_in(random, 2) ? -3.5 : 0.0;
  const auto values = [&] {
    std::vector<double> result;
    for (std::int64_t c = 0; c < channels; ++c) result.push_back(0.1 * double(draw(random, -9, 9)));
    return result;
  };
  if (once_in(random, 2)) scaling.channel_scale = values();
  if (once_in(random, 2)) scaling.channel_offset = values();
}

/// Makes most filters of a problem one, later or earlier by some samples.
template <class Problem>
void make_filters_one(std::mt19937_64& random, Problem& problem) {
  const std::int64_t taps = draw(random, 1, problem.window);
  for (std::int64_t b = 1; b < problem.bases; ++b) {
    if (once_in(random, 5)) continue;
    const std::int64_t first = draw(random, 0, problem.window - taps);
    for (std::int64_t w = 0; w < problem.window; ++w) {
      const bool is_inside = first <= w && w < first + taps;
      const auto from = static_cast<std::size_t>((w - first) * problem.bases);
      problem.taps[static_cast<std::size_t>(w * problem.bases + b)] =
          is_inside ? problem.taps[from] : 0;
    }
  }
  for (std::int64_t w = taps; w < problem.window; ++w) {
    problem.taps[static_cast<std::size_t>(w * problem.bases)] = 0;
  }
}

template <class Scalar>
void draw_values(std::mt19937_64& random, RandomCase<Scalar>& result) {
  Problem& problem = result.problem;
  const bool is_float =
      result.type == synelix::StoredType::float32 || result.type == synelix::StoredType::float64;
  const bool has_strays = is_float && once_in(random, 4);
  const synelix::Scaling& scaling = result.scaling;
  for (std::int64_t i = 0; i < problem.samples * problem.channels; ++i) {
    const auto c = static_cast<std::size_t>(i % problem.channels);
    double value = random_stored(random, result.type);
    if (has_strays && once_in(random, 40)) {
      constexpr double infinity = std::numeric_limits<double>::infinity();
      value = once_in(random, 2) ? std::numeric_limits<double>::quiet_NaN()
                                 : (once_in(random, 2) ? infinity : -infinity);
    }
    result.stored.push_back(value);
    const double scale = scaling.channel_scale.empty() ? scaling.scale : scaling.channel_scale[c];
    const double offset =
        scaling.channel_offset.empty() ? scaling.offset : scaling.channel_offset[c];
    problem.x.push_back(
        static_cast<Scalar>(scaling.is_identity() ? value : value * scale + offset));
  }
  for (std::int64_t i = 0; i < problem.window * problem.bases; ++i) {
    const double tap = once_in(random, 5) ? 0.0 : std::normal_distribution<double>()(random);
    problem.taps.push_back(static_cast<Scalar>(tap));
  }
  if (once_in(random, 4)) make_filters_one(random, problem);
}

/// The case of a seed.
template <class Scalar>
RandomCase<Scalar> random_case(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  RandomCase<Scalar> result;
  result.set = set_of_turn(seed);
  Problem& problem = result.problem;
  const std::int64_t rank = once_in(random, 3) ? draw(random, 1, 7) : 2;
  result.series.sample_axis = static_cast<int>(draw(random, 0, rank - 1));
  for (std::int64_t i = 0; i < rank; ++i) {
    const bool is_time = i == result.series.sample_axis;
    const std::int64_t extent =
        is_time ? (once_in(random, 5) ? draw(random, 1, 5) : draw(random, 20, 400))
                : (rank == 2 ? draw(random, 1, 24) : draw(random, 1, 3));
    result.extents.push_back(extent);
    if (is_time) {
      problem.samples = extent;
    } else {
      problem.channels *= extent;
    }
  }
  problem.window = once_in(random, 6) ? 1 : draw(random, 1, once_in(random, 8) ? 500 : 40);
  problem.bases = draw(random, 1, 11);
  problem.causality = static_cast<Causality>(draw(random, 0, 2));
  problem.shift = static_cast<Shift>(draw(random, 0, 2));
  if (problem.causality == Causality::acausal && problem.shift == Shift::on) {
    problem.shift = Shift::off;
  }
  problem.border = static_cast<Border>(draw(random, 0, 2));
  problem.every = once_in(random, 3) ? draw(random, 1, 7) : 1;
  if (once_in(random, 2)) problem.epochs = random_epochs(random, problem.samples);
  result.series.epochs = problem.epochs;  // those without a sample are none
  if (!problem.epochs.is_everything()) {
    std::vector<Epoch> epochs = problem.epochs.list();
    std::erase_if(epochs, [](const Epoch& epoch) { return epoch.begin == epoch.end; });
    problem.epochs = std::move(epochs);
  }
  result.type = static_cast<synelix::StoredType>(draw(random, 0, 5));
  draw_scaling(random, problem.channels, result.scaling);
  draw_values(random, result);
  return result;
}

}  // namespace oracle
