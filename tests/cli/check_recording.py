#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spike trains of a recording through the tool, against an independent computation.

    check_recording.py TOOL edges      a made file whose spikes lie on, just below and just above
                                       the edges of bins
    check_recording.py TOOL A8604      the recording A8604.nwb of the folder SYNELIX_TEST_DATA; the
                                       figures below are those of pynapple's count(bin, ep), which
                                       agreed with features_reference.py in every bin

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


def run(*command):
    print("+", *command, flush=True)
    subprocess.run([str(part) for part in command], check=True)


def tool_counts(tool, recording, bin_text, folder):
    """Counts through the tool: a bank of one tap that is 1, not shifted, leaves them as they are."""
    bank, output = folder / "one.h5", folder / f"counts_{bin_text}.h5"
    with h5py.File(bank, "w") as file:
        file["taps"] = np.ones((1, 1))
    run(tool, "convolve", recording, f"{output}:/counts", "--units", "--bin", bin_text, "--bank",
        f"{bank}:/taps", "--no-shift", "--quiet")
    counts = reference.read(f"{output}:/counts")
    assert counts.shape[2] == 1 and np.isfinite(counts).all(), counts.shape
    assert (counts == np.rint(counts)).all()
    return counts[:, :, 0].astype(np.int64)


def expect_equal(name, found, expected):
    if found != expected:
        sys.exit(f"{name}: found {found}, expected {expected}")
    print(f"{name}: {found}")


def check_a8604(tool, folder):
    data = os.environ.get("SYNELIX_TEST_DATA")
    if not data:
        print("skipped: SYNELIX_TEST_DATA, the folder of A8604.nwb, is not set")
        sys.exit(77)
    recording = Path(data) / "A8604.nwb"
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
        {"edges": check_edges, "A8604": check_a8604}[what](tool, Path(folder))


if __name__ == "__main__":
    main()
