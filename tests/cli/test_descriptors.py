# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Standard input, output and error that are closed: no message gets into a file."""
import itertools
import os
import subprocess
import unittest

import h5py
import numpy as np

from tool import PROGRAM, ToolCase

HISTORY3 = ("--basis", "history", "--window", "3")
CLOSED = [streams for number in range(4) for streams in itertools.combinations(range(3), number)]


class Closed(ToolCase):
    def run_closed(self, words, streams):
        """Runs the program with these of the descriptors 0 to 2 closed."""
        def close():
            for stream in streams:
                os.close(stream)
        return subprocess.run([PROGRAM, *words], cwd=self.folder, env=self.environment(),
                              stdin=subprocess.DEVNULL, capture_output=True, preexec_fn=close)

    def check(self, words, output, value):
        """Every combination, with and without --quiet, writes the output of an undisturbed run."""
        expected = None
        for quiet in ((), ("--quiet",)):
            for streams in CLOSED:
                with self.subTest(command=words[0], closed=streams, quiet=bool(quiet)):
                    done = self.run_closed((*words, *quiet), streams)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    found = value()
                    if not streams and not quiet:
                        expected = found
                        self.assertNotEqual(done.stderr, b"")
                    self.assertEqual(found, expected)
                    self.assertEqual(self.left_over(), [])
                    (self.folder / output).unlink()

    def test_convolve(self):
        path, _ = self.counts(6000, 8)
        self.check(("convolve", path, "out.h5:/f", *HISTORY3, "--budget", "400KiB", "--progress",
                    "json"), "out.h5", lambda: self.read("out.h5:/f").tobytes())

    def test_features(self):
        path, _ = self.counts(3000, 2)
        (self.folder / "design.toml").write_text(
            f'[inputs.x]\ndata = "{path}"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        self.check(("features", "design.toml", "out.h5:/f", "--progress", "json"), "out.h5",
                   lambda: self.read("out.h5:/f").tobytes())

    def test_simulate(self):
        self.check(("simulate", "out.h5:/x", "--samples", "1000", "--channels", "3", "--progress",
                    "json"), "out.h5", lambda: self.read("out.h5:/x").tobytes())

    def test_spike_trains(self):
        times = np.sort(np.random.default_rng(3).uniform(0, 20, 200))
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.6.0"
            file["units/id"] = np.arange(1)
            file["units/spike_times"] = times
            file["units/spike_times_index"] = np.array([len(times)])
        self.check(("convolve", "made.nwb", "out.h5:/f", "--units", "--bin", "1ms", *HISTORY3,
                    "--budget", "300KiB"), "out.h5", lambda: self.read("out.h5:/f").tobytes())

    def test_info(self):
        path, _ = self.counts(100, 2)
        before = (self.folder / "in.h5").read_bytes()
        for json, streams in itertools.product((False, True), CLOSED):
            with self.subTest(closed=streams, json=json):
                done = self.run_closed(("info", path, *(("--json",) if json else ())), streams)
                # The requested output cannot be printed if standard output is closed.
                self.assertEqual(done.returncode, 1 if 1 in streams else 0, done.stderr)
                if 1 in streams and 2 not in streams:
                    self.assertIn(b"stdout: cannot be written to", done.stderr)
                if 1 not in streams:
                    self.assertIn(b"/x", done.stdout)
                self.assertEqual((self.folder / "in.h5").read_bytes(), before)

    def test_an_error_keeps_its_code(self):
        for streams in CLOSED:
            with self.subTest(closed=streams):
                self.assertEqual(self.run_closed(("info", "none.h5"), streams).returncode, 1)
                self.assertEqual(self.run_closed(("info", "--none"), streams).returncode, 2)


if __name__ == "__main__":
    unittest.main()
