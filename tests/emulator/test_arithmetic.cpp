// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Sums, products, roots and the like of all types, against the host.
#include "instruction_check.hpp"

#include <algorithm>
#include <cfenv>

namespace test_arithmetic {
namespace {

using namespace emulator;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

template <class T>
std::string typed(const std::string& name, const std::string& operands = "%d, %a, %b;") {
  return name + "." + type_name<T>() + " " + operands;
}

template <class T>
void check_integers() {
  expect_instruction<T, T, T>(typed<T>("add"),
                              [](T a, T b) { return static_cast<T>(u64(a) + u64(b)); });
  expect_instruction<T, T, T>(typed<T>("sub"),
                              [](T a, T b) { return static_cast<T>(u64(a) - u64(b)); });
  expect_instruction<T, T, T>(typed<T>("mul.lo"),
                              [](T a, T b) { return static_cast<T>(u64(a) * u64(b)); });
  expect_instruction<T, T, T>(typed<T>("min"), [](T a, T b) { return std::min(a, b); });
  expect_instruction<T, T, T>(typed<T>("max"), [](T a, T b) { return std::max(a, b); });
  expect_instruction<T, T, T>(typed<T>("div"), [](T a, T b) {
    return b == 0 ? static_cast<T>(~T{0}) : static_cast<T>(static_cast<s128>(a) / b);
  });
  expect_instruction<T, T, T>(typed<T>("rem"), [](T a, T b) {
    return b == 0 ? a : static_cast<T>(static_cast<s128>(a) % b);
  });
  expect_instruction<T, T, T>(typed<T>("mul.hi"), [](T a, T b) {
    if constexpr (std::is_signed_v<T>)
      return static_cast<T>((s128{a} * b) >> (8 * sizeof(T)));
    else
      return static_cast<T>((u128{a} * b) >> (8 * sizeof(T)));
  });
  expect_instruction<T, T, T, T>(typed<T>("mad.lo", "%d, %a, %b, %c;"), [](T a, T b, T c) {
    return static_cast<T>(u64(a) * u64(b) + u64(c));
  });
  if constexpr (std::is_signed_v<T>) {
    expect_instruction<T, T>(typed<T>("neg", "%d, %a;"),
                             [](T a) { return static_cast<T>(0 - u64(a)); });
    expect_instruction<T, T>(typed<T>("abs", "%d, %a;"),
                             [](T a) { return static_cast<T>(a < 0 ? 0 - u64(a) : u64(a)); });
  }
}

TEST(Arithmetic, Integers) {
  check_integers<s16>();
  check_integers<u16>();
  check_integers<s32>();
  check_integers<u32>();
  check_integers<s64>();
  check_integers<u64>();
}

template <class T, class Wide>
void check_wide() {
  expect_instruction<Wide, T, T>(typed<T>("mul.wide"), [](T a, T b) {
    return static_cast<Wide>(static_cast<s128>(a) * static_cast<s128>(b));
  });
  expect_instruction<Wide, T, T, Wide>(typed<T>("mad.wide", "%d, %a, %b, %c;"), [](T a, T b,
                                                                                   Wide c) {
    return static_cast<Wide>(static_cast<s128>(a) * static_cast<s128>(b) + static_cast<s128>(c));
  });
}

TEST(Arithmetic, WideProducts) {
  check_wide<s16, s32>();
  check_wide<u16, u32>();
  check_wide<s32, s64>();
  check_wide<u32, u64>();
}

TEST(Arithmetic, HighProductsAreAdded) {
  expect_instruction<s32, s32, s32, s32>("mad.hi.s32 %d, %a, %b, %c;", [](s32 a, s32 b, s32 c) {
    return static_cast<s32>(static_cast<u32>(s64{a} * b >> 32) + static_cast<u32>(c));
  });
  expect_instruction<u64, u64, u64, u64>("mad.hi.u64 %d, %a, %b, %c;", [](u64 a, u64 b, u64 c) {
    return static_cast<u64>(u128{a} * b >> 64) + c;
  });
}

template <class T>
T least(T a, T b) {
  if (std::isnan(a)) return b;
  if (std::isnan(b)) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return std::min(a, b);
}

template <class T>
void check_floats() {
  expect_instruction<T, T, T>(typed<T>("add"), [](T a, T b) { return a + b; });
  expect_instruction<T, T, T>(typed<T>("sub.rn"), [](T a, T b) { return a - b; });
  expect_instruction<T, T, T>(typed<T>("mul.rn"), [](T a, T b) { return a * b; });
  expect_instruction<T, T, T>(typed<T>("div.rn"), [](T a, T b) { return a / b; });
  expect_instruction<T, T, T>(typed<T>("min"), [](T a, T b) { return least(a, b); });
  expect_instruction<T, T, T>(typed<T>("max"), [](T a, T b) { return -least(-a, -b); });
  expect_instruction<T, T, T>(typed<T>("copysign"), [](T a, T b) { return std::copysign(b, a); });
  expect_instruction<T, T, T, T>(typed<T>("fma.rn", "%d, %a, %b, %c;"),
                                 [](T a, T b, T c) { return std::fma(a, b, c); });
  expect_instruction<T, T, T, T>(typed<T>("mad.rn", "%d, %a, %b, %c;"),
                                 [](T a, T b, T c) { return std::fma(a, b, c); });
  expect_instruction<T, T>(typed<T>("neg", "%d, %a;"), [](T a) { return -a; });
  expect_instruction<T, T>(typed<T>("abs", "%d, %a;"), [](T a) { return std::fabs(a); });
  expect_instruction<T, T>(typed<T>("sqrt.rn", "%d, %a;"), [](T a) { return std::sqrt(a); });
  expect_instruction<T, T>(typed<T>("rcp.rn", "%d, %a;"), [](T a) { return 1 / a; });
}

TEST(Arithmetic, Floats) {
  check_floats<float>();
  check_floats<double>();
}

TEST(Arithmetic, NanOfMinAndMaxWhereItIsAsked) {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  expect_instruction<float, float, float>("min.NaN.f32 %d, %a, %b;", [=](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? nan : least(a, b);
  });
  expect_instruction<float, float, float>("max.NaN.f32 %d, %a, %b;", [=](float a, float b) {
    return std::isnan(a) || std::isnan(b) ? nan : -least(-a, -b);
  });
}

float flushed_reference(float a) {
  return std::fpclassify(a) == FP_SUBNORMAL ? std::copysign(0.0F, a) : a;
}

TEST(Arithmetic, SubnormalNumbersAreFlushedWhereItIsAsked) {
  const auto flush = flushed_reference;
  expect_instruction<float, float, float>(
      "add.ftz.f32 %d, %a, %b;", [=](float a, float b) { return flush(flush(a) + flush(b)); });
  expect_instruction<float, float, float>(
      "mul.rn.ftz.f32 %d, %a, %b;", [=](float a, float b) { return flush(flush(a) * flush(b)); });
  expect_instruction<float, float, float, float>(
      "fma.rn.ftz.f32 %d, %a, %b, %c;",
      [=](float a, float b, float c) { return flush(std::fma(flush(a), flush(b), flush(c))); });
  expect_instruction<float, float>("ex2.approx.ftz.f32 %d, %a;",
                                   [=](float a) { return flush(std::exp2(flush(a))); });
}

TEST(Arithmetic, ApproximateFunctionsAreThoseOfTheHost) {
  expect_instruction<float, float>("rcp.approx.f32 %d, %a;", [](float a) { return 1 / a; });
  expect_instruction<float, float>("sqrt.approx.f32 %d, %a;", [](float a) { return std::sqrt(a); });
  expect_instruction<float, float>("rsqrt.approx.f32 %d, %a;",
                                   [](float a) { return 1 / std::sqrt(a); });
  expect_instruction<float, float>("lg2.approx.f32 %d, %a;", [](float a) { return std::log2(a); });
  expect_instruction<float, float>("ex2.approx.f32 %d, %a;", [](float a) { return std::exp2(a); });
  expect_instruction<float, float>("sin.approx.f32 %d, %a;", [](float a) { return std::sin(a); });
  expect_instruction<float, float>("cos.approx.f32 %d, %a;", [](float a) { return std::cos(a); });
  expect_instruction<float, float>("tanh.approx.f32 %d, %a;", [](float a) { return std::tanh(a); });
  expect_instruction<double, double>("rcp.approx.ftz.f64 %d, %a;", [](double a) {
    const double tiny = std::numeric_limits<double>::min();
    const double b = std::fabs(a) < tiny ? std::copysign(0.0, a) : a, made = 1 / b;
    return std::fabs(made) < tiny ? std::copysign(0.0, made) : made;
  });
}

/// The host's own rounding, around a call that no compiler moves.
template <class T, class... Values>
T rounded(int rounding, T (*compute)(Values...), Values... values) {
  T (*volatile kept)(Values...) = compute;
  std::fesetround(rounding);
  const T made = kept(values...);
  std::fesetround(FE_TONEAREST);
  return made;
}

template <class T>
void check_rounding(const std::string& modifier, int rounding) {
  const auto two = [=](const std::string& name, T (*compute)(T, T)) {
    expect_instruction<T, T, T>(typed<T>(name + "." + modifier),
                                [=](T a, T b) { return rounded(rounding, compute, a, b); });
  };
  two("add", [](T a, T b) { return a + b; });
  two("sub", [](T a, T b) { return a - b; });
  two("mul", [](T a, T b) { return a * b; });
  two("div", [](T a, T b) { return a / b; });
  T (*const root)(T) = [](T a) { return std::sqrt(a); };
  T (*const reciprocal)(T) = [](T a) { return T{1} / a; };
  T (*const fused)(T, T, T) = [](T a, T b, T c) { return std::fma(a, b, c); };
  expect_instruction<T, T>(typed<T>("sqrt." + modifier, "%d, %a;"),
                           [=](T a) { return rounded(rounding, root, a); });
  expect_instruction<T, T>(typed<T>("rcp." + modifier, "%d, %a;"),
                           [=](T a) { return rounded(rounding, reciprocal, a); });
  expect_instruction<T, T, T, T>(typed<T>("fma." + modifier, "%d, %a, %b, %c;"),
                                 [=](T a, T b, T c) { return rounded(rounding, fused, a, b, c); });
}

TEST(Arithmetic, DirectedRounding) {
  check_rounding<float>("rz", FE_TOWARDZERO);
  check_rounding<float>("rm", FE_DOWNWARD);
  check_rounding<float>("rp", FE_UPWARD);
  check_rounding<double>("rz", FE_TOWARDZERO);
  check_rounding<double>("rm", FE_DOWNWARD);
  check_rounding<double>("rp", FE_UPWARD);
}

}  // namespace
}  // namespace test_arithmetic
