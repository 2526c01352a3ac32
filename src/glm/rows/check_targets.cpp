// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/rows/check_targets.hpp"

#include "glm/rows/families.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

namespace synelix::glm {
namespace {

constexpr std::int64_t rows_checked_at_once = 32768;

/// The valid targets of a family, for messages.
std::string values_of(const Loss& loss) {
  switch (family_row(loss.family).targets) {
    case TargetKind::real:
      return "finite values";
    case TargetKind::at_least_0:
      return "values of 0 or more";
    case TargetKind::above_0:
      return "values above 0";
    case TargetKind::zero_or_one:
      return "0 or 1";
    case TargetKind::label:
      break;
  }
  return "the classes 0 to " + std::to_string(loss.classes - 1);
}

/// Calls check(takes), where takes(y) is whether the family can have a target.
template <class Check>
bool with_targets_of(const Loss& loss, const Check& check) {
  switch (family_row(loss.family).targets) {
    case TargetKind::real:
      return check([](double) { return true; });
    case TargetKind::at_least_0:
      return check([](double y) { return y >= 0; });
    case TargetKind::above_0:
      return check([](double y) { return y > 0; });
    case TargetKind::zero_or_one:
      return check([](double y) { return y == 0 || y == 1; });
    case TargetKind::label:
      break;
  }
  return check([classes = static_cast<double>(loss.classes)](double y) {
    return y >= 0 && y < classes && y == std::floor(y);
  });
}

[[noreturn]] void refuse_value(const Loss& loss, std::int64_t row, std::int64_t target,
                               double value) {
  throw Error("targets",
              "row " + std::to_string(row) + " of target " + std::to_string(target) + " is " +
                  number_text(value) + ", but " + name_of(loss.family) + " takes " +
                  values_of(loss),
              "Correct it, set it to NaN to leave the row out, or use another family");
}

[[noreturn]] void refuse_number(const char* argument, std::int64_t row, double value,
                                const char* valid) {
  throw Error(argument, "row " + std::to_string(row) + " is " + number_text(value),
              std::string("Use ") + valid + "; a weight of 0 leaves a row out");
}

/// Whether the family can have the target of each row of weight above 0: one pass without branches.
bool fits(const Loss& loss, const ObservedBlock& block, std::int64_t count) {
  return with_targets_of(loss, [&](const auto& takes) {
    int refused = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      refused |=
          static_cast<int>(block.weights[i] != 0) & static_cast<int>(!takes(block.targets[i]));
    }
    return refused == 0;
  });
}

bool has_good_weights(const ObservedBlock& block, std::int64_t count) {
  int bad = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    bad |= static_cast<int>(!(block.weights[i] >= 0 && std::isfinite(block.weights[i])));
  }
  return bad == 0;
}

}  // namespace

void check_block(const Loss& loss, std::int64_t target, Range rows, const ObservedBlock& block,
                 std::span<const std::uint64_t> valid) {
  const std::int64_t count = rows.size();
  if (block.offsets == nullptr && has_good_weights(block, count) && fits(loss, block, count)) {
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t t = rows.begin + i;
    const double weight = block.weights[i];
    if (weight == 0) continue;
    if (!(weight > 0) || !std::isfinite(weight)) {
      refuse_number("row_weights", t, weight, "finite weights of 0 or more");
    }
    const double y = block.targets[i];
    if (!with_targets_of(loss, [y](const auto& takes) { return takes(y); })) {
      refuse_value(loss, t, target, y);
    }
    if (block.offsets == nullptr || std::isfinite(block.offsets[i])) continue;
    if (((valid[static_cast<std::size_t>(t / 64)] >> (t % 64)) & 1U) == 0) continue;
    refuse_number("offset", t, block.offsets[i], "finite offsets");
  }
}

void check_targets(const Loss& loss, const Observed& observed, std::span<const std::uint64_t> valid,
                   std::span<const RowsOf> sides) {
  const std::int64_t most = std::min(rows_checked_at_once, observed.rows());
  std::vector<double> targets(static_cast<std::size_t>(most));
  std::vector<double> weights(targets.size());
  std::vector<double> offsets(observed.has_offset() ? targets.size() : 0);
  for (std::int64_t first = 0; first < observed.rows(); first += most) {
    const Range rows{first, std::min(first + most, observed.rows())};
    observed.begin(rows);
    for (const RowsOf& side : sides) {
      observed.read_targets(side.target, rows, targets.data());
      observed.read_weights(side, rows, weights.data());
      if (observed.has_offset()) observed.read_offsets(side.target, rows, offsets.data());
      check_block(loss, side.target, rows,
                  {targets.data(), weights.data(), offsets.empty() ? nullptr : offsets.data()},
                  valid);
    }
  }
}

}  // namespace synelix::glm
