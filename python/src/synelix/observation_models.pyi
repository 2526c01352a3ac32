# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from sklearn.base import BaseEstimator

__all__: list[str]

class BernoulliObservations(BaseEstimator): ...

class GammaObservations(BaseEstimator): ...

class GaussianObservations(BaseEstimator): ...

class NegativeBinomialObservations(BaseEstimator):
    scale: float
    def __init__(self, scale: float = 1.0) -> None: ...

class PoissonObservations(BaseEstimator): ...
