// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "oracle/matchers.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

namespace oracle {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Scalar>
std::vector<Mismatch> far_off_of(const Scalar* found, const double* expected, std::size_t size,
                                 double tolerance) {
  std::vector<Mismatch> mismatches;
  for (std::size_t i = 0; i < size; ++i) {
    const double a = static_cast<double>(found[i]);
    const double b = expected[i];
    const bool same =
        std::isfinite(b) ? std::fabs(a - b) <= tolerance : (std::isnan(b) ? std::isnan(a) : a == b);
    if (same) continue;
    const bool has_distance = std::isfinite(a) && std::isfinite(b);
    mismatches.push_back(
        {static_cast<std::int64_t>(i), has_distance ? std::fabs(a - b) : infinity});
  }
  return mismatches;
}

template <class Scalar>
std::vector<Mismatch> other_bits_of(const Scalar* found, const Scalar* expected, std::size_t size) {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  std::vector<Mismatch> mismatches;
  if (size == 0 || std::memcmp(found, expected, size * sizeof(Scalar)) == 0) return mismatches;
  for (std::size_t i = 0; i < size; ++i) {
    if (std::bit_cast<Bits>(found[i]) == std::bit_cast<Bits>(expected[i])) continue;
    const double distance = std::fabs(static_cast<double>(found[i] - expected[i]));
    mismatches.push_back(
        {static_cast<std::int64_t>(i), std::isnan(distance) ? infinity : distance});
  }
  return mismatches;
}

}  // namespace

std::vector<Mismatch> far_off(const float* found, const double* expected, std::size_t size,
                              double tolerance) {
  return far_off_of(found, expected, size, tolerance);
}
std::vector<Mismatch> far_off(const double* found, const double* expected, std::size_t size,
                              double tolerance) {
  return far_off_of(found, expected, size, tolerance);
}

std::vector<Mismatch> other_bits(const float* found, const float* expected, std::size_t size) {
  return other_bits_of(found, expected, size);
}
std::vector<Mismatch> other_bits(const double* found, const double* expected, std::size_t size) {
  return other_bits_of(found, expected, size);
}

std::uint64_t hash_of(const void* bytes, std::size_t size) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto* const first = static_cast<const unsigned char*>(bytes);
  for (std::size_t i = 0; i < size; ++i) hash = (hash ^ first[i]) * 0x100000001b3U;
  return hash;
}

}  // namespace oracle
