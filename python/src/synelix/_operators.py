# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of matrices and quadratic forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import _core, _devices, _inputs

if TYPE_CHECKING:
    from ._types import Any, Array, ArrayLike, Budget, DType

__all__ = ["bilinear_forms", "matmul", "quadratic_forms"]


def type_of(out, dtype, *arrays):
    """Whether the computation is in float64."""
    return _inputs.output_type(out) if out is not None else _inputs.is_double(dtype, *arrays)


def _budget(budget):
    return None if budget is None else _inputs.bytes_of(budget)


def matmul(a: ArrayLike, b: ArrayLike, *, out: Any = None, dtype: DType = None, alpha: float = 1.0, beta: float = 0.0,
           scale: float = 1.0, offset: float = 0.0, budget: Budget = None, threads: int = 0) -> Array:
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
    result = _core.matmul(a, b, target, type_of(target, dtype, a, b), *numbers, _budget(budget),
                          _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)


def quadratic_forms(x: ArrayLike, a: ArrayLike, *, out: Any = None, dtype: DType = None, budget: Budget = None,
                    threads: int = 0) -> Array:
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
    result = _core.forms(x, a, None, target, type_of(target, dtype, x, a), _budget(budget),
                         _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)


def bilinear_forms(x: ArrayLike, a: ArrayLike, y: ArrayLike, *, out: Any = None, dtype: DType = None,
                   budget: Budget = None, threads: int = 0) -> Array:
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
    result = _core.forms(x, a, y, target, type_of(target, dtype, x, a, y), _budget(budget),
                         _inputs.whole("threads", threads))
    return _devices.given_back(result, like, out)
