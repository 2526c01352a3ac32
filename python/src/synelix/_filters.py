# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Filters that `convolve` takes in place of a basis."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _core, _inputs
from ._errors import Error

if TYPE_CHECKING:
    from ._types import ArrayLike, Floats


class FilterBank:
    """Your own filters.

    Parameters
    ----------
    taps : array of shape (window, bases)
        Row w multiplies the sample that is w samples before the newest sample of the window.

    Raises
    ------
    synelix.Error
        The taps do not have two dimensions, or are not finite numbers.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> bank = sx.FilterBank(np.ones((5, 1)) / 5)
    >>> bank
    FilterBank(window=5, bases=1)
    >>> sx.convolve(np.ones(8), bank, shift=False)[:, 0]
    array([nan, nan, nan, nan,  1.,  1.,  1.,  1.])
    """

    def __init__(self, taps: ArrayLike) -> None:
        taps = _inputs.reals("filters", taps)
        if taps.ndim != 2:
            raise Error(f"filters: the taps have {taps.ndim} dimensions. Use two: (window, bases).")
        self._bank = _core.Bank.of_taps(taps)

    @property
    def window(self) -> int:
        """Taps of each filter."""
        return self._bank.window

    @property
    def bases(self) -> int:
        """Number of filters."""
        return self._bank.bases

    @property
    def taps(self) -> Floats:
        """The taps, a new array (window, bases) of float64."""
        return self._bank.taps

    def __repr__(self):
        return f"FilterBank(window={self.window}, bases={self.bases})"

    def __reduce__(self):
        return FilterBank, (self.taps,)


def options_of_window(filters, causality, shift):
    """Causality and shift: those of the caller, else those of the basis, else those of NeMoS."""
    own = getattr(filters, "conv_kwargs", None) or {}
    causality = own.get("predictor_causality", "causal") if causality is None else causality
    return causality, own.get("shift") if shift is None else shift


def bank_of(filters):
    """The filters of a basis in conv mode, of this package or of NeMoS, of a FilterBank, or of taps."""
    bank = getattr(filters, "_bank", None)
    if bank is not None:
        return bank
    if hasattr(filters, "evaluate_on_grid"):
        if not hasattr(filters, "window_size"):
            raise Error(f"filters: {type(filters).__name__} has no window. Use a basis in conv mode, such as "
                        "RaisedCosineLogConv.")
        filters = np.asarray(filters.evaluate_on_grid(filters.window_size)[-1])  # a basis of NeMoS
    return FilterBank(filters)._bank
