// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Logic, shifts, fields, carries, comparisons and choices, against the host.
#include "instruction_check.hpp"

#include <functional>

namespace test_bits {
namespace {

using namespace emulator;
__extension__ typedef unsigned __int128 u128;

template <class T>
void check_logic(const std::string& type) {
  const std::string operands = "." + type + " %d, %a, %b;", one = "." + type + " %d, %a;";
  expect_instruction<T, T, T>("and" + operands, [](T a, T b) { return static_cast<T>(a & b); });
  expect_instruction<T, T, T>("or" + operands, [](T a, T b) { return static_cast<T>(a | b); });
  expect_instruction<T, T, T>("xor" + operands, [](T a, T b) { return static_cast<T>(a ^ b); });
  expect_instruction<T, T>("not" + one, [](T a) { return static_cast<T>(~a); });
  expect_instruction<T, T>("cnot" + one, [](T a) { return static_cast<T>(a == 0); });
  constexpr u32 bits = 8 * sizeof(T);
  expect_instruction<T, T, u32>(
      "shl" + operands, [](T a, u32 b) { return b >= bits ? T{0} : static_cast<T>(a << b); });
}

TEST(Bits, Logic) {
  check_logic<u16>("b16");
  check_logic<u32>("b32");
  check_logic<u64>("b64");
}

TEST(Bits, LogicOfPredicates) {
  const auto check = [](const std::string& name, auto reference) {
    expect_instruction<bool, u32, u32>(
        "{ .reg .pred %p, %q; setp.ne.u32 %p, %a, 0; setp.gt.u32 %q, %b, 7; " + name +
            ".pred %d, %p, %q; }",
        [=](u32 a, u32 b) { return reference(a != 0, b > 7); });
  };
  check("and", [](bool p, bool q) { return p && q; });
  check("or", [](bool p, bool q) { return p || q; });
  check("xor", [](bool p, bool q) { return p != q; });
  expect_instruction<bool, u32>("{ .reg .pred %p; setp.ne.u32 %p, %a, 0; not.pred %d, %p; }",
                                [](u32 a) { return a == 0; });
  expect_instruction<bool, u32>("{ .reg .pred %p; setp.ne.u32 %p, %a, 0; mov.pred %d, %p; }",
                                [](u32 a) { return a != 0; });
}

template <class T>
void check_shift_right() {
  expect_instruction<T, T, u32>(std::string("shr.") + type_name<T>() + " %d, %a, %b;",
                                [](T a, u32 b) {
                                  const u32 most = 8 * sizeof(T) - 1;
                                  if (b <= most) return static_cast<T>(a >> b);
                                  return static_cast<T>(a < 0 ? -1 : 0);
                                });
}

TEST(Bits, ShiftsToTheRight) {
  check_shift_right<s16>();
  check_shift_right<u16>();
  check_shift_right<s32>();
  check_shift_right<u32>();
  check_shift_right<s64>();
  check_shift_right<u64>();
}

TEST(Bits, Counts) {
  expect_instruction<u32, u32>("popc.b32 %d, %a;", [](u32 a) { return u32(std::popcount(a)); });
  expect_instruction<u32, u64>("popc.b64 %d, %a;", [](u64 a) { return u32(std::popcount(a)); });
  expect_instruction<u32, u32>("clz.b32 %d, %a;", [](u32 a) { return u32(std::countl_zero(a)); });
  expect_instruction<u32, u64>("clz.b64 %d, %a;", [](u64 a) { return u32(std::countl_zero(a)); });
  expect_instruction<u32, u32>("bfind.u32 %d, %a;",
                               [](u32 a) { return a == 0 ? ~0U : u32(std::bit_width(a)) - 1; });
  expect_instruction<u32, s64>("bfind.s64 %d, %a;", [](s64 a) {
    const u64 b = a < 0 ? ~static_cast<u64>(a) : static_cast<u64>(a);
    return b == 0 ? ~0U : u32(std::bit_width(b)) - 1;
  });
  expect_instruction<u32, u32>("bfind.shiftamt.u32 %d, %a;",
                               [](u32 a) { return a == 0 ? ~0U : u32(std::countl_zero(a)); });
}

template <class T>
T reversed(T a) {
  T made = 0;
  for (unsigned k = 0; k < 8 * sizeof(T); ++k) {
    if ((a >> k & 1) != 0) made |= T{1} << (8 * sizeof(T) - 1 - k);
  }
  return made;
}

TEST(Bits, Reversed) {
  expect_instruction<u32, u32>("brev.b32 %d, %a;", reversed<u32>);
  expect_instruction<u64, u64>("brev.b64 %d, %a;", reversed<u64>);
}

/// Bit by bit, as in the manual.
template <class T>
T extracted(T a, u32 b, u32 c) {
  using Bits = std::make_unsigned_t<T>;
  const u32 at = b & 255, length = c & 255, most = 8 * sizeof(T) - 1;
  const auto bits = static_cast<Bits>(a);
  const bool sign =
      std::is_signed_v<T> && length > 0 && (bits >> std::min(at + length - 1, most) & 1) != 0;
  Bits made = 0;
  for (u32 k = 0; k <= most; ++k) {
    const bool bit = k < length && at + k <= most ? (bits >> (at + k) & 1) != 0 : sign;
    if (bit) made |= Bits{1} << k;
  }
  return static_cast<T>(made);
}

TEST(Bits, Fields) {
  expect_instruction<u32, u32, u32, u32>("bfe.u32 %d, %a, %b, %c;", extracted<u32>);
  expect_instruction<s32, s32, u32, u32>("bfe.s32 %d, %a, %b, %c;", extracted<s32>);
  expect_instruction<u64, u64, u32, u32>("bfe.u64 %d, %a, %b, %c;", extracted<u64>);
  expect_instruction<s64, s64, u32, u32>("bfe.s64 %d, %a, %b, %c;", extracted<s64>);
  expect_instruction<u32, u32, u32, u32>("bfi.b32 %d, %a, %b, %c, 5;", [](u32 a, u32 b, u32 c) {
    for (u32 k = 0; k < 5; ++k) {
      const u32 at = (c & 255) + k;
      if (at < 32) b = (b & ~(1U << at)) | (a >> k & 1) << at;
    }
    return b;
  });
}

TEST(Bits, BytesArePermuted) {
  expect_instruction<u32, u32, u32, u32>("prmt.b32 %d, %a, %b, %c;", [](u32 a, u32 b, u32 c) {
    u8 bytes[8];
    std::memcpy(bytes, &a, 4);
    std::memcpy(bytes + 4, &b, 4);
    u32 made = 0;
    for (int k = 0; k < 4; ++k) {
      const u32 choice = c >> (4 * k) & 15;
      u32 byte = bytes[choice & 7];
      if (choice > 7) byte = byte > 127 ? 255 : 0;
      made |= byte << (8 * k);
    }
    return made;
  });
}

TEST(Bits, FunnelShifts) {
  const auto both = [](u32 a, u32 b) { return u64{b} << 32 | a; };
  expect_instruction<u32, u32, u32, u32>(
      "shf.l.wrap.b32 %d, %a, %b, %c;",
      [=](u32 a, u32 b, u32 c) { return static_cast<u32>(both(a, b) << (c & 31) >> 32); });
  expect_instruction<u32, u32, u32, u32>(
      "shf.l.clamp.b32 %d, %a, %b, %c;",
      [=](u32 a, u32 b, u32 c) { return c >= 32 ? a : static_cast<u32>(both(a, b) << c >> 32); });
  expect_instruction<u32, u32, u32, u32>(
      "shf.r.wrap.b32 %d, %a, %b, %c;",
      [=](u32 a, u32 b, u32 c) { return static_cast<u32>(both(a, b) >> (c & 31)); });
  expect_instruction<u32, u32, u32, u32>(
      "shf.r.clamp.b32 %d, %a, %b, %c;",
      [=](u32 a, u32 b, u32 c) { return c >= 32 ? b : static_cast<u32>(both(a, b) >> c); });
}

TEST(Bits, TablesOfThree) {
  expect_instruction<u32, u32, u32, u32>("lop3.b32 %d, %a, %b, %c, 0x96;",
                                         [](u32 a, u32 b, u32 c) { return a ^ b ^ c; });
  expect_instruction<u32, u32, u32, u32>("lop3.b32 %d, %a, %b, %c, 0xca;",
                                         [](u32 a, u32 b, u32 c) { return (a & b) | (~a & c); });
}

TEST(Bits, Carries) {
  expect_instruction<u32, u32, u32>(
      "{ .reg .b32 %t; add.cc.u32 %t, %a, %b; addc.u32 %d, 3, 4; }",
      [](u32 a, u32 b) { return 7 + static_cast<u32>((u64{a} + b) >> 32); });
  expect_instruction<u64, u64, u64>("{ .reg .b64 %t; sub.cc.u64 %t, %a, %b; subc.u64 %d, 30, 4; }",
                                    [](u64 a, u64 b) { return u64{26} - (a < b ? 1 : 0); });
  expect_instruction<u32, u32, u32, u32>(
      "{ .reg .b32 %t; mad.lo.cc.u32 %t, %a, %b, %c; madc.hi.u32 %d, %a, %b, 0; }",
      [](u32 a, u32 b, u32 c) { return static_cast<u32>((u64{a} * b + c) >> 32); });
}

template <class T>
void check_relation(const std::string& name, bool (*holds)(T, T)) {
  const std::string text = name + "." + type_name<T>();
  expect_instruction<bool, T, T>("setp." + text + " %d, %a, %b;", holds);
  expect_instruction<u32, T, T>("set." + name + ".u32." + type_name<T>() + " %d, %a, %b;",
                                [=](T a, T b) { return holds(a, b) ? ~0U : 0U; });
  expect_instruction<float, T, T>("set." + name + ".f32." + type_name<T>() + " %d, %a, %b;",
                                  [=](T a, T b) { return holds(a, b) ? 1.0F : 0.0F; });
}

template <class T>
void check_relations() {
  check_relation<T>("eq", [](T a, T b) { return a == b; });
  check_relation<T>("ne", [](T a, T b) { return !(a != a) && !(b != b) && a != b; });
  check_relation<T>("lt", [](T a, T b) { return a < b; });
  check_relation<T>("le", [](T a, T b) { return a <= b; });
  check_relation<T>("gt", [](T a, T b) { return a > b; });
  check_relation<T>("ge", [](T a, T b) { return a >= b; });
  if constexpr (std::is_floating_point_v<T>) {
    check_relation<T>("equ", [](T a, T b) { return a != a || b != b || a == b; });
    check_relation<T>("neu", [](T a, T b) { return a != a || b != b || a != b; });
    check_relation<T>("ltu", [](T a, T b) { return a != a || b != b || a < b; });
    check_relation<T>("leu", [](T a, T b) { return a != a || b != b || a <= b; });
    check_relation<T>("gtu", [](T a, T b) { return a != a || b != b || a > b; });
    check_relation<T>("geu", [](T a, T b) { return a != a || b != b || a >= b; });
    check_relation<T>("num", [](T a, T b) { return !(a != a) && !(b != b); });
    check_relation<T>("nan", [](T a, T b) { return a != a || b != b; });
  } else if constexpr (std::is_unsigned_v<T>) {
    check_relation<T>("lo", [](T a, T b) { return a < b; });
    check_relation<T>("ls", [](T a, T b) { return a <= b; });
    check_relation<T>("hi", [](T a, T b) { return a > b; });
    check_relation<T>("hs", [](T a, T b) { return a >= b; });
  }
}

TEST(Bits, Comparisons) {
  check_relations<s16>();
  check_relations<u16>();
  check_relations<s32>();
  check_relations<u32>();
  check_relations<s64>();
  check_relations<u64>();
  check_relations<float>();
  check_relations<double>();
}

TEST(Bits, ComparisonsJoinAPredicate) {
  const auto check = [](const std::string& name, const std::string& result, auto reference) {
    expect_instruction<bool, s32, s32>("{ .reg .pred %p, %q, %r; setp.gt.s32 %p, %b, 0; setp.lt." +
                                           name + ".s32 %q|%r, %a, 5, %p; mov.pred %d, " + result +
                                           "; }",
                                       reference);
  };
  check("and", "%q", [](s32 a, s32 b) { return a < 5 && b > 0; });
  check("or", "%q", [](s32 a, s32 b) { return a < 5 || b > 0; });
  check("xor", "%q", [](s32 a, s32 b) { return (a < 5) != (b > 0); });
  check("and", "%r", [](s32 a, s32 b) { return !(a < 5) && b > 0; });
  expect_instruction<bool, s32, s32>(
      "{ .reg .pred %p; setp.gt.s32 %p, %b, 0; setp.lt.and.s32 %d, %a, 5, !%p; }",
      [](s32 a, s32 b) { return a < 5 && b <= 0; });
}

TEST(Bits, Choices) {
  expect_instruction<double, double, double, s32>(
      "{ .reg .pred %p; setp.gt.s32 %p, %c, 1; selp.f64 %d, %a, %b, %p; }",
      [](double a, double b, s32 c) { return c > 1 ? a : b; });
  expect_instruction<u16, u16, u16, s32>(
      "{ .reg .pred %p; setp.gt.s32 %p, %c, 1; selp.b16 %d, %a, %b, %p; }",
      [](u16 a, u16 b, s32 c) { return c > 1 ? a : b; });
  expect_instruction<u64, u64, u64, s32>("slct.u64.s32 %d, %a, %b, %c;",
                                         [](u64 a, u64 b, s32 c) { return c >= 0 ? a : b; });
  expect_instruction<float, float, float, float>(
      "slct.f32.f32 %d, %a, %b, %c;", [](float a, float b, float c) { return c >= 0 ? a : b; });
}

TEST(Bits, KindsOfNumbers) {
  expect_instruction<bool, float>("testp.finite.f32 %d, %a;",
                                  [](float a) { return std::isfinite(a); });
  expect_instruction<bool, double>("testp.infinite.f64 %d, %a;",
                                   [](double a) { return std::isinf(a); });
  expect_instruction<bool, float>("testp.number.f32 %d, %a;",
                                  [](float a) { return !std::isnan(a); });
  expect_instruction<bool, float>("testp.notanumber.f32 %d, %a;",
                                  [](float a) { return std::isnan(a); });
  expect_instruction<bool, double>("testp.normal.f64 %d, %a;",
                                   [](double a) { return std::isnormal(a); });
  expect_instruction<bool, float>("testp.subnormal.f32 %d, %a;",
                                  [](float a) { return std::fpclassify(a) == FP_SUBNORMAL; });
}

TEST(Bits, PredicatedInstructionsKeepTheOtherLanes) {
  expect_instruction<u32, u32, u32>(
      "{ .reg .pred %p; setp.gt.u32 %p, %a, %b; mov.u32 %d, 1; @%p mov.u32 %d, 2; @!%p add.u32 %d, "
      "%d, 5; }",
      [](u32 a, u32 b) { return a > b ? 2U : 6U; });
}

}  // namespace
}  // namespace test_bits
