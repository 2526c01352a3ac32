# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Types for annotations. Only type checkers import this module."""

from __future__ import annotations

from collections.abc import Callable as Callable, Mapping as Mapping, Sequence as Sequence
from os import PathLike
from typing import Any as Any, Literal as Literal, Protocol, Self as Self, TypedDict, TypeVar, Unpack as Unpack

import numpy as np
from numpy.typing import ArrayLike as ArrayLike, DTypeLike as DTypeLike

from ._events import Events
from ._filters import FilterBank
from ._machine import Machine
from .basis import Basis

Array = np.ndarray[Any, np.dtype[Any]]
Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]
Trials = list[Array] | tuple[Array, ...]
Out = TypeVar("Out")
DType = DTypeLike | None
Budget = int | str | None
File = str | PathLike[str]
Source = File | Events | Any
Sink = File | Any
Sizes = int | Sequence[int]
Filters = Basis | FilterBank | ArrayLike | Any
Bounds = tuple[float, float] | None
Causality = Literal["causal", "acausal", "anti-causal"]
Border = Literal["nan", "zero", "valid"]
Method = Literal["auto", "direct", "fft", "events"]
InstructionSet = Literal["auto", "plain", "avx2", "avx512", "neon", "sve256"]
Keep = Literal["auto", "nothing", "features"]
Existing = Literal["refuse", "replace", "append"]
PaddingMode = Literal["zeros", "circular", "reflect"]
Channels = Literal["first", "last"]
Score = Literal["log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen", "deviance"]
BytesDone = Literal[True] | Callable[[int, int], object] | None
WalksDone = Callable[[int, int, int, float, float], object] | bool | None
Names = Sequence[str | int] | None
Axes = Any  # of matplotlib, which is optional


class FeaturesOptions(TypedDict, total=False):
    """Keywords of `compute_features`, and of `convolve`."""

    epochs: Any
    dtype: DType
    budget: Budget
    threads: int
    border: Border
    every: int
    method: Method
    machine: Machine | None
    batch_size_samples: int
    batch_size_channels: int
    batch_size_basis: int
    instruction_set: InstructionSet


class ConvolveOptions(FeaturesOptions, total=False):
    """Keywords of `convolve`."""

    axis: int | str
    causality: Causality | None
    shift: bool | None
    scale: float
    offset: float
    fft_parts: int
    on_device: bool


class Conv(Protocol):
    """The functions `conv1d` to `conv3d`."""

    def __call__(self, input: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None, stride: Sizes = 1,
                 padding: Sizes | Literal["same", "valid"] = 0, dilation: Sizes = 1, groups: int = 1, *,
                 padding_mode: PaddingMode = "zeros", channels: Channels = "first", out: Any = None,
                 dtype: DType = None, scale: float = 1.0, offset: float = 0.0, budget: Budget = None,
                 threads: int = 0) -> Array: ...


class ConvTranspose(Protocol):
    """The functions `conv_transpose1d` to `conv_transpose3d`."""

    def __call__(self, input: ArrayLike, weight: ArrayLike, bias: ArrayLike | None = None, stride: Sizes = 1,
                 padding: Sizes = 0, output_padding: Sizes = 0, groups: int = 1, dilation: Sizes = 1, *,
                 padding_mode: PaddingMode = "zeros", channels: Channels = "first", out: Any = None,
                 dtype: DType = None, budget: Budget = None, threads: int = 0) -> Array: ...


class ConvInput(Protocol):
    """The functions `conv1d_input` to `conv3d_input`."""

    def __call__(self, input_size: Sizes, weight: ArrayLike, grad_output: ArrayLike, stride: Sizes = 1,
                 padding: Sizes = 0, dilation: Sizes = 1, groups: int = 1, *, padding_mode: PaddingMode = "zeros",
                 channels: Channels = "first", out: Any = None, dtype: DType = None, budget: Budget = None,
                 threads: int = 0) -> Array: ...


class ConvWeight(Protocol):
    """The functions `conv1d_weight` to `conv3d_weight`."""

    def __call__(self, input: ArrayLike, weight_size: Sizes, grad_output: ArrayLike, stride: Sizes = 1,
                 padding: Sizes = 0, dilation: Sizes = 1, groups: int = 1, *, padding_mode: PaddingMode = "zeros",
                 channels: Channels = "first", out: Any = None, dtype: DType = None, scale: float = 1.0,
                 offset: float = 0.0, budget: Budget = None, threads: int = 0) -> Array: ...
