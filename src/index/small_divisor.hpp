// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

/// \file
/// Division of small numbers by a size that is known at launch, by one multiplication. A device has
/// no instruction for division.

namespace synelix::index {

/// Divides numbers below 32768 by a size below 65536.
struct SmallDivisor {
  static constexpr std::int64_t most = 32768;  ///< numbers are smaller

  std::int32_t size = 1;
  std::uint32_t factor = 1U << 31U;  ///< 2^31 / size, rounded up

  constexpr SmallDivisor() = default;
  explicit constexpr SmallDivisor(std::int64_t by)
      : size(static_cast<std::int32_t>(by)),
        factor(static_cast<std::uint32_t>(((std::uint64_t{1} << 31U) + by - 1) / by)) {}

  /// n / size: the factor is too large by less than size / 2^31, so that the product is too large
  /// by less than n / 2^31 < 1 / size.
  [[nodiscard]] constexpr std::int32_t divide(std::int32_t n) const {
    return static_cast<std::int32_t>((std::uint64_t{static_cast<std::uint32_t>(n)} * factor) >>
                                     31U);
  }
  /// Returns the remainder of n, and divides n.
  [[nodiscard]] constexpr std::int32_t take_digit(std::int32_t& n) const {
    const std::int32_t quotient = divide(n);
    const std::int32_t digit = n - quotient * size;
    n = quotient;
    return digit;
  }
};

}  // namespace synelix::index
