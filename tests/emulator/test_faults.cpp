// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Each kind of fault, planted and found: with the threads, the place and the instruction.
#include "device_array.hpp"

#include <gmock/gmock.h>

namespace test_faults {
namespace {

using namespace emulator;
using testing::HasSubstr;
using u32 = std::uint32_t;

/// A kernel of two pointers, with the thread's number in %t and four times it in %o.
std::string with_pointers(const std::string& body) {
  return kernel_text(".param .u64 a, .param .u64 b", R"(
    .reg .b64 %a, %b, %o, %p; .reg .b32 %t, %v, %w, %n; .reg .pred %q;
    ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4;
)" + body);
}

class Faults : public testing::Test {
 protected:
  void run(const std::string& body, Shape3 shape = {}) {
    run_kernel(with_pointers(body), shape, Arguments(m_known, m_unknown));
  }

  QuietMachine m_machine;
  DeviceArray<u32> m_known{std::vector<u32>(64, 1)}, m_unknown{64};
};

TEST_F(Faults, NoneInAProgramWithoutFaults) {
  run("add.s64 %p, %a, %o; ld.global.u32 %v, [%p]; add.s64 %p, %b, %o; st.global.u32 [%p], %v;");
  EXPECT_EQ(fault_lines(), "");
}

TEST_F(Faults, GlobalMemoryOutOfBounds) {
  run("add.s64 %p, %a, %o; ld.global.u32 %v, [%p+132];");
  EXPECT_THAT(fault_lines(), HasSubstr("memory out of bounds: read of 4 bytes by thread 31 of team "
                                       "0 at byte 256 of allocation"));
  EXPECT_THAT(fault_lines(), HasSubstr("of 256 bytes (device)"));
  ASSERT_EQ(faults().size(), 1);
  EXPECT_EQ(faults()[0].instruction, "ld.global.u32 %v, [%p+132];");
  EXPECT_EQ(faults()[0].line, 9);
  clear_faults();
  run("st.global.u32 [%a+-4], %t;", {.threads = 1});
  EXPECT_THAT(fault_lines(), HasSubstr("memory out of bounds: write of 4 bytes"));
}

TEST_F(Faults, NullAndHostMemory) {
  run("mov.u64 %p, 0; ld.global.u32 %v, [%p];", {.threads = 1});
  EXPECT_THAT(fault_lines(), HasSubstr("memory out of bounds: read of 4 bytes by thread 0 of team "
                                       "0 at 0x0, which is no memory of the device"));
  clear_faults();
  u32 of_host = 3;
  run_kernel(with_pointers("st.global.u32 [%a], %t;"), {.threads = 1},
             Arguments(reinterpret_cast<std::uint64_t>(&of_host), m_unknown));
  EXPECT_THAT(fault_lines(), HasSubstr("which is no memory of the device"));
  EXPECT_EQ(of_host, 3);
}

TEST_F(Faults, FreedMemory) {
  m_known.release();
  run("st.global.u32 [%a], %t;", {.threads = 1});
  EXPECT_THAT(
      fault_lines(),
      HasSubstr(
          "use of freed memory: write of 4 bytes by thread 0 of team 0 at byte 0 of allocation"));
  EXPECT_THAT(fault_lines(), HasSubstr("(device, freed)"));
}

TEST_F(Faults, MisalignedAccess) {
  run("ld.global.u32 %v, [%a+2];", {.threads = 1});
  EXPECT_THAT(fault_lines(),
              HasSubstr("misaligned access: read of 4 bytes by thread 0 of team 0 at address"));
  clear_faults();
  run(".reg .b32 %x<4>; ld.global.v4.u32 {%x0, %x1, %x2, %x3}, [%a+8];", {.threads = 1});
  EXPECT_THAT(fault_lines(), HasSubstr("misaligned access: read of 16 bytes"));
}

TEST_F(Faults, SharedMemoryOutOfBounds) {
  run(".shared .align 4 .b8 few[128]; mov.u32 %n, few; mad.lo.u32 %n, %t, 4, %n; st.shared.u32 "
      "[%n+4], %t;");
  EXPECT_THAT(fault_lines(), HasSubstr("shared memory out of bounds: write of 4 bytes by thread 31 "
                                       "of team 0 at byte 128 of 128"));
}

TEST_F(Faults, LocalMemoryAndParametersOutOfBounds) {
  run(".local .align 4 .b8 few[8]; mov.u64 %p, few; add.s64 %p, %p, %o; st.local.u32 [%p], %t;",
      {.threads = 3});
  EXPECT_THAT(
      fault_lines(),
      HasSubstr(
          "local memory out of bounds: write of 4 bytes by thread 2 of team 0 at byte 8 of 8"));
  clear_faults();
  run("ld.param.u32 %v, [a+16];", {.threads = 1});
  EXPECT_THAT(
      fault_lines(),
      HasSubstr("parameters out of bounds: read of 4 bytes by thread 0 of team 0 at byte 16"));
}

TEST_F(Faults, ReadOfWhatNothingWrote) {
  run("add.s64 %p, %b, %o; ld.global.u32 %v, [%p];");
  EXPECT_THAT(fault_lines(), HasSubstr("read of memory that nothing wrote: byte 0 of allocation"));
  clear_faults();
  run("red.global.add.u32 [%b], %t; atom.global.add.u32 %v, [%b+4], %t;", {.threads = 1});
  EXPECT_THAT(fault_lines(), HasSubstr("atomic on what nothing wrote: byte 4 of allocation"));
  clear_faults();
  settings().unknown = false;
  run("add.s64 %p, %b, %o; ld.global.u32 %v, [%p+8];", {.threads = 1});
  EXPECT_EQ(fault_lines(), "");
}

TEST_F(Faults, ReadOfSharedMemoryThatNothingWrote) {
  const std::string body = ".shared .align 4 .b8 few[128]; ld.shared.u32 %v, [few];";
  run(body, {.threads = 1});
  EXPECT_EQ(fault_lines(), "");
  settings().unknown_shared = true;
  run(body, {.threads = 1});
  EXPECT_THAT(
      fault_lines(),
      HasSubstr("read of shared memory that nothing wrote: shared byte 0 by thread 0 of team 0"));
}

const char* const neighbors = R"(
    .shared .align 4 .b8 few[512]; mov.u32 %n, few; mad.lo.u32 %n, %t, 4, %n;
    st.shared.u32 [%n], %t;
    BARRIER
    ld.shared.u32 %v, [%n+4];)";

std::string neighbors_with(const std::string& barrier) {
  std::string text = neighbors;
  return text.replace(text.find("BARRIER"), 7, barrier);
}

TEST_F(Faults, RaceInSharedMemory) {
  run(neighbors_with("bar.sync 0;"), {.threads = 64});
  EXPECT_EQ(fault_lines(), "");
  run(neighbors_with(""), {.threads = 64});
  EXPECT_THAT(fault_lines(), HasSubstr("race in shared memory: read by thread 0 of team 0, write "
                                       "by thread 1 of team 0 at PTX line 11; shared byte 4"));
}

TEST_F(Faults, SynchronizationsOrderAWarpButNoTeam) {
  run(neighbors_with("bar.warp.sync -1;"), {.threads = 32});
  EXPECT_EQ(fault_lines(), "");
  run(neighbors_with("bar.warp.sync -1;"), {.threads = 64});
  ASSERT_EQ(faults().size(), 1);
  EXPECT_EQ(faults()[0].text.substr(0, 64),
            "write by thread 32 of team 0, read by thread 31 of team 0 at PTX");
}

TEST_F(Faults, WriteAfterReadsOfOthers) {
  const std::string body =
      R"(.shared .align 4 .b8 few[4]; setp.eq.u32 %q, %t, 33; @%q st.shared.u32 [few], 1; bar.sync 0;
    ld.shared.u32 %v, [few]; @%q st.shared.u32 [few], 2;)";
  run(body, {.threads = 64});
  EXPECT_THAT(fault_lines(),
              HasSubstr("race in shared memory: write by thread 33 of team 0, read by thread"));
}

/// Half of a warp reads one word, the other half another one; the first lane writes.
TEST_F(Faults, WriteAfterReadsOfNeighborsThatReadTheSame) {
  run(R"(.shared .align 4 .b8 few[8]; mov.u32 %n, few; setp.ge.u32 %q, %t, 16;
    @%q add.u32 %n, %n, 4; ld.shared.u32 %v, [%n];
    setp.eq.u32 %q, %t, 0; @%q st.shared.u32 [few], 2;)");
  EXPECT_THAT(
      fault_lines(),
      HasSubstr("race in shared memory: write by thread 0 of team 0, read by thread 15 of team 0"));
}

TEST_F(Faults, RaceInGlobalMemory) {
  run("st.global.u32 [%a], %t;", {.threads = 2});
  EXPECT_THAT(
      fault_lines(),
      HasSubstr("race in global memory: write by thread 1 of team 0, write by thread 0 of team 0"));
  clear_faults();
  run("st.volatile.global.u32 [%a], %t;", {.threads = 2});
  EXPECT_EQ(fault_lines(), "");
  settings().races = false;
  run("st.global.u32 [%a], %t;", {.threads = 2});
  EXPECT_EQ(fault_lines(), "");
}

TEST_F(Faults, RaceBetweenTeams) {
  run("st.global.u32 [%a], 5;", {.teams = 3, .threads = 1});
  EXPECT_THAT(fault_lines(), HasSubstr("race between teams in global memory: write by thread 0 of "
                                       "team 1, write by thread 0 of team 0"));
  clear_faults();
  run("red.global.add.u32 [%a], 5;", {.teams = 3, .threads = 1});
  EXPECT_EQ(fault_lines(), "");
}

TEST_F(Faults, RacesOfOrderedSourcesAreNone) {
  const std::string body = ".loc 7 12 1\nst.global.u32 [%a], %t;";
  const std::string text = with_pointers(body) + ".file 7 \"/there/desul/atomics.hpp\"\n";
  run_kernel(text, {.threads = 2}, Arguments(m_known, m_unknown));
  EXPECT_EQ(fault_lines(), "");
  settings().ordered_sources = "";
  run_kernel(text, {.threads = 2}, Arguments(m_known, m_unknown));
  EXPECT_THAT(fault_lines(), HasSubstr("race in global memory"));
  ASSERT_EQ(faults().size(), 1);
  EXPECT_EQ(faults()[0].place, "there/desul/atomics.hpp:12");
}

TEST_F(Faults, BarriersAtDifferentPlaces) {
  run("setp.lt.u32 %q, %t, 16; @%q bra LOW; bar.sync 0; bra JOIN; LOW: bar.sync 0; JOIN:");
  EXPECT_THAT(fault_lines(), HasSubstr("barrier of a team at different places: and at "));
}

TEST_F(Faults, BarrierAfterThreadsHaveEnded) {
  run("setp.lt.u32 %q, %t, 16; @%q exit; bar.sync 0;", {.threads = 64});
  EXPECT_THAT(fault_lines(), HasSubstr("barrier after some threads have ended: 48 of 64 are left"));
}

TEST_F(Faults, ThreadsThatWaitForEver) {
  run("setp.lt.u32 %q, %t, 16; @%q bar.sync 1; @!%q bar.sync 2;");
  EXPECT_THAT(fault_lines(), HasSubstr("threads wait for ever: thread 0 of team 0 at a barrier"));
}

TEST_F(Faults, BarriersOfSomeThreads) {
  run("setp.lt.u32 %q, %t, 32; @%q bar.sync 1, 32; bar.sync 0;", {.threads = 64});
  EXPECT_EQ(fault_lines(), "");
}

/// The lanes that wait for a lock are at lower instructions than the lane that has it.
TEST_F(Faults, NoneOfALockWithinAWarp) {
  settings().slice = 200;
  settings().limit = 1'000'000;
  run(R"(SPIN: atom.global.cas.b32 %v, [%a], 1, 0; setp.ne.u32 %q, %v, 1; @%q bra SPIN;
    ld.volatile.global.u32 %w, [%a+4]; add.u32 %w, %w, 1; st.volatile.global.u32 [%a+4], %w;
    atom.global.exch.b32 %v, [%a], 1;)");
  EXPECT_EQ(fault_lines(), "");
  EXPECT_EQ(m_known.values()[1], 33);
}

TEST_F(Faults, EndlessLoops) {
  settings().limit = 100'000;
  settings().slice = 1000;
  run("AGAIN: bra AGAIN;");
  EXPECT_THAT(fault_lines(),
              HasSubstr("too many instructions: more than EMULATE_LIMIT allows, 100000"));
}

TEST_F(Faults, TrapsAndAssertions) {
  run("setp.eq.u32 %q, %t, 3; @%q trap;");
  EXPECT_THAT(fault_lines(), HasSubstr("trap: the kernel stops itself, in thread 3 of team 0"));
}

TEST_F(Faults, IndicesOfBranches) {
  run("CASES: .branchtargets ZERO, ONE; brx.idx %t, CASES; ZERO: ONE:", {.threads = 3});
  EXPECT_THAT(fault_lines(), HasSubstr("branch out of its table: 2"));
}

TEST_F(Faults, WritesToConstants) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.const .align 4 .u32 c = 5;\n"
      ".visible .entry kernel() {\n st.const.u32 [c], 1;\n ret;\n}\n";
  run_kernel(text, {.threads = 1}, Arguments());
  EXPECT_THAT(fault_lines(), HasSubstr("write to constants: byte 0 of allocation"));
}

TEST_F(Faults, EachOnceForAPlace) {
  run("st.global.u32 [%b+1024], %t;", {.teams = 5, .threads = 32});
  ASSERT_EQ(faults().size(), 1);
  EXPECT_EQ(faults()[0].times, 160);
}

TEST_F(Faults, CopiesOfTheHost) {
  EXPECT_FALSE(memory().check_copy("copy", m_known.address(), 300, true));
  EXPECT_THAT(fault_lines(),
              HasSubstr("copy out of bounds: copy of 300 bytes at byte 0 of allocation"));
  clear_faults();
  EXPECT_TRUE(memory().check_copy("copy", m_unknown.address(), 8, false));
  EXPECT_THAT(fault_lines(),
              HasSubstr("copy of what nothing wrote: copy of 8 bytes at byte 0 of allocation"));
}

}  // namespace
}  // namespace test_faults
