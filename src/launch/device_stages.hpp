// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/team.hpp"
#include "spectral/stage.hpp"

#include <Kokkos_Core.hpp>

#include <cstdint>

/// \file
/// The passes of a team over the blocks that it transforms together: a virtual item is a butterfly.
/// Each pass ends with a barrier.
///
/// The layout of spectra is (pair of points of the butterfly, butterfly, point of the pair). The
/// last forward pass and the first inverse pass have the same butterflies, so neighboring threads
/// access neighboring pairs of spectra and of kernels.

namespace synelix::sweep {

/// A pass with 32-bit item numbers: the registers of its threads are needed for points.
template <class Team, class Body>
KOKKOS_INLINE_FUNCTION void for_each_small_item(const Team& team, std::int32_t count,
                                                const Body& body) {
  if constexpr (requires { team.collect(count, body); }) {
    team.collect(count, body);
  } else {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, count), body);
  }
}

template <class Scalar>
struct DeviceStages {
  using Stored = spectral::StoredPoint<Scalar>;
  using Point = spectral::Point<Scalar>;

  spectral::Stages<Scalar> stages;
  std::int32_t lanes = 1;  ///< blocks that are transformed together

  /// Number of butterflies of a pass of `radix` points each: a shift, because a division is slow on
  /// a device.
  template <int radix>
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int32_t count() const {
    return lanes * static_cast<std::int32_t>(static_cast<std::uint32_t>(stages.points) / radix);
  }
  /// Number of butterflies of the last pass of one block.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int32_t butterflies() const {
    return 1 << stages.leaf_bits;
  }
  [[nodiscard]] KOKKOS_INLINE_FUNCTION int last() const { return stages.passes - 1; }

  /// The samples in the places of a butterfly, before the first pass; `prepare(lane, places)`
  /// stores them there.
  template <class Team, class Prepare>
  KOKKOS_FUNCTION void forward(const Team& team, Stored* points, const Prepare& prepare) const {
    forward_of(team, points,
               [=](std::int32_t lane, const spectral::Places& places, Point(&samples)[16])
                   __attribute__((always_inline)) {
                     prepare(lane, places);
                     load_all(points, places, samples);
                   });
  }

  /// All forward passes except the last: `read(lane, places, samples)` gives the samples of a
  /// butterfly.
  template <class Team, class Read>
  KOKKOS_FUNCTION void forward_of(const Team& team, Stored* points, const Read& read) const {
    const std::int32_t columns = stages.columns[0];
    const std::int32_t bits = stages.column_bits;
    const Stored* const factors = stages.factors[0];
    for_each_small_item(team, count<16>(), [=](std::int32_t item) {
      const auto places = spectral::places_of<16>(columns, item);
      Point samples[16];
      read(item >> bits, places, samples);
      spectral::first_stage<Scalar>(
          [&](int q) __attribute__((always_inline)) { return samples[q]; }, points, places,
          spectral::Turns<16, Scalar>(factors, columns, places.column));
    });
    team.team_barrier();
    for (int pass = 1; pass < last(); ++pass) {
      middle<spectral::Direction::forward>(team, points, pass);
    }
  }

  /// The points in the places of a butterfly.
  KOKKOS_INLINE_FUNCTION static void load_all(const Stored* points, const spectral::Places& places,
                                              Point (&values)[16]) {
    SYNELIX_UNROLL(16)
    for (int q = 0; q < 16; ++q) values[q] = spectral::load(points[places(q)]);
  }

  /// The last forward pass: `take(place, lane, first, second)` gets two neighboring points of the
  /// spectra. `place` is that of the first within the spectrum of its lane, an even number.
  template <class Team, class Take>
  KOKKOS_FUNCTION void store_spectrum(const Team& team, const Stored* points,
                                      const Take& take) const {
    const std::int32_t items = butterflies();
    leaves(team, points, [=](std::int32_t own, std::int32_t lane) {
      return [=](int k, const Point& first, const Point& second) __attribute__((always_inline)) {
        take(spectral::spectrum_place(k, own, items), lane, first, second);
      };
    });
  }

  /// The last forward pass: the spectra of the lanes are stored consecutively in `spectra`.
  template <class Team>
  KOKKOS_FUNCTION void store_spectra(const Team& team, const Stored* points,
                                     Stored* spectra) const {
    const std::int32_t n = stages.points;
    const std::int32_t step = 2 * butterflies();
    leaves(team, points, [=](std::int32_t own, std::int32_t lane) {
      Stored* const to = spectra + (lane * n + 2 * own);
      return [=](int k, const Point& first, const Point& second) __attribute__((always_inline)) {
        spectral::store_pair(to + k / 2 * step, first, second);
      };
    });
  }

  /// All inverse passes except the last, of the values of `product(place, lane, first, second)`.
  template <class Team, class Product>
  KOKKOS_FUNCTION void inverse(const Team& team, Stored* points, const Product& product) const {
    const std::int32_t items = butterflies();
    products(team, points, [=](std::int32_t own, std::int32_t lane, const Stored*) {
      return [=](int q, Point& first, Point& second) __attribute__((always_inline)) {
        product(spectral::spectrum_place(q, own, items), lane, first, second);
      };
    });
    inverse_middle(team, points);
  }

  /// The same for the products of the lanes' consecutive spectra with a kernel.
  template <class Team>
  KOKKOS_FUNCTION void inverse_of(const Team& team, Stored* points, const Stored* spectra,
                                  const Stored* kernel) const {
    const std::int32_t n = stages.points;
    const std::int32_t step = 2 * butterflies();
    products(team, points, [=](std::int32_t own, std::int32_t lane, const Stored*) {
      const Stored* const from = spectra + (lane * n + 2 * own);
      const Stored* const turns = kernel + 2 * own;
      return [=](int q, Point& first, Point& second) __attribute__((always_inline)) {
        Point first_turn;
        Point second_turn;
        spectral::load_pair(from + q / 2 * step, first, second);
        spectral::load_pair(turns + q / 2 * step, first_turn, second_turn);
        first = spectral::times(first, first_turn);
        second = spectral::times(second, second_turn);
      };
    });
    inverse_middle(team, points);
  }

  /// The same for products in the places of the first inverse pass (slot_of_place).
  template <class Team>
  KOKKOS_FUNCTION void inverse_in_place(const Team& team, Stored* points) const {
    products(team, points, [=](std::int32_t, std::int32_t, const Stored* own) {
      return [=](int q, Point& first, Point& second)
                 __attribute__((always_inline)) { spectral::load_pair(own + q, first, second); };
    });
    inverse_middle(team, points);
  }

  /// The slot of a spectrum's point in the inverse transform, for a lane whose points begin at
  /// `first`.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION std::int32_t slot_of_place(std::int32_t place,
                                                                  std::int32_t first) const {
    const std::int32_t pair = place >> 1;
    const std::int32_t items = butterflies();
    const std::int32_t k = (pair >> stages.leaf_bits) * 2 + (place & 1);
    return spectral::slot_of(first + (pair & (items - 1)) * stages.radix[last()] + k);
  }

  /// The last inverse pass, without a barrier at its end: `store(lane, places, transform)` may call
  /// transform(take), with a `take` as in last_stage.
  template <class Team, class Store>
  KOKKOS_FUNCTION void rows(const Team& team, const Stored* points, const Store& store) const {
    const std::int32_t columns = stages.columns[0];
    const std::int32_t bits = stages.column_bits;
    const Stored* const factors = stages.back[0];
    for_each_small_item(team, count<16>(), [=](std::int32_t item) {
      const auto places = spectral::places_of<16>(columns, item);
      store(item >> bits, places, [&](const auto& take) __attribute__((always_inline)) {
        spectral::last_stage<Scalar>(
            points, places, spectral::LastTurns<Scalar>(factors, columns, places.column), take);
      });
    });
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
    constexpr bool is_forward = direction == spectral::Direction::forward;
    const Stored* const factors = is_forward ? stages.factors[pass] : stages.back[pass];
    for_each_small_item(team, count<radix>(), [=](std::int32_t item) {
      const auto places = spectral::places_of<radix>(columns, item);
      if constexpr (is_forward) {
        spectral::middle_stage<radix, Scalar>(
            points, places, spectral::Turns<radix, Scalar>(factors, columns, places.column));
      } else {
        spectral::middle_stage_back<radix, Scalar>(
            points, places, spectral::BackTurns<radix, Scalar>(factors, columns, places.column));
      }
    });
    team.team_barrier();
  }

  template <class Team>
  KOKKOS_FUNCTION void inverse_middle(const Team& team, Stored* points) const {
    for (int pass = last() - 1; pass > 0; --pass) {
      middle<spectral::Direction::inverse>(team, points, pass);
    }
  }

  /// The last forward pass: `take(butterfly, lane)` returns a function of (k, first, second).
  template <class Team, class Take>
  KOKKOS_FUNCTION void leaves(const Team& team, const Stored* points, const Take& take) const {
    if (stages.radix[last()] == 16) {
      leaves_of<16>(team, points, take);
    } else {
      leaves_of<8>(team, points, take);
    }
  }
  template <int radix, class Team, class Take>
  KOKKOS_FUNCTION void leaves_of(const Team& team, const Stored* points, const Take& take) const {
    const std::int32_t bits = stages.leaf_bits;
    for_each_small_item(team, count<radix>(), [=](std::int32_t item) {
      const std::int32_t lane = item >> bits;
      const std::int32_t own = item - (lane << bits);
      spectral::leaf_stage<radix, Scalar>(points + spectral::slot_of(item * radix),
                                          take(own, lane));
    });
    team.team_barrier();
  }

  /// The first inverse pass: `product(butterfly, lane, points of it)` returns a function of (q,
  /// first, second).
  template <class Team, class Product>
  KOKKOS_FUNCTION void products(const Team& team, Stored* points, const Product& product) const {
    if (stages.radix[last()] == 16) {
      products_of<16>(team, points, product);
    } else {
      products_of<8>(team, points, product);
    }
  }
  template <int radix, class Team, class Product>
  KOKKOS_FUNCTION void products_of(const Team& team, Stored* points, const Product& product) const {
    const std::int32_t bits = stages.leaf_bits;
    for_each_small_item(team, count<radix>(), [=](std::int32_t item) {
      const std::int32_t lane = item >> bits;
      const std::int32_t own = item - (lane << bits);
      Stored* const to = points + spectral::slot_of(item * radix);
      spectral::product_stage<radix, Scalar>(to, product(own, lane, to));
    });
    team.team_barrier();
  }
};

}  // namespace synelix::sweep
