# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Times of series. The series of one call are combined row by row, so their samples must be at the same times.

The rule is that of the program: times agree to half a sample, and rates drift apart by less than half a sample. A
sample of a signal may be at the start of its bin, or in the middle of it as in pynapple's ``count``.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from . import _pynapple, _xarray
from ._errors import Error

#: Successive times whose median is the period of a series.
_STEPS = 1000


@dataclass(frozen=True)
class Times:
    """The times of the samples of one series: all of them, or a rate and a start."""

    name: str
    samples: int
    t: np.ndarray | None = None
    #: What the numbers of t are: seconds, a date in seconds, or the coordinate of a dimension.
    unit: str = "s"
    rate_hz: float | None = None
    start: float | None = None
    #: Width of a sample that is a bin, whose time is its middle.
    bin_size: float | None = None

    @property
    def period(self):
        """Time between two samples, or None if it is not known."""
        if self.rate_hz is not None:
            return 1 / self.rate_hz
        if self.t is None or len(self.t) < 2:
            return None
        return float(np.median(np.abs(np.diff(self.t[: _STEPS + 1]))))

    def __str__(self):
        suffix = " s" if self.unit in ("s", "date") else f" of {self.unit}"
        period = self.period
        step = "" if period is None else f", {period:.6g}{suffix} apart"
        if self.t is not None:
            return f"{self.t[0]:.10g} to {self.t[-1]:.10g}{suffix}{step}"
        start = "an unknown start" if self.start is None else f"{self.start:.10g}{suffix}"
        return f"times from {start} on{step}"


def _of_coordinate(x, name):
    """The coordinate along the first dimension of a DataArray. A text is none."""
    along = x.dims[0] if x.dims else None
    if along not in x.coords:
        return []
    t = np.asarray(x.coords[along].values)
    if t.dtype.kind == "m":
        return [Times(name, len(t), t / np.timedelta64(1, "s"))]
    if t.dtype.kind == "M":
        return [Times(name, len(t), (t - np.datetime64(0, "s")) / np.timedelta64(1, "s"), "date")]
    if t.dtype.kind not in "fiu" or not len(t):
        return []
    is_seconds = along == "time" and t.dtype.kind == "f"
    return [Times(name, len(t), t.astype(np.float64), "s" if is_seconds else f"dimension {along}")]


def times_of(x, name):
    """The known times of an input: a list, empty for an array."""
    if hasattr(x, "_times"):  # a design has those of its inputs
        return [replace(times, name=name) for times in x._times]
    if getattr(x, "_holds_events", False):
        return [Times(name, len(x.t), x.t, rate_hz=1 / x.bin_size, bin_size=x.bin_size)] if len(x.t) else []
    if _pynapple.is_tsd(x):
        return [Times(name, len(x.t), np.asarray(x.t))] if len(x.t) else []
    return _of_coordinate(x, name) if _xarray.is_labelled(x) and len(x.shape) else []


def times_of_source(source, name):
    """The known times of a recording that is read in blocks. A start of 0 may be an unknown start."""
    rate = getattr(source, "rate_hz", None)
    if rate is None:
        return []
    return [Times(name, source.shape[0], rate_hz=rate, start=getattr(source, "start_seconds", None) or None)]


def _differ(a, b):
    """Whether two series are at different times, as far as is known."""
    if a.t is not None and b.t is not None:
        if a.unit != b.unit or len(a.t) != len(b.t) or np.array_equal(a.t, b.t):
            return False
        period = min((p for p in (a.period, b.period) if p is not None), default=0.0)
        apart, rounding = a.t - b.t, 4 * np.spacing(np.abs(a.t).max())
        if (a.bin_size is None) == (b.bin_size is None):
            return not np.abs(apart).max() < 0.5 * period + rounding
        middle = -b.bin_size / 2 if a.bin_size is None else a.bin_size / 2  # of the bin, behind its start
        return not any(np.abs(apart - shift).max() < 0.25 * period + rounding for shift in (0.0, middle))
    if "s" != a.unit or "s" != b.unit:
        return False
    if a.period and b.period:
        drift = abs(a.period / b.period - 1)
        if drift * min(a.samples, b.samples) >= 0.5 if a.t is None and b.t is None else drift > 1e-3:
            return True
        starts = [times.start if times.t is None else times.t[0] for times in (a, b)]
        return None not in starts and abs(starts[0] - starts[1]) > 0.501 * a.period  # a bin has its time in the middle
    return False


def require_same(known):
    """Refuses series of different times. Returns times that represent all of them."""
    kept = []
    for new in known:
        for other in kept:
            if _differ(other, new):
                raise Error(f"{new.name}: its samples are at {new}, but those of {other.name} are at {other}. Give "
                            "inputs of the same times, or plain arrays, which have none.")
        if not any((other.unit, other.t is None, other.start is None) == (new.unit, new.t is None, new.start is None)
                   for other in kept):
            kept.append(new)
    return kept


def common_times(**inputs):
    """The times of the inputs of one call, by name. Refuses those that differ."""
    return require_same([times for name, x in inputs.items() for times in times_of(x, name)])


def common_times_of_list(xi, name):
    """The same for a list of inputs: xi[0], xi[1], and so on."""
    return common_times(**{f"{name}[{k}]": x for k, x in enumerate(xi)})
