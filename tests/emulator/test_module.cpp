// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

/// \file
/// Reading of PTX: errors with name and line, places in the sources, and registers.
#include "device_array.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <stdexcept>

namespace test_module {
namespace {

using namespace emulator;
using testing::HasSubstr;

std::string refusal_of(const std::string& text) {
  try {
    parse(text);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "nothing";
}

std::string refusal_of_body(const std::string& body) {
  return refusal_of(
      kernel_text("", ".reg .b32 %a, %b; .reg .b64 %w; .reg .f32 %f; .reg .pred %p;\n" + body));
}

TEST(EmulatedModule, UnknownInstructionsAreRefusedByNameAndLine) {
  EXPECT_EQ(
      refusal_of_body("mov.u32 %a, 1;\nwgmma.fence.sync.aligned;"),
      "PTX line 8: unknown instruction wgmma.fence.sync.aligned, at 'wgmma.fence.sync.aligned'");
  EXPECT_THAT(refusal_of_body("cp.async.ca.shared.global [%w], [%w], 4;"),
              HasSubstr("PTX line 7: unknown instruction cp.async"));
  for (const char* text :
       {"add.sat.s32 %a, %a, %b;", "fma.rn.relu.f16 %a, %a, %a, %a;",
        "min.xorsign.abs.f32 %f, %f, %f;", "add.rn.f32x2 %w, %w, %w;", "mul24.lo.s32 %a, %a, %b;",
        "shfl.idx.b32 %a, %a, 0, 31;", "barrier.cluster.arrive;",
        "atom.global.add.noftz.f16x2 %a, [%w], %b;", "ld.global.v8.f32 {%f}, [%w];",
        "cvt.rn.e4m3x2.f32 %a, %f, %f;", "mov.b128 %w, %w;", "bar.red.xor.pred %p, 0, %p;",
        "setp.eq.b128 %p, %w, %w;", "sqrt.rna.f32 %f, %f;"}) {
    EXPECT_THAT(refusal_of_body(text), HasSubstr("PTX line 7: unknown instruction ")) << text;
  }
}

TEST(EmulatedModule, WrongTextsAreRefused) {
  EXPECT_THAT(refusal_of_body("bra NOWHERE;"), HasSubstr("unknown label NOWHERE"));
  EXPECT_THAT(refusal_of_body("add.u32 %a, %a, %missing;"),
              HasSubstr("unknown special register %missing"));
  EXPECT_THAT(refusal_of_body("mov.u64 %w, missing;"), HasSubstr("unknown name missing"));
  EXPECT_THAT(refusal_of_body("@%q add.u32 %a, %a, 1;"), HasSubstr("unknown predicate"));
  EXPECT_THAT(refusal_of_body("add.u32 %a, %a, %w;"),
              HasSubstr("an operand of another size than the type of add.u32"));
  EXPECT_THAT(refusal_of_body("add.u64 %a, %w, %w;"),
              HasSubstr("a result of another size than the type of add.u64"));
  EXPECT_THAT(refusal_of_body("add.u32 %a, %a, %b, %b;"),
              HasSubstr("more operands than are known of add.u32"));
  EXPECT_THAT(refusal_of_body("call missing;"), HasSubstr("calls the unknown function missing"));
  EXPECT_THAT(refusal_of_body("call %w;"), HasSubstr("calls by pointers are not known"));
  EXPECT_THAT(refusal_of(".alias a, b;"), HasSubstr("PTX line 1: unknown statement"));
  EXPECT_THAT(refusal_of_body("add.u32 %a, %a, %b bra"), HasSubstr("expected ;"));
  EXPECT_THAT(refusal_of(".visible .entry kernel() {"), HasSubstr("a function without an end"));
}

TEST(EmulatedModule, PlacesAreChainsOfInlinedFunctions) {
  const auto module =
      parse(kernel_text("",
                        ".reg .b32 %a;\n.loc 1 10 3\nmov.u32 %a, 1;\n"
                        ".loc 2 77 1, function_name $name, inlined_at 1 10 3\nmov.u32 %a, 2;\n") +
            ".file 1 \"/some/where/project/src/outer.cu\"\n.file 2 \"inner.hpp\"\n");
  const auto& code = module->functions.at("kernel")->code;
  EXPECT_EQ(module->where(code[0].place), "project/src/outer.cu:10");
  EXPECT_EQ(module->where(code[1].place), "inner.hpp:77 < project/src/outer.cu:10");
  EXPECT_EQ(module->text_of(code[1]), "mov.u32 %a, 2;");
}

TEST(EmulatedModule, BoundsOfKernels) {
  const auto module = parse(
      ".version 8.0\n.target sm_90\n.address_size 64\n"
      ".visible .entry kernel(.param .align 8 .b8 p[24], .param .u32 q)\n.maxntid 128, 2, "
      "1\n.minnctapersm 4\n{ ret; }\n");
  const Function& kernel = *find_kernel(*module, "kernel");
  EXPECT_EQ(kernel.max_threads, 256);
  ASSERT_EQ(kernel.parameters.size(), 2);
  EXPECT_EQ(kernel.parameters[1].offset, 24);
  EXPECT_EQ(kernel.uniform_bytes, 28);
  EXPECT_EQ(find_kernel(*module, "other"), nullptr);
}

TEST(EmulatedModule, VariablesOfTheEnvironment) {
  setenv("EMULATE_ORDER", "random", 1);
  setenv("EMULATE_RACES", "0", 1);
  setenv("EMULATE_UNKNOWN", "2", 1);
  setenv("EMULATE_SLICE", "37", 1);
  const Settings read = settings_of_environment();
  EXPECT_EQ(read.order, Order::random);
  EXPECT_FALSE(read.races);
  EXPECT_TRUE(read.unknown && read.unknown_shared);
  EXPECT_EQ(read.slice, 37);
  setenv("EMULATE_ORDER", "backward", 1);
  EXPECT_THROW(settings_of_environment(), std::runtime_error);
  for (const char* name : {"EMULATE_ORDER", "EMULATE_RACES", "EMULATE_UNKNOWN", "EMULATE_SLICE"}) {
    unsetenv(name);
  }
}

/// Rows of a frame are shared by registers that are not needed at the same time.
TEST(EmulatedModule, RegistersShareRows) {
  std::string body = ".reg .b32 %r<200>;\nmov.u32 %r0, 1;\n";
  for (int k = 1; k < 200; ++k) {
    body += "add.u32 %r" + std::to_string(k) + ", %r" + std::to_string(k - 1) + ", 1;\n";
  }
  const auto module = parse(kernel_text("", body));
  EXPECT_LT(module->functions.at("kernel")->frame_bytes, 10 * 128 + 1024);
}

TEST(EmulatedModule, ValuesAreKeptAroundLoops) {
  const QuietMachine machine;
  const DeviceArray<std::uint32_t> out(32);
  // %before enters the loop, %kept is set in its first iteration, %around is used across
  // iterations, %after leaves it from an earlier iteration.
  run_kernel(kernel_text(".param .u64 out", R"(
    .reg .b64 %o, %i; .reg .b32 %t, %n, %before, %around, %after, %kept, %inner<6>; .reg .pred %p, %q;
    mov.u32 %t, %tid.x; add.u32 %before, %t, 1000; mov.u32 %around, 0; mov.u32 %n, 0; mov.u32 %after, 0;
  LOOP:
    setp.gt.u32 %q, %n, %t; @%q bra DONE;
    setp.eq.u32 %p, %n, 0; @%p add.u32 %kept, %t, 5; add.u32 %around, %around, %kept;
    add.u32 %inner0, %n, %before; add.u32 %inner1, %inner0, 1; add.u32 %inner2, %inner1, 1;
    add.u32 %around, %around, %inner2;
    mul.lo.u32 %inner3, %n, 3; add.u32 %after, %inner3, 7;
    add.u32 %n, %n, 1; bra LOOP;
  DONE:
    add.u32 %inner4, %around, %after; ld.param.u64 %o, [out]; mul.wide.u32 %i, %t, 4;
    add.s64 %o, %o, %i; st.global.u32 [%o], %inner4;)"),
             {.threads = 32}, Arguments(out));
  std::vector<std::uint32_t> expected(32);
  for (std::uint32_t t = 0; t < 32; ++t) {
    for (std::uint32_t n = 0; n <= t; ++n) expected[t] += n + t + 1002 + t + 5;
    expected[t] += t * 3 + 7;
  }
  EXPECT_EQ(out.values(), expected);
  EXPECT_EQ(fault_lines(), "");
}

}  // namespace
}  // namespace test_module
