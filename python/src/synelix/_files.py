# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions and features from a file into a file, in blocks inside a budget."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np

from . import _core, _inputs, _pynapple, _reports, _times
from ._basis_core import Basis
from ._convolve import options_of
from ._errors import ArgumentTypeError, Error, FileError, MissingFileError
from ._events import Events
from ._reports import BytesProgress, Explanation
from ._filters import bank_of, options_of_window

if TYPE_CHECKING:
    from ._types import (
        Any, Border, Budget, BytesDone, Causality, DType, Existing, File, Filters, Machine, Method, Sequence,
        Sink, Source,
    )

_RATES = ("rate_hz", "rate", "sampling_rate")


def append_plugin_folder(folder: File) -> None:
    """Add a folder of HDF5 filter plug-ins, such as those of hdf5plugin. They are used for files that are read by
    their path.

    Parameters
    ----------
    folder : str or path

    Raises
    ------
    synelix.Error
        `folder` is not a path, its name is empty, or HDF5 refuses it.

    Examples
    --------
    >>> import synelix as sx, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sx.append_plugin_folder(folder)
    """
    if not isinstance(folder, (str, os.PathLike)):
        raise ArgumentTypeError(f"folder: {type(folder).__name__} is not a path. Use a str or a path.")
    _core.append_plugin_folder(os.fspath(folder))


def is_stored(x):
    """Whether x is read from a file in blocks: a path, or a dataset of h5py or zarr."""
    return isinstance(x, (str, os.PathLike)) or (hasattr(x, "chunks") and hasattr(x, "attrs")
                                                 and not hasattr(x, "coords"))


def _open_source(path, epochs, time_axis):
    time_axis = None if time_axis is None else _inputs.whole("time_axis", time_axis)
    try:
        return _core.open_source(path, _inputs.epochs_array(epochs), time_axis)
    except FileError as error:
        file = path.rpartition(":/")[0] or path
        if os.path.exists(file):
            raise
        raise MissingFileError(str(error), file) from None


def _refuse(name, what):
    raise Error(f"{name}: {what}. "
                "Give an object whose slices hold plain numbers of its dtype and of the extents that are asked for.")


def _read_part(name, part, shape, dtype):
    """A slice of a source as an array. Its shape and type must be those of the source.

    NumPy would broadcast, cut or unmask it silently.
    """
    if isinstance(part, np.ma.MaskedArray) and np.ma.is_masked(part):
        raise Error(f"{name}: a slice holds masked values, and masks are not read. "
                    "Turn masks off (a variable of netCDF4: set_auto_mask(False)), or fill them with numpy.nan.")
    part = np.asarray(part)
    if part.shape != shape:
        _refuse(name, f"a slice of extents {shape} has the extents {part.shape}")
    is_same_kind = part.dtype.kind == dtype.kind == "f" or np.can_cast(part.dtype, dtype)
    if part.dtype.kind not in "fiub" or not is_same_kind:
        _refuse(name, f"a slice holds values of type {part.dtype}, but the dtype of the source is {dtype}")
    return part


def _look(file):
    found = os.stat(file)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _watch(x, name):
    """A function that refuses a file that has changed since now: that of a dataset of h5py, or of a numpy.memmap.

    A file that is open for writing may be changed by the call itself, so it is not watched.
    """
    owner = x if isinstance(x, np.memmap) else getattr(x, "file", None)
    file = getattr(owner, "filename", None)
    is_read_only = getattr(owner, "mode", None) in ("r", "c")
    if not is_read_only or not isinstance(file, (str, os.PathLike)) or not os.path.isfile(file):
        return lambda: None
    before = _look(file)

    def require_unchanged():
        try:
            is_same = _look(file) == before
        except FileNotFoundError:  # it has lost its name, and is open
            return
        if not is_same:
            raise FileError(f"{name}: {os.fspath(file)}: this file was changed while it was read. An input must stay "
                            "as it is until the run ends.")

    return require_unchanged


def _rate_of(name, attributes):
    """The rate that a source has as an attribute."""
    for key in _RATES:
        if key in attributes:
            try:
                rate = float(np.asarray(attributes[key]).reshape(()))
            except (TypeError, ValueError):
                rate = np.nan
            if not (rate > 0 and np.isfinite(rate)):
                raise Error(f"{name}: its attribute {key} is {attributes[key]!r}, which is not a rate. "
                            "Write a positive number of samples a second, or remove the attribute.")
            return rate
    return None


def require_apart(out, sources, names):
    """Refuses an array that is written while a source in the same memory is read."""
    for x, name in zip(sources, names):
        x = x.values if _pynapple.is_tsd(x) else x
        if isinstance(x, np.ndarray) and isinstance(out, np.ndarray) and np.may_share_memory(x, out):
            raise Error(f"out: its memory overlaps that of {name}, which is read while out is written. "
                        "Use memory apart from all sources.")


def source_of(x, epochs=None, name="source", time_axis=None):
    """A path FILE:/dataset, Events, or anything with shape, dtype and slices, for the library."""
    if time_axis is not None and not isinstance(x, (str, os.PathLike)):
        raise Error(f"time_axis: {name} is no path, and only arrays that are read by their path take it. Use "
                    "FILE:/dataset, or an array whose first dimension is time (numpy.moveaxis).")
    if isinstance(x, Events):
        return x._core
    _inputs.require_no_spike_times(x, name)
    if isinstance(x, (str, os.PathLike)):
        return _open_source(os.fspath(x), epochs, time_axis)
    _inputs.refuse_kinds(name, x)
    if _pynapple.is_tsd(x):
        x, epochs = x.values, _pynapple.epochs_of(x, epochs)
    x = _inputs.plain(x)
    if not all(hasattr(x, a) for a in ("shape", "dtype", "__getitem__")):
        raise ArgumentTypeError(f"{name}: {type(x).__name__} cannot be read in parts. "
                                "Use FILE:/dataset, Events, or what has shape, dtype and slices.")
    said = stored = np.dtype(x.dtype)
    if stored.kind not in "fiub" or stored.itemsize > 8:
        raise Error(f"{name}: values of type {stored} are not supported. Use real numbers of at most 64 bits.")
    if stored not in _inputs.STORED or not stored.isnative:
        stored = np.dtype(np.float64 if stored.itemsize > 2 and stored.newbyteorder("=") != np.float32 else np.float32)
    extents = list(x.shape[1:])
    require_unchanged = _watch(x, name)

    def read(begin, end, first, last, buffer):
        if len(extents) == 1:
            buffer[...] = _read_part(name, x[begin:end, first:last], (end - begin, last - first), said)
        else:
            part = _read_part(name, x[begin:end], (end - begin, *extents), said)
            buffer[...] = part.reshape(end - begin, -1)[:, first:last]
        require_unchanged()

    rate = _rate_of(name, getattr(x, "attrs", {}))
    return _core.make_source(read, x.shape[0], extents, np.empty(1, stored), _inputs.epochs_array(epochs), rate)


def _times_of_all(sources, where):
    """Refuses sources of different times."""
    names = [f"sources[{k}]" for k in range(len(sources))]
    known = _times.common_times_of_list(sources, "sources")
    _times.require_same([*known, *(t for name, w in zip(names, where) for t in _times.times_of_source(w, name))])


def _require_shape(out, *shapes):
    if tuple(out.shape) not in shapes:
        raise Error(f"out: the shape is {tuple(out.shape)}. Use {shapes[0]}.")


def _sink_of(out, existing, compression, resume, is_design):
    if isinstance(out, (str, os.PathLike)):
        return _core.open_sink(os.fspath(out), existing, compression, resume, "")
    if not hasattr(out, "__setitem__") or not hasattr(out, "shape"):
        raise ArgumentTypeError(f"out: {type(out).__name__} cannot be written in parts. "
                                "Use FILE:/dataset, or what has a shape and takes slices. The order is source, "
                                "filters, out.")
    if isinstance(out, np.ndarray):
        _inputs.require_writable(out)
        _inputs.require_own_places(out)
    if resume:
        raise Error("resume: only files that are written by their path can be gone on with. Give out as FILE:/dataset.")

    def create(rows, extents, bases, dtype):
        if is_design:
            _require_shape(out, (rows, bases))
        else:
            _require_shape(out, (rows, *extents, bases), *([] if extents else [(rows, 1, bases)]))
        if str(out.dtype) != dtype:
            raise Error(f"out: values are {out.dtype}. Use {dtype}, or give dtype.")

    keeps = type(out).__module__.partition(".")[0] not in ("numpy", "h5py", "zarr")

    def write(r0, r1, c0, c1, b0, b1, values):
        if keeps:  # the caller's output may keep this array, but the memory is used again
            values = values.copy()
        if is_design or len(out.shape) == 2:
            out[r0:r1, b0:b1] = values[:, 0]
        elif len(out.shape) == 3:
            out[r0:r1, c0:c1, b0:b1] = values
        else:
            part = np.asarray(out[r0:r1]).reshape(r1 - r0, -1, out.shape[-1])
            part[:, c0:c1, b0:b1] = values
            out[r0:r1] = part.reshape(r1 - r0, *out.shape[1:])

    return _core.make_sink(create, write)


def _is_double(dtype, out, *sources):
    if dtype is None and not isinstance(out, (str, os.PathLike)) and hasattr(out, "dtype"):
        dtype = out.dtype
    return _inputs.is_double(dtype) if dtype is not None else any(getattr(s, "dtype", "") == "float64" for s in sources)


def _run(verb, progress, samples, threads, body):
    """Runs a stream with its progress, and logs the result."""
    if samples is not None:
        samples = tuple(_inputs.whole("samples", s, bits=64) for s in np.ravel(samples))
        if len(samples) != 2:
            raise Error(f"samples: there are {len(samples)} numbers. Use two: the first sample, and the one behind "
                        "the last.")
    threads = _inputs.whole("threads", threads)
    with BytesProgress(progress) as show:
        report = Explanation(body(show, samples, threads))
    if logger := _reports.logger_for(_reports.INFO):
        logger.info("%s: %d blocks, %d bytes read, %d bytes written in %.3g s by %s", verb, report["blocks_written"],
                    report["bytes_read"], report["bytes_written"], report["seconds"], report["method"])
    return report


def convolve_file(source: Source, filters: Filters, out: Sink, *, epochs: Any = None,
                  samples: tuple[int, int] | None = None, dtype: DType = None, causality: Causality | None = None,
                  shift: bool | None = None, border: Border = "nan", every: int = 1, method: Method = "auto",
                  budget: Budget = None, threads: int = 0, progress: BytesDone = None, existing: Existing = "refuse",
                  compression: str = "none", resume: bool = False, machine: Machine | None = None,
                  time_axis: int | None = None) -> Explanation:
    """Convolve a recording that does not fit into memory, block by block, with the same bits as `convolve`.

    Parameters
    ----------
    source : str "FILE:/dataset", Events, or an object with shape, dtype and slices
        Paths of HDF5 and NWB files, datasets of h5py or zarr, or numpy.memmap. Slices of an object must hold numbers
        of its dtype, and are used without conversion. Attributes of a file, such as its scale, offset and marks of
        missing values, are applied only if the source is a path.
    filters
        As in `convolve`.
    out : str "FILE:/dataset", or an object that takes slices, of the shape of the features
        The features are written to it.
    samples : (int, int), optional
        Compute only the rows of this half-open range.
    progress : True or callable, optional
        True shows a progress bar, if tqdm is installed. A function is called with (values done, values). Ctrl-C or an
        exception in the function ends the run after a block.
    existing : {"refuse", "replace", "append"}
        What to do if the file of `out` exists.
    compression : {"none", "deflate:N", "shuffle,deflate:N"}
        The filters of the dataset that is written. N is the level, 1 to 9.
    resume : bool
        Whether to continue with the file that an interrupted run has left. Each source must be a path or Events.
    time_axis : int, optional
        The dimension that is time, from 0, of a source that is a path. The others are channels. Default: 0, and of
        files of MATLAB the dimension that MATLAB shows first.
    epochs, dtype, causality, shift, border, every, method, budget, threads, machine
        As in `convolve`.

    Returns
    -------
    Explanation
        Blocks, bytes and seconds.

    Raises
    ------
    synelix.Error
        An argument is invalid.
    synelix.FileError
        A file cannot be read or written. The error is an OSError too. For an input file that does not exist, it is a
        FileNotFoundError.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.
    KeyboardInterrupt
        Ctrl-C was pressed. Rows that were written stay in FILE.part, and ``resume=True`` continues with that file.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> out = np.empty((1000, 3, 4), np.float32)
    >>> report = sx.convolve_file(np.ones((1000, 3), np.int16), sx.BSplineConv(4, window_size=10), out, budget="2MiB")
    >>> report["features"]
    (1000, 3, 4)
    """
    where = source_of(source, epochs, time_axis=time_axis)
    require_apart(out, [source], ["source"])
    options = options_of(budget, *options_of_window(filters, causality, shift), border, every, method,
                         machine=machine)
    sink, double = _sink_of(out, existing, compression, resume, False), _is_double(dtype, out, where)
    return _run("convolve_file", progress, samples, threads, lambda show, samples, threads: _core.stream_convolve(
        where, bank_of(filters), sink, double, options, show, samples, threads))


def compute_features_file(basis: Basis, sources: Sequence[Source], out: Sink, *, epochs: Any = None,
                          dtype: DType = None, border: Border = "nan", every: int = 1, method: Method = "auto",
                          budget: Budget = None, threads: int = 0, progress: BytesDone = None,
                          existing: Existing = "refuse", compression: str = "none", resume: bool = False,
                          machine: Machine | None = None, time_axis: int | None = None) -> Explanation:
    """Compute the features of a basis block by block, a matrix (rows, columns).

    Parameters
    ----------
    basis : Basis
    sources : list
        One source for each input, as in `convolve_file`.
    epochs : array of shape (n, 2), optional
        Half-open ranges of samples that no window crosses.
    out, progress, existing, compression, resume
        As in `convolve_file`. The features have the shape (rows, columns).
    time_axis : int, optional
        As in `convolve_file`, of all sources.
    dtype, border, every, method, budget, threads, machine
        As in `Basis.compute_features`.

    Returns
    -------
    Explanation
        Blocks, bytes and seconds.

    Raises
    ------
    synelix.Error
        `basis` is not a basis, sources have different times, or another argument is invalid.
    synelix.FileError
        A file cannot be read or written.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.
    KeyboardInterrupt
        Ctrl-C was pressed. Rows that were written stay in FILE.part, and ``resume=True`` continues with that file.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> out = np.empty((1000, 12), np.float32)
    >>> sx.compute_features_file(sx.BSplineConv(4, window_size=10), [np.ones((1000, 3), np.int16)], out)["features"]
    (1000, 1, 12)
    """
    if not isinstance(basis, Basis):
        raise ArgumentTypeError(f"basis: {type(basis).__name__} is not a basis. Use one of synelix.basis.")
    if not isinstance(sources, (list, tuple)):
        raise ArgumentTypeError(f"sources: {type(sources).__name__} is not a list. Use a list with one source for "
                                "each input.")
    basis._require_count(sources)
    epochs = _pynapple.epochs_of_inputs(sources, epochs)
    names = [f"sources[{k}]" for k in range(len(sources))]
    where = [source_of(s, epochs, name, time_axis) for s, name in zip(sources, names)]
    require_apart(out, sources, names)
    _times_of_all(sources, where)
    basis.set_input_shape(*(tuple(w.shape[1:]) for w in where))
    options = options_of(budget, border=border, every=every, method=method, machine=machine)
    sink, double = _sink_of(out, existing, compression, resume, True), _is_double(dtype, out, *where)
    is_known = all(isinstance(s, (str, os.PathLike, Events)) for s in sources)
    design = repr(basis) if is_known else ""
    return _run("compute_features_file", progress, None, threads, lambda show, _, threads: _core.stream_features(
        basis._expression(), where, sink, double, options, show, design, threads))


def explain_file(source: Source, filters: Filters, out: Sink, *, epochs: Any = None, dtype: DType = None,
                 causality: Causality | None = None, shift: bool | None = None, border: Border = "nan", every: int = 1,
                 method: Method = "auto", budget: Budget = None, threads: int = 0, machine: Machine | None = None,
                 time_axis: int | None = None) -> Explanation:
    """Explain how `convolve_file` would cut the recording into blocks, and the memory that they take. Nothing is
    computed.

    Parameters
    ----------
    source, filters, out, epochs, dtype, causality, shift, border, every, method, budget, threads, machine, time_axis
        As in `convolve_file`. Nothing is written to `out`.

    Returns
    -------
    Explanation
        Features, block, blocks and bytes.

    Raises
    ------
    synelix.Error
        As in `convolve_file`.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> source, out = np.ones((1000, 3), np.int16), np.empty((1000, 3, 4), np.float32)
    >>> plan = sx.explain_file(source, sx.BSplineConv(4, window_size=10), out)
    >>> plan["blocks"]
    1
    """
    where = source_of(source, epochs, time_axis=time_axis)
    if isinstance(source, Events):
        raise ArgumentTypeError("source: Events are not read in blocks. Use explain.")
    options = options_of(budget, *options_of_window(filters, causality, shift), border, every, method,
                         machine=machine)
    sink, double = _sink_of(out, "replace", "none", False, False), _is_double(dtype, out, where)
    plan = Explanation(_core.plan_stream(where, bank_of(filters), sink, double, options,
                                         _inputs.whole("threads", threads)))
    if not isinstance(out, (str, os.PathLike)):
        rows, *_, bases = plan["features"]
        extents = tuple(where.shape[1:])
        _require_shape(out, (rows, *extents, bases), *([] if extents else [(rows, 1, bases)]))
    return plan
