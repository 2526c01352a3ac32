# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of filters, features, spikes, plans and models, with matplotlib.

To draw                                             Use
--------------------------------------------------  ------------------------------------------
the filters of a basis or of taps                   `bank`
features over time                                  `features`
spike times                                         `raster`
the blocks of a plan                                `plan`
filters of a model, with errors                     `coupling`, `coupling_grid`, `filter_errors`
a prediction against the data                       `fit`
scores over a penalty or iterations                 `learning_curve`

Each function draws on the axes that you pass, or makes a figure, and returns the axes. The labels of axes name a
quantity and its unit. The functions need matplotlib: ``pip install 'synelix[plot]'``.

Examples
--------
>>> import synelix as sx
>>> sx.plot.bank(sx.RaisedCosineLogConv(8, window_size=100), bin_size=0.001).figure.savefig("/dev/null", format="png")
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _inputs, _pynapple
from ._axes import axes_of, bin_of, edges_of, finish, index_of, times_of
from ._errors import Error
from ._plot_inputs import bank, features, plan, raster
from ._plot_models import coupling, coupling_grid, filter_errors

if TYPE_CHECKING:
    from ._types import Any, ArrayLike, Axes

__all__ = ["bank", "coupling", "coupling_grid", "features", "filter_errors", "fit", "learning_curve", "plan", "raster"]


def fit(counts: Any, predicted: Any, *, bin_size: float, t: ArrayLike | None = None, width: float | None = None,
        name: str | None = None, ax: Axes = None) -> Axes:
    """Draw the rate that a model predicts against the counts of the data.

    Parameters
    ----------
    counts : array of shape (rows,), or pynapple Tsd
        Counts of each bin.
    predicted : array of shape (rows,), or pynapple Tsd
        Mean counts of each bin, from ``model.predict``. NaN makes a gap in the line.
    bin_size : float
        Width of a bin in seconds. Counts are divided by it to get rates.
    t : array of shape (rows,), optional
        Times of the bins in seconds. Default: those of a pynapple object, otherwise times that begin at 0.
    width : float, optional
        Counts and prediction are averaged over this many seconds, because single counts would hide the rate. Default:
        a 200th of the data, but at least one bin.
    name : str, optional
        Title, such as the unit.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        The data as an area and the prediction as a line, in spikes a second. Both are means over the bins whose
        prediction is not NaN.

    Raises
    ------
    synelix.Error
        Shapes differ, or `bin_size` or `width` is not above 0.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> counts = np.random.default_rng(0).poisson(0.2, size=1000)
    >>> ax = sx.plot.fit(counts, np.full(1000, 0.2), bin_size=0.01, width=0.5)
    >>> ax.get_ylabel(), len(ax.lines[0].get_xdata())
    ('rate (spikes/s)', 20)
    """
    if t is None and _pynapple.is_tsd(counts):
        t = counts.t
    data = _inputs.reals("counts", getattr(counts, "values", counts))
    means = _inputs.reals("predicted", getattr(predicted, "values", predicted))
    if data.ndim != 1 or data.shape != means.shape or not len(data):
        raise Error(f"predicted: the shapes are {data.shape} of counts and {means.shape} of predictions. Give one "
                    "value for each row, of one unit: counts[:, k] and model.predict(X)[:, k].")
    size = bin_of(bin_size)
    if size is None:
        raise Error("bin_size: it is None, and rates need the width of a bin. Give seconds, such as 0.01.")
    width = max(size, len(data) * size / 200) if width is None else bin_of(width)
    times, label = times_of(len(data), t, None if t is not None else size)
    together = max(1, round(width / size))
    parts = np.arange(0, len(data), together)
    known = np.isfinite(data) & np.isfinite(means)
    number = np.add.reduceat(known.astype(float), parts)
    with np.errstate(invalid="ignore", divide="ignore"):
        found, expected = (np.add.reduceat(np.where(known, x, 0.0), parts) / number / size for x in (data, means))
    ends = np.minimum(parts + together, len(data)) - 1
    middles = (times[parts] + times[ends]) / 2
    ax = axes_of(ax)
    ax.stairs(found, edges_of(middles), fill=True, color="0.8", label="data")
    ax.plot(middles, expected, color="C0", label="model")
    ax.set(xlabel=label, ylabel="rate (spikes/s)", title=name or "")
    ax.set_ylim(bottom=0)
    ax.annotate(f"means over {together * size:.3g} s", (1, 1), (-2, -2), "axes fraction", textcoords="offset points",
                ha="right", va="top", fontsize="x-small", color="0.4")
    ax.legend(fontsize="small", frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=2, borderaxespad=0)
    return finish(ax)


def learning_curve(model: Any, scores: ArrayLike | None = None, *, target: int | None = None, xlabel: str | None = None,
                   ylabel: str | None = None, ax: Axes = None) -> Axes:
    """Draw a score over the strength of the penalty, or over iterations.

    Parameters
    ----------
    model : CrossValidation, or array of shape (points,)
        A fitted cross-validation. The picture shows its mean score of all folds with one standard error on either
        side, the single folds, and the chosen strength. Or an array with the positions of `scores` on the axis, such
        as strengths or iterations.
    scores : array of shape (points,), optional
        Scores at these positions.
    target : int, optional
        Index of the target, for models of several targets. Default: 0.
    xlabel, ylabel : str, optional
        Labels of the axes. Default: "penalty strength" and the name of the score; for arrays, "iteration" and
        "score".
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        Strengths are on a logarithmic axis, the strongest penalty at the left.

    Raises
    ------
    synelix.Error
        The cross-validation is not fitted, `target` is out of range, or the arrays do not fit each other.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> model = sx.CrossValidation(n_strengths=6, cv=3).fit(X, rng.poisson(np.exp(X[:, 0] / 2)))
    >>> ax = sx.plot.learning_curve(model)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('penalty strength', 'deviance (mean of folds)')
    """
    if hasattr(model, "fit"):
        if scores is not None:
            raise Error("scores: they are given beside a model, which has its own. Leave them out.")
        return _draw_folds(model, target, xlabel, ylabel, ax)
    x = _inputs.reals("model", model)
    y = _inputs.reals("scores", [] if scores is None else scores)
    if x.ndim != 1 or x.shape != y.shape or not len(x):
        raise Error(f"scores: the shapes are {x.shape} of places and {y.shape} of scores. Give one score for each "
                    "place.")
    if target is not None:
        raise Error("target: it is of models, not of arrays. Leave it out.")
    ax = axes_of(ax)
    ax.plot(x, y, ".-", color="C0")
    ax.set(xlabel=xlabel or "iteration", ylabel=ylabel or "score")
    return finish(ax)


def _draw_folds(model, target, xlabel, ylabel, ax):
    if not hasattr(model, "mean_score_"):
        kind = type(model).__name__
        raise Error(f"model: {kind} is not fitted. Call fit first." if hasattr(model, "cv") else
                    f"model: {kind} has no scores of folds. Use a fitted CrossValidation, or arrays of places and "
                    "scores.")
    strengths, mean, error = (np.atleast_1d(x) for x in (model.strengths_, model.mean_score_, model.standard_error_))
    folds, chosen = np.asarray(model.scores_), np.asarray(model.best_index_)
    if mean.ndim == 2:
        k = index_of("target", 0 if target is None else target, mean.shape[1], "target")
        mean, error, folds, chosen = mean[:, k], error[:, k], folds[:, :, k], chosen[k]
        strengths = strengths[:, k] if strengths.ndim == 2 else strengths
    elif target is not None:
        index_of("target", target, 1, "target")
    ax = axes_of(ax)
    for row in folds:
        ax.plot(strengths, np.where(np.isfinite(row), row, np.nan), color="0.75", linewidth=0.7)
    known = np.isfinite(mean)
    ax.errorbar(strengths[known], mean[known], error[known], fmt=".-", color="C0", capsize=2, linewidth=1.2,
                label=f"mean of {len(folds)} folds ± 1 standard error")
    best = strengths[int(chosen)]
    ax.axvline(best, color="0.3", linestyle="--", linewidth=1, label=f"chosen: {best:.3g}")
    ax.set(xscale="log", xlabel=xlabel or "penalty strength", ylabel=ylabel or f"{model.scoring} (mean of folds)")
    ax.invert_xaxis()
    ax.legend(fontsize="small", frameon=False)
    return finish(ax)
