#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spike counts and features of a recording, computed with numpy and nothing of the library.

    features_reference.py RECORDING.nwb BIN_SECONDS [--window W] [--bases B] [--tolerance R]
        [--counts FILE.h5:/dataset] [--features FILE.h5:/dataset]

Bins the units of the file and compares what is given: counts, as `synelix convolve --units --bin`
gives them with a bank of one tap that is 1 and --no-shift, in every bin; features, as it gives them
with --basis raised-cosine-log and the same window and bases. Prints what it found, exit status 1
where something differs; without either it prints the figures of the recording.
"""
import argparse
import hashlib
import sys

import h5py
import numpy as np


def read_units(path):
    """Spike times of each unit, and the interval that binning without intervals covers."""
    with h5py.File(path) as file:
        units = file["units"]
        times = np.split(units["spike_times"][:], units["spike_times_index"][:-1].astype(int))
        ends = [t.max() for t in times if t.size]
        if "intervals/epochs" in file:
            ends.append(file["intervals/epochs/stop_time"][:].max())
        if "obs_intervals" in units:
            ends.append(units["obs_intervals"][:, 1].max())
    return times, (0.0, float(max(ends)))


def shortened(intervals):
    """Intervals in order of time; one that ends at the beginning of the next is 1e-6 s shorter."""
    intervals = np.array(intervals)[np.argsort(np.array(intervals)[:, 0])]
    touches = np.append(intervals[:-1, 1] == intervals[1:, 0], False)
    intervals[touches, 1] -= 1e-6
    return intervals


def bins_in(start, end, width):
    """Bins whose centre is no later than the end."""
    edges = np.round(start + width * np.arange(int((end - start) / width) + 3), 9)
    return int(np.count_nonzero(edges[:-1] + width / 2 <= end))


def bin_spikes(times, interval, width):
    """counts(row, unit). Edges are start + k width, each rounded to 1e-9 s; bin k holds
    edge_k <= t < edge_k+1 and exists where its centre is no later than the interval's end."""
    start, end = interval
    edges = np.round(start + width * np.arange(int((end - start) / width) + 3), 9)
    rows = bins_in(start, end, width)
    counts = np.zeros((rows, len(times)), np.int64)
    for unit, t in enumerate(times):
        inside = t[(t >= start) & (t <= end)]
        bins = np.searchsorted(edges, inside, side="right") - 1
        np.add.at(counts[:, unit], bins[bins < rows], 1)
    return counts


def raised_cosines(window, bases, width=2.0, time_scaling=50.0):
    """taps(w, b) of log-spaced raised cosines that end at 0."""
    u = np.arange(window) / max(window - 1, 1)
    last = (bases - 1) / (bases + width - 1)
    peaks = last * np.arange(bases) / (bases - 1)
    phase = np.pi * (np.log1p(time_scaling * u)[:, None] / np.log1p(time_scaling) - peaks)
    return (1 + np.cos(np.clip(phase / (width * peaks[1]), -np.pi, np.pi))) / 2


def features_of(counts, taps):
    """features(t, c, b) = sum over w of taps(w, b) counts(t - 1 - w, c); NaN in the first W rows."""
    window, bases = taps.shape
    features = np.full(counts.shape + (bases,), np.nan)
    for c in range(counts.shape[1]):
        for b in range(bases):
            whole = np.convolve(counts[:, c].astype(float), taps[:, b], mode="valid")
            features[window:, c, b] = whole[:-1]
    return features


def read(address):
    path, dataset = address.rsplit(":", 1)
    with h5py.File(path) as file:
        return file[dataset][:]


def compare(name, expected, found, tolerance):
    """Number of places that differ; NaN only matches NaN. Prints the first places."""
    if found.shape != expected.shape:
        print(f"{name}: shape {found.shape}, expected {expected.shape}")
        return 1
    same = (np.abs(found - expected) <= tolerance) | (np.isnan(found) & np.isnan(expected))
    for place in np.argwhere(~same)[:5]:
        print(f"{name}{tuple(map(int, place))}: {found[tuple(place)]}, expected {expected[tuple(place)]}")
    print(f"{name}: {int((~same).sum())} of {same.size} values differ, tolerance {tolerance:.2g}")
    return int((~same).sum())


def figures(counts):
    """Numbers that identify the counts of a recording."""
    return {
        "rows": counts.shape[0],
        "spikes": counts.sum(axis=0).tolist(),
        "occupied": np.count_nonzero(counts, axis=0).tolist(),
        "most": int(counts.max(initial=0)),
        "sha256": hashlib.sha256(counts.astype("<i8").tobytes()).hexdigest(),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("recording")
    parser.add_argument("bin", type=float)
    parser.add_argument("--window", type=int, default=100)
    parser.add_argument("--bases", type=int, default=8)
    parser.add_argument("--tolerance", type=float, default=1e-5, help="relative; of the features")
    parser.add_argument("--counts")
    parser.add_argument("--features")
    options = parser.parse_args()

    counts = bin_spikes(*read_units(options.recording), options.bin)
    print(figures(counts))
    different = 0
    if options.counts:
        different += compare("counts", counts[:, :, None], read(options.counts), 0.0)
    if options.features:
        taps = raised_cosines(options.window, options.bases)
        scale = counts.max() * np.abs(taps).sum(axis=0).max()
        different += compare("features", features_of(counts, taps), read(options.features),
                             options.tolerance * scale)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
