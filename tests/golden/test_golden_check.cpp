// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program synelix_golden_check: that it passes on the golden file, and that it can fail. Each
// test that expects a difference changes one number of a copy.

#include "golden/changed_copy.hpp"
#include "golden/convolution_case.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace golden_check_tests {
namespace {

namespace fs = std::filesystem;
using golden::Report;
using testing::HasSubstr;
using testing::Not;

Report run_check(const std::string& arguments) {
  return golden::run_program(GOLDEN_CHECK_PROGRAM, arguments);
}

class GoldenCopy : public golden::ChangedCopy {
 protected:
  GoldenCopy() : ChangedCopy(GOLDEN_CHECK_PROGRAM, GOLDEN_FILE) {}
};

TEST(GoldenCheck, AgreesWithTheGoldenFile) {
  const Report report = run_check(GOLDEN_FILE);
  EXPECT_EQ(report.status, 0) << report.output;
  EXPECT_THAT(report.output, Not(HasSubstr("DIFFERS")));
  EXPECT_THAT(report.output, HasSubstr("107 of 117 cases checked, 0 differ\n"));
}

TEST_F(GoldenCopy, OneTapMovedByTenTolerances) {
  move("/basis/rclog_K8_W100/matrix", 137, 1e-11);
  expect_difference("/basis/rclog_K8_W100");
}

TEST_F(GoldenCopy, OneTapOfAColumnWithATolerance) {
  move("/basis/orth_K3_W20/matrix", 11 * 3 + 1, 2.8e-12);  // column_tol[1] is 2.8e-13
  expect_difference("/basis/orth_K3_W20");
}

TEST_F(GoldenCopy, SignOfAnOrthonormalColumnIsFree) {
  std::vector<double> matrix = read("/basis/orth_K3_W20/matrix");
  for (std::size_t i = 2; i < matrix.size(); i += 3) matrix[i] = -matrix[i];
  write("/basis/orth_K3_W20/matrix", matrix);
  const Report report = run_check(m_path.string());
  EXPECT_EQ(report.status, 0) << report.output;
}

class GoldenConvolution : public GoldenCopy, public testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] golden::ConvolutionCase read_case() const {
    return golden::read_case(golden::File(m_path).group("conv").group(GetParam()), "");
  }
  [[nodiscard]] std::string name() const { return std::string("/conv/") + GetParam(); }
};

TEST_P(GoldenConvolution, OneFeatureMovedByTenTolerances) {
  const golden::ConvolutionCase item = read_case();
  std::size_t index = item.out.values.size() - 1;
  while (!std::isfinite(item.out.values[index])) --index;
  move(name() + "/out", index, 10 * item.relative_tolerance * item.scale());
  expect_difference(name());
}

TEST_P(GoldenConvolution, OneNaNMoved) {
  std::vector<double> out = read_case().out.values;
  std::size_t index = 0;  // of a NaN and a number
  while (std::isnan(out[index]) == std::isnan(out[index + 1])) ++index;
  std::swap(out[index], out[index + 1]);
  write(name() + "/out", out);
  expect_difference(name());
}

TEST_P(GoldenConvolution, OneValidRowMoved) {
  std::vector<double> valid = read(name() + "/valid");
  valid.back() = 1.0 - valid.back();
  write(name() + "/valid", valid);
  expect_difference(name());
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenConvolution,
                         testing::Values("hand_W4_acausal", "axis1_4d_2_9_3_2",
                                         "epochs_21_26_W5_causal_shift", "integer_input",
                                         "nan_input", "long_epochs_n4000_W200_mspl"),
                         [](const auto& test) { return std::string(test.param); });

TEST_F(GoldenCopy, OneInfinityOfTheOtherSign) {
  std::vector<double> out = read("/conv/inf_input/out");
  const auto infinity =
      std::find_if(out.begin(), out.end(), [](double v) { return std::isinf(v); });
  ASSERT_NE(infinity, out.end());
  *infinity = -*infinity;
  write("/conv/inf_input/out", out);
  expect_difference("/conv/inf_input");
}

TEST_F(GoldenCopy, OneValueOfATrial) {
  move("/trials/three_lengths/out_1", 40, 1e-9);
  expect_difference("/trials/three_lengths");
}

TEST_F(GoldenCopy, OneValueOfEvalMode) {
  const std::vector<double> matrix = read("/eval/MSpline_bounds/matrix");
  std::size_t index = matrix.size() - 1;
  while (!std::isfinite(matrix[index])) --index;
  move("/eval/MSpline_bounds/matrix", index, 1e-11);
  expect_difference("/eval/MSpline_bounds");
}

TEST_F(GoldenCopy, OneValueOfAFourierBasis) {
  move("/fourier/fourier_2d_callable/matrix", 5, 1e-11);
  expect_difference("/fourier/fourier_2d_callable");
}

TEST_F(GoldenCopy, OneFeatureOfAProductAndOneOfASplit) {
  const std::size_t last = read("/features/multiplicative/out").size() - 1;
  move("/features/multiplicative/out", last, 1e-9);
  expect_difference("/features/multiplicative");
  move("/features/multiplicative/out", last, -1e-9);
  move("/splits/additive/component1", read("/splits/additive/component1").size() - 1, 1e-9);
  expect_difference("/splits/additive");
}

TEST(GoldenCheck, UsageAndFilesThatCannotBeRead) {
  EXPECT_EQ(run_check("").status, 2);
  EXPECT_THAT(run_check("").output, HasSubstr("usage: synelix_golden_check FILE"));
  EXPECT_EQ(run_check("/no/such/file.h5").status, 2);
  const fs::path path =
      fs::temp_directory_path() / ("synelix_golden_text_" + std::to_string(getpid()));
  std::ofstream(path) << "not HDF5\n";
  const Report report = run_check(path.string());
  EXPECT_EQ(report.status, 2);
  EXPECT_THAT(report.output, HasSubstr("cannot be opened as an HDF5 file"));
  fs::remove(path);
}

}  // namespace
}  // namespace golden_check_tests
