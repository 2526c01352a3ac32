// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/event_case.hpp"
#include "golden/golden_file.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <vector>

// Products with designs of events against numbers that NumPy computed.

namespace event_golden_tests {
namespace {

using namespace glm_test;
using testing::Lt;

std::vector<std::int64_t> integers(const golden::Group& group, const char* name) {
  const golden::Array array = group.array(name);
  return {array.values.begin(), array.values.end()};
}

/// A case as a pass with its targets.
EventCase read_case(const golden::Group& group) {
  EventCase made;
  made.rows = *group.integer("samples");
  const std::vector<std::int64_t> epochs = integers(group, "epochs");
  for (std::size_t i = 0; i < epochs.size(); i += 2) {
    made.epochs.push_back({epochs[i], epochs[i + 1]});
  }
  CaseTerm term;
  term.channels = *group.integer("channels");
  term.window = *group.integer("window");
  term.bases = *group.integer("bases");
  const std::string causality = *group.text("causality");
  term.causality = causality == "acausal" ? Causality::acausal : Causality::causal;
  term.shift = *group.integer("shift") == 1 ? Shift::on : Shift::off;
  std::vector<Events::Train> trains(static_cast<std::size_t>(term.channels));
  const std::vector<std::int64_t> samples = integers(group, "sample");
  const std::vector<std::int64_t> channels = integers(group, "channel");
  const std::vector<std::int64_t> counts = integers(group, "count");
  for (std::size_t e = 0; e < samples.size(); ++e) {
    Events::Train& train = trains[static_cast<std::size_t>(channels[e])];
    train.samples.push_back(samples[e]);
    train.counts.push_back(static_cast<float>(counts[e]));
  }
  made.add(Events(made.rows, trains, made.epochs), group.array("taps").values, term);
  made.finish();
  return made;
}

/// Rows with the targets and weights of a case.
CaseRows rows_of(const EventCase& made, const std::vector<double>& targets,
                 const std::vector<double>& weights) {
  CaseRows rows(1, made.rows, 1, true);
  for (std::int64_t t = 0; t < made.rows; ++t) {
    rows.value(t, 0) = targets[static_cast<std::size_t>(t)];
    if (!weights.empty()) rows.weight(t) = weights[static_cast<std::size_t>(t)];
  }
  return rows;
}

void check_case(const golden::Group& group) {
  const EventCase made = read_case(group);
  const auto pass = pass_of(made, 2);
  const auto size = static_cast<std::size_t>(made.columns + 1);
  const std::vector<double> b = group.array("b").values;
  const golden::Array residuals = group.array("r");
  const std::int64_t n = residuals.extents[1];
  std::vector<double> sums(static_cast<std::size_t>(made.columns * n));
  pass->apply_adjoint(Strided(residuals.values.data(), {made.rows, n}), sums.data());
  EXPECT_THAT(distance(sums, group.array("xtr").values), Lt(1e-12));
  std::vector<double> found(static_cast<std::size_t>(made.rows * n));
  pass->apply(b.data(), n, {0, made.rows}, found.data());
  const std::vector<double> expected = group.array("xb").values;
  const std::vector<double> valid = group.array("valid").values;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto row = i / static_cast<std::size_t>(n);
    EXPECT_EQ(std::isfinite(found[i]), valid[row] > 0);
    if (valid[row] > 0) {
      EXPECT_NEAR(found[i], expected[i], 1e-12);
    }
  }
  const std::vector<double> targets = group.array("y").values;
  std::vector<double> gram(size * size);
  pass->gram(rows_of(made, targets, {}), {}, glm::Arithmetic::double_products, gram.data());
  EXPECT_THAT(distance(gram, group.array("gram").values), Lt(1e-12));
  pass->gram(rows_of(made, targets, group.array("d").values), {}, glm::Arithmetic::double_products,
             gram.data());
  EXPECT_THAT(distance(gram, group.array("xtdx").values), Lt(1e-12));
  std::vector<double> parameters;
  for (std::int64_t j = 0; j < made.columns; ++j) {
    parameters.push_back(b[static_cast<std::size_t>(j * n)]);
  }
  parameters.push_back(-0.5);
  glm::Request request{parameters.data()};
  request.wants_hessian = request.wants_scale = true;
  glm::Sums evaluated;
  pass->evaluate(poisson(), rows_of(made, targets, {}), {&request, 1},
                 glm::Arithmetic::double_products, 1, {&evaluated, 1});
  for (double& value : evaluated.gradient) value /= evaluated.weight;
  for (double& value : evaluated.hessian) value /= evaluated.weight;
  for (double& value : evaluated.scale) value /= evaluated.weight;
  EXPECT_NEAR(evaluated.loss / evaluated.weight, group.array("evaluate_loss").values.front(),
              1e-12);
  EXPECT_THAT(
      distance(evaluated.gradient, group.array("evaluate_gradient").values, evaluated.scale),
      Lt(1e-12));
  EXPECT_THAT(distance(evaluated.hessian, group.array("evaluate_hessian").values), Lt(1e-12));
}

TEST(EventGolden, ProductsAgreeWithNumPy) {
  const golden::File file(FIT_OPERATORS_FILE);
  int cases = 0;
  for (const std::string& name : file.groups()) {
    const golden::Group group = file.group(name);
    if (group.text("kind") != "events") continue;
    SCOPED_TRACE(name);
    check_case(group);
    ++cases;
  }
  EXPECT_GE(cases, 6);
}

}  // namespace
}  // namespace event_golden_tests
