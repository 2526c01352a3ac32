# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from typing import Any, Literal, Self

import numpy as np

from .glm import GLM, PopulationGLM, _Floats, _Progress, _Score

__all__: list[str]

class _OfStrengths(PopulationGLM):
    strengths: Any
    n_strengths: int
    ratio: float
    strengths_: _Floats
    strength_max_: Any
    coef_path_: _Floats
    intercept_path_: _Floats
    nonzero_: np.ndarray[Any, np.dtype[np.int64]]
    objective_path_: _Floats
    stop_path_: list[str]
    n_walks_: int
    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None, regularizer: Any = "Lasso",
                 regularizer_strength: Any = None, solver_kwargs: dict[str, Any] | None = None, *, strengths: Any = None,
                 n_strengths: int = 50, ratio: float = 1e-3, feature_mask: Any = None, budget: int | str | None = None,
                 threads: int = 0) -> None: ...

class Path(_OfStrengths):
    selected_: int
    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None,  # type: ignore[override]
            progress: _Progress = None) -> Self: ...
    def model(self, k: int) -> GLM: ...

class CrossValidation(_OfStrengths):
    cv: Any
    gap: int
    scoring: _Score
    choose: Literal["best", "1se"]
    scores_: _Floats
    mean_score_: _Floats
    standard_error_: _Floats
    best_index_: Any
    best_strength_: Any
    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None, regularizer: Any = "Lasso",
                 regularizer_strength: Any = None, solver_kwargs: dict[str, Any] | None = None, *, cv: Any = 5, gap: int = 0,
                 scoring: _Score = "deviance", choose: Literal["best", "1se"] = "best", strengths: Any = None,
                 n_strengths: int = 50, ratio: float = 1e-3, feature_mask: Any = None, budget: int | str | None = None,
                 threads: int = 0) -> None: ...
    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None,  # type: ignore[override]
            progress: _Progress = None) -> Self: ...
