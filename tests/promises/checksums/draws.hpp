// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "oracle/array.hpp"
#include "oracle/stored.hpp"

#include <synelix/series.hpp>
#include <synelix/strided.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// Random numbers by explicit arithmetic on one generator. The distributions and the shuffle of the
/// standard library differ between implementations, so nothing here uses them.

namespace checksums {

/// Numbers of a seed: the same on every machine and with every compiler.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : m_random(seed) {}

  /// Uniform in [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(most - least + 1));
  }
  /// True with probability 1 / n.
  bool once_in(std::int64_t n) { return between(1, n) == 1; }
  /// Uniform in [-1, 1). All bits of the mantissa are random, so that each rounding shows.
  double real() { return static_cast<double>(m_random() >> 11) * 0x1p-52 - 1.0; }

 private:
  std::mt19937_64 m_random;
};

/// Dimensions in any order, with gaps; backward dimensions if the signs are free.
inline oracle::Placement draw_placement(std::size_t rank, oracle::Signs signs, Draws& draws) {
  oracle::Placement placement = oracle::right_placement(rank);
  if (draws.once_in(2)) return placement;
  for (std::size_t i = rank; i > 1; --i) {
    const auto k = static_cast<std::size_t>(draws.between(0, static_cast<std::int64_t>(i) - 1));
    std::swap(placement.order[i - 1], placement.order[k]);
  }
  for (std::size_t i = 0; i < rank; ++i) {
    placement.gaps[i] = draws.once_in(3) ? draws.between(0, 2) : 0;
    placement.is_backward[i] = signs == oracle::Signs::any && draws.once_in(4);
  }
  return placement;
}

/// Any of the stored types.
inline synelix::StoredType draw_type(Draws& draws) {
  return static_cast<synelix::StoredType>(draws.between(0, 5));
}

/// A value of a stored type; of uint8 mostly 0, as spike counts are.
template <class T>
T draw_stored(Draws& draws) {
  if constexpr (std::is_same_v<T, std::uint8_t>) {
    return draws.once_in(4) ? static_cast<T>(draws.between(1, 3)) : T(0);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(
        draws.between(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  } else {
    return static_cast<T>(draws.real());
  }
}

/// An array of any stored type, placed and filled at random.
class AnyArray {
 public:
  AnyArray(const std::vector<std::int64_t>& extents, synelix::StoredType type,
           const oracle::Placement& placement, Draws& draws) {
    oracle::visit_type(type, [&]<class T>() {
      oracle::Array<T> array(extents, placement, T(77));
      for (std::int64_t i = 0; i < array.size(); ++i) array.at(i) = draw_stored<T>(draws);
      m_array = std::move(array);
    });
  }

  /// Writes NaN and infinities of both signs to a few places of an array of float or double.
  void add_strays(Draws& draws) {
    std::visit(
        [&]<class T>(oracle::Array<T>& array) {
          if constexpr (std::is_floating_point_v<T>) {
            for (std::int64_t k = 0; k < 1 + array.size() / 60; ++k) {
              const std::int64_t at = draws.between(0, array.size() - 1);
              const T stray = draws.once_in(2) ? std::numeric_limits<T>::quiet_NaN()
                                               : std::numeric_limits<T>::infinity();
              array.at(at) = draws.once_in(2) ? stray : -stray;
            }
          }
        },
        m_array);
  }

  [[nodiscard]] synelix::Strided strided() const {
    return std::visit([](const auto& array) { return array.strided(); }, m_array);
  }

 private:
  std::variant<oracle::Array<float>, oracle::Array<double>, oracle::Array<std::int8_t>,
               oracle::Array<std::uint8_t>, oracle::Array<std::int16_t>,
               oracle::Array<std::uint16_t>>
      m_array{oracle::Array<float>({0}, oracle::right_placement(1), 0.0F)};
};

/// An array of a stored type or, if it is drawn, of the working type of a call.
template <class Scalar>
AnyArray draw_operand(const std::vector<std::int64_t>& extents, Draws& draws) {
  const synelix::StoredType type =
      draws.once_in(2) ? synelix::stored_type<Scalar> : draw_type(draws);
  const oracle::Placement placement = draw_placement(extents.size(), oracle::Signs::any, draws);
  return {extents, type, placement, draws};
}

/// Sorted, disjoint epochs with gaps, some of them short; none: one epoch.
inline synelix::Epochs draw_epochs(std::int64_t samples, Draws& draws) {
  synelix::Epochs epochs;
  if (draws.once_in(2)) return epochs;
  std::int64_t at = draws.between(0, std::min<std::int64_t>(5, samples - 1));
  while (at < samples && epochs.size() < 12) {
    const std::int64_t length =
        draws.once_in(4) ? draws.between(1, 3) : draws.between(3, 3 + samples / 2);
    const std::int64_t end = std::min(samples, at + length);
    epochs.push_back({at, end});
    at = end + (draws.once_in(2) ? 0 : draws.between(1, 9));
  }
  return epochs;
}

/// An array for results, filled with a value that shows missing writes of a call.
template <class Scalar>
oracle::Array<Scalar> draw_output(const std::vector<std::int64_t>& extents, Draws& draws) {
  const oracle::Placement placement =
      draw_placement(extents.size(), oracle::Signs::positive, draws);
  return {extents, placement, Scalar(-12345)};
}

}  // namespace checksums
