# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exceptions. Each message names the argument, says what is wrong with it, and what to do next."""

import errno


class Error(ValueError):
    """An argument is invalid."""


class ArgumentTypeError(Error, TypeError):
    """An argument has a type that is not supported."""


class BudgetError(Error, MemoryError):
    """A budget is too small. The message names the least number of bytes that works."""

    def __init__(self, message: str = "", least_bytes: int | None = None) -> None:
        super().__init__(message)
        self._least_bytes = least_bytes

    @property
    def least_bytes(self) -> int | None:
        """The number that the message names. None if it names none."""
        return self._least_bytes


class FileError(Error, OSError):
    """A file cannot be read or written."""


class MissingFileError(FileError, FileNotFoundError):
    """An input file does not exist. The error is a FileNotFoundError too, with `errno` and `filename`."""

    def __init__(self, message: str, filename: str | None = None) -> None:
        super().__init__(message)
        self.errno, self.filename = errno.ENOENT, filename

    def __str__(self):
        return str(self.args[0])


class StateError(Error, RuntimeError):
    """A call is not possible now, for example in a child process that was forked during a computation."""


class Cancelled(Error, KeyboardInterrupt):
    """A computation of a thread was stopped, because Python ends. Ctrl-C raises a plain KeyboardInterrupt."""
