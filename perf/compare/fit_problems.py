# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The problems that fits are measured on, made from a seed and written as plain arrays that every peer reads.

A problem is a folder of files in the byte order of the machine:

    features.f32      (rows, columns) float32, of a dense design
    targets.f64       (targets, rows) float64
    events.i64        units, samples, then for each unit the number of its events, then their samples
    counts.f32        the count of each event
"""
import os
from pathlib import Path

import numpy as np

WINDOW, BASES = 100, 8


def raised_cosines(window=WINDOW, bases=BASES, width=2.0, scaling=50.0):
    """(window, bases): logarithmic raised cosines, as NeMoS' RaisedCosineLogConv."""
    place = np.arange(window) / (window - 1)
    warped = np.log1p(scaling * place) / np.log1p(scaling)
    last = 1 - width / (bases + width - 1)
    peaks = np.linspace(0, last, bases)
    angle = np.pi * (warped[:, None] - peaks) / (peaks[1] - peaks[0]) / width
    return 0.5 * (1 + np.cos(np.clip(angle, -np.pi, np.pi)))


def causal_features(series, taps):
    """(samples - window, bases): row i belongs to sample i + window, whose window ends one sample before."""
    from scipy.signal import fftconvolve
    window = len(taps)
    return np.stack([fftconvolve(series, taps[:, b])[window - 1:len(series) - 1] for b in range(taps.shape[1])], 1)


def splines(values, bases, order=4):
    """(n, bases) of values in [0, 1]."""
    from scipy.interpolate import BSpline
    inner = np.arange(1, bases - order + 1) / (bases - order + 1)
    knots = np.concatenate([np.zeros(order), inner, np.full(order, 1 + 1e-9)])
    return BSpline.design_matrix(np.clip(values, 0, 1), knots, order - 1).toarray()


def make_dense(folder, rows=1_000_000, seed=1):
    """24 correlated series x 8 filters and 8 splines of a position; a target for each of three families."""
    from scipy.signal import lfilter
    draw = np.random.default_rng(seed)
    samples, taps = rows + WINDOW, raised_cosines()

    def resonance(radius, angle):
        noise = lfilter([1], [1, -2 * radius * np.cos(angle), radius ** 2], draw.normal(size=samples + 1000))[1000:]
        return noise / noise.std()

    shared = resonance(0.8, 0.2)
    features = np.empty((rows, 200), np.float32)
    for channel in range(24):
        series = resonance(0.9 + 0.08 * channel / 24, 0.02 + 0.02 * channel) + 0.5 * shared
        features[:, 8 * channel:8 * channel + 8] = 0.1 * causal_features(series / series.std(), taps)
    walk = np.abs((np.cumsum(draw.normal(0.02, 0.2, samples)) * 0.05) % 2 - 1)[WINDOW:]
    features[:, 192:] = splines(walk, 9)[:, 1:]
    weights = draw.normal(size=200) * (draw.random(200) < 0.5)
    predictor = features @ weights.astype(np.float32)
    predictor = 0.8 * (predictor - predictor.mean()).astype(float) / predictor.std()
    features.tofile(folder / "features.f32")
    targets = {"gaussian": predictor + draw.normal(size=rows), "poisson": draw.poisson(np.exp(predictor - 2.3)),
               "bernoulli": draw.random(rows) < 1 / (1 + np.exp(2.3 - predictor))}
    for family, values in targets.items():
        values.astype(float).tofile(folder / f"{family}.f64")
    return {"rows": rows, "columns": 200}


def record(folder, rows, columns):
    """The features of a dense problem as a dataset of an HDF5 file; returns its name in the form of Synelix."""
    import h5py
    path = folder / "features.h5"
    if not path.exists():
        features = np.memmap(folder / "features.f32", np.float32, "r", shape=(rows, columns))
        with h5py.File(path, "w") as file:
            file.create_dataset("features", data=features, chunks=(4096, columns))
    return str(path)


def make_grid(folder, seed=5):
    """nemos#605: 25,000 rows, 60 columns of splines, 30 Poisson targets."""
    draw = np.random.default_rng(seed)
    rows, targets = 25_000, 30
    columns = []
    for _ in range(6):
        smooth = np.convolve(draw.normal(size=rows + 400), np.ones(80), "same")[200:200 + rows]
        columns.append(splines((np.argsort(np.argsort(smooth)) + 0.5) / rows, 10))
    features = np.concatenate(columns, 1).astype(np.float32)
    weights = 0.6 * draw.normal(size=(60, targets)) * (draw.random((60, targets)) < 0.3)
    rates = np.exp(features @ weights + 0.5 * draw.normal(size=targets) - 1.6)
    features.tofile(folder / "features.f32")
    draw.poisson(rates).astype(float).T.tofile(folder / "targets.f64")
    return {"rows": rows, "columns": 60, "targets": targets}


def write_events(folder, samples, trains):
    """trains: for each unit (samples, counts)."""
    with open(folder / "events.i64", "wb") as file:
        np.array([len(trains), samples, *(len(one) for one, _ in trains)], np.int64).tofile(file)
        for one, _ in trains:
            one.astype(np.int64).tofile(file)
    np.concatenate([counts for _, counts in trains]).astype(np.float32).tofile(folder / "counts.f32")
    return {"units": len(trains), "samples": samples, "events": int(sum(len(one) for one, _ in trains))}


def read_events(folder):
    """(samples, units) counts as float64."""
    numbers = np.fromfile(folder / "events.i64", np.int64)
    counts = np.fromfile(folder / "counts.f32", np.float32)
    units, samples = int(numbers[0]), int(numbers[1])
    dense, at = np.zeros((samples, units)), 0
    for unit in range(units):
        many = int(numbers[2 + unit])
        dense[numbers[2 + units + at:2 + units + at + many], unit] = counts[at:at + many]
        at += many
    return dense


def make_network(folder, units, samples, rate_hz=5.0, seed=7):
    """A recurrent network of softplus neurons at 1 ms, each with about ten inputs and its own refractory filter."""
    draw = np.random.default_rng(seed)
    taps = raised_cosines()
    into, filters = [], []
    for sender in range(units):
        receivers = np.flatnonzero((draw.random(units) < min(1.0, 10 / units)) | (np.arange(units) == sender))
        weights = 0.35 * draw.normal(size=(BASES, len(receivers))) - 0.02
        own = receivers == sender
        weights[:, own] = (0.1 * draw.normal(size=BASES) - 0.15 - 2.4 * (np.arange(BASES) == 0) - 1.1 * (np.arange(BASES) == 1))[:, None]
        into.append(receivers)
        filters.append(taps @ weights)
    ring = np.zeros((WINDOW, units))
    places = np.arange(WINDOW)
    base = np.log(1e-3 * rate_hz)
    found = [[] for _ in range(units)]
    numbers = [[] for _ in range(units)]
    uniform = draw.random
    for sample in range(samples):
        slot = sample % WINDOW
        rate = np.log1p(np.exp(np.minimum(base + ring[slot], -1.5)))
        ring[slot] = 0
        for sender in np.flatnonzero(uniform(units) < -np.expm1(-rate)):
            found[sender].append(sample)
            numbers[sender].append(1.0)
            ring[np.ix_((slot + 1 + places) % WINDOW, into[sender])] += filters[sender]
    return write_events(folder, samples, [(np.array(one), np.array(many)) for one, many in zip(found, numbers)])


def make_recording(folder, path):
    """The spikes of an NWB file in bins of 1 ms: edges are rounded to 1 ns, and a bin counts if its center is
    inside."""
    import h5py
    with h5py.File(path, "r") as file:
        times, ends = file["units/spike_times"][:], file["units/spike_times_index"][:].astype(int)
        first = float(file["intervals/epochs/start_time"][0])
        last = float(file["intervals/epochs/stop_time"][0])
    edges = np.round(first + 1e-3 * np.arange(int((last - first) / 1e-3) + 3), 9)
    samples = int(np.sum(np.round(edges[:-1] + 5e-4, 9) <= last))
    trains = []
    for train in np.split(times, ends[:-1]):
        bins = np.searchsorted(edges, train[(train >= first) & (train <= last)], side="right") - 1
        trains.append(np.unique(bins[(bins >= 0) & (bins < samples)], return_counts=True))
    return write_events(folder, samples, trains)


def coupling_features(counts):
    """(samples - window, units x bases) in float64."""
    taps = raised_cosines()
    out = np.empty((len(counts) - WINDOW, counts.shape[1] * BASES))
    for unit in range(counts.shape[1]):
        out[:, unit * BASES:(unit + 1) * BASES] = causal_features(counts[:, unit], taps)
    return out


class Problems:
    """Folders of problems below one temporary folder, each made when first asked for."""

    def __init__(self, folder):
        self.folder, self.made = Path(folder), {}

    def of(self, name, make, *words, **options):
        if name not in self.made:
            place = self.folder / name
            os.makedirs(place, exist_ok=True)
            self.made[name] = {"folder": str(place), **make(place, *words, **options)}
        return self.made[name]
