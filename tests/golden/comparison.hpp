// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/golden_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace golden {

/// The result of a case: whether it agrees, and one line about it.
struct Outcome {
  enum class Kind { agrees, differs, not_compared };
  Kind kind = Kind::agrees;
  std::string text;
  double largest = 0.0;  ///< finite difference that was found
};

/// "double" or "float".
template <class Scalar>
std::string type_name() {
  return sizeof(Scalar) == sizeof(double) ? "double" : "float";
}

/// "(4, 1, 2)" for a position in C order.
inline std::string place(std::size_t index, const std::vector<std::int64_t>& extents) {
  std::string text;
  for (std::size_t d = extents.size(); d-- > 0;) {
    const auto extent = static_cast<std::size_t>(extents[d]);
    text = std::to_string(index % extent) + (text.empty() ? "" : ", ") + text;
    index /= extent;
  }
  return "(" + text + ")";
}

/// "(4, 1, 2)" for extents.
inline std::string extents_text(const std::vector<std::int64_t>& extents) {
  std::string text;
  for (const std::int64_t extent : extents) {
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  }
  return "(" + text + ")";
}

/// The largest finite magnitude.
inline double largest_finite(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

/// Whether a found value matches the expected one: NaN for NaN, Inf for the same Inf, a finite
/// number for one within the tolerance.
inline bool agrees(double expected, double found, double tolerance) {
  if (std::isnan(expected) || std::isnan(found)) return std::isnan(expected) && std::isnan(found);
  if (std::isinf(expected) || std::isinf(found)) return expected == found;
  return std::abs(expected - found) <= tolerance;
}

/// Compares values in C order with an array; `tolerance(i)` belongs to the value at position i.
/// The text of the outcome names the worst place where something differs.
template <class Value, class Tolerance>
Outcome compare(const Array& expected, const std::vector<Value>& found,
                const Tolerance& tolerance) {
  std::ostringstream text;
  text.precision(17);
  if (found.size() != expected.values.size()) {
    text << found.size() << " values instead of " << expected.values.size();
    return {Outcome::Kind::differs, text.str()};
  }
  std::size_t wrong = 0, worst = 0;
  double worst_excess = -1.0, largest = 0.0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = std::abs(expected.values[i] - static_cast<double>(found[i]));
    if (std::isfinite(difference)) largest = std::max(largest, difference);
    if (agrees(expected.values[i], static_cast<double>(found[i]), tolerance(i))) continue;
    const double excess = std::isfinite(difference) ? difference : HUGE_VAL;
    if (excess > worst_excess) worst = i, worst_excess = excess;
    ++wrong;
  }
  if (wrong == 0) {
    text.precision(2);
    text << "within " << largest;
    return {Outcome::Kind::agrees, text.str(), largest};
  }
  text << wrong << " of " << found.size() << " values differ, most at "
       << place(worst, expected.extents) << ": expected " << expected.values[worst] << ", found "
       << static_cast<double>(found[worst]) << ", tolerance " << tolerance(worst);
  return {Outcome::Kind::differs, text.str(), largest};
}

}  // namespace golden
