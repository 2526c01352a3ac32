# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A number that is added to columns changes the intercept of a model, and nothing else."""

import warnings

import numpy as np
import pytest

import synelix as sx

SHIFTS = (0.0, 1e3, 1e4, 1e5, 1e6)


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 4))
    return X, rng.poisson(np.exp(0.3 * X[:, 0] - 0.1 * X[:, 3]))


@pytest.mark.parametrize(
    "regularizer, strength",
    [("UnRegularized", None), ("Ridge", 0.1), ("Lasso", 0.01), ("ElasticNet", (0.01, 0.5)), (sx.regularizer.GroupLasso(np.repeat(np.eye(2), 2, axis=1)), 0.01)],
)
def test_a_shift_of_columns_changes_the_intercept_alone(data, regularizer, strength):
    X, y = data
    models = []
    for shift in SHIFTS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            models.append(sx.GLM(regularizer=regularizer, regularizer_strength=strength).fit(X + shift, y))
    for shift, model in zip(SHIFTS, models):
        assert model.stop_ == "converged" and model.optimality_ <= 1e-6, shift
        np.testing.assert_allclose(model.coef_, models[0].coef_, rtol=0, atol=1e-5, err_msg=str(shift))
        assert model.objective_ == pytest.approx(models[0].objective_, abs=1e-9), shift
        np.testing.assert_allclose(model.intercept_ + shift * model.coef_.sum(), models[0].intercept_, rtol=0, atol=1e-5)


def test_features_in_float_are_those_of_their_rounded_values(data):
    X, y = data
    rounded = (X + 1e4).astype(np.float32)
    want = sx.GLM(regularizer="Lasso", regularizer_strength=0.01).fit(rounded.astype(np.float64) - 1e4, y)
    model = sx.GLM(regularizer="Lasso", regularizer_strength=0.01).fit(rounded, y)
    assert model.stop_ == "converged"
    np.testing.assert_allclose(model.coef_, want.coef_, rtol=0, atol=1e-5)


@pytest.mark.parametrize("shift", [1e8, 1e11])
def test_a_mean_beyond_the_digits_of_double_warns(data, shift):
    X, y = data
    X = X + shift * np.array([0, 0, 1, 0])
    with pytest.warns(UserWarning, match=r"subtract the mean from these columns: column 2 \(.*\) with mean \S+ and standard deviation"):
        model = sx.GLM(regularizer="Lasso", regularizer_strength=0.01).fit(X, y)
    assert shift < 1e9 or model.stop_ != "converged"
