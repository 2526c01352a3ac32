// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Loads and stores of all types and spaces, and atomic operations.
#include "instruction_check.hpp"

#include <functional>

namespace test_memory {
namespace {

using namespace emulator;

template <class T>
void check_round_trip() {
  const std::string type = type_name<T>();
  expect_instruction<T, T>(
      "{ .reg .b64 %p; .local .align 8 .b8 buffer[16]; mov.u64 %p, buffer; st.local." + type +
          " [%p+8], %a; ld.local." + type + " %d, [%p+8]; }",
      [](T a) { return a; });
  expect_instruction<T, T>(
      "{ .reg .b64 %p; .local .align 8 .b8 buffer[16]; mov.u64 %p, buffer; cvta.local.u64 %p, %p; "
      "st." +
          type + " [%p], %a; ld.volatile." + type + " %d, [%p]; }",
      [](T a) { return a; });
}

TEST(EmulatedMemory, LocalMemoryOfAllTypes) {
  check_round_trip<s8>();
  check_round_trip<u8>();
  check_round_trip<s16>();
  check_round_trip<u16>();
  check_round_trip<s32>();
  check_round_trip<u32>();
  check_round_trip<s64>();
  check_round_trip<u64>();
  check_round_trip<float>();
  check_round_trip<double>();
}

TEST(EmulatedMemory, ShortLoadsFillTheRegister) {
  expect_instruction<s32, s32>(
      "{ .reg .b64 %p; .local .align 4 .b8 buffer[4]; mov.u64 %p, buffer; st.local.b32 [%p], %a; "
      "ld.local.s8 %d, [%p+1]; }",
      [](s32 a) { return s32{static_cast<s8>(a >> 8)}; });
  expect_instruction<s64, s32>(
      "{ .reg .b64 %p; .local .align 4 .b8 buffer[4]; mov.u64 %p, buffer; st.local.b32 [%p], %a; "
      "ld.local.s16 %d, [%p+2]; }",
      [](s32 a) { return s64{static_cast<s16>(a >> 16)}; });
  expect_instruction<u64, u64>(
      "{ .reg .b64 %p; .local .align 8 .b8 buffer[8]; mov.u64 %p, buffer; st.local.u64 [%p], 0; "
      "st.local.u8 [%p], %a; ld.local.u64 %d, [%p]; }",
      [](u64 a) { return a & 255; });
}

TEST(EmulatedMemory, AddressesOfRegistersOf32BitsWrap) {
  expect_instruction<u32, u32>(
      "{ .reg .b32 %p; .local .align 4 .b8 buffer[4]; mov.u32 %p, buffer; sub.u32 %p, %p, 8000; "
      "st.local.u32 [%p+8000], %a; ld.local.u32 %d, [%p+8000]; }",
      [](u32 a) { return a; });
}

TEST(EmulatedMemory, VectorsAreLoadedAndStored) {
  const QuietMachine machine;
  const DeviceArray<float> in(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const DeviceArray<float> out(8);
  run_kernel(kernel_text(".param .u64 in, .param .u64 out", R"(
    .reg .b64 %a, %b, %o; .reg .b32 %t; .reg .f32 %f<4>;
    mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 16;
    ld.param.u64 %a, [in]; ld.param.u64 %b, [out]; add.s64 %a, %a, %o; add.s64 %b, %b, %o;
    ld.global.nc.v4.f32 {%f0, %f1, %f2, %f3}, [%a];
    st.global.v2.f32 [%b], {%f3, %f2};
    st.global.v2.f32 [%b+8], {%f1, %f0};)"),
             {.threads = 2}, Arguments(in, out));
  EXPECT_THAT(out.values(), testing::ElementsAre(4, 3, 2, 1, 8, 7, 6, 5));
  EXPECT_EQ(fault_lines(), "");
}

TEST(EmulatedMemory, VariablesOfTheModule) {
  const QuietMachine machine;
  const DeviceArray<u32> out(4);
  const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .u32 numbers[4] = {7, 8, 9};
.const .align 8 .u64 table[2] = {numbers, generic(numbers)+4};
.visible .entry kernel(.param .u64 out) {
  .reg .b64 %o, %p, %q; .reg .b32 %a, %b, %c;
  ld.param.u64 %o, [out];
  ld.const.u64 %p, [table+8];
  ld.global.u32 %a, [%p];
  mov.u64 %q, numbers+8;
  ld.global.u32 %b, [%q];
  ld.global.u32 %c, [numbers+12];
  st.global.u32 [%o], %a; st.global.u32 [%o+4], %b; st.global.u32 [%o+8], %c;
  ld.const.u64 %p, [table]; ld.global.u32 %a, [%p]; st.global.u32 [%o+12], %a;
  ret;
})";
  run_kernel(text, {.threads = 1}, Arguments(out));
  EXPECT_THAT(out.values(), testing::ElementsAre(8, 9, 0, 7));
  EXPECT_EQ(fault_lines(), "");
}

TEST(EmulatedMemory, SharedMemoryStaticAndDynamic) {
  const QuietMachine machine;
  const DeviceArray<u32> out(64);
  const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 more[];
.visible .entry kernel(.param .u64 out) {
  .reg .b64 %o, %i, %g; .reg .b32 %t, %s, %v, %u; .reg .pred %p;
  .shared .align 4 .b8 few[256];
  mov.u32 %t, %tid.x; ld.param.u64 %o, [out];
  mov.u32 %s, few; mad.lo.u32 %s, %t, 4, %s; st.shared.u32 [%s], %t;
  mov.u64 %g, more; cvta.shared.u64 %g, %g; mul.wide.u32 %i, %t, 4; add.s64 %g, %g, %i;
  isspacep.shared %p, %g; selp.u32 %v, 100, 0, %p; st.u32 [%g], %v;
  bar.sync 0;
  xor.b32 %u, %t, 33; mov.u32 %s, few; mad.lo.u32 %s, %u, 4, %s; ld.shared.u32 %v, [%s];
  cvta.to.shared.u64 %g, %g; ld.shared.u32 %u, [%g]; add.u32 %v, %v, %u;
  add.s64 %o, %o, %i; st.global.u32 [%o], %v;
  ret;
})";
  run_kernel(text, {.threads = 64, .shared = 256}, Arguments(out));
  std::vector<u32> expected(64);
  for (u32 k = 0; k < 64; ++k) expected[k] = (k ^ 33) + 100;
  EXPECT_EQ(out.values(), expected);
  EXPECT_EQ(fault_lines(), "");
}

/// One thread after the other changes one value; the last value, and all old ones in order.
template <class T>
void check_atomic(const std::string& change, T first, const std::vector<T>& values,
                  const std::function<T(T, T)>& reference) {
  const QuietMachine machine;
  DeviceArray<T> place(std::vector<T>{first}), in(values), out(values.size());
  const std::string type = type_name<T>(), bits = std::to_string(8 * sizeof(T));
  run_kernel(kernel_text(".param .u64 place, .param .u64 in, .param .u64 out",
                         ".reg .b64 %p, %a, %b, %o; .reg .b32 %t; .reg .b" + bits +
                             " %v, %old; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, " +
                             std::to_string(sizeof(T)) +
                             "; ld.param.u64 %p, [place]; ld.param.u64 %a, [in]; ld.param.u64 %b, "
                             "[out]; add.s64 %a, %a, %o; add.s64 %b, %b, %o; ld.global." +
                             type + " %v, [%a]; atom.global." + change + "." + type +
                             " %old, [%p], %v; st.global." + type + " [%b], %old;"),
             {.threads = static_cast<unsigned>(values.size())}, Arguments(place, in, out));
  std::vector<T> old;
  T now = first;
  for (const T value : values) {
    old.push_back(now);
    now = reference(now, value);
  }
  EXPECT_EQ(out.values(), old) << change << " " << type;
  EXPECT_EQ(place.values()[0], now) << change << " " << type;
  EXPECT_EQ(fault_lines(), "");
}

template <class T>
void check_atomics() {
  const std::vector<T> values{5, 3, 9, static_cast<T>(-2), 0, 7};
  check_atomic<T>("add", 10, values, [](T a, T b) { return static_cast<T>(u64(a) + u64(b)); });
  check_atomic<T>("min", 4, values, [](T a, T b) { return std::min(a, b); });
  check_atomic<T>("max", 4, values, [](T a, T b) { return std::max(a, b); });
  check_atomic<T>("exch", 4, values, [](T, T b) { return b; });
  if constexpr (std::is_unsigned_v<T>) {
    check_atomic<T>("and", 255, values, [](T a, T b) { return a & b; });
    check_atomic<T>("or", 16, values, [](T a, T b) { return a | b; });
    check_atomic<T>("xor", 16, values, [](T a, T b) { return a ^ b; });
    check_atomic<T>("inc", 4, values, [](T a, T b) { return a >= b ? T{0} : a + 1; });
    check_atomic<T>("dec", 8, values, [](T a, T b) { return a == 0 || a > b ? b : a - 1; });
    check_atomic<T>("dec", 4, values, [](T a, T b) { return a == 0 || a > b ? b : a - 1; });
  }
}

TEST(EmulatedMemory, AtomicOperations) {
  check_atomics<u32>();
  check_atomics<s32>();
  check_atomics<u64>();
  check_atomics<s64>();
  check_atomic<float>("add", 0.5F, {1, 2, 4}, [](float a, float b) { return a + b; });
  check_atomic<double>("add", 0.5, {1, 2, 4}, [](double a, double b) { return a + b; });
}

TEST(EmulatedMemory, CompareAndSwapAndReductions) {
  const QuietMachine machine;
  const DeviceArray<u64> place(std::vector<u64>{3, 0});
  run_kernel(kernel_text(".param .u64 place", R"(
    .reg .b64 %p, %t, %next, %old; .reg .b32 %i;
    ld.param.u64 %p, [place]; mov.u32 %i, %tid.x; cvt.u64.u32 %t, %i; add.u64 %next, %t, 1;
    atom.global.cas.b64 %old, [%p], %t, %next;
    red.global.add.u64 [%p+8], %t;)"),
             {.threads = 32}, Arguments(place));
  EXPECT_THAT(place.values(), testing::ElementsAre(32, 496));
  EXPECT_EQ(fault_lines(), "");
}

TEST(EmulatedMemory, AddressesAreUsedAgainAfterTheLast) {
  constexpr std::uint64_t large = Memory::region_bytes / 3;
  const std::uint64_t kept = memory().allocate(8, Kind::device);
  for (int i = 0; i < 7; ++i) {
    const std::uint64_t taken = memory().allocate(large, Kind::device);
    ASSERT_NE(taken, 0U) << i;
    EXPECT_TRUE(kept + 8 <= taken || taken + large <= kept);
    EXPECT_EQ(memory().find(taken + large), nullptr);
    EXPECT_TRUE(memory().release(taken));
    EXPECT_FALSE(memory().find(taken)->is_live);
  }
  EXPECT_EQ(memory().allocate(Memory::region_bytes, Kind::device), 0U);
  EXPECT_TRUE(memory().release(kept));
}

TEST(EmulatedMemory, ReleasedMemoryIsKnownUntilItIsUsedAgain) {
  Memory own;
  const std::uint64_t released = own.allocate(8192, Kind::device);
  ASSERT_NE(own.allocate(8, Kind::device), 0U);  // leaves no room for more where the first was
  EXPECT_TRUE(own.release(released));
  for (const std::uint64_t bytes : {Memory::region_bytes / 2, Memory::region_bytes / 3 * 2}) {
    const std::uint64_t elsewhere = own.allocate(bytes, Kind::device);
    ASSERT_NE(elsewhere, 0U);
    EXPECT_TRUE(own.release(elsewhere));
    EXPECT_THAT(own.describe(released + 4), testing::HasSubstr("byte 4 of allocation #0"));
    EXPECT_THAT(own.describe(released + 4), testing::HasSubstr("freed"));
  }
}

}  // namespace
}  // namespace test_memory
