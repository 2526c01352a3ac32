// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/design.hpp"

#include <synelix/features.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

/// \file
/// Random expressions over random inputs, generated together with the oracle's results.

namespace oracle {

/// One input: stored as float, as int16 with a scaling, or as events.
struct DesignInput {
  std::vector<std::int64_t> extents;  ///< samples, then the channels' dimensions
  std::int64_t channels = 1;
  std::vector<double> x;  ///< (sample, channel), as the library should read it
  std::vector<float> floats;
  std::vector<std::int16_t> integers;
  std::unique_ptr<synelix::Events> events;
  std::unique_ptr<synelix::Events> near_events;  ///< the same where kernels reach them
  std::unique_ptr<synelix::StridedSeries> series;

  [[nodiscard]] synelix::AnySeries input() const {
    return events ? synelix::AnySeries(*events) : synelix::AnySeries(*series);
  }
  /// Samples [range) of all channels.
  [[nodiscard]] synelix::InputBlock block(synelix::Range range) const {
    if (events) return {{}, 0, near_events.get()};
    const std::int64_t first = range.begin * channels;
    if (!floats.empty()) {
      return {synelix::Strided(floats.data() + first, {range.size(), channels}), range.begin,
              nullptr};
    }
    return {synelix::Strided(integers.data() + first, {range.size(), channels}), range.begin,
            nullptr};
  }
};

class RandomDesign {
 public:
  RandomDesign(std::uint64_t seed, synelix::Border border) : m_random(seed) {
    time.samples = pick(30, 60);
    time.border = border;
    if (pick(0, 1) == 0) {
      time.epochs = {{0, time.samples}};
    } else {
      const std::int64_t middle = pick(8, time.samples - 8);
      epochs = {{pick(0, 3), middle}, {middle + pick(0, 4), time.samples - pick(0, 2)}};
      time.epochs = epochs;
    }
    const std::int64_t terms = pick(1, 3);
    for (std::int64_t k = 0; k < terms; ++k) {
      const std::vector<std::vector<std::int64_t>> shapes{{}, {2}, {3}, {2, 2}};
      m_shape = shapes[static_cast<std::size_t>(pick(0, 3))];
      m_may_be_fourier = true;
      auto [part, table] = pick(0, 2) == 0 ? atom() : product(1);
      expression = expression ? *expression + part : part;
      tables.push_back(std::move(table));
    }
  }

  Timeline time;
  synelix::Epochs epochs;
  std::optional<synelix::Expression> expression;
  std::vector<std::unique_ptr<DesignInput>> inputs;
  std::vector<Table> tables;                                   ///< one for each term
  std::vector<std::pair<std::int64_t, std::int64_t>> windows;  ///< oldest and newest lag of each

  [[nodiscard]] std::vector<synelix::AnySeries> feature_inputs() const {
    std::vector<synelix::AnySeries> result;
    for (const auto& input : inputs) result.push_back(input->input());
    return result;
  }
  /// The inputs that a plan may run with.
  [[nodiscard]] std::vector<synelix::AnySeries> near_inputs() const {
    std::vector<synelix::AnySeries> result;
    for (const auto& input : inputs) {
      result.push_back(input->events ? synelix::AnySeries(*input->near_events) : input->input());
    }
    return result;
  }
  [[nodiscard]] std::vector<synelix::InputShape> shapes() const {
    std::vector<synelix::InputShape> result;
    for (const auto& input : inputs) result.push_back(input->input().shape());
    return result;
  }
  /// The samples that become rows.
  [[nodiscard]] std::vector<std::int64_t> samples(std::int64_t every) const {
    std::vector<std::int64_t> result;
    std::int64_t begin = 0;  // of the epoch or gap
    for (std::int64_t t = 0; t < time.samples; ++t) {
      const synelix::Epoch epoch = time.epoch_of(t);
      const bool in_epoch = epoch.size() > 0;
      if (in_epoch ? t == epoch.begin : t > 0 && time.epoch_of(t - 1).size() > 0) begin = t;
      bool is_row = (t - begin) % every == 0;
      for (const auto& [oldest, newest] : windows) {
        if (time.border != synelix::Border::valid) break;
        is_row = is_row && in_epoch && t + oldest >= epoch.begin && t + newest < epoch.end;
      }
      if (time.border == synelix::Border::valid && !in_epoch) is_row = false;
      if (is_row) result.push_back(t);
    }
    return result;
  }
  /// The matrix of the given samples.
  [[nodiscard]] std::vector<double> matrix(const std::vector<std::int64_t>& samples) const {
    std::vector<double> result;
    for (const std::int64_t t : samples) {
      for (const Table& table : tables) {
        const std::int64_t width = table.channels * table.columns;
        const auto first = table.values.begin() + t * width;
        result.insert(result.end(), first, first + width);
      }
    }
    return result;
  }

 private:
  using Grown = std::pair<synelix::Expression, Table>;

  std::int64_t pick(std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(m_random);
  }
  double normal() { return std::normal_distribution<double>()(m_random); }

  [[nodiscard]] std::int64_t channels() const {
    std::int64_t product = 1;
    for (const std::int64_t extent : m_shape) product *= extent;
    return product;
  }

  Grown product(int depth) {
    Grown grown = factor(depth);
    const std::int64_t more = pick(1, 2);
    for (std::int64_t k = 0; k < more && (k == 0 || grown.second.columns <= 8); ++k) {
      auto [part, table] = depth > 0 && pick(0, 2) == 0 ? product(depth - 1) : factor(depth);
      grown = {grown.first * part, times(time, grown.second, table)};
    }
    return grown;
  }

  Grown factor(int depth) {
    if (depth == 0 || pick(0, 1) == 0) return atom();
    Grown a = pick(0, 2) == 0 ? product(depth - 1) : atom();
    Grown b = atom();
    return {a.first + b.first, beside(time, a.second, b.second)};
  }

  Grown atom() {
    if (pick(0, 1) == 0) return convolution();
    if (m_may_be_fourier && pick(0, 3) == 0) return waves();
    return mapped();
  }

  DesignInput& input(bool counts) {
    auto made = std::make_unique<DesignInput>();
    made->channels = channels();
    made->extents = {time.samples};
    made->extents.insert(made->extents.end(), m_shape.begin(), m_shape.end());
    const std::int64_t size = time.samples * made->channels;
    const std::int64_t kind = m_shape.size() > 1 ? pick(0, 1) : pick(0, 2);
    if (counts && kind == 2) {
      std::vector<synelix::Events::Train> trains(static_cast<std::size_t>(made->channels));
      made->x.assign(static_cast<std::size_t>(size), 0.0);
      for (std::int64_t i = 0; i < size; ++i) {
        if (pick(0, 3) != 0) continue;
        auto& train = trains[static_cast<std::size_t>(i % made->channels)];
        train.samples.push_back(i / made->channels);
        train.counts.push_back(static_cast<float>(pick(1, 3)));
        made->x[static_cast<std::size_t>(i)] = static_cast<double>(train.counts.back());
      }
      made->events = std::make_unique<synelix::Events>(time.samples, trains, epochs);
      made->near_events = std::make_unique<synelix::Events>(
          synelix::copy_events(Kokkos::DefaultExecutionSpace(), *made->events));
    } else if (kind == 1) {
      for (std::int64_t i = 0; i < size; ++i) {
        made->integers.push_back(static_cast<std::int16_t>(pick(-20, 20)));
        made->x.push_back(static_cast<double>(made->integers.back()) * 0.5 - 1.0);
      }
      made->series = std::make_unique<synelix::StridedSeries>(
          synelix::scaled(synelix::Strided(made->integers.data(), made->extents), 0.5, -1.0),
          synelix::SeriesOptions{.sample_axis = 0, .epochs = epochs});
    } else {
      for (std::int64_t i = 0; i < size; ++i) {
        made->floats.push_back(pick(0, 60) == 0 ? NAN : static_cast<float>(normal()));
        made->x.push_back(static_cast<double>(made->floats.back()));
      }
      made->series = std::make_unique<synelix::StridedSeries>(
          synelix::Strided(made->floats.data(), made->extents),
          synelix::SeriesOptions{.sample_axis = 0, .epochs = epochs});
    }
    inputs.push_back(std::move(made));
    return *inputs.back();
  }

  Grown convolution() {
    const DesignInput& x = input(true);
    const std::int64_t window = pick(1, 7);
    const std::int64_t bases = pick(1, 3);
    std::vector<double> taps;
    for (std::int64_t i = 0; i < window * bases; ++i) {
      taps.push_back(static_cast<double>(pick(-8, 8)) / 8);
    }
    const auto causality = static_cast<synelix::Causality>(pick(0, 2));
    const auto shift = pick(0, 1) == 0 ? synelix::Shift::automatic : synelix::Shift::off;
    const std::int64_t lag = synelix::lag_offset(causality, shift, window);
    windows.emplace_back(lag - window + 1, lag);
    return {synelix::conv(synelix::CustomTaps{.window = window, .bases = bases, .taps = taps},
                          {.window = window, .causality = causality, .shift = shift}),
            convolved(time, x.x, x.channels, taps, window, causality, shift)};
  }

  Grown mapped() {
    const DesignInput& x = input(true);
    const std::vector<synelix::EvalBasis> bases{
        synelix::RaisedCosineLinear{.bases = pick(2, 4), .width = 1.5},
        synelix::RaisedCosineLog{.bases = pick(2, 4)},
        synelix::RaisedCosineLog{.bases = 3, .decay = synelix::Decay::open},
        synelix::BSpline{.bases = pick(4, 5), .order = pick(1, 4)},
        synelix::CyclicBSpline{.bases = pick(4, 5), .order = pick(2, 4)},
        synelix::MSpline{.bases = 4, .order = pick(1, 4)},
        synelix::Identity{},
        synelix::Zero{}};
    // A zero leaves a product without columns, so it is rare.
    const synelix::EvalBasis basis =
        bases[static_cast<std::size_t>(pick(0, 9) == 0 ? 7 : pick(0, 6))];
    synelix::EvalTerm term;
    if (pick(0, 1) == 0 && basis.index() != bases.back().index()) {
      term.bounds = {{-1.25, 1.75}};
      if (pick(0, 1) == 0) term.fill = 2.5;
      if (pick(0, 1) == 0) term.outside = synelix::Outside::channel;
    }
    return {synelix::eval(basis, term),
            evaluated(time, x.x, x.channels, basis, term.bounds, term.fill, term.outside)};
  }

  Grown waves() {
    m_may_be_fourier = false;
    synelix::Fourier basis;
    basis.dimensions = pick(1, 2);
    basis.frequencies = {synelix::frequencies_below(pick(2, 3))};
    if (pick(0, 1) == 0) basis.intercept = synelix::Intercept::with;
    std::vector<std::vector<double>> x;
    for (std::int64_t d = 0; d < basis.dimensions; ++d) x.push_back(input(true).x);
    synelix::EvalTerm term;
    if (pick(0, 1) == 0) term.bounds = {{-1.0, 2.0}};
    return {synelix::eval(basis, term),
            fourier(time, x, channels(), synelix::frequency_combinations(basis), term.bounds)};
  }

  std::mt19937_64 m_random;
  std::vector<std::int64_t> m_shape;
  bool m_may_be_fourier = true;
};

}  // namespace oracle
