#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs a program synelix that was installed from an archive, and compares its output with NumPy.

    first_output.py --version X.Y.Z --revision COMMIT [--seen-as FOLDER] FOLDER PROGRAM...

The program runs in FOLDER. With --seen-as, FOLDER has that name for it, as in another root.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np

BANK = ("--basis", "raised-cosine-log", "--bases", "5", "--window", "40")


def expected(samples, taps):
    """Windows of the newest 40 samples times taps, one sample later, as NeMoS shifts them."""
    window = len(taps)
    features = np.full((len(samples), samples.shape[1], taps.shape[1]), np.nan)
    for channel in range(samples.shape[1]):
        for basis in range(taps.shape[1]):
            sums = np.convolve(samples[:, channel], taps[:, basis], mode="valid")
            features[window:, channel, basis] = sums[:-1]
    return features


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--revision", required=True)
    parser.add_argument("--seen-as", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("program", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    folder = arguments.seen_as or arguments.folder.resolve()

    def synelix(*words):
        done = subprocess.run([*arguments.program, *words], cwd=arguments.folder, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"synelix {' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    line = synelix("--version")
    print(line.strip())
    if not re.match(rf"synelix {re.escape(arguments.version)} \(revision {arguments.revision}, ", line):
        sys.exit(f"it is not version {arguments.version} of revision {arguments.revision}")
    synelix("simulate", f"{folder}/in.h5:/x", "--samples", "20000", "--channels", "6", "--seed", "1")
    synelix("basis", *BANK, "-o", f"{folder}/bank.h5:/b")
    synelix("convolve", f"{folder}/in.h5:/x", f"{folder}/out.h5:/f", *BANK, "--type", "double", "--budget", "1MiB")
    with h5py.File(arguments.folder / "in.h5") as data, h5py.File(arguments.folder / "bank.h5") as bank, \
            h5py.File(arguments.folder / "out.h5") as out:
        samples, taps = data["x"][...].astype(np.float64), bank["b"][...].astype(np.float64)
        np.testing.assert_allclose(out["f"][...], expected(samples, taps), rtol=1e-12, atol=1e-12)
        revision = out["f"].attrs["synelix_revision"]
    if revision != arguments.revision:
        sys.exit(f"out.h5 names the revision {revision}, not {arguments.revision}")
    print(synelix("info").strip())


if __name__ == "__main__":
    main()
