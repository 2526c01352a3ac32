# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of pynapple in and out, and spike trains: times, counts and values are pynapple's and NeMoS'."""

from typing import Any

import numpy as np
import pytest
from conftest import same

import synelix as sx


@pytest.fixture
def frame(nap, rng):
    support = nap.IntervalSet([0, 4.0], [3.0, 10.0])
    return nap.TsdFrame(t=np.arange(1000) * 0.01, d=rng.poisson(1.0, (1000, 3)).astype(float), time_support=support)


@pytest.fixture
def group(nap, rng):
    trains = {k: nap.Ts(np.sort(rng.uniform(0, 20, 300))) for k in range(4)}
    return nap.TsGroup(trains, time_support=nap.IntervalSet(0, 20))


def same_times(got, want):
    assert type(got).__name__ == type(want).__name__
    same(got.t, want.t)
    same(got.time_support.values, want.time_support.values)


def test_features_of_frames(nmo, frame):
    got = sx.RaisedCosineLogConv(5, window_size=20).compute_features(frame)
    want = nmo.basis.RaisedCosineLogConv(5, window_size=20).compute_features(frame)
    same_times(got, want)
    same(got.values, want.values, 1e-12)  # type: ignore


def test_convolutions_of_frames(nmo, frame):
    taps = sx.BSplineConv(5, window_size=20).kernel_
    got = sx.convolve(frame, taps)
    want = nmo.convolve.create_convolutional_predictor(taps, frame)
    same_times(got, want)
    same(got.values, want.values, 1e-12)
    one: Any = sx.convolve(frame[:, 0], taps)
    assert type(one).__name__ == "TsdFrame"
    same(one.values, got.values[:, 0])  # type: ignore


def test_composites_of_frames(nmo, nap, frame):
    speed = nap.Tsd(t=frame.t, d=np.linspace(0, 1, len(frame)), time_support=frame.time_support)
    make = lambda m: m.BSplineConv(5, window_size=20) + m.MSplineEval(4)  # noqa: E731
    ours, theirs = make(sx), make(nmo.basis)
    got, want = ours.compute_features(frame, speed), theirs.compute_features(frame, speed)
    same_times(got, want)
    same(got.values, want.values, 1e-12)
    for part, wanted in zip(ours.split_by_feature(got).values(), theirs.split_by_feature(want).values()):
        same_times(part, wanted)
        same(part.values, wanted.values, 1e-12)


@pytest.mark.parametrize("bin_size", [0.01, 0.013, 0.1, 0.3])
@pytest.mark.parametrize("intervals", [([0.0], [20.0]), ([0.0, 7.3], [5.0, 19.0]), ([0.005, 3.0], [2.997, 3.05])])
def test_events_are_the_counts_of_pynapple(nap, group, bin_size, intervals):
    epochs = nap.IntervalSet(*intervals)
    counts = group.count(bin_size, ep=epochs)
    events = sx.Events(group, bin_size, epochs=epochs)
    assert events.shape == counts.shape
    same(events.t, counts.t, 1e-9)
    basis = sx.RaisedCosineLogConv(5, window_size=5)
    dense = sx.convolve(np.asarray(counts.values), basis, epochs=events.epochs, dtype=np.float32)
    got = sx.convolve(events, basis, method="events")
    assert type(got).__name__ == "TsdTensor"
    same(got.t, counts.t, 1e-9)
    same(got.values, dense, 1e-6)


def test_events_of_lists_and_pynapple_agree(group):
    basis = sx.RaisedCosineLogConv(5, window_size=25)
    lists = sx.Events([t.t for t in group.values()], 0.01, [[0.0, 20.0]])
    same(sx.convolve(lists, basis), sx.convolve(sx.Events(group, 0.01), basis).values)
    same(basis.compute_features(lists), sx.convolve(lists, basis).reshape(len(lists), -1))


def test_events_survive_pickling(group):
    import pickle

    events = sx.Events(group, 0.01)
    other = pickle.loads(pickle.dumps(sx.Events([t.t for t in group.values()], 0.01, [[0.0, 20.0]])))
    assert other.shape == events.shape and repr(other) == repr(events)


@pytest.mark.parametrize("call, words", [
    (lambda: sx.Events([[0.1]], 0.0), "bin_size: 0 is not a width"),
    (lambda: sx.Events([[0.1]], 0.1, [[0.0, 0.01]]), "bin_size: bins of 0.1 s are too long"),
])
def test_refusals(call, words):
    with pytest.raises(ValueError) as info:
        call()
    assert words in str(info.value)
