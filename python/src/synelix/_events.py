# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spike trains as samples with counts."""

from __future__ import annotations

import functools
import math
import numbers
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _inputs, _pynapple
from ._errors import ArgumentTypeError, BudgetError, Error

if TYPE_CHECKING:
    from ._types import Any, Floats, Ints, Literal


def _trains_of(times):
    """A list of arrays of seconds."""
    if isinstance(times, Events):
        raise Error("times: these are Events already, with bins of their own. Give the spike times.")
    if _pynapple.is_tsd(times):
        raise Error(f"times: a {type(times).__name__} has samples, not spikes. Use a TsGroup or a Ts. "
                    "Counts are samples already: give them to convolve or compute_features as they are.")
    shape = getattr(times, "shape", ())
    if len(shape) > 1:
        raise Error(f"times: this is a matrix of shape {tuple(shape)}. Use a list with one array of spike times for "
                    "each unit, such as list(times). Counts are samples already: give them to convolve or "
                    "compute_features as they are.")
    if hasattr(times, "time_support") and not hasattr(times, "keys"):
        return [_seconds(times.t, "times")]
    if hasattr(times, "keys"):  # a TsGroup, or a dictionary
        return [_seconds(getattr(times[k], "t", times[k]), f"times[{k}]") for k in times.keys()]
    try:
        trains = list(times)
    except TypeError:
        raise ArgumentTypeError(f"times: {type(times).__name__} holds no spike trains. Use a list of arrays, or a "
                                "TsGroup.") from None
    if trains and all(isinstance(t, numbers.Real) for t in trains):
        raise Error("times: this is one list of times, and each unit has a list. Use [times] for one unit.")
    return [_times_in(t, f"times[{k}]") for k, t in enumerate(trains)]


def _times_in(train, name):
    """The times of a train: those of a Ts, or the train itself."""
    if isinstance(train, Events) or _pynapple.is_tsd(train):
        kind = type(train).__name__
        raise Error(f"{name}: this is an object of the type {kind}, which has samples, not spikes. Give the spike "
                    "times, or a Ts.")
    return _seconds(getattr(train, "t", train), name)


def _seconds(times, name):
    times = _inputs.reals(name, times)
    if times.ndim != 1:
        raise Error(f"{name}: the spike times of a unit have {times.ndim} dimensions. Use a list with one array for "
                    "each unit.")
    return times


def _whole_bins(trains, bin_size, start):
    """The interval from the start of the first bin to the end of the bin of the last spike."""
    spikes = [t for t in trains if len(t)]
    first, last = min((t.min() for t in spikes), default=0.0), max((t.max() for t in spikes), default=0.0)
    if not bin_size > 0 or not math.isfinite(last - first):
        return [[0.0, 1.0]]  # the error of the library says what is wrong
    if start is None:
        is_before = first < 0
        start = (_core.start_of_bin(bin_size, first, 0.0) if is_before else
                 _core.start_of_bins(bin_size, first, last))
    elif last < start:
        raise Error(f"start: {start:g} s is after the last spike, at {last:g} s. Use an earlier start.")
    return [[start, _core.start_of_bin(bin_size, last, start) + bin_size]]


class Events:
    """Spike trains as samples with counts. No array of zeros and counts is ever made.

    Parameters
    ----------
    times : list of arrays, dict of arrays, pynapple TsGroup or Ts
        Spike times in seconds, one array for each unit, in any order.
    bin_size : float
        Bin width in seconds.
    epochs : array of shape (n, 2) or pynapple IntervalSet, optional
        Intervals in seconds. Bins start anew in each interval, as in ``TsGroup.count(bin_size, ep=epochs)``, and no
        window crosses the end of an interval. Spikes outside are left out. Default: the time support of a pynapple
        object, else from `start` to the end of the bin of the last spike.
    start : float, optional
        Time in seconds at which bins begin if there are no epochs. Default: 0. Bins begin at the last whole bin at or
        before the first spike if it is before 0, or later than a day and than the length of the recording, as times
        since 1970 are.
    interval_stop : {"included", "excluded"}
        Whether a spike exactly at the stop of an interval belongs to it, if a bin holds that time.

    Attributes
    ----------
    t : array of shape (samples,)
        Time of the middle of each bin in seconds, as in pynapple's ``count``.
    epochs : array of shape (n, 2)
        Half-open ranges of samples of each interval.
    intervals : array of shape (n, 2)
        The intervals in seconds.
    bin_size : float
        Bin width in seconds.
    shape : (int, int)
        Samples and units.
    nbytes : int
        Bytes held.

    Raises
    ------
    synelix.Error
        `times` is a matrix or one list of times, no interval holds a bin, the bin size is not above 0, or a time is not
        finite.
    synelix.BudgetError
        There are more bins than fit into memory.

    Examples
    --------
    >>> import synelix as sx
    >>> spikes = sx.Events([[0.011, 0.012, 0.5], [0.25]], bin_size=0.01, epochs=[[0.0, 1.0]])
    >>> spikes
    Events(samples=100, units=2, events=3, epochs=1)
    >>> sx.convolve(spikes, sx.RaisedCosineLogConv(4, window_size=20)).shape
    (100, 2, 4)
    """

    #: Marks spike trains for `_inputs` and `_times`, which this module imports.
    _holds_events = True
    bin_size: float
    t: Floats
    epochs: Ints
    intervals: Floats
    ndim: int = 2
    dtype: np.dtype[np.float32] = np.dtype(np.float32)

    def __init__(self, times: Any, bin_size: float, epochs: Any = None, *, start: float | None = None,
                 interval_stop: Literal["included", "excluded"] = "included") -> None:
        self._is_pynapple = hasattr(times, "time_support")
        if epochs is None and self._is_pynapple:
            epochs = times.time_support
        trains = _trains_of(times)
        # Copies, pickles and pictures take the times again. The caller's arrays may have changed by then, and an
        # iterator has ended. Objects of pynapple do not change.
        copies = () if self._is_pynapple else [t.copy() for t in trains]
        copied = dict(zip(times.keys(), copies)) if hasattr(times, "keys") else copies
        self._source = times if self._is_pynapple else copied
        self.bin_size = _inputs.real("bin_size", bin_size)
        if interval_stop not in ("included", "excluded"):
            raise Error(f"interval_stop: {interval_stop!r} is not a rule. Use 'included' or 'excluded'.")
        self._interval_stop = interval_stop
        if start is not None and epochs is not None:
            raise Error("start: it is given with epochs or a time support, at whose starts bins begin. Leave it out.")
        if epochs is None:
            epochs = _whole_bins(trains, self.bin_size, None if start is None else _inputs.real("start", start))
        intervals = _inputs.reals("epochs", getattr(epochs, "values", epochs))
        self.intervals = intervals.reshape(-1, 2) if not intervals.size else _inputs.reals("epochs", intervals, 2)
        if not self.intervals.size:
            raise Error("epochs: there is no interval, so there would be no bin. Give at least one interval, or leave "
                        "epochs out.")
        if self.intervals.shape[1] != 2:
            raise Error(f"epochs: the shape is {self.intervals.shape}. Use (n, 2): where each interval begins and "
                        "ends, in seconds.")
        try:
            self._core, self.t, ranges = _core.Trains.from_times(
                trains, self.bin_size, self.intervals, interval_stop == "included")
        except MemoryError:
            bins = float(np.sum(np.diff(self.intervals))) / self.bin_size
            raise BudgetError(f"bin_size: {self.bin_size:g} s makes {bins:.2g} bins, more than memory holds. Use "
                              "wider bins, or epochs= with the times that were recorded.") from None
        self.epochs = np.array(ranges, dtype=np.int64).reshape(-1, 2)

    @property
    def shape(self) -> tuple[int, int]:
        """(samples, units)"""
        return self._core.shape

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return self._core.nbytes

    def _with_times(self, values):
        """The values as a pynapple object, if the spikes came from one."""
        if not self._is_pynapple:
            return values
        import pynapple

        return _pynapple.timed(values, self.t, pynapple.IntervalSet(self.intervals[:, 0], self.intervals[:, 1]))

    def __len__(self) -> int:
        return self.shape[0]

    def __array__(self, dtype=None, copy=None):
        raise ArgumentTypeError("events: Events are spike trains, and are not stored as an array. Give them as they "
                                "are. Their counts: synelix.convolve(events, [[1.0]], shift=False).")

    def __repr__(self):
        samples, units = self.shape
        return f"Events(samples={samples}, units={units}, events={self._core.events}, epochs={len(self.epochs)})"

    def __reduce__(self):
        make = functools.partial(Events, interval_stop=self._interval_stop)
        return make, (self._source, self.bin_size, self.intervals)
