# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The least budget that an error names suffices at once."""

import itertools
import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest

import synelix as sx

loose: Any = sx
RNG = np.random.default_rng(0)
X = RNG.normal(size=(20_000, 4))
F = X.astype(np.float32)
TAPS = RNG.normal(size=(150, 5))
EVENTS = sx.Events([np.sort(RNG.uniform(0, 20, 400)) for _ in range(3)], 0.001, [[0, 20]])


def bases():
    log = sx.RaisedCosineLogConv(6, window_size=80)
    return {"one": log, "short": sx.BSplineConv(5, window_size=9), "eval": sx.BSplineEval(5), "bounds": sx.MSplineEval(5, bounds=(-9.0, 9.0))}


def inputs_of(basis):
    return [F] * basis._count_inputs()


def composites():
    found = bases()
    for first, second in itertools.product(list(found), repeat=2):
        found[f"{first} + {second}"] = found[first] + found[second]
        found[f"{first} * {second}"] = found[first] * found[second]
    return found


COMPOSITES = composites()
COUNTS = RNG.poisson(1.0, 20_000) + 1
RIDGE = {"observation_model": "Gaussian", "regularizer": "Ridge"}
MODEL = sx.GLM().fit(X, COUNTS)
FAR = X + [1e5, 0, 0, 0]
MANY = RNG.gamma(2, 0.5, (20_000, 70)) + 1e-3
POPULATION = sx.PopulationGLM("Gamma").fit(X[:500], MANY[:500])
CALLS: dict[str, Any] = {
    "convolve": lambda b: sx.convolve(X, TAPS, budget=b),
    "convolve, float": lambda b: sx.convolve(F, TAPS, budget=b),
    "convolve, direct": lambda b: sx.convolve(X, TAPS, method="direct", budget=b),
    "convolve, fft": lambda b: sx.convolve(X, TAPS, method="fft", budget=b),
    "convolve, short": lambda b: sx.convolve(X, TAPS[:5], budget=b),
    "convolve, Events": lambda b: sx.convolve(EVENTS, TAPS, budget=b),
    "ConvolvePlan": lambda b: sx.ConvolvePlan(X, TAPS, budget=b),
    "ConvolveStream": lambda b: sx.ConvolveStream(TAPS, 4, 20_000, stored=np.float64, budget=b),
    "ConvolveStream, blocks": lambda b: sx.ConvolveStream(TAPS, 4, 30, budget=b),
    "convolve_file": lambda b: sx.convolve_file(X, TAPS, np.empty((20_000, 4, 5)), budget=b),
    "compute_features_file": lambda b: sx.compute_features_file(sx.HistoryConv(5), [X], np.empty((20_000, 20)), budget=b),
    "Design": lambda b: sx.Design(sx.HistoryConv(5), X, budget=b),
    "Design, kept": lambda b: sx.Design(sx.HistoryConv(5), X, keep="features", budget=b),
    "Design, Events": lambda b: sx.Design(sx.HistoryConv(5), EVENTS, budget=b),
    "matmul": lambda b: sx.matmul(F, F.T[:, :300], budget=b),
    "quadratic_forms": lambda b: sx.quadratic_forms(X, np.eye(4), budget=b),
    "bilinear_forms": lambda b: sx.bilinear_forms(X, np.ones((7, 4, 4)), X, budget=b),
    "conv1d": lambda b: sx.conv1d(F.T[None], np.ones((8, 4, 9), np.float32), budget=b),
    "conv2d": lambda b: sx.conv2d(np.ones((2, 3, 40, 40)), np.ones((8, 3, 5, 5)), padding="same", budget=b),
    "conv_transpose1d": lambda b: sx.conv_transpose1d(F.T[None], np.ones((4, 8, 9), np.float32), budget=b),
    "conv1d_input": lambda b: sx.conv1d_input((1, 4, 500), np.ones((8, 4, 9)), np.ones((1, 8, 492)), budget=b),
    "conv1d_weight": lambda b: sx.conv1d_weight(np.ones((1, 4, 500)), (8, 4, 9), np.ones((1, 8, 492)), budget=b),
    **{f"{kind.__name__}.fit, {name}": (lambda b, kind=kind, more=more: kind(budget=b, **more).fit(X, COUNTS))
       for kind, name, more in (
           (loose.GLM, "none", {}), (loose.GLM, "errors", {"standard_errors": True}), (loose.GLM, "lbfgs", {"solver_name": "LBFGS"}),
           (loose.GLM, "lasso", {"regularizer": "Lasso", "regularizer_strength": 0.1}), (loose.GLM, "gamma", {"observation_model": "Gamma"}),
           (loose.Path, "lasso", {"n_strengths": 4}), (loose.Path, "ridge of Gaussian", {"n_strengths": 4, **RIDGE}),
           (loose.CrossValidation, "lasso", {"n_strengths": 4, "cv": 3}), (loose.CrossValidation, "ridge of Gaussian", {"n_strengths": 4, "cv": 3, **RIDGE}))},
    **{f"{kind.__name__}.fit, a large mean": (lambda b, kind=kind: kind(n_strengths=4, budget=b, **RIDGE).fit(FAR, COUNTS))
       for kind in (loose.Path, loose.CrossValidation)},
    "PopulationGLM.fit, many": lambda b: sx.PopulationGLM("Gamma", budget=b).fit(X, MANY),
    **{f"PopulationGLM.{name}, many": (lambda b, name=name, more=more: getattr(POPULATION.set_params(budget=b), name)(*more))
       for name, more in (("predict", (X,)), ("score", (X, MANY)), ("simulate", (1, X)))},
    "PopulationGLM.fit": lambda b: sx.PopulationGLM(budget=b).fit(X, np.stack([COUNTS] * 5, 1)),
    "GLM.fit, weights and an offset": lambda b: sx.GLM(budget=b).fit(X, COUNTS, sample_weight=np.ones(20_000), offset=np.zeros(20_000)),
    "GLM.predict": lambda b: MODEL.set_params(budget=b).predict(X),
    "GLM.score": lambda b: MODEL.set_params(budget=b).score(X, COUNTS),
    "GLM.simulate": lambda b: MODEL.set_params(budget=b).simulate(1, X),
    "GLM.explain": lambda b: sx.GLM(budget=b).explain(X, COUNTS),
    **{f"compute_features, {name}": (lambda b, basis=basis: basis.compute_features(*inputs_of(basis), budget=b)) for name, basis in COMPOSITES.items()},
}


@pytest.mark.parametrize("name", CALLS)
def test_the_least_that_is_named_suffices(name):
    call = CALLS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(1)
        except sx.BudgetError as error:
            found = re.search(r"at least (\d+) byte", str(error))
            assert found and int(found[1]) == error.least_bytes, str(error)
            assert re.search(r"\b1 byte", str(error)), str(error)         # what was given
            assert pickle.loads(pickle.dumps(error)).least_bytes == error.least_bytes
            call(error.least_bytes)
        else:
            assert name == "Design, Events", "1 byte was enough"
