// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The scores that NeMoS gives at the answers of golden/fits.h5.

#include "glm/host_array.hpp"
#include "golden/golden_file.hpp"

#include <synelix/glm_score.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace score_golden_tests {

namespace sx = synelix;
using oracle::HostMatrix;

namespace {

sx::Family family_of(const std::string& name) {
  if (name == "gaussian") return sx::Family::gaussian;
  if (name == "poisson") return sx::Family::poisson;
  if (name == "bernoulli") return sx::Family::bernoulli;
  if (name == "gamma") return sx::Family::gamma;
  if (name == "negativebinomial") return sx::Family::negative_binomial;
  EXPECT_EQ(name, "categorical");
  return sx::Family::categorical;
}

sx::InverseLink link_of(const std::string& name) {
  for (const sx::InverseLink link :
       {sx::InverseLink::exp, sx::InverseLink::softplus, sx::InverseLink::logistic,
        sx::InverseLink::norm_cdf, sx::InverseLink::one_over_x, sx::InverseLink::identity}) {
    if (name == sx::name_of(link)) return link;
  }
  EXPECT_EQ(name, "log_softmax");
  return sx::InverseLink::softmax;
}

HostMatrix matrix_of(const golden::Array& array) {
  HostMatrix matrix(array.extents[0], array.rank() > 1 ? array.extents[1] : 1);
  matrix.values = array.values;
  return matrix;
}

/// The answer of a case as the result of a fit.
sx::FitResult model_of(const golden::Group& group, std::int64_t columns, std::int64_t targets) {
  sx::FitResult model;
  model.columns = columns;
  model.targets = targets;
  model.loss.family = family_of(group.text("family").value());
  model.loss.inverse_link = link_of(group.text("inverse_link").value());
  model.loss.dispersion = group.number("alpha").value_or(1.0);
  model.loss.classes = group.integer("classes").value_or(2);
  if (model.loss.family == sx::Family::categorical) model.classes = model.loss.classes;
  model.coefficients = group.array("coef").values;
  model.intercepts = group.array("intercept").values;
  const bool has_scale =
      model.loss.family == sx::Family::gaussian || model.loss.family == sx::Family::gamma;
  if (has_scale) model.scale = group.array("scale").values;
  return model;
}

}  // namespace

TEST(ScoreGolden, IsThatOfNemos) {
  const golden::File file(FITS_FILE);
  const golden::Group fits = file.group("fits");
  std::int64_t cases = 0;
  for (const std::string& name : fits.groups()) {
    SCOPED_TRACE(name);
    const golden::Group group = fits.group(name);
    const std::string design_name = group.text("design").value();
    const HostMatrix x = matrix_of(file.group("designs").group(design_name).array("features"));
    HostMatrix y = matrix_of(group.array("y"));
    const sx::FitResult model = model_of(group, x.columns, y.columns);
    const sx::DesignMatrix design(Kokkos::DefaultHostExecutionSpace(), x.in());
    const sx::ScoreResult found = sx::score(design, {.targets = y.in()}, model);
    const std::vector<double> expected = group.array("score").values;
    EXPECT_NEAR(found.all.log_likelihood, expected[0], 1e-8 * std::fabs(expected[0]) + 1e-9);
    EXPECT_NEAR(found.all.pseudo_r2_mcfadden, expected[1], 1e-8);
    EXPECT_NEAR(found.all.pseudo_r2_cohen, expected[2], 1e-8);
    ++cases;
  }
  EXPECT_EQ(cases, 58);
}

TEST(PredictGolden, IsThatOfNemos) {
  const golden::File file(FITS_FILE);
  const golden::Group fits = file.group("fits");
  for (const std::string& name : fits.groups()) {
    SCOPED_TRACE(name);
    const golden::Group group = fits.group(name);
    const std::string design_name = group.text("design").value();
    const HostMatrix x = matrix_of(file.group("designs").group(design_name).array("features"));
    const HostMatrix y = matrix_of(group.array("y"));
    const sx::FitResult model = model_of(group, x.columns, y.columns);
    const sx::DesignMatrix design(Kokkos::DefaultHostExecutionSpace(), x.in());
    const std::int64_t each = y.columns * model.classes;
    HostMatrix rates(x.rows, each);
    if (model.classes > 1) {
      sx::predict(design, model, sx::StridedOutput(rates.values.data(), {x.rows, 1, each}));
    } else {
      sx::predict(design, model, rates.out());
    }
    const golden::Array expected = group.array("rate");
    // Rows at equal distances of all, or of the classifier the first ones.
    const std::int64_t step = model.classes > 1 ? 1 : std::max<std::int64_t>(1, x.rows / 200);
    for (std::int64_t k = 0; k < expected.extents[0]; ++k) {
      for (std::int64_t i = 0; i < each; ++i) {
        const double rate = expected.values[static_cast<std::size_t>(k * each + i)];
        const double mine = rates(k * step, i);
        if (std::isnan(rate)) {
          ASSERT_TRUE(std::isnan(mine)) << k;
        } else {
          ASSERT_NEAR(mine, rate, 1e-9 * (1 + std::fabs(rate))) << k << " " << i;
        }
      }
    }
  }
}

}  // namespace score_golden_tests
