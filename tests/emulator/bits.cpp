// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Bits: logic, shifts, counts, fields, bytes, and sums with a carry.
#include "arithmetic.hpp"
#include "opcode.hpp"
#include "types.hpp"

#include <algorithm>
#include <bit>

namespace emulator {
namespace {

template <class T>
struct And {
  static T of(T a, T b) { return static_cast<T>(a & b); }
};
template <class T>
struct Or {
  static T of(T a, T b) { return static_cast<T>(a | b); }
};
template <class T>
struct ExclusiveOr {
  static T of(T a, T b) { return static_cast<T>(a ^ b); }
};
template <class T>
struct Not {
  static T of(T a) { return static_cast<T>(~a); }
};
template <class T>
struct IsZero {
  static T of(T a) { return a == 0 ? 1 : 0; }
};

enum class Logic : u8 { conjunction, disjunction, exclusive };

template <Logic logic>
void combine_masks(Warp& warp, const Instruction& i, u32 lanes) {
  const u32 a = mask_at(warp, i.from[0]), b = mask_at(warp, i.from[1]);
  set_mask(warp, i.to[0], lanes,
           logic == Logic::conjunction   ? a & b
           : logic == Logic::disjunction ? a | b
                                         : a ^ b);
}

template <class T>
void shift_left(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  const auto* b = source<u32>(warp, i.from[1]);
  fill<T>(warp, i.to[0], lanes, [a, b](int k) {
    constexpr u32 bits = 8 * sizeof(T);
    const auto shifted = static_cast<T>(value_of<T>(a[k]) << (b[k] & (bits - 1)));
    return b[k] >= bits ? T{0} : shifted;
  });
}

template <class T>
void shift_right(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  const auto* b = source<u32>(warp, i.from[1]);
  fill<T>(warp, i.to[0], lanes, [a, b](int k) {
    constexpr u32 bits = 8 * sizeof(T);
    const T value = value_of<T>(a[k]);
    const T beyond = value < 0 ? static_cast<T>(~T{0}) : T{0};
    const auto shifted = static_cast<T>(value >> (b[k] & (bits - 1)));
    return b[k] >= bits ? beyond : shifted;
  });
}

template <class T, class Count>
void count_bits(Warp& warp, const Instruction& i, u32 lanes, Count count) {
  const auto* a = source<T>(warp, i.from[0]);
  fill_each<u32>(warp, i.to[0], lanes, [&](int k) { return static_cast<u32>(count(T{a[k]})); });
}

template <class T>
void population(Warp& warp, const Instruction& i, u32 lanes) {
  count_bits<T>(warp, i, lanes, [](T a) { return std::popcount(a); });
}

template <class T>
void leading_zeros(Warp& warp, const Instruction& i, u32 lanes) {
  count_bits<T>(warp, i, lanes, [](T a) { return std::countl_zero(a); });
}

template <class T>
struct Reverse {
  static T of(T a) {
    T made = 0;
    for (std::size_t k = 0; k < 8 * sizeof(T); ++k) made = (made << 1) | (a >> k & 1);
    return made;
  }
};

/// Mode 1: the shift to the left that moves the bit to the top.
template <class T>
void find_bit(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  fill_each<u32>(warp, i.to[0], lanes, [a, &i](int k) {
    using Bits = std::make_unsigned_t<T>;
    const T value = value_of<T>(a[k]);
    const int zeros = std::countl_zero(static_cast<Bits>(value < 0 ? ~value : value));
    constexpr int bits = 8 * sizeof(T);
    return zeros == bits ? ~0U : static_cast<u32>(i.mode != 0 ? zeros : bits - 1 - zeros);
  });
}

template <class T>
void extract_field(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<T>(warp, i.from[0]);
  const auto *b = source<u32>(warp, i.from[1]), *c = source<u32>(warp, i.from[2]);
  fill_each<T>(warp, i.to[0], lanes, [a, b, c](int lane) {
    using Bits = std::make_unsigned_t<T>;
    constexpr u32 bits = 8 * sizeof(T);
    const auto value = static_cast<Bits>(a[lane]);
    const u32 at = b[lane] & 255, length = c[lane] & 255;
    if (length == 0) return T{0};
    const bool is_negative =
        std::is_signed_v<T> && (value >> std::min(at + length - 1, bits - 1) & 1) != 0;
    Bits made = 0;
    for (u32 k = 0; k < bits; ++k) {
      const bool bit = k < length && at + k < bits ? (value >> (at + k) & 1) != 0 : is_negative;
      made |= static_cast<Bits>(bit) << k;
    }
    return static_cast<T>(made);
  });
}

template <class T>
void insert_field(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]);
  const auto *c = source<u32>(warp, i.from[2]), *d = source<u32>(warp, i.from[3]);
  fill_each<T>(warp, i.to[0], lanes, [a, b, c, d](int k) {
    constexpr u32 bits = 8 * sizeof(T);
    const u32 at = c[k] & 255, length = d[k] & 255;
    if (at >= bits || length == 0) return T{b[k]};
    const T ones = length >= bits ? ~T{0} : (T{1} << length) - 1;
    return static_cast<T>((b[k] & ~(ones << at)) | (a[k] & ones) << at);
  });
}

void permute_bytes(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<u32>(warp, i.from[0]), *b = source<u32>(warp, i.from[1]),
             *c = source<u32>(warp, i.from[2]);
  fill_each<u32>(warp, i.to[0], lanes, [a, b, c](int lane) {
    const u64 bytes = a[lane] | u64{b[lane]} << 32;
    u32 made = 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 choice = c[lane] >> (4 * k) & 15;
      const auto byte = static_cast<u32>(bytes >> (8 * (choice & 7)) & 255);
      const u32 sign = (byte & 128) != 0 ? 255 : 0;
      made |= ((choice & 8) != 0 ? sign : byte) << (8 * k);
    }
    return made;
  });
}

/// Mode: 1 left, 2 the amount wraps around.
void shift_funnel(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<u32>(warp, i.from[0]), *b = source<u32>(warp, i.from[1]),
             *c = source<u32>(warp, i.from[2]);
  fill<u32>(warp, i.to[0], lanes, [a, b, c, mode = i.mode](int k) {
    const u64 both = a[k] | u64{b[k]} << 32;
    const u32 amount = (mode & 2) != 0 ? c[k] & 31 : std::min(c[k], 32U);
    return static_cast<u32>((mode & 1) != 0 ? both << amount >> 32 : both >> amount);
  });
}

void look_up(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<u32>(warp, i.from[0]), *b = source<u32>(warp, i.from[1]),
             *c = source<u32>(warp, i.from[2]);
  const u32 table = source<u32>(warp, i.from[3])[0];
  fill<u32>(warp, i.to[0], lanes, [a, b, c, table](int lane) {
    u32 made = 0;
    for (u32 k = 0; k < 8; ++k) {
      const u32 hit = ((k & 4) != 0 ? a[lane] : ~a[lane]) & ((k & 2) != 0 ? b[lane] : ~b[lane]) &
                      ((k & 1) != 0 ? c[lane] : ~c[lane]);
      made |= (table >> k & 1) != 0 ? hit : 0;
    }
    return made;
  });
}

/// Mode: 1 takes the carry, 2 sets it, 4 subtracts, 8 multiplies first, 16 the high half of that.
template <class T>
void add_with_carry(Warp& warp, const Instruction& i, u32 lanes) {
  const auto *a = source<T>(warp, i.from[0]), *b = source<T>(warp, i.from[1]),
             *c = source<T>(warp, i.from[2]);
  u32 carries = 0;
  fill_each<T>(warp, i.to[0], lanes, [&](int k) {
    u128 first = a[k], second = b[k];
    if ((i.mode & 8) != 0) {
      const u128 product = first * second;
      first = (i.mode & 16) != 0 ? product >> (8 * sizeof(T)) : product & u128{~T{0}};
      second = c[k];
    }
    const u128 more = (i.mode & 1) != 0 ? warp.carry >> k & 1 : 0;
    const u128 made = (i.mode & 4) != 0 ? first - second - more : first + second + more;
    carries |= (made & ~u128{~T{0}}) != 0 ? 1U << k : 0;
    return static_cast<T>(made);
  });
  if ((i.mode & 2) != 0) warp.carry = (warp.carry & ~lanes) | carries;
}

Shape find_carry(const Opcode& opcode, Instruction& i) {
  const std::string& name = opcode.name();
  const bool takes = name == "addc" || name == "subc" || name == "madc";
  if (!takes && !opcode.has("cc")) return {};
  if (!opcode.has_only("cc lo hi")) return {};
  const bool multiplies = name[0] == 'm';
  i.mode = static_cast<u8>((takes ? 1 : 0) | (opcode.has("cc") ? 2 : 0) | (name[0] == 's' ? 4 : 0) |
                           (multiplies ? 8 : 0) | (opcode.has("hi") ? 16 : 0));
  const char letter = letter_of(opcode.type());
  const std::string sources(multiplies ? 3 : 2, letter);
  const bool is_wide = letter == 'w';
  return {is_wide ? add_with_carry<u64> : add_with_carry<u32>, std::string{letter, '='} + sources};
}

Shape find_logic(const Opcode& opcode) {
  const std::string &name = opcode.name(), &type = opcode.type();
  const char letter = letter_of(type);
  const std::string one{letter, '=', letter}, two = one + letter;
  if (type == "pred") {
    if (name == "and") return {combine_masks<Logic::conjunction>, two};
    if (name == "or") return {combine_masks<Logic::disjunction>, two};
    if (name == "xor") return {combine_masks<Logic::exclusive>, two};
    if (name == "not") return {not_mask, one};
    return {};
  }
  if (name == "and") {
    return {pick_bits(type, []<class T>() -> Handler { return run_binary<And, T>; }), two};
  }
  if (name == "or") {
    return {pick_bits(type, []<class T>() -> Handler { return run_binary<Or, T>; }), two};
  }
  if (name == "xor") {
    return {pick_bits(type, []<class T>() -> Handler { return run_binary<ExclusiveOr, T>; }), two};
  }
  if (name == "not") {
    return {pick_bits(type, []<class T>() -> Handler { return run_unary<Not, T>; }), one};
  }
  if (name == "cnot") {
    return {pick_bits(type, []<class T>() -> Handler { return run_unary<IsZero, T>; }), one};
  }
  const std::string shift{letter, '=', letter, 'n'};
  if (name == "shl") {
    return {pick_bits(type, []<class T>() -> Handler { return shift_left<T>; }), shift};
  }
  if (name == "shr") {
    return {pick_integer(type, []<class T>() -> Handler { return shift_right<T>; }), shift};
  }
  return {};
}

Shape find_count_or_field(const Opcode& opcode, Instruction& i) {
  const std::string &name = opcode.name(), &type = opcode.type();
  const char letter = letter_of(type);
  const std::string count{'n', '=', letter};
  const bool is_wide = type == "b64";
  if (name == "popc") return {is_wide ? population<u64> : population<u32>, count};
  if (name == "clz") return {is_wide ? leading_zeros<u64> : leading_zeros<u32>, count};
  if (name == "brev") {
    return {pick_bits(type, []<class T>() -> Handler { return run_unary_each<Reverse, T>; }),
            std::string{letter, '=', letter}};
  }
  if (name == "bfind") {
    i.mode = opcode.has("shiftamt") ? 1 : 0;
    return {pick_integer(type, []<class T>() -> Handler { return find_bit<T>; }), count};
  }
  if (name == "bfe") {
    return {pick_integer(type, []<class T>() -> Handler { return extract_field<T>; }),
            std::string{letter, '=', letter, 'n', 'n'}};
  }
  if (name == "bfi") {
    return {is_wide ? insert_field<u64> : insert_field<u32>,
            std::string{letter, '=', letter, letter, 'n', 'n'}};
  }
  return {};
}

}  // namespace

Shape find_bits(const Opcode& opcode, Instruction& i) {
  const std::string& name = opcode.name();
  if (Shape shape = find_carry(opcode, i); shape.run != nullptr) return shape;
  if (name == "shf" && opcode.has_only("l r wrap clamp")) {
    i.mode = static_cast<u8>((opcode.has("l") ? 1 : 0) | (opcode.has("wrap") ? 2 : 0));
    return {shift_funnel, "n=nnn"};
  }
  if (!opcode.has_only("shiftamt")) return {};
  if (name == "prmt") return {opcode.type() == "b32" ? permute_bytes : nullptr, "n=nnn"};
  if (name == "lop3") return {opcode.type() == "b32" ? look_up : nullptr, "n=nnnn"};
  if (Shape shape = find_logic(opcode); shape.run != nullptr) return shape;
  return find_count_or_field(opcode, i);
}

}  // namespace emulator
