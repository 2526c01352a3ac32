# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Observation models, with the names of NeMoS. A name as text is as good, but for a scale."""

from __future__ import annotations

from sklearn.base import BaseEstimator

__all__ = ["BernoulliObservations", "GammaObservations", "GaussianObservations", "NegativeBinomialObservations", "PoissonObservations"]


class BernoulliObservations(BaseEstimator):
    """0 or 1.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.GLM(sx.observation_models.BernoulliObservations())
    GLM(observation_model=BernoulliObservations())
    """


class GammaObservations(BaseEstimator):
    """Positive numbers; the scale is estimated.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.GammaObservations()
    GammaObservations()
    """


class GaussianObservations(BaseEstimator):
    """Any numbers; the scale is estimated.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.GaussianObservations()
    GaussianObservations()
    """


class NegativeBinomialObservations(BaseEstimator):
    """Counts whose variance is ``mean + scale * mean ** 2``.

    Parameters
    ----------
    scale : float
        Above 0.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.NegativeBinomialObservations(scale=0.5)
    NegativeBinomialObservations(scale=0.5)
    """

    def __init__(self, scale=1.0):
        self.scale = scale


class PoissonObservations(BaseEstimator):
    """Counts.

    Examples
    --------
    >>> import synelix as sx
    >>> sx.observation_models.PoissonObservations()
    PoissonObservations()
    """
