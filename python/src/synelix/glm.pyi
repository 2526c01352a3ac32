# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin

from . import Explanation

__all__: list[str]

_Floats = np.ndarray[Any, np.dtype[np.float64]]
_Progress = Callable[[int, int, int, float, float], object] | bool | None
_Score = Literal["log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen", "deviance"]

class GLM(RegressorMixin, BaseEstimator):
    observation_model: Any
    inverse_link_function: Any
    regularizer: Any
    regularizer_strength: Any
    solver_name: str | None
    solver_kwargs: dict[str, Any] | None
    fit_intercept: bool
    standard_errors: bool
    budget: int | str | None
    threads: int
    coef_: _Floats
    intercept_: _Floats
    scale_: _Floats
    dof_resid_: _Floats
    stop_: Any
    optimality_: Any
    objective_: Any
    n_iter_: int
    n_features_in_: int
    solver_: str
    standard_errors_: _Floats
    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None, regularizer: Any = None,
                 regularizer_strength: Any = None, solver_name: str | None = None, solver_kwargs: dict[str, Any] | None = None, *,
                 fit_intercept: bool = True, standard_errors: bool = False, budget: int | str | None = None,
                 threads: int = 0) -> None: ...
    def fit(self, X: Any, y: Any, init_params: Any = None, *, sample_weight: Any = None, offset: Any = None,
            progress: _Progress = None) -> Self: ...
    def predict(self, X: Any, *, offset: Any = None) -> Any: ...
    def score(self, X: Any, y: Any, score_type: _Score = "log-likelihood", aggregate_sample_scores: Callable[..., Any] = ..., *,
              sample_weight: Any = None, offset: Any = None) -> float: ...
    def simulate(self, random_key: Any, feedforward_input: Any) -> tuple[Any, Any]: ...
    def diagnose(self, X: Any, y: Any, *, time_rescaling: bool = False, seed: Any = 0) -> Explanation: ...
    def explain(self, X: Any, y: Any) -> Explanation: ...

class PopulationGLM(GLM):
    feature_mask: Any
    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None, regularizer: Any = None,
                 regularizer_strength: Any = None, solver_name: str | None = None, solver_kwargs: dict[str, Any] | None = None,
                 feature_mask: Any = None, *, fit_intercept: bool = True, standard_errors: bool = False,
                 budget: int | str | None = None, threads: int = 0) -> None: ...
