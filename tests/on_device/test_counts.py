# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How counts.py reads the emulator's counts, its results, and when it fails."""
import json
import pathlib
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import counts  # noqa: E402

KERNEL = ("void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<synelix::sweep::{}, "
          "Kokkos::TeamPolicy<Kokkos::Cuda>, Kokkos::Cuda> >(int)")
DEVICE = {"bytes_a_second": 1e12, "instructions_a_second": 1e13}


def log(functor, instructions, issued):
    return (f"emulator:        2       10   128    9816   32 {instructions:14}     0.58  {KERNEL.format(functor)}\n"
            "emulator:     multiply-adds 900, sectors read 200, written 100, shared accesses 50, bank conflicts 5, barriers 30, "
            f"local bytes 64, of warps {issued}, different sectors read 120, written 60\n")


class Counts(unittest.TestCase):
    def test_kernels_of_one_name_add_up(self):
        rows = counts.launches_of(log("DeviceA<float>", 3200, 100) + log("DeviceA<double>", 3200, 100) + log("Other", 9, 9))
        found = counts.sums_of(rows, "DeviceA")
        self.assertEqual((found["instructions"], found["issued"], found["teams"], found["local_bytes"]), (6400, 200, 20, 128))
        with self.assertRaises(SystemExit):
            counts.sums_of(rows, "DeviceB")

    def test_resident_threads(self):
        row = {"name": "DeviceFftSweep<float, float, false>", "threads": 256, "shared_bytes": 40_000}
        self.assertEqual(counts.occupancy_of(row), 0.25)           # 128 registers: two teams of 256 threads
        self.assertEqual(counts.occupancy_of({**row, "shared_bytes": 200_000}), 0.125)

    def test_ratios(self):
        needs = {"results": 400, "multiply_adds": 1600, "read": 3200, "written": 1600}
        found = counts.sums_of(counts.launches_of(log("DeviceA", 3200, 125)), "DeviceA")
        ratios = counts.ratios_of({"per": "multiply_adds"}, needs, found, DEVICE)
        self.assertEqual((ratios["count"], ratios["sectors_read"], ratios["sectors_written"]), (2, 2, 2))
        self.assertEqual((ratios["different_read"], ratios["different_written"]), (1.2, 1.2))
        self.assertEqual((ratios["bank_conflicts"], ratios["barriers"], ratios["lanes"]), (0.1, 3, 25.6))
        self.assertAlmostEqual(ratios["predicted_us"], 4800e-6)    # bytes take longer than 125 * 32 instructions
        self.assertAlmostEqual(ratios["over_memory"], 4000 / 1e13 / (4800 / 1e12))

    def test_bytes_of_a_pass(self):
        kernels = counts.launches_of(log("DeviceA", 3200, 125) + log("DeviceCheck", 3200, 125))
        needs = {"read": 3200, "written": 1600}
        self.assertEqual(counts.bytes_over_least({"kernel": "*"}, needs, kernels), 4)
        self.assertEqual(counts.bytes_over_least({"kernel": "*", "pass": "Device[!C]"}, needs, kernels), 2)
        self.assertEqual(counts.bytes_over_least({"kernel": "DeviceA"}, {**needs, "moved": 9600}, kernels), 1)

    def test_the_table_has_what_is_read_of_it(self):
        table = json.loads((HERE / "counts.json").read_text(encoding="utf-8"))
        for case in table["cases"]:
            self.assertIn(case["per"], ("results", "multiply_adds"))
            self.assertLessEqual(case["most"], 1.02 * case["before"], case["case"])
        self.assertEqual(len({case["case"] for case in table["cases"]}), len(table["cases"]))


class Runs(unittest.TestCase):
    """A program that represents synelix_counted."""

    def run_it(self, instructions, fault="no fault", case="direct_100", kernel="DeviceDirectSweep<float, 8, 1>"):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "bin").mkdir()
            (build / "log").write_text(log(kernel, instructions, instructions // 32)
                                       + f"emulator: {fault}\n", encoding="utf-8")
            program = build / "bin/synelix_counted"
            program.write_text('#!/bin/sh\ncp "$(dirname "$0")/../log" "$EMULATE_LOG"\n'
                               'echo \'{"results": 100, "multiply_adds": 1000, "read": 400, "written": 400}\'\n', encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
            return subprocess.run([sys.executable, "-B", str(HERE / "counts.py"), "--build", folder, "--emulator", folder,
                                   case], capture_output=True, text=True, check=False)

    def test_more_than_the_most_fails(self):
        self.assertEqual(self.run_it(1000).returncode, 0)
        done = self.run_it(1500)
        self.assertEqual(done.returncode, 1)
        self.assertIn("direct_100 needs more instructions", done.stdout)

    def test_more_bytes_than_the_most_fail(self):
        done = self.run_it(1000, case="gram", kernel="DeviceGramSweep<float, 128>")  # 300 sectors for 800 bytes
        self.assertEqual(done.returncode, 1)
        self.assertIn("gram moves more bytes", done.stdout)
        self.assertNotIn("more instructions", done.stdout)

    def test_a_fault_fails(self):
        done = self.run_it(1000, "race in shared memory: there")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("race in shared memory", done.stderr)


if __name__ == "__main__":
    unittest.main()
