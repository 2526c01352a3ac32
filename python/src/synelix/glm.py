# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generalized linear models with the names of NeMoS and the conventions of scikit-learn.

The objective is that of NeMoS: the mean loss over the rows, plus the penalty of the coefficients. The intercept has
no penalty. Rows with a NaN or infinite feature or target are left out. A fit ends when the optimality conditions hold
to `tol`, relative to the model without features. With a smooth penalty, the result is also within 1e-3 standard
errors of the optimum.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import _inputs
from ._errors import Error
from ._glm import GLM
from ._model_words import require_zeros_and_ones

if TYPE_CHECKING:
    from ._types import Any, Budget

__all__ = ["GLM", "PopulationGLM"]


class PopulationGLM(GLM):
    """Models of many targets on one design, fitted together.

    Parameters
    ----------
    feature_mask : array of shape (features, units) of 0 and 1, optional
        Which features the model of each unit has. Default: all.
    observation_model, inverse_link_function, regularizer, regularizer_strength, solver_name, solver_kwargs, \
fit_intercept, standard_errors, budget, threads
        As in `GLM`. A strength may also be an array of one number for each unit.

    Attributes
    ----------
    coef_ : array of shape (features, units)
    intercept_ : array of shape (units,)
    scale_, dof_resid_, stop_, optimality_, objective_
        As in `GLM`, one for each unit.
    n_iter_ : int
        Number of evaluations of the loss: the largest of all units.
    solver_ : str
        The solver that was chosen.
    standard_errors_ : array of shape (features + 1, units)
        Standard errors of the coefficients. The last row has those of the intercepts.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> spikes = sx.Events([np.arange(0.01, 9, 0.03), np.arange(0.02, 9, 0.05)], bin_size=0.01, epochs=[[0, 9]])
    >>> design = sx.Design(sx.RaisedCosineLogConv(3, window_size=20), spikes)
    >>> sx.PopulationGLM(regularizer="Ridge", regularizer_strength=0.1).fit(design, spikes).coef_.shape
    (6, 2)
    """

    _is_population = True

    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None, regularizer: Any = None,
                 regularizer_strength: Any = None, solver_name: str | None = None,
                 solver_kwargs: dict[str, Any] | None = None, feature_mask: Any = None, *, fit_intercept: bool = True,
                 standard_errors: bool = False, budget: Budget = None, threads: int = 0) -> None:
        super().__init__(observation_model, inverse_link_function, regularizer, regularizer_strength, solver_name,
                         solver_kwargs, fit_intercept=fit_intercept, standard_errors=standard_errors, budget=budget,
                         threads=threads)
        self.feature_mask = feature_mask

    def _options(self, columns, targets):
        options = super()._options(columns, targets)
        if self.feature_mask is not None:
            _inputs.refuse_kinds("feature_mask", self.feature_mask)
            mask = np.asarray(_inputs.plain(self.feature_mask))
            if mask.shape != (columns, targets):
                raise Error(f"feature_mask: the shape is {mask.shape}. Use ({columns}, {targets}).")
            require_zeros_and_ones("feature_mask", "the mask", mask)
            options["feature_mask"] = mask.astype(np.uint8).ravel().tolist()
        return options

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output, tags.target_tags.multi_output = False, True
        return tags
