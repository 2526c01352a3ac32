// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

/// \file
/// Images of digits for the examples, drawn here: strokes under a random shift, turn, slant, size,
/// width and brightness, with noise. An image depends only on a seed and on its number.

namespace digits {

inline constexpr std::int64_t side = 28;
inline constexpr std::int64_t pixels = side * side;
inline constexpr std::int64_t classes = 10;

struct Point {
  float x;
  float y;
};
using Stroke = std::vector<Point>;

/// Numbers that look random (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t state) : m_state(state) {}
  std::uint64_t bits() {
    m_state += 0x9e3779b97f4a7c15U;
    std::uint64_t z = m_state;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31U);
  }
  /// Evenly between two numbers.
  float between(float low, float high) {
    return low + (high - low) * static_cast<float>(bits() >> 40U) * 0x1p-24F;
  }
  /// About normal, of mean 0 and deviation 1.
  float normal() {
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += between(-1, 1);
    return sum * 0.866F;
  }

 private:
  std::uint64_t m_state;
};

/// Part of an ellipse, in degrees from the right, downwards.
inline Stroke arc(Point centre, float width, float height, float from, float to) {
  constexpr int pieces = 10;
  Stroke stroke;
  for (int i = 0; i <= pieces; ++i) {
    const float angle =
        (from + (to - from) * static_cast<float>(i) / pieces) * std::numbers::pi_v<float> / 180;
    stroke.push_back({centre.x + width * std::cos(angle), centre.y + height * std::sin(angle)});
  }
  return stroke;
}

/// The strokes of each digit, in a square of side 1, y downwards.
inline const std::array<std::vector<Stroke>, classes>& strokes() {
  static const std::array<std::vector<Stroke>, classes> all{{
      {arc({0.5F, 0.5F}, 0.27F, 0.4F, 0, 360)},
      {{{0.35F, 0.25F}, {0.55F, 0.1F}, {0.55F, 0.9F}}},
      {arc({0.5F, 0.33F}, 0.25F, 0.23F, 190, 400), {{0.69F, 0.48F}, {0.25F, 0.9F}, {0.78F, 0.9F}}},
      {arc({0.47F, 0.3F}, 0.23F, 0.2F, 200, 450), arc({0.47F, 0.7F}, 0.27F, 0.2F, 270, 520)},
      {{{0.62F, 0.9F}, {0.62F, 0.1F}, {0.22F, 0.63F}, {0.8F, 0.63F}}},
      {{{0.73F, 0.1F}, {0.32F, 0.1F}, {0.3F, 0.48F}}, arc({0.47F, 0.66F}, 0.27F, 0.24F, 230, 500)},
      {{{0.65F, 0.1F}, {0.4F, 0.3F}, {0.27F, 0.66F}}, arc({0.5F, 0.68F}, 0.23F, 0.22F, 0, 360)},
      {{{0.22F, 0.1F}, {0.78F, 0.1F}, {0.42F, 0.9F}}},
      {arc({0.5F, 0.3F}, 0.2F, 0.2F, 0, 360), arc({0.5F, 0.7F}, 0.25F, 0.2F, 0, 360)},
      {arc({0.5F, 0.32F}, 0.23F, 0.22F, 0, 360), {{0.73F, 0.32F}, {0.7F, 0.65F}, {0.55F, 0.9F}}},
  }};
  return all;
}

/// How far a point is from a line that ends at two.
inline float distance(Point p, Point a, Point b) {
  const float dx = b.x - a.x;
  const float dy = b.y - a.y;
  const float length = std::max(dx * dx + dy * dy, 1e-6F);
  const float along = std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0F, 1.0F);
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

/// Draws one image: grey values of 0 to 255, row by row. Returns the digit that it shows.
inline int draw(std::uint64_t seed, std::int64_t number, float* grey) {
  Random random(seed * 0x100000001b3U + static_cast<std::uint64_t>(number));
  const int digit = static_cast<int>(random.bits() % classes);
  const float turn = random.between(-0.3F, 0.3F);
  const float slant = random.between(-0.3F, 0.3F);
  const float width = 20 * random.between(0.7F, 1.1F);
  const float height = 20 * random.between(0.8F, 1.15F);
  const Point centre{14 + random.between(-2, 2), 14 + random.between(-2, 2)};
  const float radius = random.between(0.5F, 1.4F);  // of the pen, in pixels
  const float brightness = random.between(0.7F, 1.0F);
  const auto placed = [&](Point p) -> Point {
    const float x = (p.x - 0.5F - slant * (p.y - 0.5F)) * width + 0.4F * random.normal();
    const float y = (p.y - 0.5F) * height + 0.4F * random.normal();
    return {centre.x + x * std::cos(turn) - y * std::sin(turn),
            centre.y + x * std::sin(turn) + y * std::cos(turn)};
  };
  std::array<float, pixels> ink{};
  for (const Stroke& stroke : strokes()[static_cast<std::size_t>(digit)]) {
    Point a = placed(stroke[0]);
    for (std::size_t k = 1; k < stroke.size(); ++k) {
      const Point b = placed(stroke[k]);
      const float reach = radius + 1;
      const auto first = [&](float p, float q) {
        return std::max(0, static_cast<int>(std::min(p, q) - reach));
      };
      const auto end = [&](float p, float q) {
        return std::min(static_cast<int>(side), static_cast<int>(std::max(p, q) + reach) + 2);
      };
      for (int i = first(a.y, b.y); i < end(a.y, b.y); ++i) {
        for (int j = first(a.x, b.x); j < end(a.x, b.x); ++j) {
          const Point here{static_cast<float>(j), static_cast<float>(i)};
          const float covered = std::clamp(radius + 0.5F - distance(here, a, b), 0.0F, 1.0F);
          float& pixel = ink[static_cast<std::size_t>(i * side + j)];
          pixel = std::max(pixel, covered);
        }
      }
      a = b;
    }
  }
  for (const float covered : ink) {
    *grey++ = std::clamp(255 * (brightness * covered + 0.08F * random.normal()), 0.0F, 255.0F);
  }
  return digit;
}

/// A grey value as int8: -128 is black.
inline std::int8_t as_int8(float grey) {
  return static_cast<std::int8_t>(static_cast<int>(std::lround(grey)) - 128);
}

}  // namespace digits
