# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--resume: allowed differences from the previous run, and runs that are stopped or rejected."""
import json
import os
import signal
import unittest

import numpy as np

from test_resume import BANK, ResumeCase


class Rules(ResumeCase):
    WORDS = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, "--quiet")

    def begun(self, *words, call=45):
        """A part file of a killed run."""
        ended, _ = self.run_until((*self.WORDS, "--batch", "72,,", *words), call)
        self.assertFalse(ended)
        self.assertEqual(self.left_over(), ["out.h5.part"])

    def resumed(self, *words, code=0):
        done = self.run_tool((*self.WORDS[:-1], "--resume", "--json", *words), code)
        return json.loads(done.stdout)["run"] if code == 0 else done.stderr

    def test_budget_threads_batch_and_progress_may_differ(self):
        self.counts(4000, 3)
        self.run_tool((*self.WORDS[:2], "whole.h5:/f", *BANK, "--quiet"))
        expected = self.made("whole.h5:/f")[:3]
        for words in (("--budget", "100KiB"), ("--batch", "500,2,1"), ("--batch", "30,,"),
                      ("--kokkos-num-threads=2", "--progress", "json"), ("--budget", "1GiB")):
            for filters in ((), ("--filter", "deflate:1", "--chunk", "64x3x4")):
                with self.subTest(words=words, filters=filters):
                    self.clear("out.h5*")
                    self.begun(*filters, call=80)
                    report = self.resumed(*words, *filters)
                    self.assertGreater(report["blocks_before"], 0)
                    self.assertEqual(self.made("out.h5:/f")[:3], expected)

    def test_what_changes_bytes_must_agree(self):
        self.counts(2000, 3)
        self.write("epochs.h5", "e", values=np.array([[0, 1000]]))
        self.begun("--chunk", "64x3x4")
        part = (self.folder / "out.h5.part").read_bytes()
        same = ("--chunk", "64x3x4")
        for words, says in (
                (("--basis", "raised-cosine-linear"), "basis RaisedCosineLog"),
                (("--width", "3"), "taps checksum"),
                (("--window", "10"), "window 9"),
                (("--bases", "3"), "bases 4"),
                (("--causality", "acausal"), "causality causal"),
                (("--no-shift",), "shift on"),
                (("--border", "zero"), "border nan"),
                (("--every", "2"), "every 1"),
                (("--type", "double"), "type float32"),
                (("--chunk", "32x3x4"), "chunk 64x3x4"),
                (("--filter", "deflate:1"), "filter none"),
                (("--epochs", "epochs.h5:/e"), "epochs none"),
                (("--scale", "2"), "scaling none"),
                (("--channels", "0:2"), "series 2000 x 3 uint8"),
                (("--time", "0:1000"), "rows 0:2000")):
            with self.subTest(words=words):
                given = [word for word in (*self.WORDS[1:], *same)]
                for name in words[::2]:            # the last of two would be refused
                    if name in given:
                        at = given.index(name)
                        del given[at : at + 2]
                done = self.run_tool(("convolve", *given, *words, "--resume"), 1)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                for text in ("out.h5.part: it was made with ", says, "but this run asks for "):
                    self.assertIn(text, done.stderr)
                self.assertEqual((self.folder / "out.h5.part").read_bytes(), part)
        self.assertGreater(self.resumed(*same)["blocks_before"], 0)

    def test_the_input_must_be_the_same(self):
        _, values = self.counts(2000, 3)
        self.begun()
        os.utime(self.folder / "in.h5", (1, 1))
        self.assertIn("input changed", self.resumed(code=1))
        self.clear("in.h5")
        self.write("in.h5", values=values.astype(np.uint16), rate=1000.0)
        refusal = self.resumed(code=1)
        for text in ("input bytes", "input changed", "input dataset /x uint8", "/x uint16"):
            self.assertIn(text, refusal)
        self.assertEqual(self.left_over(), ["out.h5.part"])

    def test_the_banks_of_a_design_must_be_the_same(self):
        self.counts(12_800, 3)
        self.write("bank.h5", "taps", values=np.eye(9, 4))
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "in.h5:/x"\n[bases.b]\ntype = "bank"\nbank = "bank.h5:/taps"\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        words = ("features", "design.toml", "out.h5:/f", "--quiet", "--budget", "100KiB")
        ended, _ = self.run_until(words, 45)
        self.assertFalse(ended)
        self.clear("bank.h5")
        self.write("bank.h5", "taps", values=2 * np.eye(9, 4))
        refusal = self.run_tool((*words, "--resume"), 1).stderr
        self.assertIn("taps of basis 0 checksum", refusal)
        self.clear("bank.h5")
        self.write("bank.h5", "taps", values=np.eye(9, 4))
        self.run_tool((*words, "--resume"))

    def test_another_dataset_of_the_output(self):
        self.counts(2000, 3)
        self.begun()
        done = self.run_tool(("convolve", "in.h5:/x", "out.h5:/g", *BANK, "--resume"), 1)
        self.assertIn("dataset /f", done.stderr)

    def test_without_a_part_file_it_starts(self):
        self.counts()
        report = self.resumed()
        self.assertEqual(report["blocks_before"], 0)
        self.assertGreater(report["blocks"], 0)

    def test_an_empty_part_file_is_begun_anew(self):
        self.counts()
        (self.folder / "out.h5.part").write_bytes(b"")
        self.assertEqual(self.resumed()["blocks_before"], 0)

    def test_a_part_file_without_a_checkpoint_is_refused(self):
        self.counts(2000, 3)
        part = self.folder / "out.h5.part"
        self.begun()
        begun = part.read_bytes()
        at = begun.index(b"Synelix resume 2")
        for changed in (begun[:at] + bytes(4096) + begun[at + 4096:],
                        begun[:at + 100] + b"?" + begun[at + 101:],
                        begun[:at + 15] + b"1" + begun[at + 16:]):
            part.write_bytes(changed)
            refusal = self.resumed(code=1)
            self.assertIn("out.h5.part: ", refusal)
            self.assertIn("a run without resume", refusal)
            self.assertEqual(part.read_bytes(), changed)
        part.write_bytes(begun)
        self.assertGreater(self.resumed()["blocks_before"], 0)

    def test_damage_is_computed_again_and_said(self):
        self.counts(20_000, 3)
        self.run_tool((*self.WORDS[:2], "whole.h5:/f", *BANK, "--quiet"))
        expected = self.made("whole.h5:/f")[:3]
        for filters in ((), ("--filter", "deflate:1")):
            with self.subTest(filters=filters):
                self.clear("out.h5*")
                words = (*filters, "--chunk", "64x3x4")
                self.begun(*words, call=300)
                part = self.folder / "out.h5.part"
                calls = [line.split() for line in
                         (self.folder / "calls.log").read_text().splitlines()]
                chunks = [int(at) for name, at, size in calls[60:]     # none of the checkpoint
                          if name == "pwrite" and 100 < int(size) <= 64 * 3 * 4 * 4
                          and int(size) != 64 * 8]                     # and no times
                content = bytearray(part.read_bytes())
                at = chunks[len(chunks) // 2]
                content[at + 20] ^= 16
                part.write_bytes(content)
                done = self.run_tool((*self.WORDS[:-1], "--resume", *words))
                self.assertRegex(done.stderr, r"out.h5.part: \d+ of \d+ parts do not match their "
                                              r"checksums \(rows \d+ to \d+.*computed again")
                self.assertEqual(self.made("out.h5:/f")[:3], expected)

    def test_a_whole_part_file_without_its_name_is_published(self):
        self.counts(2000, 3)
        for words in (self.WORDS, (*self.WORDS, "--filter", "deflate:1")):
            with self.subTest(words=words):
                self.clear("out.h5*")
                _, calls = self.run_until(words, 1_000_000)
                expected = self.made("out.h5:/f")
                self.clear("out.h5*")
                self.run_until(words, len(calls))            # killed before its last change
                # A power cut takes a name back that has not reached the disk.
                (self.folder / "out.h5").rename(self.folder / "out.h5.part")
                done = self.run_tool((*(word for word in words if word != "--quiet"), "--resume"))
                self.assertIn("nothing was left to compute, and out.h5:/f has its name", done.stderr)
                self.assertEqual(self.made("out.h5:/f"), expected)
                self.assertEqual(self.left_over(), [])

    def test_a_finished_output_is_said_to_be(self):
        self.counts()
        self.run_tool(self.WORDS)
        before = (self.folder / "out.h5").stat()
        done = self.run_tool((*self.WORDS[:-1], "--resume", "--budget", "1MiB"))
        self.assertIn("out.h5:/f is finished already", done.stderr)
        self.assertNotIn("block 0 of 0", done.stderr)
        self.assertTrue(self.resumed()["was_finished"])
        after = (self.folder / "out.h5").stat()
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))
        refusal = self.resumed("--every", "2", code=1)
        self.assertIn("every 1", refusal)
        self.assertIn("every 2", refusal)
        self.assertEqual(self.left_over(), [])
        self.assertFalse(self.resumed("--every", "2", "-O")["was_finished"])
        self.write("foreign.h5", "f", values=np.arange(3))
        done = self.run_tool((*self.WORDS[:2], "foreign.h5:/f", *BANK, "--resume"), 1)
        self.assertIn("foreign.h5: this is an existing file", done.stderr)

    def test_a_finished_dataset_in_the_file_of_its_input(self):
        self.counts()
        words = ("convolve", "in.h5:/x", "in.h5:/f", *BANK, "--append", "--resume")
        self.run_tool(words)
        self.assertIn("finished already", self.run_tool(words).stderr)

    def test_without_resume_a_stale_part_file_is_replaced(self):
        self.counts(2000, 3)
        self.begun("--every", "2")
        self.run_tool(self.WORDS)
        self.assertEqual(self.read("out.h5:/f").shape, (2000, 3, 4))
        self.assertEqual(self.left_over(), [])

    def test_a_part_file_that_is_being_written_is_refused(self):
        self.counts(2000, 3)
        self.begun()
        import fcntl
        with open(self.folder / "out.h5.part", "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.assertIn("another run is writing", self.resumed(code=1))
        self.assertGreater(self.resumed()["blocks_before"], 0)


class Stopped(ResumeCase):
    """A signal during a write of a run: raised by the writing thread itself, so that it comes neither before nor
    after."""

    def test_signals_keep_what_was_written(self):
        self.counts(4000, 3)
        words = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, "--batch", "72,,", "--progress",
                 "json")
        self.run_tool(("convolve", "in.h5:/x", "whole.h5:/f", *BANK, "--quiet"))
        expected = self.made("whole.h5:/f")[:3]
        for sent, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGUSR1, 138),
                           (signal.SIGKILL, -9)):
            with self.subTest(signal=sent.name):
                self.clear("out.h5*")
                done = self.run_tool(words, code, LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                     SIGNALED_AT="60", SIGNALED_WITH=str(int(sent)),
                                     SYNELIX_GRACE_SECONDS="1000000")
                if code > 0:
                    self.assertIn("stopped by a signal", done.stderr)
                    self.assertIn("--resume goes on", done.stderr)
                self.assertEqual(self.left_over(), ["out.h5.part"])
                report = json.loads(self.run_tool((*words, "--resume", "--json")).stdout)["run"]
                self.assertGreater(report["blocks_before"], 1)
                self.assertGreater(report["blocks"], 1)
                self.assertEqual(self.made("out.h5:/f")[:3], expected)


class Designs(ResumeCase):
    def test_a_killed_design_is_gone_on_with(self):
        self.counts(400, 3)
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "in.h5:/x"\n'
            '[bases.past]\ntype = "raised-cosine-log"\nbases = 4\nwindow = 9\n'
            '[bases.now]\ntype = "bspline"\nmode = "eval"\nbases = 5\n'
            '[[terms]]\nname = "past"\ninput = "x"\nbasis = "past"\n'
            '[[terms]]\nname = "both"\nproduct = [{input = "x", basis = "past"}, '
            '{input = "x", basis = "now"}]\n')
        words = ("features", "design.toml", "out.h5:/f", "--batch-samples", "72", "--chunk",
                 "64x72", "--quiet")
        self.run_tool(words)
        expected = [self.read(f"out.h5:/{name}").tobytes() for name in ("f", "time", "f_terms")]
        kills = 0
        for call in range(2, 1000, 4):
            self.clear("out.h5*")
            ended, _ = self.run_until(words, call)
            if ended:
                break
            kills += 1
            self.run_tool((*words, "--resume"))
            found = [self.read(f"out.h5:/{name}").tobytes() for name in ("f", "time", "f_terms")]
            self.assertEqual(found, expected, f"killed at call {call}")
        self.assertGreaterEqual(kills, 8)
        self.assertIn("finished", self.run_tool((*words[:-1], "--resume")).stderr)
        self.clear("out.h5*")
        self.run_until(words, 30)
        self.clear("in.h5")
        self.counts(401, 3)
        self.assertIn("it was made with ", self.run_tool((*words, "--resume"), 1).stderr)


if __name__ == "__main__":
    unittest.main()
