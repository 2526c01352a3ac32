// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Conversions between all types, packing, and moves, against the host.
#include "conversion.hpp"
#include "instruction_check.hpp"

#include <cfenv>

namespace test_conversion {
namespace {

using namespace emulator;
__extension__ typedef __int128 s128;

template <class To, class From>
std::string cvt(const std::string& modifier) {
  return "cvt" + modifier + "." + type_name<To>() + "." + type_name<From>() + " %d, %a;";
}

template <class To, class From>
void check_integer() {
  expect_instruction<To, From>(cvt<To, From>(""), [](From a) { return static_cast<To>(a); });
  expect_instruction<To, From>(cvt<To, From>(".sat"), [](From a) {
    const s128 low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    return static_cast<To>(std::min(std::max(static_cast<s128>(a), low), high));
  });
}

template <class From>
void check_from_integer() {
  check_integer<s8, From>();
  check_integer<u8, From>();
  check_integer<s16, From>();
  check_integer<u16, From>();
  check_integer<s32, From>();
  check_integer<u32, From>();
  check_integer<s64, From>();
  check_integer<u64, From>();
  expect_instruction<float, From>(cvt<float, From>(".rn"),
                                  [](From a) { return static_cast<float>(a); });
  expect_instruction<double, From>(cvt<double, From>(".rn"),
                                   [](From a) { return static_cast<double>(a); });
}

TEST(Conversion, FromIntegers) {
  check_from_integer<s8>();
  check_from_integer<u8>();
  check_from_integer<s16>();
  check_from_integer<u16>();
  check_from_integer<s32>();
  check_from_integer<u32>();
  check_from_integer<s64>();
  check_from_integer<u64>();
}

/// By long double, which has all integers of 64 bits.
template <class To, class From, class Whole>
To clamped(From a, Whole whole) {
  if (std::isnan(a)) return sizeof(To) == 8 ? static_cast<To>(u64{1} << 63) : To{0};
  const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  const long double value = whole(a);
  return value <= low    ? std::numeric_limits<To>::min()
         : value >= high ? std::numeric_limits<To>::max()
                         : static_cast<To>(value);
}

template <class To, class From>
void check_from_float() {
  expect_instruction<To, From>(cvt<To, From>(".rzi"), [](From a) {
    return clamped<To>(a, [](From v) { return std::trunc(v); });
  });
  expect_instruction<To, From>(cvt<To, From>(".rni"), [](From a) {
    return clamped<To>(a, [](From v) { return std::nearbyint(v); });
  });
  expect_instruction<To, From>(cvt<To, From>(".rmi"), [](From a) {
    return clamped<To>(a, [](From v) { return std::floor(v); });
  });
  expect_instruction<To, From>(cvt<To, From>(".rpi"), [](From a) {
    return clamped<To>(a, [](From v) { return std::ceil(v); });
  });
}

template <class From>
void check_float() {
  check_from_float<s8, From>();
  check_from_float<u8, From>();
  check_from_float<s16, From>();
  check_from_float<u16, From>();
  check_from_float<s32, From>();
  check_from_float<u32, From>();
  check_from_float<s64, From>();
  check_from_float<u64, From>();
  expect_instruction<From, From>(cvt<From, From>(".rzi"), [](From a) { return std::trunc(a); });
  expect_instruction<From, From>(cvt<From, From>(".rni"), [](From a) { return std::nearbyint(a); });
  expect_instruction<From, From>(cvt<From, From>(".rmi"), [](From a) { return std::floor(a); });
  expect_instruction<From, From>(cvt<From, From>(".rpi"), [](From a) { return std::ceil(a); });
  expect_instruction<From, From>(cvt<From, From>(".sat"), [](From a) {
    return std::isnan(a) ? From{0} : std::min(std::max(a, From{0}), From{1});
  });
}

TEST(Conversion, FromFloats) {
  check_float<float>();
  check_float<double>();
}

/// With the host's rounding, around a call that no compiler moves.
template <class From>
float rounded_to_float(int rounding, From a) {
  float (*volatile kept)(From) = [](From value) { return static_cast<float>(value); };
  std::fesetround(rounding);
  const float made = kept(a);
  std::fesetround(FE_TONEAREST);
  return made;
}

TEST(Conversion, BetweenFloats) {
  expect_instruction<double, float>("cvt.f64.f32 %d, %a;",
                                    [](float a) { return static_cast<double>(a); });
  expect_instruction<float, double>("cvt.rn.f32.f64 %d, %a;",
                                    [](double a) { return static_cast<float>(a); });
  for (const auto& [name, rounding] :
       {std::pair(".rz", FE_TOWARDZERO), std::pair(".rm", FE_DOWNWARD),
        std::pair(".rp", FE_UPWARD)}) {
    expect_instruction<float, double>(
        std::string("cvt") + name + ".f32.f64 %d, %a;",
        [mode = rounding](double a) { return rounded_to_float(mode, a); });
    expect_instruction<float, s32>(std::string("cvt") + name + ".f32.s32 %d, %a;",
                                   [mode = rounding](s32 a) { return rounded_to_float(mode, a); });
  }
}

/// All values of 16 bits, one tuple each.
std::vector<std::tuple<u16>> all_shorts() {
  std::vector<std::tuple<u16>> all;
  for (u32 k = 0; k < 65536; ++k) all.emplace_back(static_cast<u16>(k));
  return all;
}

TEST(Conversion, HalvesGoAndComeBack) {
  expect_instruction<float, u16>(
      "cvt.f32.f16 %d, %a;",
      [](u16 a) {
        const int exponent = a >> 10 & 31, fraction = a & 1023;
        double value = exponent == 31  ? (fraction != 0 ? NAN : INFINITY)
                       : exponent == 0 ? std::ldexp(fraction, -24)
                                       : std::ldexp(1024 + fraction, exponent - 25);
        if ((a & 0x8000) != 0) value = -value;
        return static_cast<float>(value);
      },
      all_shorts());
  expect_instruction<u16, u16>(
      "{ .reg .f32 %t; cvt.f32.f16 %t, %a; cvt.rn.f16.f32 %d, %t; }",
      [](u16 a) { return (a & 0x7fff) > 0x7c00 ? u16{0x7fff} : a; }, all_shorts());
  expect_instruction<u16, u16>(
      "{ .reg .f32 %t; cvt.f32.bf16 %t, %a; cvt.rn.bf16.f32 %d, %t; }",
      [](u16 a) { return (a & 0x7fff) > 0x7f80 ? u16{0x7fff} : a; }, all_shorts());
}

TEST(Conversion, HalvesAreRoundedToEven) {
  EXPECT_EQ(to_half(2049), to_half(2048));
  EXPECT_EQ(to_half(2051), to_half(2052));
  EXPECT_EQ(to_half(65519), 0x7bff);
  EXPECT_EQ(to_half(65520), 0x7c00);
  EXPECT_EQ(to_half(0x1p-25), 0);
  EXPECT_EQ(to_half(-0x1.8p-25), 0x8001);
}

TEST(Conversion, WiderRegistersThanTypes) {
  expect_instruction<s64, s64>("cvt.s64.s8 %d, %a;", [](s64 a) { return s64{static_cast<s8>(a)}; });
  expect_instruction<u64, u64>("cvt.u8.u16 %d, %a;", [](u64 a) { return u64{static_cast<u8>(a)}; });
  expect_instruction<s64, s64>("cvt.s16.s32 %d, %a;",
                               [](s64 a) { return s64{static_cast<s16>(a)}; });
}

TEST(Conversion, PartsAreJoinedAndDivided) {
  expect_instruction<u64, u32, u32>("mov.b64 %d, {%a, %b};",
                                    [](u32 a, u32 b) { return u64{b} << 32 | a; });
  expect_instruction<u32, u16, u16>("mov.b32 %d, {%a, %b};",
                                    [](u16 a, u16 b) { return u32{b} << 16 | a; });
  expect_instruction<u64, u16, u16>("mov.b64 %d, {%a, %b, %a, %b};", [](u16 a, u16 b) {
    const u64 both = u64{b} << 16 | a;
    return both << 32 | both;
  });
  expect_instruction<u32, u64>("{ .reg .b32 %t; mov.b64 {%t, %d}, %a; }",
                               [](u64 a) { return static_cast<u32>(a >> 32); });
  expect_instruction<u32, u64>("mov.b64 {%d, _}, %a;", [](u64 a) { return static_cast<u32>(a); });
  expect_instruction<u16, u64>("{ .reg .b16 %t<3>; mov.b64 {%t0, %t1, %d, %t2}, %a; }",
                               [](u64 a) { return static_cast<u16>(a >> 32); });
}

TEST(Conversion, Constants) {
  expect_instruction<float, u32>("mov.f32 %d, 0fBF800000;", [](u32) { return -1.0F; });
  expect_instruction<double, u32>("mov.f64 %d, 0d3FF8000000000000;", [](u32) { return 1.5; });
  expect_instruction<float, float>("add.f32 %d, %a, 0d4000000000000000;",
                                   [](float a) { return a + 2; });
  expect_instruction<s64, s64>("add.s64 %d, %a, -3;",
                               [](s64 a) { return static_cast<s64>(u64(a) - 3); });
  expect_instruction<u16, u16>("and.b16 %d, %a, 255;",
                               [](u16 a) { return static_cast<u16>(a & 255); });
}

}  // namespace
}  // namespace test_conversion
