// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team.hpp"
#include "spectral/stage.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The passes of a team over the blocks that it transforms together: a virtual item is a butterfly.
/// Each ends with a barrier.
///
/// Spectra lie (point of the butterfly, butterfly): the last pass forward and the first one back
/// are cut alike, so that neighbouring threads meet neighbouring points of spectra and of kernels.

namespace synelix::sweep {

template <class Scalar>
struct DeviceStages {
  using Stored = spectral::StoredPoint<Scalar>;

  spectral::Stages<Scalar> stages;
  std::int32_t lanes = 1;  ///< blocks that are transformed together

  /// Butterflies of a pass.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int32_t count(int pass) const {
    return lanes * stages.items(pass);
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int last() const { return stages.passes - 1; }

  /// The samples that lie in the places of a butterfly, before the first pass: `prepare(lane,
  /// places)` puts them there.
  template <class Team, class Prepare>
  KOKKOS_FUNCTION void forward(const Team& team, Stored* points, const Prepare& prepare) const {
    const std::int32_t columns = stages.columns[0];
    const std::int32_t bits = stages.column_bits;
    const Stored* const factors = stages.factors[0];
    for_each_item(team, count(0), [=](std::int64_t i) {
      const auto item = static_cast<std::int32_t>(i);
      const auto places = spectral::places_of<16>(columns, item);
      prepare(item >> bits, places);
      spectral::first_stage<Scalar>(
          points, places, spectral::Turns<16, Scalar>(factors, columns, places.column, true));
    });
    team.team_barrier();
    for (int pass = 1; pass < last(); ++pass) {
      middle<spectral::Direction::forward>(team, points, pass);
    }
  }

  /// The last pass forward: `take(place, lane, value)` gets each point of the spectra, whose place
  /// is that within the spectrum of its lane.
  template <class Team, class Take>
  KOKKOS_FUNCTION void store_spectrum(const Team& team, const Stored* points,
                                      const Take& take) const {
    if (stages.radix[last()] == 16) {
      leaves_of<16>(team, points, take);
    } else {
      leaves_of<8>(team, points, take);
    }
  }

  /// All passes back but the last, of `product(place, lane)`.
  template <class Team, class Product>
  KOKKOS_FUNCTION void inverse(const Team& team, Stored* points, const Product& product) const {
    if (stages.radix[last()] == 16) {
      products_of<16>(team, points, product);
    } else {
      products_of<8>(team, points, product);
    }
    for (int pass = last() - 1; pass > 0; --pass) {
      middle<spectral::Direction::inverse>(team, points, pass);
    }
  }

  /// The last pass back: `store(lane, places)` gives what takes (k, value), as last_stage does.
  template <class Team, class Store>
  KOKKOS_FUNCTION void rows(const Team& team, const Stored* points, const Store& store) const {
    const std::int32_t columns = stages.columns[0];
    const std::int32_t bits = stages.column_bits;
    const Stored* const factors = stages.factors[0];
    for_each_item(team, count(0), [=](std::int64_t i) {
      const auto item = static_cast<std::int32_t>(i);
      const auto places = spectral::places_of<16>(columns, item);
      spectral::last_stage<Scalar>(
          points, places, spectral::Turns<16, Scalar>(factors, columns, places.column, true),
          store(item >> bits, places));
    });
    team.team_barrier();
  }

 private:
  template <spectral::Direction direction, class Team>
  KOKKOS_FUNCTION void middle(const Team& team, Stored* points, int pass) const {
    if (stages.radix[pass] == 16) {
      middle_of<16, direction>(team, points, pass);
    } else {
      middle_of<8, direction>(team, points, pass);
    }
  }
  template <int radix, spectral::Direction direction, class Team>
  KOKKOS_FUNCTION void middle_of(const Team& team, Stored* points, int pass) const {
    const std::int32_t columns = stages.columns[pass];
    const Stored* const factors = stages.factors[pass];
    for_each_item(team, count(pass), [=](std::int64_t i) {
      const auto places = spectral::places_of<radix>(columns, static_cast<std::int32_t>(i));
      spectral::middle_stage<radix, direction, Scalar>(
          points, places, spectral::Turns<radix, Scalar>(factors, columns, places.column, false));
    });
    team.team_barrier();
  }

  template <int radix, class Team, class Take>
  KOKKOS_FUNCTION void leaves_of(const Team& team, const Stored* points, const Take& take) const {
    const std::int32_t items = stages.items(last());
    const std::int32_t bits = stages.leaf_bits;
    for_each_item(team, count(last()), [=](std::int64_t i) {
      const auto item = static_cast<std::int32_t>(i);
      const std::int32_t lane = item >> bits;
      const std::int32_t own = item - (lane << bits);
      spectral::leaf_stage<radix, Scalar>(
          points, spectral::leaf_of<radix>(item),
          [&](int k, const spectral::Point<Scalar>& value)
              __attribute__((always_inline)) { take(k * items + own, lane, value); });
    });
    team.team_barrier();
  }

  template <int radix, class Team, class Product>
  KOKKOS_FUNCTION void products_of(const Team& team, Stored* points, const Product& product) const {
    const std::int32_t items = stages.items(last());
    const std::int32_t bits = stages.leaf_bits;
    for_each_item(team, count(last()), [=](std::int64_t i) {
      const auto item = static_cast<std::int32_t>(i);
      const std::int32_t lane = item >> bits;
      const std::int32_t own = item - (lane << bits);
      spectral::product_stage<radix, Scalar>(
          points, spectral::leaf_of<radix>(item),
          [&](int q) __attribute__((always_inline)) { return product(q * items + own, lane); });
    });
    team.team_barrier();
  }
};

}  // namespace synelix::sweep
