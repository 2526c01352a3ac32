# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of pynapple as inputs and results. pynapple itself is imported only when its objects are made."""

from __future__ import annotations

import numpy as np

from . import _inputs
from ._errors import Error


def is_tsd(x):
    """Whether x is a Tsd, TsdFrame or TsdTensor. This is decided by its attributes, as in NeMoS."""
    return hasattr(x, "time_support") and hasattr(x, "values") and hasattr(x, "t") and not hasattr(x, "keys")


def is_intervals(epochs):
    """Whether these are an IntervalSet: intervals in seconds."""
    return hasattr(epochs, "intersect") and hasattr(epochs, "values")


def ranges(t, intervals):
    """For each interval (closed, in seconds), the range of samples whose times t are inside: an array (n, 2)."""
    first = np.searchsorted(t, intervals[:, 0], "left")
    last = np.searchsorted(t, intervals[:, 1], "right")
    return np.stack([first, last], axis=1).astype(np.int64)


def epochs_of(x, epochs=None):
    """Ranges of samples of a Tsd: the given ranges, those of an IntervalSet, or those of its time support."""
    if epochs is None:
        epochs = x.time_support
    elif not is_intervals(epochs):
        return _inputs.epochs_array(epochs)
    found = ranges(np.asarray(x.t), np.asarray(epochs.values))
    if not len(found):
        raise Error("epochs: the IntervalSet holds no interval, so no row would have features. Give one with at least "
                    "one interval.")
    return found


def epochs_of_inputs(xs, epochs=None):
    """The common ranges of samples of all inputs; None if the inputs are arrays and no ranges are given."""
    from ._events import Events

    tsds, trains = [x for x in xs if is_tsd(x)], [x for x in xs if isinstance(x, Events)]
    if epochs is not None and not is_intervals(epochs):
        found = [_inputs.epochs_array(epochs)]
    else:
        found = [epochs_of(x, epochs) for x in tsds]
        if not found and trains:
            found = [trains[0].epochs]
        elif not found and epochs is not None:
            _inputs.epochs_array(epochs)  # says why not
    for x in trains:
        if not np.array_equal(x.epochs, found[0]):
            raise Error("epochs: those of Events are made with them, and the others differ. Give Events and arrays "
                        "the same epochs.")
    if any(not np.array_equal(f, found[0]) for f in found[1:]):
        raise Error("epochs: the inputs have different time supports. Restrict them to the same one.")
    return found[0] if found else None


def like(x, values):
    """The values with the times of x."""
    return timed(values, x.t, x.time_support)


def timed(values, t, time_support):
    """The values at the times t, as the object of pynapple for their dimensions."""
    import pynapple

    kind = {1: pynapple.Tsd, 2: pynapple.TsdFrame}.get(values.ndim, pynapple.TsdTensor)
    return kind(t=t, d=values, time_support=time_support)


def first_tsd(xs):
    """The first object of pynapple with values, or None."""
    return next((x for x in xs if is_tsd(x)), None)
