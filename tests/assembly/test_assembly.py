#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The reading of machine code sees what it is there to see, in listings made up for that.

    test_assembly.py
"""

import re
import unittest

import assembly

EXPECTED = assembly.Expected("tile::direct<float, synelix::lanes::Avx2, 2>", 4, 8)

GOOD = """\
0000000000000000 <void synelix::tile::direct<float, synelix::lanes::Avx2, 2>(synelix::tile::DirectTile<float> const&)>:
   0:\tpush   %rbp
   4:\tvxorps %xmm1,%xmm1,%xmm1
   8:\tvbroadcastss (%r9),%ymm0
   c:\tvfmadd231ps (%rax),%ymm0,%ymm6
  10:\tvfmadd231ps 0x20(%rax),%ymm0,%ymm5
  14:\tvfmadd231ps 0x40(%rax),%ymm0,%ymm4
  18:\tvfmadd231ps 0x60(%rax),%ymm0,%ymm3
  1c:\tcmp    %r9,%rbx
  20:\tjne    8 <void synelix::tile::direct<float, synelix::lanes::Avx2, 2>(synelix::tile::DirectTile<float> const&)+0x8>
  24:\tjmp    30 <void synelix::tile::direct<float, synelix::lanes::Avx2, 2>(synelix::tile::DirectTile<float> const&)+0x30>
  28:\tjne    0 <void synelix::tile::direct<float, synelix::lanes::Avx2, 2>(synelix::tile::DirectTile<float> const&)+0x0>
  30:\tret
"""


def findings(listing):
    ((_, body),) = assembly.functions(listing)
    return assembly.loop_findings(EXPECTED, "ymm", body)


class Loops(unittest.TestCase):
    def test_a_good_loop_is_silent(self):
        self.assertEqual(findings(GOOD), [])

    def test_a_sum_on_the_stack_is_found(self):
        (found,) = findings(GOOD.replace("1c:\tcmp    %r9,%rbx", "1c:\tvmovaps %ymm3,0x40(%rsp)"))
        self.assertIn("1 accesses to the stack", found)

    def test_a_narrower_register_is_found(self):
        self.assertIn("0 multiply-adds of %ymm, not 4".replace(", not", " in its inner loop, not"),
                      findings(GOOD.replace("%ymm", "%xmm"))[0])

    def test_a_loop_that_is_not_unrolled_is_found(self):
        (found,) = findings(GOOD.replace("vfmadd231ps 0x60(%rax),%ymm0,%ymm3", "nop"))
        self.assertIn("3 multiply-adds", found)

    def test_moves_between_registers_are_found(self):
        moves = "".join(f"  1{digit}:\tvmovaps %ymm1,%ymm2\n" for digit in "9ab")
        (found,) = findings(GOOD.replace("  1c:", moves + "  1c:"))
        self.assertIn("10 instructions", found)

    def test_the_second_of_two_loops_is_read(self):
        lines = GOOD.splitlines(keepends=True)
        second = "".join(re.sub(r"^ *(\w+):", lambda found: f" {int(found[1], 16) + 0x100:x}:", line)
                         for line in lines[3:10]).replace("jne    8", "jne    108")
        self.assertEqual(findings(GOOD + second), [])
        (found,) = findings(GOOD + second.replace("vbroadcastss (%r9),%ymm0", "vmovaps %ymm3,0x40(%rsp)"))
        self.assertIn("1 accesses to the stack", found)

    def test_code_that_returns_is_no_loop(self):
        cold = ("  40:\tvfmadd231ps (%rax),%ymm0,%ymm6\n" * 4 + "  44:\tret\n"
                "  48:\tvmovaps 0x40(%rsp),%ymm3\n  4c:\tjne    40 <cold>\n")
        self.assertEqual(findings(GOOD + cold), [])

    def test_a_function_without_a_loop_is_found(self):
        self.assertEqual(findings(GOOD.replace("jne", "nop")), [EXPECTED.function + ": has no loop"])

    def test_a_function_that_is_not_there_is_found(self):
        self.assertIn("not in the library", assembly.find_loops("avx2", GOOD)[0])


BUTTERFLY = "\n".join([
    "0000000000000000 <void synelix::spectral::first_pass<float, synelix::lanes::Avx2>(synelix::spectral::FirstPass<float> const&)>:",
    *(f"  {10 + i}:\tvaddps %ymm1,%ymm2,%ymm{i % 16}" for i in range(20)),
    *(f"  {40 + i}:\tvmovaps %ymm{i},0x{32 * i:x}(%rsp)" for i in range(12)),
    "  60:\tmov    0x8(%rsp),%rax", "  64:\tjne    10 <first_pass>", "  68:\tret", ""])


class Butterflies(unittest.TestCase):
    def test_few_points_on_the_stack_are_silent(self):
        self.assertEqual(assembly.find_spills("avx2", BUTTERFLY), [])

    def test_half_of_the_points_on_the_stack_are_found(self):
        (found,) = assembly.find_spills("avx2", BUTTERFLY.replace("  60:\tmov    0x8(%rsp),%rax",
                                                                  "  60:\tvaddps 0x8(%rsp),%ymm1,%ymm2"))
        self.assertIn("13 accesses to the stack by %ymm", found)

    def test_loops_of_little_arithmetic_are_no_butterflies(self):
        self.assertEqual(assembly.find_spills("avx2", BUTTERFLY.replace("vaddps", "vmovaps")),
                         ["avx2: no transform in the library"])


ARM = "\n".join([
    "0000000000000000 <void synelix::tile::direct<SCALAR, synelix::lanes::Neon, 16>(synelix::tile::DirectTile<SCALAR> const&)>:",
    *(f"  {100 + i:x}:\tfmla\tv{i % 16}.4s, v30.4s, v31.s[0]" for i in range(64)),
    "  a4:\tb.ne\t64 <direct>  // b.any", "  a8:\tret", ""])


class Arm(unittest.TestCase):
    def listing(self):
        return ARM.replace("SCALAR", "float") + ARM.replace("SCALAR", "double")

    def test_fused_packs_are_silent(self):
        self.assertEqual(assembly.find_arm_loops("neon", self.listing()), [])

    def test_a_product_that_is_not_fused_is_found(self):
        found = assembly.find_arm_loops("neon", self.listing().replace("fmla\tv3.4s", "fmul\tv3.4s"))
        self.assertIn("60 multiply-adds of packs in its inner loop, not 64", found[0])

    def test_sums_on_the_stack_are_found(self):
        spills = "\n".join(f"  a3:\tstr\tq{i}, [sp, #{16 * i}]" for i in range(17))
        found = assembly.find_arm_loops("neon", self.listing().replace("  a4:", spills + "\n  a4:"))
        self.assertIn("17 accesses to the stack in its inner loop, more than 16", found[0])

    def test_a_tile_that_is_not_there_is_found(self):
        self.assertIn("not in the library", assembly.find_arm_loops("sve256", self.listing())[0])


class Leaks(unittest.TestCase):
    def test_a_name_without_its_set_is_found(self):
        symbols = ("tiles_avx2.cpp.o:\n"
                   "0000000000000000 W void synelix::tile::direct<float, synelix::lanes::Avx2, 8>()\n"
                   "0000000000000000 W synelix::tile::table_for<float, synelix::lanes::Avx2>()\n"
                   "0000000000000000 r local\n"
                   "0000000000000000 W std::vector<float>::push_back(float)\n")
        self.assertEqual(assembly.find_leaks("avx2", symbols),
                         ["std::vector<float>::push_back(float): compiled for avx2, and not named after it"])


if __name__ == "__main__":
    unittest.main()
