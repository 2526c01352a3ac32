// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program synelix_golden_check: that it passes on the golden file, and that it can fail. Each
// test that expects a difference changes one number of a copy.

#include "golden/convolution_case.hpp"
#include "golden/golden_file.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

struct Report {
  int status = -1;
  std::string output;  ///< of both streams, without the lines about cases that agree
};

Report run_check(const std::string& arguments) {
  const std::string command = std::string(GOLDEN_CHECK_PROGRAM) + " " + arguments + " 2>&1";
  Report report;
  FILE* pipe = popen(command.c_str(), "r");  // NOLINT(bugprone-command-processor): fixed words
  if (pipe == nullptr) return report;
  char text[4096];
  while (std::fgets(text, sizeof text, pipe) != nullptr) {
    const std::string line = text;
    if (!line.starts_with("ok ") && !line.starts_with("not ")) report.output += line;
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) report.status = WEXITSTATUS(status);
  return report;
}

/// A copy of the golden file whose datasets a test rewrites.
class GoldenCopy : public testing::Test {
 protected:
  void SetUp() override {
    m_path = fs::temp_directory_path() / ("synelix_golden_" + std::to_string(getpid()) + ".h5");
    fs::copy_file(GOLDEN_FILE, m_path, fs::copy_options::overwrite_existing);
    fs::permissions(m_path, fs::perms::owner_write, fs::perm_options::add);
  }
  void TearDown() override { fs::remove(m_path); }

  [[nodiscard]] std::vector<double> read(const std::string& dataset) const {
    return golden::File(m_path).array(dataset.substr(1)).values;
  }

  void write(const std::string& dataset, const std::vector<double>& values) const {
    const golden::Handle file(H5Fopen(m_path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose,
                              "the copy does not open");
    const golden::Handle target(H5Dopen2(file, dataset.c_str(), H5P_DEFAULT), H5Dclose, dataset);
    ASSERT_GE(H5Dwrite(target, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  }

  /// Adds `step` to the value at an index.
  void move(const std::string& dataset, std::size_t index, double step) const {
    std::vector<double> values = read(dataset);
    values.at(index) += step;
    write(dataset, values);
  }

  void expect_difference(const std::string& name) const {
    const Report report = run_check(m_path.string());
    EXPECT_EQ(report.status, 1) << report.output;
    EXPECT_THAT(report.output, HasSubstr("DIFFERS           " + name + ": "));
    EXPECT_THAT(report.output, HasSubstr("cases checked, 1 differ\n"));
  }

  fs::path m_path;
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
  std::size_t index = 0;  // of a NaN beside a number
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
