// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/event_pass.hpp"
#include "tile/select.hpp"

#include <synelix/features.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

/// \file
/// Designs of events beside their features, written out by the definition, and rows with targets,
/// weights, offsets and folds.

namespace glm_test {

using namespace synelix;

/// A basis on a list of events.
struct CaseTerm {
  std::int64_t channels = 2;
  std::int64_t window = 10;
  std::int64_t bases = 3;
  Causality causality = Causality::causal;
  Shift shift = Shift::automatic;
  double rate = 0.05;
  bool has_counts = false;
  bool has_negative_taps = false;
  std::int64_t silent_channel = -1;
};

struct EventCase {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Epoch> epochs = {};
  std::vector<Events> events = {};
  std::optional<Expression> expression = {};
  std::vector<double> features = {};  ///< (rows, columns), NaN where a window leaves its epoch
  std::vector<bool> is_valid = {};

  [[nodiscard]] double feature(std::int64_t row, std::int64_t column) const {
    return features[static_cast<std::size_t>(row * columns + column)];
  }
  [[nodiscard]] std::vector<AnySeries> inputs() const { return {events.begin(), events.end()}; }
  void add(const Events& list, const std::vector<double>& taps, const CaseTerm& term);
  void finish();
};

/// Adds a term with these events and taps (window, bases).
inline void EventCase::add(const Events& list, const std::vector<double>& taps,
                           const CaseTerm& term) {
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

inline void EventCase::finish() {
  for (std::int64_t t = 0; t < rows; ++t) {
    bool valid = true;
    for (std::int64_t j = 0; j < columns; ++j) valid = valid && std::isfinite(feature(t, j));
    is_valid.push_back(valid);
  }
}

inline EventCase make_case(std::uint64_t seed, std::int64_t rows, std::vector<Epoch> epochs,
                           const std::vector<CaseTerm>& terms) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform;
  EventCase made;
  made.rows = rows;
  made.epochs = epochs.empty() ? std::vector<Epoch>{{0, rows}} : epochs;
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

/// Rows of a few targets. Weights are of one half, one and two, or all one.
class CaseRows : public glm::Observed {
 public:
  CaseRows(std::uint64_t seed, std::int64_t rows, std::int64_t targets, bool is_plain)
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

  [[nodiscard]] std::int64_t rows() const override { return m_rows; }
  [[nodiscard]] std::int64_t targets() const override { return m_targets; }
  [[nodiscard]] bool has_offset() const override { return !m_is_plain; }
  void read_targets(std::int64_t target, Range rows, double* values) const override {
    read(m_values, target, rows, values);
  }
  void read_offsets(std::int64_t target, Range rows, double* values) const override {
    read(m_offsets, target, rows, values);
  }
  void read_weights(const glm::RowsOf& choice, Range rows, double* weights) const override {
    using Fold = glm::RowsOf::Fold;
    for (std::int64_t t = rows.begin; t < rows.end; ++t) {
      const bool is_in = m_folds[static_cast<std::size_t>(t)] == choice.fold;
      const bool counts = choice.folds == Fold::all || (choice.folds == Fold::only) == is_in;
      weights[t - rows.begin] = counts ? m_weights[static_cast<std::size_t>(t)] : 0.0;
    }
  }
  double& value(std::int64_t row, std::int64_t target) {
    return m_values[static_cast<std::size_t>(row * m_targets + target)];
  }
  double& weight(std::int64_t row) { return m_weights[static_cast<std::size_t>(row)]; }

 private:
  void read(const std::vector<double>& from, std::int64_t target, Range rows,
            double* values) const {
    for (std::int64_t t = rows.begin; t < rows.end; ++t) {
      values[t - rows.begin] = from[static_cast<std::size_t>(t * m_targets + target)];
    }
  }

  std::int64_t m_rows;
  std::int64_t m_targets;
  bool m_is_plain;
  std::vector<double> m_values;
  std::vector<double> m_offsets;
  std::vector<double> m_weights;
  std::vector<int> m_folds;
};

/// Poisson with the exponential, one row after the other.
inline double poisson_rows(const tile::RowLossTile& tile) {
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

inline glm::RowLoss poisson() {
  glm::RowLoss loss;
  loss.loss = {Family::poisson, InverseLink::exp};
  loss.run = &poisson_rows;
  return loss;
}

/// The sums of a request from the features.
inline glm::Sums sums_of(const EventCase& made, const CaseRows& rows, const glm::Request& request) {
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

/// The Gram matrix from the features.
inline std::vector<double> gram_of(const EventCase& made, const CaseRows& rows,
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

/// Teams as threads of the standard library.
inline void start_threads(const std::string&, std::int64_t items, std::int64_t teams,
                          const sweep::HostItems& work) {
  std::vector<std::thread> threads;
  for (std::int64_t team = 0; team < teams; ++team) {
    threads.emplace_back([&work, items, teams, team] {
      for (std::int64_t i = team; i < items; i += teams) work.run(i, team);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// A pass with so many threads, on a set of this processor.
inline std::shared_ptr<glm::EventPass> pass_of(const EventCase& made, std::int64_t threads,
                                               InstructionSet set = InstructionSet::automatic,
                                               std::int64_t budget = std::int64_t{1} << 40) {
  std::vector<InputShape> shapes;
  std::vector<const Events*> lists;
  for (const Events& events : made.events) {
    shapes.push_back(AnySeries(events).shape());
    lists.push_back(&events);
  }
  const FeaturesChoice choice =
      choose_features<double>(Kokkos::DefaultHostExecutionSpace(), *made.expression, shapes);
  glm::EventMachine machine;
  machine.instruction_set = tile::select_set(set);
  machine.threads = threads;
  machine.budget = budget;
  machine.start = start_threads;
  return std::make_shared<glm::EventPass>(
      glm::make_event_design(choice.terms, choice.components, lists,
                             valid_rows(*made.expression, shapes)),
      std::move(machine));
}

/// The largest distance of two lists, relative to the largest absolute value of a third.
inline double distance(const std::vector<double>& found, const std::vector<double>& expected,
                       const std::vector<double>& reference) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  double away = 0;
  for (const double value : reference) largest = std::max(largest, std::fabs(value));
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::fabs(found[i] - expected[i]);
    if (!(difference <= away)) away = difference;  // NaN too
  }
  return largest > 0 ? away / largest : away;
}
inline double distance(const std::vector<double>& found, const std::vector<double>& expected) {
  return distance(found, expected, expected);
}

}  // namespace glm_test
