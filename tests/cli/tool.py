# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of every test of the program: the program itself, a folder, and a slow reference."""
import json
import os
import pathlib
import select
import signal
import subprocess
import tempfile
import unittest

import h5py
import numpy as np

PROGRAM = os.environ.get("SYNELIX_TOOL", "synelix")
# LLVM's OpenMP begins as libraries are loaded, before the program: it makes a file, and reads its own variables.
HAS_LIBOMP = "libomp" in subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=False).stdout

# lag offset o of rows t: out[t] = sum over w of taps[w] * x[t + o - w]
OFFSETS = {
    ("causal", True): lambda window: -1,
    ("causal", False): lambda window: 0,
    ("anti-causal", True): lambda window: window,
    ("anti-causal", False): lambda window: window - 1,
    ("acausal", False): lambda window: window // 2,
}


def reference(series, taps, causality="causal", shift=True, border="nan", epochs=None, every=1):
    """Features by the explicit sum in float64: rows x channels x bases."""
    series = np.asarray(series, dtype=np.float64)
    samples, channels = series.shape
    window, bases = taps.shape
    offset = OFFSETS[causality, shift and causality != "acausal"](window)
    rows = []
    for begin, end in epochs if epochs is not None else [(0, samples)]:
        length = end - begin
        padded = np.zeros((length + 2 * window + 2, channels))     # zeros on either side
        padded[window + 1 : window + 1 + length] = series[begin:end]
        out = np.zeros((length, channels, bases))
        for w in range(window):
            first = window + 1 + offset - w
            out += padded[first : first + length, :, None] * taps[w][None, None, :]
        t = np.arange(length)
        whole = (t + offset - (window - 1) >= 0) & (t + offset <= length - 1)
        if border == "nan":
            out[~whole] = np.nan
        kept = out[whole] if border == "valid" else out
        rows.append((begin, end, kept[::every]))
    if border == "valid" or every != 1:
        return np.concatenate([kept for _, _, kept in rows])
    result = np.full((samples, channels, bases), np.nan)           # gaps between epochs are NaN
    for begin, end, kept in rows:
        result[begin:end] = kept
    return result


class ToolCase(unittest.TestCase):
    """A test with a separate folder, in which the program runs."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="synelix-cli-")
        self.addCleanup(self._folder.cleanup)
        self.folder = pathlib.Path(self._folder.name)

    def environment(self, **more):
        # Not the user's calibration.
        environment = {**os.environ, "OMP_NUM_THREADS": "2", "XDG_CONFIG_HOME": str(self.folder / "config"), **more}
        environment["PATH"] = os.path.dirname(PROGRAM) + os.pathsep + environment["PATH"]
        return environment

    def tool(self, *words, code=0, environment=None, **options):
        """Runs the program, and fails unless it ends with this code."""
        done = subprocess.run([PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                              capture_output=True, env=self.environment(**(environment or {})),
                              **options)
        self.assertEqual(done.returncode, code,
                         f"\n$ synelix {' '.join(map(str, words))}\nstdout: {done.stdout[-2000:]}"
                         f"\nstderr: {done.stderr[-2000:]}")
        return done

    def held(self, call, *words, ignored=(), **environment):
        """Starts the program, and returns it shortly before its call-th change of a file, or read with
        HELD_WHERE="read", or query of a clock with HELD_WHERE="clock". One of its threads waits there until `release`.
        Signals have their default action there, except those that should be ignored."""
        def set_signals():
            for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
                signal.signal(sent, signal.SIG_IGN if sent in ignored else signal.SIG_DFL)
        fifo = self.folder / "held"
        os.mkfifo(fifo)
        run = subprocess.Popen([PROGRAM, *map(str, words)], cwd=self.folder, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=set_signals,
                               env=self.environment(**{
                                   "LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"],
                                   "HELD_AT": str(call), "HELD_FIFO": str(fifo), **environment}))
        self.end_with_test(run)
        reached = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
        events = select.poll()
        events.register(reached)
        while not events.poll(50):                   # until the program has opened and closed it
            self.assertIsNone(run.poll(), f"the run was over before call {call}")
        os.close(reached)
        return run

    def end_with_test(self, run):
        """Kills a program that a failing test leaves: one that is held would never end."""
        def end():
            if run.poll() is None:
                run.kill()
                run.wait()
            for pipe in (run.stdout, run.stderr):
                if pipe is not None:
                    pipe.close()
        self.addCleanup(end)

    def release(self):
        """Lets the program of `held` go on."""
        with open(self.folder / "held", "wb"):
            pass
        (self.folder / "held").unlink()

    def in_namespace(self, script):
        """Runs a shell script as root of separate namespaces, or skips the test."""
        start = ["unshare", "--user", "--map-root-user", "--mount"]
        try:
            allowed = subprocess.run([*start, "true"], capture_output=True).returncode == 0
        except FileNotFoundError:
            allowed = False
        if not allowed:
            self.skipTest("no user namespaces here")
        return subprocess.run([*start, "sh", "-c", script], cwd=self.folder, text=True,
                              capture_output=True, env=self.environment(), timeout=300)

    def json(self, *words):
        return json.loads(self.tool(*words, "--json").stdout)

    def refused(self, *words, says, code=1):
        """Runs a command that must fail with one line on stderr that contains all of this."""
        done = self.tool(*words, code=code)
        self.assertEqual(done.stdout, "")
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1 if code == 1 else 2, done.stderr)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, lines[0])
        self.assertEqual(self.left_over(), [])
        return done

    def left_over(self):
        """Files of runs that did not end."""
        return [path.name for path in self.folder.iterdir() if ".part" in path.name]

    def write(self, name, dataset="x", **attributes):
        """Makes a file with one dataset; returns FILE:/dataset."""
        values = attributes.pop("values")
        options = attributes.pop("options", {})
        with h5py.File(self.folder / name, "a") as file:
            made = file.create_dataset(dataset, data=values, **options)
            made.attrs.update(attributes)
        return f"{name}:/{dataset}"

    def read(self, path):
        file, _, dataset = path.rpartition(":")
        with h5py.File(self.folder / file, "r") as opened:
            return opened[dataset][...]

    def attributes(self, path):
        file, _, dataset = path.rpartition(":")
        with h5py.File(self.folder / file, "r") as opened:
            return dict(opened[dataset].attrs)

    def counts(self, samples=1000, channels=5, seed=1, name="in.h5", **attributes):
        """A recording of Poisson counts in NAME:/x, and its values."""
        values = np.random.default_rng(seed).poisson(0.3, (samples, channels)).astype(np.uint8)
        attributes.setdefault("rate", 1000.0)
        return self.write(name, values=values, **attributes), values

    def taps(self, *words):
        return np.array(self.json("basis", *words)["taps"])

    def assert_features(self, found, expected, relative=1e-5):
        self.assertEqual(found.shape, expected.shape)
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        scale = np.nanmax(np.abs(expected)) if np.isfinite(expected).any() else 1.0
        np.testing.assert_allclose(found, expected, rtol=0, atol=relative * scale)


LOG8 = ("--basis", "raised-cosine-log", "--bases", "8", "--window", "20")
HISTORY1 = ("--basis", "history", "--window", "1", "--no-shift")
