// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/pass/pass.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "golden/fits/design_case.hpp"

#include <synelix/design_matrix.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

// Design matrices on the cases of golden/make_fit_operators.py: the parts that synelix_fit_check
// does not test.

namespace design_matrix_tests {
namespace {

using namespace synelix;
using golden::InputPlace;
using golden::read_design_case;

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

void check_folds(const golden::Group& group, const golden::DesignCase& found) {
  const DesignMatrix& design = *found.design;
  const std::int64_t size = design.columns() + 1;
  const golden::Array folds = group.array("folds");
  const golden::Array y = group.array("y");
  const std::vector<double> grams = group.array("fold_gram").values;
  const glm::ObservedArrays observed({.targets = golden::strided(y)}, design.rows(),
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

TEST(DesignMatrixGolden, SumsOfFoldsAgree) {
  const golden::File file(FIT_OPERATORS_FILE);
  std::int64_t cases = 0;
  for (const std::string& name : file.groups()) {
    SCOPED_TRACE(name);
    const golden::Group group = file.group(name);
    const bool is_dense = group.text("kind").value() == "dense";
    for (const Keep keep : {Keep::automatic, Keep::nothing, Keep::features}) {
      const auto found = read_design_case(group, is_dense && keep != Keep::features,
                                          InputPlace::memory, {.keep = keep});
      const RowSource source = found->design->choice().source;
      if (is_dense) {
        EXPECT_EQ(source, RowSource::stored);
      } else if (keep == Keep::features) {
        EXPECT_EQ(source, RowSource::kept);
      }
      check_folds(group, *found);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 21);
}

TEST(DesignMatrixGolden, TermsAreThoseOfTheExpression) {
  const golden::File file(FIT_OPERATORS_FILE);
  const auto sum =
      read_design_case(file.group("sum_events_conv_product"), false, InputPlace::memory, {});
  ASSERT_EQ(sum->design->terms().size(), 3U);
  EXPECT_EQ(sum->design->terms()[1].label, "fields");
  EXPECT_EQ(sum->design->terms()[2].columns, (Range{18, 38}));
  const auto dense = read_design_case(file.group("dense"), true, InputPlace::memory, {});
  ASSERT_EQ(dense->design->terms().size(), 1U);
  EXPECT_EQ(dense->design->terms()[0].columns, (Range{0, 9}));
}

}  // namespace
}  // namespace design_matrix_tests
