# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices and quadratic forms, and the common code of all operators on arrays."""

from __future__ import annotations

import numpy as np

from . import _core, _devices, _inputs
from ._errors import Error

__all__ = ["bilinear_forms", "matmul", "quadratic_forms"]


def _type(out, dtype, *arrays):
    return _inputs.output_type(out) if out is not None else _inputs.is_double(dtype, *arrays)


def _budget(budget):
    return None if budget is None else _inputs.bytes_of(budget)


def matmul(a, b, *, out=None, dtype=None, alpha=1.0, beta=0.0, scale=1.0, offset=0.0, budget=None, threads=0):
    """Compute ``alpha * a @ b + beta * out``, with the broadcasting of numpy.matmul.

    Parameters
    ----------
    a, b : array of shape (..., m, k) and (..., k, n)
        Any strides.
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation. The array
        is read only if `beta` is not 0.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if a or b is float64, else float32.
    alpha, beta : float
        Factors of the product, and of the values in `out`.
    scale, offset : float
        Values of `a` are ``stored * scale + offset``, for arrays that are stored as integers.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (..., m, n)
        `out` if it is given.

    Raises
    ------
    synelix.Error
        Shapes do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.matmul(np.ones((5, 2, 3)), np.ones((3, 4))).shape
    (5, 2, 4)
    """
    like, target = a, _devices.output(out)
    a, b = _devices.array(a, "a"), _devices.array(b, "b")
    given = {"alpha": alpha, "beta": beta, "scale": scale, "offset": offset}
    numbers = [_inputs.real(name, value) for name, value in given.items()]
    result = _core.matmul(a, b, target, _type(target, dtype, a, b), *numbers, _budget(budget),
                          _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)


def quadratic_forms(x, a, *, out=None, dtype=None, budget=None, threads=0):
    """Compute ``x[i] @ a @ x[i]`` for each row i of x, without storing ``x @ a``.

    Parameters
    ----------
    x : array of shape (count, n)
    a : array of shape (n, n) or (matrices, n, n)
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (count,) or (matrices, count)

    Raises
    ------
    synelix.Error
        Shapes do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.quadratic_forms(np.array([[1.0, 2.0]]), np.eye(2))
    array([5.])
    """
    like, target = x, _devices.output(out)
    x, a = _devices.array(x, "x"), _devices.array(a, "a")
    result = _core.forms(x, a, None, target, _type(target, dtype, x, a), _budget(budget),
                         _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)


def bilinear_forms(x, a, y, *, out=None, dtype=None, budget=None, threads=0):
    """Compute ``x[i] @ a @ y[i]`` for each row i, as torch.nn.functional.bilinear without a bias.

    Parameters
    ----------
    x, y : arrays of shape (count, m) and (count, n)
    a : array of shape (m, n) or (matrices, m, n)
    out : array, optional
        The result is written to this array. Its type, float32 or float64, is the type of the computation.
    dtype : float32 or float64, optional
        The type of the computation and of the result. Default: float64 if an array is float64, else float32.
    budget, threads
        As in `convolve`.

    Returns
    -------
    array of shape (count,) or (matrices, count)

    Raises
    ------
    synelix.Error
        Shapes do not fit together.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.bilinear_forms(np.ones((1, 2)), np.ones((2, 3)), np.ones((1, 3)))
    array([6.])
    """
    like, target = x, _devices.output(out)
    x, a, y = (_devices.array(v, n) for v, n in ((x, "x"), (a, "a"), (y, "y")))
    result = _core.forms(x, a, y, target, _type(target, dtype, x, a, y), _budget(budget),
                         _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)


def options_of(stride, padding, dilation, groups, padding_mode, channels, budget, output_padding=0):
    """The options of a convolution that differ from their defaults, for the library."""
    given = {"stride": (stride, 1), "padding": (padding, 0), "dilation": (dilation, 1), "groups": (groups, 1),
             "padding_mode": (padding_mode, "zeros"), "channels": (channels, "first"),
             "output_padding": (output_padding, 0)}
    options = {name: value for name, (value, default) in given.items() if value is not default and value != default}
    if budget is not None:
        options["budget"] = _inputs.bytes_of(budget)
    return options


def sizes_of_space(name, size, n, channels, others):
    """Sizes of the n dimensions of space. `size` is a complete shape, or only these sizes.

    `others` are the sizes of the other two dimensions, as in the arrays. A complete shape must have them, too.
    """
    sizes = [_inputs.whole(name, s) for s in (size if np.iterable(size) else [size])]
    if len(sizes) == n + 2:
        space = sizes[1:-1] if channels == "last" else sizes[2:]
        whole = (others[0], *space, others[1]) if channels == "last" else (*others, *space)
        if None not in others and tuple(sizes) != whole:
            raise Error(f"{name}: {tuple(sizes)} does not match the arrays. Use {whole}.")
        return space
    if len(sizes) not in (1, n):
        raise Error(f"{name}: there are {len(sizes)} sizes. Use the whole shape of {n + 2}, or the {n} of space.")
    return sizes


def _size_at(x, axis, n):
    """The size of a dimension of an array with n dimensions of space; None if it has other dimensions."""
    shape = np.shape(x)
    return shape[axis] if len(shape) == n + 2 else None


def others_of_input(weight, grad_output, n, groups):
    """Batch and channels of an input, as these arrays have them."""
    channels, groups = _size_at(weight, 1, n), _inputs.whole("groups", groups)
    return _size_at(grad_output, 0, n), None if channels is None else channels * groups


def others_of_weight(input, grad_output, n, channels, groups):
    """Channels of the result, and channels of a group, as these arrays have them."""
    axis, groups = -1 if channels == "last" else 1, _inputs.whole("groups", groups)
    inputs = _size_at(input, axis, n)
    return _size_at(grad_output, axis, n), None if inputs is None or groups < 1 else inputs // groups


def call(operator, dimensions, first, second, bias, out, dtype, scale, offset, size, threads, options):
    """Runs a convolution on arrays."""
    like, target = first, _devices.output(out)
    first = _devices.array(first, "grad_output" if operator == "grad_input" else "input")
    second = _devices.array(second, "grad_output" if operator == "grad_weights" else "weight")
    bias = None if bias is None else _devices.array(bias, "bias")
    result = _core.conv(operator, dimensions, first, second, bias, target, _type(target, dtype, first, second),
                        _inputs.real("scale", scale), _inputs.real("offset", offset), options, size,
                        _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)
