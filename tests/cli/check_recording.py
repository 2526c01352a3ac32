#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spike trains of a recording through the tool, against an independent computation.

    check_recording.py TOOL edges      a made file whose spikes lie on, just below and just above
                                       the edges of bins
    check_recording.py TOOL A8604      the recording A8604.nwb of the folder SYNELIX_TEST_DATA; the
                                       figures below are those of pynapple's count(bin, ep), which
                                       agreed with features_reference.py in every bin
    check_recording.py TOOL intervals  the same within four made tables of intervals

Exit status 77: h5py or numpy is missing, or SYNELIX_TEST_DATA is not set.
"""
import os
import subprocess
import sys
import tempfile
from decimal import Decimal
from pathlib import Path

sys.dont_write_bytecode = True

try:
    import h5py
    import numpy as np

    import features_reference as reference
except ImportError as error:
    print("skipped:", error)
    sys.exit(77)

# pynapple 0.11.4, units.count(bin, ep=epochs); sha256 of the counts (row, unit) as int64.
A8604 = {
    "10ms": {"rows": 108753, "spikes": [11020, 4690, 5644], "occupied": [10631, 3870, 5530],
             "most": 4,
             "sha256": "6c84c0385f047e7f8ad2d551cf49460de582c9bc59f9f1cb60046766475f812e"},
    "1ms": {"rows": 1087529, "spikes": [11020, 4690, 5644], "occupied": [11020, 4657, 5641],
            "most": 2,
            "sha256": "08450ca2052295f38553f7d1f67c51b58f4fb0c15d210e3fba88b69b6667bbd9"},
}

# The same of units.count(bin, ep=IntervalSet(start, end)), the units' time_support made wide enough
# to hold every interval; with pynapple 0.11.4 and each table of intervals_of_tables().
INTERVALS = {
    ("edges", "10ms"): {"rows": 45000, "spikes": [4757, 2049, 2321],
        "occupied": [4585, 1696, 2279], "most": 4,
        "sha256": "3531d09372df75026e1db794f5e905aa3259a00f1db2a01e223a2145631b430f"},
    ("edges", "1ms"): {"rows": 450000, "spikes": [4757, 2049, 2321],
        "occupied": [4757, 2033, 2319], "most": 2,
        "sha256": "bb0048aba13efb10c3e78a5c66f197c62e483fd0c94f37e550372e2e49cd787a"},
    ("short", "10ms"): {"rows": 55, "spikes": [4, 1, 2],
        "occupied": [3, 1, 2], "most": 2,
        "sha256": "cba02c15c84de34331e082fe5fa3cd91255cc1c1cefa0e43b30bab0a3877bcdb"},
    ("short", "1ms"): {"rows": 557, "spikes": [4, 1, 2],
        "occupied": [4, 1, 2], "most": 1,
        "sha256": "8964b05367d6414535028116133330e2c8a04447bd3a2c465e9a30044a37196e"},
    ("many", "10ms"): {"rows": 56671, "spikes": [5733, 2477, 2976],
        "occupied": [5527, 2068, 2902], "most": 4,
        "sha256": "ffa455fcce9fb5b53f0ac3dbbc115a5b067736b2d4b77a063ced05bc94698902"},
    ("many", "1ms"): {"rows": 566706, "spikes": [5750, 2489, 2987],
        "occupied": [5750, 2476, 2986], "most": 2,
        "sha256": "8608aff9c460a1f78c24734c2413e7e0deb8b79fd9fb7cbc285cdf2a23aebe87"},
    ("touching", "10ms"): {"rows": 108010, "spikes": [10946, 4652, 5595],
        "occupied": [10561, 3902, 5481], "most": 4,
        "sha256": "e3b4932b2ffaee745d26225fbaf5a7b737e93f5c1f26616436d0ae62c5d3a2c2"},
    ("touching", "1ms"): {"rows": 1086100, "spikes": [11017, 4679, 5635],
        "occupied": [11017, 4646, 5632], "most": 2,
        "sha256": "f4af52a384515411b079832b49b0c465d962953ca0222d4e63b7d2bd0f724fb8"},
}


def intervals_of_tables():
    """Made tables (start, stop) in seconds, their times with at most nine decimals."""
    k, n, m = np.arange(60), np.arange(2000), np.arange(1200)
    on_edges = k * 18.0 + 0.25
    short = 100 + k * 0.73
    many = 0.0137 + n * 0.5437
    touching = np.append(m * 0.905, 1200 * 0.905 + 0.1)
    return {
        # both ends of all of them are on edges of 10 ms bins, as are spikes of a 30 kHz clock
        "edges": np.round(np.stack([on_edges, on_edges + 7.5], 1), 9),
        # from 0.4 to 18.1 ms: shorter than half a bin, than a bin, than two
        "short": np.round(np.stack([short, short + 0.0004 + 0.0003 * k], 1), 9),
        "many": np.round(np.stack([many, many + 0.1 + 0.0131 * (n % 29)], 1), 9),
        # each ends where the next begins, at the center of a 10 ms bin
        "touching": np.round(np.stack([touching[:-1], touching[1:]], 1), 9),
    }


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)


def tool_counts(tool, recording, bin_text, folder, *more):
    """Counts through the tool: a bank of one tap that is 1, not shifted, leaves them as they are."""
    bank, output = folder / "one.h5", folder / f"counts_{bin_text}.h5"
    with h5py.File(bank, "w") as file:
        file["taps"] = np.ones((1, 1))
    run(tool, "convolve", recording, f"{output}:/counts", "--units", "--bin", bin_text, "--bank",
        f"{bank}:/taps", "--no-shift", "--quiet", "-O", *more)
    counts = reference.read(f"{output}:/counts")
    assert counts.shape[2] == 1 and np.isfinite(counts).all(), counts.shape
    assert (counts == np.rint(counts)).all()
    return counts[:, :, 0].astype(np.int64)


def expect_equal(name, found, expected):
    if found != expected:
        sys.exit(f"{name}: found {found}, expected {expected}")
    print(f"{name}: {found}")


def a8604():
    data = os.environ.get("SYNELIX_TEST_DATA")
    if not data:
        print("skipped: SYNELIX_TEST_DATA, the folder of A8604.nwb, is not set")
        sys.exit(77)
    return Path(data) / "A8604.nwb"


def check_intervals(tool, folder):
    recording = a8604()
    times, _ = reference.read_units(recording)
    made = folder / "made.nwb"
    random = np.random.default_rng(5)
    with h5py.File(made, "w") as file:
        for name, table in intervals_of_tables().items():
            shuffled = random.permutation(len(table))          # tables need not be in order
            group = file.create_group(f"intervals/{name}")
            group["start_time"], group["stop_time"] = table[shuffled].T
            group["id"] = np.arange(len(table))
    for name, table in intervals_of_tables().items():
        for bin_text, seconds in (("10ms", 0.01), ("1ms", 0.001)):
            counts = tool_counts(tool, recording, bin_text, folder, "--intervals",
                                 f"{made}:/intervals/{name}")
            expect_equal(f"{name}, {bin_text}", reference.figures(counts),
                         INTERVALS[name, bin_text])
            starts = np.concatenate([
                start + seconds * np.arange(reference.bins_in(start, stop, seconds))
                for start, stop in reference.shortened(table)])
            found = reference.read(f"{folder}/counts_{bin_text}.h5:/time")
            if reference.compare("time", starts, found, 1e-9):
                sys.exit(1)
            by_rule = np.concatenate([reference.bin_spikes(times, tuple(interval), seconds)
                                      for interval in reference.shortened(table)])
            if reference.compare(f"{name}, {bin_text}", by_rule, counts, 0):
                sys.exit(1)


def check_a8604(tool, folder):
    recording = a8604()
    for bin_text, seconds, window in (("10ms", 0.01, 10), ("1ms", 0.001, 100)):
        counts = tool_counts(tool, recording, bin_text, folder)
        expect_equal(bin_text, reference.figures(counts), A8604[bin_text])
        output = folder / f"features_{bin_text}.h5"
        run(tool, "convolve", recording, f"{output}:/features", "--units", "--bin", bin_text,
            "--basis", "raised-cosine-log", "--bases", 8, "--window", window, "--quiet")
        expected = reference.features_of(
            reference.bin_spikes(*reference.read_units(recording), seconds),
            reference.raised_cosines(window, 8))
        if reference.compare("features", expected, reference.read(f"{output}:/features"), 1e-5):
            sys.exit(1)


def edge(k):
    """Edge k of bins of 1 ms: the double nearest to k / 1000."""
    return float(Decimal(k) / 1000)


def check_edges(tool, folder):
    """Each edge of bins of 1 ms in three ways; expected counts follow from how it was made."""
    rows = 4000
    expected = np.zeros((rows, 3), np.int64)
    times = [[], [], []]
    for k in range(rows):
        times[0].append(edge(k))
        expected[k, 0] += 1
        if k > 0:
            times[1].append(np.nextafter(edge(k), 0))
            expected[k - 1, 1] += 1
        times[2] += [np.nextafter(edge(k), 9)] * (k % 3)
        expected[k, 2] += k % 3
    recording = folder / "edges.nwb"
    with h5py.File(recording, "w") as file:
        file.attrs.update(nwb_version="2.4.0", neurodata_type="NWBFile", namespace="core")
        units = file.create_group("units")
        units.attrs.update(colnames=["spike_times"], neurodata_type="Units", namespace="core",
                           description="spikes on the edges of bins")
        units["id"] = np.array([4, 2, 9])
        units["spike_times"] = np.concatenate(times)
        units["spike_times_index"] = np.cumsum([len(t) for t in times]).astype(np.uint32)
        units["spike_times"].attrs.update(neurodata_type="VectorData", namespace="hdmf-common")
        units["spike_times_index"].attrs.update(neurodata_type="VectorIndex",
                                                namespace="hdmf-common",
                                                target=units["spike_times"].ref)
        epochs = file.create_group("intervals/epochs")
        epochs["start_time"], epochs["stop_time"] = [0.0], [edge(rows)]
    for bin_text, seconds, width in (("1ms", 0.001, 1), ("10ms", 0.01, 10)):
        counts = tool_counts(tool, recording, bin_text, folder)
        wide = expected.reshape(rows // width, width, 3).sum(axis=1)
        by_rule = reference.bin_spikes(*reference.read_units(recording), seconds)
        if not np.array_equal(by_rule, wide):
            sys.exit(f"{bin_text}: the reference is wrong")
        if reference.compare(bin_text, wide, counts, 0):
            sys.exit(1)


def main():
    tool, what = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        {"edges": check_edges, "A8604": check_a8604, "intervals": check_intervals}[what](tool, Path(folder))


if __name__ == "__main__":
    main()
