# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolution of blocks during the recording."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core, _inputs
from ._convolve import options_of
from ._errors import ArgumentTypeError
from ._filters import bank_of, options_of_window

if TYPE_CHECKING:
    from ._types import Any, Array, ArrayLike, Border, Budget, Causality, DType, DTypeLike, Filters, Machine, Method


class ConvolveStream:
    """Convolve a recording while it is recorded. Each block gives the rows whose windows are complete.

    With the same method, rows have the same bits as those of `convolve` on the whole recording.

    Parameters
    ----------
    filters
        As in `convolve`.
    channels : int
        Channels of each block.
    longest : int
        The largest number of samples of a block.
    stored : dtype
        Type of the blocks, one of the types that `convolve` reads without a copy.
    dtype, causality, shift, border, method, budget, threads, machine
        As in `convolve`.

    Attributes
    ----------
    delay : int
        Number of samples by which rows are behind the newest sample.
    samples : int
        Number of samples of this epoch so far.

    Raises
    ------
    synelix.Error
        An argument is invalid.
    synelix.BudgetError
        The budget is too small. The message names the smallest budget that works.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> stream = sx.ConvolveStream(sx.BSplineConv(4, window_size=10), channels=2, longest=50)
    >>> stream.push(np.ones((50, 2), np.float32)).shape, stream.push(np.ones((20, 2), np.float32)).shape
    ((50, 2, 4), (20, 2, 4))
    """

    def __init__(self, filters: Filters, channels: int, longest: int, *, stored: DTypeLike = np.float32,
                 dtype: DType = None, causality: Causality | None = None, shift: bool | None = None,
                 border: Border = "nan", method: Method = "auto", budget: Budget = None, threads: int = 0,
                 machine: Machine | None = None) -> None:
        try:
            like = np.empty(1, stored)
        except TypeError:
            raise ArgumentTypeError(f"stored: {stored!r} is not a type. Use the type of the blocks, such as "
                                    "numpy.float32.") from None
        channels = _inputs.at_least_one("channels", channels, "channels")
        longest = _inputs.at_least_one("longest", longest, "samples")
        threads = _inputs.whole("threads", threads)
        options = options_of(budget, *options_of_window(filters, causality, shift), border, 1, method,
                             machine=machine)
        self._stream = _core.Stream(bank_of(filters), channels, longest, like, _inputs.is_double(dtype, like), options,
                                    threads)

    def push(self, block: ArrayLike, out: Any = None) -> Array:
        """Take a block, and return the rows whose windows are now complete.

        Parameters
        ----------
        block : array of shape (samples, channels)
            At most `longest` samples, of the type `stored`.
        out : array of shape (rows, channels, bases), optional
            The rows are written to the first rows of this array. It may have more rows.

        Returns
        -------
        array of shape (rows, channels, bases)

        Raises
        ------
        synelix.Error
            The block or `out` does not fit. Then the stream does not take the block.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> stream = sx.ConvolveStream(sx.BSplineConv(4, window_size=11), channels=2, longest=50, causality="acausal")
        >>> stream.push(np.ones((50, 2), np.float32)).shape
        (45, 2, 4)
        """
        result, first, last = self._stream.push(_inputs.as_array(block, "block"), out)
        return result[: last - first]

    def finish(self, out: Any = None) -> Array:
        """End the epoch, and return the rows that were waiting for samples. The next block begins another epoch.

        Parameters
        ----------
        out : array of shape (rows, channels, bases), optional
            The rows are written to the first rows of this array. It may have more rows.

        Returns
        -------
        array of shape (rows, channels, bases)

        Raises
        ------
        synelix.Error
            `out` has too few rows, another shape or another type.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> stream = sx.ConvolveStream(sx.BSplineConv(4, window_size=11), channels=2, longest=50, causality="acausal")
        >>> rows = stream.push(np.ones((50, 2), np.float32))
        >>> stream.finish().shape
        (5, 2, 4)
        """
        result, first, last = self._stream.finish(out)
        return result[: last - first]

    @property
    def delay(self) -> int:
        """Number of samples by which rows are behind the newest sample."""
        return self._stream.delay

    @property
    def samples(self) -> int:
        """Number of samples of this epoch so far."""
        return self._stream.samples

    def __reduce__(self):
        raise ArgumentTypeError("ConvolveStream: a stream holds memory, and cannot be pickled or copied. Make it in "
                                "each process.")

    def __repr__(self):
        return f"ConvolveStream(samples={self.samples}, delay={self.delay})"
