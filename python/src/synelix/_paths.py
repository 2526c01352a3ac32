# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of many penalty strengths, and the choice of one of them."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from . import _core, _inputs
from ._design import count_of, require_room
from ._errors import Error
from ._model_words import _require, _vector, penalty_options
from ._reports import WalksProgress
from .glm import GLM, PopulationGLM

if TYPE_CHECKING:
    from ._types import Any, Budget, Floats, Ints, Literal, Score, Self, WalksDone

__all__ = ["CrossValidation", "Path"]


class _OfStrengths(PopulationGLM):
    """The common code of a path and a cross-validation. y may have one target or several."""

    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None,
                 regularizer: Any = "Lasso", regularizer_strength: Any = None,
                 solver_kwargs: dict[str, Any] | None = None, *, strengths: Any = None, n_strengths: int = 50,
                 ratio: float | None = None, feature_mask: Any = None, budget: Budget = None,
                 threads: int = 0) -> None:
        super().__init__(observation_model, inverse_link_function, regularizer, regularizer_strength, None,
                         solver_kwargs, feature_mask, budget=budget, threads=threads)
        self.strengths = strengths
        self.n_strengths = n_strengths
        self.ratio = ratio

    strengths_: Floats
    strength_max_: Any
    coef_path_: Floats
    intercept_path_: Floats
    nonzero_: Ints
    objective_path_: Floats
    stop_path_: list[str]
    n_walks_: int

    @property
    def _is_population(self):
        return getattr(self, "_has_targets", False)

    def _take_shape(self, y):
        self._has_targets = len(y.shape if hasattr(y, "shape") else np.asarray(y).shape) > 1

    def _prepared(self, X, y, sample_weight, offset):
        _require(y, sample_weight)
        self._take_shape(y)
        design, targets = self._checked(X, y, fitting=True, offset=offset, sample_weight=sample_weight)
        if self.regularizer_strength is not None and np.ndim(self.regularizer_strength) == 0:
            raise Error("regularizer_strength: a path has strengths of its own. Give strengths, or an array of "
                        "weights.")
        options = self._options(design.shape[1], count_of(targets))
        strengths = [] if self.strengths is None else _inputs.reals("strengths", self.strengths, 1).tolist()
        if self.ratio == 0:
            raise Error("ratio: 0 is not between 0 and 1. Use 1e-3.")
        ratio = 0.0 if self.ratio is None else self.ratio       # the library's own, by penalty
        return design, targets, options, {"count": self.n_strengths, "ratio": ratio, "strengths": strengths}

    def _of_one(self, array):
        """The array, without the dimension of targets if y has none."""
        return array if self._has_targets else array[..., 0]

    def _take_path(self, path):
        drop = self._of_one
        self.strengths_, self.strength_max_ = drop(path["strengths"]), drop(path["strength_max"])
        self.coef_path_, self.intercept_path_ = drop(path["coefficients"]), drop(path["intercepts"])
        self.nonzero_, self.objective_path_ = drop(path["nonzero"]), drop(path["objective"])
        self.stop_path_, self.n_walks_ = path["stop"], path["walks"]
        for text in path["warnings"]:
            warnings.warn(text, ConvergenceWarning, stacklevel=3)

    def _folds(self, count):
        """The folds of a cross-validation, for the library. None for a path."""

    def fit(self, X: Any, y: Any, *, sample_weight: Any = None, offset: Any = None,  # type: ignore[override]
            progress: WalksDone = None) -> Self:
        """Fit all models. A `CrossValidation` also compares them.

        Parameters
        ----------
        X, y, sample_weight, offset, progress
            As in `GLM.fit`. Targets of several units have the shape (samples, units).

        Returns
        -------
        self

        Raises
        ------
        synelix.Error
            As in `GLM.fit`, or there is no penalty.
        synelix.BudgetError
            The budget is too small. The message names the smallest budget that works.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> sx.Path(n_strengths=4).fit(X, np.arange(60) // 10).strengths_.shape
        (4,)
        >>> sx.CrossValidation(n_strengths=4, cv=2).fit(X, np.arange(60) % 3).scores_.shape
        (2, 4)
        """
        design, targets, options, path = self._prepared(X, y, sample_weight, offset)
        started, folds = time.perf_counter(), self._folds(design.shape[0])
        rows = _vector(offset, "offset"), _vector(sample_weight, "sample_weight")
        require_room(design, _core.require_room, targets, *rows, options, path, folds)
        with WalksProgress(progress) as show:
            if folds is None:
                found = {"path": _core.fit_path(design._core, targets, *rows, options, path, show)}
            else:
                found = _core.cross_validate(design._core, targets, *rows, options, path, folds, show)
        self._take_path(found["path"])
        if "model" in found:
            self._take(found["model"])
        how = self._take_choice(found)
        self._log(started, f"{len(self.strengths_)} strengths, {how}{self.n_walks_} walks")
        return self


class Path(_OfStrengths):
    """Models of many penalty strengths, fitted together.

    A path does not estimate the dispersion phi. The log-likelihood of Gaussian and Gamma models uses phi = 1, and
    `simulate` refuses these models until `scale_` is set.

    Parameters
    ----------
    observation_model, inverse_link_function, regularizer, solver_kwargs, feature_mask, budget, threads
        As in `GLM` and `PopulationGLM`. There must be a penalty.
    regularizer_strength : array, optional
        Weights of coefficients or groups. The strengths are multiplied with them. ElasticNet takes ``(1.0, ratio)``.
    strengths : array, optional
        Penalty strengths. Default: `n_strengths` numbers. The largest is the smallest strength at which all
        coefficients are 0, and the smallest is `ratio` times that.
    n_strengths : int
        Number of strengths, 2 to 10000.
    ratio : float, optional
        The smallest strength divided by the largest, between 0 and 1. Default: 1e-3, and 1e-7 for Ridge, whose largest
        strength is far above any that is of use.

    Attributes
    ----------
    strengths_ : array of shape (strengths,) or (strengths, units)
        Descending.
    coef_path_ : array of shape (strengths, features) or (strengths, features, units)
    intercept_path_ : array of shape (strengths,) or (strengths, units)
    nonzero_ : array of shape (strengths,) or (strengths, units)
        Number of coefficients that are not 0.
    coef_, intercept_
        Coefficients at the smallest strength. `predict` and `score` use them. `model` returns the model of another
        strength.
    selected_ : int
        Index of that strength in `strengths_`.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 4))
    >>> path = sx.Path(n_strengths=5).fit(X, rng.poisson(np.exp(X[:, 0] / 2)))
    >>> path.coef_path_.shape, int(path.nonzero_[0])
    ((5, 4), 0)
    """

    selected_: int

    def _take_choice(self, found):
        self._select(len(self.strengths_) - 1)
        return ""

    def _select(self, k):
        self.coef_, intercept = self.coef_path_[k], self.intercept_path_[k]
        self.intercept_, self.selected_ = np.atleast_1d(intercept), k
        return self

    def model(self, k: int) -> GLM:
        """Return the fitted model of one strength.

        Parameters
        ----------
        k : int
            Index of the strength in `strengths_`.

        Returns
        -------
        GLM or PopulationGLM
            Its `fit` gives the same coefficients, with two exceptions. A `GLM` has no `feature_mask`. A model with
            GroupLasso has no strengths for each unit, and its `fit` refuses them.

        Raises
        ------
        synelix.Error
            `k` is out of range.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> X = np.linspace(0, 1, 60)[:, None]
        >>> sx.Path(n_strengths=4).fit(X, np.arange(60) // 10).model(0).coef_
        array([0.])
        """
        if not 0 <= _inputs.whole("k", k) < len(self.strengths_):
            raise Error(f"k: {k} is out of range. Use 0 to {len(self.strengths_) - 1}.")
        kind = PopulationGLM if self._has_targets else GLM
        more = {"feature_mask": self.feature_mask} if self._has_targets else {}
        model = kind(self.observation_model, self.inverse_link_function, self.regularizer, self._strength_of(k),
                     solver_kwargs=self.solver_kwargs, budget=self.budget, threads=self.threads, **more)
        model.coef_, model.intercept_ = self.coef_path_[k], np.atleast_1d(self.intercept_path_[k])
        model.n_features_in_ = self.n_features_in_
        return model

    def _strength_of(self, k):
        """The regularizer_strength of model k: the strength times the weights, with the ratio of ElasticNet."""
        strength, weights, ratio = np.asarray(self.strengths_[k]), self.regularizer_strength, None
        kind = penalty_options(self.regularizer, None, len(self.coef_), 1)["kind"]
        if kind == "elastic_net":
            weights, ratio = weights if isinstance(weights, (tuple, list)) else (weights, 0.5)
        weights = np.asarray(1.0 if weights is None else weights, dtype=np.float64)
        if strength.ndim and (strength == strength[0]).all():
            strength = strength[0]
        if strength.ndim:  # one number for each coefficient of each unit: fewer dimensions have other meanings
            if weights.ndim == 1 and (kind == "group_lasso" or len(weights) == len(self.coef_)):
                weights = weights[:, None]
            strength = strength * weights
            strength = strength[None] if strength.ndim == 1 else strength
            if kind != "group_lasso":
                strength = np.ascontiguousarray(np.broadcast_to(strength, self.coef_.shape))
        else:
            strength = strength * weights
        strength = float(strength) if np.ndim(strength) == 0 else strength
        return strength if ratio is None else (strength, ratio)


class CrossValidation(_OfStrengths):
    """A model whose penalty strength is chosen by its score on rows that were left out.

    By default, `fit` fits 50 strengths in 5 folds and on all rows. This takes minutes on long recordings.
    ``n_strengths=10`` is faster. ``fit(..., progress=True)`` shows the progress.

    Parameters
    ----------
    cv : int, array of shape (samples,), splitter of scikit-learn, or list of (train, test)
        An int is the number of blocks of consecutive rows. An array has the fold of each row: 0, 1, ..., or 255 for
        rows that are in no test. Each training set of a splitter must hold all rows that are not in its test.
    gap : int
        Number of rows on either side of test rows that training leaves out. With the length of the window, the
        windows of training and test rows do not overlap.
    scoring : {"deviance", "log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen"}
        The score to compare.
    choose : {"best", "1se"}
        "best" takes the strength with the best mean score. "1se" takes the largest strength within one standard
        error of it.
    observation_model, inverse_link_function, regularizer, regularizer_strength, solver_kwargs, strengths, \
n_strengths, ratio, feature_mask, budget, threads
        As in `Path`.

    Attributes
    ----------
    coef_, intercept_
        Coefficients of the model that is fitted on all rows with the chosen strength, as in `GLM` or `PopulationGLM`.
    best_strength_ : float, or array of shape (units,)
        The chosen strength.
    best_index_ : int, or array of shape (units,)
        Its index in `strengths_`.
    mean_score_, standard_error_ : arrays of shape (strengths,) or (strengths, units)
    scores_ : array of shape (folds, strengths) or (folds, strengths, units)

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(500, 4))
    >>> model = sx.CrossValidation(n_strengths=8, cv=3).fit(X, rng.poisson(np.exp(X[:, 0] / 2)))
    >>> model.coef_.shape, model.scores_.shape
    ((4,), (3, 8))
    """

    scores_: Floats
    mean_score_: Floats
    standard_error_: Floats
    best_index_: Any
    best_strength_: Any

    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None,
                 regularizer: Any = "Lasso", regularizer_strength: Any = None,
                 solver_kwargs: dict[str, Any] | None = None, *, cv: Any = 5, gap: int = 0,
                 scoring: Score = "deviance", choose: Literal["best", "1se"] = "best",
                 strengths: Any = None, n_strengths: int = 50, ratio: float | None = None, feature_mask: Any = None,
                 budget: Budget = None, threads: int = 0) -> None:
        super().__init__(observation_model, inverse_link_function, regularizer, regularizer_strength, solver_kwargs,
                         strengths=strengths, n_strengths=n_strengths, ratio=ratio, feature_mask=feature_mask,
                         budget=budget, threads=threads)
        self.cv = cv
        self.gap = gap
        self.scoring = scoring
        self.choose = choose

    def _folds(self, count):
        fold = _folds_of(self.cv, count)
        return {"folds": self.cv if fold is None else 5, "gap": self.gap, "score": self.scoring, "choose": self.choose,
                "fold_of_row": [] if fold is None else fold.tolist()}

    def _take_choice(self, found):
        self.scores_, self.mean_score_, self.standard_error_ = (self._of_one(found[k])
                                                                for k in ("scores", "mean", "standard_error"))
        self.best_index_ = self._of_one(found["chosen"])
        self.best_strength_ = self._of_one(np.take_along_axis(found["path"]["strengths"], found["chosen"][None], 0)[0])
        return f"{len(self.scores_)} folds, "


def _folds_of(cv, count):
    """The fold of each row, from an array, a splitter or splits. None if `cv` is a number of folds."""
    if isinstance(cv, str) or (not hasattr(cv, "split") and not np.iterable(cv)):
        return None
    splits = list(cv.split(np.empty((count, 1))) if hasattr(cv, "split") else cv)
    if splits and isinstance(splits[0], tuple) and len(splits) > 255:
        raise Error(f"cv: there are {len(splits)} splits. Use 255 at most.")
    if not splits or not isinstance(splits[0], tuple):
        folds = np.asarray(splits)
        if folds.dtype.kind not in "iu" or folds.ndim != 1 or ((folds < 0) | (folds > 255)).any():
            raise Error("cv: this is not a fold of each row. Use whole numbers from 0 to 254, or 255 for rows that "
                        "are in no test.")
        return folds.astype(np.uint8)
    folds = np.full(count, 255, np.uint8)
    for k, (train, test) in enumerate(splits):
        rest = np.ones(count, bool)
        rest[test] = False
        taken = np.zeros(count, bool)
        taken[train] = True
        if not np.array_equal(rest, taken) or (folds[test] != 255).any():
            raise Error(f"cv: the training rows of split {k} are not all rows that are not tested, or a row is "
                        "tested twice. Use KFold or such.")
        folds[test] = k
    return folds
