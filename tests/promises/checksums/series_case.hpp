// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kind.hpp"
#include "oracle/scaled_by.hpp"

#include <synelix/convolve.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

/// \file
/// A series, a bank of taps without a formula, and how the one is convolved with the other.

namespace checksums {

/// The limits of a case's size.
struct SeriesWish {
  std::int64_t samples = 300;
  std::int64_t window = 40;
  bool matrix = false;  ///< whether a series is (samples, channels)
  bool counts = false;  ///< whether values are counts of events, without a scaling
};

/// A bank of random taps: some zeros, some filters that are others delayed.
template <class Scalar>
synelix::FilterBank<Scalar, Exec> draw_bank(const Exec& exec, std::int64_t window, Draws& draws) {
  synelix::CustomTaps custom;
  custom.window = window;
  custom.bases = draws.between(1, 11);
  for (std::int64_t i = 0; i < window * custom.bases; ++i) {
    custom.taps.push_back(draws.once_in(5) ? 0.0 : static_cast<double>(Scalar(draws.real())));
  }
  if (draws.once_in(4)) {  // all filters are the first, each one sample later than the one before
    for (std::int64_t w = window; w-- > 0;) {
      for (std::int64_t b = 1; b < custom.bases; ++b) {
        const std::int64_t from = w - b;
        custom.taps[static_cast<std::size_t>(w * custom.bases + b)] =
            from < 0 ? 0.0 : custom.taps[static_cast<std::size_t>(from * custom.bases)];
      }
    }
  }
  return {exec, custom, {}};
}

/// Rows, border and causality, and how the work is cut.
inline synelix::ConvolveOptions draw_options(const Runner& runner, std::int64_t window,
                                             Draws& draws) {
  synelix::ConvolveOptions options;
  options.machine = runner.machine;
  options.causality = static_cast<synelix::Causality>(draws.between(0, 2));
  options.shift = static_cast<synelix::Shift>(draws.between(0, 2));
  if (options.causality == synelix::Causality::acausal && options.shift == synelix::Shift::on) {
    options.shift = synelix::Shift::off;
  }
  options.border = static_cast<synelix::Border>(draws.between(0, 2));
  options.every = draws.once_in(3) ? draws.between(1, 7) : 1;
  if (draws.once_in(3)) options.batch.samples = window + draws.between(0, 60);
  if (draws.once_in(3)) options.batch.channels = draws.between(1, 5);
  if (draws.once_in(3)) options.batch.bases = draws.between(1, 4);
  if (draws.once_in(3)) options.budget = synelix::mebibytes(8);
  return options;
}

/// A series of any rank, layout, stored type and scaling.
class SeriesCase {
 public:
  SeriesCase(const SeriesWish& wish, Draws& draws) {
    const std::int64_t rank = wish.matrix || !draws.once_in(3) ? 2 : draws.between(1, 5);
    m_options.sample_axis = static_cast<int>(wish.matrix ? 0 : draws.between(0, rank - 1));
    for (std::int64_t i = 0; i < rank; ++i) {
      const bool is_time = i == m_options.sample_axis;
      const std::int64_t most = is_time ? wish.samples : rank == 2 ? 20 : 3;
      const std::int64_t least =
          is_time && !draws.once_in(6) ? std::min<std::int64_t>(most, 20) : 1;
      m_extents.push_back(draws.between(least, most));
      (is_time ? m_samples : m_channels) *= m_extents.back();
    }
    m_options.epochs = draw_epochs(m_samples, draws);
    if (!wish.counts) draw_scaling(draws);
    const synelix::StoredType type = wish.counts ? synelix::StoredType::uint8 : draw_type(draws);
    const oracle::Placement placement = draw_placement(m_extents.size(), oracle::Signs::any, draws);
    m_array.emplace_back(m_extents, type, placement, draws);
    if (draws.once_in(5)) m_array.back().add_strays(draws);
  }

  [[nodiscard]] synelix::StridedSeries series() const {
    return synelix::StridedSeries(oracle::scaled_by(m_array.back().strided(), m_scaling),
                                  m_options);
  }
  [[nodiscard]] std::int64_t samples() const { return m_samples; }
  [[nodiscard]] std::int64_t channels() const { return m_channels; }
  [[nodiscard]] const synelix::Epochs& epochs() const { return m_options.epochs; }
  /// Extents of features with a number of rows and bases.
  [[nodiscard]] std::vector<std::int64_t> features(std::int64_t rows, std::int64_t bases) const {
    std::vector<std::int64_t> extents = m_extents;
    extents[static_cast<std::size_t>(m_options.sample_axis)] = rows;
    extents.push_back(bases);
    return extents;
  }

 private:
  void draw_scaling(Draws& draws) {
    if (draws.once_in(2)) return;
    m_scaling.scale = 0.195;
    m_scaling.offset = draws.once_in(2) ? -3.7 : 0.0;
    if (draws.once_in(2)) m_scaling.channel_scale = draw_reals(draws);
    if (draws.once_in(2)) m_scaling.channel_offset = draw_reals(draws);
  }
  [[nodiscard]] std::vector<double> draw_reals(Draws& draws) const {
    std::vector<double> reals;
    for (std::int64_t c = 0; c < m_channels; ++c) reals.push_back(draws.real());
    return reals;
  }

  std::vector<std::int64_t> m_extents;
  std::int64_t m_samples = 1;
  std::int64_t m_channels = 1;
  synelix::SeriesOptions m_options;
  synelix::Scaling m_scaling;
  std::vector<AnyArray> m_array;  // one
};

/// Spike trains, some with counts, some without an event.
inline synelix::Events draw_events(std::int64_t samples, std::int64_t channels,
                                   const synelix::Epochs& epochs, Draws& draws) {
  std::vector<synelix::Events::Train> trains(static_cast<std::size_t>(channels));
  const bool has_counts = draws.once_in(2);
  for (auto& train : trains) {
    const std::int64_t rarity = draws.between(2, 30);
    for (std::int64_t t = 0; t < samples; ++t) {
      if (!draws.once_in(rarity)) continue;
      train.samples.push_back(t);
      if (has_counts) train.counts.push_back(static_cast<float>(draws.between(1, 3)));
    }
  }
  return {samples, trains, epochs};
}

}  // namespace checksums
