# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Generalized linear models with the names of NeMoS and the conventions of scikit-learn.

The objective is that of NeMoS: the mean loss over the rows, plus the penalty of the coefficients. The intercept has
no penalty. Rows with a NaN or infinite feature or target are left out. A fit ends when the optimality conditions hold
to `tol`, relative to the model without features. With a smooth penalty, the result is also within 1e-3 standard
errors of the optimum.
"""

from __future__ import annotations

from ._glm import GLM
from ._population import PopulationGLM

__all__ = ["GLM", "PopulationGLM"]
