// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/host_array.hpp"
#include "glm/random/distributions.hpp"
#include "glm/random/philox.hpp"
#include "oracle/processes.hpp"
#include "oracle/refusals.hpp"

#include <synelix/glm_score.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace simulate_tests {

namespace sx = synelix;
using oracle::expect_refused;
using oracle::HostMatrix;
using synelix::glm::RandomStream;

namespace {

sx::DesignMatrix design_of(const sx::Strided& features) {
  return {Kokkos::DefaultHostExecutionSpace(), features};
}

/// Mean and variance of draws of many rows.
struct Moments {
  double mean = 0;
  double variance = 0;
};

Moments moments_of(std::int64_t draws, const std::function<double(RandomStream&)>& draw) {
  double sum = 0;
  double squares = 0;
  for (std::int64_t t = 0; t < draws; ++t) {
    RandomStream stream(11, t, 3);
    const double value = draw(stream);
    sum += value;
    squares += value * value;
  }
  const auto n = static_cast<double>(draws);
  return {sum / n, squares / n - sum / n * (sum / n)};
}

/// Five standard errors of mean and variance; `kurtosis` is the fourth central moment over the
/// squared variance.
void expect_moments(const std::function<double(RandomStream&)>& draw, double mean, double variance,
                    double kurtosis) {
  constexpr std::int64_t draws = 60'000;
  const Moments found = moments_of(draws, draw);
  const double root = std::sqrt(static_cast<double>(draws));
  EXPECT_NEAR(found.mean, mean, 5 * std::sqrt(variance) / root);
  EXPECT_NEAR(found.variance, variance, 5 * variance * std::sqrt(kurtosis) / root);
}

/// Features of a fixed seed, with a row that is not finite.
HostMatrix features(std::int64_t rows, std::int64_t columns) {
  std::mt19937 generator(5);
  std::normal_distribution<double> normal;
  HostMatrix x(rows, columns);
  for (double& value : x.values) value = 0.5 * normal(generator);
  x(17, 1) = std::numeric_limits<double>::quiet_NaN();
  return x;
}

sx::FitResult model_of(sx::Loss loss, std::int64_t columns, std::int64_t targets) {
  sx::FitResult model;
  model.columns = columns;
  model.targets = targets;
  model.loss = loss;
  model.classes = loss.family == sx::Family::categorical ? loss.classes : 1;
  for (std::int64_t i = 0; i < columns * targets * model.classes; ++i) {
    model.coefficients.push_back(0.3 * std::cos(static_cast<double>(i)));
  }
  for (std::int64_t i = 0; i < targets * model.classes; ++i) {
    model.intercepts.push_back(0.2 + 0.1 * static_cast<double>(i));
  }
  return model;
}

std::uint64_t hash_of(const std::vector<double>& values) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const double value : values) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 1099511628211ULL;
  }
  return hash;
}

/// A network of two units: excites the other, inhibits itself.
struct Network {
  HostMatrix taps{3, 2};
  HostMatrix coupling{4, 2};
  HostMatrix initial{3, 2};
  std::vector<double> intercepts = {-1.0, -0.5};

  Network() {
    taps.values = {1, 0.25, 0.5, 0.5, 0.125, 1};
    coupling.values = {-0.5, 0.4, 0.2, -0.3, 0.6, -0.7, 0.1, 0.05};
    initial(1, 0) = 2;
    initial(2, 1) = 1;
  }
  [[nodiscard]] sx::RecurrentModel model() const {
    return {.taps = taps.in(),
            .coupling = coupling.in(),
            .intercepts = sx::Strided(intercepts.data(), {2}),
            .initial_activity = initial.in()};
  }
};

/// The rate of a unit by the formula, from all counts before the row.
double rate_of(const Network& network, const HostMatrix& counts, const HostMatrix& drive,
               std::int64_t t, std::int64_t i) {
  double eta = network.intercepts[static_cast<std::size_t>(i)] + drive(t, i);
  for (std::int64_t s = 0; s < 2; ++s) {
    for (std::int64_t b = 0; b < 2; ++b) {
      for (std::int64_t w = 0; w < 3; ++w) {
        const std::int64_t row = t - 1 - w;
        const double count = row >= 0 ? counts(row, s) : network.initial(3 + row, s);
        eta += network.coupling(s * 2 + b, i) * network.taps(w, b) * count;
      }
    }
  }
  return std::log1p(std::exp(eta));
}

}  // namespace

// The vectors of Random123's kat_vectors.
TEST(Philox, GivesTheKnownNumbers) {
  using Block = synelix::glm::PhiloxBlock;
  EXPECT_EQ(synelix::glm::philox({0, 0, 0, 0}, {0, 0}),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t ones = 0xffffffff;
  EXPECT_EQ(synelix::glm::philox({ones, ones, ones, ones}, {ones, ones}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(synelix::glm::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                                 {0xa4093822, 0x299f31d0}),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, UniformNumbersLieInsideTheUnitInterval) {
  expect_moments([](RandomStream& stream) { return stream.uniform(); }, 0.5, 1.0 / 12, 1.8);
  RandomStream one(3, 4, 5);
  RandomStream same(3, 4, 5);
  RandomStream other(3, 4, 5, synelix::glm::Purpose::event_times);
  for (int i = 0; i < 5; ++i) {
    const double value = one.uniform();
    EXPECT_EQ(value, same.uniform());
    EXPECT_NE(value, other.uniform());
    EXPECT_TRUE(value > 0 && value < 1);
  }
}

TEST(Draws, HaveTheMomentsOfTheirDistributions) {
  using sx::Family;
  using synelix::glm::draw;
  for (const double mu : {0.01, 0.7, 9.99, 10.0, 37.5, 4000.0}) {
    SCOPED_TRACE(mu);
    expect_moments([&](RandomStream& s) { return draw(s, Family::poisson, mu, 1, 1); }, mu, mu,
                   2 + 1 / mu);
  }
  expect_moments([](RandomStream& s) { return draw(s, Family::gaussian, -3, 4, 1); }, -3, 4, 2);
  for (const double phi : {0.2, 1.0, 3.0}) {
    SCOPED_TRACE(phi);
    expect_moments([&](RandomStream& s) { return draw(s, Family::gamma, 2, phi, 1); }, 2, phi * 4,
                   2 + 6 * phi);
    // Fourth moment of a Poisson number with a gamma rate.
    const double variance = 2 + phi * 4;
    expect_moments([&](RandomStream& s) { return draw(s, Family::negative_binomial, 2, 1, phi); },
                   2, variance, 2 + 6 * phi + 1 / variance);
  }
  expect_moments([](RandomStream& s) { return draw(s, Family::bernoulli, 0.3, 1, 1); }, 0.3, 0.21,
                 1 / 0.21 - 3 + 1);
}

// A wrong constant of the rejection would leave mean and variance nearly right.
TEST(Draws, OfPoissonHaveTheProbabilitiesOfEachCount) {
  for (const double mu : {4.0, 12.0}) {
    constexpr int draws = 60'000;
    std::vector<double> found(60, 0.0);
    for (int t = 0; t < draws; ++t) {
      RandomStream stream(2, t, 0);
      const double count = synelix::glm::draw_poisson(stream, mu);
      ASSERT_LT(count, 60);
      ++found[static_cast<std::size_t>(count)];
    }
    double chi_squared = 0;
    int cells = 0;
    for (int k = 0; k < 60; ++k) {
      const double expected = draws * std::exp(k * std::log(mu) - mu - std::lgamma(k + 1.0));
      if (expected < 5) continue;
      const double difference = found[static_cast<std::size_t>(k)] - expected;
      chi_squared += difference * difference / expected;
      ++cells;
    }
    EXPECT_LT(chi_squared, cells + 5 * std::sqrt(2.0 * cells)) << mu;
  }
}

TEST(Draws, OfClassesFollowTheirProbabilities) {
  const double probabilities[] = {0.2, 0.5, 0.3};
  double counts[3] = {};
  for (int t = 0; t < 30'000; ++t) {
    RandomStream stream(2, t, 0);
    ++counts[static_cast<int>(synelix::glm::draw_class(stream, probabilities, 3))];
  }
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(counts[k] / 30'000, probabilities[k], 0.015);
}

TEST(Draws, OfNoDistributionAreMissing) {
  RandomStream stream(1, 2, 3);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(synelix::glm::draw(stream, sx::Family::poisson, -0.5, 1, 1)));
  EXPECT_TRUE(std::isnan(synelix::glm::draw(stream, sx::Family::poisson, infinity, 1, 1)));
  EXPECT_TRUE(std::isnan(synelix::glm::draw(stream, sx::Family::bernoulli, 1.5, 1, 1)));
  EXPECT_TRUE(std::isnan(synelix::glm::draw(stream, sx::Family::gamma, 0, 1, 1)));
}

TEST(Simulate, DependsOnSeedRowAndTargetAlone) {
  HostMatrix x = features(3000, 4);
  const sx::FitResult model = model_of({.family = sx::Family::poisson}, 4, 3);
  HostMatrix all(3000, 3);
  sx::simulate(design_of(x.in()), model, 9, all.out());
  EXPECT_TRUE(std::isnan(all(17, 0)));
  double sum = 0;
  for (std::int64_t t = 100; t < 3000; ++t) sum += all(t, 2);
  EXPECT_GT(sum, 2900);

  HostMatrix fewer_rows(700, 3);
  const sx::Strided first(x.values.data(), {700, 4});
  sx::simulate(design_of(first), model, 9, fewer_rows.out());
  for (std::int64_t t = 18; t < 700; ++t) EXPECT_EQ(fewer_rows(t, 1), all(t, 1)) << t;

  HostMatrix other_seed(3000, 3);
  sx::simulate(design_of(x.in()), model, 10, other_seed.out());
  std::int64_t alike = 0;
  for (std::int64_t t = 0; t < 3000; ++t) alike += other_seed(t, 1) == all(t, 1) ? 1 : 0;
  EXPECT_LT(alike, 1800);
}

TEST(Simulate, EventsAreTheCounts) {
  HostMatrix x = features(2000, 4);
  const sx::DesignMatrix design = design_of(x.in());
  const sx::FitResult model = model_of({.family = sx::Family::negative_binomial}, 4, 2);
  HostMatrix counts(2000, 2);
  sx::simulate(design, model, 1, counts.out());
  const sx::Events events = sx::simulate_events(design, model, 1);
  ASSERT_EQ(events.shape().samples, 2000);
  ASSERT_EQ(events.shape().channels, 2);
  HostMatrix of_events(2000, 2);
  for (std::int64_t c = 0; c < 2; ++c) {
    for (std::int64_t e = events.begins()[c]; e < events.begins()[c + 1]; ++e) {
      of_events(events.sample_indices()[e], c) =
          events.counts() == nullptr ? 1.0 : static_cast<double>(events.counts()[e]);
    }
  }
  counts(17, 0) = counts(17, 1) = 0;
  EXPECT_EQ(of_events.values, counts.values);
  expect_refused(
      [&] { sx::simulate_events(design, model_of({.family = sx::Family::gaussian}, 4, 2), 1); },
      "model", "gaussian are not counts", "Use simulate");
}

TEST(Simulate, AddsTheOffset) {
  HostMatrix x(4000, 1);
  sx::FitResult model = model_of({.family = sx::Family::gaussian}, 1, 2);
  model.scale = {1e-12, 1e-12};
  HostMatrix offset(4000, 2);
  offset(7, 1) = 100;
  HostMatrix found(4000, 2);
  sx::simulate(design_of(x.in()), model, 1, found.out(), offset.in());
  EXPECT_NEAR(found(7, 0), 0.2, 1e-4);
  EXPECT_NEAR(found(7, 1), 100.3, 1e-4);
  model.scale = {1.0, 0.0};
  expect_refused([&] { sx::simulate(design_of(x.in()), model, 1, found.out()); }, "model scale",
                 "target 1", "above 0");
}

TEST(SimulateRecurrent, FollowsTheFormula) {
  const Network network;
  constexpr std::int64_t rows = 400;
  HostMatrix counts(rows, 2);
  HostMatrix rates(rows, 2);
  sx::simulate_recurrent(network.model(), rows, 3, counts.out(), rates.out());
  const HostMatrix no_drive(rows, 2);
  double active = 0;
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t i = 0; i < 2; ++i) {
      ASSERT_NEAR(rates(t, i), rate_of(network, counts, no_drive, t, i), 1e-13) << t << " " << i;
      RandomStream stream(3, t, i);
      ASSERT_EQ(counts(t, i), synelix::glm::draw_poisson(stream, rates(t, i)));
      active += counts(t, i);
    }
  }
  EXPECT_GT(active, 100);
  const sx::Events events = sx::simulate_recurrent_events(network.model(), rows, 3);
  double total = 0;
  for (std::int64_t e = 0; e < events.begins()[2]; ++e) {
    total += events.counts() == nullptr ? 1.0 : static_cast<double>(events.counts()[e]);
  }
  EXPECT_EQ(total, active);
}

TEST(SimulateRecurrent, IsDrivenByFeatures) {
  const Network network;
  constexpr std::int64_t rows = 300;
  HostMatrix x = features(rows, 2);
  x(17, 1) = 0.25;
  HostMatrix weights(2, 2);
  weights.values = {0.5, -0.25, 0.75, 1.0};
  sx::RecurrentModel model = network.model();
  model.feedforward = design_of(x.in());
  model.feedforward_coefficients = weights.in();
  HostMatrix counts(rows, 2);
  HostMatrix rates(rows, 2);
  sx::simulate_recurrent(model, rows, 3, counts.out(), rates.out());
  HostMatrix drive(rows, 2);
  for (std::int64_t t = 0; t < rows; ++t) {
    for (std::int64_t i = 0; i < 2; ++i) {
      drive(t, i) = x(t, 0) * weights(0, i) + x(t, 1) * weights(1, i);
    }
  }
  for (std::int64_t t = 0; t < rows; ++t) {
    ASSERT_NEAR(rates(t, 1), rate_of(network, counts, drive, t, 1), 1e-12) << t;
  }
  expect_refused([&] { sx::simulate_recurrent(model, rows + 1, 3, counts.out()); }, "rows",
                 "301 does not match the 300", "Use as many");
}

TEST(SimulateRecurrent, RefusesWhatItCannotDraw) {
  Network network;
  HostMatrix counts(2000, 2);
  sx::RecurrentModel model = network.model();
  model.inverse_link = sx::InverseLink::exp;
  network.coupling.values.assign(8, 3.0);
  expect_refused([&] { sx::simulate_recurrent(model, 2000, 3, counts.out()); }, "model",
                 "the rate of unit", "Use weaker coupling");
  network.initial(0, 1) = std::numeric_limits<double>::infinity();
  expect_refused([&] { sx::simulate_recurrent(network.model(), 2000, 3, counts.out()); },
                 "initial_activity", "row 0 of unit 1", "Give finite");
  model = network.model();
  model.coupling = network.taps.in();
  expect_refused([&] { sx::simulate_recurrent(model, 2000, 3, counts.out()); }, "coupling",
                 "(3, 2)", "Use (4, 2)");
}

TEST(SimulateRecurrent, RefusesResultsThatOverlapArguments) {
  Network network;
  HostMatrix x = features(30, 2);
  HostMatrix weights(2, 2);
  HostMatrix counts(30, 2);
  HostMatrix rates(30, 2);
  sx::RecurrentModel model = network.model();
  model.feedforward = design_of(x.in());
  model.feedforward_coefficients = weights.in();
  const auto expect = [&](const sx::StridedOutput& to_counts, const sx::StridedOutput& to_rates,
                          const std::string& argument, const std::string& other) {
    expect_refused([&] { sx::simulate_recurrent(model, 30, 3, to_counts, to_rates); }, argument,
                   "its memory overlaps that of " + other, "Use memory apart");
  };
  expect(counts.out(), counts.out(), "counts", "rates");
  expect(x.out(), {}, "counts", "the design");
  expect(counts.out(), x.out(), "rates", "the design");
  std::vector<double> many(200);
  model.coupling = sx::Strided(many.data() + 3, {4, 2});
  const sx::StridedOutput over(many.data(), {30, 2});
  expect(over, rates.out(), "counts", "coupling");
  expect(counts.out(), over, "rates", "coupling");
}

TEST(Simulate, RefusesTargetsOverTheFeatures) {
  HostMatrix x = features(30, 2);
  const sx::FitResult model = model_of({.family = sx::Family::poisson}, 2, 2);
  expect_refused([&] { sx::simulate(design_of(x.in()), model, 1, x.out()); }, "targets",
                 "its memory overlaps that of the design", "Use memory apart");
}

TEST(SimulateBits, AreWrittenToAFile) {
  const char* const file = std::getenv("SYNELIX_HASH_FILE");
  if (file == nullptr) GTEST_SKIP() << "run by SimulateBits.AreTheSameForAnyNumberOfThreads";
  HostMatrix x = features(5000, 4);
  const sx::DesignMatrix design = design_of(x.in());
  std::ofstream output(file);
  for (const sx::Family family : {sx::Family::gaussian, sx::Family::poisson, sx::Family::bernoulli,
                                  sx::Family::negative_binomial}) {
    HostMatrix targets(5000, 3);
    sx::simulate(design, model_of({.family = family}, 4, 3), 77, targets.out());
    output << hash_of(targets.values) << '\n';
  }
  const Network network;
  HostMatrix weights(4, 2);
  for (double& value : weights.values) value = 0.3;
  for (std::int64_t j = 0; j < 4; ++j) x(17, j) = 0.25;
  sx::RecurrentModel model = network.model();
  model.feedforward = design_of(x.in());
  model.feedforward_coefficients = weights.in();
  HostMatrix counts(5000, 2);
  HostMatrix rates(5000, 2);
  sx::simulate_recurrent(model, 5000, 77, counts.out(), rates.out());
  output << hash_of(counts.values) << '\n' << hash_of(rates.values) << '\n';
}

TEST(SimulateBits, AreTheSameForAnyNumberOfThreads) {
  const std::string filter = "SimulateBits.AreWrittenToAFile";
  const std::string one = oracle::hashes_of(1, filter);
  EXPECT_GT(one.size(), 30U);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(oracle::hashes_of(threads, filter), one) << threads;
}

}  // namespace simulate_tests
