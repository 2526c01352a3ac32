# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays with names of dimensions, xarray.DataArray. xarray itself is never imported."""

from __future__ import annotations

from ._errors import Error


def is_labelled(x):
    """Whether x is a DataArray. This is decided by its attributes. A Dataset holds several."""
    return hasattr(x, "dims") and hasattr(x, "coords") and hasattr(x, "values") and not hasattr(x, "data_vars")


def axis_of(x, axis):
    """The number of a dimension that is given by its name."""
    if not isinstance(axis, str):
        return axis
    if axis not in x.dims:
        raise Error(f"axis: '{axis}' is not a dimension of x. Use one of {', '.join(map(str, x.dims))}.")
    return x.dims.index(axis)


def require_free(x, name):
    """Refuses an x that uses the name of the last dimension of the result."""
    if is_labelled(x) and (name in x.dims or name in x.coords):
        raise Error(f"x: it has a dimension or a coordinate named '{name}', which is the name of the last dimension of "
                    f"the result. Rename it: x.rename({{'{name}': 'channel'}}).")


def like(x, values, dims):
    """The values as a DataArray with these dimensions, and with the coordinates of x along the dimensions of x."""
    coords = {name: c for name, c in x.coords.items() if set(c.dims) <= set(dims)}
    return type(x)(values, dims=dims, coords=coords, attrs=x.attrs)
