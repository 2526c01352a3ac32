# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The common part of all bases: sums, products, features, splitting, parameters. Names and meanings are those of
NeMoS."""

from __future__ import annotations

import copy
import math
import time
from typing import TYPE_CHECKING, overload

import numpy as np

from . import _core, _devices, _inputs, _pynapple, _reports, _times, _xarray
from ._basis_inputs import _input_of, _shape_of
from ._basis_parameters import HasParameters
from ._convolve import options_of
from ._errors import ArgumentTypeError, Error
from ._events import Events

if TYPE_CHECKING:
    from ._transformer import TransformerBasis
    from ._types import Any, Array, ArrayLike, FeaturesOptions, Floats, Out, Self, Unpack
    from .basis import AdditiveBasis, MultiplicativeBasis


class Basis(HasParameters):
    """A basis, or a sum or product of bases.

    ``a + b`` has the columns of a, followed by those of b. ``a * b`` multiplies each column of a by each column of
    b, channel by channel. ``2 * a`` is ``a + a``, and ``a ** 2`` is ``a * a``, each of copies.

    Examples
    --------
    >>> import synelix as sx
    >>> a, b = sx.BSplineEval(5), sx.MSplineEval(6)
    >>> (a + b).n_basis_funcs, (a * b).n_basis_funcs, (2 * a).n_basis_funcs
    (11, 30, 10)
    """

    # ---- what each kind of basis defines
    def _atoms(self):
        """Atomic bases from left to right. Each takes the next inputs."""
        raise NotImplementedError

    def _terms(self):
        """Summands of the entire expression."""
        return [self]

    def _expression(self):
        """The expression of the library."""
        raise NotImplementedError

    def _columns_of_channel(self):
        """Columns of one channel."""
        raise NotImplementedError

    def _label_of(self, names):
        """The label of this basis. The argument has the label of each atom."""
        raise NotImplementedError

    # ---- labels
    def _labels(self):
        """Labels of all atoms. A default label that occurs again gets a number."""
        names, seen = {}, {}
        for atom in self._atoms():
            label = atom._own_label
            if label == type(atom).__name__:
                count = seen.get(label, 0)
                seen[label] = count + 1
                label = f"{label}_{count}" if count else label
            names[id(atom)] = label
        return names

    @property
    def label(self) -> str:
        """Name of the basis in `split_by_feature`."""
        return self._label_of(self._labels())

    # ---- composition
    def __add__(self, other: Basis) -> AdditiveBasis:
        from .basis import AdditiveBasis

        return AdditiveBasis(self, other) if isinstance(other, Basis) else NotImplemented

    @overload
    def __mul__(self, other: Basis) -> MultiplicativeBasis: ...
    @overload
    def __mul__(self, other: int) -> Basis: ...

    def __mul__(self, other):
        from .basis import MultiplicativeBasis

        if isinstance(other, Basis):
            return MultiplicativeBasis(self, other)
        return self._repeated(other, "__add__") if isinstance(other, (int, np.integer)) else NotImplemented

    def __rmul__(self, other: int) -> Basis:
        return self * other

    def __pow__(self, exponent: int) -> Basis:
        if not isinstance(exponent, (int, np.integer)):
            raise ArgumentTypeError(f"exponent: {exponent!r} is not a whole number. Use an int of 1 or more.")
        return self._repeated(exponent, "__mul__")

    def _repeated(self, count, operation):
        if count < 1:
            raise Error(f"count: {count} is below 1. Use 1 or more.")
        if any(a._own_label != type(a).__name__ for a in self._atoms()) and count > 1:
            raise Error("label: copies of a basis with a label of your own would share it. Leave the label out.")
        result = copy.deepcopy(self)
        for _ in range(count - 1):
            result = getattr(result, operation)(self)
        return result

    # ---- shapes
    def set_input_shape(self, *xi: Any) -> Self:
        """Set the shapes of the inputs.

        Parameters
        ----------
        *xi : int, tuple of int, or array
            For each input: its number of channels, its dimensions without time, or an array of this shape. A single
            value is used for all inputs.

        Returns
        -------
        self

        Raises
        ------
        synelix.Error
            The number of values is not the number of inputs, or a value is not a shape.

        Examples
        --------
        >>> import synelix as sx
        >>> sx.BSplineConv(5, window_size=10).set_input_shape(3).n_output_features
        15
        """
        shapes = [_shape_of(x) for x in xi]
        atoms = self._atoms()
        if len(shapes) == 1:
            shapes *= self._count_inputs()
        self._require_count(shapes)
        for atom in atoms:
            atom._input_shape = shapes[0]
            del shapes[: atom._n_inputs]
        return self

    def setup_basis(self, *xi: Any) -> Self:
        """Set the shapes of the inputs from arrays. The kernels exist already.

        Parameters
        ----------
        *xi : array of shape (samples, ...)
            One array for each input.

        Returns
        -------
        self

        Raises
        ------
        synelix.Error
            The number of arrays is not the number of inputs.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> sx.BSplineConv(5, window_size=10).setup_basis(np.ones((50, 3))).input_shape
        [(3,)]
        """
        return self.set_input_shape(*xi)

    @property
    def input_shape(self) -> list[tuple[int, ...] | None]:
        """Dimensions of each input without time, a list of tuples. An entry is None until it is known."""
        return [a._input_shape for a in self._atoms() for _ in range(a._n_inputs)]

    @property
    def n_output_features(self) -> int | None:
        """Number of columns of the features, or None until the shape of the inputs is known."""
        widths = [t._width() for t in self._terms()]
        return None if any(w is None for w in widths) else sum(widths)

    def _width(self):
        shape = self._atoms()[0]._input_shape
        return None if shape is None else math.prod(shape) * self._columns_of_channel()

    def _count_inputs(self):
        return sum(a._n_inputs for a in self._atoms())

    def _require_count(self, inputs):
        wanted = self._count_inputs()
        if len(inputs) != wanted:
            raise ArgumentTypeError(f"inputs: {len(inputs)} were given to a basis of {wanted}. Give one array for "
                                    "each input.")

    # ---- computing
    @overload
    def compute_features(self, *xi: Any, out: Out, **options: Unpack[FeaturesOptions]) -> Out: ...
    @overload
    def compute_features(self, *xi: Array, out: None = None, **options: Unpack[FeaturesOptions]) -> Array: ...
    @overload
    def compute_features(self, *xi: Any, out: None = None, **options: Unpack[FeaturesOptions]) -> Any: ...

    def compute_features(self, *xi, epochs=None, out=None, dtype=None, budget=None, threads=0, border="nan", every=1,
                         method="auto", machine=None, **more):
        """Compute the features of the inputs, as one matrix.

        Parameters
        ----------
        *xi : array of shape (samples, ...), pynapple Tsd, TsdFrame or TsdTensor, xarray.DataArray, or Events
            One input for each basis, from left to right. They are read like the input of `convolve`.
        epochs : array of shape (n, 2), or pynapple IntervalSet for pynapple objects, optional
            Half-open ranges of samples that no window crosses. Default: those of the pynapple objects or Events
            among the inputs. These must be the same for all inputs.
        out : array of shape (rows, columns), optional
            The features are written to this array. Its type, float32 or float64, is the type of the computation.
            Its strides are above 0.
        dtype : float32 or float64, optional
            The type of the computation and of the features. Default: float64 if an input is float64, or was copied
            from a type of 32 bits or more; else float32.
        budget : int or str, optional
            Bytes that the call may use beyond the inputs and the result, such as "512MiB".
        threads : int
            The number of threads. 0 means the number of `set_num_threads`. The call never uses more threads than
            were started.
        border, every, method, machine
            As in `convolve`.
        **more : int or str
            batch_size_samples, batch_size_channels, batch_size_basis, instruction_set. They change the speed and
            the memory, as in `convolve`.

        Returns
        -------
        array of shape (rows, columns)
            For a basis with K functions, column ``v * K + k`` is function k of channel v. If an input is a pynapple
            object, the result is a TsdFrame. Else, if one is a DataArray, it is a DataArray with the dimensions of
            time and "feature". With `out`, with ``border="valid"``, or with `every` other than 1, it is a plain
            array.

        Raises
        ------
        synelix.Error
            Inputs do not fit together or have different times, or the ``conv_kwargs`` of two bases have different batch
            sizes.
        synelix.ArgumentTypeError
            The number of inputs is not that of the basis, or an input is not numeric. It is a TypeError too.
        synelix.BudgetError
            The budget is too small. The message names the smallest budget that works.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> basis = sx.RaisedCosineLogConv(n_basis_funcs=8, window_size=100)
        >>> basis.compute_features(np.ones((1000, 10), np.float32)).shape
        (1000, 80)
        """
        self._require_count(xi)
        tsd, events = _pynapple.first_tsd(xi), next((x for x in xi if isinstance(x, Events)), None)
        labelled = next((x for x in xi if _xarray.is_labelled(x)), None)
        keeps_rows = out is None and border != "valid" and every == 1
        if labelled is not None and keeps_rows and tsd is None:
            _xarray.require_free(labelled, "feature")
        epochs = _pynapple.epochs_of_inputs(xi, epochs)
        _times.common_times_of_list(xi, "xi")
        threads = _inputs.whole("threads", threads)
        inputs = [_input_of(x, k) for k, x in enumerate(xi)]
        self.set_input_shape(*(tuple(x.shape[1:]) for x in inputs))
        target = _devices.output(out)
        double = _inputs.output_type(target) if out is not None else _inputs.is_double(dtype, *inputs)
        options = options_of(budget, border=border, every=every, method=method,
                             more={**self._batches_but(more), **more}, machine=machine)
        logger = _reports.logger_for(_reports.DEBUG)
        started = time.perf_counter() if logger else 0.0
        values, _ = _core.compute_features(self._expression(), inputs, epochs, target, double, options, threads)
        values = _devices.given_back(values, next((x for x in xi if not isinstance(x, Events)), None), out)
        if logger:
            logger.debug("%s: features of shape %s in %.3g s", self.label, values.shape, time.perf_counter() - started)
        if not keeps_rows:
            return values
        if tsd is not None:
            return _pynapple.like(tsd, values)
        if labelled is not None:
            return _xarray.like(labelled, values, (labelled.dims[0], "feature"))
        return values if events is None else events._with_times(values)

    def _batches_but(self, given):
        """Batch sizes in the conv_kwargs of the bases, without those that the call gives."""
        found = {}
        for atom in self._atoms():
            for name, value in atom._batches().items():
                if name not in given and found.setdefault(name, value) != value:
                    raise Error(f"{name}: the bases have {found[name]} and {value}, and a call has one. Give it to "
                                "compute_features.")
        return {name: value for name, value in found.items() if name not in given}

    @overload
    def split_by_feature(self, x: Array, axis: int = 1) -> dict[str, Array]: ...
    @overload
    def split_by_feature(self, x: Any, axis: int = 1) -> dict[str, Any]: ...

    def split_by_feature(self, x, axis=1):
        """Split features or coefficients into the parts of each term.

        Parameters
        ----------
        x : array of shape (samples, columns), or (columns, ...) with ``axis=0``
            Features, or coefficients. Dimension `axis` has one entry for each column of the features.
        axis : int
            The dimension that is split. It becomes (channels..., functions).

        Returns
        -------
        dict
            The part of each term by its label. Parts are views of `x`.

        Raises
        ------
        synelix.Error
            The shapes of the inputs are not known, or `axis` does not have one entry for each column.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> basis = sx.BSplineConv(5, window_size=10) + sx.MSplineEval(6)
        >>> features = basis.compute_features(np.ones((50, 2)), np.linspace(0, 1, 50))
        >>> {label: part.shape for label, part in basis.split_by_feature(features).items()}
        {'BSplineConv': (50, 2, 5), 'MSplineEval': (50, 6)}
        """
        _inputs.refuse_kinds("x", x, leave="cMmOSTUV")
        tsd = x if _pynapple.is_tsd(x) else None
        values = tsd.values if tsd is not None else np.asarray(x)
        wanted = self.n_output_features
        if wanted is None:
            raise Error("input_shape: it is not known. Call compute_features or set_input_shape first.")
        axis = _inputs.axis_of(axis, values.ndim)
        if values.shape[axis] != wanted:
            raise Error(f"x: dimension {axis} has {values.shape[axis]} entries, not the {wanted} of the features. "
                        "Give one for each column.")
        names, parts, first = self._labels(), {}, 0
        for term in self._terms():
            label, shape = term._label_of(names), term._atoms()[0]._input_shape
            part = values[(slice(None),) * axis + (slice(first, first + term._width()),)]
            first += term._width()
            if label in parts:
                raise Error(f"label: '{label}' is the label of two terms. Give each its own.")
            part = part.reshape(*values.shape[:axis], *shape, term._columns_of_channel(), *values.shape[axis + 1 :])
            parts[label] = part if tsd is None or axis == 0 else _pynapple.like(tsd, part)
        return parts

    def to_transformer(self) -> TransformerBasis:
        """Make a transformer of scikit-learn. Its matrix has the columns of all inputs.

        Returns
        -------
        TransformerBasis

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> basis = sx.BSplineConv(5, window_size=10).set_input_shape(2)
        >>> basis.to_transformer().fit_transform(np.ones((50, 2))).shape
        (50, 10)
        """
        from ._transformer import TransformerBasis

        return TransformerBasis(copy.deepcopy(self))

    # ---- evaluation
    def evaluate(self, *xi: ArrayLike) -> Floats:
        """Evaluate the functions at the samples of the inputs. Without bounds, the smallest and the largest value
        of an input are the ends of the range.

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
            The number of inputs is not that of the basis, their shapes differ, or they do not hold numbers.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> x = np.linspace(0, 1, 20)
        >>> sx.MSplineEval(5).evaluate(x).shape, (sx.BSplineEval(5) * sx.MSplineEval(4)).evaluate(x, x).shape
        ((20, 5), (20, 20))
        """
        self._require_count(xi)
        return self._evaluate(xi)

    def evaluate_on_grid(self, *n_samples: int) -> tuple[Floats, ...]:
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
            The number of arguments is not that of the inputs, or one is less than 1.

        Examples
        --------
        >>> import synelix as sx
        >>> sx.MSplineEval(5).evaluate_on_grid(20)[-1].shape
        (20, 5)
        >>> (sx.BSplineEval(5) * sx.MSplineEval(4)).evaluate_on_grid(7, 8)[-1].shape
        (7, 8, 20)
        """
        self._require_count(n_samples)
        return self._evaluate_on_grid(n_samples)


class CountsColumns(Basis):
    """A basis without the parameter `n_basis_funcs`."""

    @property
    def n_basis_funcs(self) -> int:
        """Columns of one channel."""
        return self._columns_of_channel()
