# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts that the parts of one output share: the first part finds them, and OUT.part.facts stores them."""
import json
import os
import signal
import subprocess
import unittest

import h5py
import numpy as np

from test_parts import BANK, PartsCase
from tool import PROGRAM

FACTS = "out.h5.part.facts"
DESIGN = """[inputs.x]
data = "in.h5:/s/data"
[bases.b]
type = "bspline"
mode = "eval"
bases = 5
[bases.w]
type = "raised-cosine-log"
bases = 4
window = 9
[[terms]]
name = "values"
input = "x"
basis = "b"
[[terms]]
name = "past"
input = "x"
basis = "w"
"""


class FactsCase(PartsCase):
    def setUp(self):
        super().setUp()
        (self.folder / "in.h5").unlink()
        random = np.random.default_rng(1)
        times = np.arange(6000) * 1e-3 + random.uniform(-1e-4, 1e-4, 6000)
        times[2000:] += 5                                # a gap
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["s/data"] = random.uniform(0, 1, (6000, 3)).astype("f4")
            file["s/timestamps"] = times
        self.words = ("convolve", "in.h5:/s/data", "out.h5:/f", *BANK, "--batch", "500,,")
        (self.folder / "design.toml").write_text(DESIGN)
        self.design = ("features", "design.toml", "out.h5:/f", "--batch-samples", "500")

    def facts(self):
        head, _, body = (self.folder / FACTS).read_text().partition("\n")
        self.assertTrue(head.startswith("synelix facts 1 "), head)
        return json.loads(body)

    def overwrite(self, dataset, values, first=0):
        """Changes values in the file, which keeps its size and its time of change."""
        path = self.folder / "in.h5"
        with h5py.File(path, "r") as file:
            offset = file[dataset].id.get_offset()
            values = np.asarray(values, dtype=file[dataset].dtype)
        before = path.stat()
        with open(path, "r+b") as file:
            file.seek(offset + first * values.itemsize)
            file.write(values.tobytes())
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        self.assertEqual(path.stat().st_size, before.st_size)

    def whole(self, words):
        """The output of one process, with another name."""
        words = list(words)
        words[words.index("out.h5:/f")] = "before.h5:/f"
        self.tool(*words)

    def expect_as_before(self):
        for name in ("f", "time"):
            np.testing.assert_array_equal(self.read(f"out.h5:/{name}").view(np.uint8),
                                          self.read(f"before.h5:/{name}").view(np.uint8))
        self.assertEqual(self.left_over(), [])

    def refused_part(self, part, says, words=None):
        done = self.tool(*(words or self.words), "--part", part, code=1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)


class Facts(FactsCase):
    def test_timestamps_are_read_by_the_first_part_alone(self):
        for words in (self.words, self.design):
            self.whole(words)
            times = self.read("in.h5:/s/timestamps")
            self.part("0/3", words=words)
            (fit,) = self.facts()["timestamps"]
            self.assertEqual(fit["first_samples"], [0, 2000])
            self.overwrite("s/timestamps", np.full(6000, np.nan))
            alone = self.tool("plan", *self.words[1:], code=1)   # every reader sees it
            self.assertIn("timestamps[0]: it is not a number", alone.stderr)
            for part in ("2/3", "1/3"):
                self.part(part, words=words)
            self.expect_as_before()
            self.overwrite("s/timestamps", times)
            (self.folder / "out.h5").unlink()
            (self.folder / "before.h5").unlink()

    def test_ranges_are_found_by_the_first_part_alone(self):
        self.whole(self.design)
        self.part("0/2", words=self.design)              # rows 0 to 2999
        self.assertEqual(len(self.facts()["ranges"]), 2)
        self.assertEqual(len(self.facts()["ranges"][0]), 3)
        self.overwrite("s/data", [100.0, -100.0, 50.0])  # of row 0
        self.part("1/2", words=self.design)
        self.expect_as_before()

    def test_a_part_that_runs_again(self):
        for words in (self.words, self.design):
            self.part("1/2", words=words)
            kept = (self.folder / FACTS).read_bytes()
            self.part("1/2", words=words)
            self.assertEqual((self.folder / FACTS).read_bytes(), kept)
            self.part("0/1", words=words)
            self.expect_whole(words)
            self.assertIn("finished already", self.part("1/2", words=words).stderr)
            self.assertEqual(self.left_over(), [])
            (self.folder / "out.h5").unlink()

    def test_another_input_or_option(self):
        self.part("0/2")
        self.overwrite("s/data", [2.0])
        os.utime(self.folder / "in.h5")
        self.refused_part("1/2", ["'input changed' was ", f"remove out.h5.part and {FACTS}"])
        self.part("0/1", words=(*self.words[:2], "other.h5:/f", *self.words[3:]))
        (self.folder / "out.h5.part").unlink()           # then they were left by an earlier run
        self.part("0/2")
        self.part("1/2")
        self.expect_whole()
        (self.folder / "out.h5").unlink()
        self.part("0/2", words=self.design)
        (self.folder / "design.toml").write_text(DESIGN.replace("bases = 5", "bases = 6"))
        self.refused_part("1/2", ["'design checksum' was "], words=self.design)
        self.refused_part("1/2", ["'command' was features and is convolve"])

    def test_damaged_or_somebody_elses(self):
        self.part("0/2")
        good = (self.folder / FACTS).read_bytes()
        flipped = good.replace(b'"instruction_set":"', b'"instruction_set":"x')
        self.assertNotEqual(flipped, good)
        for text, says in ((good[:-20], "it is damaged"), (good[:20], "it is damaged"),
                           (good[:10], "no part of an output has written"),
                           (flipped, "it is damaged"), (b"", "no part of an output has written"),
                           (b"my notes\n", "no part of an output has written"),
                           (good.replace(b"facts 1", b"facts 2"), "it has format 2")):
            (self.folder / FACTS).write_bytes(text)
            self.refused_part("1/2", [f"{FACTS}: {says}", "emove"])
            self.assertEqual((self.folder / FACTS).read_bytes(), text)
        (self.folder / FACTS).unlink()                   # as in the message
        self.part("1/2")
        self.expect_whole()
        (self.folder / (FACTS + ".new")).write_text("my notes\n")
        (self.folder / "out.h5").unlink()
        self.refused_part("0/2", [f"{FACTS}.new: no part of an output has written this file"])
        self.assertEqual((self.folder / (FACTS + ".new")).read_text(), "my notes\n")
        os.symlink("target", self.folder / FACTS)
        self.refused_part("0/2", [FACTS])
        self.assertFalse((self.folder / "target").exists())

    def test_a_part_that_fails_before_it_writes_leaves_nothing(self):
        self.refused_part("0/2", ["bytes"], words=(*self.words, "--budget", "1KiB"))
        self.refused_part("0/2", ["--channels"], words=(*self.words, "--channels", "5:9"))
        self.assertEqual(self.left_over(), [])

    def test_a_run_without_parts_removes_them(self):
        self.part("0/2")
        (self.folder / "out.h5.part").unlink()  # which only parts go on with
        self.tool(*self.words)
        self.expect_whole()


class WaitingParts(FactsCase):
    def waiting(self, *words):
        """Starts a part, and returns it once it waits for another."""
        run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=self.environment(),
                               stderr=subprocess.PIPE, text=True)
        self.end_with_test(run)
        self.assertIn("waiting for the part that finds", run.stderr.readline())
        return run

    def test_the_first_finds_and_the_other_takes(self):
        for words in (self.words, self.design):
            first = self.held(1, *words, "--part", "0/2", "--quiet")    # before it writes the facts
            self.assertTrue((self.folder / (FACTS + ".new")).exists())
            other = self.waiting(*words, "--part", "1/2")
            self.release()
            self.assertEqual((first.wait(), other.wait()), (0, 0))
            self.expect_whole(words)
            (self.folder / "out.h5").unlink()

    def test_the_first_is_killed(self):
        for call in (1, 2, 3, 4):                        # cut, write, bring to the disk, unlink
            first = self.held(call, *self.words, "--part", "0/2", "--quiet")
            has_kept = (self.folder / FACTS).exists()
            self.assertEqual(has_kept, call == 4)
            if not has_kept:
                other = self.waiting(*self.words, "--part", "1/2")
            first.send_signal(signal.SIGKILL)
            first.wait()
            (self.folder / "held").unlink()
            if has_kept:
                self.part("1/2")
            else:
                self.assertEqual(other.wait(), 0)
            self.part("0/2")
            self.expect_whole()
            (self.folder / "out.h5").unlink()

    def test_a_waiting_part_is_stopped(self):
        first = self.held(1, *self.words, "--part", "0/2", "--quiet")
        other = self.waiting(*self.words, "--part", "1/2")
        other.send_signal(signal.SIGTERM)
        self.assertEqual(other.wait(), 128 + signal.SIGTERM)
        self.release()
        self.assertEqual(first.wait(), 0)
        self.part("1/2")
        self.expect_whole()

    def test_facts_of_a_running_part_are_not_replaced(self):
        first = self.held(5, *self.words, "--part", "0/2", "--quiet")   # has facts, and no part yet
        self.assertTrue((self.folder / FACTS).exists())
        self.assertFalse((self.folder / "out.h5.part").exists())
        self.refused_part("1/2", ["'command' was convolve and is features"], words=self.design)
        self.release()
        self.assertEqual(first.wait(), 0)
        self.part("1/2")
        self.expect_whole()


class InstructionSets(FactsCase):
    def sets(self):
        """Those that this processor has: the answer to one that it may lack lists the others."""
        built = json.loads(self.tool("info", "--json").stdout)["instruction_sets"]
        return [name for name in built
                if subprocess.run([PROGRAM, "plan", "in.h5:/s/data", *BANK, "--instruction-set",
                                   name], cwd=self.folder, env=self.environment(),
                                  capture_output=True).returncode == 0]

    def test_each_set_in_parts_and_in_one_process(self):
        for words in (self.words, self.design):
            for name in self.sets():
                wanted = (*words, "--instruction-set", name)
                self.whole(wanted)
                self.assertEqual(self.attributes("before.h5:/f")["instruction_set"], name)
                self.part("1/2", words=wanted)
                self.assertEqual(self.facts()["instruction_set"], name)
                self.part("0/2", words=words)            # takes the set of the facts
                self.expect_as_before()
                self.assertEqual(self.attributes("out.h5:/f")["instruction_set"], name)
                for file in ("out.h5", "before.h5"):
                    (self.folder / file).unlink()

    def test_two_sets_are_refused(self):
        sets = self.sets()
        if len(sets) < 2:
            self.skipTest("this processor or this build has one instruction set")
        self.part("0/2", words=(*self.words, "--instruction-set", sets[0]))
        self.refused_part("1/2", [f"--instruction-set {sets[1]}: the other parts of this output use "
                                  f"{sets[0]}", "the same instruction set"],
                          words=(*self.words, "--instruction-set", sets[1]))
        (self.folder / FACTS).unlink()                   # then the fingerprint tells
        done = self.part("1/2", words=(*self.words, "--instruction-set", sets[1], "--quiet"), code=1)
        self.assertIn(f"made with instruction set {sets[0]}, but this run asks for instruction set "
                      f"{sets[1]}", done.stderr)

    def test_unknown(self):
        for command in (self.words, ("plan", "in.h5:/s/data", *BANK), self.design,
                        ("fit", "design.toml", "model.h5"), ("score", "model.h5", "design.toml"),
                        ("predict", "model.h5", "design.toml", "p.h5:/f"), ("calibrate",)):
            done = self.tool(*command, "--instruction-set", "mmx", code=2)
            self.assertIn("--instruction-set: 'mmx' is not an instruction set of this build. Give "
                          "automatic, ", done.stderr)
            self.assertIn("--instruction-set NAME", self.tool(command[0], "--help").stdout)

    def test_the_calibration_of_the_first(self):
        folder = self.folder / "config" / "synelix"
        folder.mkdir(parents=True)
        name = json.loads(self.tool("info", "--json").stdout)["instruction_set"]
        steps = ("multiply_add", "result", "run", "strip", "sample", "fft_point", "fft_far", "fft_result",
                 "fft_run", "event", "event_tap", "event_result", "event_strip")
        with open("/proc/cpuinfo") as file:
            model = [line for line in file if line.startswith("model name")]
        processor = model[0].split(": ", 1)[1].rstrip("\n") if model else "unknown"
        nanoseconds = {step: 1.0 for step in steps} | {"fft_point": 1e6}
        (folder / "machine.json").write_text(json.dumps(
            {"format": 1, "machines": [{"processor": processor, "instruction_set": name,
                                        "nanoseconds": nanoseconds}]}))
        words = [word if word != "9" else "1000" for word in self.words if word != "500,,"]
        words.remove("--batch")
        self.part("0/2", words=words)
        if self.facts()["nanoseconds"] is None:
            self.skipTest("the calibration of this processor has another name")
        self.assertEqual(self.facts()["nanoseconds"], nanoseconds)
        (folder / "machine.json").unlink()               # as on another node
        self.part("1/2", words=words)
        self.assertEqual(self.attributes("out.h5:/f")["method"], "direct")
        self.assertEqual(self.left_over(), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
