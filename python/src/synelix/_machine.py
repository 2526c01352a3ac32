# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calibrations: measured times of a machine for the cost model."""

from __future__ import annotations

import os
from types import MappingProxyType
from typing import TYPE_CHECKING

from . import _core, _inputs
from ._errors import ArgumentTypeError, Error, FileError, MissingFileError

if TYPE_CHECKING:
    from ._types import File, InstructionSet, Mapping


class Machine:
    """A calibration: how long the steps of the methods take on a machine.

    `calibrate` measures one, and `Machine.load` reads one from a file. Give it to the argument `machine` of
    `convolve` and of the other calls. It decides which method a call chooses, and so the last bits of results. Keep it
    together with results whose last bits matter. A calibration cannot be changed. Two are equal if all their values
    are equal. The representation rounds the nanoseconds.

    Parameters
    ----------
    instruction_set : {"plain", "avx2", "avx512", "neon", "sve256"}
        The instruction set that was measured. A call with this calibration uses this set.
    nanoseconds : dict of str to float
        Time of each step on one core. The time of a step that is left out is 0.
    bytes : dict of str to int, optional
        Sizes of work items, in bytes: "direct_block" and "fft_block". "streamed" is the size from which results go
        past the caches. 0, the default of each, means the size of the library. Sizes change the speed, and no bit.
    processor : str, optional
        The model of the processor that was measured. Default: the processor of this machine.

    Attributes
    ----------
    instruction_set, processor : str
        As above.
    nanoseconds, bytes : mapping
        As above, with all names. They cannot be written.

    Raises
    ------
    synelix.Error
        The instruction set, a name or a value is not valid.

    Examples
    --------
    >>> import synelix as sx
    >>> machine = sx.Machine("plain", {"multiply_add": 0.5}, processor="a simulator")
    >>> machine.nanoseconds["multiply_add"], machine.bytes["fft_block"]
    (0.5, 0)
    """

    __slots__ = ("_core", "_processor")

    def __init__(self, instruction_set: InstructionSet, nanoseconds: Mapping[str, float],
                 bytes: Mapping[str, int] | None = None, processor: str | None = None) -> None:
        for name, value in (("nanoseconds", nanoseconds), ("bytes", bytes if bytes is not None else {})):
            if not hasattr(value, "keys"):
                raise ArgumentTypeError(f"{name}: {type(value).__name__} is not a dict. Give names and values.")
        if processor is not None and not isinstance(processor, str):
            raise ArgumentTypeError(f"processor: {processor!r} is not a str. Give the model of the processor.")
        self._core = _core.Machine.of(_set_name(instruction_set), dict(nanoseconds), dict(bytes or {}))
        self._processor = _core.processor_name() if processor is None else processor

    @classmethod
    def _of(cls, core):
        """The calibration of this machine's processor that the library gives."""
        machine = cls.__new__(cls)
        machine._core, machine._processor = core, _core.processor_name()
        return machine

    @property
    def instruction_set(self) -> str:
        """The instruction set that was measured."""
        return self._core.instruction_set

    @property
    def processor(self) -> str:
        """The model of the processor that was measured."""
        return self._processor

    @property
    def nanoseconds(self) -> Mapping[str, float]:
        """Time of each step on one core."""
        return MappingProxyType(self._core.nanoseconds)

    @property
    def bytes(self) -> Mapping[str, int]:
        """Sizes of work items; 0: the library's."""
        return MappingProxyType(self._core.bytes)

    @classmethod
    def load(cls, path: File | None = None, instruction_set: InstructionSet | None = None) -> Machine:
        """Read the calibration of this processor from a file of `Machine.save`, or of the program ``synelix calibrate``.

        Parameters
        ----------
        path : str or path, optional
            The file. Default: ``synelix/machine.json`` in your configuration folder, which the program writes.
        instruction_set : {"auto", "plain", "avx2", "avx512", "neon", "sve256"}, optional
            The set whose calibration is read. Default: the widest that this build and this processor have.

        Returns
        -------
        Machine

        Raises
        ------
        synelix.FileError
            The file is not a calibration, or it has nothing for this processor and instruction set. If the file does
            not exist, the error is a FileNotFoundError.
        synelix.Error
            This build or this processor does not have the instruction set.

        Examples
        --------
        >>> import os, tempfile, synelix as sx
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = os.path.join(folder, "machine.json")
        ...     sx.Machine("plain", {"multiply_add": 0.5}).save(file)
        ...     sx.Machine.load(file, "plain").nanoseconds["multiply_add"]
        0.5
        """
        path = _path_of(path)
        wanted = _core.set_in_use("auto" if instruction_set is None else _set_name(instruction_set))
        processor = _core.processor_name()
        found = _core.read_machine(path, processor, wanted)
        if found is not None:
            return cls._of(found)
        remedy = f"Measure this machine: synelix.calibrate({wanted!r}).save({path!r})."
        if not os.path.exists(path):
            raise MissingFileError(f"{path}: cannot be read: no such file. {remedy}", path)
        raise FileError(f"{path}: the file holds nothing for {processor} with {wanted}. {remedy}")

    def save(self, path: File | None = None) -> None:
        """Write the calibration to a file that `Machine.load` and the program ``synelix --machine FILE`` read.

        A file may hold the calibrations of many machines. The entries of other processors and instruction sets stay.

        Parameters
        ----------
        path : str or path, optional
            The file. Default: ``synelix/machine.json`` in your configuration folder. All commands of the program
            read that file.

        Raises
        ------
        synelix.FileError
            The file is not a calibration, or cannot be written. Then it stays as it was.

        Examples
        --------
        >>> import os, tempfile, synelix as sx
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     sx.Machine("plain", {"multiply_add": 0.5}).save(os.path.join(folder, "machine.json"))
        """
        _core.write_machine(_path_of(path), self.processor, self._core)

    def _values(self):
        return self.instruction_set, dict(self.nanoseconds), dict(self.bytes), self.processor

    def __eq__(self, other):
        return self._values() == other._values() if isinstance(other, Machine) else NotImplemented

    def __hash__(self):
        return hash((self.instruction_set, *self.nanoseconds.values(), *self.bytes.values(), self.processor))

    def __reduce__(self):
        return Machine, self._values()

    def __repr__(self):
        rounded = {name: float(f"{value:.3g}") for name, value in self.nanoseconds.items()}
        return (f"Machine({self.instruction_set!r}, processor={self.processor!r},\n        nanoseconds={rounded},\n"
                f"        bytes={dict(self.bytes)})")


def calibrate(instruction_set: InstructionSet | None = None, *, threads: int = 0) -> Machine:
    """Measure how long the steps of the methods take on this machine.

    The call takes less than 10 seconds and about 250 MB. The machine should be idle. Two calibrations differ a
    little, so a call may choose another method with each. Ctrl-C ends the call.

    Parameters
    ----------
    instruction_set : {"auto", "plain", "avx2", "avx512", "neon", "sve256"}, optional
        The instruction set that is measured. Default: the widest that this build and this processor have.
    threads : int
        The number of threads, which share the machine as they do later. 0 means the number of `set_num_threads`.

    Returns
    -------
    Machine
        It is the argument `machine` of calls. `Machine.save` keeps it in a file.

    Raises
    ------
    synelix.Error
        This build or this processor does not have the instruction set.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> machine = sx.calibrate()
    >>> features = sx.convolve(np.ones((1000, 10)), sx.RaisedCosineLogConv(8, window_size=100), machine=machine)
    """
    wanted = "auto" if instruction_set is None else _set_name(instruction_set)
    return Machine._of(_core.calibrate(wanted, _inputs.whole("threads", threads)))


def add_machine(options, machine):
    """Puts the argument `machine` of a call into the options for the library."""
    if machine is None:
        return
    if not isinstance(machine, Machine):
        raise ArgumentTypeError(f"machine: {type(machine).__name__} is not a Machine. Use synelix.calibrate(), or "
                                "synelix.Machine.load(FILE).")
    wanted = options.pop("instruction_set", "auto")
    if wanted not in ("auto", machine.instruction_set):
        raise Error(f"instruction_set: {wanted!r} is not {machine.instruction_set!r}, the set of `machine`. Leave out "
                    "one of the two arguments.")
    options["machine"] = machine._core


def _set_name(instruction_set):
    if not isinstance(instruction_set, str):
        raise ArgumentTypeError(f"instruction_set: {instruction_set!r} is not a str. Use a name such as 'avx2'.")
    return instruction_set


def _path_of(path):
    if path is None:
        path = _core.default_machine_file()
        if not path:
            raise Error("path: there is no folder for your configuration, because neither XDG_CONFIG_HOME nor HOME is "
                        "set. Give a file.")
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"path: {type(path).__name__} is not a path. Use a str or a path.")
    return os.fspath(path)
