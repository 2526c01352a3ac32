// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The program synelix_operator_check: that it passes on the file of operators, and that it can
// fail. Each test that expects a difference changes one thing of a copy.

#include "golden/changed_copy.hpp"
#include "golden/comparison.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace operator_check_tests {
namespace {

using golden::Report;
using testing::HasSubstr;
using testing::Not;

class OperatorsCopy : public golden::ChangedCopy {
 protected:
  OperatorsCopy() : ChangedCopy(OPERATOR_CHECK_PROGRAM, OPERATORS_FILE) {}
};

TEST(OperatorCheck, AgreesWithTheFileOfOperators) {
  const Report report = golden::run_program(OPERATOR_CHECK_PROGRAM, OPERATORS_FILE);
  EXPECT_EQ(report.status, 0) << report.output;
  EXPECT_THAT(report.output, Not(HasSubstr("DIFFERS")));
  EXPECT_THAT(report.output, HasSubstr("202 of 202 cases checked, 0 differ\n"));
}

/// One case of each operator.
class OperatorResult : public OperatorsCopy, public testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] std::string name() const { return "/" + std::string(GetParam()); }
  [[nodiscard]] std::string result() const {
    return name() + (name().find("list_") == std::string::npos ? "/result" : "/result_1");
  }
};

TEST_P(OperatorResult, OneValueMoved) {
  const std::vector<double> values = read(result());
  std::size_t index = values.size() - 1;
  while (!std::isfinite(values[index])) --index;
  move(result(), index, 1e-10 * std::max(1.0, golden::largest_finite(values)));
  expect_difference(name(), "double 1 of " + std::to_string(values.size()) + " values differ");
}

TEST_P(OperatorResult, OneValueIsNaN) {
  std::vector<double> values = read(result());
  values.front() = std::isnan(values.front()) ? 0.0 : NAN;
  write(result(), values);
  expect_difference(name(), "found ");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, OperatorResult,
    testing::Values("conv/forward_1d_all_at_once", "conv/forward_2d_uint8_x",
                    "conv/forward_3d_same", "conv/forward_1d_nan", "conv/true_conv_2d_same_groups",
                    "conv/transposed_3d_output_padding", "conv/grad_input_2d_circular",
                    "conv/grad_weights_3d_depthwise", "conv/grad_bias_1d_channels_last",
                    "matmul/plain", "matmul/batch_crossed", "matmul/int8_columns_transposed",
                    "matmul/windows_of_both", "matmul/matmul_windows_step", "matmul/list_ragged",
                    "matmul/list_alpha_beta"),
    [](const auto& test) {
      std::string name = test.param;
      return name.replace(name.find('/'), 1, "_");
    });

// Each attribute is read: another value gives another result, or is refused.

TEST_F(OperatorsCopy, AnotherStride) {
  set_numbers("/conv/forward_2d_stride_2", "stride", {2, 1});
  expect_difference("/conv/forward_2d_stride_2", "the result is (1, 3, 2, 5), not (1, 3, 2, 3)");
}

TEST_F(OperatorsCopy, AnotherPaddingKind) {
  set_text("/conv/forward_1d_reflect", "padding_kind", "circular");
  expect_difference("/conv/forward_1d_reflect", "values differ");
}

TEST_F(OperatorsCopy, AnotherScaleAndAnotherOffset) {
  set_numbers("/conv/forward_2d_int8_w", "second_scale", {1.0 / 127});
  expect_difference("/conv/forward_2d_int8_w", "values differ");
  set_numbers("/conv/forward_2d_int8_w", "second_scale", {1.0 / 128});
  set_numbers("/conv/forward_2d_int8_w", "second_offset", {0.25 + 1e-9});
  expect_difference("/conv/forward_2d_int8_w", "values differ");
}

TEST_F(OperatorsCopy, AnotherScaleOfOneColumn) {
  move("/matmul/int8_columns/first_column_scale", 3, 1e-9);
  expect_difference("/matmul/int8_columns", "values differ");
}

TEST_F(OperatorsCopy, AnotherAlphaAndAnotherBeta) {
  set_numbers("/matmul/alpha_beta", "alpha", {2.5 + 1e-9});
  expect_difference("/matmul/alpha_beta", "values differ");
  set_numbers("/matmul/alpha_beta", "alpha", {2.5});
  set_numbers("/matmul/alpha_beta", "beta", {-1.25 - 1e-9});
  expect_difference("/matmul/alpha_beta", "values differ");
}

TEST_F(OperatorsCopy, AToleranceOfItsOwn) {
  move("/matmul/plain/result", 4, 1e-4);
  set_numbers("/matmul/plain", "rtol", {1e-3});
  EXPECT_EQ(run().status, 0);
}

// A file of another format gives an error.

TEST_F(OperatorsCopy, UnknownOperators) {
  set_text("/conv/forward_2d_plain", "operator", "convolve");
  expect_difference(
      "/conv/forward_2d_plain",
      "is not a case of this format: /conv/forward_2d_plain: operator is 'convolve'; it "
      "may be forward, true_conv, transposed, grad_input, grad_weights, grad_bias\n");
  set_text("/conv/forward_2d_plain", "operator", "forward");
  set_text("/matmul/plain", "operator", "gemm");
  expect_difference("/matmul/plain",
                    "operator is 'gemm'; it may be matmul, matmul_windows, list\n");
}

TEST_F(OperatorsCopy, UnknownAttributes) {
  set_numbers("/conv/forward_2d_plain", "strides", {2});
  expect_difference("/conv/forward_2d_plain",
                    "attribute strides is unknown; there are: channels, ");
}

TEST_F(OperatorsCopy, UnknownDatasets) {
  rename("/conv/forward_2d_bias/bias", "/conv/forward_2d_bias/biases");
  expect_difference("/conv/forward_2d_bias",
                    "dataset biases is unknown; there are: bias, first, result, second\n");
}

TEST_F(OperatorsCopy, MissingDatasets) {
  rename("/matmul/alpha_beta/before", "/before");
  expect_difference("/matmul/alpha_beta", "dataset before is missing");
}

TEST_F(OperatorsCopy, WhatTheLibraryRefuses) {
  set_numbers("/conv/forward_2d_groups_2", "groups", {3});
  expect_difference("/conv/forward_2d_groups_2",
                    "the library throws: groups: 3 does not divide 4 channels and ");
}

TEST_F(OperatorsCopy, NumbersThatAreNone) {
  set_numbers("/conv/forward_2d_stride_2", "stride", {1.5});
  expect_difference("/conv/forward_2d_stride_2", "stride is not a whole number");
  set_numbers("/conv/forward_2d_stride_2", "stride", {2, 2, 2, 2});
  expect_difference("/conv/forward_2d_stride_2", "stride: 4 numbers; there may be one, or one for");
  set_numbers("/conv/forward_2d_stride_2", "stride", {2});
  set_numbers("/matmul/windows_second", "second_windows", {6});
  expect_difference("/matmul/windows_second", "second_windows is not (columns, step) or (rows, ");
}

TEST(OperatorCheck, UsageAndFilesThatCannotBeRead) {
  const Report usage = golden::run_program(OPERATOR_CHECK_PROGRAM, "");
  EXPECT_EQ(usage.status, 2);
  EXPECT_THAT(usage.output, HasSubstr("usage: synelix_operator_check FILE"));
  const Report report = golden::run_program(OPERATOR_CHECK_PROGRAM, "/no/such/file.h5");
  EXPECT_EQ(report.status, 2);
  EXPECT_THAT(report.output,
              HasSubstr("synelix_operator_check: /no/such/file.h5 cannot be opened"));
}

}  // namespace
}  // namespace operator_check_tests
