// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sums, products and the like of two numbers.
#pragma once

#include "lanes.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace emulator {

__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

/// Integers wrap around.
template <class T>
struct Add {
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(u64(a) + u64(b));
    else
      return a + b;
  }
};
template <class T>
struct Subtract {
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>)
      return static_cast<T>(u64(a) - u64(b));
    else
      return a - b;
  }
};
template <class T>
struct Multiply {
  static T of(T a, T b) {
    if constexpr (sizeof(T) == 8 || std::is_floating_point_v<T>)
      return a * b;
    else
      return static_cast<T>(u32(a) * u32(b));
  }
};
template <>
struct Multiply<s64> {
  static s64 of(s64 a, s64 b) { return static_cast<s64>(u64(a) * u64(b)); }
};
template <class T>
struct MultiplyHigh {
  static T of(T a, T b) {
    constexpr bool is_signed = std::is_signed_v<T>;
    if constexpr (sizeof(T) == 8) {
      using Wide = std::conditional_t<is_signed, s128, u128>;
      return static_cast<T>((static_cast<Wide>(a) * b) >> 64);
    } else {
      using Wide = std::conditional_t<is_signed, s64, u64>;
      return static_cast<T>((static_cast<Wide>(a) * static_cast<Wide>(b)) >> (8 * sizeof(T)));
    }
  }
};
/// By zero: all ones, and the dividend remains, as devices do it.
template <class T>
struct Divide {
  static T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      if (b == 0) return static_cast<T>(~T{0});
      if constexpr (std::is_signed_v<T>) {
        if (b == T(-1)) return static_cast<T>(0 - u64(a));
      }
    }
    return static_cast<T>(a / b);
  }
};
template <class T>
struct Remainder {
  static T of(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return 0;
    }
    return static_cast<T>(a % b);
  }
};
/// Of a number and a NaN the number; -0 is less than 0.
template <class T>
struct Least {
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T less = a == b ? (std::signbit(a) ? a : b) : (a < b ? a : b);
      return a != a ? b : b != b ? a : less;
    } else {
      return a < b ? a : b;
    }
  }
};
template <class T>
struct Most {
  static T of(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T more = a == b ? (std::signbit(a) ? b : a) : (a < b ? b : a);
      return a != a ? b : b != b ? a : more;
    } else {
      return a < b ? b : a;
    }
  }
};
template <class T>
struct LeastOrNan {
  static T of(T a, T b) {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : Least<T>::of(a, b);
  }
};
template <class T>
struct MostOrNan {
  static T of(T a, T b) {
    return a != a || b != b ? std::numeric_limits<T>::quiet_NaN() : Most<T>::of(a, b);
  }
};
template <class T>
struct MultiplyAdd {
  static T of(T a, T b, T c) {
    if constexpr (std::is_floating_point_v<T>)
      return std::fma(a, b, c);
    else
      return Add<T>::of(Multiply<T>::of(a, b), c);
  }
};
template <class T>
struct MultiplyHighAdd {
  static T of(T a, T b, T c) { return Add<T>::of(MultiplyHigh<T>::of(a, b), c); }
};

/// .ftz: subnormal operands and results are zeros of their sign.
template <class T>
T flushed(T a) {
  return std::fabs(a) < std::numeric_limits<T>::min() ? std::copysign(T{0}, a) : a;
}
template <template <class> class Operation>
struct Flushing {
  template <class T>
  struct With {
    template <class... Values>
    static T of(Values... values) {
      return flushed(Operation<T>::of(flushed(values)...));
    }
  };
};

template <template <class> class Operation, class T>
void run_ternary(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]),
             *c = source<T>(warp, i.from[2]);
  fill<T>(warp, i.to[0], lanes, [a, b, c](int k) {
    return Operation<T>::of(value_of<T>(a[k]), value_of<T>(b[k]), value_of<T>(c[k]));
  });
}

}  // namespace emulator
