// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/score/recurrent_network.hpp"

#include "glm/design/arguments.hpp"
#include "glm/random/distributions.hpp"
#include "glm/rows/families.hpp"
#include "launch/arrays.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace synelix::glm {

RecurrentNetwork::RecurrentNetwork(const RecurrentModel& model)
    : m_link(
          resolved({.family = Family::poisson, .inverse_link = model.inverse_link}).inverse_link) {
  plan::check_array("taps", model.taps);
  if (model.taps.rank != 2 || model.taps.extents[0] < 1 || model.taps.extents[1] < 1) {
    throw Error("taps", plan::extents_text(model.taps) + " is not a filter bank",
                "Use (window, bases)");
  }
  m_window = model.taps.extents[0];
  m_bases = model.taps.extents[1];
  plan::check_array("intercepts", model.intercepts);
  if (model.intercepts.rank != 1 || model.intercepts.extents[0] < 1) {
    throw Error("intercepts", plan::extents_text(model.intercepts) + " is not one for each unit",
                "Use (units)");
  }
  m_units = model.intercepts.extents[0];
  m_taps = host_values("taps", model.taps, {m_window, m_bases});
  m_intercepts = host_values("intercepts", model.intercepts, {m_units});
  m_coupling = host_values("coupling", model.coupling, {m_units * m_bases, m_units});
  m_features.assign(static_cast<std::size_t>(m_window * m_units * m_bases), 0.0);
  m_last_active.assign(static_cast<std::size_t>(m_units), -m_window - 1);
  m_rates.assign(static_cast<std::size_t>(m_units), 0.0);
  m_counts.assign(static_cast<std::size_t>(m_units), 0.0);
  if (model.initial_activity.rank == 0) return;
  const std::vector<double> initial =
      host_values("initial_activity", model.initial_activity, {m_window, m_units});
  for (std::int64_t k = 0; k < m_window; ++k) {
    for (std::int64_t i = 0; i < m_units; ++i) {
      const double count = initial[static_cast<std::size_t>(k * m_units + i)];
      if (!std::isfinite(count)) {
        throw Error("initial_activity",
                    "the value " + number_text(count) + " of row " + std::to_string(k) +
                        " of unit " + std::to_string(i) + " is not finite",
                    "Give finite counts");
      }
      if (count != 0) spread(k - m_window, i, count);
    }
  }
}

double* RecurrentNetwork::features_of(std::int64_t row, std::int64_t unit) {
  return m_features.data() + (row % m_window * m_units + unit) * m_bases;
}

/// Adds the effect of a count to the following rows.
void RecurrentNetwork::spread(std::int64_t row, std::int64_t unit, double count) {
  m_last_active[static_cast<std::size_t>(unit)] = row;
  for (std::int64_t w = std::max<std::int64_t>(0, -1 - row); w < m_window; ++w) {
    double* const features = features_of(row + 1 + w, unit);
    const double* const taps = m_taps.data() + w * m_bases;
    for (std::int64_t b = 0; b < m_bases; ++b) features[b] += taps[b] * count;
  }
}

/// Adds the features of the active units to the predictors in m_rates, and removes the row.
void RecurrentNetwork::add_coupling() {
  for (std::int64_t s = 0; s < m_units; ++s) {
    if (m_row - m_last_active[static_cast<std::size_t>(s)] > m_window) continue;
    double* const features = features_of(m_row, s);
    for (std::int64_t b = 0; b < m_bases; ++b) {
      const double feature = features[b];
      features[b] = 0;
      if (feature == 0) continue;
      const double* const coupling = m_coupling.data() + (s * m_bases + b) * m_units;
      double* const predictors = m_rates.data();
      for (std::int64_t i = 0; i < m_units; ++i) predictors[i] += feature * coupling[i];
    }
  }
}

void RecurrentNetwork::check_rate(std::int64_t unit) const {
  const double rate = m_rates[static_cast<std::size_t>(unit)];
  if (std::isfinite(rate) && rate >= 0) return;
  throw Error("model",
              "the rate of unit " + std::to_string(unit) + " at row " + std::to_string(m_row) +
                  " is " + number_text(rate) + ", which no Poisson distribution has",
              "Use weaker coupling, finite features, or InverseLink::softplus");
}

void RecurrentNetwork::step(const double* drive, std::uint64_t seed) {
  std::copy_n(drive, m_units, m_rates.begin());
  add_coupling();
  for (std::int64_t i = 0; i < m_units; ++i) {
    double& rate = m_rates[static_cast<std::size_t>(i)];
    rate = mean_of(m_link, rate);
    check_rate(i);
    RandomStream stream(seed, m_row, i);
    m_counts[static_cast<std::size_t>(i)] = draw_poisson(stream, rate);
  }
  for (std::int64_t i = 0; i < m_units; ++i) {
    const double count = m_counts[static_cast<std::size_t>(i)];
    if (count > 0) spread(m_row, i, count);
  }
  ++m_row;
}

}  // namespace synelix::glm
