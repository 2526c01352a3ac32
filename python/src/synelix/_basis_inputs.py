# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs of bases: their shapes, and the arrays for the library."""

from __future__ import annotations

import numpy as np

from . import _devices, _inputs, _pynapple, _xarray
from ._errors import ArgumentTypeError, Error
from ._events import Events


def _shape_of(x):
    """Dimensions without time. An int n means (n,), and 1 means no dimension."""
    if isinstance(x, (int, np.integer)):
        if x < 1:
            raise Error(f"input_shape: {x} is below 1. Use 1 or more channels.")
        return () if x == 1 else (int(x),)
    if isinstance(x, tuple):
        if not all(isinstance(n, (int, np.integer)) for n in x):
            raise Error(f"input_shape: {x} does not hold whole numbers alone. Use a tuple of ints.")
        if any(n < 0 for n in x):
            raise Error(f"input_shape: {x} has a negative number. Use the dimensions of the input beside time.")
        return tuple(int(n) for n in x)
    return tuple(x.shape[1:]) if hasattr(x, "shape") else np.shape(x)[1:]


def _input_of(x, k):
    if isinstance(x, Events):
        return x._core
    name = f"xi[{k}]"
    if _inputs.are_trials(x):
        raise Error(f"{name}: a list of {len(x)} arrays is not one series. Join the trials, numpy.concatenate({name}), "
                    "and give the range of samples of each as epochs.")
    array = np.asarray(x.values) if _pynapple.is_tsd(x) or _xarray.is_labelled(x) else x
    if isinstance(array, (str, bytes)):
        raise ArgumentTypeError(f"{name}: the input is not numeric. Use an array of numbers.")
    if _devices.lies_on_device(array):
        return _devices.taken(array, name)
    return np.atleast_1d(_inputs.as_array(array, name))
