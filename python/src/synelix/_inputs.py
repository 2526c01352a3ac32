# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays, budgets, types and epochs: turns Python's arguments into those of the library."""

from __future__ import annotations

import operator
import os
import re

import numpy as np

from ._errors import ArgumentTypeError, Error

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
#: Types that the library reads without a copy. scikit-learn converts other types to the first one.
TYPES = (np.float64, np.float32, np.int8, np.uint8, np.int16, np.uint16, np.bool_)
STORED = frozenset(map(np.dtype, TYPES))
#: Device types of DLPack that are memory of the host.
_HOST_DEVICES = (1, 3, 11, 13)
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def whole(name, value, bits=32):
    """An argument that is a whole number with this number of bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name}: {value!r} is not a whole number. Use an int.") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise Error(f"{name}: {number} is out of range. Use a number of {bits} bits.")
    return number


def at_least_one(name, value, what):
    """An argument that counts something: a whole number of 1 or more."""
    number = whole(name, value)
    if number < 1:
        raise Error(f"{name}: {number} is below 1. Use 1 or more {what}.")
    return number


def axis_of(axis, dimensions):
    """A dimension, counted from the first."""
    axis = whole("axis", axis)
    if not -dimensions <= axis < dimensions:
        raise Error(f"axis: {axis} is outside an array of {dimensions} dimensions. Use {-dimensions} to "
                    f"{dimensions - 1}.")
    return axis % dimensions


def real(name, value):
    """An argument that is a number."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name}: {value!r} is not a number. Use a float.") from None


def refuse_mask(name, x):
    """Refuses a masked array: NumPy drops the mask where it makes a plain array, so hidden values would count."""
    if isinstance(x, np.ma.MaskedArray):
        raise Error(f"{name}: masks are not read. Use {name}.filled(numpy.nan), or leave the masked values out.")


def reals(name, values, dimensions=None):
    """An argument that is an array of numbers, as float64."""
    refuse_mask(name, values)
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "fiub":
            raise ValueError
        array = np.asarray(array, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise ArgumentTypeError(f"{name}: {values!r} is not an array of numbers. Use floats.") from None
    if dimensions is not None and array.ndim != dimensions:
        raise Error(f"{name}: the array has {array.ndim} dimensions. Use {dimensions}.")
    return array


def check_numbers(axis=0, scale=1.0, offset=0.0, threads=0):
    """Raises an error that names the argument whose type the extension module refuses."""
    whole("axis", axis)
    whole("threads", threads)
    real("scale", scale)
    real("offset", offset)


def bytes_of(budget):
    """Bytes of a budget: a number, or a text such as '512MiB'."""
    if isinstance(budget, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?I?)B?\s*", budget.upper())
        if not found:
            raise Error(f"budget: '{budget}' is not a number of bytes. Use a number, or a text such as '512MiB' or "
                        "'2GB'.")
        return min(int(float(found[1]) * _UNITS[found[2]]), 2**63 - 1)
    try:
        number = None if isinstance(budget, (bool, np.bool_)) else int(budget)
        if number is None or number != budget:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise Error(f"budget: {budget!r} is not a number of bytes. Use a whole number, or a text such as "
                    "'512MiB'.") from None
    if number < 1:
        raise Error(f"budget: {number} bytes is less than 1. Use a whole number, or a text such as '512MiB'.")
    return min(number, 2**63 - 1)


def require_no_spike_times(x, name):
    """Refuses the spike times of an NWB table of units, which would otherwise be read as samples of a signal."""
    where = os.fspath(x) if isinstance(x, (str, os.PathLike)) else getattr(x, "name", None)
    if isinstance(where, str) and where.endswith("/spike_times"):
        raise Error(f"{name}: {where} holds spike times of units, not samples. Read them, for example with "
                    "pynapple.load_file(FILE)['units'], and use synelix.Events(units, bin_size).")


def as_array(x, name="x"):
    """An array for the library. It is not copied if its type, byte order, alignment and device allow that."""
    array = x
    if type(x) is not np.ndarray and isinstance(x, np.ma.MaskedArray):
        raise Error(f"{name}: masks are not read. Use x.filled(numpy.nan), or the epochs that are valid.")
    if not isinstance(x, np.ndarray):
        if hasattr(x, "time_support"):
            if not hasattr(x, "d"):
                raise Error(f"{name}: spike times are not samples. Count them first: synelix.Events({name}, bin_size).")
            x = x.values
        if hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] not in _HOST_DEVICES:
            raise Error(f"{name}: the array lies in memory of a device. Bring it to the host first (x.cpu(), "
                        "jax.device_get(x)).")
        if x is None:
            raise ArgumentTypeError(f"{name}: None is not an array. Give an array of numbers.")
        if hasattr(x, "toarray") and hasattr(x, "nnz"):
            raise ArgumentTypeError(f"{name}: sparse matrices are not read. Use {name}.toarray().")
        require_no_spike_times(x, name)
        if isinstance(x, (str, bytes)):
            raise ArgumentTypeError(f"{name}: {x!r} is a text. Give an array, or read a file with convolve_file or "
                                    "compute_features_file.")
        if hasattr(x, "__dlpack__") and not hasattr(x, "__array__") and not hasattr(x, "__array_interface__"):
            x = np.from_dlpack(x)
        if hasattr(x, "detach"):  # a tensor of torch that takes part in gradients
            x = x.detach()
        array = np.asarray(x)  # torch, JAX, xarray and pandas share their memory; lists are copied
    if array.dtype in STORED and array.dtype.isnative and array.flags.aligned:
        return array
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise Error(f"{name}: values of type {array.dtype} are not supported. Use real numbers of at most 64 bits.")
    small = array.dtype.itemsize < 4 or array.dtype.newbyteorder("=") == np.float32
    return array.astype(np.float32 if small else np.float64)


def is_double(dtype, *arrays):
    """Whether the computation is in float64: if `dtype` says so, or without `dtype` if an array is float64."""
    if dtype is None:
        return any(getattr(a, "dtype", None) == np.float64 for a in arrays)
    try:
        dtype = np.dtype(dtype)
    except TypeError:
        raise ArgumentTypeError(f"dtype: {dtype!r} is not a type. Use float32 or float64.") from None
    if dtype not in _FLOATS:
        raise Error(f"dtype: {dtype} is not a working type. Use float32 or float64.")
    return dtype == np.float64


def output_type(out, name="out"):
    """Whether an output is float64. Refuses an output that cannot be written."""
    if type(out) is np.ndarray and out.dtype in _FLOATS and out.flags.writeable:
        return out.dtype == _FLOATS[1]
    if not isinstance(out, np.ndarray) and not hasattr(out, "__dlpack__"):
        raise ArgumentTypeError(f"{name}: {type(out).__name__} is not an array. Use an array of float32 or float64.")
    if getattr(out, "flags", None) is not None and not getattr(out.flags, "writeable", True):
        raise Error(f"{name}: the array is read-only. Use one that can be written.")
    if str(out.dtype).rsplit(".", 1)[-1] not in ("float32", "float64"):
        raise Error(f"{name}: values of type {out.dtype} cannot be written. Use float32 or float64.")
    return str(out.dtype).endswith("float64")


def epochs_array(epochs):
    """Ranges of samples as an array (n, 2) of int64; None stays None."""
    if epochs is None:
        return None
    if hasattr(epochs, "intersect"):
        raise Error("epochs: an IntervalSet has seconds, and an array has no times. "
                    "Use ranges of samples, or a pynapple object as x.")
    refuse_mask("epochs", epochs)
    array = np.ascontiguousarray(epochs)
    if array.dtype.kind not in "iuf":
        raise ArgumentTypeError("epochs: the ranges are not numbers. Use an array of shape (n, 2).")
    if array.ndim != 2 or array.shape[1] != 2:
        raise Error(f"epochs: the shape is {array.shape}. Use (n, 2): the first sample of each epoch, and the first "
                    "sample after it.")
    if array.dtype.kind not in "iu" and not np.array_equal(array, np.floor(array)):
        raise Error("epochs: the ranges are not whole numbers. Give samples, not seconds.")
    return array.astype(np.int64, copy=False)
