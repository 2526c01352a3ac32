# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of the inputs of a model: filters, features, spikes, and the blocks of a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _inputs, _pynapple
from ._axes import axes_of, bin_of, colors, edges_of, finish, lags_of, name_lines, names_of, pyplot, times_of
from ._errors import ArgumentTypeError, Error
from ._events import Events, _trains_of
from ._filters import bank_of, options_of_window

if TYPE_CHECKING:
    from ._types import Any, ArrayLike, Axes, Mapping, Names


def lags(filters, window):
    """The lag of each tap in samples: the distance from the sample that it multiplies to the row."""
    causality, shift = options_of_window(filters, None, None)
    shift = (causality != "acausal") if shift is None else shift
    offset = {"causal": -1 if shift else 0, "acausal": window // 2, "anti-causal": window - (not shift)}[causality]
    return np.arange(window) - offset


def bank(filters: Any, *, bin_size: float | None = None, log: bool = False, ax: Axes = None) -> Axes:
    """Draw the filters of a bank, or of a basis, over the lag.

    A lag of 10 ms means that the sample is 10 ms before the row of the features. By default, the window is causal and
    shifted, and the first lag is one sample.

    Parameters
    ----------
    filters : basis in conv mode (of this package or of NeMoS), FilterBank, or array of shape (window, bases)
        The taps of each filter, as in `convolve`.
    bin_size : float, optional
        Width of a sample in seconds. With it, the lag axis is in milliseconds, otherwise in samples.
    log : bool
        Whether the lag axis is logarithmic. This helps if many filters have short lags. Lags below one sample are not
        drawn.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        One line for each filter, in the order of the bases. For more than 8 filters, a color bar replaces the legend.

    Raises
    ------
    synelix.Error
        `filters` has no window, or `bin_size` is not above 0.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import synelix as sx
    >>> ax = sx.plot.bank(sx.RaisedCosineLogConv(4, window_size=100), bin_size=0.001)
    >>> ax.get_xlabel(), ax.get_ylabel(), len(ax.lines)
    ('lag (ms)', 'filter weight', 4)
    """
    taps = np.asarray(bank_of(filters).taps)
    places, label = lags_of(lags(filters, len(taps)), bin_size)
    ax = axes_of(ax)
    kept = places > 0 if log else np.ones(len(places), bool)
    if not kept.any():
        raise Error("log: no lag is above 0, so none is on a logarithmic axis. Use log=False.")
    lines = [ax.plot(places[kept], taps[kept, b], color=color)[0] for b, color in enumerate(colors(taps.shape[1]))]
    if log:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:g}")
    ax.set(xlabel=label, ylabel="filter weight")
    name_lines(ax, lines, names_of(None, taps.shape[1], "basis"), "basis")
    return finish(ax)


def features(values: Any, *, t: ArrayLike | None = None, bin_size: float | None = None, names: Names = None,
             ax: Axes = None) -> Axes:
    """Draw features as an image over time.

    Rows whose window leaves the recording are NaN, and are gray.

    Parameters
    ----------
    values : array of shape (rows, units, bases) or (rows, columns), or pynapple object
        Features of `convolve` or of ``Basis.compute_features``.
    t : array of shape (rows,), optional
        Times of the rows in seconds, ascending. Default: those of a pynapple object.
    bin_size : float, optional
        Width of a row in seconds, if there are no times. Without times and width, the axis is in samples.
    names : list of str or int, optional
        Names or ids of the units, or of the columns of a matrix.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        An image with one line of cells for each column, and a color bar. The first basis of the first unit is at the
        top.

    Raises
    ------
    synelix.Error
        `values` has neither 2 nor 3 dimensions or no row, or times or names do not fit it.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> values = sx.convolve(np.eye(50, 3), sx.BSplineConv(4, window_size=10))
    >>> ax = sx.plot.features(values, bin_size=0.01)
    >>> ax.get_xlabel(), [label.get_text() for label in ax.get_yticklabels()]
    ('time (s)', ['unit 0', 'unit 1', 'unit 2'])
    """
    if _pynapple.is_tsd(values):
        t, values = (values.t if t is None and bin_size is None else t), values.values
    values = _inputs.as_array(values, "values")
    if values.ndim not in (2, 3) or 0 in values.shape:
        raise Error(f"values: the shape is {values.shape}. Use (rows, units, bases) or (rows, columns), with at least "
                    "one row.")
    rows, units = values.shape[:2]
    each = values.shape[2] if values.ndim == 3 else 1
    times, label = times_of(rows, t, bin_size)
    names = names_of(names, units, "unit" if values.ndim == 3 else "column")
    plt, ax = pyplot(), axes_of(ax)
    image = np.ma.masked_invalid(np.asarray(values.reshape(rows, -1), dtype=float).T)
    low, high = (float(image.min()), float(image.max())) if image.count() else (0.0, 1.0)
    if low < 0:                                          # the colors show the sign: white is 0
        low, high = -max(-low, high), max(-low, high)
    cmap = plt.get_cmap("RdBu_r" if low < 0 else "viridis").with_extremes(bad="0.8")
    mesh = ax.pcolormesh(edges_of(times), np.arange(units * each + 1), image, cmap=cmap, vmin=low, vmax=high,
                         rasterized=True)
    for unit in range(1, units if each > 1 else 0):
        ax.axhline(unit * each, color="white", linewidth=0.8)
    shown = np.unique(np.linspace(0, units - 1, min(units, 12)).round().astype(int))
    ax.set_yticks((shown + 0.5) * each, labels=[names[k] for k in shown])
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=label, ylabel="unit, its bases downwards" if each > 1 else "")
    ax.invert_yaxis()
    ax.figure.colorbar(mesh, ax=ax, label="feature")
    return finish(ax)


def raster(spikes: Any, *, names: Names = None, start: float | None = None, stop: float | None = None,
           ax: Axes = None) -> Axes:
    """Draw spike times, one row for each unit.

    Parameters
    ----------
    spikes : Events, list of arrays, dict of arrays, pynapple TsGroup or Ts
        Spike times in seconds, as `Events` takes them. For Events, the picture shows the times that they were made
        from, inside their intervals.
    names : list of str or int, optional
        Names or ids of the units. Default: the keys of a dict or TsGroup, otherwise 0, 1 and so on.
    start, stop : float, optional
        Spikes between these times, in seconds, are drawn. Default: all.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        A tick for each spike. The first unit is at the top.

    Raises
    ------
    synelix.Error
        `spikes` holds no spike trains, `start` is not before `stop`, or names do not fit the units.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import synelix as sx
    >>> ax = sx.plot.raster({4: [0.1, 0.2], 6: [0.15]}, stop=1.0)
    >>> ax.get_xlabel(), [label.get_text() for label in ax.get_yticklabels()]
    ('time (s)', ['unit 4', 'unit 6'])
    """
    source = spikes._source if isinstance(spikes, Events) else spikes
    trains = _trains_of(source)
    if names is None and hasattr(source, "keys"):
        names = list(source.keys())
    names = names_of(names, len(trains), "unit")
    if isinstance(spikes, Events):
        trains = [_inside(times, spikes.intervals) for times in trains]
    low = -np.inf if start is None else _inputs.real("start", start)
    high = np.inf if stop is None else _inputs.real("stop", stop)
    if not low < high:
        raise Error(f"start: {low:g} s is not before the stop, {high:g} s. Give start below stop.")
    ax = axes_of(ax, (6.4, min(1.2 + 0.22 * len(trains), 8)))
    size = float(np.clip(110 / max(len(trains), 1), 1.5, 9))
    for unit, times in enumerate(trains):
        shown = times[(times >= low) & (times <= high)]
        ax.plot(shown, np.full(len(shown), unit), "|", color="0.15", markersize=size, markeredgewidth=0.7)
    places = np.unique(np.linspace(0, len(trains) - 1, min(len(trains), 12)).round().astype(int)) if trains else []
    ax.set_yticks(places, labels=[names[k] for k in places])
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel="time (s)", ylim=(len(trains) - 0.5, -0.5))
    ax.set_xlim(left=None if start is None else low, right=None if stop is None else high)
    return finish(ax)


def _inside(times, intervals):
    kept = np.zeros(len(times), bool)
    for begin, end in intervals:
        kept |= (times >= begin) & (times <= end)
    return times[kept]


def plan(explained: Mapping[str, Any], *, bin_size: float | None = None, ax: Axes = None) -> Axes:
    """Draw the blocks into which a plan cuts a recording.

    The colors give the order: the channels of a block are computed for the whole recording before the next channels.
    If a block has only some of the bases, a cell stands for all blocks of its rows and channels.

    Parameters
    ----------
    explained : Explanation
        The result of `explain_file`, `convolve_file` or `compute_features_file`.
    bin_size : float, optional
        Width of a row in seconds. With it, the axis is in seconds, otherwise in rows.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        One cell for the rows and channels of each block. The title has the memory and the method of the plan.

    Raises
    ------
    synelix.Error
        `explained` is not a plan of a recording.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> plan = sx.explain_file(np.ones((100_000, 8), np.int16), sx.BSplineConv(4, window_size=10),
    ...                        np.empty((100_000, 8, 4), np.float32), budget="1MiB")
    >>> ax = sx.plot.plan(plan)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('row', 'channel')
    """
    try:
        (rows, channels, bases), block, blocks = explained["features"], explained["block"], explained["blocks"]
    except (KeyError, TypeError, ValueError):
        raise ArgumentTypeError("explained: this is not a plan of a recording. Use what explain_file "
                                "returned.") from None
    across, along = -(-channels // block[1]), -(-rows // block[0])
    width = bin_of(bin_size)
    plt, ax = pyplot(), axes_of(ax)
    order = np.arange(across * along).reshape(across, along)
    x = np.minimum(np.arange(along + 1) * block[0], rows) * (width or 1)
    y = np.minimum(np.arange(across + 1) * block[1], channels)
    mesh = ax.pcolormesh(x, y, order + 1, cmap=plt.get_cmap("viridis"), vmin=1, vmax=max(order.size, 2),
                         edgecolors="white" if max(across, along) <= 60 else "none", linewidth=0.3)
    ax.invert_yaxis()
    ax.yaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="time (s)" if width else "row", ylabel="channel")
    per_cell = -(-bases // block[2])
    of_bases = f", each in {per_cell} of its bases" if per_cell > 1 else ""
    ax.set_title(f"{blocks:,} blocks of {block[0]:,} rows x {block[1]:,} channels x {block[2]:,} bases{of_bases}\n"
                 f"{explained['method']}, {explained['total_bytes'] / 2**20:,.1f} MiB of a budget of "
                 f"{explained['budget'] / 2**20:,.1f} MiB",
                 fontsize="small")
    ax.figure.colorbar(mesh, ax=ax, label="order of computing").ax.yaxis.get_major_locator().set_params(integer=True)
    return ax
