// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/arithmetic.hpp"
#include "lanes/pack.hpp"

/// \file
/// `Single`: a pack of one value, for code of a device's thread that needs its registers for other
/// data than neighboring lanes. Rounding is that of the packs of `DeviceThread`. The first factor
/// may be a constant: PTX accepts constants only after the first operand.

namespace synelix::lanes {

template <class Scalar>
struct Single {
  static constexpr int lanes = 1;

  Scalar value;

  static SYNELIX_INLINE Single zero() { return {Scalar(0)}; }
  static SYNELIX_INLINE Single broadcast(Scalar value) { return {value}; }
};

template <class Scalar>
SYNELIX_INLINE Single<Scalar> operator+(const Single<Scalar>& a, const Single<Scalar>& b) {
  return {a.value + b.value};
}
template <class Scalar>
SYNELIX_INLINE Single<Scalar> operator-(const Single<Scalar>& a, const Single<Scalar>& b) {
  return {a.value - b.value};
}
template <class Scalar>
SYNELIX_INLINE Single<Scalar> operator*(const Single<Scalar>& a, const Single<Scalar>& b) {
  return {a.value * b.value};
}
template <class Scalar>
SYNELIX_INLINE Single<Scalar> multiply_add(const Single<Scalar>& a, const Single<Scalar>& b,
                                           const Single<Scalar>& c) {
  return {multiply_add(DeviceThread{}, b.value, a.value, c.value)};
}
template <class Scalar>
SYNELIX_INLINE Single<Scalar> subtract_product(const Single<Scalar>& c, const Single<Scalar>& a,
                                               const Single<Scalar>& b) {
  return {multiply_add(DeviceThread{}, b.value, -a.value, c.value)};
}

}  // namespace synelix::lanes
