// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/event_case.hpp"
#include "oracle/refusals.hpp"
#include "oracle/sets.hpp"
#include "tune/fit.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

// Products with designs of events against the features, written out.

namespace event_pass_tests {
namespace {

using namespace glm_test;
using glm::Arithmetic;
using glm::Request;
using glm::RowsOf;
using glm::Sums;
using testing::ElementsAreArray;
using testing::Lt;

std::vector<double> parameters_of(const EventCase& made, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> parameters;
  for (std::int64_t j = 0; j < made.columns; ++j) {
    parameters.push_back(0.3 * normal(random) / std::sqrt(static_cast<double>(made.columns)));
  }
  parameters.push_back(-0.5);
  return parameters;
}

Sums evaluate(glm::Pass& pass, const CaseRows& rows, const Request& request,
              Arithmetic arithmetic = Arithmetic::double_products) {
  Sums sums;
  pass.evaluate(poisson(), rows, {&request, 1}, arithmetic, 1, {&sums, 1});
  return sums;
}

void expect_near(const Sums& found, const Sums& expected, double tolerance) {
  EXPECT_NEAR(found.loss, expected.loss, tolerance * std::fabs(expected.weight));
  EXPECT_NEAR(found.weight, expected.weight, 1e-12 * expected.weight);
  // Positive and negative residuals cancel: a gradient is as exact as the sum of its parts is
  // large.
  EXPECT_THAT(distance(found.gradient, expected.gradient, expected.scale), Lt(tolerance));
  EXPECT_THAT(distance(found.hessian, expected.hessian), Lt(tolerance));
}

/// Everything that a pass does, against the features.
void check(const EventCase& made, glm::Pass& pass, bool is_plain) {
  const CaseRows rows(7, made.rows, 2, is_plain);
  const std::vector<double> parameters = parameters_of(made, 3);
  Request request{parameters.data(), {1, RowsOf::Fold::without, 2}};
  request.wants_hessian = request.wants_scale = true;
  const Sums expected = sums_of(made, rows, request);
  const Sums found = evaluate(pass, rows, request);
  expect_near(found, expected, 1e-12);
  expect_near(evaluate(pass, rows, request, Arithmetic::float_products), expected, 1e-6);
  const auto size = static_cast<std::size_t>(made.columns + 1);
  const RowsOf choices[] = {{-1, RowsOf::Fold::all, 0}, {-1, RowsOf::Fold::only, 1}};
  for (const RowsOf& choice : choices) {
    const std::vector<double> expected_gram = gram_of(made, rows, choice);
    std::vector<double> gram(size * size, -77.0);
    pass.gram(rows, choice, Arithmetic::double_products, gram.data());
    EXPECT_THAT(distance(gram, expected_gram), Lt(1e-12));
    const Range some{made.columns / 3, made.columns - 1};
    std::vector<double> part(static_cast<std::size_t>(some.size()) * size, -77.0);
    pass.gram_rows(rows, choice, some, part.data());
    EXPECT_THAT(part, ElementsAreArray(gram.begin() + some.begin * made.columns + some.begin,
                                       gram.begin() + some.end * made.columns + some.end));
  }
  const Range some{1, made.columns};
  std::vector<double> part(static_cast<std::size_t>(some.size()) * size, -77.0);
  pass.hessian_rows(poisson(), rows, request, some, part.data());
  EXPECT_THAT(part, ElementsAreArray(found.hessian.begin() + static_cast<std::ptrdiff_t>(size),
                                     found.hessian.end() - static_cast<std::ptrdiff_t>(size)));
}

const std::vector<CaseTerm> several_terms = {
    {.channels = 3, .window = 13, .bases = 3, .has_counts = true},
    {.channels = 2, .window = 40, .bases = 2, .causality = Causality::acausal, .rate = 0.1},
    {.channels = 2,
     .window = 7,
     .bases = 9,
     .causality = Causality::anti_causal,
     .has_counts = true,
     .has_negative_taps = true},
    {.channels = 1, .window = 1, .bases = 1, .shift = Shift::off, .rate = 0.3},
    {.channels = 2,
     .window = 5,
     .bases = 2,
     .causality = Causality::anti_causal,
     .shift = Shift::off,
     .rate = 0.95,
     .silent_channel = 1}};

TEST(EventPass, AgreesWithTheFeaturesOnEachSet) {
  const EventCase made =
      make_case(1, 3000, {{0, 700}, {700, 720}, {900, 1600}, {1600, 2950}}, several_terms);
  for (const InstructionSet set : oracle::sets_at_hand()) {
    for (const bool is_plain : {true, false}) {
      SCOPED_TRACE(std::string(name_of(set)) + (is_plain ? " plain" : " weighted"));
      check(made, *pass_of(made, 1, set), is_plain);
    }
  }
}

TEST(EventPass, AgreesOverBordersOfTilesAndBlocks) {
  const EventCase made =
      make_case(2, 140'000, {},
                {{.channels = 2, .window = 100, .bases = 2, .rate = 0.01, .has_counts = true}});
  check(made, *pass_of(made, 3), true);
  check(made, *pass_of(made, 2), false);
}

TEST(EventPass, AgreesOverTheBorderOfAChunk) {
  const EventCase made =
      make_case(3, 530'000, {},
                {{.channels = 2, .window = 30, .bases = 1, .rate = 0.02},
                 {.channels = 1, .window = 12, .bases = 1, .causality = Causality::anti_causal}});
  check(made, *pass_of(made, 2), true);
}

TEST(EventPass, TakesPairsOfAChunkWithoutValidRows) {
  // The epoch begins less than a window before the border of a chunk: the first chunk has no valid
  // row, but windows of its events reach rows of the second one.
  const std::int64_t border = tune::event_chunk_rows;
  const EventCase made = make_case(8, border + 3000, {{border - 25, border + 3000}},
                                   {{.channels = 2, .window = 40, .bases = 2, .rate = 0.3}});
  check(made, *pass_of(made, 2), true);
  check(made, *pass_of(made, 2), false);
  // The same after an epoch and a long gap.
  const EventCase gap =
      make_case(9, 2 * border + 3000, {{0, 500}, {2 * border - 25, 2 * border + 3000}},
                {{.channels = 1, .window = 40, .bases = 2, .rate = 0.2}});
  check(gap, *pass_of(gap, 2), true);
}

TEST(EventPass, AgreesForWindowsOfManyPacks) {
  const EventCase made = make_case(4, 12'000, {},
                                   {{.channels = 2, .window = 1500, .bases = 2, .rate = 0.01},
                                    {.channels = 1, .window = 3, .bases = 2, .rate = 0.02}});
  check(made, *pass_of(made, 2), true);
}

TEST(EventPass, CountsOfAnySignGiveTheScaleOfAbsoluteValues) {
  const EventCase made =
      make_case(5, 2000, {}, {{.channels = 2, .window = 9, .bases = 2, .rate = 0.02}});
  const CaseRows rows(7, made.rows, 1, true);
  const std::vector<double> parameters = parameters_of(made, 3);
  Request request{parameters.data()};
  request.wants_scale = true;
  const auto pass = pass_of(made, 1);
  // No tap and no count is negative, so the convolution of absolute values is that of features.
  EXPECT_THAT(distance(evaluate(*pass, rows, request).scale, sums_of(made, rows, request).scale),
              Lt(1e-12));
  std::vector<Events::Train> trains(2);
  const Events& list = made.events.front();
  for (std::size_t c = 0; c < 2; ++c) {
    for (std::int64_t e = list.begins()[c]; e < list.begins()[c + 1]; ++e) {
      trains[c].samples.push_back(list.sample_indices()[e]);
      trains[c].counts.push_back(e % 2 == 0 ? -1.0F : 1.0F);
    }
  }
  EventCase turned = made;
  turned.events.front() = Events(made.rows, trains);
  std::vector<double> nothing(parameters.size(), 0.0);
  request.parameters = nothing.data();
  EXPECT_THAT(distance(evaluate(*pass_of(turned, 1), rows, request).scale,
                       sums_of(made, rows, request).scale),
              Lt(1e-12));
}

TEST(EventPass, WindowsLongerThanEveryEpochLeaveNoRow) {
  const EventCase made = make_case(6, 60, {{0, 20}, {20, 60}}, {{.window = 70}});
  const CaseRows rows(7, made.rows, 1, true);
  const std::vector<double> parameters = parameters_of(made, 3);
  Request request{parameters.data()};
  request.wants_hessian = true;
  const auto pass = pass_of(made, 2);
  const Sums sums = evaluate(*pass, rows, request);
  EXPECT_EQ(sums.weight, 0);
  EXPECT_EQ(sums.loss, 0);
  EXPECT_THAT(sums.gradient, testing::Each(0.0));
  EXPECT_THAT(sums.hessian, testing::Each(0.0));
  EXPECT_THAT(pass->valid(), testing::Each(0U));
}

TEST(EventPass, ValidRowsAreThoseOfFiniteFeatures) {
  const EventCase made = make_case(8, 500, {{3, 200}, {200, 207}, {300, 500}}, several_terms);
  const auto pass = pass_of(made, 1);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    const std::uint64_t word = pass->valid()[static_cast<std::size_t>(t / 64)];
    EXPECT_EQ((word >> (t % 64) & 1U) != 0, made.is_valid[static_cast<std::size_t>(t)]) << t;
  }
}

TEST(EventPass, ProductsOfManyRightHandSides) {
  const EventCase made = make_case(9, 2000, {{0, 700}, {900, 1600}, {1600, 1950}}, several_terms);
  const auto pass = pass_of(made, 3);
  const std::int64_t n = 5;
  std::mt19937_64 random(4);
  std::normal_distribution<float> normal;
  std::vector<double> coefficients(static_cast<std::size_t>(made.columns * n));
  for (double& value : coefficients) value = static_cast<double>(normal(random));
  const Range part{333, 1777};
  std::vector<double> found(static_cast<std::size_t>(part.size() * n), -77.0);
  pass->apply(coefficients.data(), n, part, found.data());
  std::vector<float> residuals(static_cast<std::size_t>(made.rows * n));
  for (float& value : residuals) value = normal(random);
  std::vector<double> expected_sums(coefficients.size(), 0.0);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    const bool is_valid = made.is_valid[static_cast<std::size_t>(t)];
    for (std::int64_t r = 0; r < n; ++r) {
      float& residual = residuals[static_cast<std::size_t>(r * made.rows + t)];
      if (!is_valid) residual = std::numeric_limits<float>::quiet_NaN();
      double sum = 0;
      for (std::int64_t j = 0; j < made.columns; ++j) {
        sum += made.feature(t, j) * coefficients[static_cast<std::size_t>(j * n + r)];
        if (!is_valid) continue;
        expected_sums[static_cast<std::size_t>(j * n + r)] +=
            made.feature(t, j) * static_cast<double>(residual);
      }
      if (t < part.begin || t >= part.end) continue;
      const double value = found[static_cast<std::size_t>((t - part.begin) * n + r)];
      if (is_valid) {
        EXPECT_NEAR(value, sum, 1e-12);
      } else {
        EXPECT_TRUE(std::isnan(value)) << t;
      }
    }
  }
  std::vector<double> sums(coefficients.size(), -77.0);
  pass->apply_adjoint(Strided(residuals.data(), {made.rows, n}, {1, made.rows}), sums.data());
  EXPECT_THAT(distance(sums, expected_sums), Lt(1e-12));
}

/// All bits of the results of many requests, with a number of threads and a number of bytes.
std::vector<double> bits_of(const EventCase& made, std::int64_t threads, std::int64_t budget) {
  const auto pass = pass_of(made, threads, InstructionSet::automatic, budget);
  const CaseRows rows(7, made.rows, 3, false);
  std::vector<std::vector<double>> parameters;
  std::vector<Request> requests;
  for (std::uint64_t i = 0; i < 6; ++i) parameters.push_back(parameters_of(made, i));
  for (std::size_t i = 0; i < 6; ++i) {
    Request request{parameters[i].data(), {static_cast<std::int64_t>(i % 3)}};
    request.wants_hessian = i == 1 || i == 4;
    request.wants_scale = i > 3;
    requests.push_back(request);
  }
  std::vector<double> all;
  const auto append = [&](const std::vector<double>& values) {
    all.insert(all.end(), values.begin(), values.end());
  };
  for (const Arithmetic arithmetic : {Arithmetic::double_products, Arithmetic::float_products}) {
    for (const std::int64_t every : {1, 3}) {
      std::vector<Sums> sums(requests.size());
      pass->evaluate(poisson(), rows, requests, arithmetic, every, sums);
      for (const Sums& one : sums) {
        append({one.loss, one.weight});
        append(one.gradient);
        append(one.hessian);
        append(one.scale);
      }
    }
  }
  const auto size = static_cast<std::size_t>(made.columns + 1);
  std::vector<double> gram(size * size);
  pass->gram(rows, {-1}, Arithmetic::double_products, gram.data());
  append(gram);
  std::vector<double> sums(static_cast<std::size_t>(made.columns));
  std::vector<double> residuals(static_cast<std::size_t>(made.rows));
  for (std::size_t t = 0; t < residuals.size(); ++t)
    residuals[t] = std::sin(static_cast<double>(t));
  pass->apply_adjoint(Strided(residuals.data(), {made.rows}), sums.data());
  append(sums);
  return all;
}

bool have_same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

TEST(EventPass, BitsDependNeitherOnThreadsNorOnTheBudget) {
  const EventCase made =
      make_case(10, 530'000, {{0, 100'000}, {200'000, 530'000}},
                {{.channels = 2, .window = 25, .bases = 1, .rate = 0.01, .has_counts = true}});
  constexpr std::int64_t ample = std::int64_t{1} << 40;
  const std::vector<double> one = bits_of(made, 1, ample);
  for (const std::int64_t threads : {2, 3, 7}) {
    EXPECT_TRUE(have_same_bits(bits_of(made, threads, ample), one)) << threads;
  }
  EXPECT_TRUE(have_same_bits(bits_of(made, 7, 11'000'000), one));
  oracle::expect_refused([&] { bits_of(made, 1, 100'000); }, "budget", "bytes are not enough",
                         "Give at least");
}

TEST(EventPass, EveryNthTileOfRows) {
  // Windows that begin in an omitted tile extend into a used one.
  const EventCase made = make_case(11, 100'000, {}, {{.channels = 2, .window = 300, .bases = 2}});
  CaseRows rows(7, made.rows, 1, true);
  const std::vector<double> parameters = parameters_of(made, 3);
  Request request{parameters.data()};
  request.wants_hessian = true;
  Sums some;
  pass_of(made, 2)->evaluate(poisson(), rows, {&request, 1}, Arithmetic::double_products, 3,
                             {&some, 1});
  for (std::int64_t t = 0; t < made.rows; ++t) {
    if (t / 8192 % 3 != 0) rows.weight(t) = 0;
  }
  const Sums expected = sums_of(made, rows, request);
  EXPECT_EQ(some.weight, expected.weight);
  EXPECT_THAT(distance(some.gradient, expected.gradient), Lt(1e-12));
  EXPECT_THAT(distance(some.hessian, expected.hessian), Lt(1e-12));
}

TEST(EventPass, IsMadeForSumsOfConvolvedEventsOnly) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const EventCase made = make_case(12, 300, {}, {{.window = 9}, {.window = 5}});
  const std::vector<AnySeries> inputs = made.inputs();
  const std::vector<float> samples(300, 1.0F);
  const Strided array(samples.data(), {300});
  const Expression window = conv(RaisedCosineLog{.bases = 3}, {.window = 9});
  const auto pass = glm::make_event_pass(exec, *made.expression, inputs, {});
  ASSERT_NE(pass, nullptr);
  EXPECT_EQ(pass->columns(), made.columns);
  EXPECT_EQ(pass->rows(), 300);
  EXPECT_EQ(pass->terms().size(), 2U);
  EXPECT_EQ(pass->choice().source, RowSource::events);
  EXPECT_GT(pass->cost().gradient, 0);
  EXPECT_GT(pass->cost().hessian, pass->cost().gram);
  const CaseRows rows(7, made.rows, 1, true);
  const std::vector<double> parameters = parameters_of(made, 3);
  Request request{parameters.data()};
  request.wants_hessian = true;
  EXPECT_EQ(evaluate(*pass, rows, request).hessian,
            evaluate(*pass_of(made, 1), rows, request).hessian);
  const auto is_made = [&](const Expression& expression, const std::vector<AnySeries>& series,
                           const DesignMatrixOptions& options = {}) {
    return glm::make_event_pass(exec, expression, series, options) != nullptr;
  };
  EXPECT_FALSE(is_made(window * window, inputs));
  EXPECT_FALSE(is_made(window + eval(BSpline{.bases = 5}, {.bounds = {{0.0, 9.0}}}), inputs));
  EXPECT_FALSE(is_made(window + window, {inputs[0], array}));
  EXPECT_FALSE(is_made(*made.expression, inputs, {.method = Method::direct}));
  EXPECT_FALSE(is_made(*made.expression, inputs, {.keep = Keep::features}));
  EXPECT_TRUE(is_made(*made.expression, inputs, {.method = Method::events}));
  glm::RowLoss categorical;
  categorical.loss = {.family = Family::categorical, .classes = 3};
  EXPECT_FALSE(glm::EventPass::takes(categorical));
  EXPECT_TRUE(glm::EventPass::takes(poisson()));
}

}  // namespace
}  // namespace event_pass_tests
