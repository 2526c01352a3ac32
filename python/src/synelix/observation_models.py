# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Observation models, with the names of NeMoS. A model also takes the name as a str, but only an object has a
scale."""

from __future__ import annotations

from sklearn.base import BaseEstimator

__all__ = ["BernoulliObservations", "GammaObservations", "GaussianObservations", "NegativeBinomialObservations",
           "PoissonObservations"]


class BernoulliObservations(BaseEstimator):
    """Targets are 0 or 1.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.GLM(sx.observation_models.BernoulliObservations())
    GLM(observation_model=BernoulliObservations())
    """


class GammaObservations(BaseEstimator):
    """Targets are positive numbers. The scale is estimated.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.GammaObservations()
    GammaObservations()
    """


class GaussianObservations(BaseEstimator):
    """Targets are any numbers. The scale is estimated.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.GaussianObservations()
    GaussianObservations()
    """


class NegativeBinomialObservations(BaseEstimator):
    """Targets are counts whose variance is ``mean + scale * mean ** 2``.

    Parameters
    ----------
    scale : float
        Dispersion, above 0. A fit refuses other values.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.NegativeBinomialObservations(scale=0.5)
    NegativeBinomialObservations(scale=0.5)
    """

    def __init__(self, scale: float = 1.0) -> None:
        self.scale = scale


class PoissonObservations(BaseEstimator):
    """Targets are counts.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.PoissonObservations()
    PoissonObservations()
    """
