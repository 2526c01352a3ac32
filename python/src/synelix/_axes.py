# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared parts of the functions of `synelix.plot`: axes, colors, labels. matplotlib is imported when it is used."""

from __future__ import annotations

import numpy as np

from . import _inputs
from ._errors import ArgumentTypeError, Error

#: More lines than this get a color bar. Their legend would hide the picture.
MOST_IN_LEGEND = 8


def pyplot():
    """Returns matplotlib.pyplot, or raises an error if matplotlib is missing."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("synelix.plot: matplotlib is not installed. Install it: pip install 'synelix[plot]', or pip "
                          "install matplotlib.") from error
    return plt


def axes_of(ax, size=(6.4, 3.2)):
    """The caller's axes, or those of a new figure."""
    if ax is None:
        return pyplot().subplots(figsize=size, layout="constrained")[1]
    if not hasattr(ax, "plot") or not hasattr(ax, "figure"):
        hint = " Pass one of them, such as ax[0]." if isinstance(ax, (np.ndarray, list, tuple)) else ""
        raise ArgumentTypeError(f"ax: {type(ax).__name__} is not axes of matplotlib. Use plt.subplots()[1], or leave "
                                f"ax out.{hint}")
    return ax


def finish(ax):
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def colors(count):
    """Colors for this many ordered lines, one for each."""
    return pyplot().get_cmap("viridis")(np.linspace(0, 0.9, count))


def name_lines(ax, lines, names, quantity):
    """Adds a legend for few lines, or a color bar for many."""
    if len(lines) <= MOST_IN_LEGEND:
        if len(lines) > 1 or names[0]:
            ax.legend(lines, names, fontsize="small", frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
        return
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm, ListedColormap

    count = len(lines)
    norm = BoundaryNorm(np.arange(count + 1) - 0.5, count)
    bar = ax.figure.colorbar(ScalarMappable(norm, ListedColormap(colors(count))), ax=ax, label=quantity)
    places = np.unique(np.linspace(0, count - 1, min(count, 6)).round().astype(int))
    bar.set_ticks(places, labels=[str(names[p]).removeprefix(quantity + " ") for p in places])
    bar.minorticks_off()


def bin_of(bin_size):
    """A width in seconds, or None."""
    if bin_size is None:
        return None
    width = _inputs.real("bin_size", bin_size)
    if not width > 0 or not np.isfinite(width):
        raise Error(f"bin_size: {width:g} s is not a width of a sample. Give seconds above 0, such as 0.01.")
    return width


def lags_of(lags, bin_size):
    """Lags for an axis, and its label. They are in milliseconds if the width of a sample is known."""
    width = bin_of(bin_size)
    return (lags * width * 1000, "lag (ms)") if width else (lags, "lag (samples)")


def times_of(count, t, bin_size):
    """Times of rows, and the label of their axis. Without times and without a width, they are samples."""
    if t is None:
        width = bin_of(bin_size)
        return (np.arange(count) * width, "time (s)") if width else (np.arange(count, dtype=float), "sample")
    t = _inputs.reals("t", t)
    if t.shape != (count,):
        raise Error(f"t: the shape is {t.shape}, but there are {count} rows. Give one time in seconds for each row.")
    if bin_size is not None:
        raise Error("bin_size: it is given beside t. Give one of them.")
    if not (np.diff(t) >= 0).all():
        raise Error("t: the times are not in order. Give ascending times in seconds.")
    return t, "time (s)"


def edges_of(t):
    """Edges of cells. They are halfway between neighboring times."""
    if len(t) == 1:
        return np.array([t[0] - 0.5, t[0] + 0.5])
    middles = (t[1:] + t[:-1]) / 2
    return np.concatenate([[t[0] - (middles[0] - t[0])], middles, [t[-1] + (t[-1] - middles[-1])]])


def names_of(names, count, kind):
    """Names of rows or lines: ``unit 0`` and so on, or ``unit 7`` for the id 7."""
    if names is None:
        names = range(count)
    names = list(names)
    if len(names) != count:
        raise Error(f"names: there are {len(names)}, but {count} {kind}s are drawn. Give one for each.")
    return [n if isinstance(n, str) else f"{kind} {n}" for n in names]


def index_of(name, k, count, what):
    k = _inputs.whole(name, k)
    if not 0 <= k < count:
        there, valid = (f"is 1 {what}", "0") if count == 1 else (f"are {count} {what}s", f"0 to {count - 1}")
        raise Error(f"{name}: {k} is out of range. There {there}: use {valid}.")
    return k
