// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/pass/pass.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "golden/golden_file.hpp"

#include <synelix/design_matrix.hpp>
#include <synelix/features.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

// Products of design matrices against numbers that NumPy computed from explicit loops in double
// (golden/make_fit_operators.py).

namespace {

using namespace synelix;
using Space = Kokkos::DefaultHostExecutionSpace;

/// Arrays that a design refers to, and the design.
struct Case {
  std::deque<golden::Array> arrays;
  std::deque<std::vector<float>> floats;
  std::deque<StridedSeries> series;
  std::deque<Events> events;
  std::vector<AnySeries> inputs;
  std::unique_ptr<DesignMatrix> design;
  double tolerance = 2e-6;

  const golden::Array& keep(golden::Array array) {
    arrays.push_back(std::move(array));
    return arrays.back();
  }
};

Strided strided(const golden::Array& array) {
  return {array.values.data(), std::span<const std::int64_t>(array.extents)};
}

std::vector<Epoch> epochs_of(const golden::Group& group) {
  std::vector<Epoch> epochs;
  if (!group.has("epochs")) return epochs;
  const golden::Array found = group.array("epochs");
  for (std::size_t i = 0; i < found.values.size(); i += 2) {
    epochs.push_back({static_cast<std::int64_t>(found.values[i]),
                      static_cast<std::int64_t>(found.values[i + 1])});
  }
  return epochs;
}

Expression filters(const golden::Group& group, const std::string& name, const std::string& label) {
  const golden::Array taps = group.array(name);
  ConvTerm term;
  term.window = taps.extents[0];
  term.label = label;
  const std::string causality = group.text("causality").value_or("causal");
  if (causality == "acausal") term.causality = Causality::acausal;
  if (causality == "anti-causal") term.causality = Causality::anti_causal;
  term.shift = group.integer("shift").value_or(1) != 0 ? Shift::on : Shift::off;
  return conv(CustomTaps{.window = taps.extents[0], .bases = taps.extents[1], .taps = taps.values},
              term);
}

Events events_of(const golden::Group& group, std::vector<Epoch> epochs) {
  const auto channels = static_cast<std::size_t>(*group.integer("channels"));
  std::vector<Events::Train> trains(channels);
  const golden::Array samples = group.array("sample");
  const golden::Array channel = group.array("channel");
  const golden::Array count = group.array("count");
  for (std::size_t i = 0; i < samples.values.size(); ++i) {
    Events::Train& train = trains[static_cast<std::size_t>(channel.values[i])];
    train.samples.push_back(static_cast<std::int64_t>(samples.values[i]));
    train.counts.push_back(static_cast<float>(count.values[i]));
  }
  return {*group.integer("samples"), trains, std::move(epochs)};
}

Expression position_and_speed() {
  return eval(BSpline{.bases = 5, .order = 4}, {.bounds = {{0.0, 1.0}}, .label = "position"}) *
         eval(BSpline{.bases = 4, .order = 3}, {.bounds = {{0.0, 1.0}}, .label = "speed"});
}

/// A column of a matrix as a series.
Strided column(const golden::Array& array, std::int64_t number) {
  const std::int64_t columns = array.extents[1];
  return {array.values.data() + number, {array.extents[0]}, {columns}};
}

std::unique_ptr<Case> read_case(const golden::Group& group, bool is_double,
                                const DesignMatrixOptions& options) {
  auto result = std::make_unique<Case>();
  const std::string kind = group.text("kind").value();
  const Space exec;
  if (kind == "dense") {
    const golden::Array& features = result->keep(group.array("features"));
    if (is_double) {
      result->tolerance = 1e-12;
      result->design = std::make_unique<DesignMatrix>(exec, strided(features), options);
    } else {
      result->floats.emplace_back(features.values.begin(), features.values.end());
      const Strided floats(result->floats.back().data(),
                           std::span<const std::int64_t>(features.extents));
      result->design = std::make_unique<DesignMatrix>(exec, floats, options);
    }
    return result;
  }
  std::vector<Epoch> epochs = epochs_of(group);
  const auto add_series = [&](const Strided& samples) {
    result->series.emplace_back(samples, SeriesOptions{.epochs = epochs});
    result->inputs.emplace_back(result->series.back());
  };
  const auto add_events = [&] {
    result->events.push_back(events_of(group, epochs));
    result->inputs.emplace_back(result->events.back());
  };
  std::unique_ptr<Expression> expression;
  if (kind == "conv") {
    add_series(strided(result->keep(group.array("series"))));
    expression = std::make_unique<Expression>(filters(group, "taps", ""));
  } else if (kind == "events") {
    add_events();
    expression = std::make_unique<Expression>(filters(group, "taps", ""));
  } else if (kind == "eval") {
    add_series(strided(result->keep(group.array("series"))));
    expression = std::make_unique<Expression>(
        eval(BSpline{.bases = 5, .order = 4}, {.bounds = {{0.0, 1.0}}}));
  } else if (kind == "product") {
    const golden::Array& series = result->keep(group.array("series"));
    add_series(column(series, 0));
    add_series(column(series, 1));
    expression = std::make_unique<Expression>(position_and_speed());
  } else {
    add_events();
    add_series(strided(result->keep(group.array("series"))));
    add_series(strided(result->keep(group.array("position"))));
    add_series(strided(result->keep(group.array("speed"))));
    expression = std::make_unique<Expression>(filters(group, "taps", "spikes") +
                                              filters(group, "series_taps", "fields") +
                                              position_and_speed());
  }
  result->design = std::make_unique<DesignMatrix>(
      exec, *expression, std::span<const AnySeries>(result->inputs), options);
  return result;
}

void expect_near(const std::string& name, const std::vector<double>& found,
                 const std::vector<double>& expected, double relative) {
  ASSERT_EQ(found.size(), expected.size()) << name;
  double largest = 0;
  for (const double value : expected) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << name << " " << i;
    } else {
      ASSERT_NEAR(found[i], expected[i], relative * largest) << name << " " << i;
    }
  }
}

std::vector<double> zeros(std::int64_t count) {
  return std::vector<double>(static_cast<std::size_t>(count), 7.0);
}

void check_products(const golden::Group& group, const Case& found) {
  const DesignMatrix& design = *found.design;
  const std::int64_t n = design.rows();
  const std::int64_t p = design.columns();
  const golden::Array b = group.array("b");
  const golden::Array r = group.array("r");
  const golden::Array d = group.array("d");
  const std::int64_t vectors = b.extents[1];
  std::vector<double> result = zeros(n * vectors);
  design.apply(strided(b), StridedOutput(result.data(), {n, vectors}));
  expect_near("xb", result, group.array("xb").values, found.tolerance);
  result = zeros(p * vectors);
  design.apply_adjoint(strided(r), StridedOutput(result.data(), {p, vectors}));
  expect_near("xtr", result, group.array("xtr").values, found.tolerance);
  result = zeros((p + 1) * (p + 1));
  const StridedOutput square(result.data(), {p + 1, p + 1});
  design.gram(square);
  expect_near("gram", result, group.array("gram").values, found.tolerance);
  design.gram_weighted(strided(d), square);
  const std::vector<double> xtdx = group.array("xtdx").values;
  expect_near("xtdx", result, xtdx, found.tolerance);
  for (const Range rows : {Range{0, 1}, Range{p / 2, p + 1}, Range{p, p + 1}}) {
    std::vector<double> some = zeros(rows.size() * (p + 1));
    design.gram_rows(rows, strided(d), StridedOutput(some.data(), {rows.size(), p + 1}));
    expect_near("rows of xtdx", some,
                {xtdx.begin() + rows.begin * (p + 1), xtdx.begin() + rows.end * (p + 1)},
                found.tolerance);
  }
  const std::vector<double> valid = group.array("valid").values;
  std::vector<double> is_valid(valid.size(), 0.0);
  for (const Range range : design.valid_rows()) {
    for (std::int64_t t = range.begin; t < range.end; ++t)
      is_valid[static_cast<std::size_t>(t)] = 1;
  }
  EXPECT_EQ(is_valid, valid);
}

void check_evaluation(const golden::Group& group, const Case& found) {
  const DesignMatrix& design = *found.design;
  const golden::Array y = group.array("y");
  const golden::Array b = group.array("b");
  RightHandSide side;
  for (std::int64_t j = 0; j < design.columns(); ++j) {
    side.parameters.push_back(b.values[static_cast<std::size_t>(j * b.extents[1])]);
  }
  side.parameters.push_back(-0.5);
  side.wants_hessian = true;
  const Observations observations{.targets = strided(y)};
  for (const bool precise : {true, false}) {
    const double tolerance = precise ? found.tolerance : std::max(found.tolerance, 2e-6);
    // Alone, and among so many that they are multiplied as a matrix.
    for (const std::size_t copies : {1U, 17U}) {
      const std::vector<RightHandSide> sides(copies, side);
      for (const Evaluation& one : design.evaluate({}, observations, sides, precise)) {
        expect_near("loss", {one.loss}, group.array("evaluate_loss").values, tolerance);
        expect_near("gradient", one.gradient, group.array("evaluate_gradient").values, tolerance);
        expect_near("hessian", one.hessian, group.array("evaluate_hessian").values, tolerance);
      }
    }
  }
}

void check_folds(const golden::Group& group, const Case& found) {
  const DesignMatrix& design = *found.design;
  const std::int64_t size = design.columns() + 1;
  const golden::Array folds = group.array("folds");
  const golden::Array y = group.array("y");
  const std::vector<double> grams = group.array("fold_gram").values;
  const glm::ObservedArrays observed({.targets = strided(y)}, design.rows(),
                                     {folds.values.begin(), folds.values.end()});
  for (int fold = 0; fold < 3; ++fold) {
    std::vector<double> result = zeros(size * size);
    design.pass().gram(observed, {.target = 0, .folds = glm::RowsOf::Fold::only, .fold = fold},
                       glm::Arithmetic::double_products, result.data());
    expect_near("gram of a fold", result,
                {grams.begin() + fold * size * size, grams.begin() + (fold + 1) * size * size},
                found.tolerance);
  }
}

TEST(DesignMatrixGolden, AgreesForEveryKeep) {
  const golden::File file(FIT_OPERATORS_FILE);
  std::int64_t cases = 0;
  for (const std::string& name : file.groups()) {
    SCOPED_TRACE(name);
    const golden::Group group = file.group(name);
    const bool is_dense = group.text("kind").value() == "dense";
    for (const Keep keep : {Keep::automatic, Keep::nothing, Keep::features}) {
      const auto found = read_case(group, is_dense && keep != Keep::features, {.keep = keep});
      const RowSource source = found->design->choice().source;
      if (is_dense) {
        EXPECT_EQ(source, RowSource::stored);
      } else if (keep == Keep::features) {
        EXPECT_EQ(source, RowSource::kept);
      }
      check_products(group, *found);
      check_evaluation(group, *found);
      check_folds(group, *found);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 21);
}

TEST(DesignMatrixGolden, TermsAreThoseOfTheExpression) {
  const golden::File file(FIT_OPERATORS_FILE);
  const auto sum = read_case(file.group("sum_events_conv_product"), false, {});
  ASSERT_EQ(sum->design->terms().size(), 3U);
  EXPECT_EQ(sum->design->terms()[1].label, "fields");
  EXPECT_EQ(sum->design->terms()[2].columns, (Range{18, 38}));
  const auto dense = read_case(file.group("dense"), true, {});
  ASSERT_EQ(dense->design->terms().size(), 1U);
  EXPECT_EQ(dense->design->terms()[0].columns, (Range{0, 9}));
}

}  // namespace
