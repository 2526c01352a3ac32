// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/device_bench.hpp"
#include "glm/fit/fit_share.hpp"
#include "glm/loss_reference.hpp"
#include "glm/pass/row_panels.hpp"
#include "oracle/refusals.hpp"

#include <synelix/glm.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <set>

// The results of a pass on a device, compared with the pass of the host: within rounding, with the
// same bits for every number of teams, order of virtual items and budget.

namespace device_pass_tests {
namespace {

using namespace device_bench;
using Rows = Observations::Rows;

struct Setting {
  Loss loss = {Family::poisson, InverseLink::exp};
  std::int64_t sides = 1;
  Rows rows = Rows::common;
  std::int64_t every = 1;
  glm::Arithmetic arithmetic = glm::Arithmetic::double_products;
  std::int64_t budget = mebibytes(64);
};

std::vector<glm::Sums> sums_of(glm::Pass& pass, const glm::ObservedArrays& observed,
                               const Sides& sides, const Setting& setting) {
  const glm::RowLoss bound = glm::bind(setting.loss, pass.choice().instruction_set);
  std::vector<glm::Sums> sums(sides.requests.size());
  pass.evaluate(bound, observed, sides.requests, setting.arithmetic, setting.every, sums);
  return sums;
}

template <class Feature>
std::vector<glm::Sums> device_sums(const Problem<Feature>& problem, const Setting& setting,
                                   Runs& runs) {
  const auto pass = pass_over(problem.matrix(), runs, setting.budget);
  const Sides sides(setting.sides, problem.p, problem.targets, setting.loss);
  return sums_of(*pass, problem.observed(setting.rows), sides, setting);
}

/// The device against the host.
template <class Feature>
void check(const Problem<Feature>& problem, const Setting& setting) {
  SCOPED_TRACE(loss_reference::text_of(setting.loss) + ", " + std::to_string(setting.sides) +
               " sides, every " + std::to_string(setting.every));
  Runs runs;
  const std::vector<glm::Sums> found = device_sums(problem, setting, runs);
  const DesignMatrix design(Space(), problem.matrix());
  Sides sides(setting.sides, problem.p, problem.targets, setting.loss);
  for (glm::Request& request : sides.requests) request.wants_scale = true;
  const auto wanted = sums_of(design.pass(), problem.observed(setting.rows), sides, setting);
  const bool is_float =
      setting.arithmetic == glm::Arithmetic::float_products && sizeof(Feature) == sizeof(float);
  const double tolerance = is_float ? 5e-6 : 1e-12;
  for (std::size_t s = 0; s < found.size(); ++s) {
    SCOPED_TRACE("side " + std::to_string(s));
    ASSERT_GT(wanted[s].weight, 0);
    EXPECT_EQ(found[s].weight, wanted[s].weight);
    ASSERT_TRUE(std::isfinite(wanted[s].loss));
    EXPECT_NEAR(found[s].loss, wanted[s].loss,
                tolerance * (std::abs(wanted[s].loss) + wanted[s].weight));
    // Residuals cancel in a gradient: its errors are those of its scale.
    const double largest = largest_of(wanted[s].scale);
    EXPECT_TRUE(are_near(found[s].gradient, wanted[s].gradient, largest, tolerance));
    if (!found[s].scale.empty()) {
      EXPECT_TRUE(are_near(found[s].scale, wanted[s].scale, largest, tolerance));
    }
    EXPECT_TRUE(
        are_near(found[s].hessian, wanted[s].hessian, largest_of(wanted[s].hessian), tolerance));
  }
}

TEST(DevicePass, EvaluatesAllFamiliesAndLinks) {
  const Problem<double> doubles(700, 5, 2);
  const Problem<float> floats(700, 5, 2);
  std::vector<Loss> losses = loss_reference::pairs();
  losses.push_back({Family::categorical, InverseLink::softmax, 1.0, 2});
  for (const Loss& loss : losses) {
    Problem<double> positive = doubles;
    if (loss.family == Family::gamma) {
      for (double& y : positive.y) y += 0.5;
    }
    check(positive, {.loss = loss, .sides = 4, .rows = Rows::own});
    if (loss.family == Family::gamma) continue;
    check(floats, {.loss = loss, .sides = 3, .arithmetic = glm::Arithmetic::float_products});
  }
}

TEST(DevicePass, EvaluatesManySidesAndClasses) {
  const Problem<double> problem(1200, 4, 3);
  check(problem, {.sides = 131, .rows = Rows::own});
  const Loss classes{Family::categorical, InverseLink::softmax, 1.0, 3};
  check(problem, {.loss = classes, .sides = 7});
  check(problem, {.sides = 3, .every = 2});
}

/// More columns than a tile of a device has, and an incomplete last tile of rows.
TEST(DevicePass, EvaluatesManyColumns) {
  check(Problem<float>(1100, 70, 1), {.sides = 2});
  check(Problem<float>(1100, 70, 1), {.sides = 2, .arithmetic = glm::Arithmetic::float_products});
  check(Problem<double>(600, 131, 1), {.sides = 1, .every = 2});
  check(Problem<float>(600, 128, 1), {.sides = 1, .arithmetic = glm::Arithmetic::float_products});
  check(Problem<double>(600, 64, 1), {.sides = 17});
  check(Problem<float>(600, 330, 1), {.sides = 1, .arithmetic = glm::Arithmetic::float_products});
}

/// Predictors that give no mean have an infinite loss, and change nothing where rows do not count.
TEST(DevicePass, RefusesMeansThatAreNone) {
  const Problem<double> problem(600, 3, 1);
  const glm::ObservedArrays observed = problem.observed(Rows::common);
  const Loss loss{Family::poisson, InverseLink::identity};
  Sides sides(1, problem.p, 1, loss);
  sides.parameters[0].back() = -5;
  Runs runs;
  const auto pass = pass_over(problem.matrix(), runs);
  const std::vector<glm::Sums> sums = sums_of(*pass, observed, sides, {.loss = loss});
  EXPECT_EQ(sums[0].loss, std::numeric_limits<double>::infinity());
  EXPECT_EQ(largest_of(sums[0].gradient), 0);
  EXPECT_EQ(largest_of(sums[0].hessian), 0);
}

/// One answer for all orders of virtual items, numbers of teams, threads that take turns, and
/// budgets that hold one block of rows or all.
TEST(DevicePass, HasOneAnswer) {
  const Problem<float> problem(17000, 3, 2);  // three blocks
  for (const glm::Arithmetic arithmetic :
       {glm::Arithmetic::double_products, glm::Arithmetic::float_products}) {
    Setting setting{.sides = 3, .arithmetic = arithmetic};
    Runs first;
    const std::vector<double> wanted = numbers_of(device_sums(problem, setting, first));
    for (const int teams : {1, 2, 7}) {
      Runs runs{.teams = teams, .seed = 100 * static_cast<std::uint64_t>(teams)};
      EXPECT_THAT(numbers_of(device_sums(problem, setting, runs)), testing::ContainerEq(wanted))
          << teams << " teams";
    }
    // All together, one right-hand side at a time, and of that a block of rows at a time.
    std::int64_t launches = first.launches;
    for (const std::int64_t budget : {900'000, 500'000}) {
      setting.budget = budget;
      Runs runs;
      EXPECT_THAT(numbers_of(device_sums(problem, setting, runs)), testing::ContainerEq(wanted))
          << budget << " bytes";
      EXPECT_GT(runs.launches, 3 * launches / 2) << budget << " bytes cut the walk";
      launches = runs.launches;
    }
  }
}

TEST(DevicePass, HasOneAnswerOnThreadsThatTakeTurns) {
  const Problem<double> problem(600, 5, 2);
  const Setting setting{.sides = 4};
  Runs mock;
  const std::vector<double> wanted = numbers_of(device_sums(problem, setting, mock));
  for (const std::uint64_t seed : {1U, 2U}) {
    Runs runs{.teams = 2, .walks = true, .seed = seed};
    EXPECT_THAT(numbers_of(device_sums(problem, setting, runs)), testing::ContainerEq(wanted));
  }
}

/// Each barrier of a sweep but its last one is needed: without it some order gives other bits.
TEST(DevicePass, NeedsEachOfItsBarriers) {
  const Problem<double> problem(600, 3, 1);
  const Setting setting{.sides = 2};
  Runs right;
  const std::vector<double> wanted = numbers_of(device_sums(problem, setting, right));
  for (const char* const label :
       {"synelix::design_matrix::evaluate", "synelix::design_matrix::gradient"}) {
    Runs counted{.teams = 1, .ignoring = label};
    device_sums(problem, setting, counted);
    ASSERT_GT(counted.barriers, 3) << label;
    for (const std::int64_t number : {std::int64_t{0}, std::int64_t{1}, counted.barriers - 2}) {
      int differ = 0;
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Runs runs{.teams = 1, .seed = 50 * seed, .ignoring = label, .ignored = number};
        differ += numbers_of(device_sums(problem, setting, runs)) != wanted ? 1 : 0;
      }
      EXPECT_GE(differ, 3) << "of 10 orders; " << label << ", barrier " << number << " of "
                           << counted.barriers << " was left out";
    }
  }
}

/// Searches run on the host: their share takes no memory of the device, and bits do not depend on
/// it.
TEST(DevicePass, GivesSharesOfTheHost) {
  const Problem<double> problem(17000, 3, 1);  // three blocks
  const Loss loss{Family::poisson, InverseLink::exp};
  const glm::RowLoss row_loss(loss);
  const Sides sides(3, problem.p, 1, loss);
  constexpr std::int64_t budget = 2'000'000;
  Runs runs;
  const auto pass = pass_over(problem.matrix(), runs, budget);
  const std::vector<double> wanted =
      numbers_of(sums_of(*pass, problem.observed(Rows::common), sides, {}));
  const std::int64_t launches = runs.launches;
  EXPECT_EQ(pass->take_share(row_loss, 1000, 5000), 5000);
  EXPECT_EQ(pass->take_share(row_loss, 2 * budget, 3 * budget), 3 * budget);
  EXPECT_THAT(numbers_of(sums_of(*pass, problem.observed(Rows::common), sides, {})),
              testing::ContainerEq(wanted));
  EXPECT_LE(runs.launches, 2 * launches) << "a share of the host does not cut the walk";
  constexpr std::int64_t nobody_has = std::int64_t{1} << 56;
  oracle::expect_refused([&] { pass->take_share(row_loss, nobody_has, nobody_has); },
                         "memory of the host", "of its searches", "fit fewer targets");
  EXPECT_LT(pass->take_share(row_loss, 1000, nobody_has), nobody_has);
}

/// The observations, and how often they were read. All data that are read are copied to the device.
class CountedRows final : public glm::Observed {
 public:
  CountedRows(const glm::ObservedArrays& all, double more) : m_all(all), m_more(more) {}
  [[nodiscard]] std::int64_t rows() const override { return m_all.rows(); }
  [[nodiscard]] std::int64_t targets() const override { return m_all.targets(); }
  [[nodiscard]] bool has_offset() const override { return m_all.has_offset(); }
  [[nodiscard]] bool weights_follow_targets() const override {
    return m_all.weights_follow_targets();
  }
  void read_targets(std::int64_t target, Range rows, double* values) const override {
    m_all.read_targets(target, rows, values);
    for (std::int64_t i = 0; i < rows.size(); ++i) values[i] += m_more;
    of_targets += rows.size();
  }
  void read_weights(const glm::RowsOf& choice, Range rows, double* weights) const override {
    m_all.read_weights(choice, rows, weights);
    of_weights += rows.size();
  }
  void read_offsets(std::int64_t target, Range rows, double* offsets) const override {
    m_all.read_offsets(target, rows, offsets);
    of_offsets += rows.size();
  }

  mutable std::int64_t of_targets = 0;  ///< rows that were read
  mutable std::int64_t of_weights = 0;
  mutable std::int64_t of_offsets = 0;

 private:
  const glm::ObservedArrays& m_all;
  double m_more;
};

std::vector<double> counted_sums(glm::Pass& pass, const CountedRows& observed, const Sides& sides) {
  const glm::RowLoss loss = glm::bind(Setting().loss, pass.choice().instruction_set);
  std::vector<glm::Sums> sums(sides.requests.size());
  pass.evaluate(loss, observed, sides.requests, glm::Arithmetic::double_products, 1, sums);
  return numbers_of(sums);
}

/// Within a fit, targets, weights and offsets are copied to the device once, by however many waves.
TEST(DevicePass, CopiesWhatWasObservedOnceAFit) {
  const Problem<float> problem(17000, 3, 2);  // three blocks
  const glm::ObservedArrays all = problem.observed(Rows::common);
  const glm::RowLoss loss(Setting().loss);
  Sides sides(2, problem.p, problem.targets, Setting().loss);
  for (glm::Request& request : sides.requests) request.rows = {.target = request.rows.target};
  for (const std::int64_t budget : {mebibytes(64), std::int64_t{2'000'000}}) {
    SCOPED_TRACE(budget);
    Runs runs;
    const auto pass = pass_over(problem.matrix(), runs, budget);
    std::optional<CountedRows> observed(std::in_place, all, 0.0);
    const std::vector<double> wanted = counted_sums(*pass, *observed, sides);
    counted_sums(*pass, *observed, sides);
    EXPECT_EQ(observed->of_targets, 2 * 2 * problem.n) << "no fit: each walk";
    const std::int64_t held = pass->held_bytes();
    {
      const glm::FitShare share(*pass, loss, 1000, 1000);
      observed.emplace(all, 0.0);
      for (int walk = 0; walk < 3; ++walk) {
        EXPECT_THAT(counted_sums(*pass, *observed, sides), testing::ContainerEq(wanted));
      }
      EXPECT_EQ(observed->of_targets, 2 * problem.n);
      EXPECT_EQ(observed->of_weights, problem.n) << "one for both targets";
      EXPECT_EQ(observed->of_offsets, 2 * problem.n);
      EXPECT_GE(pass->held_bytes(), held + 5 * 8 * problem.n) << "what is kept is counted";
      // Other values are not mistaken for those before, which were at the same address.
      observed.emplace(all, 1.0);
      EXPECT_NE(counted_sums(*pass, *observed, sides), wanted);
    }
    EXPECT_EQ(pass->held_bytes(), held);
  }
}

/// Where the budget has no room for them, each walk has copies.
TEST(DevicePass, CopiesWhatWasObservedInEachWalkWithoutRoom) {
  const Problem<float> problem(3000, 3, 2);
  const glm::ObservedArrays all = problem.observed(Rows::own);
  const glm::RowLoss loss(Setting().loss);
  Sides sides(2, problem.p, problem.targets, Setting().loss);
  for (glm::Request& request : sides.requests) request.rows = {.target = request.rows.target};
  const CountedRows observed(all, 0.0);
  Runs runs;
  const auto large = pass_over(problem.matrix(), runs);
  const std::vector<double> wanted = counted_sums(*large, observed, sides);
  std::set<std::int64_t> reads;  // of three walks, in rows
  std::int64_t refused = 0;
  for (std::int64_t budget = 100'000; budget < 800'000; budget += 40'000) {
    SCOPED_TRACE(budget);
    std::shared_ptr<Pass> pass;
    std::optional<glm::FitShare> share;
    try {
      pass = pass_over(problem.matrix(), runs, budget);
      share.emplace(*pass, loss, 1000, 1000);
    } catch (const Error&) {  // the least is some budget between
      ++refused;
      continue;
    }
    observed.of_targets = observed.of_weights = observed.of_offsets = 0;
    for (int walk = 0; walk < 3; ++walk) {
      EXPECT_THAT(counted_sums(*pass, observed, sides), testing::ContainerEq(wanted));
    }
    EXPECT_LE(pass->held_bytes(), budget);
    reads.insert(observed.of_targets + observed.of_weights + observed.of_offsets);
  }
  EXPECT_GT(refused, 0);
  EXPECT_EQ(*reads.begin(), 6 * problem.n) << "six arrays, once";
  EXPECT_EQ(*reads.rbegin(), 3 * 6 * problem.n) << "in each walk";
  EXPECT_GT(reads.size(), 2U) << "some are kept, and some are not";
}

TEST(DevicePass, NamesTheLeastBudget) {
  const Problem<double> problem(9000, 4, 1);
  const Loss loss{Family::poisson, InverseLink::exp};
  Runs runs;
  std::int64_t least = 0;
  try {
    pass_over(problem.matrix(), runs, 1000);
    FAIL() << "1000 bytes are enough";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("options.budget: 1000 bytes are not enough"));
    const std::string text = error.what();
    least = std::stoll(text.substr(text.find("at least ") + 9));
  }
  Sides sides(1, problem.p, 1, loss);
  sides.requests[0].wants_hessian = false;
  sides.requests[0].wants_scale = false;
  const auto pass = pass_over(problem.matrix(), runs, least);
  const auto few = sums_of(*pass, problem.observed(Rows::common), sides, {});
  const auto all =
      sums_of(*pass_over(problem.matrix(), runs), problem.observed(Rows::common), sides, {});
  EXPECT_THAT(numbers_of(few), testing::ContainerEq(numbers_of(all)));
}

/// Features that a plan computes, kept or computed again by waves.
TEST(DevicePass, ComputesFeatures) {
  constexpr std::int64_t n = 1500;
  std::mt19937_64 random(9);
  std::normal_distribution<float> normal;
  std::vector<float> samples(n);
  std::vector<double> counts(n);
  for (float& value : samples) value = normal(random);
  for (double& value : counts) value = static_cast<double>(random() % 3);
  const Expression expression = conv(RaisedCosineLog{.bases = 4}, {.window = 30});
  const AnySeries series{Strided(samples.data(), {n})};
  const glm::ObservedArrays observed({.targets = Strided(counts.data(), {n})}, n);
  const Space exec;
  const DesignMatrix host(exec, expression, {series});
  const Setting setting{.sides = 2};
  Sides sides(2, 4, 1, setting.loss);
  for (glm::Request& request : sides.requests) request.rows = {};
  const std::vector<double> wanted = numbers_of(sums_of(host.pass(), observed, sides, setting));
  std::vector<double> first;
  for (const Keep keep : {Keep::nothing, Keep::features, Keep::automatic}) {
    Runs runs;
    DesignMatrixOptions options;
    options.keep = keep;
    auto panels = glm::computed_panels(
        exec, expression, {&series, 1}, options, mebibytes(64),
        [](std::int64_t columns) { return glm::least_device_pass_bytes(n, columns, columns * 4); });
    Pass pass(exec, MockLaunch{&runs}, std::move(panels), options, mebibytes(64));
    EXPECT_EQ(pass.choice().source, keep == Keep::nothing ? RowSource::computed : RowSource::kept);
    for (int walk = 0; walk < 2; ++walk) {
      const std::vector<double> found = numbers_of(sums_of(pass, observed, sides, setting));
      EXPECT_TRUE(are_near(found, wanted, largest_of(wanted), 1e-12));
      if (first.empty()) first = found;
      EXPECT_THAT(found, testing::ContainerEq(first));
    }
    EXPECT_THAT(std::vector<std::uint64_t>(pass.valid().begin(), pass.valid().end()),
                testing::ElementsAreArray(host.pass().valid()));
  }
}

/// Solvers on the host use only the results of the pass.
TEST(DevicePass, IsFitted) {
  const Problem<double> problem(900, 3, 2);
  Runs runs;
  const DesignMatrix on_device(pass_over(problem.matrix(), runs));
  const DesignMatrix on_host(Space(), problem.matrix());
  const Observations observations = problem.observations(Rows::common);
  FitOptions options;
  options.loss = {Family::poisson, InverseLink::exp};
  const FitResult found = fit(on_device, observations, options);
  const FitResult wanted = fit(on_host, observations, options);
  EXPECT_TRUE(are_near(found.coefficients, wanted.coefficients, 1.0, 1e-6));
  EXPECT_TRUE(are_near(found.intercepts, wanted.intercepts, 1.0, 1e-6));
}

}  // namespace
}  // namespace device_pass_tests
