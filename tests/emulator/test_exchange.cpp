// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Shuffles, votes, matches and reductions of a warp, also where its lanes come apart.
#include "instruction_check.hpp"

#include <functional>

namespace test_exchange {
namespace {

using namespace emulator;
constexpr unsigned lanes = 32;

/// The instruction reads %v, the value of the lane, and writes %r; its result of each lane.
std::vector<u32> run_lanes(const std::string& instruction, const std::vector<u32>& values,
                           unsigned threads = lanes) {
  const DeviceArray<u32> in(values);
  const DeviceArray<u32> out(std::vector<u32>(lanes, 0));
  run_kernel(kernel_text(".param .u64 in, .param .u64 out",
                         ".reg .b64 %a, %b, %o, %w; .reg .b32 %t, %v, %r, %s; .reg .pred %p, %q; "
                         "mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; ld.param.u64 %a, [in]; "
                         "ld.param.u64 %b, [out]; add.s64 %a, %a, %o; add.s64 %b, %b, %o; "
                         "ld.global.u32 %v, [%a]; mov.u32 %r, 77;\n" +
                             instruction + "\nst.global.u32 [%b], %r;"),
             {.threads = threads}, Arguments(in, out));
  return out.values();
}

std::vector<u32> numbers() {
  std::vector<u32> values(lanes);
  for (u32 k = 0; k < lanes; ++k) values[k] = 1000 + k * k;
  return values;
}

void expect_lanes(const std::string& instruction, const std::function<u32(u32)>& reference) {
  const QuietMachine machine;
  std::vector<u32> expected(lanes);
  for (u32 k = 0; k < lanes; ++k) expected[k] = reference(k);
  EXPECT_EQ(run_lanes(instruction, numbers()), expected) << instruction;
  EXPECT_EQ(fault_lines(), "") << instruction;
}

TEST(Exchange, Shuffles) {
  const auto v = numbers();
  expect_lanes("shfl.sync.up.b32 %r|%p, %v, 3, 0, -1;",
               [&](u32 k) { return v[k < 3 ? k : k - 3]; });
  expect_lanes("shfl.sync.down.b32 %r, %v, 5, 31, -1;",
               [&](u32 k) { return v[k > 26 ? k : k + 5]; });
  expect_lanes("shfl.sync.bfly.b32 %r, %v, 9, 31, -1;", [&](u32 k) { return v[k ^ 9]; });
  expect_lanes("shfl.sync.idx.b32 %r, %v, 4, 31, -1;", [&](u32) { return v[4]; });
  expect_lanes("add.u32 %s, %t, 7; shfl.sync.idx.b32 %r, %v, %s, 31, -1;",
               [&](u32 k) { return v[(k + 7) % 32]; });
}

TEST(Exchange, ShufflesOfSegments) {
  const auto v = numbers();
  expect_lanes("shfl.sync.down.b32 %r, %v, 2, 0x181f, -1;",
               [&](u32 k) { return v[k % 8 < 6 ? k + 2 : k]; });
  expect_lanes("shfl.sync.idx.b32 %r, %v, 3, 0x181f, -1;", [&](u32 k) { return v[k / 8 * 8 + 3]; });
  expect_lanes("shfl.sync.up.b32 %r|%p, %v, 1, 0x1800, -1; selp.u32 %r, %r, 5, %p;",
               [&](u32 k) { return k % 8 == 0 ? 5 : v[k - 1]; });
}

TEST(Exchange, Votes) {
  expect_lanes("setp.gt.u32 %p, %t, 20; vote.sync.ballot.b32 %r, %p, -1;",
               [](u32) { return 0xffe00000; });
  expect_lanes("setp.gt.u32 %p, %t, 20; vote.sync.any.pred %q, %p, -1; selp.u32 %r, 1, 0, %q;",
               [](u32) { return 1; });
  expect_lanes("setp.gt.u32 %p, %t, 20; vote.sync.all.pred %q, %p, -1; selp.u32 %r, 1, 0, %q;",
               [](u32) { return 0; });
  expect_lanes("setp.gt.u32 %p, %t, 99; vote.sync.all.pred %q, !%p, -1; selp.u32 %r, 1, 0, %q;",
               [](u32) { return 1; });
  expect_lanes("setp.gt.u32 %p, %t, 20; vote.sync.uni.pred %q, %p, -1; selp.u32 %r, 1, 0, %q;",
               [](u32) { return 0; });
  expect_lanes("setp.gt.u32 %p, %t, 99; vote.sync.uni.pred %q, %p, -1; selp.u32 %r, 1, 0, %q;",
               [](u32) { return 1; });
}

TEST(Exchange, Matches) {
  expect_lanes("and.b32 %s, %t, 1; match.any.sync.b32 %r, %s, -1;",
               [](u32 k) { return 0x55555555U << (k % 2); });
  expect_lanes("and.b32 %s, %t, 1; cvt.u64.u32 %w, %s; match.any.sync.b64 %r, %w, -1;",
               [](u32 k) { return 0x55555555U << (k % 2); });
  expect_lanes("match.all.sync.b32 %r|%p, %t, -1; @!%p add.u32 %r, %r, 3;", [](u32) { return 3; });
  expect_lanes("mov.u32 %s, 4; match.all.sync.b32 %r|%p, %s, -1;", [](u32) { return ~0U; });
}

TEST(Exchange, Reductions) {
  u32 sum = 0;
  for (const u32 value : numbers()) sum += value;
  expect_lanes("redux.sync.add.u32 %r, %v, -1;", [=](u32) { return sum; });
  expect_lanes("redux.sync.min.u32 %r, %v, -1;", [](u32) { return 1000; });
  expect_lanes("sub.s32 %s, 5, %t; redux.sync.min.s32 %r, %s, -1;",
               [](u32) { return static_cast<u32>(-26); });
  expect_lanes("redux.sync.or.b32 %r, %t, -1;", [](u32) { return 31; });
  expect_lanes("redux.sync.and.b32 %r, %t, -1;", [](u32) { return 0; });
  expect_lanes("redux.sync.xor.b32 %r, %t, -1;", [](u32) { return 0; });
}

TEST(Exchange, HalvesOfAWarpInBranches) {
  const auto v = numbers();
  expect_lanes(R"(
    setp.lt.u32 %p, %t, 16; @%p bra LOW;
    shfl.sync.bfly.b32 %r, %v, 1, 31, 0xffff0000; bra JOIN;
  LOW: shfl.sync.bfly.b32 %r, %v, 2, 31, 0x0000ffff;
  JOIN: bar.warp.sync -1; add.u32 %r, %r, 1;)",
               [&](u32 k) { return v[k < 16 ? k ^ 2 : k ^ 1] + 1; });
}

TEST(Exchange, LanesWaitForOthersOfTheirMask) {
  const auto v = numbers();
  // The upper half comes to the same shuffle later.
  expect_lanes(R"(
    setp.lt.u32 %p, %t, 16; @%p bra JOIN;
    add.u32 %v, %v, 1;
  JOIN: shfl.sync.bfly.b32 %r, %v, 16, 31, -1;)",
               [&](u32 k) { return v[k ^ 16] + (k < 16 ? 1 : 0); });
}

TEST(Exchange, ActiveLanesInABranch) {
  expect_lanes("setp.lt.u32 %p, %t, 5; @%p activemask.b32 %r;",
               [](u32 k) { return k < 5 ? 31U : 77U; });
}

/// The results of `instruction` for each of 70 threads, three warps, of which `%p` holds for two.
std::vector<u32> run_team(const std::string& instruction) {
  const DeviceArray<u32> out(std::vector<u32>(70, 0));
  run_kernel(
      kernel_text(".param .u64 out",
                  ".reg .b64 %b, %o; .reg .b32 %t, %r; .reg .pred %p, %q; mov.u32 %t, %tid.x; "
                  "mul.wide.u32 %o, %t, 4; ld.param.u64 %b, [out]; add.s64 %b, %b, %o; "
                  "mov.u32 %r, 77; setp.eq.u32 %p, %t, 5; setp.eq.or.u32 %p, %t, 69, %p;\n" +
                      instruction + "\nst.global.u32 [%b], %r;"),
      {.threads = 70}, Arguments(out));
  return out.values();
}

TEST(Exchange, BarriersTellOfPredicates) {
  const QuietMachine machine;
  const auto each = [](u32 value) { return std::vector<u32>(70, value); };
  EXPECT_EQ(run_team("bar.red.popc.u32 %r, 0, %p;"), each(2));
  EXPECT_EQ(run_team("barrier.cta.red.popc.aligned.u32 %r, 0, !%p;"), each(68));
  EXPECT_EQ(run_team("bar.red.or.pred %q, 0, %p; selp.u32 %r, 1, 0, %q;"), each(1));
  EXPECT_EQ(run_team("bar.red.and.pred %q, 0, %p; selp.u32 %r, 1, 0, %q;"), each(0));
  EXPECT_EQ(run_team("setp.lt.u32 %p, %t, 70; bar.red.and.pred %q, 0, %p; selp.u32 %r, 1, 0, %q;"),
            each(1));
  EXPECT_EQ(run_team("setp.gt.u32 %p, %t, 70; bar.red.or.pred %q, 0, %p; selp.u32 %r, 1, 0, %q;"),
            each(0));
  EXPECT_EQ(fault_lines(), "");
}

TEST(Exchange, FaultsOfMasks) {
  const QuietMachine machine;
  run_lanes("setp.lt.u32 %p, %t, 16; @%p shfl.sync.idx.b32 %r, %v, 20, 31, 0xffff;", numbers());
  EXPECT_THAT(fault_lines(),
              testing::HasSubstr(
                  "shuffle from a thread outside the mask: thread 0 of team 0 reads lane 20"));
  clear_faults();
  run_lanes("shfl.sync.idx.b32 %r, %v, 0, 31, 0xffff;", numbers());
  EXPECT_THAT(fault_lines(),
              testing::HasSubstr("thread outside its own mask: thread 16 of team 0"));
  clear_faults();
  run_lanes("shfl.sync.idx.b32 %r, %v, 0, 31, -1;", numbers(), 20);
  EXPECT_THAT(fault_lines(), testing::HasSubstr("shuffle or vote with threads that have ended"));
  clear_faults();
  run_lanes(R"(setp.lt.u32 %p, %t, 16; @%p bra LOW;
    shfl.sync.bfly.b32 %r, %v, 1, 31, -1; bra JOIN;
    LOW: shfl.sync.bfly.b32 %r, %v, 1, 31, -1;
    JOIN:)",
            numbers());
  EXPECT_THAT(fault_lines(), testing::HasSubstr("shuffle or vote of a warp at different places"));
  clear_faults();
  run_lanes("setp.lt.u32 %p, %t, 16; @%p bar.warp.sync -1; @!%p bar.warp.sync 0xffff0001;",
            numbers());
  EXPECT_THAT(fault_lines(), testing::HasSubstr("threads wait for ever: "));
  EXPECT_THAT(fault_lines(), testing::HasSubstr("at a shuffle or vote of lanes"));
}

}  // namespace
}  // namespace test_exchange
