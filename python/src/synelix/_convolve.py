# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution in memory, and how it is computed."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, overload

import numpy as np

from . import _core, _devices, _inputs, _pynapple, _reports, _xarray
from ._errors import ArgumentTypeError, Error
from ._events import Events
from ._reports import Explanation
from ._filters import bank_of, options_of_window
from ._machine import Machine, add_machine

if TYPE_CHECKING:
    from ._types import (
        Any, Array, Border, Budget, Causality, ConvolveOptions, DType, Filters, Method, Out, Trials, Unpack,
    )


def options_of(budget, causality="causal", shift=None, border="nan", every=1, method="auto", more=None,
               machine=None):
    """The options that differ from their defaults, for the library."""
    options = more or {}
    if budget is not None:
        options["budget"] = _inputs.bytes_of(budget)
    if causality != "causal":
        options["causality"] = causality
    if shift is not None:
        options["shift"] = shift
    if border != "nan":
        options["border"] = border
    if every != 1:
        options["every"] = every
    if method != "auto":
        options["method"] = method
    add_machine(options, machine)
    return options


@overload
def convolve(x: Any, filters: Filters, *, out: Out, **options: Unpack[ConvolveOptions]) -> Out: ...
@overload
def convolve(x: Array, filters: Filters, *, out: None = None, **options: Unpack[ConvolveOptions]) -> Array: ...
@overload
def convolve(x: Trials, filters: Filters, *, out: None = None, **options: Unpack[ConvolveOptions]) -> list[Array]: ...
@overload
def convolve(x: Any, filters: Filters, *, out: None = None, **options: Unpack[ConvolveOptions]) -> Any: ...


def convolve(x, filters, *, epochs=None, out=None, dtype=None, axis=0, causality=None, shift=None, border="nan",
             every=1, scale=1.0, offset=0.0, method="auto", budget=None, threads=0, machine=None, on_device=False, **more):
    """Convolve a series, or spike trains, with every filter of a bank.

    For each channel and each filter, ``features[t] = sum over w of taps[w] * x[t + o - w]``. The offset o follows from
    `causality` and `shift` as in NeMoS. By default it is -1, so that a row depends on the samples before it.

    Parameters
    ----------
    x : array, pynapple Tsd, TsdFrame or TsdTensor, xarray.DataArray, Events, or list of arrays
        Samples along `axis`. Arrays of float32, float64, (u)int8, (u)int16 and bool are read without a copy, with
        any strides. Other types are copied. A list holds trials of any lengths, whose first dimension is time. In a
        build for CUDA, an array in memory of the device is convolved there, after the work in its stream.
    filters : basis in conv mode (of this package or of NeMoS), FilterBank, or array of shape (window, bases)
        The taps of each filter. The window is in samples.
    epochs : array of shape (n, 2), or pynapple IntervalSet for a pynapple object, optional
        Half-open ranges of samples that no window crosses. An IntervalSet is in seconds. Rows outside are NaN.
        Default: the time support of a pynapple object, else one epoch. Events have their own epochs. Each trial of
        a list is one epoch.
    out : array of shape (*x.shape, bases), optional
        The features are written to this array. Its type, float32 or float64, is the type of the computation. Its
        strides are above 0. The fastest output begins at a multiple of 64 bytes, like the results that the library
        allocates.
    dtype : float32 or float64, optional
        The type of the computation and of the features. Default: float64 if x is float64, or was copied from a type
        of 32 bits or more; else float32.
    axis : int, or name of a dimension of a DataArray
        The dimension along time.
    causality : {"causal", "acausal", "anti-causal"}, optional
        Whether the window is before the sample of a row, around it, or after it. Default: that of the
        ``conv_kwargs`` of a basis, else "causal".
    shift : bool, optional
        Whether windows leave out the present sample. Default: that of the ``conv_kwargs`` of a basis, else as in
        NeMoS: true, except for acausal windows.
    border : {"nan", "zero", "valid"}
        What happens to rows whose window leaves its epoch: they are NaN, they are computed with zeros outside of
        the epoch, or they are left out.
    every : int
        Only every n-th sample of each epoch becomes a row.
    scale, offset : float
        Physical values are ``stored * scale + offset``.
    method : {"auto", "direct", "fft", "events"}
        How sums are computed. "direct" multiplies each sample by each tap. "fft" uses Fourier transforms, which are
        faster for long windows. "events" adds the taps of each spike, and needs Events. "auto" takes the method
        that is predicted to be the fastest. Results of "fft" differ from the others by rounding errors.
    budget : int or str, optional
        Bytes that the call may use beyond x and the result, such as "512MiB". Default: a quarter of the free memory.
    threads : int
        The number of threads. 0 means the number of `set_num_threads`. The call never uses more threads than were
        started.
    machine : Machine, optional
        A calibration, from `calibrate` or `Machine.load`. It decides which method "auto" takes, and the call uses its
        instruction set. Default: the constants of the library, so that every machine of a set takes the same method.
    on_device : bool
        In a build for CUDA, take samples or spike trains of the host through the device in blocks, and bring the
        features back. `budget` then limits the memory of the device, and the same number of bytes the memory of the
        host. Default: the host computes on arrays of the host. Arrays in memory of the device need no such word.
    **more : int or str
        Options that change only the speed and the memory. batch_size_samples, batch_size_channels and
        batch_size_basis are the largest numbers of samples, channels and bases that are computed at once.
        instruction_set is "auto", "plain", "avx2" or "avx512", or on Arm "neon" or "sve256". fft_parts, 1 to 16,
        is the number of parts into which the FFT method cuts the window.

    Returns
    -------
    array of shape (*x.shape, bases)
        `out` if it is given. A pynapple object gives a TsdFrame or TsdTensor with its times. A DataArray gives a
        DataArray with a last dimension "basis". A list gives a list. With `out`, with ``border="valid"``, or with
        `every` other than 1, the result is a plain array. The features of a device array stay there. They are an
        array of its library (CuPy, PyTorch, JAX), or have ``__dlpack__`` and ``__cuda_array_interface__``. They are
        complete when the call returns.

    Raises
    ------
    synelix.Error
        An argument is invalid. The error is a ValueError. It names the argument and says what to do.
    synelix.BudgetError
        The budget is too small. The error is a MemoryError too. It names the smallest budget that works.
    TypeError
        `more` has a name that is not known.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> counts = np.zeros((1000, 10), np.int8)
    >>> features = sx.convolve(counts, sx.RaisedCosineLogConv(8, window_size=100), budget="64MiB")
    >>> features.shape, features.dtype
    ((1000, 10, 8), dtype('float32'))
    """
    bank = bank_of(filters)
    options = options_of(budget, *options_of_window(filters, causality, shift), border, every, method, more, machine)
    if on_device:
        options["on_device"] = True
    given, out = out, _devices.output(out)
    double = _inputs.output_type(out) if out is not None else None
    logger = _reports.logger_for(_reports.DEBUG)
    started = time.perf_counter() if logger else 0.0
    try:
        if type(x) is np.ndarray:
            result = _convolve_array(x, bank, out, double, dtype, axis, epochs, scale, offset, options, threads)
        else:
            result = _convolve_other(x, bank, out, double, dtype, axis, epochs, scale, offset, options, threads,
                                     out is None and border != "valid" and every == 1)
    except TypeError:
        _inputs.check_numbers(axis if not isinstance(axis, str) else 0, scale, offset, threads)
        raise
    if given is not None:
        result = given
    if logger:
        shape = [r.shape for r in result] if isinstance(result, list) else result.shape
        logger.debug("convolve: features of shape %s in %.3g s", shape, time.perf_counter() - started)
    return result


def _convolve_array(x, bank, out, double, dtype, axis, epochs, scale, offset, options, threads):
    given, x = x, _devices.array(x)
    if double is None:
        double = _inputs.is_double(dtype, x)
    if axis != 0:
        axis = _inputs.axis_of(axis, x.ndim)
    result = _core.convolve(x, bank, out, double, axis, _inputs.epochs_array(epochs), scale, offset, options, threads)
    return _devices.given_back(result, given)


def _convolve_other(x, bank, out, double, dtype, axis, epochs, scale, offset, options, threads, keeps_rows):
    """Convolves inputs other than plain arrays of NumPy. If the rows are those of x, the result has the kind of
    x."""
    if isinstance(x, Events):
        _refuse("Events", epochs=epochs, axis=axis or None, scale=None if scale == 1 else scale, offset=offset or None)
        values = _core.convolve_trains(x._core, bank, out, _inputs.is_double(dtype) if double is None else double,
                                       options, threads)
        return x._with_times(values) if keeps_rows else values
    if _inputs.are_trials(x):
        _refuse("a list of trials", out=out, epochs=epochs, axis=axis or None)
        if scale == 1 and offset == 0 and not any(_pynapple.is_tsd(t) for t in x):
            trials = [_devices.array(t, f"x[{k}]") for k, t in enumerate(x)]
            results = _core.convolve_trials(trials, bank, _inputs.is_double(dtype, *trials), options, threads)
            return [_devices.given_back(result, t) for result, t in zip(results, x)]
        return [_convolve_trial(t, bank, dtype, scale, offset, options, threads, keeps_rows) for t in x]
    rest = (bank, out, double, dtype, axis, epochs, scale, offset, options, threads)
    if _pynapple.is_tsd(x):
        if axis != 0:
            raise Error(f"axis: {axis} is not the time of a pynapple object. Use 0.")
        values = _convolve_array(x.values, *rest[:5], _pynapple.epochs_of(x, epochs), *rest[6:])
        return _pynapple.like(x, values) if keeps_rows else values
    if _xarray.is_labelled(x):
        if keeps_rows:
            _xarray.require_free(x, "basis")
        values = _convolve_array(x.values, *rest[:4], _xarray.axis_of(x, axis), *rest[5:])
        return _xarray.like(x, values, (*x.dims, "basis")) if keeps_rows else values
    return _convolve_array(x, *rest)


def _convolve_trial(x, bank, dtype, scale, offset, options, threads, keeps_rows):
    convolved = _convolve_array if type(x) is np.ndarray else _convolve_other
    rest = (bank, None, None, dtype, 0, None, scale, offset, options, threads)
    return convolved(x, *rest) if convolved is _convolve_array else convolved(x, *rest, keeps_rows)


def _refuse(kind, **given):
    """Refuses arguments that this kind of x does not take."""
    for name, value in given.items():
        if value is not None:
            raise Error(f"{name}: {kind} cannot be convolved with it. Leave it out.")


def explain(x: Any, filters: Filters, *, epochs: Any = None, dtype: DType = None, axis: int | str = 0,
            causality: Causality | None = None, shift: bool | None = None, border: Border = "nan", every: int = 1,
            method: Method = "auto", budget: Budget = None, threads: int = 0,
            machine: Machine | None = None) -> Explanation:
    """Explain how `convolve` would compute this: method, blocks, memory, predicted seconds. Nothing is computed.

    Parameters
    ----------
    x, filters, epochs, dtype, axis, causality, shift, border, every, method, budget, threads, machine
        As in `convolve`. Lists of trials are not accepted. Pass one trial.

    Returns
    -------
    Explanation
        A dictionary that is printed as a table.

    Raises
    ------
    synelix.Error
        As in `convolve`; also if `x` is a list of trials.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> sx.explain(np.zeros((1000, 10)), sx.RaisedCosineLogConv(8, window_size=20))["method"]
    'direct'
    """
    bank = bank_of(filters)
    options = options_of(budget, *options_of_window(filters, causality, shift), border, every, method,
                         machine=machine)
    threads = _inputs.whole("threads", threads)
    if isinstance(x, Events):
        _refuse("Events", epochs=epochs, axis=axis or None)
        return Explanation(_core.choose_trains(x._core, bank, _inputs.is_double(dtype), options, threads))
    if _inputs.are_trials(x):
        raise Error("x: trials are explained one by one. Give one of them.")
    if _pynapple.is_tsd(x):
        epochs, x = _pynapple.epochs_of(x, epochs), x.values
    elif _xarray.is_labelled(x):
        axis, x = _xarray.axis_of(x, axis), x.values
    x = _devices.array(x)
    return Explanation(_core.choose(x, bank, _inputs.is_double(dtype, x), _inputs.axis_of(axis, x.ndim),
                                    _inputs.epochs_array(epochs), options, threads))


class ConvolvePlan:
    """A convolution of one shape that is run many times. `run` with an output allocates nothing.

    Parameters
    ----------
    like : array or pynapple Tsd, TsdFrame or TsdTensor
        An array with the shape and type of the arrays that `run` takes, in the same memory. The plan also uses the
        epochs of a pynapple object.
    filters, epochs, dtype, axis, causality, shift, border, every, method, budget, threads, machine
        As in `convolve`.

    Raises
    ------
    synelix.Error
        An argument is invalid.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> x, out = np.ones((100, 2), np.float32), np.empty((100, 2, 4), np.float32)
    >>> plan = sx.ConvolvePlan(x, sx.BSplineConv(4, window_size=10))
    >>> plan.run(x, out) is out
    True
    """

    def __init__(self, like: Any, filters: Filters, *, epochs: Any = None, dtype: DType = None, axis: int = 0,
                 causality: Causality | None = None, shift: bool | None = None, border: Border = "nan", every: int = 1,
                 method: Method = "auto", budget: Budget = None, threads: int = 0,
                 machine: Machine | None = None) -> None:
        threads = _inputs.whole("threads", threads)
        is_plain = type(like) is np.ndarray and like.dtype in _inputs.STORED
        self._tsd_epochs = None
        if _pynapple.is_tsd(like):
            is_own = epochs is None  # those of other recordings may lie elsewhere
            self._tsd_epochs = _pynapple.epochs_of(like) if is_own else None
            epochs, like = _pynapple.epochs_of(like, epochs), like.values
        like = _devices.array(like, "like")
        options = options_of(budget, *options_of_window(filters, causality, shift), border, every, method,
                             machine=machine)
        self._plan = _core.Plan(like, bank_of(filters), _inputs.is_double(dtype, like),
                                _inputs.axis_of(axis, like.ndim), _inputs.epochs_array(epochs), options, threads)
        if is_plain:
            self.run = self._plan.run  # type: ignore[method-assign]  # without the method's own microsecond

    @overload
    def run(self, x: Any, out: None = None) -> Array: ...
    @overload
    def run(self, x: Any, out: Out) -> Out: ...

    def run(self, x, out=None):
        """Compute the features of x into `out`, or into a new array.

        Parameters
        ----------
        x : array
            An array with the shape and type of `like`. It is read without a copy. Of a pynapple object, the values
            are read.
        out : array of shape (*x.shape, bases), optional
            An array of the type of the computation. The features are written to it. Its strides are
            above 0.

        Returns
        -------
        array of shape (*x.shape, bases)
            `out` if it is given.

        Raises
        ------
        synelix.Error
            An array does not have the shape or the type that the plan was made for.
        synelix.StateError
            A signal handler calls `run` while the plan runs.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> x = np.ones((100, 2), np.float32)
        >>> sx.ConvolvePlan(x, sx.BSplineConv(4, window_size=10)).run(x).shape
        (100, 2, 4)
        """
        if self._tsd_epochs is not None and _pynapple.is_tsd(x):
            if not np.array_equal(_pynapple.epochs_of(x), self._tsd_epochs):
                raise Error("x: its time support has other samples than that of the object that the plan was made "
                            "with. Make a plan for it.")
        values = self._plan.run(_devices.array(x), _devices.output(out))
        return _devices.given_back(values, x, out)

    def explain(self) -> Explanation:
        """Describe the choices of the plan: method, blocks and memory.

        Returns
        -------
        Explanation

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> sx.ConvolvePlan(np.ones(100), sx.BSplineConv(4, window_size=10)).explain()["rows"]
        100
        """
        return Explanation(self._plan.choice())

    def __reduce__(self):
        raise ArgumentTypeError("ConvolvePlan: a plan holds memory, and cannot be pickled or copied. Make it in each "
                                "process.")

    def __repr__(self):
        choice = self._plan.choice()
        return (f"ConvolvePlan(method={choice['method']!r}, rows={choice['rows']}, "
                f"workspace_bytes={choice['workspace_bytes']})")

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()
