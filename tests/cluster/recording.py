# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A test with a recording in a separate folder, and the output of one process."""
import os
import pathlib
import subprocess
import unittest

import h5py
import numpy as np

import page
from runs import Runs, TooFast
from slurm import Job

OPTIONS = ("--basis", "raised-cosine-log", "--bases", "8", "--window", "2s")   # as in the page
DATASETS = ("features", "time", "channel")
LARGEST = 4                             # times that a problem is doubled where runs are too fast to be held


class RecordingCase(unittest.TestCase):
    """A test that holds a run in mid-run is a function that attempt() calls, with more work until it can."""

    samples = 200_000

    def prepare(self, samples):
        self.size = samples
        self.folder = pathlib.Path(os.environ["CLUSTER_FOLDER"]) / f"{self._testMethodName}-{samples}"
        self.folder.mkdir()
        self.scripts = page.write_scripts(self.folder)
        self.runs = Runs(self.folder, os.environ["CLUSTER_SYNELIX"])
        self.recordings = {}
        self.write_recording("recording.h5", samples, seed=1)
        environment = {"PATH": f"{self.runs.path}:{os.environ['CLUSTER_PYTHON']}:{self._path}",
                       "IN": str(self.folder / "recording.h5:/samples"), "OUT": str(self.folder / "features.h5:/features"),
                       "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder),
                       "OMP_PROC_BIND": "false", "OMP_WAIT_POLICY": "passive"}
        os.environ.update(environment)

    def write_recording(self, name, samples, seed):
        """At 20 kHz, so that a window of 2 s has 40,000 samples."""
        (self.folder / name).parent.mkdir(exist_ok=True)
        with h5py.File(self.folder / name, "w") as file:
            counts = np.random.default_rng(seed).poisson(0.3, (samples, 2)).astype("int16")
            file.create_dataset("samples", data=counts).attrs["rate_hz"] = 20000.0
        self.recordings[name] = (samples, seed)

    def setUp(self):
        self._path = os.environ["PATH"]
        self.addCleanup(os.environ.update, PATH=self._path)

    def attempt(self, test):
        for doubled in range(LARGEST + 1):
            self.prepare(self.samples << doubled)
            try:
                return test()
            except TooFast:
                subprocess.run(["scancel", "--quiet", "--user", str(os.getuid())], check=False)
        self.fail("no problem was large enough to hold a run in the middle of its work")

    def submit(self, script, *options):
        self.assertIn(script, self.scripts, "docs/clusters.md has no such script")
        job = Job.submit(script, self.folder, *options)
        self.job = int(job.name)        # of whose runs hold() takes one
        return job

    def hold(self, **wanted):
        return self.runs.hold(job=self.job, **wanted)

    def program(self, *words):
        done = subprocess.run([str(self.runs.path / "synelix"), *words], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, "\n".join(run.text() for run in self.runs.all(job=0)))
        return done.stdout

    def ledger(self):
        """The report on an unfinished output."""
        program = os.environ["CLUSTER_SYNELIX"]
        return subprocess.run([program, "info", str(self.folder / "features.h5.part")], capture_output=True, text=True).stdout

    def alone(self, recording):
        """The output of one process without an interruption: computed once for all tests."""
        samples, seed = self.recordings[recording]
        path = pathlib.Path(os.environ["CLUSTER_FOLDER"]) / f"alone-{samples}-{seed}.h5"
        if not path.exists():
            self.program("convolve", f"{recording}:/samples", f"{path}:/features", *OPTIONS)
        return path

    def require_same(self, output="features.h5", recording="recording.h5"):
        """The output has the bytes of one process, and nothing is left beside it."""
        self.assertEqual(list(self.folder.glob(output + ".part*")), [])
        with h5py.File(self.alone(recording)) as expected, h5py.File(self.folder / output) as found:
            for name in DATASETS:
                self.assertEqual(expected[name].dtype, found[name].dtype)
                self.assertEqual(expected[name][...].tobytes(), found[name][...].tobytes(), name)
