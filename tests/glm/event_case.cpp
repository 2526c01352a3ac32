// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/event_case.hpp"

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace glm_test {

void EventCase::add(const Events& list, const std::vector<double>& taps, const CaseTerm& term) {
  const std::int64_t width = term.channels * term.bases;
  std::vector<double> wider(static_cast<std::size_t>(rows * (columns + width)),
                            std::numeric_limits<double>::quiet_NaN());
  const std::int64_t offset = lag_offset(term.causality, term.shift, term.window);
  std::vector<double> dense(static_cast<std::size_t>(rows * term.channels), 0.0);
  for (std::int64_t c = 0; c < term.channels; ++c) {
    for (std::int64_t e = list.begins()[c]; e < list.begins()[c + 1]; ++e) {
      dense[static_cast<std::size_t>(list.sample_indices()[e] * term.channels + c)] =
          list.counts() == nullptr ? 1.0 : static_cast<double>(list.counts()[e]);
    }
  }
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t j = 0; j < columns; ++j) {
      wider[static_cast<std::size_t>(t * (columns + width) + j)] = feature(t, j);
    }
  }
  for (const Epoch& epoch : epochs) {
    for (std::int64_t t = epoch.begin; t < epoch.end; ++t) {
      if (t + offset - (term.window - 1) < epoch.begin || t + offset >= epoch.end) continue;
      for (std::int64_t c = 0; c < term.channels; ++c) {
        for (std::int64_t b = 0; b < term.bases; ++b) {
          double sum = 0;
          for (std::int64_t w = 0; w < term.window; ++w) {
            sum += taps[static_cast<std::size_t>(w * term.bases + b)] *
                   dense[static_cast<std::size_t>((t + offset - w) * term.channels + c)];
          }
          wider[static_cast<std::size_t>(t * (columns + width) + columns + c * term.bases + b)] =
              sum;
        }
      }
    }
  }
  features = std::move(wider);
  columns += width;
  events.push_back(list);
  const Expression next = conv(CustomTaps{.window = term.window, .bases = term.bases, .taps = taps},
                               {.causality = term.causality, .shift = term.shift});
  expression = expression.has_value() ? *expression + next : next;
}

void EventCase::finish() {
  for (std::int64_t t = 0; t < rows; ++t) {
    bool valid = true;
    for (std::int64_t j = 0; j < columns; ++j) valid = valid && std::isfinite(feature(t, j));
    is_valid.push_back(valid);
  }
}

EventCase make_case(std::uint64_t seed, std::int64_t rows, Epochs epochs,
                    const std::vector<CaseTerm>& terms) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  EventCase made;
  made.rows = rows;
  made.epochs = epochs.empty() ? Epochs{{0, rows}} : epochs;
  for (const CaseTerm& term : terms) {
    std::vector<Events::Train> trains(static_cast<std::size_t>(term.channels));
    for (std::int64_t c = 0; c < term.channels; ++c) {
      Events::Train& train = trains[static_cast<std::size_t>(c)];
      for (std::int64_t t = 0; t < rows; ++t) {
        if (c == term.silent_channel || uniform(random) >= term.rate) continue;
        train.samples.push_back(t);
        if (term.has_counts) train.counts.push_back(std::round(uniform(random) * 6 - 2) / 2);
      }
    }
    std::vector<double> taps(static_cast<std::size_t>(term.window * term.bases));
    for (double& tap : taps) tap = uniform(random) - (term.has_negative_taps ? 0.5 : 0.0);
    made.add(Events(rows, trains, epochs), taps, term);
  }
  made.finish();
  return made;
}

CaseRows::CaseRows(std::uint64_t seed, std::int64_t rows, std::int64_t targets, bool is_plain)
    : m_rows(rows), m_targets(targets), m_is_plain(is_plain) {
  std::mt19937_64 random(seed);
  std::poisson_distribution<int> poisson(0.4);
  std::normal_distribution<double> normal;
  for (std::int64_t i = 0; i < rows * targets; ++i) {
    m_values.push_back(poisson(random));
    m_offsets.push_back(0.1 * normal(random));
  }
  for (std::int64_t i = 0; i < rows; ++i) {
    m_weights.push_back(is_plain ? 1.0 : 0.5 * static_cast<double>(1U << (random() % 3)));
    m_folds.push_back(static_cast<int>(random() % 3));
  }
}

void CaseRows::read_weights(const glm::RowsOf& choice, Range rows, double* weights) const {
  using Fold = glm::RowsOf::Fold;
  for (std::int64_t t = rows.begin; t < rows.end; ++t) {
    const bool is_in = m_folds[static_cast<std::size_t>(t)] == choice.fold;
    const bool counts = choice.folds == Fold::all || (choice.folds == Fold::only) == is_in;
    weights[t - rows.begin] = counts ? m_weights[static_cast<std::size_t>(t)] : 0.0;
  }
}

void CaseRows::read(const std::vector<double>& from, std::int64_t target, Range rows,
                    double* values) const {
  for (std::int64_t t = rows.begin; t < rows.end; ++t) {
    values[t - rows.begin] = from[static_cast<std::size_t>(t * m_targets + target)];
  }
}

double poisson_rows(const tile::RowLossTile& tile) {
  double loss = 0;
  for (std::int64_t i = 0; i < tile.rows; ++i) {
    const double weight = tile.weight[i];
    const double mean = weight > 0 ? std::exp(tile.predictor[i]) : 0.0;
    if (weight > 0) loss += weight * (mean - tile.target[i] * tile.predictor[i]);
    tile.residual[i] = weight > 0 ? weight * (mean - tile.target[i]) : 0.0;
    if (tile.curvature != nullptr) tile.curvature[i] = weight * mean;
  }
  return loss;
}

glm::Sums sums_of(const EventCase& made, const CaseRows& rows, const glm::Request& request) {
  const auto size = static_cast<std::size_t>(made.columns + 1);
  glm::Sums sums;
  sums.gradient.assign(size, 0.0);
  sums.hessian.assign(size * size, 0.0);
  sums.scale.assign(size, 0.0);
  std::vector<double> x(size, 1.0);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    if (!made.is_valid[static_cast<std::size_t>(t)]) continue;
    double eta = request.parameters[made.columns];
    for (std::int64_t j = 0; j < made.columns; ++j) {
      x[static_cast<std::size_t>(j)] = made.feature(t, j);
      eta += made.feature(t, j) * request.parameters[j];
    }
    double offset = 0;
    if (rows.has_offset()) rows.read_offsets(request.rows.target, {t, t + 1}, &offset);
    eta += offset;
    double target = 0;
    double weight = 0;
    rows.read_targets(request.rows.target, {t, t + 1}, &target);
    rows.read_weights(request.rows, {t, t + 1}, &weight);
    if (weight == 0) continue;
    const double mean = std::exp(eta);
    sums.loss += weight * (mean - target * eta);
    sums.weight += weight;
    for (std::size_t j = 0; j < size; ++j) {
      sums.gradient[j] += weight * (mean - target) * x[j];
      sums.scale[j] += weight * std::fabs(mean - target) * std::fabs(x[j]);
      for (std::size_t k = 0; k < size; ++k) {
        sums.hessian[j * size + k] += weight * mean * x[j] * x[k];
      }
    }
  }
  return sums;
}

std::vector<double> gram_of(const EventCase& made, const CaseRows& rows,
                            const glm::RowsOf& choice) {
  const auto size = static_cast<std::size_t>(made.columns + 1);
  std::vector<double> gram(size * size, 0.0);
  std::vector<double> x(size, 1.0);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    if (!made.is_valid[static_cast<std::size_t>(t)]) continue;
    double weight = 0;
    rows.read_weights(choice, {t, t + 1}, &weight);
    for (std::int64_t j = 0; j < made.columns; ++j) {
      x[static_cast<std::size_t>(j)] = made.feature(t, j);
    }
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < size; ++k) gram[j * size + k] += weight * x[j] * x[k];
    }
  }
  return gram;
}

}  // namespace glm_test
