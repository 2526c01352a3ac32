# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bases in eval mode: their functions are evaluated at each sample."""

from __future__ import annotations

import numpy as np

from . import _core, _inputs
from ._basis_kinds import EvalBasis, checked_rates
from ._errors import Error

__all__ = ["RaisedCosineLinearEval", "RaisedCosineLogEval", "BSplineEval", "CyclicBSplineEval", "MSplineEval",
           "OrthExponentialEval", "IdentityEval", "Zero", "FourierEval"]


class RaisedCosineLinearEval(EvalBasis):
    """Raised cosines with evenly spaced peaks (Pillow et al. 2005, J. Neurosci. 25, 11003), in eval mode: the
    functions are evaluated at each sample.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least 2.
    width : float
        Half the width of a function, in units of the distance between peaks: a multiple of 1/2, above 1.
    bounds : (float, float), optional
        Where the functions begin and end, in units of the samples. Default: the smallest and the largest sample.
    fill_value : float
        The value of rows whose sample is outside the bounds.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.RaisedCosineLinearEval(5).compute_features(np.linspace(0, 1, 50)).shape
    (50, 5)
    """

    _family = "RaisedCosineLinear"

    def __init__(self, n_basis_funcs, width=2.0, bounds=None, fill_value=np.nan, label="RaisedCosineLinearEval"):
        self._set_up(n_basis_funcs=n_basis_funcs, width=width, bounds=bounds, fill_value=fill_value, label=label)


class RaisedCosineLogEval(EvalBasis):
    """Raised cosines, narrow at the lower bound and wide at the upper one (Pillow et al. 2008, Nature 454, 995), in
    eval mode: the functions are evaluated at each sample.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least 2.
    width : float
        Half the width of a function, in units of the distance between peaks: a multiple of 1/2, above 1.
    time_scaling : float, optional
        How much narrower the first functions are than the last: a number above 0. Default: 50.
    enforce_decay_to_zero : bool
        Whether all functions end at 0 at the end of the window.
    bounds : (float, float), optional
        Where the functions begin and end, in units of the samples. Default: the smallest and the largest sample.
    fill_value : float
        The value of rows whose sample is outside the bounds.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.RaisedCosineLogEval(5).compute_features(np.linspace(0, 1, 50)).shape
    (50, 5)
    """

    _family = "RaisedCosineLog"

    def __init__(self, n_basis_funcs, width=2.0, time_scaling=None, enforce_decay_to_zero=True, bounds=None,
                 fill_value=np.nan, label="RaisedCosineLogEval"):
        self._set_up(n_basis_funcs=n_basis_funcs, width=width, enforce_decay_to_zero=enforce_decay_to_zero,
                     time_scaling=50.0 if time_scaling is None else time_scaling, bounds=bounds, fill_value=fill_value,
                     label=label)


class BSplineEval(EvalBasis):
    """B-splines, which sum to 1 (de Boor, "A Practical Guide to Splines", 1978), in eval mode: the functions are
    evaluated at each sample.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least `order`.
    order : int
        Order of the pieces, which is their degree + 1: 1 or more.
    bounds : (float, float), optional
        Where the functions begin and end, in units of the samples. Default: the smallest and the largest sample.
    fill_value : float
        The value of rows whose sample is outside the bounds.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.BSplineEval(5).compute_features(np.linspace(0, 1, 50)).shape
    (50, 5)
    """

    _family = "BSpline"

    def __init__(self, n_basis_funcs, order=4, bounds=None, fill_value=np.nan, label="BSplineEval"):
        self._set_up(n_basis_funcs=n_basis_funcs, order=order, bounds=bounds, fill_value=fill_value, label=label)


class CyclicBSplineEval(EvalBasis):
    """B-splines on a circle, where the end of the range joins its beginning, in eval mode: the functions are
    evaluated at each sample.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least `order`.
    order : int
        Order of the pieces, which is their degree + 1: 2 or more.
    bounds : (float, float), optional
        Where the functions begin and end, in units of the samples. Default: the smallest and the largest sample.
    fill_value : float
        The value of rows whose sample is outside the bounds.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.CyclicBSplineEval(5).compute_features(np.linspace(0, 1, 50)).shape
    (50, 5)
    """

    _family = "CyclicBSpline"

    def __init__(self, n_basis_funcs, order=4, bounds=None, fill_value=np.nan, label="CyclicBSplineEval"):
        self._set_up(n_basis_funcs=n_basis_funcs, order=order, bounds=bounds, fill_value=fill_value, label=label)


class MSplineEval(EvalBasis):
    """B-splines of unit integral (Ramsay 1988, Statist. Sci. 3, 425), in eval mode: the functions are evaluated at
    each sample.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least `order`.
    order : int
        Order of the pieces, which is their degree + 1: 1 or more.
    bounds : (float, float), optional
        Where the functions begin and end, in units of the samples. Default: the smallest and the largest sample.
    fill_value : float
        The value of rows whose sample is outside the bounds.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.MSplineEval(5).compute_features(np.linspace(0, 1, 50)).shape
    (50, 5)
    """

    _family = "MSpline"

    def __init__(self, n_basis_funcs, order=4, bounds=None, fill_value=np.nan, label="MSplineEval"):
        self._set_up(n_basis_funcs=n_basis_funcs, order=order, bounds=bounds, fill_value=fill_value, label=label)


class OrthExponentialEval(EvalBasis):
    """Orthonormalized exponentials, in eval mode: the functions are evaluated at each sample.

    The sign of each function is fixed. In NeMoS it depends on LAPACK.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions.
    decay_rates : array of shape (n_basis_funcs,)
        Decay rates of the exponentials, per distance between the bounds. They must all be different.
    bounds : (float, float), optional
        Where the functions begin and end, in units of the samples. Default: the smallest and the largest sample.
    fill_value : float
        The value of rows whose sample is outside the bounds.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.OrthExponentialEval(2, [1.0, 3.0]).compute_features(np.linspace(0, 1, 50)).shape
    (50, 2)
    """

    _family = "OrthExponential"

    def __init__(self, n_basis_funcs, decay_rates, bounds=None, fill_value=np.nan, label="OrthExponentialEval"):
        self._set_up(n_basis_funcs=n_basis_funcs, decay_rates=decay_rates, bounds=bounds, fill_value=fill_value,
                     label=label)

    def _parameters(self):
        return {"decay_rates": checked_rates(self.decay_rates, self.n_basis_funcs)}


class IdentityEval(EvalBasis):
    """The samples themselves.

    Parameters
    ----------
    bounds : (float, float), optional
        The range of valid samples, in their units. Samples outside become `fill_value`. Default: no bounds.
    fill_value : float
        The value of rows whose sample is outside the bounds.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.IdentityEval().compute_features(np.arange(3.0))
    array([[0.],
           [1.],
           [2.]])
    """

    _family = "Identity"
    n_basis_funcs = property(lambda self: self._columns_of_channel(), doc="Columns of one channel.")

    def __init__(self, bounds=None, fill_value=np.nan, label="IdentityEval"):
        self._set_up(bounds=bounds, fill_value=fill_value, label=label)

    def _parameters(self):
        return {}

    def _columns_of_channel(self):
        return 1


class Zero(EvalBasis):
    """No columns: a placeholder in sums.

    Parameters
    ----------
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.Zero().compute_features(np.arange(3.0)).shape
    (3, 0)
    """

    _family = "Zero"
    n_basis_funcs = property(lambda self: self._columns_of_channel(), doc="Columns of one channel.")
    bounds, fill_value = None, np.nan

    def __init__(self, label="Zero"):
        self._set_up(label=label)

    def _parameters(self):
        return {}

    def _columns_of_channel(self):
        return 0


class FourierEval(EvalBasis):
    """Cosines and sines of one or several inputs.

    Parameters
    ----------
    frequencies : int, (int, int), array of int, or a list of one of these for each input
        Numbers of periods between the bounds. An int m means 0 to m - 1. A pair means its half-open range.
    ndim : int
        Number of inputs that the basis takes, 1 to 4.
    bounds : (float, float), or one pair for each input, optional
        Ends of one period, in units of the samples. Default: the smallest and the largest sample.
    frequency_mask : {"no-intercept", "all"} or array of bool
        Which combinations of frequencies are kept. "no-intercept" leaves out the constant.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.

    Raises
    ------
    synelix.Error
        A parameter is out of its range.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.FourierEval(4).compute_features(np.linspace(0, 1, 50)).shape
    (50, 6)
    """

    _family = "Fourier"
    n_basis_funcs = property(lambda self: self._columns_of_channel(), doc="Columns of one channel.")
    fill_value = np.nan

    def __init__(self, frequencies, ndim=1, bounds=None, frequency_mask="no-intercept", label="FourierEval"):
        self._set_up(frequencies=frequencies, ndim=ndim, bounds=bounds, frequency_mask=frequency_mask, label=label)

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

    def evaluate(self, *xi):
        """Evaluate the functions at the samples of the inputs.

        Parameters
        ----------
        *xi : array
            One array for each input. All have the same shape.

        Returns
        -------
        array of shape (*shape of an input, functions)

        Raises
        ------
        synelix.Error
            The number of inputs is not `ndim`, their shapes differ, or they hold no numbers.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> sx.FourierEval(3).evaluate(np.linspace(0, 1, 20)).shape
        (20, 4)
        """
        self._require_count(xi)
        xi = [_inputs.reals(f"xi[{k}]", x) for k, x in enumerate(xi)]
        flat = [np.ascontiguousarray(x.reshape(len(x), -1)) for x in xi]
        return _core.compute_features(self._expr, flat, None, None, True, {}, 0)[0].reshape(*xi[0].shape, -1)

    def evaluate_on_grid(self, *n_samples):
        """Evaluate the functions on a grid of evenly spaced points.

        Parameters
        ----------
        *n_samples : int
            Number of points along each input.

        Returns
        -------
        (*points, values) : arrays of shape (*n_samples) and (*n_samples, functions)

        Raises
        ------
        synelix.Error
            The number of arguments is not `ndim`, or one is less than 1.

        Examples
        --------
        >>> import synelix as sx
        >>> sx.FourierEval(3).evaluate_on_grid(20)[-1].shape
        (20, 4)
        """
        self._require_count(n_samples)
        n_samples = [_inputs.at_least_one("n_samples", n, "points") for n in n_samples]
        bounds = self._bounds_list() or [(0.0, 1.0)]
        bounds = bounds * (self.ndim if len(bounds) == 1 else 1)
        points = np.meshgrid(*(np.linspace(*b, n) for b, n in zip(bounds, n_samples)), indexing="ij")
        return (*points, self.evaluate(*(p.ravel() for p in points)).reshape(*n_samples, -1))
