// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/sweep/problem.hpp"
#include "launch/team.hpp"
#include "tune/tiles.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The products of factors in the workspace, channel by channel: for each combination of one column
/// of each factor, a column of the row and channel is their product, from left to right. A virtual
/// item is a row and a channel.

namespace synelix::sweep {

/// A factor: (row, channel, column), without gaps.
template <class Scalar>
struct Factor {
  const Scalar* data = nullptr;
  std::int64_t bases = 0;
};

/// The functor.
template <class Scalar>
struct ProductSweep {
  Factor<Scalar> factors[tune::most_factors];
  int count = 0;
  std::int64_t channels = 0;
  FeatureTarget<Scalar> features;
  std::int64_t teams = 1;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    for_each_thread_item(team, features.rows.size() * channels, teams,
                         [=, this](std::int64_t i) { multiply(i / channels, i % channels); });
  }

 private:
  KOKKOS_FUNCTION void multiply(std::int64_t row, std::int64_t c) const {
    const std::int64_t place = row * channels + c;
    const Factor<Scalar>& last = factors[count - 1];
    const Scalar* const right = last.data + place * last.bases;
    Scalar* to = features.first_row(c, 0) + row * features.row_stride;
    std::int64_t combinations = 1;
    for (int f = 0; f < count - 1; ++f) combinations *= factors[f].bases;
    for (std::int64_t i = 0; i < combinations; ++i) {
      const Scalar left = product_before(place, i, combinations);
      for (std::int64_t b = 0; b < last.bases; ++b) {
        *to = canonical(left * right[b]);
        to += features.basis_stride;
      }
    }
  }

  /// The product of one column of each factor except the last, by the number of the combination.
  KOKKOS_FUNCTION Scalar product_before(std::int64_t place, std::int64_t number,
                                        std::int64_t combinations) const {
    Scalar product = 1;
    for (int f = 0; f < count - 1; ++f) {
      combinations /= factors[f].bases;
      const Scalar value = factors[f].data[place * factors[f].bases + number / combinations];
      number %= combinations;
      product = f == 0 ? value : product * value;
    }
    return product;
  }
};

}  // namespace synelix::sweep
