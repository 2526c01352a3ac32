// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random small fits over all families, links, penalties, solvers and kinds of walks: an answer that
// is called converged is an optimum, by plain loops and a damped Newton's method of the test.

#include "glm/device_bench.hpp"
#include "glm/drawn_fit.hpp"

#include <synelix/glm.hpp>
#include <synelix/glm_path.hpp>
#include <synelix/stream_design_matrix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace fit_domains_tests {
namespace {

using namespace drawn_fit;
using sx::FitResult;
using sx::Stop;

constexpr std::uint64_t draws = 2000;
constexpr std::int64_t window = 5;
constexpr std::int64_t bases = 2;

/// The passes over the rows of a fit, and the fitted problem.
enum class Route : std::uint8_t { dense, events, streamed, device, path, folds };
constexpr const char* route_names[]{"dense", "events", "streamed", "device", "path", "folds"};

Route route_of(std::uint64_t seed) {
  constexpr Route routes[]{Route::device,   Route::events,   Route::events, Route::events,
                           Route::streamed, Route::streamed, Route::path,   Route::path,
                           Route::path,     Route::path,     Route::folds,  Route::folds,
                           Route::folds};
  const std::uint64_t turn = seed % 24;
  return turn < std::size(routes) ? routes[turn] : Route::dense;
}

/// Source of a series without the shortcut to its memory.
class PlainSource final : public sx::Source {
 public:
  explicit PlainSource(const HostMatrix& values) : m_memory(sx::Operand(values.in())) {}
  [[nodiscard]] const sx::SeriesShape& shape() const override { return m_memory.shape(); }
  void read(sx::Range samples, sx::Range channels, void* buffer) override {
    m_memory.read(samples, channels, buffer);
  }

 private:
  sx::MemorySource m_memory;
};

// ---- draws

void draw_features(Drawn& drawn, std::mt19937_64& random, bool is_small) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  const auto rows = static_cast<std::int64_t>(is_small ? 30 + random() % 30 : 20 + random() % 150);
  const auto columns = static_cast<std::int64_t>(1 + random() % 4);
  drawn.features = HostMatrix(rows, columns);
  const std::uint64_t kind = random() % 4;
  const double share = 0.03 + 0.2 * uniform(random);
  drawn.is_positive = kind == 1 || kind == 3;
  for (double& value : drawn.features.values) {
    if (kind == 0) value = 0.6 * normal(random);
    if (kind == 1) value = uniform(random) + 1e-3;
    if (kind == 2) value = uniform(random) < share ? 1 : 0;
    if (kind == 3) value = std::exp(1.2 * normal(random));
  }
}

void draw_events(Drawn& drawn, std::mt19937_64& random) {
  const auto rows = static_cast<std::int64_t>(60 + random() % 120);
  const auto units = static_cast<std::int64_t>(1 + random() % 2);
  std::uniform_real_distribution<double> uniform;
  for (std::int64_t i = 0; i < window * bases; ++i) drawn.taps.push_back(uniform(random));
  drawn.features = HostMatrix(rows, units * bases, std::numeric_limits<double>::quiet_NaN());
  drawn.trains.resize(static_cast<std::size_t>(units));
  HostMatrix counts(rows, units);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t c = 0; c < units; ++c) {
      if (random() % 5 != 0) continue;
      counts(t, c) = 1;
      drawn.trains[static_cast<std::size_t>(c)].samples.push_back(t);
    }
  }
  for (std::int64_t t = window; t < rows; ++t) {
    for (std::int64_t c = 0; c < units; ++c) {
      for (std::int64_t b = 0; b < bases; ++b) {
        double sum = 0;
        for (std::int64_t w = 0; w < window; ++w) {
          sum += drawn.taps[static_cast<std::size_t>(w * bases + b)] * counts(t - 1 - w, c);
        }
        drawn.features(t, c * bases + b) = sum;
      }
    }
  }
}

double draw_target(const sx::Loss& loss, double mean, std::mt19937_64& random) {
  const double positive = std::min(std::max(mean, 1e-6), 1e6);
  switch (loss.family) {
    case sx::Family::gaussian:
      return mean + 0.3 * std::normal_distribution<double>()(random);
    case sx::Family::bernoulli:
      return std::bernoulli_distribution(std::min(positive, 1.0))(random) ? 1 : 0;
    case sx::Family::gamma:
      return std::gamma_distribution<double>(1.5, positive / 1.5)(random) + 1e-9;
    case sx::Family::categorical:
      return static_cast<double>(std::min<std::uint64_t>(2, random() % 4));
    default:
      return std::poisson_distribution<int>(positive)(random);
  }
}

/// Targets of the model itself, with predictors that reach the border of its family, or of one that
/// it does not have.
void draw_targets(Drawn& drawn, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  std::vector<double> coefficients;
  for (std::int64_t j = 0; j < drawn.columns(); ++j) coefficients.push_back(0.7 * normal(random));
  std::vector<double> predictors;
  double least = infinity;
  for (std::int64_t t = 0; t < drawn.rows(); ++t) {
    double eta = 0;
    for (std::int64_t j = 0; j < drawn.columns() && drawn.weight(t) != 0; ++j) {
      eta += coefficients[static_cast<std::size_t>(j)] * drawn.features(t, j);
    }
    predictors.push_back(eta);
    least = std::min(least, eta);
  }
  const bool is_clean = random() % 3 != 0;
  const bool is_wild = random() % 5 == 0;
  drawn.y = HostMatrix(drawn.rows(), 1);
  for (std::int64_t t = 0; t < drawn.rows(); ++t) {
    double eta = predictors[static_cast<std::size_t>(t)];
    if (has_border(drawn.loss)) eta += 0.02 - least;
    double mean = std::exp(std::min(eta, 6.0));
    if (is_clean && drawn.loss.family != sx::Family::categorical) {
      mean = oracle::link_value(drawn.loss.inverse_link, eta).mean;
    }
    if (is_wild) mean *= std::exp(2 * normal(random));
    drawn.y(t, 0) = draw_target(drawn.loss, std::clamp(mean, -1e4, 1e4), random);
  }
}

Drawn draw(std::uint64_t seed, Route route) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  Drawn drawn{.seed = seed};
  const std::vector<sx::Loss> losses = all_losses();
  drawn.loss = losses[random() % losses.size()];
  drawn.penalty = static_cast<PenaltyKind>(random() % 5);
  if (route == Route::path || route == Route::folds) {
    drawn.penalty = static_cast<PenaltyKind>(1 + random() % 4);
  }
  drawn.strength = drawn.penalty == PenaltyKind::none
                       ? 0
                       : std::pow(10.0, -4 + 0.1 * static_cast<double>(random() % 35));
  drawn.has_intercept = random() % 6 != 0;
  if (route == Route::events) {
    draw_events(drawn, random);
  } else {
    draw_features(drawn, random, route == Route::device);
  }
  // Expressions give features in float.
  for (double& value : drawn.features.values) {
    if (route == Route::streamed) value = static_cast<double>(static_cast<float>(value));
  }
  draw_targets(drawn, random);
  for (std::int64_t t = 0; t < drawn.rows() && seed % 7 == 0; ++t) {
    drawn.offset.push_back(0.3 * normal(random));
  }
  for (std::int64_t t = 0; t < drawn.rows() && seed % 5 == 0; ++t) {
    drawn.weights.push_back(static_cast<double>(random() % 4) / 2);
  }
  return drawn;
}

/// Any solver that takes the penalty.
sx::FitOptions options_of(const Drawn& drawn, Route route) {
  sx::FitOptions options{.loss = drawn.loss, .penalty = drawn.bound(drawn.strength)};
  options.fit_intercept = drawn.has_intercept;
  if (route == Route::path || route == Route::folds) {
    options.penalty = drawn.bound(1);
    return options;
  }
  if (route == Route::device) options.most_evaluations = 60;
  constexpr sx::Solver smooth[]{sx::Solver::automatic, sx::Solver::newton, sx::Solver::lbfgs,
                                sx::Solver::proximal_newton};
  if (drawn.is_smooth()) options.solver = smooth[drawn.seed / 24 % 4];
  return options;
}

/// The data that a design refers to.
struct Held {
  device_bench::Runs runs = {};
  std::unique_ptr<PlainSource> source = {};
  std::optional<sx::Events> events = {};
};

sx::DesignMatrix design_of(const Drawn& drawn, Route route, Held& held) {
  const Kokkos::DefaultHostExecutionSpace exec;
  if (route == Route::device) {
    return sx::DesignMatrix(device_bench::pass_over(drawn.features.in(), held.runs));
  }
  if (route == Route::events) {
    held.events.emplace(drawn.rows(), drawn.trains);
    return {exec,
            sx::conv(sx::CustomTaps{.window = window, .bases = bases, .taps = drawn.taps}),
            {*held.events},
            {.method = sx::Method::events}};
  }
  if (route == Route::streamed) {
    held.source = std::make_unique<PlainSource>(drawn.features);
    return sx::stream_design_matrix(exec, sx::eval(sx::Identity{}), {*held.source});
  }
  return {exec, drawn.features.in()};
}

// ---- judgement

/// The counts of the answers of one kind.
struct Tally {
  std::int64_t right = 0;
  std::int64_t said = 0;    ///< not to be an optimum
  std::int64_t missed = 0;  ///< of these: the damped Newton's method found one
};

std::vector<double> parameters_of(const FitResult& result) {
  std::vector<double> values = result.coefficients;
  values.insert(values.end(), result.intercepts.begin(), result.intercepts.end());
  return values;
}

/// The fault of an answer that is reported as an optimum; empty: none.
std::string fault_of(const Drawn& drawn, double strength, const std::vector<double>& p,
                     double objective) {
  const DrawnPoint point = point_at(drawn, p);
  const double own = point.loss + penalty_of(drawn, strength, p);
  if (!std::isfinite(own) || !std::isfinite(objective)) return "its objective is not finite";
  if (std::abs(own - objective) > 1e-6 * (1 + std::abs(own))) {
    return "its objective is " + std::to_string(own) + ", not " + std::to_string(objective);
  }
  const DrawnPoint null = point_at(drawn, null_of(drawn));
  double scale = 0;
  for (const double value : null.scale) scale = std::max(scale, value);
  const double violation = violation_at(drawn, strength, p, point);
  if (violation > 1e-5 * scale + 1e-10) {
    return "its violation is " + std::to_string(violation / scale) + " of the scale of gradients";
  }
  if (!drawn.is_smooth()) return "";
  const Minimum better = damped_newton(drawn, strength, p, 20);
  if (better.objective < own - 1e-5 * (1 + std::abs(own))) {
    return "a Newton's method goes on from it: " + std::to_string(better.objective) + " below " +
           std::to_string(own);
  }
  if (!is_convex(drawn.loss) || !drawn.has_intercept) return "";
  const Minimum other = damped_newton(drawn, strength, null_of(drawn), 100);
  if (other.objective < own - 1e-5 * (1 + std::abs(own))) {
    return "another point is better: " + std::to_string(other.objective) + " below " +
           std::to_string(own);
  }
  return "";
}

/// Whether the damped Newton's method finds an optimum inside the domain.
bool is_findable(const Drawn& drawn, double strength) {
  if (!drawn.is_smooth() || !is_convex(drawn.loss) || !drawn.has_intercept) return false;
  const Minimum found = damped_newton(drawn, strength, null_of(drawn), 100);
  double largest = 0;
  for (const double value : found.parameters) largest = std::max(largest, std::abs(value));
  return found.violation < 1e-9 && largest < 10;
}

void judge(const Drawn& drawn, double strength, const FitResult& result, Tally& tally) {
  const Stop stop = result.stop[0];
  if (stop == Stop::no_events) {
    EXPECT_TRUE(std::isfinite(result.objective[0]));
    return;
  }
  if (stop != Stop::converged) {
    ++tally.said;
    if (is_findable(drawn, strength)) ++tally.missed;
    EXPECT_TRUE(stop == Stop::separated || !result.warnings.empty());
    EXPECT_TRUE(std::isfinite(result.objective[0]));
    return;
  }
  ++tally.right;
  EXPECT_EQ(fault_of(drawn, strength, parameters_of(result), result.objective[0]), "");
}

/// The strengths of a path are models; so are those chosen by folds.
void judge_path(const Drawn& drawn, Route route, const sx::DesignMatrix& design,
                const sx::FitOptions& options, Tally& tally) {
  const sx::PathOptions strengths{.strengths = {0.3, 0.03, 0.003}};
  sx::PathResult path;
  if (route == Route::folds) {
    const sx::CrossValidationResult found =
        sx::cross_validate(design, drawn.observations(), options, {.folds = 3, .path = strengths});
    path = found.path;
    const auto chosen = static_cast<std::size_t>(found.chosen[0]);
    bool has_finite = false;
    for (const double mean : found.mean) has_finite = has_finite || std::isfinite(mean);
    EXPECT_EQ(std::isfinite(found.mean[chosen]), has_finite);
    judge(drawn, path.strengths[chosen], found.model, tally);
  } else {
    path = sx::fit_path(design, drawn.observations(), options, strengths);
  }
  for (std::int64_t r = 0; r < path.count; ++r) {
    SCOPED_TRACE("strength " + std::to_string(r));
    judge(drawn, path.strengths[static_cast<std::size_t>(r)], path.model(r), tally);
  }
}

/// Errors are right if a fit cannot begin: without an intercept, at a border.
void expect_rightly_refused(const Drawn& drawn, Route route, const std::string& text) {
  const bool is_rowless = text.find("no row") != std::string::npos;
  if (is_rowless) return;
  EXPECT_THAT(text, testing::HasSubstr("fit_intercept")) << "refused";
  EXPECT_TRUE(!has_mean_at_0(drawn.loss) && !drawn.has_intercept) << text;
  const bool is_path = route == Route::path || route == Route::folds;
  EXPECT_TRUE(is_path || !drawn.is_positive || !drawn.offset.empty()) << text;
}

TEST(FitDomains, AnAnswerIsRightOrSaidNotToBe) {
  std::map<std::string, Tally> of_losses;
  std::map<std::string, Tally> of_routes;
  Tally all;
  std::int64_t refused = 0;
  for (std::uint64_t seed = 1; seed <= draws; ++seed) {
    const Route route = route_of(seed);
    const Drawn drawn = draw(seed, route);
    const std::string route_name = route_names[static_cast<std::size_t>(route)];
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + loss_reference::text_of(drawn.loss) +
                 ", penalty " + std::to_string(static_cast<int>(drawn.penalty)) + " of " +
                 std::to_string(drawn.strength) + ", " + route_name);
    Tally tally;
    try {
      Held held;
      const sx::DesignMatrix design = design_of(drawn, route, held);
      const sx::FitOptions options = options_of(drawn, route);
      if (route == Route::path || route == Route::folds) {
        judge_path(drawn, route, design, options, tally);
      } else {
        judge(drawn, drawn.strength, sx::fit(design, drawn.observations(), options), tally);
      }
    } catch (const sx::Error& error) {
      ++refused;
      expect_rightly_refused(drawn, route, error.what());
    }
    for (Tally* const to :
         {&all, &of_losses[loss_reference::text_of(drawn.loss)], &of_routes[route_name]}) {
      to->right += tally.right;
      to->said += tally.said;
      to->missed += tally.missed;
    }
  }
  for (const auto* const kinds : {&of_losses, &of_routes}) {
    for (const auto& [name, tally] : *kinds) {
      std::cout << name << ": " << tally.right << " right, " << tally.said
                << " said not to be an optimum, " << tally.missed << " of these missed one\n";
    }
  }
  std::cout << refused << " refused\n";
  EXPECT_GT(all.right, 4 * all.said);
  EXPECT_LE(all.missed, all.right / 100);
}

}  // namespace
}  // namespace fit_domains_tests
