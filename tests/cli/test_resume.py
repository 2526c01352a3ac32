# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--resume: runs that are killed, stopped or rejected, and the next runs."""
import json
import os
import random
import shutil
import signal
import subprocess
import unittest

import h5py
import numpy as np

from tool import PROGRAM, ToolCase

BANK = ("--basis", "raised-cosine-log", "--bases", "4", "--window", "9")
SEED = 20_261_121


class ResumeCase(ToolCase):
    def environment(self, **more):
        environment = dict(super().environment(), OMP_PROC_BIND="false", **more)
        environment["OMP_NUM_THREADS"] = "1"
        return environment

    def run_tool(self, words, code=0, **environment):
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, env=self.environment(**environment))
        if code is not None:
            self.assertEqual(done.returncode, code, f"{words}\n{done.stdout}\n{done.stderr}")
        return done

    def run_until(self, words, call, torn=False):
        """Runs until the call-th change of a file; returns the lines of the previous changes. True if the run ended by
        itself."""
        log = self.folder / "calls.log"
        log.unlink(missing_ok=True)
        done = self.run_tool(words, None, LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                             ENDED_AT=str(call), ENDED_WITHIN="1" if torn else "0",
                             CALLS_LOG=str(log))
        self.assertIn(done.returncode, (0, -signal.SIGKILL), done.stderr)
        calls = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
        return done.returncode == 0, [(name, int(at), int(size)) for name, at, size in calls]

    def made(self, path):
        """Everything that the datasets of a run hold."""
        name, _, dataset = path.rpartition(":")
        with h5py.File(self.folder / name, "r") as file:
            features = file[dataset]
            names = features.attrs["coordinates"].split()
            return (features[...].tobytes(), file[names[0]][...].tobytes(),
                    file[names[1]][...].tobytes(), features.chunks, features.compression)

    def places(self, path):
        """The ranges of bytes of a file with a dataset's values."""
        name, _, dataset = path.rpartition(":")
        with h5py.File(self.folder / name, "r") as file:
            found = file[dataset].id
            chunks = [found.get_chunk_info(i) for i in range(found.get_num_chunks())]
        return [(chunk.byte_offset, chunk.byte_offset + chunk.size) for chunk in chunks]

    @staticmethod
    def bytes_in(calls, places):
        return sum(max(0, min(at + size, end) - max(at, begin))
                   for name, at, size in calls if name == "pwrite" for begin, end in places)

    def clear(self, *names):
        for name in names:
            for path in self.folder.glob(name):
                path.unlink()


class EveryCall(ResumeCase):
    """A run is killed at its first call that changes a file, at its second, and so on."""

    def check(self, *options, least, torn=False, before=None, most_redone=2):
        self.counts(400, 3)
        words = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, "--batch", "72,,", "--chunk",
                 "64x3x4", "--quiet", *options)
        self.clear("out.h5*")
        if before is not None:
            shutil.copy(self.folder / before, self.folder / "out.h5")
        self.run_tool(words)
        expected = self.made("out.h5:/f")
        places = self.places("out.h5:/f")
        value_bytes = 400 * 3 * 4 * 4
        block_bytes = 64 * 3 * 4 * 4
        blocks = 7                                       # of 64 rows
        kills = anew = 0
        for call in range(1, 1000):
            self.clear("out.h5*")
            if before is not None:
                shutil.copy(self.folder / before, self.folder / "out.h5")
            ended, first = self.run_until(words, call, torn)
            if ended:
                break
            kills += 1
            log = self.folder / "calls.log"
            log.unlink(missing_ok=True)
            done = self.run_tool((*[word for word in words if word != "--quiet"], "--resume",
                                  "--json"), None, LD_PRELOAD=os.environ["SYNELIX_ENDED_AT"],
                                 CALLS_LOG=str(log))
            self.assertEqual(done.returncode, 0, f"killed at call {call}: {done.stderr}")
            self.assertEqual(self.made("out.h5:/f"), expected, f"killed at call {call}")
            self.assertEqual(self.left_over(), [], f"killed at call {call}")
            report = json.loads(done.stdout)["run"]
            if report["was_finished"]:
                continue
            self.assertEqual(report["blocks"] + report["blocks_before"], blocks)
            anew += report["blocks_before"] == 0
            if "--filter" in options:
                continue
            second = [line.split() for line in log.read_text().splitlines()]
            second = [(name, int(at), int(size)) for name, at, size in second]
            written = self.bytes_in(first, places) + self.bytes_in(second, places)
            self.assertGreaterEqual(written, value_bytes)
            self.assertLessEqual(written - value_bytes, most_redone * block_bytes,
                                 f"killed at call {call}")
            self.assertEqual(report["bytes_written"], self.bytes_in(second, places))
        print(f"{options}: {kills} kills, {anew} before the first block was noted")
        self.assertGreaterEqual(kills, least)
        self.assertLess(anew, kills)

    def test_dense(self):
        self.check(least=40)

    def test_half_of_a_write(self):
        self.check(least=40, torn=True)

    def test_filtered(self):
        self.check("--filter", "shuffle,deflate:1", least=40)

    def test_appended(self):
        self.write("old.h5", "g/old", values=np.arange(2000.0))
        self.check("--append", least=40, before="old.h5")
        np.testing.assert_array_equal(self.read("out.h5:/g/old"), np.arange(2000.0))

    def test_appended_to_a_file_of_the_latest_format(self):
        with h5py.File(self.folder / "old.h5", "w", libver="latest") as file:
            file["time"] = np.arange(100)
        self.check("--append", least=30, before="old.h5")
        np.testing.assert_array_equal(self.read("out.h5:/time"), np.arange(100))


class OftenKilled(ResumeCase):
    """Twenty kills at random calls, each followed by a resumed run; the last one ends."""

    KILLS = 20

    def check(self, words, block_bytes, filtered=False):
        self.run_tool((*words, "whole.h5:/f", *BANK, "--quiet"))
        expected = self.made("whole.h5:/f")
        places = self.places("whole.h5:/f")
        words = (*words, "out.h5:/f", *BANK, "--quiet", "--resume")
        choose = random.Random(SEED)
        written = 0
        kills = 0
        while kills < self.KILLS:
            call = choose.randint(1, 40) + (30 if kills == 0 else 0)
            if filtered:               # existing data are taken over first
                call += choose.randint(30, 320)
            ended, calls = self.run_until(words, call, torn=choose.random() < 0.5)
            self.assertFalse(ended, f"no kill number {kills + 1}: the run is too short")
            written += self.bytes_in(calls, places)
            kills += 1
        ended, calls = self.run_until(words, 0)
        self.assertTrue(ended)
        written += self.bytes_in(calls, places)
        self.assertEqual(self.made("out.h5:/f"), expected)
        self.assertEqual(self.left_over(), [])
        redone = written - sum(end - begin for begin, end in places)
        if not filtered:
            print(f"{kills} kills, {redone / block_bytes:.1f} blocks redone")
            self.assertLessEqual(redone, 2 * kills * block_bytes)
        return written

    def test_dense(self):
        self.counts(12_800, 3)
        self.check(("convolve", "in.h5:/x", "--batch", "72,,", "--chunk", "64x3x4"), 64 * 3 * 4 * 4)

    def test_several_blocks_across(self):
        self.counts(3_200, 4)
        self.check(("convolve", "in.h5:/x", "--batch", "72,2,3", "--chunk", "64x4x4"),
                   64 * 2 * 3 * 4)

    def test_with_epochs(self):
        self.counts(12_800, 3)
        self.write("epochs.h5", "e", values=np.array([[0, 5000], [5003, 9000], [10_000, 12_790]]))
        self.check(("convolve", "in.h5:/x", "--epochs", "epochs.h5:/e", "--border", "valid",
                    "--batch", "72,,", "--chunk", "64x3x4"), 64 * 3 * 4 * 4)

    def test_events(self):
        times = [np.sort(np.random.default_rng(c).uniform(0, 128, 4000)) for c in range(3)]
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.4.0"
            units = file.create_group("units")
            units.attrs["colnames"] = np.array(["spike_times"], dtype=h5py.string_dtype())
            units["id"] = np.arange(3)
            units["spike_times"] = np.concatenate(times)
            units["spike_times_index"] = np.cumsum([len(t) for t in times]).astype(np.uint16)
        self.check(("convolve", "made.nwb", "--units", "--bin", "10ms", "--batch", "72,,",
                    "--chunk", "64x3x4"), 64 * 3 * 4 * 4)

    def test_filtered(self):
        self.counts(12_800, 3)
        self.check(("convolve", "in.h5:/x", "--batch", "72,,", "--chunk", "64x3x4", "--filter",
                    "deflate:1"), 64 * 3 * 4 * 4, filtered=True)


if __name__ == "__main__":
    unittest.main()
