# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--list: lines that fail, runs that are stopped, tasks that share a list, and many lines."""
import json
import os
import signal
import subprocess
import unittest

import numpy as np

from list_case import BANK, ListCase
from tool import PROGRAM


class Failures(ListCase):
    def test_lines_that_fail(self):
        good = self.recordings(300, 400, 500)
        self.write("odd.h5", values=np.zeros((300, 3), np.complex64))
        pairs = [good[0], ("none.h5:/x", "o1.h5:/f"), good[1], ("odd.h5:/x", "o2.h5:/f"),
                 ("0.h5:/x", "none/o3.h5:/f"), ("0.h5:/y", "o4.h5:/f"), good[2]]
        self.write_list(pairs)
        done = self.run_list("--json", code=1)
        *lines, end = self.events(done)
        self.assertEqual([line["state"] for line in lines],
                         ["done", "failed", "done", "failed", "failed", "failed", "done"])
        self.assertEqual((end["done"], end["failed"], end["left"]), (3, 4, 0))
        self.assertEqual([each["line"] for each in end["failures"]], [2, 4, 5, 6])
        self.assertEqual(end["failures"][0], {"line": 2, "input": "none.h5:/x", "output": "o1.h5:/f",
                                              "error": lines[1]["error"]})
        said = done.stderr.splitlines()
        self.assertIn(f"synelix: warning: line 2 (none.h5:/x): {lines[1]['error']}", said)
        table = said.index("failed    line  input       error")
        self.assertEqual(said[table - 1], "list      7 lines of list.txt: 3 done, 4 failed")
        self.assertEqual(said[table + 1], f"          2     none.h5:/x  {lines[1]['error']}")
        self.assertIn("none", said[table + 3])
        self.assertEqual(said[-1], "synelix: 4 of 7 lines of list.txt failed. Mend what is wrong with them, and "
                                   "give the same command with --resume.")
        self.expect_separate(good)
        # once they are mended, the same command does the rest
        self.counts(200, 3, name="none.h5")
        self.write("0.h5", "y", values=np.ones((200, 3), np.uint8))
        (self.folder / "none").mkdir()
        (self.folder / "odd.h5").unlink()
        self.counts(200, 3, name="odd.h5")
        again = self.events(self.run_list("--json", "--resume", code=1))   # 0.h5 has changed since
        self.assertEqual([line["state"] for line in again[:-1]],
                         ["failed", "done", "already_whole", "done", "done", "done", "already_whole"])
        self.assertIn("input changed", again[0]["error"])

    def test_an_output_that_stands_there(self):
        pairs = self.recordings(300, 400)
        self.write_list(pairs)
        self.write("out0.h5", "other", values=np.arange(3.0))
        done = self.run_list(code=1)
        self.assertIn("line 1 (0.h5:/x): output out0.h5: this is an existing file", done.stderr)
        np.testing.assert_array_equal(self.read("out0.h5:/other"), np.arange(3.0))
        self.expect_separate(pairs[1:])
        self.run_list("-O")
        self.expect_separate(pairs)
        states = [line["state"] for line in self.events(self.run_list("--resume", "--json"))[:-1]]
        self.assertEqual(states, ["already_whole", "already_whole"])
        states = [line["state"] for line in self.events(self.run_list("--resume", "-O", "--json"))[:-1]]
        self.assertEqual(states, ["already_whole", "already_whole"])

    def test_quiet(self):
        self.write_list([("none.h5:/x", "o.h5:/f"), *self.recordings(300)])
        done = self.run_list("--quiet", code=1)
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        self.assertIn("line 1 (none.h5:/x)", done.stderr)
        self.assertIn("1 of 2 lines of list.txt failed", done.stderr)
        self.write_list([("0.h5:/x", "out1.h5:/f")])
        self.assertEqual(self.run_list("--quiet").stderr, "")

    def test_names_do_not_steer_a_terminal(self):
        self.write_list([("no\x1b[2J.h5:/x", "o.h5:/f")])
        done = self.run_list(code=1)
        self.assertNotIn("\x1b", done.stderr)
        self.assertIn("no\\x1b[2J.h5:/x", done.stderr)


class Interrupted(ListCase):
    def setUp(self):
        super().setUp()
        self.pairs = self.recordings(600, 6000, 700)
        self.write_list(self.pairs)
        self.words = ("convolve", "--list", "list.txt", *BANK, "--json")
        self.in_second = self.calls_of("0.h5:/x") + 30       # in the middle of the second line
        self.expected = "2 of 3 lines of list.txt are left, and the same command with --resume goes on with them"

    def expect_resumed(self):
        self.assertTrue((self.folder / "out1.h5.part").exists())
        self.assertFalse((self.folder / "out2.h5").exists())
        *lines, end = self.events(self.tool(*self.words, "--resume"))
        self.assertEqual([line["state"] for line in lines], ["already_whole", "done", "done"])
        self.assertGreater(lines[1]["report"]["run"]["blocks_before"], 0)
        self.assertEqual((end["done"], end["already_whole"]), (2, 1))
        self.expect_separate(self.pairs)

    def test_killed(self):
        run = self.held(self.in_second, *self.words)
        run.kill()
        run.wait()
        self.expect_resumed()

    def test_stopped_by_signals(self):
        for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            with self.subTest(signal=sent):
                run = self.held(self.in_second, *self.words, SYNELIX_GRACE_SECONDS="60")
                run.send_signal(sent)
                self.release()
                output, errors = run.communicate()
                self.assertEqual(run.returncode, 128 + sent, errors)
                self.assertIn("synelix: stopped by a signal; ", errors)
                self.assertIn("out1.h5.part is kept", errors)
                self.assertIn(self.expected, errors.splitlines()[-1])
                self.assertIn("list      3 lines of list.txt: 1 done, 2 left\n", errors)
                end = json.loads(output.splitlines()[-1])
                self.assertEqual((end["event"], end["done"], end["left"]), ("list", 1, 2))
                self.expect_resumed()
                for _, write in self.pairs:
                    (self.folder / write.split(":")[0]).unlink()

    def test_ended_in_the_middle_of_its_work(self):
        run = self.held(self.in_second, *self.words, SYNELIX_GRACE_SECONDS="0")
        run.send_signal(signal.SIGTERM)
        output, errors = run.communicate()                  # it is held until it ends
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, errors)
        self.assertIn("in the middle of its work", errors)
        self.assertTrue(errors.splitlines()[-1].endswith(self.expected), errors)
        self.expect_resumed()


class Parts(ListCase):
    def test_each_takes_its_lines(self):
        pairs = self.recordings(*range(300, 1000, 100))     # 7 lines
        self.write_list(pairs)
        taken = []
        for number in (2, 0, 1):
            *lines, end = self.events(self.run_list("--part", f"{number}/3", "--json"))
            self.assertEqual(end["part"], {"number": number, "of": 3, "variables": ""})
            self.assertEqual((end["lines"], end["own_lines"]), (7, len(lines)))
            self.assertEqual([line["line"] for line in lines], list(range(number + 1, 8, 3)))
            taken += lines
        self.assertEqual(sorted(line["line"] for line in taken), list(range(1, 8)))
        self.assertEqual({line["state"] for line in taken}, {"done"})
        self.expect_separate(pairs)

    def test_more_parts_than_lines(self):
        self.write_list(self.recordings(300))
        done = self.run_list("--part", "4/5", "--json")
        self.assertEqual([(end["event"], end["own_lines"], end["done"]) for end in self.events(done)], [("list", 0, 0)])
        self.assertIn("part 4/5 has 0 of 1 line of list.txt", done.stderr)
        self.assertFalse((self.folder / "out0.h5").exists())

    def test_options_that_parts_of_rows_refuse(self):
        pairs = self.recordings(300, 400)
        self.write_list(pairs)
        for number in range(2):
            self.run_list("--part", f"{number}/2", "--filter", "deflate:1", "--chunk", "64x3x4")
        self.expect_separate(pairs, "--filter", "deflate:1", "--chunk", "64x3x4")
        self.assertIn("existing file", self.run_list("--part", "0/2", code=1).stderr)
        self.run_list("--part", "0/2", "--resume", "--filter", "deflate:1", "--chunk", "64x3x4")

    def test_tasks_of_an_array(self):
        pairs = self.recordings(*range(300, 800, 100))      # 5 lines
        self.write_list(pairs)
        array = {"SLURM_ARRAY_TASK_COUNT": "3", "SLURM_ARRAY_TASK_MIN": "5", "SLURM_ARRAY_TASK_MAX": "9",
                 "SLURM_ARRAY_TASK_STEP": "2", "SLURM_JOB_ID": "7", "SLURM_PROCID": "0", "SLURM_NTASKS": "1"}
        for number, task in enumerate(("5", "7", "9")):
            done = self.run_list("--part", "auto", "--json", environment={**array, "SLURM_ARRAY_TASK_ID": task})
            self.assertEqual([line["line"] for line in self.events(done)[:-1]], list(range(number + 1, 6, 3)))
            self.assertIn(f"--part auto: this is part {number}/3, as SLURM_ARRAY_TASK_ID, SLURM_ARRAY_TASK_MIN and "
                          "SLURM_ARRAY_TASK_MAX say\n", done.stderr)
        self.expect_separate(pairs)
        # the scheduler was not queried here, so all lines run
        done = self.run_list("--json", "--resume", environment={**array, "SLURM_ARRAY_TASK_ID": "7"})
        self.assertEqual(self.events(done)[-1]["own_lines"], 5)

    def test_auto_without_a_scheduler(self):
        self.write_list(self.recordings(300))
        self.assertIn("no variable of a scheduler", self.run_list("--part", "auto", code=1).stderr)
        uneven = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_ARRAY_TASK_MIN": "3",
                  "SLURM_ARRAY_TASK_MAX": "7", "SLURM_ARRAY_TASK_STEP": "1"}
        self.assertIn("not evenly spaced", self.run_list("--part", "auto", code=1, environment=uneven).stderr)
        self.assertFalse((self.folder / "out0.h5").exists())

    def test_at_the_same_time(self):
        pairs = self.recordings(*[500] * 8)
        self.write_list(pairs)
        runs = [subprocess.Popen([PROGRAM, "convolve", "--list", "list.txt", *BANK, "--part", f"{number}/4", "--quiet"],
                                 cwd=self.folder, env=self.environment(), stderr=subprocess.PIPE, text=True)
                for number in range(4)]
        for run in runs:
            self.end_with_test(run)
        self.assertEqual([(run.wait(), run.stderr.read()) for run in runs], [(0, "")] * 4)
        self.expect_separate(pairs)


class Many(ListCase):
    LINES = 120

    def setUp(self):
        super().setUp()
        self.counts(6000, 3)
        self.pairs = [("in.h5:/x", f"out{i}.h5:/f") for i in range(self.LINES)]
        self.write_list(self.pairs)

    def test_memory_of_a_line_does_not_stay(self):
        # Every third line fails, in the middle of the others.
        self.write_list([("in.h5:/y" if i % 3 == 1 else read, write) for i, (read, write) in enumerate(self.pairs)])
        *lines, end = self.events(self.run_list("--json", "--budget", "2MiB", code=1))
        self.assertEqual((end["done"], end["failed"]), (80, 40))
        runs = [line["report"]["run"] for line in lines if line["state"] == "done"]
        print("before the lines " + ", ".join(f"{run['program_bytes'] / 2**20:.2f}" for run in runs[1::6])
              + " MiB, peaks " + ", ".join(f"{run['peak_bytes'] / 2**20:.2f}" for run in runs[1::6]) + " MiB")
        # The allocator grows once by 1 MiB in some runs, at any line. Each line may leave 27 KiB.
        for key in ("program_bytes", "peak_bytes"):
            self.assertLess(runs[-1][key], runs[1][key] + (1 << 21), key)

    def test_files_of_a_line_are_closed(self):
        calls = self.calls_of("in.h5:/x")
        found = {}
        for line in (2, self.LINES):
            run = self.held((line - 1) * calls + 20, "convolve", "--list", "list.txt", *BANK, "--quiet")
            self.assertEqual(len(list(self.folder.glob("out*.h5"))), line - 1)     # the others are complete
            self.assertEqual(len(self.left_over()), 1)
            found[line] = sorted(os.readlink(f"/proc/{run.pid}/fd/{each}").replace(f"out{line - 1}.", "out.")
                                 for each in os.listdir(f"/proc/{run.pid}/fd"))
            run.kill()
            run.wait()
            (self.folder / "held").unlink()
            for path in self.folder.glob("out*"):
                path.unlink()
        names = {line: [each.split(":")[0] for each in files] for line, files in found.items()}   # pipes have numbers
        self.assertEqual(names[2], names[self.LINES])


if __name__ == "__main__":
    unittest.main(verbosity=2)
