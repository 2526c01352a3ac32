// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

/// \file
/// Comparisons of entire arrays that print the worst mismatches with their places.

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

/// One value that is not as expected, and its deviation.
struct Mismatch {
  std::int64_t index;
  double distance;
};

/// Reports the number of different values, and the five largest deviations.
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

/// Where values are not NaN and Inf in the same places, or not within `tolerance`.
std::vector<Mismatch> far_off(const float* found, const double* expected, std::size_t size,
                              double tolerance);
std::vector<Mismatch> far_off(const double* found, const double* expected, std::size_t size,
                              double tolerance);
/// Where bits differ.
std::vector<Mismatch> other_bits(const float* found, const float* expected, std::size_t size);
std::vector<Mismatch> other_bits(const double* found, const double* expected, std::size_t size);
/// A 64-bit hash of bytes (FNV-1a).
std::uint64_t hash_of(const void* bytes, std::size_t size);

/// NaN and Inf in the same places, all else within `tolerance`.
template <class Scalar>
testing::AssertionResult agree(const std::vector<Scalar>& found,
                               const std::vector<double>& expected,
                               const std::vector<std::int64_t>& extents, double tolerance) {
  if (found.size() != expected.size()) {
    return testing::AssertionFailure()
           << found.size() << " values found, " << expected.size() << " expected";
  }
  return report(far_off(found.data(), expected.data(), found.size(), tolerance), found, expected,
                extents);
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
  return report(other_bits(found.data(), expected.data(), found.size()), found, expected, extents);
}

/// A 64-bit hash of the bits of an entire array.
template <class Scalar>
std::uint64_t hash_of(const std::vector<Scalar>& values) {
  return hash_of(values.data(), values.size() * sizeof(Scalar));
}

}  // namespace oracle
