// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/device_pass.hpp"
#include "glm/pass/row_panels.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "launch/mock_team.hpp"
#include "launch/walking_team.hpp"

#include <synelix/design_matrix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

/// \file
/// The pass of a device on a host: its sweeps run on teams without threads, or on threads that take
/// turns.

namespace device_bench {

using namespace synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

inline std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

/// How sweeps run, and the counts of a run.
struct Runs {
  int teams = 3;
  bool walks = false;
  std::uint64_t seed = 1;
  std::string ignoring = {};  ///< the label of the sweep one of whose barriers is left out
  std::int64_t ignored = -1;  ///< its number
  std::int64_t barriers = 0;  ///< that this sweep met
  std::int64_t launches = 0;
};

/// Starts sweeps on a mock team.
struct MockLaunch {
  Runs* runs;

  template <class Sweep>
  void operator()(const Space&, const std::string& label, Sweep sweep, std::int64_t items) const {
    EXPECT_EQ(label.rfind("synelix::design_matrix::", 0), 0U) << label;
    const sweep::TeamShape shape = sweep.team_shape(items, items);
    const auto scratch = static_cast<std::size_t>(shape.scratch_bytes);
    sweep.workspace.teams = runs->teams;
    const std::uint64_t seed = runs->seed + static_cast<std::uint64_t>(runs->launches++);
    if (runs->walks) {
      const ground::Walk walk =
          ground::walk(sweep, runs->teams, seed, ground::MockScratch(scratch, std::byte{0x7f}));
      EXPECT_TRUE(walk.is_together) << label;
      return;
    }
    const bool is_watched = label == runs->ignoring;
    const std::int64_t met =
        ground::run_on_mock(sweep, runs->teams, seed, is_watched ? runs->ignored : -1, scratch);
    if (is_watched) runs->barriers = met;
  }
};

using Pass = glm::DevicePass<Space, MockLaunch>;

/// A design with invalid rows, and its observations.
template <class Feature>
struct Problem {
  std::int64_t n;
  std::int64_t p;
  std::int64_t targets;
  std::vector<Feature> x = {};
  std::vector<double> y = {};
  std::vector<double> offset = {};
  std::vector<double> weights = {};
  std::vector<std::uint8_t> folds = {};

  Problem(std::int64_t rows, std::int64_t columns, std::int64_t count)
      : n(rows), p(columns), targets(count) {
    std::mt19937_64 random(5);
    std::normal_distribution<double> normal;
    for (std::int64_t i = 0; i < n * p; ++i) {
      x.push_back(static_cast<Feature>(0.2 * normal(random)));
    }
    for (const std::int64_t t : {std::int64_t{3}, n / 2, n - 1}) {
      x[at(t * p + t % p)] = t == 3 ? std::numeric_limits<Feature>::infinity()
                                    : std::numeric_limits<Feature>::quiet_NaN();
    }
    for (std::int64_t i = 0; i < n * targets; ++i) y.push_back(static_cast<double>(random() % 2));
    y[at(7 * targets)] = std::numeric_limits<double>::quiet_NaN();  // of target 0
    for (std::int64_t i = 0; i < n; ++i) {
      offset.push_back(0.1 * normal(random));
      weights.push_back(static_cast<double>(random() % 4) / 2);
      folds.push_back(static_cast<std::uint8_t>(i * 3 / n));
    }
  }

  [[nodiscard]] Strided matrix() const { return {x.data(), {n, p}}; }
  [[nodiscard]] Observations observations(Observations::Rows rows) const {
    return {.targets = Strided(y.data(), {n, targets}),
            .offset = Strided(offset.data(), {n}),
            .row_weights = Strided(weights.data(), {n}),
            .rows = rows};
  }
  [[nodiscard]] glm::ObservedArrays observed(Observations::Rows rows) const {
    return {observations(rows), n, folds};
  }
};

/// The pass of a device over a stored matrix.
inline std::shared_ptr<Pass> pass_over(const Operand& matrix, Runs& runs,
                                       std::int64_t budget = mebibytes(64)) {
  const Space exec;
  return std::make_shared<Pass>(exec, MockLaunch{&runs}, glm::stored_panels(exec, matrix, {}),
                                DesignMatrixOptions{}, budget);
}

/// A number of right-hand sides: of all targets and folds, some with Hessians and scales.
struct Sides {
  std::vector<std::vector<double>> parameters = {};
  std::vector<glm::Request> requests = {};

  Sides(std::int64_t count, std::int64_t p, std::int64_t targets, const Loss& loss) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    const std::int64_t classes = loss.family == Family::categorical ? loss.classes : 1;
    parameters.resize(at(count));
    for (std::int64_t s = 0; s < count; ++s) {
      for (std::int64_t j = 0; j < p * classes; ++j) {
        parameters[at(s)].push_back(0.2 * normal(random));
      }
      // Above 0, as some links need it.
      for (std::int64_t c = 0; c < classes; ++c) {
        parameters[at(s)].push_back(2.0 + std::sqrt(static_cast<double>(p)) / 4 +
                                    0.1 * normal(random));
      }
      glm::Request request;
      request.parameters = parameters[at(s)].data();
      request.rows.target = s % targets;
      request.rows.folds = static_cast<glm::RowsOf::Fold>(s % 3);
      request.rows.fold = static_cast<int>(s / 3 % 3);
      request.dispersion = 0.3 + 0.1 * static_cast<double>(s);
      request.wants_hessian = s % 4 < 2;
      request.wants_scale = s % 5 == 0;
      requests.push_back(request);
    }
  }
};

/// The worst place where values differ by more than so much of the largest.
inline testing::AssertionResult are_near(const std::vector<double>& found,
                                         const std::vector<double>& wanted, double largest,
                                         double tolerance) {
  if (found.size() != wanted.size()) {
    return testing::AssertionFailure() << found.size() << " values, not " << wanted.size();
  }
  std::size_t worst = 0;
  double most = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double error = std::abs(found[i] - wanted[i]);
    if (error <= most) continue;  // NaN counts as the most
    worst = i;
    most = error;
  }
  if (most <= tolerance * largest) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "value " << worst << ": " << found[worst] << ", not " << wanted[worst] << " (tolerance "
         << tolerance * largest << ")";
}

inline double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// All numbers of sums, consecutively.
inline std::vector<double> numbers_of(const std::vector<glm::Sums>& all) {
  std::vector<double> numbers;
  for (const glm::Sums& sums : all) {
    numbers.push_back(sums.loss);
    numbers.push_back(sums.weight);
    for (const auto* const list : {&sums.gradient, &sums.scale, &sums.hessian}) {
      numbers.insert(numbers.end(), list->begin(), list->end());
    }
  }
  return numbers;
}

}  // namespace device_bench
