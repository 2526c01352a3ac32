# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of the filters of a model, with errors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _inputs
from ._axes import axes_of, colors, finish, index_of, lags_of, name_lines, names_of, pyplot
from ._errors import ArgumentTypeError, Error
from ._filters import bank_of
from ._plot_inputs import lags

if TYPE_CHECKING:
    from ._types import Any, Axes, Floats, Names, Sequence

#: The default inverse link of each family.
_CANONICAL = {"poisson": "exp", "gaussian": "identity", "bernoulli": "logistic"}
_PREDICTORS = {"exp": "log rate", "logistic": "log odds", "identity": "mean"}


def _link_of(model):
    if not hasattr(model, "_loss"):
        return None, None
    loss = model._loss()
    link = loss["inverse_link"]
    return loss["family"], _CANONICAL.get(loss["family"]) if link == "auto" else link


def filters_of(model, basis):
    """The filters (window, sources, targets) of a model, or of coefficients."""
    taps = np.asarray(bank_of(basis).taps)
    given = getattr(model, "coef_", None) if hasattr(model, "fit") else model
    if given is None:
        raise Error("model: it is not fitted, so it has no filters. Call fit first.")
    coefficients = _inputs.reals("model", given)
    coefficients = coefficients[:, None] if coefficients.ndim == 1 else coefficients
    if coefficients.ndim > 2 and coefficients.shape[-2] == taps.shape[1]:  # a term: channels, bases, targets
        coefficients = coefficients.reshape(-1, coefficients.shape[-1])
    if coefficients.ndim != 2 or len(coefficients) % taps.shape[1]:
        raise Error(f"model: the coefficients have the shape {np.shape(given)}, which does not fit filters of "
                    f"{taps.shape[1]} bases. Give the model of this basis alone, or the coefficients of its term: "
                    "design.split_by_feature(model.coef_)[label], and .ravel() of them if there is one target.")
    return np.einsum("tb,ibj->tij", taps, coefficients.reshape(-1, taps.shape[1], coefficients.shape[1]))


def filter_errors(model: Any, basis: Any, X: Any) -> Floats:
    """Compute standard errors of the filters of a fit, from the observed information at its optimum.

    The information is the Hessian of the negative log-likelihood plus the penalty, ``[X 1]' diag(w) [X 1] + n *
    strength``, over the n rows that were used. Its inverse is the covariance of the coefficients, so the coefficients
    of overlapping bases are not treated as independent. The errors do not contain the bias of a penalty. The model
    must have been fitted on `X` with this basis.

    Parameters
    ----------
    model : GLM or PopulationGLM
        A fit with the canonical link (Poisson with exp, Bernoulli with logistic, Gaussian with identity), and no
        penalty or a Ridge.
    basis : basis in conv mode, or FilterBank
        The basis of all columns.
    X : Design, or array of shape (samples, features)
        The X that the model was fitted on. Rows that are not finite are left out.

    Returns
    -------
    array of shape (window, sources) or (window, sources, targets)
        Standard errors of the filter weights, as `coupling` takes them.

    Raises
    ------
    synelix.Error
        The model is not fitted, has another link or penalty or a mask of features, or the information has no inverse.

    Notes
    -----
    McCullagh and Nelder, Generalized Linear Models (1989), section 2.5: the covariance of the estimate is the inverse
    of the information.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> rng = np.random.default_rng(0)
    >>> basis = sx.RaisedCosineLogConv(3, window_size=10)
    >>> counts = rng.poisson(0.3, size=(2000, 2))
    >>> design = sx.Design(basis, counts)
    >>> model = sx.PopulationGLM().fit(design, counts)
    >>> sx.plot.filter_errors(model, basis, design).shape
    (10, 2, 2)
    """
    from ._design import design_of
    from ._model_words import penalty_options

    family, link = _link_of(model)
    if family is None:
        raise ArgumentTypeError(f"model: {type(model).__name__} is not a GLM. Use a fitted GLM or PopulationGLM of "
                                "this package.")
    filters = filters_of(model, basis)
    coefficients = model.coef_.reshape(len(model.coef_), -1)
    columns, targets = coefficients.shape
    if _CANONICAL.get(family) != link:
        raise Error(f"model: {family} with the link {link} has an observed information that depends on the targets, "
                    "which this function does not have. Use errors= of your own, such as models of several folds.")
    penalty = penalty_options(model.regularizer, model.regularizer_strength, columns, targets)
    if penalty["kind"] not in ("none", "ridge"):
        raise Error(f"model: the penalty {penalty['kind']} is not smooth, so it has no observed information. Use "
                    "Ridge or no penalty.")
    if getattr(model, "feature_mask", None) is not None:
        raise Error("model: it has a mask of features, which this function does not take. Use errors= of your own.")
    if not model.fit_intercept:
        raise Error("model: it has no intercept, which this function needs. Fit it with fit_intercept=True.")
    design = design_of(X)
    means = _inputs.reals("X", getattr(model.predict(X), "values", model.predict(X))).reshape(-1, targets)
    per = {"coefficient": np.s_[:, None], "target": np.s_[None, :]}.get(penalty.get("per", ""), ...)
    strengths = np.broadcast_to(np.asarray(penalty.get("strength", 0.0), dtype=float)[per], (columns, targets))
    taps = np.asarray(bank_of(basis).taps)
    errors = np.empty_like(filters)
    for j in range(targets):
        counted = np.isfinite(means[:, j])
        mu = np.where(counted, means[:, j], 0.0)
        phi = float(np.broadcast_to(model.scale_, (targets,))[j]) if family == "gaussian" else 1.0
        weights = {"poisson": mu, "bernoulli": mu * (1 - mu), "gaussian": counted / phi}[family]
        information = np.asarray(design._core.gram(np.ascontiguousarray(weights, dtype=float)))
        # The loss of a Gaussian has no 1/2 and no phi, as in NeMoS. So the penalty is divided by 2 phi here.
        of_likelihood = 2 * phi if family == "gaussian" else 1.0
        information[np.arange(columns), np.arange(columns)] += counted.sum() * strengths[:, j] / of_likelihood
        try:
            covariance = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            raise Error(f"model: the information of target {j} has no inverse, so its filters have no errors. Use "
                        "fewer bases, or a Ridge.") from None
        for i in range(filters.shape[1]):
            part = slice(i * taps.shape[1], (i + 1) * taps.shape[1])
            variance = np.einsum("tb,bc,tc->t", taps, covariance[part, part], taps)
            errors[:, i, j] = np.sqrt(np.maximum(variance, 0))
    return errors if model._is_population else errors[:, :, 0]


def _errors_of(model, basis, errors, filters):
    """Half widths of bands (window, sources, targets), and a description of them; None if there are no bands."""
    if errors is False:
        return None, ""
    if errors is None:
        known = getattr(model, "standard_errors_", None)
        if known is None:
            return None, ""
        taps = np.asarray(bank_of(basis).taps)
        known = np.asarray(known)[:-1].reshape(-1, taps.shape[1], filters.shape[2])      # the intercept is last
        independent = np.einsum("tb,ibj->tij", taps**2, known**2)
        return 2 * np.sqrt(independent), "± 2 standard errors, coefficients taken as independent"
    is_list = isinstance(errors, (list, tuple)) and len(errors) > 0
    if is_list and (hasattr(errors[0], "fit") or np.ndim(errors[0]) == 1 + (filters.shape[2] > 1)):
        if len(errors) < 2:
            raise Error("errors: there is 1 model. Give two or more, or an array.")
        others = [filters_of(other, basis) for other in errors]
        if any(other.shape != filters.shape for other in others):
            raise Error("errors: the models have other sources or targets than the model that is drawn. Give fits of "
                        "the same design.")
        return 2 * np.std(others, axis=0, ddof=1), f"± 2 standard deviations of {len(errors)} fits"
    array = _inputs.reals("errors", errors)
    if array.ndim == 2:
        array = array[:, :, None]
    wanted = filters.shape[:2] + ((filters.shape[2],) if array.shape[2:] != (1,) else (1,))
    if array.shape != wanted or (np.asarray(array) < 0).any():
        raise Error(f"errors: the shape is {np.shape(errors)}. Give standard errors of at least 0 of shape "
                    f"{filters.shape} (window, sources, targets), or models of several folds.")
    return 2 * np.broadcast_to(array, filters.shape), "± 2 standard errors"


def _draw_filters(ax, places, filters, bands, sources, target, names):
    lines = []
    for k, color in zip(sources, colors(len(sources)), strict=True):
        lines.append(ax.plot(places, filters[:, k, target], color=color)[0])
        if bands is not None:
            low, high = (filters[:, k, target] + sign * bands[:, k, target] for sign in (-1, 1))
            ax.fill_between(places, low, high, color=color, alpha=0.2, linewidth=0)
    ax.axhline(0, color="0.7", linewidth=0.8, zorder=0)
    return lines, [names[k] for k in sources]


def coupling(model: Any, basis: Any, *, target: int = 0, sources: Sequence[int] | None = None, errors: Any = None,
             bin_size: float | None = None, names: Names = None, ax: Axes = None) -> Axes:
    """Draw the filters from some sources to one target, with bands of errors.

    A filter is the product of the taps of the basis with the coefficients of a source. It shows how one spike changes
    the linear predictor of the target after each lag.

    Parameters
    ----------
    model : GLM, PopulationGLM, Path, CrossValidation, or array of shape (columns,) or (columns, targets)
        A fitted model of this package or of NeMoS whose columns are those of the basis, or coefficients of one term of
        a sum of bases: ``design.split_by_feature(model.coef_)[label]`` for several targets, of shape (channels, bases,
        targets), and ``design.split_by_feature(model.coef_)[label].ravel()`` for one.
    basis : basis in conv mode, or FilterBank
        The basis of the columns.
    target : int
        Index of the target.
    sources : list of int, optional
        Indices of the channels whose filters are drawn. Default: all.
    errors : array of shape (window, sources) or (window, sources, targets), list of models, or False, optional
        Standard errors from `filter_errors`; or models of several folds, whose standard deviation is drawn. Default:
        those of ``model.standard_errors_``, with coefficients treated as independent. If bases overlap, such bands
        are too wide or too narrow. Without errors, or with False, there are no bands. The text in the lower right
        corner describes the bands.
    bin_size : float, optional
        Width of a sample in seconds. With it, the lag axis is in milliseconds, otherwise in samples.
    names : list of str or int, optional
        Names or ids of all sources.
    ax : matplotlib.axes.Axes, optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    matplotlib.axes.Axes
        One line and one band for each source. For more than 8 sources, a color bar replaces the legend.

    Raises
    ------
    synelix.Error
        The model is not fitted or has other columns than the basis, or target, sources, errors or names do not fit it.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> rng = np.random.default_rng(0)
    >>> basis, counts = sx.RaisedCosineLogConv(3, window_size=20), rng.poisson(0.2, size=(3000, 2))
    >>> design = sx.Design(basis, counts)
    >>> model = sx.PopulationGLM().fit(design, counts)
    >>> errors = sx.plot.filter_errors(model, basis, design)
    >>> ax = sx.plot.coupling(model, basis, target=1, errors=errors, bin_size=0.001)
    >>> ax.get_xlabel(), ax.get_ylabel(), ax.get_title()
    ('lag (ms)', 'filter weight (log rate)', 'to unit 1')
    """
    filters = filters_of(model, basis)
    count, targets = filters.shape[1:]
    target = index_of("target", target, targets, "target")
    sources = list(range(count)) if sources is None else [index_of("sources", k, count, "source") for k in sources]
    names = names_of(names, count, "unit")
    bands, words = _errors_of(model, basis, errors, filters)
    places, label = lags_of(lags(basis, len(filters)), bin_size)
    ax = axes_of(ax)
    lines, shown = _draw_filters(ax, places, filters, bands, sources, target, [f"from {name}" for name in names])
    ax.set(xlabel=label, ylabel=_ylabel(model), title=f"to {names[target] if targets == count else f'target {target}'}")
    name_lines(ax, lines, [name.removeprefix("from ") for name in shown] if len(lines) > 8 else shown, "unit")
    if bands is not None:
        _say_bands(ax, words, "x-small")
    return finish(ax)


def _say_bands(ax, words, size):
    """Writes a description of the bands into the lower right corner."""
    ax.annotate(words, (1, 0), (-2, 3), "axes fraction", textcoords="offset points", ha="right", fontsize=size,
                color="0.4")


def _ylabel(model):
    predictor = _PREDICTORS.get(_link_of(model)[1])
    return f"filter weight ({predictor})" if predictor else "filter weight"


def coupling_grid(model: Any, basis: Any, *, errors: Any = None, bin_size: float | None = None, names: Names = None,
                  axes: Any = None) -> Any:
    """Draw the filters of all pairs, on shared scales: a row for each target, a column for each source.

    Parameters
    ----------
    model, basis, errors, bin_size, names
        As in `coupling`.
    axes : array of matplotlib.axes.Axes of shape (targets, sources), optional
        The axes to draw on. Default: new axes in a new figure.

    Returns
    -------
    array of matplotlib.axes.Axes of shape (targets, sources)

    Raises
    ------
    synelix.Error
        As in `coupling`, there are more than 144 pairs, or `axes` has another shape.
    ImportError
        matplotlib is not installed.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> basis = sx.RaisedCosineLogConv(3, window_size=20)
    >>> axes = sx.plot.coupling_grid(np.ones((6, 2)), basis, bin_size=0.001)
    >>> axes.shape, axes[1, 0].get_title()
    ((2, 2), 'from unit 0 to unit 1')
    """
    filters = filters_of(model, basis)
    count, targets = filters.shape[1:]
    most = 144
    if count * targets > most:
        raise Error(f"model: it has {count * targets} pairs, and a grid has {most} at most. Draw one target with "
                    "coupling, or give the coefficients of some units.")
    names = names_of(names, count, "unit")
    to = names if targets == count else [f"target {j}" for j in range(targets)]
    bands, words = _errors_of(model, basis, errors, filters)
    places, label = lags_of(lags(basis, len(filters)), bin_size)
    if axes is None:
        axes = pyplot().subplots(targets, count, sharex=True, sharey=True, squeeze=False, layout="constrained",
                                 figsize=(min(1.2 + 2.2 * count, 14), min(1.0 + 1.6 * targets, 11)))[1]
    axes = np.asarray(axes)
    if axes.shape != (targets, count):
        raise Error(f"axes: the shape is {axes.shape}. Give an array of axes of shape ({targets}, {count}): (targets, "
                    "sources).")
    reach = np.abs(filters) + (0 if bands is None else bands)
    limit = 1.05 * float(np.nanmax(reach)) or 1.0
    for j in range(targets):
        for i in range(count):
            ax = finish(axes[j, i])
            _draw_filters(ax, places, filters, bands, [i], j, names)
            ax.set_ylim(-limit, limit)
            ax.set_title(f"from {names[i]} to {to[j]}", fontsize="small")
            ax.set(xlabel=label if j == targets - 1 else "", ylabel=_ylabel(model) if i == 0 else "")
            ax.yaxis.label.set_fontsize("small")
    if bands is not None:
        _say_bands(axes[-1, -1], words, "xx-small")
    return axes
