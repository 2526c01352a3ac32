# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__: list[str]

# matplotlib is optional, so its axes are Any.
_Axes = Any
_Floats = np.ndarray[Any, np.dtype[np.float64]]
_Names = Sequence[str | int] | None

def bank(filters: Any, *, bin_size: float | None = None, log: bool = False, ax: _Axes = None) -> _Axes: ...
def features(values: Any, *, t: npt.ArrayLike | None = None, bin_size: float | None = None, names: _Names = None,
             ax: _Axes = None) -> _Axes: ...
def raster(spikes: Any, *, names: _Names = None, start: float | None = None, stop: float | None = None,
           ax: _Axes = None) -> _Axes: ...
def plan(explained: Mapping[str, Any], *, bin_size: float | None = None, ax: _Axes = None) -> _Axes: ...
def coupling(model: Any, basis: Any, *, target: int = 0, sources: Sequence[int] | None = None, errors: Any = None,
             bin_size: float | None = None, names: _Names = None, ax: _Axes = None) -> _Axes: ...
def coupling_grid(model: Any, basis: Any, *, errors: Any = None, bin_size: float | None = None, names: _Names = None,
                  axes: Any = None) -> Any: ...
def filter_errors(model: Any, basis: Any, X: Any) -> _Floats: ...
def fit(counts: Any, predicted: Any, *, bin_size: float, t: npt.ArrayLike | None = None, width: float | None = None,
        name: str | None = None, ax: _Axes = None) -> _Axes: ...
def learning_curve(model: Any, scores: npt.ArrayLike | None = None, *, target: int | None = None,
                   xlabel: str | None = None, ylabel: str | None = None, ax: _Axes = None) -> _Axes: ...
