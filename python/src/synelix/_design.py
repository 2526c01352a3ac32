# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Designs: matrices of features that are not stored."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _devices, _inputs, _pynapple, _times
from ._basis_core import Basis
from ._basis_inputs import _input_of
from ._errors import ArgumentTypeError, BudgetError, Error
from ._events import Events
from ._reports import Explanation
from ._files import is_stored, source_of
from ._machine import Machine, add_machine

if TYPE_CHECKING:
    from ._types import Any, ArrayLike, Budget, Floats, Keep, Method


class Design:
    """The features of a basis as a matrix for products and fits. The matrix is not stored.

    Sums leave out each row with a NaN or infinite feature, such as a row whose window leaves its epoch. Features are
    float32. Sums are float64.

    Parameters
    ----------
    basis : Basis
        The basis that defines the columns.
    *xi : array of shape (samples, ...), pynapple object, Events, or recording in a file
        One input for each input of the basis. The design does not copy them. If arrays lie in memory of a device (in a
        build for CUDA), products and fits compute there, and return arrays of NumPy. A recording is a path
        "FILE:/dataset", or a dataset of h5py or zarr. Each product reads it again.
    epochs : array of shape (n, 2), or pynapple IntervalSet for pynapple objects, optional
        Half-open ranges of samples that no window crosses. Default: those of the pynapple objects or Events among the
        inputs, and those of a signal in an NWB file, which end at gaps between its timestamps.
    keep : {"auto", "nothing", "features"}
        Whether computed features are kept in memory. "auto" keeps them if they fit into half of the budget and this
        saves time.
    method : {"auto", "direct", "fft", "events"}
        How features are computed, as in `convolve`. "auto" takes the method that is predicted to be the fastest.
    budget : int or str, optional
        Bytes that the matrix and its products may use beyond the inputs, such as "512MiB".
    threads : int
        The number of threads. 0 means the number of `set_num_threads`. The call never uses more threads than were
        started.
    machine : Machine, optional
        A calibration, as in `convolve`. It decides which method "auto" takes, and whether features are kept.
    time_axis : int, optional
        The dimension that is time, as in `convolve_file`. Each input must then be a path.

    Attributes
    ----------
    basis : Basis
        The basis.
    shape : (int, int)
        Rows and columns.

    Raises
    ------
    synelix.Error
        Inputs do not fit the basis or each other, or have different times.
    synelix.FileError
        A file cannot be read.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> design = sx.Design(sx.BSplineConv(5, window_size=10), np.arange(100.0) % 7)
    >>> design.shape, (design @ np.ones(5)).shape, design.valid_rows()
    ((100, 5), (100,), [(10, 100)])
    """

    def __init__(self, basis: Basis, *xi: Any, epochs: Any = None, keep: Keep = "auto", method: Method = "auto",
                 budget: Budget = None, threads: int = 0, machine: Machine | None = None,
                 time_axis: int | None = None) -> None:
        if not isinstance(basis, Basis):
            raise ArgumentTypeError(f"basis: {type(basis).__name__} is not a basis. Use one of synelix.basis.")
        basis._require_count(xi)
        self.basis = basis
        self._tsd = _pynapple.first_tsd(xi)
        self._events = next((x for x in xi if isinstance(x, Events)), None)
        epochs, threads = _pynapple.epochs_of_inputs(xi, epochs), _inputs.whole("threads", threads)
        is_streamed = any(is_stored(x) for x in xi)
        if time_axis is not None and not is_streamed:
            raise Error("time_axis: no input is a path. Use FILE:/dataset, or arrays whose first dimension is time "
                        "(numpy.moveaxis).")
        times = _times.common_times_of_list(xi, "xi")
        if is_streamed:
            inputs = [source_of(x, epochs, f"xi[{k}]", time_axis) for k, x in enumerate(xi)]
            for k, source in enumerate(inputs):
                times += _times.times_of_source(source, f"xi[{k}]")
            times = _times.require_same(times)
        else:
            inputs = [_input_of(x, k) for k, x in enumerate(xi)]
        self._times = times
        basis.set_input_shape(*(tuple(x.shape[1:]) for x in inputs))
        options = {"keep": keep, "method": method}
        if budget is not None:
            options["budget"] = _inputs.bytes_of(budget)
        add_machine(options, machine)
        if is_streamed:
            self._core = _core.Design(basis._expression(), inputs, options, threads)
        else:
            self._core = _core.Design(basis._expression(), inputs, epochs, options, threads)

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)"""
        return self._core.rows, self._core.columns

    def __len__(self) -> int:
        return self._core.rows

    def valid_rows(self) -> list[tuple[int, int]]:
        """Return the rows that sums include.

        Returns
        -------
        list of (int, int)
            Half-open ranges of rows.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> design = sx.Design(sx.BSplineConv(5, window_size=10), np.arange(100.0) % 7)
        >>> design.valid_rows()
        [(10, 100)]
        """
        return self._core.valid_rows()

    def __matmul__(self, coefficients: ArrayLike) -> Floats:
        """Multiply by coefficients of shape (columns,) or (columns, n). Rows that are not valid are NaN."""
        return self._core.apply(_inputs.as_array(coefficients, "coefficients"))

    def adjoint(self, residuals: ArrayLike) -> Floats:
        """Multiply the transposed matrix by residuals, over the valid rows.

        Parameters
        ----------
        residuals : array of shape (rows,) or (rows, n)
            Values of rows that are not valid are not read.

        Returns
        -------
        array of shape (columns,) or (columns, n)

        Raises
        ------
        synelix.Error
            The number of residuals is not the number of rows.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> design = sx.Design(sx.BSplineConv(5, window_size=10), np.arange(100.0) % 7)
        >>> design.adjoint(np.ones(100)).shape
        (5,)
        """
        return self._core.apply_adjoint(_inputs.as_array(residuals, "residuals"))

    def gram(self, weights: ArrayLike | None = None) -> Floats:
        """Compute ``[X 1]' diag(weights) [X 1]`` over the valid rows.

        Parameters
        ----------
        weights : array of shape (rows,), optional
            Default: all are 1.

        Returns
        -------
        array of shape (columns + 1, columns + 1)

        Raises
        ------
        synelix.Error
            The number of weights is not the number of rows.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> design = sx.Design(sx.BSplineConv(5, window_size=10), np.arange(100.0) % 7)
        >>> design.gram().shape
        (6, 6)
        """
        return self._core.gram(None if weights is None else _inputs.as_array(weights, "weights"))

    def split_by_feature(self, x: Any, axis: int = 0) -> dict[str, Any]:
        """Split coefficients into the parts of each term, as `Basis.split_by_feature` does.

        Parameters
        ----------
        x : array of shape (columns, ...)
            Coefficients.
        axis : int
            The dimension that is split.

        Returns
        -------
        dict
            The part of each term by its label.

        Raises
        ------
        synelix.Error
            The length of `axis` is not the number of columns.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> design = sx.Design(sx.BSplineConv(5, window_size=10), np.arange(100.0) % 7)
        >>> design.split_by_feature(np.ones((5, 2)))['BSplineConv'].shape
        (5, 2)
        """
        return self.basis.split_by_feature(x, axis=axis)

    def explain(self) -> Explanation:
        """Explain how rows are computed.

        Returns
        -------
        Explanation
            Shape, source, instruction set, and bytes.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> design = sx.Design(sx.BSplineConv(5, window_size=10), np.arange(100.0) % 7)
        >>> design.explain()['columns']
        5
        """
        return Explanation({"rows": self._core.rows, "columns": self._core.columns, **self._core.choice()})

    def _like(self, values):
        """Values of all rows, with the times of the inputs if the inputs have times."""
        if self._tsd is not None:
            return _pynapple.like(self._tsd, values)
        return values if self._events is None else self._events._with_times(values)

    def __reduce__(self):
        raise ArgumentTypeError("Design: a design refers to its inputs, and cannot be pickled or copied. "
                                "Pickle the basis and the inputs, and make the design in each process.")

    def __repr__(self):
        return f"Design({self.basis.label}, rows={self._core.rows}, columns={self._core.columns})"

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


class StoredDesign:
    """A stored matrix of features, in the form that fits take.

    If `fitting`, a budget that is too small for the matrix is refused by `require_room`, which knows what the fit needs.
    """

    def __init__(self, x, budget=None, threads=0, fitting=False):
        self._tsd = x if _pynapple.is_tsd(x) else None
        self._times = _times.times_of(x, "X")
        array = _devices.array(x.values if self._tsd is not None else x, "X")
        if array.ndim != 2:
            raise Error(f"X: the array has {array.ndim} dimensions. Use two: (samples, features).")
        options = {} if budget is None else {"budget": _inputs.bytes_of(budget)}
        self._refusal = None
        try:
            self._core = _core.Design(array, options, threads)
        except BudgetError as error:
            if not fitting or budget is None:
                raise
            self._refusal, self._budget = error, options["budget"]
            self._core = _core.Design(array, {"budget": error.least_bytes}, threads)

    @property
    def shape(self):
        return self._core.rows, self._core.columns

    def _like(self, values):
        return values if self._tsd is None else _pynapple.like(self._tsd, values)


def design_of(x, budget=None, threads=0, fitting=False):
    """Makes a design from the X of a fit. If X is a Design, it has its own budget and threads."""
    threads = _inputs.whole("threads", threads)
    if threads < 0:
        raise Error(f"threads: {threads} is negative. Give 0 for all, or more.")
    if budget is not None:
        _inputs.bytes_of(budget)
    return x if isinstance(x, Design) else StoredDesign(x, budget, threads, fitting)


def require_room(design, check, *arguments):
    """Refuses a budget that a stored matrix found too small, and names the least that `check` accepts, too."""
    refusal = getattr(design, "_refusal", None)
    if refusal is None:
        return
    try:
        check(design._core, *arguments)
    except BudgetError as error:
        found = "1 byte is" if design._budget == 1 else f"{design._budget} bytes are"
        raise BudgetError(f"budget: {found} not enough. Give at least {error.least_bytes} bytes to fit.",
                          error.least_bytes) from None
    raise refusal


def require_samples(x, name):
    """Refuses an X without samples, or with more dimensions than a fit takes."""
    if isinstance(x, Design) or (isinstance(x, Events) and name == "y"):
        return
    if x is None:
        raise ArgumentTypeError(f"{name}: None is not an array. Give an array of numbers.")
    if name != "X" or not _devices.lies_on_device(x):
        _inputs.require_host(name, x)
    _inputs.refuse_kinds_of_estimators(name, x)
    dimensions = getattr(x, "ndim", 1 if isinstance(x, list) and x and isinstance(x[0], numbers.Real) else 2)
    if name == "X" and dimensions == 1:
        raise Error("X: the array has 1 dimension. Reshape your data to two: X.reshape(-1, 1) if it has one feature.")
    if name == "X" and dimensions > 2:
        raise Error(f"X: the shape is {tuple(x.shape)}. Use two dimensions: basis.compute_features makes a matrix, and "
                    "X.reshape(len(X), -1) makes one of the result of convolve.")


def count_of(targets):
    """The number of targets."""
    return targets.shape[1] if len(targets.shape) > 1 else 1


def targets_of(y):
    """Targets for the library: an array, or spike trains."""
    if isinstance(y, Events):
        return y._core
    return _inputs.as_array(np.asarray(y.values) if _pynapple.is_tsd(y) else y, "y")
