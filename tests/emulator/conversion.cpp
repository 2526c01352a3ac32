// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "conversion.hpp"

#include "arithmetic.hpp"
#include "opcode.hpp"
#include "types.hpp"

#include <algorithm>
#include <bit>

namespace emulator {
namespace {

/// Rounding of a float to an integer: mode of an instruction, in its low bits. Bit 32: .sat; bit
/// 64: .ftz.
enum class Whole : u8 { no, nearest, zero, down, up };
constexpr u8 saturates = 32, flushes = 64;

template <class T>
T whole(T value, Whole rounding) {
  switch (rounding) {
    case Whole::nearest:
      return std::nearbyint(value);
    case Whole::zero:
      return std::trunc(value);
    case Whole::down:
      return std::floor(value);
    case Whole::up:
      return std::ceil(value);
    default:
      return value;
  }
}

/// NaN gives 0, of 64 bits the sign bit alone; other values are brought into the range.
template <class To, class From>
To to_integer(From value) {
  using Limits = std::numeric_limits<To>;
  if (std::isnan(value)) return sizeof(To) == 8 ? static_cast<To>(u64{1} << 63) : To{0};
  const auto beyond = std::ldexp(From{1}, Limits::digits);  // one more than the most
  if (value >= beyond) return Limits::max();
  if (value <= static_cast<From>(Limits::min())) return Limits::min();
  return static_cast<To>(value);
}

template <class To, class From>
To saturated(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return std::isnan(value) ? To{0} : std::clamp(static_cast<To>(value), To{0}, To{1});
  } else {
    const auto exact = static_cast<s128>(value);
    return static_cast<To>(std::clamp(exact, static_cast<s128>(std::numeric_limits<To>::min()),
                                      static_cast<s128>(std::numeric_limits<To>::max())));
  }
}

template <class To, class From>
To converted(From value, u8 mode) {
  constexpr bool from_float = std::is_floating_point_v<From>;
  if constexpr (from_float) {
    if ((mode & flushes) != 0) value = flushed(value);
    value = whole(value, static_cast<Whole>(mode & 7));
  }
  if constexpr (from_float && std::is_integral_v<To>) {
    return to_integer<To>(value);
  } else {
    if constexpr (from_float || std::is_integral_v<To>) {
      if ((mode & saturates) != 0) return saturated<To>(value);
    }
    return static_cast<To>(value);
  }
}

template <class To, class From>
void convert(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<From>(warp, i.from[0]);
  fill_each<To>(warp, i.to[0], lanes,
                [a, mode = i.mode](int k) { return converted<To>(value_of<From>(a[k]), mode); });
}

/// Without rounding to an integer and without a range: full vectors.
template <class To, class From>
void convert_plainly(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<From>(warp, i.from[0]);
  fill<To>(warp, i.to[0], lanes, [a](int k) { return static_cast<To>(value_of<From>(a[k])); });
}

template <class To, class From, auto conversion>
void convert_short(Warp& warp, const Instruction& i, u32 lanes) {
  const auto* a = source<From>(warp, i.from[0]);
  fill_each<To>(warp, i.to[0], lanes,
                [a](int k) { return static_cast<To>(conversion(value_of<From>(a[k]))); });
}

template <class To, class From>
Handler pick_handler(u8 mode) {
  constexpr bool is_range_checked = std::is_floating_point_v<From> && std::is_integral_v<To>;
  if constexpr (!is_range_checked) {
    if (mode == 0) return convert_plainly<To, From>;
  }
  return convert<To, From>;
}

template <class To>
Handler pick_from(const std::string& from, u8 mode) {
  if (from == "f32") return pick_handler<To, float>(mode);
  if (from == "f64") return pick_handler<To, double>(mode);
  if (from == "s8") return pick_handler<To, s8>(mode);
  if (from == "u8" || from == "b8") return pick_handler<To, u8>(mode);
  return pick_integer(from,
                      [mode]<class From>() -> Handler { return pick_handler<To, From>(mode); });
}

Handler pick_to(const std::string& to, const std::string& from, u8 mode) {
  if (to == "f32") return pick_from<float>(from, mode);
  if (to == "f64") return pick_from<double>(from, mode);
  if (to == "s8") return pick_from<s8>(from, mode);
  if (to == "u8" || to == "b8") return pick_from<u8>(from, mode);
  return pick_integer(to, [&]<class To>() -> Handler { return pick_from<To>(from, mode); });
}

Handler pick_short(const std::string& to, const std::string& from) {
  if (from == "f16") {
    return to == "f32"   ? convert_short<float, u16, from_half>
           : to == "f64" ? convert_short<double, u16, from_half>
                         : nullptr;
  }
  if (to == "f16") {
    return from == "f32"   ? convert_short<u16, float, to_half>
           : from == "f64" ? convert_short<u16, double, to_half>
                           : nullptr;
  }
  if (from == "bf16") return to == "f32" ? convert_short<float, u16, from_bfloat> : nullptr;
  return from == "f32" ? convert_short<u16, float, to_bfloat> : nullptr;
}

}  // namespace

float from_half(std::uint16_t half) {
  const u32 sign = (half & 0x8000U) << 16, exponent = half >> 10 & 31, fraction = half & 1023U;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
  const float value = exponent != 0 ? std::ldexp(static_cast<float>(1024 + fraction),
                                                 static_cast<int>(exponent) - 25)
                                    : std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -value : value;
}

std::uint16_t to_half(double value) {
  const u16 sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7fff;
  const double size = std::fabs(value);
  if (size >= 65520) return sign | 0x7c00;
  if (size < 0x1p-14) return sign | static_cast<u16>(std::nearbyint(size * 0x1p24));
  int exponent = 0;
  std::frexp(size, &exponent);
  const auto scaled = static_cast<int>(std::nearbyint(std::ldexp(size, 11 - exponent)));
  return sign | static_cast<u16>((exponent + 13) * 1024 + scaled);  // scaled: 1024 to 2048
}

float from_bfloat(std::uint16_t bits) { return std::bit_cast<float>(u32{bits} << 16); }

std::uint16_t to_bfloat(float value) {
  const u32 bits = std::bit_cast<u32>(value);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<u16>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

Shape find_conversion(const Opcode& opcode, Instruction& i) {
  if (opcode.name() != "cvt" || opcode.parts.size() < 3) return {};
  const std::string &to = opcode.parts[opcode.parts.size() - 2], &from = opcode.type();
  if (opcode.has("rz") || opcode.has("rm") || opcode.has("rp")) return {};
  if (!opcode.has_only("rn rni rzi rmi rpi sat ftz " + to)) return {};
  i.mode = static_cast<u8>(opcode.has("rni")   ? Whole::nearest
                           : opcode.has("rzi") ? Whole::zero
                           : opcode.has("rmi") ? Whole::down
                           : opcode.has("rpi") ? Whole::up
                                               : Whole::no);
  if (opcode.has("sat")) i.mode |= saturates;
  if (opcode.has("ftz")) i.mode |= flushes;
  const std::string rows = std::string{'~', letter_of(to), '=', letter_of(from)};
  const auto is_short = [](const std::string& type) { return type == "f16" || type == "bf16"; };
  if (is_short(to) || is_short(from)) {
    return {i.mode == 0 ? pick_short(to, from) : nullptr, rows};
  }
  return {pick_to(to, from, i.mode), rows};
}

}  // namespace emulator
