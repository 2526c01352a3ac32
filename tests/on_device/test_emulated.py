# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How emulated.py reads the emulator's messages, and which ones it accepts."""
import pathlib
import re
import stat
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import emulated  # noqa: E402

HEAD = "emulator: launches, teams, threads of a team, shared bytes, registers, instructions, seconds: kernel\n"
KERNEL = ("void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<synelix::sweep::{}, "
          "Kokkos::TeamPolicy<Kokkos::Cuda>, Kokkos::Cuda> >(int)")


def line(launches, functor):
    return f"emulator:   {launches:6} {40:8} {128:5} {0:7} {15:4} {1000:14} {0.5:8.2f}  {KERNEL.format(functor)}\n"


class Words(unittest.TestCase):
    def test_counts_of_one_kernel_add_up(self):
        counts = emulated.counts_of([HEAD + line(2, "KeepSamples") + line(1, "EvalSweep<float>"), line(3, "KeepSamples")])
        self.assertEqual(counts["KeepSamples"], emulated.Count(5, 80, 2000))
        self.assertEqual(counts["EvalSweep<float>"].launches, 1)

    def test_a_kernel_that_did_not_run_is_named(self):
        table = emulated.ceilings.table()
        self.assertEqual(len(emulated.missing({}, table)), len(table.rows))
        missing = emulated.missing(emulated.counts_of([line(1, "KeepSamples")]), table)
        self.assertNotIn("KeepSamples", missing)
        self.assertIn("KeepEvents", missing)

    def test_faults_are_what_the_emulator_says(self):
        result = emulated.Result(("test_a",), "forward", 0, 1.0, "", HEAD + line(1, "KeepSamples") + "emulator: no fault\n")
        self.assertEqual(result.faults(), [])
        result.log = HEAD + "emulator: race in shared memory: here\n" + line(1, "KeepSamples") + "emulator: 1 different faults\n"
        self.assertIn("emulator: race in shared memory: here", result.faults())

    def test_a_fault_counts_beside_a_process_without_one(self):
        log = "emulator: no fault\nemulator: misaligned access: there\n"
        result = emulated.Result(("test_a",), "forward", 0, 1.0, "", log)
        self.assertEqual(result.faults(), ["emulator: misaligned access: there"])

    def test_a_program_that_the_emulator_did_not_run_fails(self):
        result = emulated.Result(("test_a",), "forward", 0, 1.0, "", "")
        self.assertEqual(len(result.faults()), 1)
        result.needs_emulator = False
        self.assertEqual(result.faults(), [])


class Lists(unittest.TestCase):
    def test_every_file_that_names_the_device_is_in_one_list(self):
        found = {path.stem for path in HERE.parent.glob("*/test_*.cpp")
                 if re.search(r"\b(AllSpaces|DefaultExecutionSpace)\b", path.read_text(encoding="utf-8"))}
        listed = [name for files in emulated.TESTS_OF_A_DEVICE.values() for name in files]
        self.assertEqual(sorted([*listed, *emulated.TESTS_OF_HOSTS]), sorted(found))

    def test_what_is_built_is_what_runs(self):
        def targets(*words):
            done = subprocess.run([sys.executable, "-B", str(HERE / "emulated.py"), "--targets", *words], capture_output=True,
                                  text=True, check=True)
            return done.stdout.split()

        self.assertEqual(targets("test_convolve", "--gtest_filter=A*"), ["bin/test_convolve"])
        self.assertEqual(set(targets()), {f"bin/{argv[0]}" for argv in emulated.SAMPLE})
        self.assertTrue({"bin/test_operators", "bin/synelix_fit_check"} < set(targets("--all")))


    def test_wrong_arguments_are_refused_before_a_build(self):
        def refusal(*words):
            done = subprocess.run([sys.executable, "-B", str(HERE / "emulated.py"), "--targets", *words], capture_output=True,
                                  text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("usage: ./dev emulate", done.stderr)
            return done.stderr

        self.assertIn("Give one of: synelix_counted synelix_fit_check", refusal("test_absent"))
        self.assertIn("Give some of forward, reverse, random", refusal("--all", "--orders=backward"))
        self.assertIn("--odd", refusal("--odd"))


class Runs(unittest.TestCase):
    """Programs that represent those of a build."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.build = pathlib.Path(holder.name)
        (self.build / "bin").mkdir()

    def program(self, text):
        path = self.build / "bin/test_stand_in"
        path.write_text("#!/bin/sh\n" + text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run_it(self, *words):
        return subprocess.run([sys.executable, "-B", str(HERE / "emulated.py"), "--build", str(self.build), "--emulator",
                               str(self.build), "test_stand_in", *words], capture_output=True, text=True, check=False)

    def test_a_fault_fails_though_the_program_passes(self):
        self.program("echo 'emulator: no fault' > $EMULATE_LOG\n")
        self.assertEqual(self.run_it().returncode, 0)
        self.program("echo 'emulator: race in shared memory: there' > $EMULATE_LOG\n")
        done = self.run_it()
        self.assertEqual(done.returncode, 1)
        self.assertIn("race in shared memory: there", done.stdout)
        self.assertIn("test_stand_in, forward: FAILED (", done.stdout)
        self.assertIn("; 0 kernels; faults in 1 of them", done.stdout)

    def test_the_last_line_says_what_passed(self):
        text = HEAD + line(2, "KeepSamples") + "emulator: no fault\n"
        self.program(f"cat > $EMULATE_LOG <<'END'\n{text}END\n")
        last = self.run_it().stdout.splitlines()[-1]
        self.assertEqual(last, "emulate: 1 of 1 runs passed; threads in the order forward; 1 kernel; no fault")

    def test_a_filter_without_tests_fails(self):
        self.program("echo '[==========] Running 0 tests from 0 test suites.'\n")
        done = self.run_it("--gtest_filter=Absent*")
        self.assertEqual(done.returncode, 1)
        self.assertIn("emulate: no test ran", done.stdout)
        self.assertNotIn("fault", done.stdout)

    def test_a_list_of_tests_is_printed_alone(self):
        self.program("echo Suite.; exit 4\n")
        done = self.run_it("--gtest_list_tests")
        self.assertEqual((done.returncode, done.stdout), (4, "Suite.\n"))

    def test_a_program_that_fails_is_shown(self):
        self.program("echo 'emulator: no fault' > $EMULATE_LOG; echo words; exit 3\n")
        done = self.run_it()
        self.assertEqual(done.returncode, 1)
        self.assertIn("words", done.stdout)
        self.assertIn("FAILED with code 3", done.stdout)


if __name__ == "__main__":
    unittest.main()
