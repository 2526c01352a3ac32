# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bases with the names, parameters and defaults of NeMoS: ``import synelix as nmo`` and ``nmo.basis.BSplineConv``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core, _inputs
from ._basis_composites import AdditiveBasis, MultiplicativeBasis
from ._basis_core import Basis, CountsColumns
from ._basis_kinds import ConvBasis, EvalBasis
from ._errors import Error

if TYPE_CHECKING:
    from ._transformer import TransformerBasis as TransformerBasis
    from ._types import Any, ArrayLike, Bounds

__all__ = ["AdditiveBasis", "BSplineConv", "BSplineEval", "Basis", "CyclicBSplineConv", "CyclicBSplineEval",
           "FourierEval", "HistoryConv", "IdentityEval", "MSplineConv", "MSplineEval", "MultiplicativeBasis",
           "OrthExponentialConv", "OrthExponentialEval", "RaisedCosineLinearConv", "RaisedCosineLinearEval",
           "RaisedCosineLogConv", "RaisedCosineLogEval", "Zero"]

if not TYPE_CHECKING:

    def __getattr__(name):
        if name == "TransformerBasis":
            from ._transformer import TransformerBasis

            return TransformerBasis
        raise AttributeError(f"module 'synelix.basis' has no attribute '{name}'")

    def __dir__():
        return [*__all__, "TransformerBasis"]


# A row of this table is a class with its parameters. The docstring has what is of this class alone: `described` of
# _basis_kinds adds the rest.


class RaisedCosineLinearConv(ConvBasis, family="RaisedCosineLinear"):
    """Raised cosines with evenly spaced peaks (Pillow et al. 2005, J. Neurosci. 25, 11003)"""

    n_basis_funcs: int
    width: float

    def __init__(self, n_basis_funcs: int, window_size: int | None = None, width: float = 2.0,
                 label: str | None = "RaisedCosineLinearConv", conv_kwargs: dict[str, Any] | None = None) -> None:
        self._set_up(locals())


class RaisedCosineLinearEval(EvalBasis, family="RaisedCosineLinear"):
    """Raised cosines with evenly spaced peaks (Pillow et al. 2005, J. Neurosci. 25, 11003)"""

    n_basis_funcs: int
    width: float

    def __init__(self, n_basis_funcs: int, width: float = 2.0, bounds: Bounds = None, fill_value: float = np.nan,
                 label: str | None = "RaisedCosineLinearEval") -> None:
        self._set_up(locals())


class RaisedCosineLogConv(ConvBasis, family="RaisedCosineLog"):
    """Raised cosines, narrow at short lags and wide at long ones (Pillow et al. 2008, Nature 454, 995)"""

    n_basis_funcs: int
    width: float
    time_scaling: float
    enforce_decay_to_zero: bool

    def __init__(self, n_basis_funcs: int, window_size: int | None = None, width: float = 2.0,
                 time_scaling: float | None = None, enforce_decay_to_zero: bool = True,
                 label: str | None = "RaisedCosineLogConv", conv_kwargs: dict[str, Any] | None = None) -> None:
        self._set_up(locals())


class RaisedCosineLogEval(EvalBasis, family="RaisedCosineLog"):
    """Raised cosines, narrow at the lower bound and wide at the upper one (Pillow et al. 2008, Nature 454, 995)"""

    n_basis_funcs: int
    width: float
    time_scaling: float
    enforce_decay_to_zero: bool

    def __init__(self, n_basis_funcs: int, width: float = 2.0, time_scaling: float | None = None,
                 enforce_decay_to_zero: bool = True, bounds: Bounds = None, fill_value: float = np.nan,
                 label: str | None = "RaisedCosineLogEval") -> None:
        self._set_up(locals())


class BSplineConv(ConvBasis, family="BSpline"):
    """B-splines, which sum to 1 (de Boor, "A Practical Guide to Splines", 1978)"""

    n_basis_funcs: int
    order: int

    def __init__(self, n_basis_funcs: int, window_size: int | None = None, order: int = 4,
                 label: str | None = "BSplineConv", conv_kwargs: dict[str, Any] | None = None) -> None:
        self._set_up(locals())


class BSplineEval(EvalBasis, family="BSpline"):
    """B-splines, which sum to 1 (de Boor, "A Practical Guide to Splines", 1978)"""

    n_basis_funcs: int
    order: int

    def __init__(self, n_basis_funcs: int, order: int = 4, bounds: Bounds = None, fill_value: float = np.nan,
                 label: str | None = "BSplineEval") -> None:
        self._set_up(locals())


class CyclicBSplineConv(ConvBasis, family="CyclicBSpline"):
    """B-splines on a circle, where the end of the range joins its beginning

    order : int
        Order of the pieces, which is their degree + 1: 2 or more.
    """

    n_basis_funcs: int
    order: int

    def __init__(self, n_basis_funcs: int, window_size: int | None = None, order: int = 4,
                 label: str | None = "CyclicBSplineConv", conv_kwargs: dict[str, Any] | None = None) -> None:
        self._set_up(locals())


class CyclicBSplineEval(EvalBasis, family="CyclicBSpline"):
    """B-splines on a circle, where the end of the range joins its beginning

    order : int
        Order of the pieces, which is their degree + 1: 2 or more.
    """

    n_basis_funcs: int
    order: int

    def __init__(self, n_basis_funcs: int, order: int = 4, bounds: Bounds = None, fill_value: float = np.nan,
                 label: str | None = "CyclicBSplineEval") -> None:
        self._set_up(locals())


class MSplineConv(ConvBasis, family="MSpline"):
    """B-splines of unit integral (Ramsay 1988, Statist. Sci. 3, 425)"""

    n_basis_funcs: int
    order: int

    def __init__(self, n_basis_funcs: int, window_size: int | None = None, order: int = 4,
                 label: str | None = "MSplineConv", conv_kwargs: dict[str, Any] | None = None) -> None:
        self._set_up(locals())


class MSplineEval(EvalBasis, family="MSpline"):
    """B-splines of unit integral (Ramsay 1988, Statist. Sci. 3, 425)"""

    n_basis_funcs: int
    order: int

    def __init__(self, n_basis_funcs: int, order: int = 4, bounds: Bounds = None, fill_value: float = np.nan,
                 label: str | None = "MSplineEval") -> None:
        self._set_up(locals())


class OrthExponentialConv(ConvBasis, family="OrthExponential"):
    """Orthonormalized exponentials

    The sign of each function is fixed. In NeMoS it depends on LAPACK.
    """

    n_basis_funcs: int
    decay_rates: ArrayLike | None

    def __init__(self, n_basis_funcs: int, window_size: int | None = None, decay_rates: ArrayLike | None = None,
                 label: str | None = "OrthExponentialConv", conv_kwargs: dict[str, Any] | None = None) -> None:
        self._set_up(locals())


class OrthExponentialEval(EvalBasis, family="OrthExponential"):
    """Orthonormalized exponentials

    The sign of each function is fixed. In NeMoS it depends on LAPACK.
    """

    n_basis_funcs: int
    decay_rates: ArrayLike

    def __init__(self, n_basis_funcs: int, decay_rates: ArrayLike, bounds: Bounds = None, fill_value: float = np.nan,
                 label: str | None = "OrthExponentialEval") -> None:
        self._set_up(locals())


class HistoryConv(CountsColumns, ConvBasis, family="History"):
    """The last samples themselves: one filter for each tap.

    window_size : int
        Number of samples.

    >>> sx.HistoryConv(2).compute_features(np.arange(4.0))
    array([[nan, nan],
           [nan, nan],
           [ 1.,  0.],
           [ 2.,  1.]])
    """

    def __init__(self, window_size: int | None = None, label: str | None = "HistoryConv",
                 conv_kwargs: dict[str, Any] | None = None) -> None:
        self._set_up(locals())

    def _grid(self, n_samples):
        return np.linspace(0.0, 1.0, n_samples), np.eye(n_samples, self.window_size)


class IdentityEval(CountsColumns, EvalBasis, family="Identity"):
    """The samples themselves.

    bounds : (float, float), optional
        The range of valid samples, in their units. Samples outside become `fill_value`. Default: no bounds.

    >>> sx.IdentityEval().compute_features(np.arange(3.0))
    array([[0.],
           [1.],
           [2.]])
    """

    def __init__(self, bounds: Bounds = None, fill_value: float = np.nan, label: str | None = "IdentityEval") -> None:
        self._set_up(locals())

    def _columns_of_channel(self):
        return 1


class Zero(CountsColumns, EvalBasis, family="Zero"):
    """No columns: a placeholder in sums.

    >>> sx.Zero().compute_features(np.arange(3.0)).shape
    (3, 0)
    """

    bounds, fill_value = None, np.nan

    def __init__(self, label: str | None = "Zero") -> None:
        self._set_up(locals())

    def _columns_of_channel(self):
        return 0


class FourierEval(CountsColumns, EvalBasis, family="Fourier"):
    """Cosines and sines of one or several inputs.

    frequencies : int, (int, int), array of int, or a list of one of these for each input
        Numbers of periods between the bounds. An int m means 0 to m - 1. A pair means its half-open range.
    ndim : int
        Number of inputs that the basis takes, 1 to 4.
    bounds : (float, float), or one pair for each input, optional
        Ends of one period, in units of the samples. Default: the smallest and the largest sample.
    frequency_mask : {"no-intercept", "all"} or array of bool
        Which combinations of frequencies are kept. "no-intercept" leaves out the constant.

    >>> sx.FourierEval(4).compute_features(np.linspace(0, 1, 50)).shape
    (50, 6)
    """

    frequencies: Any
    ndim: int
    bounds: Any
    frequency_mask: Any
    fill_value = np.nan

    def __init__(self, frequencies: Any, ndim: int = 1, bounds: Any = None, frequency_mask: Any = "no-intercept",
                 label: str | None = "FourierEval") -> None:
        self._set_up(locals())

    @property
    def _n_inputs(self):
        return self.ndim

    def _lists(self):
        given = self.frequencies
        if isinstance(given, (str, float, np.floating, bool)) or not np.iterable(given) and not isinstance(
                given, (int, np.integer)):
            raise Error(f"frequencies: {given!r} are not frequencies. Use an int, a pair, or an array of ints.")
        if isinstance(given, (int, np.integer, tuple)) or np.ndim(given) == 1 and not any(np.ndim(f) for f in given):
            given = [given]
        lists = []
        for one in given:
            if isinstance(one, (int, np.integer)):
                if one < 1:
                    raise Error(f"frequencies: {one} frequencies are less than 1. Use an int of at least 1, a pair, "
                                "or an array of ints.")
                one = range(one)
            elif isinstance(one, tuple):
                one = range(*(_inputs.whole("frequencies", f) for f in one))
            numbers = _inputs.reals("frequencies", one, 1)
            if not np.array_equal(numbers, np.floor(numbers)):
                raise Error(f"frequencies: {one!r} are not whole numbers. Use an int, a pair, or an array of ints.")
            lists.append([int(f) for f in numbers])
        return lists

    def _parameters(self):
        mask = self.frequency_mask
        found = {"frequencies": self._lists(), "dimensions": _inputs.whole("ndim", self.ndim)}
        if mask is None or isinstance(mask, str):
            if mask not in (None, "all", "no-intercept"):
                raise Error(f"frequency_mask: '{mask}' is not known. Use 'no-intercept', 'all', or an array of bool.")
            return {**found, "intercept": mask != "no-intercept"}
        return {**found, "intercept": False, "mask": [int(m) for m in np.ravel(mask)]}

    def _columns_of_channel(self):
        lists = self._lists() * (self.ndim if len(self._lists()) == 1 else 1)
        grid = np.stack(np.meshgrid(*lists, indexing="ij"), -1).reshape(-1, self.ndim)
        zero_first = not grid[0].any()
        if self.frequency_mask is None or isinstance(self.frequency_mask, str):
            kept = np.ones(len(grid), bool)
            kept[0] = not zero_first or self.frequency_mask in (None, "all")
        else:
            kept = np.ravel(self.frequency_mask).astype(bool)
        return 2 * int(kept.sum()) - int(zero_first and kept[0])

    evaluate = Basis.evaluate  # of several inputs
    evaluate_on_grid = Basis.evaluate_on_grid

    def _evaluate(self, xi):
        xi = [_inputs.reals(f"xi[{k}]", x) for k, x in enumerate(xi)]
        flat = [np.ascontiguousarray(x.reshape(len(x), -1)) for x in xi]
        return _core.compute_features(self._expr, flat, None, None, True, {}, 0)[0].reshape(*xi[0].shape, -1)

    def _evaluate_on_grid(self, n_samples):
        n_samples = [_inputs.at_least_one("n_samples", n, "points") for n in n_samples]
        bounds = self._bounds_list() or [(0.0, 1.0)]
        bounds = bounds * (self.ndim if len(bounds) == 1 else 1)
        points = np.meshgrid(*(np.linspace(*b, n) for b, n in zip(bounds, n_samples)), indexing="ij")
        return (*points, self.evaluate(*(p.ravel() for p in points)).reshape(*n_samples, -1))
