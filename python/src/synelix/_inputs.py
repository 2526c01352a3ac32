# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays, budgets, types and epochs: turns Python's arguments into those of the library."""

from __future__ import annotations

import datetime
import operator
import os
import re
from collections.abc import Mapping

import numpy as np

from ._errors import ArgumentTypeError, Error

_UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "KI": 2**10, "MI": 2**20, "GI": 2**30, "TI": 2**40}
#: Types that the library reads without a copy. scikit-learn converts other types to the first one.
TYPES = (np.float64, np.float32, np.int8, np.uint8, np.int16, np.uint16, np.bool_)
STORED = frozenset(map(np.dtype, TYPES))
#: Device types of DLPack that are memory of the host. The last one is shared with a device.
_HOST_DEVICES = (1, 3, 11, 13)
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def whole(name, value, bits=32):
    """An argument that is an integer with this number of bits."""
    try:
        number = operator.index(value)
    except TypeError:
        raise ArgumentTypeError(f"{name}: {value!r} is not a whole number. Use an int.") from None
    if not -(2 ** (bits - 1)) <= number < 2 ** (bits - 1):
        raise Error(f"{name}: {number} is out of range. Use a number of {bits} bits.")
    return number


def at_least_one(name, value, what):
    """An argument that is a count: an integer of 1 or more."""
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


#: Kinds of dtypes that are not real numbers: their contents, and how to convert them to numbers.
_KINDS = {
    "M": ("times", "Use seconds: ({0} - {0}[0]) / numpy.timedelta64(1, 's')"),
    "m": ("durations", "Use seconds: {0} / numpy.timedelta64(1, 's')"),
    "U": ("text", "Use {0}.astype(float) if the texts are numbers"),
    "c": ("complex numbers", "Use {0}.real and {0}.imag"),
    "V": ("records", "Use one field of it, such as {0}['name']"),
    "O": ("Python objects", "Use {0}.astype(float) if they are numbers"),
}
_KINDS["S"] = _KINDS["T"] = _KINDS["U"]


def _dtypes_of(x):
    """The dtypes of an array, or of the columns of a table. Empty for anything else."""
    if hasattr(x, "columns") and hasattr(x, "dtypes") and not hasattr(x, "time_support"):
        return list(x.dtypes)
    return [x.dtype] if hasattr(x, "dtype") else []


def _kind_of(dtype):
    """The kind of NumPy's type for a dtype, also of pandas' own: nullable numbers, and sparse columns."""
    inner = getattr(dtype, "numpy_dtype", getattr(dtype, "subtype", dtype))
    kind = str(getattr(inner, "kind", ""))
    return "U" if kind == "O" and str(dtype) in ("str", "string") else kind


def _is_text(value):
    return isinstance(value, (str, bytes, np.datetime64, np.timedelta64, datetime.date, datetime.timedelta))


def _refuse_containers(name, x):
    """Refuses containers of arrays, and arrays that cannot be read."""
    if isinstance(x, np.ma.MaskedArray):
        raise Error(f"{name}: masks are not read. Use {name}.filled(numpy.nan), or leave the masked values out.")
    if hasattr(x, "toarray") and hasattr(x, "nnz"):
        raise ArgumentTypeError(f"{name}: sparse matrices are not read. Use {name}.toarray().")
    if getattr(x, "_holds_events", False):
        raise ArgumentTypeError(f"{name}: Events are spike trains, and an array is wanted. Use "
                                f"synelix.convolve({name}, [[1.0]], shift=False), which gives the counts.")
    if hasattr(x, "time_support") and not hasattr(x, "d"):
        raise Error(f"{name}: spike times are not samples. Count them first: synelix.Events({name}, bin_size).")
    if hasattr(x, "data_vars") or isinstance(x, Mapping):
        keys = [repr(k) for k in x]
        shown = f"{name}[{keys[0]}]" if keys else f"{name}[key]"
        raise ArgumentTypeError(f"{name}: a {type(x).__name__} holds arrays by name ({', '.join(keys[:5])}). Give one "
                                f"of them: {shown}.")
    if isinstance(x, (list, tuple)) and any(isinstance(v, np.ma.MaskedArray) for v in x):
        raise Error(f"{name}: masks are not read, and the list holds a masked array. Fill it with numpy.nan first.")


def refuse_kinds(name, x, leave=""):
    """Refuses arrays without real numbers, and arrays that NumPy would misread. The error names the remedy.

    Each array of each call passes this check. `leave` has kinds of dtypes that the caller checks itself.
    """
    if type(x) is np.ndarray and x.dtype.kind in "fiub":
        return
    _refuse_containers(name, x)
    for dtype in _dtypes_of(x):
        kind = _kind_of(dtype)
        if kind == "V" and not getattr(dtype, "names", None):  # a type of another package, such as bfloat16
            continue
        if kind in _KINDS and kind not in leave:
            holds, remedy = _KINDS[kind]
            raise ArgumentTypeError(f"{name}: values of type {dtype} are {holds}. {remedy.format(name)}.")


def refuse_kinds_of_estimators(name, x):
    """The gate of estimators. scikit-learn asks that they take numbers in arrays of objects, and refuses complex
    numbers itself. But it reads texts and times as numbers."""
    refuse_kinds(name, x, leave="OcV")
    if isinstance(x, (list, tuple)):
        try:
            x = np.asarray(x)
        except ValueError:  # of rows of different lengths: scikit-learn says so
            return
        refuse_kinds(name, x, leave="OcV")
    if any(_kind_of(dtype) == "O" for dtype in _dtypes_of(x)):
        for value in np.asarray(x, dtype=object).flat:
            if _is_text(value):
                raise ArgumentTypeError(f"{name}: it holds {value!r}, which is not a number. Leave such columns out, "
                                        "or turn them into numbers.")


def plain(x):
    """Nullable numbers of pandas as an array of NumPy. A missing value is NaN. Anything else stays as it is."""
    dtypes = _dtypes_of(x)
    if not hasattr(x, "to_numpy") or not any(hasattr(dtype, "numpy_dtype") for dtype in dtypes):
        return x
    common = np.result_type(*(getattr(d, "numpy_dtype", getattr(d, "subtype", d)) for d in dtypes))
    if not np.asarray(x.isna()).any():
        return x.to_numpy(dtype=common)
    if common.kind != "f":
        common = np.dtype(np.float32 if common.itemsize < 4 else np.float64)
    return x.to_numpy(dtype=common, na_value=np.nan)


def are_trials(x):
    """Whether this is a list of arrays: trials of any lengths."""
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(len(_shape_of(t)) > 0 for t in x)


def _shape_of(x):
    """The shape of an array, which may have only __cuda_array_interface__; () for other objects."""
    return getattr(x, "shape", None) or getattr(x, "__cuda_array_interface__", {"shape": ()})["shape"]


def lies_on_device(x, managed=False):
    """Whether x is an array in memory of a device; if `managed`, also one that a device shares with the host."""
    if type(x) is np.ndarray:
        return False
    if hasattr(x, "__dlpack_device__"):
        kind = x.__dlpack_device__()[0]
        return kind not in _HOST_DEVICES or (managed and kind == _HOST_DEVICES[-1])
    return hasattr(x, "__cuda_array_interface__")


def require_host(name, x):
    """Refuses an array in memory of a device."""
    if lies_on_device(x):
        raise Error(f"{name}: the array lies in memory of a device. Bring it to the host first (x.cpu(), "
                    "jax.device_get(x)).")


def reals(name, values, dimensions=None):
    """An argument that is an array of numbers, as float64."""
    refuse_kinds(name, values)
    require_host(name, values)
    try:
        array = np.asarray(plain(values))
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
    if type(x) is not np.ndarray:
        refuse_kinds(name, x)
        if hasattr(x, "time_support"):
            x = x.values
        require_host(name, x)
        if x is None:
            raise ArgumentTypeError(f"{name}: None is not an array. Give an array of numbers.")
        require_no_spike_times(x, name)
        if isinstance(x, (str, bytes)):
            raise ArgumentTypeError(f"{name}: {x!r} is a text. Give an array, or read a file with convolve_file or "
                                    "compute_features_file.")
        if hasattr(x, "set_auto_mask"):  # a variable of netCDF4, whose values are masked arrays
            x = _unmasked(x[...], name)
        if hasattr(x, "__dlpack__") and not hasattr(x, "__array__") and not hasattr(x, "__array_interface__"):
            x = np.from_dlpack(x)
        if hasattr(x, "detach"):  # a tensor of torch that takes part in gradients
            x = x.detach()
        try:
            array = np.asarray(plain(x))  # torch, JAX, xarray and pandas share their memory; lists are copied
        except ValueError:
            if not isinstance(x, (list, tuple)):
                raise
            raise Error(f"{name}: the entries of the list have different shapes. Give rows of one length, or arrays "
                        "as trials of convolve.") from None
    if array.dtype in STORED and array.dtype.isnative and array.flags.aligned:
        return array
    refuse_kinds(name, array)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise Error(f"{name}: values of type {array.dtype} are not supported. Use real numbers of at most 64 bits.")
    small = array.dtype.itemsize < 4 or array.dtype.newbyteorder("=") == np.float32
    return array.astype(np.float32 if small else np.float64)


def _unmasked(values, name):
    """The values of a masked array that masks none."""
    if np.ma.is_masked(values):
        raise Error(f"{name}: it holds masked values, and masks are not read. Turn masks off: "
                    f"{name}.set_auto_mask(False), or fill them with numpy.nan.")
    return np.ma.getdata(values)


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
    require_writable(out, name)
    if str(out.dtype).rsplit(".", 1)[-1] not in ("float32", "float64"):
        raise Error(f"{name}: values of type {out.dtype} cannot be written. Use float32 or float64.")
    return str(out.dtype).endswith("float64")


def require_writable(out, name="out"):
    """Refuses an array that is masked or read-only."""
    if isinstance(out, np.ma.MaskedArray):
        raise Error(f"{name}: masks are not written. Give the array below the mask: {name}.data.")
    if getattr(out, "flags", None) is not None and not getattr(out.flags, "writeable", True):
        raise Error(f"{name}: the array is read-only. Use one that can be written.")


def require_own_places(out, name="out"):
    """Refuses an array whose values share places. The rule is that of the library: dimensions, smallest stride first,
    step over everything that the smaller ones reach."""
    reach = 0
    steps = sorted((abs(step), extent) for step, extent in zip(out.strides, out.shape) if extent > 1)
    for step, extent in steps if 0 not in out.shape else ():
        if step < reach + out.itemsize:
            raise Error(f"{name}: the shape {out.shape} with the strides {out.strides} makes values overlap. Use an "
                        "output in which every value has a place of its own.")
        reach += (extent - 1) * step


def epochs_array(epochs):
    """Ranges of samples as an array (n, 2) of int64; None stays None."""
    if epochs is None:
        return None
    if hasattr(epochs, "intersect"):
        raise Error("epochs: an IntervalSet has seconds, and an array has no times. "
                    "Use ranges of samples, or a pynapple object as x.")
    refuse_kinds("epochs", epochs)
    array = np.ascontiguousarray(plain(epochs))
    if not array.size:
        raise Error("epochs: there is none, so no row would have features. Give at least one range of samples, or None "
                    "for one epoch of all samples.")
    if array.dtype.kind not in "iuf":
        raise ArgumentTypeError("epochs: the ranges are not numbers. Use an array of shape (n, 2).")
    if array.ndim != 2 or array.shape[1] != 2:
        raise Error(f"epochs: the shape is {array.shape}. Use (n, 2): the first sample of each epoch, and the first "
                    "sample after it.")
    if array.dtype.kind not in "iu" and not np.array_equal(array, np.floor(array)):
        raise Error("epochs: the ranges are not whole numbers. Give samples, not seconds.")
    return array.astype(np.int64, copy=False)
