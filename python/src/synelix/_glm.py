# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generalized linear model of one target."""

from __future__ import annotations

import copy
import time
import warnings
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, validate_data

from . import _core, _devices, _inputs, _pynapple, _reports, _times
from ._design import Design, count_of, design_of, require_room, require_samples, targets_of
from ._errors import Error
from ._events import Events
from ._reports import Explanation, WalksProgress, table_of_fit
from ._model_words import _require, _require_weights, _vector, loss_options, penalty_options, seed_of, solver_options

if TYPE_CHECKING:
    from ._types import Any, Budget, Callable, Floats, Score, Self, WalksDone

_SCORES = ("log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen", "deviance")


class GLM(RegressorMixin, BaseEstimator):
    """A generalized linear model of one target.

    Parameters
    ----------
    observation_model : {"Poisson", "Gaussian", "Bernoulli", "Gamma", "NegativeBinomial"} or object
        Distribution of the target. An object is one of `synelix.observation_models`, or of NeMoS.
    inverse_link_function : str or function of JAX, optional
        "exp", "softplus", "logistic", "norm_cdf", "one_over_x" or "identity". Default: as in NeMoS.
    regularizer : {"UnRegularized", "Ridge", "Lasso", "ElasticNet", "GroupLasso"} or object, optional
        Penalty. An object is one of `synelix.regularizer`, or of NeMoS. Default: no penalty.
    regularizer_strength : float, array or (float, float), optional
        One number, or one for each coefficient or group. ElasticNet takes (strength, ratio). Default: 1. It needs a
        `regularizer`.
    solver_name : {"newton", "lbfgs", "proximal_newton"}, optional
        In any case of letters, so that NeMoS' "LBFGS" is "lbfgs". Default: the solver that is predicted to be the
        fastest. The names of NeMoS' other solvers are accepted, and have the same effect as None.
    solver_kwargs : dict, optional
        tol: the relative tolerance, 1e-6 by default. maxiter: the largest number of evaluations of a target, 500 by
        default.
    fit_intercept : bool
        Whether the model has an intercept.
    standard_errors : bool
        Whether to compute `standard_errors_`. Only smooth penalties have them.
    budget : int or str, optional
        Bytes that the fit may use beyond its arguments, such as "512MiB".
    threads : int
        The number of threads. 0 means the number of `set_num_threads`. The call never uses more threads than were
        started.

    Attributes
    ----------
    coef_ : array of shape (features,)
    intercept_ : array of shape (1,)
    scale_ : array of shape (1,)
        The dispersion phi.
    dof_resid_ : array of shape (1,)
        Degrees of freedom of the residuals, over the rows that were used.
    stop_ : str
        Why the fit ended: "converged", "iterations", "no_decrease", "separated", "no_events".
    optimality_ : float
        Largest violation of the optimality conditions, relative to the model without features.
    objective_ : float
        Mean loss plus penalty.
    n_iter_ : int
        Number of evaluations of the loss.
    solver_ : str
        The solver that was chosen.
    standard_errors_ : array of shape (features + 1,)
        Standard errors of the coefficients. The last one is that of the intercept.

    Examples
    --------
    >>> import numpy as np, synelix as sx
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 2))
    >>> model = sx.GLM(regularizer="Ridge", regularizer_strength=1e-3).fit(X, rng.poisson(np.exp(X[:, 0] / 2)))
    >>> model.coef_.shape, model.stop_
    ((2,), 'converged')
    """

    def __init__(self, observation_model: Any = "Poisson", inverse_link_function: Any = None, regularizer: Any = None,
                 regularizer_strength: Any = None, solver_name: str | None = None,
                 solver_kwargs: dict[str, Any] | None = None, *, fit_intercept: bool = True,
                 standard_errors: bool = False, budget: Budget = None, threads: int = 0) -> None:
        self.observation_model = observation_model
        self.inverse_link_function = inverse_link_function
        self.regularizer = regularizer
        self.regularizer_strength = regularizer_strength
        self.solver_name = solver_name
        self.solver_kwargs = solver_kwargs
        self.fit_intercept = fit_intercept
        self.standard_errors = standard_errors
        self.budget = budget
        self.threads = threads

    coef_: Floats
    intercept_: Floats
    scale_: Floats
    dof_resid_: Floats
    stop_: Any
    optimality_: Any
    objective_: Any
    n_iter_: int
    n_features_in_: int
    solver_: str
    standard_errors_: Floats

    # ---- arguments of the library
    _is_population = False

    def _loss(self):
        return loss_options(self.observation_model, self.inverse_link_function)

    def _options(self, columns, targets):
        return {**self._loss(), **solver_options(self.solver_name, self.solver_kwargs),
                "penalty": penalty_options(self.regularizer, self.regularizer_strength, columns, targets),
                "fit_intercept": bool(self.fit_intercept), "standard_errors": bool(self.standard_errors)}

    def _take_shape(self, y):
        """Notes whether y has columns, where a model takes both."""

    def _checked(self, X, y=None, fitting=False, **rows):
        """The design and the targets. Arrays are checked as scikit-learn does. `rows` has a number for each row.

        If `fitting`, attributes of the model are set, and `require_room` is called next.
        """
        require_samples(X, "X")
        if y is not None:
            require_samples(y, "y")
        _times.common_times(X=X, y=y, **rows)
        if not isinstance(X, Design) and not _pynapple.is_tsd(X) and not _devices.lies_on_device(X):
            X = validate_data(self, X, reset=fitting, dtype=_inputs.TYPES, ensure_all_finite=False,
                              ensure_min_samples=2 if fitting else 1)
        elif fitting:
            self.n_features_in_ = X.shape[1]
        if y is not None and not isinstance(y, Events) and not _pynapple.is_tsd(y):
            y = check_array(y, ensure_2d=False, dtype="numeric", ensure_all_finite=False, input_name="y")
            if not self._is_population:
                if y.ndim == 2 and y.shape[1] > 1:
                    raise Error(f"y: there are {y.shape[1]} columns, but this model has one target. Use "
                                "PopulationGLM, or one column.")
                y = column_or_1d(y, warn=True)
            check_consistent_length(X, y)
        if isinstance(y, Events) and not self._is_population and y.shape[1] != 1:
            raise Error(f"y: there are {y.shape[1]} spike trains, but this model has one target. Use PopulationGLM.")
        if _pynapple.is_tsd(y) and not self._is_population and y.ndim > 1 and y.shape[1] != 1:
            raise Error(f"y: there are {y.shape[1]} columns, but this model has one target. Use PopulationGLM.")
        if y is not None and self._is_population and len(y.shape) != 2:
            raise Error(f"y: the array has {len(y.shape)} dimensions. Use two: (samples, units).")
        return design_of(X, self.budget, self.threads, fitting), None if y is None else targets_of(y)

    def fit(self, X: Any, y: Any, init_params: Any = None, *, sample_weight: Any = None, offset: Any = None,
            progress: WalksDone = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array of shape (samples, features), pynapple TsdFrame, or Design
            Arrays are read without a copy. Features of a Design are computed when they are needed. A Design has its
            own budget and threads.
        y : array of shape (samples,), pynapple Tsd, or Events
            The targets. Those of a `PopulationGLM` have the shape (samples, units).
        init_params : (array of shape (features,), array of shape (1,)), optional
            Coefficients and intercept to begin with.
        sample_weight : array of shape (samples,), optional
            How many times each row counts.
        offset : array of shape (samples,), optional
            It is added to the linear predictor.
        progress : True or callable, optional
            True shows a progress bar, if tqdm is installed. A function is called after each pass over the rows (a
            walk), with (finished targets, targets, walks, worst optimality, seconds).

        Returns
        -------
        self

        Raises
        ------
        synelix.Error
            Targets do not fit the model, inputs have different times, no row is left, or a model without penalty has
            more parameters than rows.
        synelix.BudgetError
            The budget is too small. The message names the smallest budget that works.
        KeyboardInterrupt
            Ctrl-C was pressed. The fit ends in the middle of a pass over the rows.

        Warns
        -----
        sklearn.exceptions.ConvergenceWarning
            The fit ended before it reached its optimum.
        UserWarning
            There is a `regularizer_strength`, but no `regularizer`.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> sx.GLM().fit(np.linspace(0, 1, 50)[:, None], np.arange(50) // 10).stop_
        'converged'
        """
        _require(y, sample_weight)
        design, targets = self._checked(X, y, fitting=True, offset=offset, sample_weight=sample_weight)
        columns = design.shape[1]
        options = self._options(columns, count_of(targets))
        if self.regularizer_strength is not None and options["penalty"]["kind"] == "none":
            warnings.warn(f"regularizer_strength: {self.regularizer_strength!r} has no effect, because the model has "
                          "no penalty. Give regularizer='Ridge', or leave the strength out.", UserWarning, stacklevel=2)
        if init_params is not None:
            if not isinstance(init_params, (tuple, list)) or len(init_params) != 2:
                raise Error("init_params: this is not a pair. Use (coefficients, intercept).")
            coefficients, intercepts = (_inputs.reals("init_params", p) for p in init_params)
            options.update(start_coefficients=coefficients.ravel(), start_intercepts=intercepts.ravel())
        started = time.perf_counter()
        rows = _vector(offset, "offset"), _vector(sample_weight, "sample_weight")
        require_room(design, _core.explain_fit, targets, *rows, options)
        with WalksProgress(progress) as show:
            found = _core.fit(design._core, targets, *rows, options, show)
        self._take(found)
        self._log(started, f"{self.solver_}, {self.n_iter_} evaluations, {', '.join(sorted(set(found['stop'])))}")
        return self

    def _log(self, started, how):
        if logger := _reports.logger_for(_reports.INFO):
            logger.info("%s.fit: %s, in %.3g s", type(self).__name__, how, time.perf_counter() - started)

    def _take(self, found):
        """Sets the attributes of a fitted model."""
        self.coef_ = self._of_targets(found["coefficients"])
        self.intercept_ = found["intercepts"]
        single = (lambda v: v) if self._is_population else (lambda v: v[0])
        self.scale_, self.dof_resid_ = found["scale"], found["residual_degrees_of_freedom"]
        self.stop_, self.optimality_ = single(found["stop"]), single(found["optimality"])
        self.objective_, self.n_iter_ = single(found["objective"]), int(np.max(found["evaluations"]))
        if "standard_errors" in found:
            self.standard_errors_ = self._of_targets(found["standard_errors"])
        self.solver_ = found["solver"]
        for text in found["warnings"]:
            if not text.startswith("most_evaluations "):
                warnings.warn(text, ConvergenceWarning, stacklevel=3)
        stopped = [i for i, stop in enumerate(found["stop"]) if stop == "iterations"]
        if stopped:
            names = ", ".join(f"target {i}" for i in stopped[:5]) + (", ..." if len(stopped) > 5 else "")
            of = f" of {names}" if self._is_population else ""
            warnings.warn(f"The fit{of} made its most evaluations before it reached its optimum. Raise maxiter in "
                          "solver_kwargs.", ConvergenceWarning, stacklevel=3)

    def _of_targets(self, array):
        return array if self._is_population else array[:, 0]

    def _model(self):
        check_is_fitted(self, ("coef_", "intercept_"))
        coefficients = np.ascontiguousarray(self.coef_, dtype=np.float64)
        intercepts = np.ascontiguousarray(np.atleast_1d(self.intercept_), dtype=np.float64)
        targets = len(intercepts)
        scale = np.broadcast_to(np.asarray(getattr(self, "scale_", 1.0), dtype=np.float64), (targets,))
        return {**self._loss(), "coefficients": coefficients.ravel(), "intercepts": intercepts,
                "columns": len(coefficients), "targets": targets, "scale": np.ascontiguousarray(scale)}

    def _require_scale(self):
        """Refuses to draw without the dispersion phi, which a path does not estimate."""
        if self._loss()["family"] in ("gaussian", "gamma") and not hasattr(self, "scale_"):
            raise Error("scale_: a path does not estimate it. Fit a GLM with this strength, or set scale_.")

    def _require_columns(self, design):
        if design.shape[1] != len(self.coef_):
            raise Error(f"X: there are {design.shape[1]} features, but the model was fitted with {len(self.coef_)} "
                        "features. Use as many.")

    # ---- methods of a fitted model
    def predict(self, X: Any, *, offset: Any = None) -> Any:
        """Predict the mean of the target in each row. Rows with a NaN feature are NaN.

        Parameters
        ----------
        X
            As in `fit`.
        offset : array of shape (samples,), optional
            It is added to the linear predictor.

        Returns
        -------
        array of shape (samples,)
            A Tsd of pynapple if X has times. A `PopulationGLM` gives the shape (samples, units).

        Raises
        ------
        ValueError
            X does not have the features of `fit`.
        sklearn.exceptions.NotFittedError
            The model is not fitted. The error is a ValueError too.

        Warns
        -----
        UserWarning
            Rows get a mean that the family cannot have, such as one below 0.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> X = np.linspace(0, 1, 50)[:, None]
        >>> sx.GLM().fit(X, np.arange(50) % 3).predict(X).shape
        (50,)
        """
        model, design = self._model(), self._checked(X, offset=offset)[0]
        self._require_columns(design)
        rates = _core.predict(design._core, model, _vector(offset, "offset"))
        return design._like(self._of_targets(rates))

    def score(self, X: Any, y: Any, score_type: Score = "log-likelihood",
              aggregate_sample_scores: Callable[..., Any] = np.mean, *, sample_weight: Any = None,
              offset: Any = None) -> float:
        """Compute how well the model agrees with data.

        Parameters
        ----------
        X, y
            As in `fit`.
        score_type : {"log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen", "deviance"}
            The score.
        aggregate_sample_scores : function named "mean" or "sum"
            How the log-likelihood and the deviance of rows are aggregated. It has no effect on the pseudo-R2.
        sample_weight : array of shape (samples,), optional
            How many times each row counts.
        offset : array of shape (samples,), optional
            It is added to the linear predictor.

        Returns
        -------
        float

        Raises
        ------
        synelix.Error
            A score or an aggregation is not known, `y` does not fit the model, inputs have different times, or all
            weights are 0.
        ValueError
            X does not have the features of `fit`, or the model is not fitted.

        Warns
        -----
        UserWarning
            Rows get a mean that the family cannot have, such as one below 0.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> X = np.linspace(0, 1, 50)[:, None]
        >>> y = np.arange(50) // 10
        >>> bool(sx.GLM().fit(X, y).score(X, y, "pseudo-r2-McFadden") > 0.2)
        True
        """
        if score_type not in _SCORES:
            raise Error(f"score_type: {score_type!r} is not known. Use one of {', '.join(_SCORES)}.")
        name = getattr(aggregate_sample_scores, "__name__", "")
        if name not in ("mean", "sum"):
            raise Error("aggregate_sample_scores: only mean and sum are supported. Use numpy.mean.")
        found = self._scored(X, y, sample_weight, offset)
        rows = found["weight"] if name == "sum" and score_type in ("log-likelihood", "deviance") else 1.0
        return float(found[score_type] * rows)

    def _scored(self, X, y, sample_weight=None, offset=None, residuals=False, time_rescaling=False, seed=0):
        _require_weights(sample_weight)
        model, (design, targets) = self._model(), self._checked(X, y, offset=offset, sample_weight=sample_weight)
        self._require_columns(design)
        return _core.score(design._core, targets, model, _vector(offset, "offset"),
                           _vector(sample_weight, "sample_weight"), residuals, time_rescaling, seed)

    def diagnose(self, X: Any, y: Any, *, time_rescaling: bool = False, seed: Any = 0) -> Explanation:
        """Compute all scores, together and for each target, and deviance residuals.

        Parameters
        ----------
        X, y
            As in `fit`.
        time_rescaling : bool
            Whether to compare the times between events with the rates of the model. Each target gets (intervals,
            statistic, bound). For a true model, the statistic is below the bound with a probability of 95 %.
        seed : int or key of JAX
            Seed of the random numbers of time rescaling.

        Returns
        -------
        Explanation
            The scores by name, "targets" (the scores of each), "time_rescaling", and "deviance_residuals" of shape
            (samples, targets).

        Raises
        ------
        synelix.Error
            `y` has values that the family does not take, or `seed` is not a key.
        ValueError
            X does not have the features of `fit`, or the model is not fitted.

        Warns
        -----
        UserWarning
            Rows get a mean that the family cannot have, such as one below 0.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> X = np.linspace(0, 1, 50)[:, None]
        >>> y = np.arange(50) // 10
        >>> sx.GLM().fit(X, y).diagnose(X, y)["deviance_residuals"].shape
        (50, 1)
        """
        return Explanation(self._scored(X, y, residuals=True, time_rescaling=time_rescaling,
                                        seed=seed_of(seed, "seed")))

    def simulate(self, random_key: Any, feedforward_input: Any) -> tuple[Any, Any]:
        """Draw targets from the model.

        Parameters
        ----------
        random_key : int or key of JAX
            Draws follow from the key, the row and the unit. They do not depend on the number of threads.
        feedforward_input
            As X of `fit`.

        Returns
        -------
        (targets, rates) : arrays of shape (samples,), or Tsd of pynapple
            A `PopulationGLM` gives the shape (samples, units).

        Raises
        ------
        synelix.Error
            The family has a scale and `scale_` is not set, or `random_key` is not a key.
        ValueError
            The inputs do not have the features of `fit`, or the model is not fitted.

        Warns
        -----
        UserWarning
            Rows get a mean that the family cannot have, such as one below 0.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> X = np.linspace(0, 1, 50)[:, None]
        >>> counts, rates = sx.GLM().fit(X, np.arange(50) // 10).simulate(0, X)
        >>> counts.shape, rates.shape
        ((50,), (50,))
        """
        self._require_scale()
        model, design = self._model(), self._checked(feedforward_input)[0]
        self._require_columns(design)
        targets = _core.simulate(design._core, model, seed_of(random_key))
        rates = _core.predict(design._core, model, None)
        return design._like(self._of_targets(targets)), design._like(self._of_targets(rates))

    def explain(self, X: Any, y: Any) -> Explanation:
        """Explain how the model would be fitted. Nothing is fitted.

        Parameters
        ----------
        X, y
            As in `fit`.

        Returns
        -------
        Explanation
            The solver, the reason, and the predicted seconds of each solver.

        Raises
        ------
        synelix.Error
            An argument is invalid, as in `fit`.
        synelix.BudgetError
            The budget is too small for the fit. The message names the smallest budget that works.

        Examples
        --------
        >>> import numpy as np, synelix as sx
        >>> sx.GLM().explain(np.linspace(0, 1, 50)[:, None], np.arange(50) // 10)["solver"]
        'lbfgs'
        """
        _require(y, None)
        checker = copy.copy(self)  # a fit sets attributes, and takes X and y of any shape, fitted before or not
        checker._take_shape(y)
        design, targets = checker._checked(X, y, fitting=True)
        options = self._options(design.shape[1], count_of(targets))
        require_room(design, _core.explain_fit, targets, None, None, options)
        return Explanation(_core.explain_fit(design._core, targets, None, None, options))

    def _repr_html_inner(self):
        return super()._repr_html_inner() + table_of_fit(self)

    def _repr_mimebundle_(self, **keywords):
        bundle = super()._repr_mimebundle_(**keywords)
        if "text/html" in bundle:
            bundle["text/html"] = self._repr_html_inner()
        return bundle

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.regressor_tags.poor_score = True
        tags.target_tags.positive_only = self._loss()["family"] != "gaussian"
        return tags
