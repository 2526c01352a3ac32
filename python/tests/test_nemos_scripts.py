# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The computations of three of NeMoS' tutorials, made small: the same lines with either package give the same numbers.

The functions follow "Fit head-direction population", "Fit place cell data" and "Fit calcium imaging data" of
nemos.readthedocs.io, on simulated recordings.
"""

import warnings

import numpy as np
import pytest
from conftest import same

import synelix as sx

pytest.importorskip("sklearn")


def packages(nmo):
    """Each package with the settings that bring its fit to the optimum."""
    return [(sx, {"tol": 1e-9}), (nmo, {"tol": 1e-12, "maxiter": 20_000})]


def head_directions(nmo, solver, count, window):
    """Coupling filters of a population from its binned spikes."""
    basis = nmo.basis.RaisedCosineLogConv(n_basis_funcs=6, window_size=window)
    features = basis.compute_features(count)
    model = nmo.glm.PopulationGLM(regularizer="Ridge", regularizer_strength=0.01, solver_kwargs=solver).fit(features, count)
    weights = basis.split_by_feature(model.coef_, axis=0)["RaisedCosineLogConv"]
    _, kernels = basis.evaluate_on_grid(window)
    return {"features": features.d, "filters": np.einsum("jki,tk->ijt", weights, kernels), "rates": model.predict(features).d,
            "times": model.predict(features).t, "score": model.score(features, count, score_type="pseudo-r2-McFadden")}


def test_head_directions(nmo, nap, rng):
    trains = {k: nap.Ts(np.sort(rng.uniform(0, 60, 900))) for k in range(3)}
    group = nap.TsGroup(trains, time_support=nap.IntervalSet([0, 35], [30, 60]))
    count = group.count(0.01)
    got, want = (head_directions(m, s, count, 50) for m, s in packages(nmo))
    same(got["features"], want["features"], 1e-12)
    same(got["times"], want["times"])
    same(got["filters"], want["filters"], 1e-4)
    same(got["rates"], want["rates"], 1e-4)
    same(got["score"], float(want["score"]), 1e-5)


def place_cells(nmo, solver, position, theta, speed, count):
    """One cell's rate as a function of position times phase, and of speed."""
    basis = nmo.basis.BSplineEval(n_basis_funcs=5) * nmo.basis.CyclicBSplineEval(n_basis_funcs=6) + nmo.basis.MSplineEval(n_basis_funcs=5)
    X = basis.compute_features(position, theta, speed)
    model = nmo.glm.GLM(regularizer="Ridge", regularizer_strength=1e-3, solver_kwargs=solver).fit(X, count)
    *_, grid = (nmo.basis.BSplineEval(5) * nmo.basis.CyclicBSplineEval(6)).evaluate_on_grid(8, 9)
    parts = basis.split_by_feature(model.coef_, axis=0)
    label = "(BSplineEval * CyclicBSplineEval)"
    return {"features": X.d, "field": grid @ np.ravel(parts[label]), "speed": parts["MSplineEval"], "rates": model.predict(X).d,
            "score": model.score(X, count)}


def test_place_cells(nmo, nap, rng):
    t = np.arange(4000) * 0.025
    support = nap.IntervalSet([0, 60], [50, 100])
    series = lambda d: nap.Tsd(t=t, d=d).restrict(support)  # noqa: E731
    position = np.cumsum(rng.normal(size=4000)) % 30
    theta, speed = rng.uniform(0, 2 * np.pi, 4000), np.abs(rng.normal(size=4000))
    count = rng.poisson(np.exp(np.cos(position / 5) - 1)).astype(float)
    arguments = [series(d) for d in (position, theta, speed, count)]
    got, want = (place_cells(m, s, *arguments) for m, s in packages(nmo))
    same(got["features"], want["features"], 1e-12)
    for name, tolerance in (("field", 1e-4), ("speed", 1e-4), ("rates", 1e-4), ("score", 1e-5)):
        same(got[name], np.asarray(want[name]), tolerance)


def calcium(nmo, solver, fluorescence, direction):
    """Traces with positive noise: heading and the other cells, the number of functions by cross-validation."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import Pipeline

    heading = nmo.basis.CyclicBSplineEval(n_basis_funcs=6, bounds=(0.0, 2 * np.pi))
    coupling = nmo.basis.RaisedCosineLogConv(n_basis_funcs=4, window_size=10)
    basis = (heading + coupling).set_input_shape(1, fluorescence.shape[1])
    X = np.column_stack([direction, fluorescence])
    model = nmo.glm.GLM(observation_model="Gaussian", regularizer="Ridge", regularizer_strength=0.01, solver_kwargs=solver)
    pipeline = Pipeline([("basis", basis.to_transformer()), ("glm", model)])
    search = GridSearchCV(pipeline, {"glm__regularizer_strength": [1e-3, 10.0]}, cv=2).fit(X, fluorescence[:, 0])
    best = search.best_estimator_
    return {"coefficients": best["glm"].coef_, "rates": best.predict(X), "scores": search.cv_results_["mean_test_score"]}


def test_calcium(nmo, rng):
    direction = np.cumsum(rng.normal(size=1200) / 5) % (2 * np.pi)
    fluorescence = rng.gamma(2.0, 1.0, (1200, 2)) + 1 + np.cos(direction)[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        got, want = (calcium(m, s, fluorescence, direction) for m, s in packages(nmo))
    same(got["coefficients"], want["coefficients"], 1e-3)
    same(got["rates"], want["rates"], 1e-3)
    same(got["scores"], want["scores"], 1e-3)
