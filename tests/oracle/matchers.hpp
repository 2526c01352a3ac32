// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

/// \file
/// Comparisons of whole arrays that print the worst mismatches with their places.

namespace oracle {

/// The place of value i of an array with these extents, last index fastest: "(3, 0, 7)".
inline std::string place_of(std::int64_t i, const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> place(extents.size());
  for (std::size_t k = extents.size(); k-- > 0;) {
    place[k] = i % extents[k];
    i /= extents[k];
  }
  std::string text = "(";
  for (std::size_t k = 0; k < place.size(); ++k) {
    text += (k > 0 ? ", " : "") + std::to_string(place[k]);
  }
  return text + ")";
}

/// One value that is not as expected, and how far off it is.
struct Mismatch {
  std::int64_t index;
  double distance;
};

/// Says how many values differ, and the five that do most.
template <class Found, class Expected>
testing::AssertionResult report(std::vector<Mismatch> mismatches, const Found& found,
                                const Expected& expected,
                                const std::vector<std::int64_t>& extents) {
  if (mismatches.empty()) return testing::AssertionSuccess();
  std::stable_sort(mismatches.begin(), mismatches.end(),
                   [](const Mismatch& a, const Mismatch& b) { return a.distance > b.distance; });
  std::ostringstream text;
  text.precision(17);
  text << mismatches.size() << " of " << found.size() << " values differ; the worst:";
  for (std::size_t k = 0; k < std::min<std::size_t>(5, mismatches.size()); ++k) {
    const auto i = static_cast<std::size_t>(mismatches[k].index);
    text << "\n  at " << place_of(mismatches[k].index, extents) << ": found " << found[i]
         << ", expected " << expected[i] << ", off by " << mismatches[k].distance;
  }
  return testing::AssertionFailure() << text.str();
}

/// NaN and Inf in the same places, all else within `tolerance`.
template <class Scalar>
testing::AssertionResult agree(const std::vector<Scalar>& found,
                               const std::vector<double>& expected,
                               const std::vector<std::int64_t>& extents, double tolerance) {
  if (found.size() != expected.size()) {
    return testing::AssertionFailure()
           << found.size() << " values found, " << expected.size() << " expected";
  }
  std::vector<Mismatch> mismatches;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double a = static_cast<double>(found[i]);
    const double b = expected[i];
    const bool same =
        std::isfinite(b) ? std::fabs(a - b) <= tolerance : (std::isnan(b) ? std::isnan(a) : a == b);
    if (same) continue;
    const double distance = std::isfinite(a) && std::isfinite(b)
                                ? std::fabs(a - b)
                                : std::numeric_limits<double>::infinity();
    mismatches.push_back({static_cast<std::int64_t>(i), distance});
  }
  return report(std::move(mismatches), found, expected, extents);
}

/// The same bits in all places.
template <class Scalar>
testing::AssertionResult same_bits(const std::vector<Scalar>& found,
                                   const std::vector<Scalar>& expected,
                                   const std::vector<std::int64_t>& extents) {
  if (found.size() != expected.size()) {
    return testing::AssertionFailure()
           << found.size() << " values found, " << expected.size() << " expected";
  }
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  std::vector<Mismatch> mismatches;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::bit_cast<Bits>(found[i]) == std::bit_cast<Bits>(expected[i])) continue;
    const double distance = std::fabs(static_cast<double>(found[i] - expected[i]));
    mismatches.push_back(
        {static_cast<std::int64_t>(i),
         std::isnan(distance) ? std::numeric_limits<double>::infinity() : distance});
  }
  return report(std::move(mismatches), found, expected, extents);
}

/// 64 bits that stand for the bits of a whole array (FNV-1a).
template <class Scalar>
std::uint64_t hash_of(const std::vector<Scalar>& values) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  std::vector<unsigned char> bytes(values.size() * sizeof(Scalar));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3U;
  return hash;
}

}  // namespace oracle
