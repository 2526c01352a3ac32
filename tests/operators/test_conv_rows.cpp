// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "index/conv_axes.hpp"
#include "operators/plan/conv_operators.hpp"
#include "operators/plan/conv_options.hpp"
#include "operators/plan/conv_padding.hpp"

#include <synelix/conv.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The rows of operators and of kinds of padding.

namespace conv_rows_tests {
namespace {

namespace sx = synelix;
namespace plan = synelix::plan;
using plan::ConvRole;

TEST(ConvRows, NameWhatWasDeclaredAndNothingElse) {
  EXPECT_STREQ(sx::name_of(sx::PaddingKind::zero), "zero");
  EXPECT_STREQ(sx::name_of(sx::PaddingKind::circular), "circular");
  EXPECT_STREQ(sx::name_of(sx::PaddingKind::reflect), "reflect");
  EXPECT_STREQ(sx::name_of(static_cast<sx::PaddingKind>(77)), "unknown");
  EXPECT_STREQ(sx::name_of(sx::ConvMethod::automatic), "automatic");
  EXPECT_STREQ(sx::name_of(sx::ConvMethod::direct), "direct");
  EXPECT_STREQ(sx::name_of(sx::ConvMethod::fft), "fft");
  EXPECT_STREQ(sx::name_of(static_cast<sx::ConvMethod>(77)), "unknown");
  EXPECT_STREQ(sx::known_name(sx::ConvOperator::forward), "forward");
  EXPECT_STREQ(sx::known_name(sx::ConvOperator::transposed), "transposed");
  EXPECT_STREQ(sx::known_name(sx::ConvOperator::grad_input), "grad_input");
  EXPECT_STREQ(sx::known_name(sx::ConvOperator::grad_weights), "grad_weights");
  EXPECT_STREQ(sx::known_name(sx::ConvOperator::grad_bias), "grad_bias");
  EXPECT_STREQ(sx::known_name(static_cast<sx::ConvOperator>(77)), "unknown");
}

// The result is not an operand, and the operands have two roles.
TEST(ConvRows, OfOperatorsGiveEachArrayARoleOfItsOwn) {
  for (const plan::ConvOperatorRow& row : plan::conv_operators) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(&plan::row_of(row.value), &row);
    EXPECT_NE(row.result.role, ConvRole::none);
    EXPECT_NE(row.first.role, ConvRole::none);
    EXPECT_NE(row.first.role, row.second.role);
    EXPECT_EQ(row.operand(row.result.role), nullptr);
    EXPECT_EQ(row.operand(row.first.role), &row.first);
    EXPECT_EQ(row.second.role == ConvRole::none, row.result.role == ConvRole::bias);
    EXPECT_FALSE(row.takes_bias && row.is_by_weights());
    EXPECT_FALSE(row.needs_space() && row.needs_taps());
  }
}

/// Positions of the padded input beyond the input, each with the position that it repeats.
using Pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;
Pairs folded(const plan::PaddingRow& row, const plan::PaddedExtent& axis) {
  Pairs pairs;
  for (std::int64_t at = -axis.before; at < axis.in + axis.after; ++at) {
    const std::int64_t source = sx::index::padded_position(at, axis.in, row.mode);
    if ((at < 0 || at >= axis.in) && source >= 0) pairs.emplace_back(at + axis.before, source);
  }
  return pairs;
}
Pairs repeated(const plan::PaddingRow& row, const plan::PaddedExtent& axis) {
  Pairs pairs;
  if (row.repeated == nullptr) return pairs;
  for (const plan::RepeatedPositions& run : row.repeated(axis)) {
    for (std::int64_t at = run.positions.begin; at < run.positions.end; ++at) {
      pairs.emplace_back(run.is_backward ? run.shift - at : run.shift + at, at);
    }
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

TEST(ConvRows, OfPaddingRepeatWhatSweepsRead) {
  for (const plan::PaddingRow& row : plan::padding_rows) {
    for (std::int64_t in = 1; in < 6; ++in) {
      const std::int64_t most = row.most == nullptr ? 7 : row.most(in);
      for (std::int64_t before = 0; before <= most; ++before) {
        for (std::int64_t after = 0; after <= most; ++after) {
          SCOPED_TRACE(std::string(row.name) + " of " + std::to_string(in) + ": " +
                       std::to_string(before) + ", " + std::to_string(after));
          EXPECT_EQ(repeated(row, {in, before, after}), folded(row, {in, before, after}));
        }
      }
    }
  }
}

}  // namespace
}  // namespace conv_rows_tests
