// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "series_case.hpp"

#include <synelix/expression.hpp>
#include <synelix/features.hpp>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// A random expression of bases and the inputs that it consumes.

namespace checksums {

/// Where the columns of an expression come from.
enum class Family : std::uint8_t {
  taps,            ///< conv mode, taps without a formula
  splines,         ///< eval mode, splines of each kind, the input itself, nothing
  raised_cosines,  ///< eval mode
  fourier,         ///< eval mode, of one or two inputs; one factor of a product at most
  exponentials     ///< eval mode, orthonormal on the samples
};

struct DesignWish {
  std::vector<Family> families;
  std::int64_t terms = 1;    ///< at most
  std::int64_t factors = 1;  ///< at most
  synelix::Method method = synelix::Method::direct;
  bool sources =
      false;  ///< whether inputs can be a Source: time comes first, one or two dimensions
};

/// One input: a series or events.
struct DesignInput {
  std::optional<AnyArray> array;
  std::optional<synelix::StridedSeries> series;
  std::optional<synelix::Events> events;
};

class DesignCase {
 public:
  DesignCase(DesignWish wish, Draws& draws) : m_wish(std::move(wish)), m_draws(draws) {
    m_samples = draws.between(40, 250);
    m_epochs = draw_epochs(m_samples, draws);
    for (std::int64_t k = draws.between(1, m_wish.terms); k > 0; --k) {
      m_channels = draws.between(1, 4);
      m_has_fourier = false;
      const synelix::Expression part = term();
      m_expression = m_expression ? *m_expression + part : part;
    }
  }

  [[nodiscard]] const synelix::Expression& expression() const { return *m_expression; }
  [[nodiscard]] std::vector<synelix::AnySeries> inputs() const {
    std::vector<synelix::AnySeries> result;
    for (const DesignInput& input : m_inputs) {
      result.push_back(input.events ? synelix::AnySeries(*input.events)
                                    : synelix::AnySeries(*input.series));
    }
    return result;
  }
  [[nodiscard]] const std::deque<DesignInput>& parts() const { return m_inputs; }

 private:
  synelix::Expression term() {
    synelix::Expression product = factor();
    for (std::int64_t k = m_draws.between(1, m_wish.factors); k > 1; --k) {
      // A sum of bases now and then.
      synelix::Expression right = factor();
      if (m_draws.once_in(3)) {
        const synelix::Expression more = factor();
        right = right + more;
      }
      product = product * right;
    }
    return product;
  }

  synelix::Expression factor() {
    for (;;) {
      const auto count = static_cast<std::int64_t>(m_wish.families.size());
      const Family family =
          m_wish.families[static_cast<std::size_t>(m_draws.between(0, count - 1))];
      if (family == Family::fourier && m_has_fourier) continue;
      switch (family) {
        case Family::taps:
          return convolution();
        case Family::fourier:
          return waves();
        default:
          add_input();
          return evaluation(family);
      }
    }
  }

  synelix::Expression evaluation(Family family) {
    const synelix::EvalBasis basis = draw_basis(family);
    synelix::EvalTerm term;
    if (!std::holds_alternative<synelix::Zero>(basis) && m_draws.once_in(2)) {
      term.bounds = {{-0.8, 0.7}};
      if (m_draws.once_in(2)) term.fill = 2.5;
      if (m_draws.once_in(2)) term.outside = synelix::Outside::channel;
    }
    return synelix::eval(basis, term);
  }

  synelix::Expression convolution() {
    add_input();
    synelix::CustomTaps taps;
    taps.window = m_draws.between(1, m_wish.method == synelix::Method::fft ? 60 : 15);
    taps.bases = m_draws.between(1, 4);
    for (std::int64_t i = 0; i < taps.window * taps.bases; ++i) {
      taps.taps.push_back(static_cast<double>(static_cast<float>(m_draws.real())));
    }
    synelix::ConvTerm term;
    term.window = taps.window;
    term.causality = static_cast<synelix::Causality>(m_draws.between(0, 2));
    term.shift = m_draws.once_in(2) ? synelix::Shift::automatic : synelix::Shift::off;
    return synelix::conv(taps, term);
  }

  synelix::EvalBasis draw_basis(Family family) {
    if (family == Family::exponentials) {
      return synelix::OrthExponential{.decay_rates = {1.0, 2.5, 7.0}};
    }
    const std::int64_t bases = m_draws.between(4, 6);
    if (family == Family::raised_cosines) {
      if (m_draws.once_in(2)) return synelix::RaisedCosineLinear{.bases = bases, .width = 1.5};
      synelix::RaisedCosineLog basis{.bases = bases};
      if (m_draws.once_in(2)) basis.decay = synelix::Decay::open;
      return basis;
    }
    const std::int64_t kind = m_draws.between(0, 15);
    if (kind == 0) return synelix::Zero{};
    if (kind < 4) return synelix::Identity{};
    if (kind < 8) return synelix::BSpline{.bases = bases, .order = m_draws.between(1, 4)};
    if (kind < 12) return synelix::CyclicBSpline{.bases = bases, .order = m_draws.between(2, 4)};
    return synelix::MSpline{.bases = bases, .order = m_draws.between(1, 4)};
  }

  synelix::Expression waves() {
    m_has_fourier = true;
    synelix::Fourier basis;
    basis.dimensions = m_draws.between(1, 2);
    basis.frequencies = {synelix::frequencies_below(m_draws.between(2, 4))};
    if (m_draws.once_in(2)) basis.intercept = synelix::Intercept::with;
    for (std::int64_t d = 0; d < basis.dimensions; ++d) add_input();
    synelix::EvalTerm term;
    if (m_draws.once_in(2)) term.bounds = {{-1.0, 2.0}};
    return synelix::eval(basis, term);
  }

  void add_input() {
    DesignInput& input = m_inputs.emplace_back();
    const bool is_exponential = m_wish.families.front() == Family::exponentials;
    // Events of one channel have one dimension, which no array of a product then has.
    if (!is_exponential && m_channels > 1 && m_draws.once_in(4)) {
      input.events = draw_events(m_samples, m_channels, m_epochs, m_draws);
      return;
    }
    synelix::SeriesOptions options;
    options.epochs = m_epochs;
    const bool is_int = m_draws.once_in(3);
    const oracle::Placement placement =
        draw_placement(2, m_wish.sources ? oracle::Signs::positive : oracle::Signs::any, m_draws);
    input.array.emplace(std::vector<std::int64_t>{m_samples, m_channels},
                        is_int ? synelix::StoredType::int16 : synelix::StoredType::float32,
                        placement, m_draws);
    if (!is_exponential && m_draws.once_in(6)) input.array->add_strays(m_draws);
    input.series.emplace(synelix::scaled(input.array->strided(), is_int ? 0x1p-15 : 1.0), options);
  }

  DesignWish m_wish;
  Draws& m_draws;
  std::int64_t m_samples = 0;
  std::int64_t m_channels = 1;
  bool m_has_fourier = false;
  synelix::Epochs m_epochs;
  std::optional<synelix::Expression> m_expression;
  std::deque<DesignInput> m_inputs;
};

inline synelix::FeaturesOptions draw_features_options(const Runner& runner, const DesignWish& wish,
                                                      Draws& draws) {
  synelix::FeaturesOptions options;
  options.machine = runner.machine;
  options.method = wish.method;
  options.border = static_cast<synelix::Border>(draws.between(0, 2));
  options.every = draws.once_in(3) ? draws.between(1, 5) : 1;
  if (draws.once_in(3)) options.budget = synelix::mebibytes(16);
  return options;
}

}  // namespace checksums
