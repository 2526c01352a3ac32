// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes/pack.hpp"

#include <cstdint>

/// \file
/// Interleaves packs in registers. With as many packs as lanes, this is a transpose.
///
/// A number of packs is q x m, where m is a power of two, at most the number of lanes. First each m
/// neighboring packs are zipped, with log2(m) shuffles for each pack. Then their pieces of m values
/// are merged q-fold, with about q - 1 shuffles for each pack.

#ifndef SYNELIX_DEVICE_COMPILER  // which does not support vector types

namespace synelix::lanes {

/// The largest power of two, at most `most`, that divides n.
constexpr int power_of_two_in(int n, int most) {
  int power = 1;
  while (power < most && n % (2 * power) == 0) power *= 2;
  return power;
}

template <int... i>
struct Indices {};
template <int count, int... i>
struct IndicesTo : IndicesTo<count - 1, count - 1, i...> {};
template <int... i>
struct IndicesTo<0, i...> {
  using Type = Indices<i...>;
};

#if defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 256
using SveWords [[gnu::arm_sve_vector_bits(256)]] = svuint32_t;
using SveLongWords [[gnu::arm_sve_vector_bits(256)]] = svuint64_t;

/// A choice of lanes of a for some numbers, or lanes of b for others.
struct FloatLanes {
  using Word = std::uint32_t;
  template <class Register, class Numbers>
  static SYNELIX_INLINE Register either(Register a, Register b, Numbers of_a, Numbers of_b) {
    const auto first =
        svtbl_u32(svreinterpret_u32_f32(static_cast<SveFloats>(a)), static_cast<SveWords>(of_a));
    const auto second =
        svtbl_u32(svreinterpret_u32_f32(static_cast<SveFloats>(b)), static_cast<SveWords>(of_b));
    const SveFloats both = svreinterpret_f32_u32(svorr_u32_x(svptrue_b32(), first, second));
    return static_cast<Register>(both);
  }
};
struct DoubleLanes {
  using Word = std::uint64_t;
  template <class Register, class Numbers>
  static SYNELIX_INLINE Register either(Register a, Register b, Numbers of_a, Numbers of_b) {
    const auto first = svtbl_u64(svreinterpret_u64_f64(static_cast<SveDoubles>(a)),
                                 static_cast<SveLongWords>(of_a));
    const auto second = svtbl_u64(svreinterpret_u64_f64(static_cast<SveDoubles>(b)),
                                  static_cast<SveLongWords>(of_b));
    const SveDoubles both = svreinterpret_f64_u64(svorr_u64_x(svptrue_b64(), first, second));
    return static_cast<Register>(both);
  }
};
FloatLanes lane_bits(Pack<float, Sve256>::Register);
DoubleLanes lane_bits(Pack<double, Sve256>::Register);
#endif

/// Lane i of the result is lane `Choice::lane(i)` of a and b, with b's lanes numbered after a's.
template <class Choice, class Register, int... i>
SYNELIX_INLINE Register choose_lanes(Register a, Register b, Indices<i...>) {
#if defined(__ARM_FEATURE_SVE) && __ARM_FEATURE_SVE_BITS == 256
  // g++ 14.2 selects wrong lanes of two such vectors if one lane of b is inserted in a (test_ground
  // of sve256). A lane number that is out of range gives 0. Remove when fixed.
  using Bits = decltype(lane_bits(a));
  using Numbers [[gnu::vector_size(Sve256::bytes)]] = typename Bits::Word;
  constexpr auto lanes = static_cast<typename Bits::Word>(sizeof...(i));
  const Numbers numbers = {static_cast<typename Bits::Word>(Choice::lane(i))...};
  return Bits::either(a, b, numbers, numbers - lanes);
#else
  return __builtin_shufflevector(a, b, Choice::lane(i)...);
#endif
}

/// A zip, starting at lane `first`: lane i is lane i / 2 of a for even i, of b for odd i.
template <int lanes, int first>
struct Zip {
  static constexpr int lane(int i) { return first + i / 2 + (i % 2) * lanes; }
};

/// Pack `number` of a merge: pieces of m values of q runs of m packs each, in turn. Gives the
/// source of each of its values, and choices that take the values of one pack, or of two, and keep
/// the others.
template <int lanes, int q, int m, int number>
struct Merge {
  static constexpr int piece(int i) { return (number * lanes + i) / m; }
  static constexpr int value(int i) { return piece(i) / q * m + (number * lanes + i) % m; }
  static constexpr int source(int i) { return piece(i) % q * m + value(i) / lanes; }
  /// The first source pack from `from` on; q * m if there is none.
  static constexpr int next(int from) {
    for (; from < q * m; ++from) {
      for (int i = 0; i < lanes; ++i) {
        if (source(i) == from) return from;
      }
    }
    return from;
  }

  template <int first, int second>
  struct OfTwo {
    static constexpr int lane(int i) {
      return value(i) % lanes + (source(i) == second ? lanes : 0);
    }
  };
  template <int from>
  struct OfOne {
    static constexpr int lane(int i) { return source(i) == from ? lanes + value(i) % lanes : i; }
  };
};

template <class Merging, int lanes, int from, int count, class Register>
SYNELIX_INLINE void merge_from(const Register (&packs)[count], Register& merged) {
  constexpr int next = Merging::next(from);
  if constexpr (next < count) {
    merged = choose_lanes<typename Merging::template OfOne<next>>(
        merged, packs[next], typename IndicesTo<lanes>::Type{});
    merge_from<Merging, lanes, next + 1>(packs, merged);
  }
}

template <int lanes, int q, int m, int number = 0, class Register>
SYNELIX_INLINE void merge(const Register (&packs)[q * m], Register (&merged)[q * m]) {
  using Merging = Merge<lanes, q, m, number>;
  constexpr int first = Merging::next(0);
  constexpr int second = Merging::next(first + 1);
  merged[number] = choose_lanes<typename Merging::template OfTwo<first, second>>(
      packs[first], packs[second < q * m ? second : first], typename IndicesTo<lanes>::Type{});
  merge_from<Merging, lanes, second + 1>(packs, merged[number]);
  if constexpr (number + 1 < q * m) merge<lanes, q, m, number + 1>(packs, merged);
}

/// Replaces `count` packs by their interleaved values: afterwards the packs in sequence contain
/// lane 0 of each, then lane 1 of each, ...
template <int count, class Scalar, class Set>
SYNELIX_INLINE void interleave(Pack<Scalar, Set> (&packs)[count]) {
  using Register = typename Pack<Scalar, Set>::Register;
  constexpr int lanes = Pack<Scalar, Set>::lanes;
  using All = typename IndicesTo<lanes>::Type;
  constexpr int m = power_of_two_in(count, lanes);
  constexpr int q = count / m;
  Register values[count];
  SYNELIX_UNROLL(32)
  for (int i = 0; i < count; ++i) values[i] = packs[i].values;
  // Perfect shuffles: each round zips pack i with pack i + m / 2, log2(m) times.
  SYNELIX_UNROLL(8)
  for (int round = 1; round < m; round *= 2) {
    Register zipped[count];
    SYNELIX_UNROLL(32)
    for (int j = 0; j < count; j += m) {
      SYNELIX_UNROLL(16)
      for (int i = 0; i < m / 2; ++i) {
        const Register a = values[j + i];
        const Register b = values[j + i + m / 2];
        zipped[j + 2 * i] = choose_lanes<Zip<lanes, 0>>(a, b, All{});
        zipped[j + 2 * i + 1] = choose_lanes<Zip<lanes, lanes / 2>>(a, b, All{});
      }
    }
    SYNELIX_UNROLL(32)
    for (int i = 0; i < count; ++i) values[i] = zipped[i];
  }
  if constexpr (q > 1) {
    Register merged[count];
    merge<lanes, q, m>(values, merged);
    SYNELIX_UNROLL(32)
    for (int i = 0; i < count; ++i) packs[i].values = merged[i];
  } else {
    SYNELIX_UNROLL(32)
    for (int i = 0; i < count; ++i) packs[i].values = values[i];
  }
}

/// Lane i of the result is lane `Choice::lane(i)` of the pack.
template <class Choice, class Scalar, class Set>
SYNELIX_INLINE Pack<Scalar, Set> choose_lanes(const Pack<Scalar, Set>& pack) {
  using All = typename IndicesTo<Pack<Scalar, Set>::lanes>::Type;
  return {choose_lanes<Choice>(pack.values, pack.values, All{})};
}

}  // namespace synelix::lanes

#endif  // SYNELIX_DEVICE_COMPILER
