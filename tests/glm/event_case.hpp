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
/// Designs of events and their features, computed by the definition, and rows with targets,
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
  Epochs epochs = {};
  std::vector<Events> events = {};
  std::optional<Expression> expression = {};
  std::vector<double> features = {};  ///< (rows, columns), NaN if a window leaves its epoch
  std::vector<bool> is_valid = {};

  [[nodiscard]] double feature(std::int64_t row, std::int64_t column) const {
    return features[static_cast<std::size_t>(row * columns + column)];
  }
  [[nodiscard]] std::vector<AnySeries> inputs() const { return {events.begin(), events.end()}; }
  /// Adds a term with these events and taps (window, bases).
  void add(const Events& list, const std::vector<double>& taps, const CaseTerm& term);
  void finish();
};

EventCase make_case(std::uint64_t seed, std::int64_t rows, Epochs epochs,
                    const std::vector<CaseTerm>& terms);

/// Rows of a few targets. Weights are of one half, one and two, or all one.
class CaseRows : public glm::Observed {
 public:
  CaseRows(std::uint64_t seed, std::int64_t rows, std::int64_t targets, bool is_plain);

  [[nodiscard]] std::int64_t rows() const override { return m_rows; }
  [[nodiscard]] std::int64_t targets() const override { return m_targets; }
  [[nodiscard]] bool has_offset() const override { return !m_is_plain; }
  void read_targets(std::int64_t target, Range rows, double* values) const override {
    read(m_values, target, rows, values);
  }
  void read_offsets(std::int64_t target, Range rows, double* values) const override {
    read(m_offsets, target, rows, values);
  }
  void read_weights(const glm::RowsOf& choice, Range rows, double* weights) const override;
  double& value(std::int64_t row, std::int64_t target) {
    return m_values[static_cast<std::size_t>(row * m_targets + target)];
  }
  double& weight(std::int64_t row) { return m_weights[static_cast<std::size_t>(row)]; }

 private:
  void read(const std::vector<double>& from, std::int64_t target, Range rows, double* values) const;

  std::int64_t m_rows;
  std::int64_t m_targets;
  bool m_is_plain;
  std::vector<double> m_values;
  std::vector<double> m_offsets;
  std::vector<double> m_weights;
  std::vector<int> m_folds;
};

/// Poisson with the exponential, one row after the other.
double poisson_rows(const tile::RowLossTile& tile);

inline glm::RowLoss poisson() {
  glm::RowLoss loss;
  loss.loss = {Family::poisson, InverseLink::exp};
  loss.of_rows = &poisson_rows;
  return loss;
}

/// The sums of a request from the features.
glm::Sums sums_of(const EventCase& made, const CaseRows& rows, const glm::Request& request);

/// The Gram matrix from the features.
std::vector<double> gram_of(const EventCase& made, const CaseRows& rows, const glm::RowsOf& choice);

/// Teams as threads of the standard library.
inline void start_threads(const std::string&, std::int64_t items, std::int64_t teams,
                          const sweep::HostItems& work) {
  std::vector<std::thread> threads;
  for (std::int64_t team = 0; team < teams; ++team) {
    threads.emplace_back([&work, items, teams, team] {
      for (std::int64_t i = team; i < items; i += teams) work.compute(i, team);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

/// A pass with a number of threads, on a set of this processor.
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
