# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import _core as _core
from . import basis as basis
from . import glm as glm
from . import observation_models as observation_models
from . import plot as plot
from . import regularizer as regularizer
from . import simulation as simulation
from ._paths import CrossValidation as CrossValidation
from ._paths import Path as Path
from .basis import (
    AdditiveBasis as AdditiveBasis,
    Basis as Basis,
    BSplineConv as BSplineConv,
    BSplineEval as BSplineEval,
    CyclicBSplineConv as CyclicBSplineConv,
    CyclicBSplineEval as CyclicBSplineEval,
    FourierEval as FourierEval,
    HistoryConv as HistoryConv,
    IdentityEval as IdentityEval,
    MSplineConv as MSplineConv,
    MSplineEval as MSplineEval,
    MultiplicativeBasis as MultiplicativeBasis,
    OrthExponentialConv as OrthExponentialConv,
    OrthExponentialEval as OrthExponentialEval,
    RaisedCosineLinearConv as RaisedCosineLinearConv,
    RaisedCosineLinearEval as RaisedCosineLinearEval,
    RaisedCosineLogConv as RaisedCosineLogConv,
    RaisedCosineLogEval as RaisedCosineLogEval,
    TransformerBasis as TransformerBasis,
    Zero as Zero,
)
from .glm import GLM as GLM
from .glm import PopulationGLM as PopulationGLM

__all__: list[str]
__version__: str

_Array = np.ndarray[Any, np.dtype[Any]]
_Floats = np.ndarray[Any, np.dtype[np.float64]]
_Causality = Literal["causal", "acausal", "anti-causal"]
_Border = Literal["nan", "zero", "valid"]
_Method = Literal["auto", "direct", "fft", "events"]
_InstructionSet = Literal["auto", "plain", "avx2", "avx512", "neon", "sve256"]
_Budget = int | str | None
_DType = npt.DTypeLike | None
_Epochs = Any
_Filters = Basis | FilterBank | npt.ArrayLike | Any
_File = str | PathLike[str]
_Sizes = int | Sequence[int]
_Out = TypeVar("_Out")
_Trials = list[_Array] | tuple[_Array, ...]

class Error(ValueError): ...
class ArgumentTypeError(Error, TypeError): ...
class BudgetError(Error, MemoryError):
    @property
    def least_bytes(self) -> int | None: ...
class FileError(Error, OSError): ...

class MissingFileError(FileError, FileNotFoundError):
    def __init__(self, message: str, filename: str | None = None) -> None: ...

class StateError(Error, RuntimeError): ...
class Cancelled(Error, KeyboardInterrupt): ...

class Explanation(dict[str, Any]):
    def _repr_html_(self) -> str: ...

class FilterBank:
    def __init__(self, taps: npt.ArrayLike) -> None: ...
    @property
    def window(self) -> int: ...
    @property
    def bases(self) -> int: ...
    @property
    def taps(self) -> _Floats: ...

class Events:
    bin_size: float
    t: _Floats
    epochs: np.ndarray[Any, np.dtype[np.int64]]
    intervals: _Floats
    ndim: int
    dtype: np.dtype[np.float32]
    def __init__(self, times: Any, bin_size: float, epochs: _Epochs = None, *, start: float | None = None,
                 interval_stop: Literal["included", "excluded"] = "included") -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    @property
    def nbytes(self) -> int: ...
    def __len__(self) -> int: ...

class Machine:
    def __init__(self, instruction_set: _InstructionSet, nanoseconds: Mapping[str, float], bytes: Mapping[str, int] | None = None,
                 processor: str | None = None) -> None: ...
    @property
    def instruction_set(self) -> str: ...
    @property
    def processor(self) -> str: ...
    @property
    def nanoseconds(self) -> Mapping[str, float]: ...
    @property
    def bytes(self) -> Mapping[str, int]: ...
    @classmethod
    def load(cls, path: _File | None = None, instruction_set: _InstructionSet | None = None) -> Machine: ...
    def save(self, path: _File | None = None) -> None: ...

def calibrate(instruction_set: _InstructionSet | None = None, *, threads: int = 0) -> Machine: ...

@overload
def convolve(x: Any, filters: _Filters, *, epochs: _Epochs = None, out: _Out, dtype: _DType = None,
             axis: int | str = 0, causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan",
             every: int = 1, scale: float = 1.0, offset: float = 0.0, method: _Method = "auto", budget: _Budget = None,
             threads: int = 0, batch_size_samples: int = ..., batch_size_channels: int = ..., batch_size_basis: int = ...,
             instruction_set: _InstructionSet = ..., fft_parts: int = ..., machine: Machine | None = None,
             on_device: bool = False) -> _Out: ...
@overload
def convolve(x: _Array, filters: _Filters, *, epochs: _Epochs = None, out: None = None, dtype: _DType = None,
             axis: int | str = 0, causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan",
             every: int = 1, scale: float = 1.0, offset: float = 0.0, method: _Method = "auto", budget: _Budget = None,
             threads: int = 0, batch_size_samples: int = ..., batch_size_channels: int = ..., batch_size_basis: int = ...,
             instruction_set: _InstructionSet = ..., fft_parts: int = ..., machine: Machine | None = None,
             on_device: bool = False) -> _Array: ...
@overload
def convolve(x: _Trials, filters: _Filters, *, epochs: _Epochs = None, out: None = None, dtype: _DType = None,
             axis: int | str = 0, causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan",
             every: int = 1, scale: float = 1.0, offset: float = 0.0, method: _Method = "auto", budget: _Budget = None,
             threads: int = 0, batch_size_samples: int = ..., batch_size_channels: int = ..., batch_size_basis: int = ...,
             instruction_set: _InstructionSet = ..., fft_parts: int = ..., machine: Machine | None = None,
             on_device: bool = False) -> list[_Array]: ...
@overload
def convolve(x: Any, filters: _Filters, *, epochs: _Epochs = None, out: None = None, dtype: _DType = None,
             axis: int | str = 0, causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan",
             every: int = 1, scale: float = 1.0, offset: float = 0.0, method: _Method = "auto", budget: _Budget = None,
             threads: int = 0, batch_size_samples: int = ..., batch_size_channels: int = ..., batch_size_basis: int = ...,
             instruction_set: _InstructionSet = ..., fft_parts: int = ..., machine: Machine | None = None,
             on_device: bool = False) -> Any: ...

def explain(x: Any, filters: _Filters, *, epochs: _Epochs = None, dtype: _DType = None, axis: int | str = 0,
            causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan", every: int = 1,
            method: _Method = "auto", budget: _Budget = None, threads: int = 0, machine: Machine | None = None) -> Explanation: ...

class ConvolvePlan:
    def __init__(self, like: Any, filters: _Filters, *, epochs: _Epochs = None, dtype: _DType = None, axis: int = 0,
                 causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan", every: int = 1,
                 method: _Method = "auto", budget: _Budget = None, threads: int = 0, machine: Machine | None = None) -> None: ...
    @overload
    def run(self, x: Any, out: None = None) -> _Array: ...
    @overload
    def run(self, x: Any, out: _Out) -> _Out: ...
    def explain(self) -> Explanation: ...
    def _repr_html_(self) -> str: ...

class ConvolveStream:
    def __init__(self, filters: _Filters, channels: int, longest: int, *, stored: npt.DTypeLike = ..., dtype: _DType = None,
                 causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan", method: _Method = "auto",
                 budget: _Budget = None, threads: int = 0, machine: Machine | None = None) -> None: ...
    def push(self, block: npt.ArrayLike, out: Any = None) -> _Array: ...
    def finish(self, out: Any = None) -> _Array: ...
    @property
    def delay(self) -> int: ...
    @property
    def samples(self) -> int: ...

class Design:
    basis: Basis
    def __init__(self, basis: Basis, *xi: Any, epochs: _Epochs = None, keep: Literal["auto", "nothing", "features"] = "auto",
                 method: _Method = "auto", budget: _Budget = None, threads: int = 0, machine: Machine | None = None,
                 time_axis: int | None = None) -> None: ...
    @property
    def shape(self) -> tuple[int, int]: ...
    def __len__(self) -> int: ...
    def __matmul__(self, coefficients: npt.ArrayLike) -> _Floats: ...
    def valid_rows(self) -> list[tuple[int, int]]: ...
    def adjoint(self, residuals: npt.ArrayLike) -> _Floats: ...
    def gram(self, weights: npt.ArrayLike | None = None) -> _Floats: ...
    def split_by_feature(self, x: Any, axis: int = 0) -> dict[str, Any]: ...
    def explain(self) -> Explanation: ...
    def _repr_html_(self) -> str: ...

def convolve_file(source: _File | Events | Any, filters: _Filters, out: _File | Any, *, epochs: _Epochs = None,
                  samples: tuple[int, int] | None = None, dtype: _DType = None, causality: _Causality | None = None,
                  shift: bool | None = None, border: _Border = "nan", every: int = 1, method: _Method = "auto", budget: _Budget = None,
                  threads: int = 0, progress: Literal[True] | Callable[[int, int], object] | None = None,
                  existing: Literal["refuse", "replace", "append"] = "refuse", compression: str = "none",
                  resume: bool = False, machine: Machine | None = None,
                  time_axis: int | None = None) -> Explanation: ...
def compute_features_file(basis: Basis, sources: Sequence[_File | Events | Any], out: _File | Any, *, epochs: _Epochs = None,
                          dtype: _DType = None, border: _Border = "nan", every: int = 1, method: _Method = "auto",
                          budget: _Budget = None, threads: int = 0,
                          progress: Literal[True] | Callable[[int, int], object] | None = None,
                          existing: Literal["refuse", "replace", "append"] = "refuse", compression: str = "none",
                          resume: bool = False, machine: Machine | None = None,
                          time_axis: int | None = None) -> Explanation: ...
def explain_file(source: _File | Any, filters: _Filters, out: _File | Any, *, epochs: _Epochs = None, dtype: _DType = None,
                 causality: _Causality | None = None, shift: bool | None = None, border: _Border = "nan", every: int = 1,
                 method: _Method = "auto", budget: _Budget = None, threads: int = 0, machine: Machine | None = None,
                 time_axis: int | None = None) -> Explanation: ...

def matmul(a: npt.ArrayLike, b: npt.ArrayLike, *, out: Any = None, dtype: _DType = None, alpha: float = 1.0, beta: float = 0.0,
           scale: float = 1.0, offset: float = 0.0, budget: _Budget = None, threads: int = 0) -> _Array: ...
def quadratic_forms(x: npt.ArrayLike, a: npt.ArrayLike, *, out: Any = None, dtype: _DType = None, budget: _Budget = None,
                    threads: int = 0) -> _Array: ...
def bilinear_forms(x: npt.ArrayLike, a: npt.ArrayLike, y: npt.ArrayLike, *, out: Any = None, dtype: _DType = None,
                   budget: _Budget = None, threads: int = 0) -> _Array: ...

def conv1d(input: npt.ArrayLike, weight: npt.ArrayLike, bias: npt.ArrayLike | None = None, stride: _Sizes = 1,
           padding: _Sizes | Literal["same", "valid"] = 0, dilation: _Sizes = 1, groups: int = 1, *,
           padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
           out: Any = None, dtype: _DType = None, scale: float = 1.0, offset: float = 0.0, budget: _Budget = None,
           threads: int = 0) -> _Array: ...
def conv_transpose1d(input: npt.ArrayLike, weight: npt.ArrayLike, bias: npt.ArrayLike | None = None, stride: _Sizes = 1,
                     padding: _Sizes = 0, output_padding: _Sizes = 0, groups: int = 1, dilation: _Sizes = 1, *,
                     padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                     out: Any = None, dtype: _DType = None, budget: _Budget = None, threads: int = 0) -> _Array: ...
def conv1d_input(input_size: _Sizes, weight: npt.ArrayLike, grad_output: npt.ArrayLike, stride: _Sizes = 1, padding: _Sizes = 0,
                 dilation: _Sizes = 1, groups: int = 1, *,
                 padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                 out: Any = None, dtype: _DType = None, budget: _Budget = None, threads: int = 0) -> _Array: ...
def conv1d_weight(input: npt.ArrayLike, weight_size: _Sizes, grad_output: npt.ArrayLike, stride: _Sizes = 1, padding: _Sizes = 0,
                  dilation: _Sizes = 1, groups: int = 1, *,
                  padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                  out: Any = None, dtype: _DType = None, scale: float = 1.0, offset: float = 0.0, budget: _Budget = None,
                  threads: int = 0) -> _Array: ...

def conv2d(input: npt.ArrayLike, weight: npt.ArrayLike, bias: npt.ArrayLike | None = None, stride: _Sizes = 1,
           padding: _Sizes | Literal["same", "valid"] = 0, dilation: _Sizes = 1, groups: int = 1, *,
           padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
           out: Any = None, dtype: _DType = None, scale: float = 1.0, offset: float = 0.0, budget: _Budget = None,
           threads: int = 0) -> _Array: ...
def conv_transpose2d(input: npt.ArrayLike, weight: npt.ArrayLike, bias: npt.ArrayLike | None = None, stride: _Sizes = 1,
                     padding: _Sizes = 0, output_padding: _Sizes = 0, groups: int = 1, dilation: _Sizes = 1, *,
                     padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                     out: Any = None, dtype: _DType = None, budget: _Budget = None, threads: int = 0) -> _Array: ...
def conv2d_input(input_size: _Sizes, weight: npt.ArrayLike, grad_output: npt.ArrayLike, stride: _Sizes = 1, padding: _Sizes = 0,
                 dilation: _Sizes = 1, groups: int = 1, *,
                 padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                 out: Any = None, dtype: _DType = None, budget: _Budget = None, threads: int = 0) -> _Array: ...
def conv2d_weight(input: npt.ArrayLike, weight_size: _Sizes, grad_output: npt.ArrayLike, stride: _Sizes = 1, padding: _Sizes = 0,
                  dilation: _Sizes = 1, groups: int = 1, *,
                  padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                  out: Any = None, dtype: _DType = None, scale: float = 1.0, offset: float = 0.0, budget: _Budget = None,
                  threads: int = 0) -> _Array: ...

def conv3d(input: npt.ArrayLike, weight: npt.ArrayLike, bias: npt.ArrayLike | None = None, stride: _Sizes = 1,
           padding: _Sizes | Literal["same", "valid"] = 0, dilation: _Sizes = 1, groups: int = 1, *,
           padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
           out: Any = None, dtype: _DType = None, scale: float = 1.0, offset: float = 0.0, budget: _Budget = None,
           threads: int = 0) -> _Array: ...
def conv_transpose3d(input: npt.ArrayLike, weight: npt.ArrayLike, bias: npt.ArrayLike | None = None, stride: _Sizes = 1,
                     padding: _Sizes = 0, output_padding: _Sizes = 0, groups: int = 1, dilation: _Sizes = 1, *,
                     padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                     out: Any = None, dtype: _DType = None, budget: _Budget = None, threads: int = 0) -> _Array: ...
def conv3d_input(input_size: _Sizes, weight: npt.ArrayLike, grad_output: npt.ArrayLike, stride: _Sizes = 1, padding: _Sizes = 0,
                 dilation: _Sizes = 1, groups: int = 1, *,
                 padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                 out: Any = None, dtype: _DType = None, budget: _Budget = None, threads: int = 0) -> _Array: ...
def conv3d_weight(input: npt.ArrayLike, weight_size: _Sizes, grad_output: npt.ArrayLike, stride: _Sizes = 1, padding: _Sizes = 0,
                  dilation: _Sizes = 1, groups: int = 1, *,
                  padding_mode: Literal["zeros", "circular", "reflect"] = "zeros", channels: Literal["first", "last"] = "first",
                  out: Any = None, dtype: _DType = None, scale: float = 1.0, offset: float = 0.0, budget: _Budget = None,
                  threads: int = 0) -> _Array: ...

def append_plugin_folder(folder: _File) -> None: ...
def set_num_threads(n: int) -> None: ...
def get_num_threads() -> int: ...
def versions() -> Explanation: ...
def show_versions() -> None: ...
