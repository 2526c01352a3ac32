# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every command answers a signal, wherever it is.

A run is held where it would stay for ever: at a change of a file, at a read, at a pipe. Then a
signal comes, and the test waits for the end of the process. A program that does not answer
hangs, and the test with it: no test judges seconds."""
import os
import signal
import subprocess
import time
import unittest

import h5py
import numpy as np

from tool import PROGRAM, ToolCase

BANK = ("--basis", "raised-cosine-log", "--bases", "4", "--window", "9")
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGUSR1: 138}


class Held(ToolCase):
    """A run whose thread never comes back is ended by the program after its grace period."""

    def ended(self, run, sent, code):
        run.send_signal(sent)
        _, said = run.communicate()
        self.assertEqual(run.returncode, code, said)
        (self.folder / "held").unlink(missing_ok=True)
        self.assertEqual(said.splitlines()[-1][:len("synelix: stopped by ")],
                         "synelix: stopped by ", said)
        self.assertIn(f"stopped by {sent.name} in the middle of its work", said)
        return said

    def test_every_signal(self):
        path, _ = self.counts(4000, 3)
        whole = ("convolve", path, "whole.h5:/f", *BANK, "--quiet")
        self.tool(*whole)
        words = ("convolve", path, "out.h5:/f", *BANK, "--batch", "72,,")
        for sent, code in CODES.items():
            with self.subTest(signal=sent.name):
                said = self.ended(self.held(60, *words), sent, code)
                self.assertIn("out.h5.part is kept, and the same command with --resume", said)
                self.assertEqual(self.left_over(), ["out.h5.part"])
                report = self.json(*words, "--resume")["run"]
                self.assertGreater(report["blocks_before"], 1)
                np.testing.assert_array_equal(self.read("out.h5:/f"), self.read("whole.h5:/f"))
                (self.folder / "out.h5").unlink()

    def test_every_command_that_writes(self):
        path, _ = self.counts(4000, 3)
        (self.folder / "design.toml").write_text(
            f'[inputs.x]\ndata = "{path}"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        for call, words, left in (
                (30, ("features", "design.toml", "out.h5:/f", "--batch-samples", "72"),
                 ["out.h5.part"]),
                (20, ("simulate", "out.h5:/x", "--samples", "4000000", "--channels", "4"), []),
                (3, ("basis", *BANK, "-o", "out.h5:/taps"), ["out.h5.part"])):
            with self.subTest(command=words[0]):
                said = self.ended(self.held(call, *words), signal.SIGTERM, 143)
                self.assertEqual(self.left_over(), left, said)
                for part in left:
                    self.assertIn(part, said)
                    (self.folder / part).unlink()
                if not left:
                    self.assertIn("nothing was left behind", said)

    def test_an_output_behind_a_link(self):
        path, _ = self.counts(4000, 3)
        target = self.folder / "store" / "kept.h5"
        target.parent.mkdir()
        target.write_bytes(b"old")
        (self.folder / "out.h5").symlink_to(target)
        for call, words, left, says in (
                (60, ("convolve", path, "out.h5:/f", *BANK, "--batch", "72,,"), ["kept.h5", "kept.h5.part"],
                 "kept.h5.part is kept"),
                (20, ("simulate", "out.h5:/x", "--samples", "4000000", "--channels", "4"), ["kept.h5"],
                 "nothing was left behind")):
            with self.subTest(command=words[0]):
                said = self.ended(self.held(call, *words, "-O"), signal.SIGTERM, 143)
                self.assertIn(says, said)
                self.assertEqual(sorted(os.listdir(target.parent)), left)
                self.assertEqual(target.read_bytes(), b"old")
                target.with_name("kept.h5.part").unlink(missing_ok=True)

    def test_every_command_that_reads(self):
        path, _ = self.counts(4000, 3)
        (self.folder / "design.toml").write_text(
            f'[inputs.x]\ndata = "{path}"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        for words in (("info", "in.h5"), ("plan", path, *BANK),
                      ("features", "design.toml", "--dry-run"),
                      ("convolve", path, "out.h5:/f", *BANK)):
            with self.subTest(command=words[0]):
                self.ended(self.held(1, *words, HELD_WHERE="read"), signal.SIGTERM, 143)
                self.assertEqual(self.left_over(), [])

    def test_calibrate(self):
        # It checks the clock before and after each of some hundred runs; it writes after they are done.
        for words in ((), ("--json",)):
            with self.subTest(words=words):
                run = self.held(200, "calibrate", "-o", "machine.json", *words, HELD_WHERE="clock")
                self.ended(run, signal.SIGTERM, 143)
                self.assertEqual(os.listdir(self.folder), [])

    def test_a_damaged_heap(self):
        if "SYNELIX_LOCKED_HEAP" not in os.environ:
            self.skipTest("this build has a heap of its own")
        path, _ = self.counts(4000, 3)
        both = os.environ["SYNELIX_ENDED_AT"] + " " + os.environ["SYNELIX_LOCKED_HEAP"]
        for words, call, where, left in (
                (("convolve", path, "out.h5:/f", *BANK, "--batch", "72,,"), 60, "change", ["out.h5.part"]),
                (("convolve", path, "out.h5:/f", *BANK), 1, "read", []),
                (("calibrate", "-o", "machine.json"), 200, "clock", [])):
            with self.subTest(command=words[0], where=where):
                run = self.held(call, *words, LD_PRELOAD=both, HELD_WHERE=where)
                self.ended(run, signal.SIGTERM, 143)
                self.assertEqual(self.left_over(), left)
                for part in left:
                    (self.folder / part).unlink()

    def test_one_long_block(self):
        # Products of a window that is a quarter of the recording: minutes of one thread, in one launch.
        path, _ = self.counts(1_000_000, 1)
        bank = self.write("bank.h5", "taps", values=np.random.default_rng(2).normal(size=(250_000, 8)))
        run = subprocess.Popen([PROGRAM, "convolve", path, "out.h5:/f", "--bank", bank, "--method", "direct"],
                               cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=self.environment(OMP_NUM_THREADS="1"))
        self.end_with_test(run)
        while not (self.folder / "out.h5.part").exists():      # made before the block begins
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        before = self.processor_seconds(run)
        while self.processor_seconds(run) < before + 1:        # longer than everything before the block
            self.assertIsNone(run.poll())
            time.sleep(0.01)
        self.ended(run, signal.SIGTERM, 143)
        self.assertEqual(self.left_over(), ["out.h5.part"])

    def processor_seconds(self, run):
        """The processor time of a process so far, which shows its progress on a machine with any load."""
        with open(f"/proc/{run.pid}/stat", encoding="ascii") as line:
            fields = line.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def test_an_output_that_nobody_reads(self):
        # The taps fill the pipe; the first byte shows that the program writes.
        for words in (("basis", "--basis", "history", "--window", "2000"),
                      ("basis", "--basis", "history", "--window", "2000", "--json")):
            with self.subTest(words=words):
                run = subprocess.Popen([PROGRAM, *words], cwd=self.folder, env=self.environment(),
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(len(os.read(run.stdout.fileno(), 1)), 1)
                run.send_signal(signal.SIGTERM)
                self.assertEqual(run.wait(), 143)
                self.assertIn(b"stopped by SIGTERM", run.stderr.read())
                run.stdout.close()
                run.stderr.close()

    def test_an_alarm_of_somebody_else_has_its_default_action(self):
        path, _ = self.counts(4000, 3)
        run = self.held(60, "convolve", path, "out.h5:/f", *BANK, "--batch", "72,,")
        run.send_signal(signal.SIGALRM)
        _, said = run.communicate()
        self.assertEqual(run.returncode, -signal.SIGALRM, said)
        self.assertNotIn("stopped by", said)

    def test_a_second_signal_has_its_default_action(self):
        path, _ = self.counts(4000, 3)
        for second in CODES:
            with self.subTest(second=second.name):
                run = self.held(60, "convolve", path, "out.h5:/f", *BANK, "--batch", "72,,",
                                SYNELIX_GRACE_SECONDS="1000000")
                run.send_signal(signal.SIGTERM)
                # The first one is handled once the thread that took it has changed the actions.
                status = f"/proc/{run.pid}/status"
                while True:
                    with open(status, encoding="ascii") as lines:
                        caught = next(int(line.split()[1], 16) for line in lines
                                      if line.startswith("SigCgt:"))
                    if not caught >> (second - 1) & 1:
                        break
                run.send_signal(second)
                run.communicate()
                self.assertEqual(run.returncode, -second)
                (self.folder / "held").unlink()
                (self.folder / "out.h5.part").unlink()

    def test_an_ignored_signal_stays_ignored(self):
        path, _ = self.counts(4000, 3)
        for sent in (signal.SIGHUP, signal.SIGINT):
            with self.subTest(signal=sent.name):
                run = self.held(60, "convolve", path, "out.h5:/f", *BANK, "--batch", "72,,", "-O",
                                ignored=(sent,))
                run.send_signal(sent)
                self.release()
                _, said = run.communicate()
                self.assertEqual(run.returncode, 0, said)

    def test_the_grace_period(self):
        for text in ("x", "-1", "nan", "1e9", "", "1s"):
            with self.subTest(text=text):
                done = subprocess.run([PROGRAM, "info"], cwd=self.folder, text=True,
                                      capture_output=True,
                                      env=self.environment(SYNELIX_GRACE_SECONDS=text))
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"SYNELIX_GRACE_SECONDS: '{text}' is not a time to wait", done.stderr)


class Graceful(ToolCase):
    """A run that checks its flag ends itself regularly."""

    def test_every_signal(self):
        path, _ = self.counts(4000, 3)
        words = ("convolve", path, "out.h5:/f", *BANK, "--batch", "72,,")
        for sent, code in CODES.items():
            with self.subTest(signal=sent.name):
                done = self.tool(*words, code=code, environment={
                    "LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"], "SIGNALED_AT": "60",
                    "SIGNALED_WITH": str(int(sent)), "SYNELIX_GRACE_SECONDS": "1000000"})
                self.assertIn("stopped by a signal", done.stderr)
                self.assertIn("--resume goes on", done.stderr)
                (self.folder / "out.h5.part").unlink()


class Pipes(ToolCase):
    """A pipe as a file is rejected before it is opened, since there may never be a writer."""

    def test_inputs(self):
        path, _ = self.counts(100, 2)
        os.mkfifo(self.folder / "pipe")
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "pipe:/x"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        for words in (("info", "pipe"), ("info", "pipe:/x"), ("plan", "pipe:/x", *BANK),
                      ("convolve", "pipe:/x", "out.h5:/f", *BANK),
                      ("convolve", "pipe", "out.h5:/f", "--units", "--bin", "1ms", *BANK),
                      ("convolve", path, "out.h5:/f", "--bank", "pipe:/taps"),
                      ("convolve", path, "out.h5:/f", *BANK, "--epochs", "pipe:/e"),
                      ("convolve", path, "out.h5:/f", *BANK, "--intervals", "pipe:/e"),
                      ("convolve", path, "out.h5:/f", *BANK, "--machine", "pipe"),
                      ("features", "design.toml", "out.h5:/f"),
                      ("features", "pipe", "out.h5:/f"),
                      ("calibrate", "-o", "pipe")):
            with self.subTest(words=words):
                self.refused(*words, says=["pipe", "not a regular file"])


if __name__ == "__main__":
    unittest.main()
