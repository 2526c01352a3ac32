# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bases in conv mode: their functions are filters, and inputs are convolved with them."""

from __future__ import annotations

import numpy as np

from ._basis_kinds import ConvBasis, checked_rates
from ._errors import Error

__all__ = ["RaisedCosineLinearConv", "RaisedCosineLogConv", "BSplineConv", "CyclicBSplineConv", "MSplineConv",
           "OrthExponentialConv", "HistoryConv"]


def _window_required(window_size):
    if window_size is None:
        raise Error("window_size: a basis in conv mode needs it. Give the number of taps, in samples.")
    return window_size


class RaisedCosineLinearConv(ConvBasis):
    """Raised cosines with evenly spaced peaks (Pillow et al. 2005, J. Neurosci. 25, 11003),
    in conv mode: filters that an input is convolved with.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least 2.
    window_size : int
        Length of each filter, in samples.
    width : float
        Half the width of a function, in units of the distance between peaks: a multiple of 1/2, above 1.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.
    conv_kwargs : dict, optional
        predictor_causality, shift, batch_size_samples, batch_size_channels, batch_size_basis.

    Raises
    ------
    synelix.Error
        A parameter is out of its range, `window_size` is missing, or `conv_kwargs` has a key that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.RaisedCosineLinearConv(5, window_size=10).compute_features(np.ones(50)).shape
    (50, 5)
    """

    _family = "RaisedCosineLinear"

    def __init__(self, n_basis_funcs, window_size=None, width=2.0, label="RaisedCosineLinearConv", conv_kwargs=None):
        self._set_up(n_basis_funcs=n_basis_funcs, width=width, window_size=_window_required(window_size), label=label,
                     conv_kwargs=conv_kwargs or {})


class RaisedCosineLogConv(ConvBasis):
    """Raised cosines, narrow at short lags and wide at long ones (Pillow et al. 2008, Nature 454, 995),
    in conv mode: filters that an input is convolved with.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least 2.
    window_size : int
        Length of each filter, in samples.
    width : float
        Half the width of a function, in units of the distance between peaks: a multiple of 1/2, above 1.
    time_scaling : float, optional
        How much narrower the first functions are than the last: a number above 0. Default: 50.
    enforce_decay_to_zero : bool
        Whether all functions end at 0 at the end of the window.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.
    conv_kwargs : dict, optional
        predictor_causality, shift, batch_size_samples, batch_size_channels, batch_size_basis.

    Raises
    ------
    synelix.Error
        A parameter is out of its range, `window_size` is missing, or `conv_kwargs` has a key that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.RaisedCosineLogConv(5, window_size=10).compute_features(np.ones(50)).shape
    (50, 5)
    """

    _family = "RaisedCosineLog"

    def __init__(self, n_basis_funcs, window_size=None, width=2.0, time_scaling=None, enforce_decay_to_zero=True,
                 label="RaisedCosineLogConv", conv_kwargs=None):
        self._set_up(n_basis_funcs=n_basis_funcs, width=width, enforce_decay_to_zero=enforce_decay_to_zero,
                     time_scaling=50.0 if time_scaling is None else time_scaling,
                     window_size=_window_required(window_size), label=label, conv_kwargs=conv_kwargs or {})


class BSplineConv(ConvBasis):
    """B-splines, which sum to 1 (de Boor, "A Practical Guide to Splines", 1978),
    in conv mode: filters that an input is convolved with.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least `order`.
    window_size : int
        Length of each filter, in samples.
    order : int
        Order of the pieces, which is their degree + 1: 1 or more.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.
    conv_kwargs : dict, optional
        predictor_causality, shift, batch_size_samples, batch_size_channels, batch_size_basis.

    Raises
    ------
    synelix.Error
        A parameter is out of its range, `window_size` is missing, or `conv_kwargs` has a key that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.BSplineConv(5, window_size=10).compute_features(np.ones(50)).shape
    (50, 5)
    """

    _family = "BSpline"

    def __init__(self, n_basis_funcs, window_size=None, order=4, label="BSplineConv", conv_kwargs=None):
        self._set_up(n_basis_funcs=n_basis_funcs, order=order, window_size=_window_required(window_size), label=label,
                     conv_kwargs=conv_kwargs or {})


class CyclicBSplineConv(ConvBasis):
    """B-splines on a circle, where the end of the range joins its beginning,
    in conv mode: filters that an input is convolved with.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least `order`.
    window_size : int
        Length of each filter, in samples.
    order : int
        Order of the pieces, which is their degree + 1: 2 or more.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.
    conv_kwargs : dict, optional
        predictor_causality, shift, batch_size_samples, batch_size_channels, batch_size_basis.

    Raises
    ------
    synelix.Error
        A parameter is out of its range, `window_size` is missing, or `conv_kwargs` has a key that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.CyclicBSplineConv(5, window_size=10).compute_features(np.ones(50)).shape
    (50, 5)
    """

    _family = "CyclicBSpline"

    def __init__(self, n_basis_funcs, window_size=None, order=4, label="CyclicBSplineConv", conv_kwargs=None):
        self._set_up(n_basis_funcs=n_basis_funcs, order=order, window_size=_window_required(window_size), label=label,
                     conv_kwargs=conv_kwargs or {})


class MSplineConv(ConvBasis):
    """B-splines of unit integral (Ramsay 1988, Statist. Sci. 3, 425),
    in conv mode: filters that an input is convolved with.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions, at least `order`.
    window_size : int
        Length of each filter, in samples.
    order : int
        Order of the pieces, which is their degree + 1: 1 or more.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.
    conv_kwargs : dict, optional
        predictor_causality, shift, batch_size_samples, batch_size_channels, batch_size_basis.

    Raises
    ------
    synelix.Error
        A parameter is out of its range, `window_size` is missing, or `conv_kwargs` has a key that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.MSplineConv(5, window_size=10).compute_features(np.ones(50)).shape
    (50, 5)
    """

    _family = "MSpline"

    def __init__(self, n_basis_funcs, window_size=None, order=4, label="MSplineConv", conv_kwargs=None):
        self._set_up(n_basis_funcs=n_basis_funcs, order=order, window_size=_window_required(window_size), label=label,
                     conv_kwargs=conv_kwargs or {})


class OrthExponentialConv(ConvBasis):
    """Orthonormalized exponentials, in conv mode: filters that an input is convolved with.

    The sign of each function is fixed. In NeMoS it depends on LAPACK.

    Parameters
    ----------
    n_basis_funcs : int
        Number of functions.
    window_size : int
        Length of each filter, in samples.
    decay_rates : array of shape (n_basis_funcs,)
        Decay rates of the exponentials, per window. They must all be different.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.
    conv_kwargs : dict, optional
        predictor_causality, shift, batch_size_samples, batch_size_channels, batch_size_basis.

    Raises
    ------
    synelix.Error
        A parameter is out of its range, `window_size` is missing, or `conv_kwargs` has a key that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.OrthExponentialConv(2, 10, [1.0, 3.0]).compute_features(np.ones(50)).shape
    (50, 2)
    """

    _family = "OrthExponential"

    def __init__(self, n_basis_funcs, window_size=None, decay_rates=None, label="OrthExponentialConv",
                 conv_kwargs=None):
        self._set_up(n_basis_funcs=n_basis_funcs, decay_rates=decay_rates, window_size=_window_required(window_size),
                     label=label, conv_kwargs=conv_kwargs or {})

    def _parameters(self):
        return {"decay_rates": checked_rates(self.decay_rates, self.n_basis_funcs)}


class HistoryConv(ConvBasis):
    """The last samples themselves: one filter for each tap.

    Parameters
    ----------
    window_size : int
        Number of samples.
    label : str, optional
        Name in `split_by_feature`. Default: the name of the class.
    conv_kwargs : dict, optional
        predictor_causality, shift, batch_size_samples, batch_size_channels, batch_size_basis.

    Raises
    ------
    synelix.Error
        A parameter is out of its range, `window_size` is missing, or `conv_kwargs` has a key that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.HistoryConv(2).compute_features(np.arange(4.0))
    array([[nan, nan],
           [nan, nan],
           [ 1.,  0.],
           [ 2.,  1.]])
    """

    _family = "History"
    n_basis_funcs = property(lambda self: self._columns_of_channel(), doc="Columns of one channel.")

    def __init__(self, window_size=None, label="HistoryConv", conv_kwargs=None):
        self._set_up(window_size=_window_required(window_size), label=label,
                     conv_kwargs=conv_kwargs or {})

    def _parameters(self):
        return {}

    def _grid(self, n_samples):
        return np.linspace(0.0, 1.0, n_samples), np.eye(n_samples, self.window_size)
