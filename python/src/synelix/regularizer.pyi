# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

from typing import Any

from sklearn.base import BaseEstimator

__all__: list[str]

class ElasticNet(BaseEstimator): ...

class GroupLasso(BaseEstimator):
    mask: Any
    def __init__(self, mask: Any = None) -> None: ...

class Lasso(BaseEstimator): ...

class Ridge(BaseEstimator): ...

class UnRegularized(BaseEstimator): ...
