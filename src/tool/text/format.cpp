// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/values.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace synelix::tool {
namespace {

std::string printed_with_unit(const char* pattern, double value, std::string_view unit) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), pattern, value);
  return std::string(text.data()) + std::string(unit);
}

}  // namespace

std::string format_number(double number) {
  std::array<char, 40> text{};
  const auto result = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), result.ptr};
}

std::string format_bytes(double bytes) {
  static constexpr std::array<std::string_view, 5> units{" B", " KiB", " MiB", " GiB", " TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  return printed_with_unit(unit == 0 || bytes == std::floor(bytes) ? "%.0f" : "%.1f", bytes,
                           units[unit]);
}

std::string format_byte_count(std::int64_t bytes) {
  return format_bytes(static_cast<double>(bytes));
}

std::string format_seconds(double seconds) {
  if (seconds >= 3600) {
    const double hours = std::floor(seconds / 3600);
    return printed_with_unit("%.0f h ", hours, "") +
           printed_with_unit("%.0f", std::floor((seconds - hours * 3600) / 60), " min");
  }
  if (seconds >= 60) {
    const double minutes = std::floor(seconds / 60);
    return printed_with_unit("%.0f min ", minutes, "") +
           printed_with_unit("%.0f", seconds - minutes * 60, " s");
  }
  if (seconds >= 1 || seconds == 0) return printed_with_unit("%.4g", seconds, " s");
  if (seconds >= 1e-3) return printed_with_unit("%.4g", seconds * 1e3, " ms");
  return printed_with_unit("%.4g", seconds * 1e6, " us");
}

std::string format_count(std::int64_t count) {
  std::string digits = std::to_string(count);
  const std::size_t sign = count < 0 ? 1 : 0;
  for (std::size_t place = digits.size(); place > sign + 3; place -= 3) {
    digits.insert(place - 3, 1, ',');
  }
  return digits;
}

}  // namespace synelix::tool
