// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "bases/families.hpp"

#include <synelix/error.hpp>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace synelix::bases {

void refuse(std::string_view argument, double value, std::string_view problem,
            std::string_view remedy) {
  std::array<char, 32> digits{};  // the shortest digits that read back as the same number
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  throw Error(argument, std::string(digits.data(), result.ptr).append(" ").append(problem), remedy);
}

void refuse(std::string_view argument, std::int64_t value, std::string_view problem,
            std::string_view remedy) {
  throw Error(argument, std::to_string(value).append(" ").append(problem), remedy);
}

void require_at_least(std::string_view argument, std::int64_t value, std::int64_t least) {
  if (value < least) {
    refuse(argument, value, "is too small", "Use at least " + std::to_string(least));
  }
}

void require_finite(std::string_view argument, double value) {
  if (!std::isfinite(value)) refuse(argument, value, "is not finite", "Use finite numbers");
}

void require_width(std::string_view argument, double width) {
  require_finite(argument, width);
  const double halves = 2.0 * width;
  const double whole = std::nearbyint(halves);
  const bool close = std::abs(halves - whole) <= 1e-8 + 1e-5 * std::abs(whole);
  if (!(width > 1.0) || !close) {
    refuse(argument, width, "is not a multiple of 1/2 greater than 1",
           "Use multiples of 1/2 greater than 1, such as 1.5 or 2");
  }
}

}  // namespace synelix::bases
