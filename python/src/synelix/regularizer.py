# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Penalties, with the names of NeMoS. A model also takes the name as a str, but only an object has groups."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

__all__ = ["ElasticNet", "GroupLasso", "Lasso", "Ridge", "UnRegularized"]


class UnRegularized(BaseEstimator):
    """No penalty.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.regularizer.UnRegularized()
    UnRegularized()
    """


class Ridge(BaseEstimator):
    """The penalty ``strength / 2 * sum(b ** 2)`` of the coefficients b.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.GLM(regularizer=sx.regularizer.Ridge(), regularizer_strength=0.1)
    GLM(regularizer=Ridge(), regularizer_strength=0.1)
    """


class Lasso(BaseEstimator):
    """The penalty ``strength * sum(abs(b))`` of the coefficients b.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.regularizer.Lasso()
    Lasso()
    """


class ElasticNet(BaseEstimator):
    """The penalty ``strength * ((1 - ratio) / 2 * sum(b ** 2) + ratio * sum(abs(b)))`` of the coefficients b.

    A model takes both numbers as ``regularizer_strength=(strength, ratio)``.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.GLM(regularizer=sx.regularizer.ElasticNet(), regularizer_strength=(0.1, 0.5))
    GLM(regularizer=ElasticNet(), regularizer_strength=(0.1, 0.5))
    """


class GroupLasso(BaseEstimator):
    """The penalty ``strength * sum over groups of sqrt(size) * norm(b of the group)`` of the coefficients b.

    Parameters
    ----------
    mask : array of shape (groups, features) of 0 and 1, optional
        Which features each group has. A feature is in at most one group. A feature without a group has no penalty.
        Default: one group of all features.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 4))
    >>> groups = sx.regularizer.GroupLasso(mask=[[1, 1, 0, 0], [0, 0, 1, 1]])
    >>> model = sx.GLM(regularizer=groups, regularizer_strength=0.1).fit(X, rng.poisson(np.exp(X[:, 0] / 2)))
    >>> model.coef_ != 0
    array([ True,  True, False, False])
    """

    def __init__(self, mask: Any = None) -> None:
        self.mask = mask
