# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays with names of dimensions, xarray.DataArray. xarray itself is never imported."""

from __future__ import annotations

from ._errors import Error


def is_labelled(x):
    """Whether x is a DataArray. This is decided by its attributes."""
    return hasattr(x, "dims") and hasattr(x, "coords") and hasattr(x, "values")


def axis_of(x, axis):
    """The number of a dimension that is given by its name."""
    if not isinstance(axis, str):
        return axis
    if axis not in x.dims:
        raise Error(f"axis: '{axis}' is not a dimension of x. Use one of {', '.join(map(str, x.dims))}.")
    return x.dims.index(axis)


def like(x, values, dims):
    """The values as a DataArray with these dimensions, and with the coordinates of x along the dimensions of x."""
    coords = {name: c for name, c in x.coords.items() if set(c.dims) <= set(dims)}
    return type(x)(values, dims=dims, coords=coords, attrs=x.attrs)
