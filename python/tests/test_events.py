# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spike times in bins: edges of any width and start, against rational numbers; where bins begin and end."""

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import synelix as sx

PERIODS = [Fraction(1, 30), Fraction(1001, 60000), Fraction(50, 2997), Fraction(1, 30000), Fraction(16, 390625),
           Fraction(1, 1000), Fraction(13, 1000), Fraction(1, 44100)]


def counts(events: sx.Events):
    return np.asarray(sx.convolve(events, np.ones((1, 1)), shift=False, border="zero"))[:, :, 0]


@pytest.mark.parametrize("period", PERIODS)
@pytest.mark.parametrize("origin", [0, 1_600_000_000])
def test_each_event_on_the_grid_is_in_its_bin(period, origin):
    random = np.random.default_rng(0)
    for start in (Fraction(origin), origin + Fraction(int(random.integers(4000)), 1000),
                  (origin // period + int(random.integers(1000))) * period):
        n = 2000
        times = np.array([float(start + k * period) for k in range(n)])
        events = sx.Events([times, np.nextafter(times[1:], 0)], float(period), [[float(start), float(start + n * period)]])
        found = counts(events)
        assert len(found) == n
        assert (found[:, 0] == 1).all()
        # One unit in the last place before an edge is the bin before, unless it is the edge in nine digits.
        is_rounded = (origin == 0) & (np.round(times[1:], 9) == np.nextafter(times[1:], 0))
        expected = np.bincount(np.arange(n - 1) + is_rounded, minlength=n)
        if (period * 10**9).denominator == 1 or float(1 / period) == 1 / period:
            assert (found[:, 1] == expected).all()
        else:       # quotients by a rate that is no double are on edges, too, and some are one unit before
            assert np.abs(np.cumsum(found[:, 1] - expected)).max() <= 1


def test_times_in_nanoseconds_are_on_edges():
    times = np.round(np.arange(3000) / 30, 9)
    assert (counts(sx.Events([times], 1 / 30, [[0, 100]])) == 1).all()


def test_bins_begin_at_0_or_where_the_recording_does():
    near = sx.Events([[0.3, 5.0]], 0.1)
    assert near.intervals.tolist() == [[0.0, 5.1]]
    assert sx.Events([[-0.25, 5.0]], 0.1).intervals[0, 0] == -0.3
    far = sx.Events([(160_000_000_005 + 10 * np.arange(50)) / 100], 0.01)
    assert far.intervals[0, 0] == 1.6e9 + 0.05 and len(far) == 491
    assert far.t[0] == pytest.approx(1.6e9 + 0.055, abs=3e-7)
    later = sx.Events([[0.3, 5.0]], 0.1, start=2.05)
    assert later.intervals[0, 0] == 2.05 and counts(later).sum() == 1
    same = pickle.loads(pickle.dumps(later))
    assert (same.t == later.t).all()


def test_the_stop_is_included_or_not():
    times = [[0.1, 1.1]]
    assert counts(sx.Events(times, 0.4, [[0, 1.1]])).sum() == 2
    excluded = sx.Events(times, 0.4, [[0, 1.1]], interval_stop="excluded")
    assert counts(excluded).sum() == 1
    assert counts(pickle.loads(pickle.dumps(excluded))).sum() == 1


def test_refusals():
    unknown: Any = "open"
    for call, words in (
        (lambda: sx.Events([[0.1]], 0.1, interval_stop=unknown), "interval_stop: 'open' is not a rule"),
        (lambda: sx.Events([[0.1]], 0.1, [[0, 1]], start=0), "start: it is given with epochs"),
        (lambda: sx.Events([[0.1]], 0.1, start=7), "start: 7 s is after the last spike, at 0.1 s"),
    ):
        with pytest.raises(ValueError, match="start|interval_stop") as info:
            call()
        assert words in str(info.value)
