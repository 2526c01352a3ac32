// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spectral/levels.hpp"

#include <Kokkos_Core.hpp>

/// \file
/// The levels of a block that a device transforms, which its threads compute while they read its
/// samples.

namespace synelix::sweep {

/// Bounds for the weak rows of a block (spectral/levels.hpp), at a cost of a few instructions for
/// each sample. They suffice to recognize a block that certainly has no weak row.
template <class Scalar>
struct FftLevels {
  Scalar energy;    ///< of all samples
  Scalar least;     ///< the least energy of a window whose samples all exist
  Scalar smallest;  ///< the smallest nonzero square of a sample

  KOKKOS_INLINE_FUNCTION void clear() {
    energy = least = Scalar(0);
    smallest = Kokkos::Experimental::finite_max_v<Scalar>;
  }
  /// Adds the levels of a part of the samples; threads share the levels of blocks.
  KOKKOS_INLINE_FUNCTION void add(const FftLevels& part) {
    Kokkos::atomic_add(&energy, part.energy);
    Kokkos::atomic_add(&least, part.least);
    Kokkos::atomic_min(&smallest, part.smallest);
  }
  /// Whether a window of a block with energy `all` may be weak; always true if the energy is not
  /// finite.
  [[nodiscard]] KOKKOS_INLINE_FUNCTION bool may_be_weak(Scalar all) const {
    const Scalar enough = static_cast<Scalar>(spectral::surely_enough) * all;
    const bool is_bounded = enough - enough == Scalar(0);
    return !is_bounded || !(least >= enough || smallest >= enough);
  }
};

/// The levels of every n-th sample of a block. Each window of at least 2 n samples contains two
/// neighbors of them, so the smallest sum of two squares is a lower bound of its energy.
template <class Scalar>
struct FftComb {
  Scalar energy = 0;
  Scalar least = Kokkos::Experimental::finite_max_v<Scalar>;
  Scalar smallest = Kokkos::Experimental::finite_max_v<Scalar>;
  Scalar previous = -1;

  KOKKOS_INLINE_FUNCTION void add(Scalar value) {
    const Scalar square = value * value;
    energy += square;
    if (previous >= Scalar(0)) least = Kokkos::min(least, previous + square);
    previous = square;
    if (value != Scalar(0)) smallest = Kokkos::min(smallest, square);
  }
};

}  // namespace synelix::sweep
