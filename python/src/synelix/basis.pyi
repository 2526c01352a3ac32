# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from typing import Any, Literal, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, TransformerMixin

from . import Machine

__all__: list[str]

_Array = np.ndarray[Any, np.dtype[Any]]
_Floats = np.ndarray[Any, np.dtype[np.float64]]
_Border = Literal["nan", "zero", "valid"]
_Method = Literal["auto", "direct", "fft", "events"]
_Out = TypeVar("_Out")

class Basis:
    @property
    def label(self) -> str: ...
    @property
    def input_shape(self) -> list[tuple[int, ...] | None]: ...
    @property
    def n_output_features(self) -> int | None: ...
    def __add__(self, other: Basis) -> AdditiveBasis: ...
    @overload
    def __mul__(self, other: Basis) -> MultiplicativeBasis: ...
    @overload
    def __mul__(self, other: int) -> Basis: ...
    def __rmul__(self, other: int) -> Basis: ...
    def __pow__(self, exponent: int) -> Basis: ...
    def set_input_shape(self, *xi: Any) -> Self: ...
    def setup_basis(self, *xi: Any) -> Self: ...
    @overload
    def compute_features(self, *xi: Any, epochs: Any = None, out: _Out, dtype: npt.DTypeLike | None = None,
                         budget: int | str | None = None, threads: int = 0, border: _Border = "nan", every: int = 1,
                         method: _Method = "auto", machine: Machine | None = None, **more: Any) -> _Out: ...
    @overload
    def compute_features(self, *xi: _Array, epochs: Any = None, out: None = None, dtype: npt.DTypeLike | None = None,
                         budget: int | str | None = None, threads: int = 0, border: _Border = "nan", every: int = 1,
                         method: _Method = "auto", machine: Machine | None = None, **more: Any) -> _Array: ...
    @overload
    def compute_features(self, *xi: Any, epochs: Any = None, out: None = None, dtype: npt.DTypeLike | None = None,
                         budget: int | str | None = None, threads: int = 0, border: _Border = "nan", every: int = 1,
                         method: _Method = "auto", machine: Machine | None = None, **more: Any) -> Any: ...
    @overload
    def split_by_feature(self, x: _Array, axis: int = 1) -> dict[str, _Array]: ...
    @overload
    def split_by_feature(self, x: Any, axis: int = 1) -> dict[str, Any]: ...
    def to_transformer(self) -> TransformerBasis: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def evaluate(self, *xi: npt.ArrayLike) -> _Floats: ...
    def evaluate_on_grid(self, *n_samples: int) -> tuple[_Floats, ...]: ...

class _Composite(Basis):
    basis1: Basis
    basis2: Basis
    def __init__(self, basis1: Basis, basis2: Basis, label: str | None = None) -> None: ...
    @property
    def n_basis_funcs(self) -> int: ...
    def __getitem__(self, label: str) -> Any: ...

class AdditiveBasis(_Composite): ...
class MultiplicativeBasis(_Composite): ...

class RaisedCosineLinearConv(Basis):
    n_basis_funcs: int
    window_size: int
    width: float
    conv_kwargs: dict[str, Any]
    @property
    def kernel_(self) -> _Floats: ...
    def __init__(self, n_basis_funcs: int, window_size: int | None = None,
                 width: float = 2.0, label: str | None = "RaisedCosineLinearConv", conv_kwargs: dict[str, Any] | None = None) -> None: ...

class RaisedCosineLogConv(Basis):
    n_basis_funcs: int
    window_size: int
    width: float
    time_scaling: float
    enforce_decay_to_zero: bool
    conv_kwargs: dict[str, Any]
    @property
    def kernel_(self) -> _Floats: ...
    def __init__(self, n_basis_funcs: int, window_size: int | None = None, width: float = 2.0,
                 time_scaling: float | None = None, enforce_decay_to_zero: bool = True,
                 label: str | None = "RaisedCosineLogConv", conv_kwargs: dict[str, Any] | None = None) -> None: ...

class BSplineConv(Basis):
    n_basis_funcs: int
    window_size: int
    order: int
    conv_kwargs: dict[str, Any]
    @property
    def kernel_(self) -> _Floats: ...
    def __init__(self, n_basis_funcs: int, window_size: int | None = None,
                 order: int = 4, label: str | None = "BSplineConv", conv_kwargs: dict[str, Any] | None = None) -> None: ...

class CyclicBSplineConv(Basis):
    n_basis_funcs: int
    window_size: int
    order: int
    conv_kwargs: dict[str, Any]
    @property
    def kernel_(self) -> _Floats: ...
    def __init__(self, n_basis_funcs: int, window_size: int | None = None,
                 order: int = 4, label: str | None = "CyclicBSplineConv", conv_kwargs: dict[str, Any] | None = None) -> None: ...

class MSplineConv(Basis):
    n_basis_funcs: int
    window_size: int
    order: int
    conv_kwargs: dict[str, Any]
    @property
    def kernel_(self) -> _Floats: ...
    def __init__(self, n_basis_funcs: int, window_size: int | None = None,
                 order: int = 4, label: str | None = "MSplineConv", conv_kwargs: dict[str, Any] | None = None) -> None: ...

class OrthExponentialConv(Basis):
    n_basis_funcs: int
    window_size: int
    decay_rates: npt.ArrayLike | None
    conv_kwargs: dict[str, Any]
    @property
    def kernel_(self) -> _Floats: ...
    def __init__(self, n_basis_funcs: int, window_size: int | None = None,
                 decay_rates: npt.ArrayLike | None = None,
                 label: str | None = "OrthExponentialConv", conv_kwargs: dict[str, Any] | None = None) -> None: ...

class HistoryConv(Basis):
    window_size: int
    conv_kwargs: dict[str, Any]
    @property
    def n_basis_funcs(self) -> int: ...
    @property
    def kernel_(self) -> _Floats: ...
    def __init__(self, window_size: int | None = None,
                 label: str | None = "HistoryConv", conv_kwargs: dict[str, Any] | None = None) -> None: ...

class RaisedCosineLinearEval(Basis):
    n_basis_funcs: int
    width: float
    bounds: tuple[float, float] | None
    fill_value: float
    def __init__(self, n_basis_funcs: int, width: float = 2.0,
                 bounds: tuple[float, float] | None = None,
                 fill_value: float = ..., label: str | None = "RaisedCosineLinearEval") -> None: ...

class RaisedCosineLogEval(Basis):
    n_basis_funcs: int
    width: float
    time_scaling: float
    enforce_decay_to_zero: bool
    bounds: tuple[float, float] | None
    fill_value: float
    def __init__(self, n_basis_funcs: int, width: float = 2.0, time_scaling: float | None = None,
                 enforce_decay_to_zero: bool = True, bounds: tuple[float, float] | None = None,
                 fill_value: float = ..., label: str | None = "RaisedCosineLogEval") -> None: ...

class BSplineEval(Basis):
    n_basis_funcs: int
    order: int
    bounds: tuple[float, float] | None
    fill_value: float
    def __init__(self, n_basis_funcs: int, order: int = 4,
                 bounds: tuple[float, float] | None = None, fill_value: float = ..., label: str | None = "BSplineEval") -> None: ...

class CyclicBSplineEval(Basis):
    n_basis_funcs: int
    order: int
    bounds: tuple[float, float] | None
    fill_value: float
    def __init__(self, n_basis_funcs: int, order: int = 4,
                 bounds: tuple[float, float] | None = None, fill_value: float = ..., label: str | None = "CyclicBSplineEval") -> None: ...

class MSplineEval(Basis):
    n_basis_funcs: int
    order: int
    bounds: tuple[float, float] | None
    fill_value: float
    def __init__(self, n_basis_funcs: int, order: int = 4,
                 bounds: tuple[float, float] | None = None, fill_value: float = ..., label: str | None = "MSplineEval") -> None: ...

class OrthExponentialEval(Basis):
    n_basis_funcs: int
    decay_rates: npt.ArrayLike
    bounds: tuple[float, float] | None
    fill_value: float
    def __init__(self, n_basis_funcs: int, decay_rates: npt.ArrayLike,
                 bounds: tuple[float, float] | None = None, fill_value: float = ..., label: str | None = "OrthExponentialEval") -> None: ...

class IdentityEval(Basis):
    bounds: tuple[float, float] | None
    fill_value: float
    @property
    def n_basis_funcs(self) -> int: ...
    def __init__(self, bounds: tuple[float, float] | None = None,
                 fill_value: float = ..., label: str | None = "IdentityEval") -> None: ...

class Zero(Basis):
    @property
    def n_basis_funcs(self) -> int: ...
    def __init__(self, label: str | None = "Zero") -> None: ...

class FourierEval(Basis):
    frequencies: Any
    ndim: int
    bounds: Any
    frequency_mask: Any
    @property
    def n_basis_funcs(self) -> int: ...
    def __init__(self, frequencies: Any, ndim: int = 1,
                 bounds: Any = None, frequency_mask: Any = "no-intercept", label: str | None = "FourierEval") -> None: ...

class TransformerBasis(TransformerMixin, BaseEstimator):
    basis: Basis
    n_features_in_: int
    def __init__(self, basis: Basis) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def fit(self, X: Any, y: Any = None) -> Self: ...
    def transform(self, X: Any) -> Any: ...
