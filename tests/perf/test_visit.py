# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A visit of a device runs all tasks once, goes on where it ended, and says what failed. Programs are stand-ins.

    test_visit.py ROOT
"""
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "perf"))

import visit  # noqa: E402

TEST = """#!/bin/sh
case $1 in
  --gtest_list_tests) printf 'Note: a line of the main program\\nDense.\\n  Small\\nEvents/0.  # TypeParam = float\\n  One\\n'; exit ;;
esac
echo "$(basename "$0") $*" >> "$(dirname "$0")/ran"
"""
SUITE = """#!/usr/bin/env python3
import json, re, sys
names = ["convolve/users/0"] + [f"epochs/dense/{i}" for i in range(14)] + ["goals/direct_100", "roofs/copy"]
words = dict(word.lstrip("-").partition("=")[::2] for word in sys.argv[1:])
if "benchmark_list_tests" in words:
    print("\\n".join(names))
    sys.exit()
rows = [{"name": name} for name in names if re.match(words["benchmark_filter"], name)]
with open(words["benchmark_out"], "w") as file:
    json.dump({"context": {"space": "stand-in"}, "benchmarks": rows}, file)
"""
CHECKER = """#!/bin/sh
echo "$*" >> "$(dirname "$0")/checked"
"""


class Visit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = Path(folder.name)
        self.bin, self.out = self.here / "bin", self.here / "out"
        self.bin.mkdir()
        self.program("test_convolve", TEST)
        self.program("test_basis", TEST)
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = f"{self.bin}:{path}"

    def program(self, name, text):
        path = self.bin / name
        path.write_text(text)
        path.chmod(0o755)

    def visit(self, *words):
        printed, said = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(said):
            code = visit.main([str(self.out), "--programs", str(self.bin), *words])
        return code, printed.getvalue(), said.getvalue()

    def status(self):
        return {name: entry["status"] for name, entry in json.loads((self.out / "visit.json").read_text())["done"].items()}

    def ran(self):
        return (self.bin / "ran").read_text().splitlines()

    def test_runs_each_task_once_and_tests_of_convolve_first(self):
        self.program("synelix_perf", SUITE)
        code, _, said = self.visit()
        self.assertEqual(code, 0, said)
        self.assertEqual(self.ran(), ["test_convolve ", "test_basis "])
        self.assertEqual(self.visit()[0], 0)
        self.assertEqual(len(self.ran()), 2)

    def test_a_new_visit_builds_first(self):
        def said(*words):
            done = subprocess.run([ROOT / "scripts/device", "--visit", self.out, *words], capture_output=True, text=True,
                                  check=False, env={**os.environ, "Kokkos_ROOT": str(self.here)})
            self.assertEqual(done.returncode, 2)
            return done.stderr

        self.assertIn("device: Kokkos_ROOT is ", said())
        self.assertIn("visit: ", said("--programs", self.here / "absent"))
        self.out.mkdir()
        (self.out / "visit.json").write_text("{}")
        self.assertIn("visit: ", said())

    def test_checkers_run_each_suite(self):
        self.program("compute-sanitizer", CHECKER)
        self.assertEqual(self.visit()[0], 0)
        checked = (self.bin / "checked").read_text().splitlines()
        self.assertEqual(len(checked), 4)
        self.assertIn("--tool memcheck", checked[0])
        self.assertIn("--gtest_filter=Dense.*", checked[0])
        self.assertIn("--tool racecheck", checked[3])
        self.assertIn("--gtest_filter=Events/0.*", checked[3])

    def test_what_is_absent_is_left_out_by_name(self):
        os.environ["PATH"] = "/usr/bin:/bin"
        code, printed, _ = self.visit()
        self.assertEqual(code, 0)
        self.assertIn("left out  memcheck: compute-sanitizer is not in PATH", printed)
        self.assertIn("left out  suite: ", printed)
        self.assertIn("left out  peers: ", printed)

    def test_groups_of_benchmarks_become_one_file_for_each_step(self):
        self.program("synelix_perf", SUITE)
        self.assertEqual(self.visit()[0], 0)
        names = {step: [row["name"] for row in json.loads((self.out / f"results/{step}.json").read_text())["benchmarks"]]
                 for step in ("roofs", "goals", "suite")}
        self.assertEqual(names["roofs"], ["roofs/copy"])
        self.assertEqual(names["goals"], ["goals/direct_100"])
        self.assertEqual(len(names["suite"]), 15)
        self.assertEqual(len(set(names["suite"])), 15)

    def test_a_wrong_answer_of_a_benchmark_is_a_failure(self):
        self.program("synelix_perf", SUITE.replace('{"name": name}', '{"name": name, "error_occurred": True}'))
        code, printed, _ = self.visit()
        self.assertEqual(code, 1)
        self.assertIn("failed    roofs\n", printed)

    def test_a_test_that_fails_is_named_and_can_run_again(self):
        self.program("test_basis", TEST + "exit 3\n")
        code, printed, _ = self.visit()
        self.assertEqual(code, 1)
        self.assertIn("failed    tests/test_basis", printed)
        before = len(self.ran())
        self.visit("--again", "tests/test_basis")
        self.assertEqual(self.ran()[before:], ["test_basis "])
        code, _, said = self.visit("--again", "tests/basis")
        self.assertEqual(code, 2)
        self.assertIn("no such task", said)

    def cut_off(self, seconds_passed):
        """A call whose slice of 100 s ends while test_basis and its child run, by the clock of this test."""
        os.mkfifo(self.bin / "started")
        self.program("test_basis", TEST + 'd=$(dirname "$0"); [ -e "$d/go" ] || '
                     '{ sleep 1000000 & echo $! > "$d/started"; wait; }\n')
        now, ended = [0.0], visit.ended
        self.addCleanup(setattr, visit, "ended", ended)
        self.addCleanup(setattr, visit, "now", visit.now)

        def ended_by_the_clock(process, seconds):
            if Path(process.args[0]).name != "test_basis":
                now[0] += 100.0 - seconds_passed
                return ended(process, 3600)
            self.child = int((self.bin / "started").read_text())
            now[0] += seconds
            return ended(process, 0.0)

        visit.ended, visit.now = ended_by_the_clock, lambda: now[0]
        self.assertFalse(visit.go_on(visit.load(self.out, self.bin), self.out, 100.0))
        self.assertEqual(self.status()["tests/test_convolve"], "passed")
        while is_running(self.child):
            time.sleep(0.01)
        visit.ended = ended

    def test_a_slice_that_ends_cuts_a_task_off_and_a_whole_slice_runs_it_again(self):
        self.cut_off(seconds_passed=50.0)
        self.assertEqual(self.status()["tests/test_basis"], "cut off")
        state = visit.load(self.out, self.bin)
        (self.bin / "go").touch()
        self.assertTrue(visit.go_on(state, self.out, 100.0))
        self.assertEqual(self.status()["tests/test_basis"], "passed")
        self.assertEqual(self.ran().count("test_convolve "), 1)

    def test_a_task_that_uses_a_whole_slice_is_too_long(self):
        self.cut_off(seconds_passed=95.0)
        self.assertEqual(self.status()["tests/test_basis"], "too long")
        code, printed, _ = self.visit()
        self.assertEqual(code, 1)
        self.assertIn("too long  tests/test_basis", printed)

    def test_a_task_is_not_begun_at_the_end_of_a_slice(self):
        now, ended = [0.0], visit.ended
        self.addCleanup(setattr, visit, "ended", ended)
        self.addCleanup(setattr, visit, "now", visit.now)

        def long_one(process, seconds):
            now[0] += 95.0
            return ended(process, 3600)

        visit.ended, visit.now = long_one, lambda: now[0]
        self.assertFalse(visit.go_on(visit.load(self.out, self.bin), self.out, 100.0))
        self.assertEqual(self.ran(), ["test_convolve "])

    def test_an_interrupt_ends_the_task_and_the_next_call_goes_on(self):
        os.mkfifo(self.bin / "started")
        self.program("test_basis", TEST + 'd=$(dirname "$0"); [ -e "$d/go" ] || { echo > "$d/started"; exec sleep 1000000; }\n')
        process = subprocess.Popen([sys.executable, "-B", ROOT / "perf" / "visit.py", self.out, "--programs", self.bin],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        (self.bin / "started").read_text()       # the task runs now
        process.send_signal(signal.SIGINT)
        self.assertIn("interrupted", process.communicate()[1])
        self.assertEqual(process.returncode, visit.MORE)
        self.assertEqual(self.status(), {"tests/test_convolve": "passed"})
        (self.bin / "go").touch()
        # The stand-in is unchanged; only the file beside it is new.
        self.assertEqual(self.visit()[0], 0)
        self.assertEqual(self.status()["tests/test_basis"], "passed")

    def test_refuses_what_it_would_mix_or_overwrite(self):
        self.assertEqual(self.visit()[0], 0)
        self.program("test_basis", TEST + "# another build\n")
        code, _, said = self.visit()
        self.assertEqual(code, 2)
        self.assertIn("is a visit of another build", said)
        (self.out / "visit.json").write_text("{}")
        self.assertIn("is not a visit that can go on", self.visit()[2])
        (self.out / "visit.json").unlink()
        self.assertIn("is not empty and holds no visit.json", self.visit()[2])

    def test_refuses_a_folder_without_tests(self):
        (self.bin / "test_basis").unlink()
        (self.bin / "test_convolve").unlink()
        self.assertIn("holds no test_* program", self.visit()[2])

    def test_a_program_without_a_device_ends_the_visit_with_its_sentence(self):
        self.program("synelix_perf", "#!/bin/sh\necho 'device: found none on this machine' >&2\nexit 2\n")
        code, _, said = self.visit()
        self.assertEqual(code, 2)
        self.assertIn("device: found none on this machine", said)

    def test_programs_of_a_pack_are_started_by_its_script(self):
        (self.here / "lib").mkdir()
        (self.here / "lib" / "loader").touch()
        run = self.here / "run"
        run.write_text('#!/bin/sh\nhere=$(dirname "$0"); program=$1; shift; echo "$program" >> "$here/started"\n'
                       'exec "$here/bin/$program" "$@"\n')
        run.chmod(0o755)
        self.assertEqual(self.visit()[0], 0)
        self.assertEqual((self.here / "started").read_text().split(), ["test_convolve", "test_basis"])

    def test_lists_without_running(self):
        code, printed, _ = self.visit("--list")
        self.assertEqual(code, 0)
        self.assertIn("left to run  tests/test_convolve", printed)
        self.assertFalse((self.bin / "ran").exists())


def is_running(process):
    """A process that is not a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    unittest.main()
