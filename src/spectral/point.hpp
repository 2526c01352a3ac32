// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/arithmetic.hpp"
#include "lanes/single.hpp"
#include "spectral/stages.hpp"

/// \file
/// A complex number of a thread, and its way to and from memory.

namespace synelix::spectral {

template <class Scalar>
using Point = lanes::Complex<lanes::Single<Scalar>>;

template <class Scalar>
SYNELIX_INLINE Point<Scalar> load(const StoredPoint<Scalar>& from) {
  return {{from.re}, {from.im}};
}
template <class Scalar>
SYNELIX_INLINE StoredPoint<Scalar> stored(const Point<Scalar>& value) {
  return {value.re.value, value.im.value};
}

template <class Scalar>
SYNELIX_INLINE Point<Scalar> scaled(const Point<Scalar>& value, Scalar scale) {
  return {{value.re.value * scale}, {value.im.value * scale}};
}

/// Two complex numbers, the first at an even place.
template <class Scalar>
SYNELIX_INLINE void load_pair(const StoredPoint<Scalar>* from, Point<Scalar>& first,
                              Point<Scalar>& second) {
  const StoredPair<Scalar> pair = *reinterpret_cast<const StoredPair<Scalar>*>(from);
  first = {{pair.first_re}, {pair.first_im}};
  second = {{pair.second_re}, {pair.second_im}};
}
template <class Scalar>
SYNELIX_INLINE void store_pair(StoredPoint<Scalar>* to, const Point<Scalar>& first,
                               const Point<Scalar>& second) {
  *reinterpret_cast<StoredPair<Scalar>*>(to) = {first.re.value, first.im.value, second.re.value,
                                                second.im.value};
}

}  // namespace synelix::spectral
