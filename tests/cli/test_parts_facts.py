# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The facts that the parts of one output share: a dry run with --save finds them once, and parts read them."""
import json
import os
import subprocess
import unittest

import h5py
import numpy as np

from test_parts import BANK, PartsCase
from tool import PROGRAM

FACTS = "out.facts"
FACTS_OF_PARTS = "out.h5.part.facts"
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

    def save(self, words=None, file=FACTS, **more):
        """The dry run of a command, which saves its facts."""
        words = list(words or self.words)
        words = ["plan", *words[1:]] if words[0] == "convolve" else [*words, "--dry-run"]
        return self.tool(*words, "--save", file, **more)

    def facts(self):
        head, _, body = (self.folder / FACTS).read_text().partition("\n")
        self.assertTrue(head.startswith("synelix facts 1 "), head)
        return json.loads(body)

    def part(self, part, *options, words=None, facts=FACTS, **more):
        of_facts = ("--facts", facts) if facts else ()
        return super().part(part, *of_facts, *options, words=words, **more)

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

    def refused_part(self, part, says, words=None, facts=FACTS):
        done = self.part(part, words=words, facts=facts, code=1)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for text in says:
            self.assertIn(text, done.stderr)


class Facts(FactsCase):
    def test_timestamps_are_read_by_the_plan_alone(self):
        for words in (self.words, self.design):
            self.whole(words)
            times = self.read("in.h5:/s/timestamps")
            self.save(words)
            (fit,) = self.facts()["timestamps"]
            self.assertEqual(fit["first_samples"], [0, 2000])
            self.overwrite("s/timestamps", np.full(6000, np.nan))
            self.refused_part("0/3", ["timestamps[0]: it is not a number"], words=words, facts=None)
            for part in ("2/3", "0/3", "1/3"):
                self.part(part, words=words)
            self.expect_as_before()
            self.overwrite("s/timestamps", times)
            (self.folder / "out.h5").unlink()
            (self.folder / "before.h5").unlink()

    def test_ranges_are_found_by_the_plan_alone(self):
        self.whole(self.design)
        self.save(self.design)
        self.assertEqual(len(self.facts()["ranges"]), 2)
        self.assertEqual(len(self.facts()["ranges"][0]), 3)
        self.part("0/2", words=self.design)              # rows 0 to 2999
        self.overwrite("s/data", [100.0, -100.0, 50.0])  # of row 0
        self.part("1/2", words=self.design)
        self.expect_as_before()

    def test_parts_without_facts_find_them_themselves(self):
        for words in (self.words, self.design):
            for part in ("1/2", "0/2"):
                self.part(part, words=words, facts=None)
            self.expect_whole(words)
            (self.folder / "out.h5").unlink()

    def test_parts_find_the_file_beside_their_output(self):
        for words in (self.words, self.design):
            self.save(words, FACTS_OF_PARTS)
            self.overwrite("s/timestamps", np.full(6000, np.nan))
            self.part("1/2", words=words, facts=None)
            self.assertTrue((self.folder / FACTS_OF_PARTS).exists())
            self.part("0/2", words=words, facts=None)    # the last one removes it
            self.assertEqual(self.left_over(), [])
            (self.folder / "out.h5").unlink()
            self.setUp()

    def test_one_process_may_read_facts_too(self):
        for words in (self.words, self.design):
            self.whole(words)
            self.save(words)
            self.overwrite("s/timestamps", np.full(6000, np.nan))
            self.tool(*words, "--facts", FACTS)
            self.expect_as_before()
            self.assertTrue((self.folder / FACTS).exists())
            self.setUp()

    def test_another_input_or_option(self):
        self.save()
        self.overwrite("s/data", [2.0])
        os.utime(self.folder / "in.h5")
        self.refused_part("1/2", ["'input changed' was ", f"{FACTS}: its facts are of other inputs"])
        self.save()
        self.part("1/2")
        self.save(self.design)
        self.refused_part("0/2", ["'command' was features and is convolve"])
        (self.folder / "design.toml").write_text(DESIGN.replace("bases = 5", "bases = 6"))
        self.refused_part("1/2", ["'design checksum' was "], words=self.design)

    def test_another_beginning_of_bins(self):
        """The ranges of binned spikes follow from --from."""
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.6.0"
            file["units/id"] = [0]
            file["units/spike_times"] = np.sort(np.random.default_rng(2).uniform(0, 60, 700))
            file["units/spike_times_index"] = [700]
        (self.folder / "design.toml").write_text(
            DESIGN.replace('data = "in.h5:/s/data"', 'units = "made.nwb"\nbin = "100ms"'))
        later = (*self.design, "--from", "30ms")
        self.save(self.design)
        self.refused_part("0/2", ["'--from' was "], words=later)
        self.whole(later)
        self.save(later)
        self.part("0/2", words=later)
        self.part("1/2", words=later)
        self.expect_as_before()

    def test_damaged_or_somebody_elses(self):
        self.save()
        good = (self.folder / FACTS).read_bytes()
        flipped = good.replace(b'"instruction_set":"', b'"instruction_set":"x')
        self.assertNotEqual(flipped, good)
        for text, says in ((good[:-20], "it is damaged"), (good[:20], "it is damaged"),
                           (good[:10], "this is not a file of facts"), (flipped, "it is damaged"),
                           (b"", "this is not a file of facts"),
                           (b"my notes\n", "this is not a file of facts"),
                           (good.replace(b"facts 1", b"facts 2"), "it has format 2")):
            (self.folder / FACTS).write_bytes(text)
            self.refused_part("1/2", [f"{FACTS}: {says}", "--save"])
            self.assertEqual((self.folder / FACTS).read_bytes(), text)
        self.refused_part("1/2", ["missing: there is no such file"], facts="missing")
        (self.folder / FACTS).write_text("my notes\n")
        self.assertIn("this is a file of something else", self.save(code=1).stderr)
        self.assertEqual((self.folder / FACTS).read_text(), "my notes\n")
        self.assertIn("in.h5: this is a file of something else", self.save(file="in.h5", code=1).stderr)
        self.assertIn("cannot be written", self.save(file="missing/facts", code=1).stderr)
        self.save(file="again.facts")
        self.save(file="again.facts")

    def test_saving_takes_no_other_file(self):
        """Facts are written under another name first, which is no file of the user."""
        (self.folder / f"{FACTS}.new").write_text("my notes\n")
        self.save()
        self.assertEqual((self.folder / f"{FACTS}.new").read_text(), "my notes\n")
        for words in (self.words, self.design):
            self.save(words)
            words = [*words, "--facts", FACTS, "-O"]
            words[words.index("out.h5:/f")] = f"{FACTS}:/f"
            self.assertIn("this is the file of facts, which -O would replace", self.tool(*words, code=1).stderr)

    def test_words(self):
        (self.folder / "list").write_text("in.h5:/s/data out.h5:/f\n")
        listed = ("--list", "list", *BANK)
        for words in (("convolve", *listed, "--facts", FACTS), ("plan", *listed, "--save", FACTS),
                      ("features", "--list", "list", "--facts", FACTS)):
            self.assertIn("it is given beside --list", self.tool(*words, code=2).stderr)
        self.assertIn("--save: it is an option of a dry run",
                      self.tool(*self.design, "--save", FACTS, code=2).stderr)


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
                self.save(wanted)
                self.assertEqual(self.facts()["instruction_set"], name)
                self.part("1/2", words=wanted)
                self.part("0/2", words=words)            # takes the set of the facts
                self.expect_as_before()
                self.assertEqual(self.attributes("out.h5:/f")["instruction_set"], name)
                for file in ("out.h5", "before.h5"):
                    (self.folder / file).unlink()

    def test_two_sets_are_refused(self):
        sets = self.sets()
        if len(sets) < 2:
            self.skipTest("this processor or this build has one instruction set")
        self.save((*self.words, "--instruction-set", sets[0]))
        self.part("0/2", words=(*self.words, "--instruction-set", sets[0]))
        self.refused_part("1/2", [f"--instruction-set {sets[1]}: the facts of {FACTS} are for "
                                  f"{sets[0]}", "save the facts again"],
                          words=(*self.words, "--instruction-set", sets[1]))
        done = self.part("1/2", words=(*self.words, "--instruction-set", sets[1], "--quiet"), facts=None,
                         code=1)
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

    def test_the_calibration_of_the_plan(self):
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
        self.save(words)
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
