# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--part: one output that several processes write, each a part of its rows."""
import json
import os
import signal
import subprocess
import unittest

import h5py
import numpy as np

from tool import PROGRAM, ToolCase

BANK = ("--basis", "raised-cosine-log", "--bases", "4", "--window", "9")
SCHEDULERS = ("SLURM", "OMPI", "PMI", "PBS", "LSB", "SGE")


class PartsCase(ToolCase):
    def environment(self, **more):
        known = {name: value for name, value in super().environment().items()
                 if not name.startswith(SCHEDULERS)}
        return {**known, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false", **more}

    def setUp(self):
        super().setUp()
        self.counts(6000, 3)
        self.words = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, "--batch", "500,,")

    def part(self, part, *options, words=None, **more):
        return self.tool(*(words or self.words), "--part", part, *options, **more)

    def expect_whole(self, words=None):
        """The output has the bytes of one process, and nothing else is left."""
        words = list(words or self.words)
        words[words.index("out.h5:/f")] = "one.h5:/f"
        self.tool(*words, "-O")
        for name in ("f", "time"):
            np.testing.assert_array_equal(self.read(f"out.h5:/{name}").view(np.uint8),
                                          self.read(f"one.h5:/{name}").view(np.uint8))
        self.assertEqual(self.left_over(), [])


class Parts(PartsCase):
    def test_bytes_of_one_process(self):
        for parts in (1, 2, 3, 7):
            for number in reversed(range(parts)):
                self.assertFalse((self.folder / "out.h5").exists())
                report = json.loads(self.part(f"{number}/{parts}", "--json").stdout)["run"]["part"]
                self.assertEqual((report["number"], report["of"]), (number, parts))
                self.assertEqual(report["is_whole"], number == 0)
            self.expect_whole()
            (self.folder / "out.h5").unlink()

    def test_problems(self):
        self.write("in.h5", "epochs", values=np.array([[0, 1000], [1003, 1009], [1500, 5990]]))
        for options in (("--epochs", "in.h5:/epochs", "--every", "5"), ("--border", "valid"),
                        ("--time", "1000:3000", "--border", "zero"), ("--method", "fft"),
                        ("--type", "double", "--no-shift"), ("--budget", "1MiB")):
            words = (*self.words, *options)
            for number in range(3):
                self.part(f"{number}/3", words=words)
            self.expect_whole(words)
            (self.folder / "out.h5").unlink()

    def test_damaged_rows_of_other_parts(self):
        """The last part checks the data of the others before the file gets its name."""
        self.part("0/3")
        self.part("2/3")
        path = self.folder / "out.h5.part"
        with h5py.File(path, "r", locking=False) as file:
            first = file["f"].id.get_offset()
            row_bytes = file["f"].nbytes // len(file["f"])
        data = bytearray(path.read_bytes())
        data[first + 900 * row_bytes + 2] ^= 0x40
        path.write_bytes(data)
        said = self.part("1/3", code=1).stderr
        self.assertIn("of other parts do not match their checksums", said)
        self.assertFalse((self.folder / "out.h5").exists())
        self.part("0/3")
        self.expect_whole()

    def test_a_part_without_a_whole_window(self):
        self.counts(40, 2, name="short.h5")
        words = ("convolve", "short.h5:/x", "out.h5:/f", *BANK)
        for number in range(10):           # rows 0 to 8 have no complete window
            self.part(f"{number}/10", words=words)
        self.expect_whole(words)

    def test_twenty_rounds_of_kills(self):
        random = np.random.default_rng(20261126)
        self.counts(2000, 2, name="small.h5")
        words = [{"in.h5:/x": "small.h5:/x", "500,,": "200,,"}.get(word, word)
                 for word in self.words]
        killed = 0
        for _ in range(20):
            for _ in range(int(random.integers(1, 3))):
                of = int(random.integers(1, 5))
                part = f"{random.integers(of)}/{of}"
                ended_at = {"LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"],
                            "ENDED_AT": str(random.integers(1, 200)),
                            "ENDED_WITHIN": str(random.integers(2))}
                done = subprocess.run([PROGRAM, *words, "--part", part, "--quiet"], cwd=self.folder,
                                      capture_output=True, text=True,
                                      env=self.environment(**ended_at))
                self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
                killed += done.returncode != 0
            of = int(random.integers(1, 5))
            for number in random.permutation(of):
                self.part(f"{number}/{of}", words=words)
            self.expect_whole(words)
            (self.folder / "out.h5").unlink()
        self.assertGreater(killed, 12)

    def test_a_part_that_comes_while_the_file_gets_its_name(self):
        log = self.folder / "log"
        for number in range(2):
            self.part(f"{number}/2", environment={"LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"],
                                                  "CALLS_LOG": str(log)})
            if number == 0:
                log.unlink()
        calls = [line.split()[0] for line in log.read_text().splitlines()]
        log.unlink()
        (self.folder / "out.h5").unlink()
        last = len(calls) - calls[::-1].index("rename")
        for call in (last - 3, last - 2, last - 1, last):       # starting with the record of its end
            self.part("0/2")
            run = self.held(call, *self.words, "--part", "1/2", "--quiet")
            late = subprocess.Popen([PROGRAM, *self.words, "--part", "0/2"], cwd=self.folder,
                                    env=self.environment(), stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, text=True)
            self.end_with_test(late)
            self.release()
            _, errors = run.communicate()
            self.assertEqual((run.returncode, errors), (0, ""))
            _, errors = late.communicate()
            self.assertEqual(late.returncode, 0, errors)
            self.expect_whole()
            (self.folder / "out.h5").unlink()

    def test_at_the_same_time(self):
        runs = [subprocess.Popen([PROGRAM, *self.words, "--part", f"{number}/4", "--quiet"],
                                 cwd=self.folder, env=self.environment(), stderr=subprocess.PIPE,
                                 text=True) for number in range(4)]
        for run in runs:
            self.end_with_test(run)
        self.assertEqual([(run.wait(), run.stderr.read()) for run in runs], [(0, "")] * 4)
        self.expect_whole()

    def test_design(self):
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "in.h5:/x"\n'
            '[bases.b]\ntype = "raised-cosine-log"\nbases = 4\nwindow = 9\n'
            '[[terms]]\nname = "all"\ninput = "x"\nbasis = "b"\n')
        words = ("features", "design.toml", "out.h5:/f", "--batch-samples", "500")
        for number in (1, 0, 2):
            self.part(f"{number}/3", words=words)
        self.expect_whole(words)

    def test_killed_and_resumed_by_another_number_of_parts(self):
        for call in (3, 8, 15, 30, 45):
            for torn in ("0", "1"):
                done = subprocess.run([PROGRAM, *self.words, "--part", "1/2"], cwd=self.folder,
                                      capture_output=True, text=True,
                                      env=self.environment(LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                                           ENDED_AT=str(call), ENDED_WITHIN=torn))
                self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
                self.assertFalse((self.folder / "out.h5").exists())
                for number in range(3):
                    self.part(f"{number}/3")
                self.expect_whole()
                (self.folder / "out.h5").unlink()

    def test_held_while_others_work(self):
        run = self.held(40, *self.words, "--part", "0/3")    # in the middle of its rows
        self.refused_part("0/3", says=["another process", "is writing rows", "part 0/3"])
        self.refused_part("0/1", says="another process")
        self.part("1/3")
        shares = self.json("info", "out.h5.part")["shares"]
        states = {share["state"] for share in shares}
        self.assertEqual(states, {"being written", "whole", "not begun"})
        mine = [share for share in shares if share["state"] == "being written"]
        self.assertEqual({share["process"] for share in mine}, {run.pid})
        self.assertEqual(mine[0]["first_row"], 0)
        text = self.tool("info", "out.h5.part").stdout
        self.assertIn(f"being written; process {run.pid} on ", text)
        run.send_signal(signal.SIGKILL)                      # while it is held
        run.wait()
        (self.folder / "held").unlink()
        states = {share["state"] for share in self.json("info", "out.h5.part")["shares"]}
        self.assertEqual(states, {"stopped", "whole", "not begun"})
        self.part("2/3")
        self.assertFalse((self.folder / "out.h5").exists())
        self.part("0/1")
        self.expect_whole()

    def test_the_maker_is_killed(self):
        for call in range(1, 12):
            run = self.held(call, *self.words, "--part", "0/2", "--quiet")
            run.kill()
            run.wait()
            (self.folder / "held").unlink()
            self.part("1/2")
            self.part("0/2")
            self.expect_whole()
            (self.folder / "out.h5").unlink()

    def test_stopped_by_a_signal(self):
        run = self.held(40, *self.words, "--part", "0/2", SYNELIX_GRACE_SECONDS="60")
        run.send_signal(signal.SIGTERM)
        self.release()
        output, errors = run.communicate()
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, errors)
        self.assertIn("out.h5.part is kept, and the same command goes on with this part", errors)
        text = self.tool("info", "out.h5.part").stdout
        self.assertIn("failed; process", text)
        self.assertIn("cancelled after", text)
        report = self.part("1/2").stderr
        self.assertIn("other parts have", report)
        self.assertIn("failed: stream: cancelled", report)
        self.part("0/2")
        self.expect_whole()

    def test_stopped_in_the_middle_of_its_work(self):
        run = self.held(40, *self.words, "--part", "0/2", SYNELIX_GRACE_SECONDS="0")
        run.send_signal(signal.SIGTERM)
        _, errors = run.communicate()
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, errors)
        self.assertIn("in the middle of its work; ", errors)
        self.assertIn("out.h5.part is kept, and the same command goes on with this part", errors)
        self.assertNotIn("--resume", errors)
        (self.folder / "held").unlink()
        for number in range(2):
            self.part(f"{number}/2")
        self.expect_whole()

    def refused_part(self, part, says, words=None, code=1):
        done = self.tool(*(words or self.words), "--part", part, code=code)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)

    def test_another_window_or_input(self):
        self.part("0/2")
        words = [word if word != "9" else "8" for word in self.words]
        self.refused_part("1/2", words=words, says=["window 9", "window 8", "out.h5.part"])
        self.counts(6000, 3, seed=2, name="other.h5")
        words = [word.replace("in.h5", "other.h5") for word in self.words]
        self.refused_part("1/2", words=words, says=["input changed"])
        self.part("1/2")
        self.expect_whole()

    def test_runs_without_parts(self):
        self.part("0/2")
        done = self.tool(*self.words, "--resume", code=1)
        self.assertIn("this output is written in parts", done.stderr)
        for options in ((), ("-O",)):
            done = self.tool(*self.words, *options, code=1)
            self.assertIn("out.h5.part: this output is written in parts", done.stderr)
            self.assertIn("remove this file to begin anew", done.stderr)
        done = self.tool("simulate", "out.h5:/x", "--samples", "100", "--channels", "2", code=1)
        self.assertIn("this output is written in parts", done.stderr)
        self.part("1/2")
        self.expect_whole()
        self.assertIn("finished already", self.part("1/2").stderr)

    def test_an_output_that_stands_there(self):
        self.write("out.h5", "other", values=np.arange(3.0))
        self.refused_part("0/2", says="existing")
        self.part("0/2", "-O")
        np.testing.assert_array_equal(self.read("out.h5:/other"), np.arange(3.0))
        self.part("1/2", "-O")
        self.expect_whole()

    def test_refusals(self):
        for option in (("--chunk", "64x3x4"), ("--append",)):
            done = self.part("0/2", *option, code=2)
            self.assertIn(f"{option[0]}: it is given beside --part", done.stderr)
        for part, says in (("2/2", "0/2 to 1/2"), ("-1/2", "part"), ("1", "I/N"), ("0/0", "I/N"),
                           ("0/70000", "65536"), ("a/b", "I/N")):
            self.assertIn(says, self.part(part, code=2).stderr)
        self.assertEqual(self.left_over(), [])

    def test_auto(self):
        self.refused_part("auto", says=["no variable of a scheduler", "--part NUMBER/PARTS"])
        batch = {"SLURM_PROCID": "0", "SLURM_NTASKS": "2", "SLURM_JOB_ID": "7"}
        done = self.part("auto", code=1, environment=batch)
        self.assertIn("no step of Slurm", done.stderr)
        self.assertEqual(self.left_over(), [])
        for rank in ("1", "0"):
            done = self.part("auto", environment={**batch, "SLURM_PROCID": rank,
                                                  "SLURM_STEP_NUM_TASKS": "2"})
            self.assertIn(f"this is part {rank}/2, as SLURM_PROCID and SLURM_STEP_NUM_TASKS say",
                          done.stderr)
        self.expect_whole()


if __name__ == "__main__":
    unittest.main(verbosity=2)
