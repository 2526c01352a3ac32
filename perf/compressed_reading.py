#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How fast the program reads compressed chunks, against h5py in the same run.

    compressed_reading.py TOOL [FOLDER] > perf/results/NAME.json

Makes int16 samples (409600, 128) in chunks (81920, 32), shuffle and deflate 1, as converters to NWB
write them, and reads them in blocks of 4096 samples: h5py with its default chunk cache and with one
of 32 MiB, and the program with room for a row of chunks and without; then the program with blocks
of its own choice. Seconds are the least of three; of the program, those spent inside its source.
"""
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import h5py
import numpy as np

SAMPLES, CHANNELS, BLOCK, REPEATS = 409600, 128, 4096, 3


def make(path):
    random, t = np.random.default_rng(0), np.arange(SAMPLES)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("x", (SAMPLES, CHANNELS), "i2", chunks=(81920, 32),
                                   shuffle=True, compression="gzip", compression_opts=1)
        for c in range(0, CHANNELS, 32):
            wave = 200 * np.sin(0.01 * t[:, None] + np.arange(c, c + 32))
            data[:, c:c + 32] = wave + random.normal(0, 30, (SAMPLES, 32))


def by_h5py(path, **cache):
    with h5py.File(path, "r", **cache) as file:
        data = file["x"]                              # once: the cache is lost with it
        start = time.perf_counter()
        for t in range(0, SAMPLES, BLOCK):
            data[t:t + BLOCK]
        return time.perf_counter() - start


def by_tool(tool, path, folder, *words):
    done = subprocess.run(
        [tool, "convolve", f"{path}:/x", f"{folder}/out.h5:/f", "--basis", "history", "--window",
         "1", "--no-shift", "--every", "64", "-O", "--json", "--quiet", *words],
        check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["run"]["seconds_read"]


def main():
    tool = sys.argv[1]
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) > 2 else None) as folder:
        path = Path(folder) / "x.h5"
        make(path)
        cases = {
            "h5py, default cache": lambda: by_h5py(path),
            "h5py, cache of 32 MiB": lambda: by_h5py(path, rdcc_nbytes=32 << 20,
                                                     rdcc_nslots=10007, rdcc_w0=1.0),
            "synelix, blocks of 4096, 512 MiB": lambda: by_tool(
                tool, path, folder, "--budget", "512MiB", "--batch", f"{BLOCK},,"),
            "synelix, blocks of 4096, 24 MiB": lambda: by_tool(
                tool, path, folder, "--budget", "24MiB", "--batch", f"{BLOCK},,"),
            "synelix, its own blocks, 512 MiB": lambda: by_tool(
                tool, path, folder, "--budget", "512MiB"),
            "synelix, its own blocks, 64 MiB": lambda: by_tool(
                tool, path, folder, "--budget", "64MiB"),
            "synelix, its own blocks, 24 MiB": lambda: by_tool(
                tool, path, folder, "--budget", "24MiB"),
        }
        seconds = {name: [] for name in cases}
        for _ in range(REPEATS):                      # in turn, so that other load affects all
            for name, case in cases.items():
                seconds[name].append(case())
    least = {name: min(values) for name, values in seconds.items()}
    cached = least["h5py, cache of 32 MiB"]
    print(json.dumps({
        "bytes": 2 * SAMPLES * CHANNELS, "hdf5": h5py.version.hdf5_version,
        "machine": platform.processor() or platform.machine(), "load": os.getloadavg(),
        "cases": {name: {"seconds": round(s, 4), "mb_per_second": round(2e-6 * SAMPLES * CHANNELS / s),
                         "times_h5py_with_cache": round(s / cached, 2)}
                  for name, s in least.items()},
    }, indent=2))


if __name__ == "__main__":
    main()
