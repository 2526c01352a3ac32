# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models against NeMoS' own, and the conventions of scikit-learn."""

import pickle
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import RAISES, same

import synelix as sx

pytest.importorskip("sklearn")


@pytest.fixture
def data(rng):
    X = rng.normal(size=(1500, 4))
    X[3, 1] = np.nan
    eta = np.nan_to_num(X) @ [0.3, -0.2, 0.1, 0.0] - 0.5
    y = {"Poisson": rng.poisson(np.exp(eta)), "Gaussian": eta + rng.normal(size=1500),
         "Bernoulli": rng.uniform(size=1500) < 1 / (1 + np.exp(-eta)),
         "Gamma": rng.gamma(2.0, np.exp(eta) / 2), "NegativeBinomial": rng.negative_binomial(2, 1 / (1 + np.exp(eta) / 2))}
    return X, {k: v.astype(float) for k, v in y.items()}


def theirs_of(nmo, **keywords):
    return nmo.glm.GLM(solver_kwargs={"tol": 1e-13, "maxiter": 20_000}, **keywords)


@pytest.mark.parametrize("family", ["Poisson", "Gaussian", "Bernoulli", "NegativeBinomial"])
@pytest.mark.parametrize("regularizer, strength", [("UnRegularized", None), ("Ridge", 0.1), ("Lasso", 0.01), ("ElasticNet", (0.01, 0.3))])
def test_optima_are_those_of_nemos(nmo, data, family, regularizer, strength):
    X, ys = data
    keywords = {"observation_model": family, "regularizer": regularizer, "regularizer_strength": strength}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = theirs_of(nmo, **keywords).fit(X, ys[family])
    got = sx.GLM(**keywords, solver_kwargs={"tol": 1e-9}).fit(X, ys[family])
    assert got.stop_ == "converged"
    same(got.coef_, want.coef_, 2e-5)
    same(got.intercept_, want.intercept_, 2e-5)
    same(got.predict(X), want.predict(X), 1e-4)
    for score in ("log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen"):
        same(got.score(X, ys[family], score), float(want.score(X, ys[family], score_type=score)), 2e-3)


@pytest.mark.parametrize("link", ["exp", "softplus"])
def test_links(nmo, data, link):
    import jax

    X, ys = data
    function = {"exp": jax.numpy.exp, "softplus": jax.nn.softplus}[link]
    want = theirs_of(nmo, inverse_link_function=function).fit(X, ys["Poisson"])
    for given in (link, function):
        got = sx.GLM(inverse_link_function=given).fit(X, ys["Poisson"])
        same(got.coef_, want.coef_, 2e-5)


def test_populations(nmo, rng):
    X = rng.normal(size=(1500, 4))
    Y = rng.poisson(np.exp(X @ rng.normal(size=(4, 3)) * 0.3))
    mask = np.array([[1, 1, 0], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    want = nmo.glm.PopulationGLM(solver_kwargs={"tol": 1e-13, "maxiter": 20_000}, feature_mask=mask).fit(X, Y)
    got = sx.PopulationGLM(feature_mask=mask).fit(X, Y)
    same(got.coef_, want.coef_, 2e-5)
    same(got.intercept_, want.intercept_, 2e-5)
    same(got.predict(X), want.predict(X), 1e-4)
    same(got.score(X, Y), float(want.score(X, Y)), 1e-6)
    assert list(got.stop_) == ["converged"] * 3


def test_groups(nmo, data):
    X, ys = data
    mask = np.array([[1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 1.0]])
    want = theirs_of(nmo, regularizer=nmo.regularizer.GroupLasso(mask=mask), regularizer_strength=0.02).fit(X, ys["Poisson"])
    for regularizer in (sx.regularizer.GroupLasso(mask), nmo.regularizer.GroupLasso(mask=mask)):
        got = sx.GLM(regularizer=regularizer, regularizer_strength=0.02).fit(X, ys["Poisson"])
        same(got.coef_, want.coef_, 1e-4)


def test_designs_of_events_are_fitted_as_their_features(rng):
    trains = [np.sort(rng.uniform(0, 100, 1500)) for _ in range(3)]
    events = sx.Events(trains, 0.01, [[0.0, 50.0], [50.0, 100.0]])
    basis = sx.RaisedCosineLogConv(5, window_size=30)
    features = basis.compute_features(events, dtype=np.float64)
    counts = np.stack([np.histogram(t, np.arange(10_001) * 0.01)[0] for t in trains], axis=1)
    design = sx.Design(basis, events)
    assert design.shape == features.shape and design.valid_rows() == [(30, 5000), (5030, 10_000)]
    want = sx.PopulationGLM(regularizer="Ridge", regularizer_strength=1e-3).fit(features, counts)
    for targets in (counts, events):
        got = sx.PopulationGLM(regularizer="Ridge", regularizer_strength=1e-3).fit(design, targets)
        same(got.coef_, want.coef_, 1e-4)
        same(got.score(design, targets), want.score(features, counts), 1e-5)
    parts = design.split_by_feature(got.coef_)
    assert parts["RaisedCosineLogConv"].shape == (3, 5, 3)


def test_pynapple_in_and_out(nap, nmo, rng):
    t = np.arange(1000) * 0.01
    frame = nap.TsdFrame(t=t, d=rng.normal(size=(1000, 3)))
    y = nap.Tsd(t=t, d=rng.poisson(1.0, 1000).astype(float))
    got, want = sx.GLM().fit(frame, y).predict(frame), theirs_of(nmo).fit(frame, y).predict(frame)
    assert type(got).__name__ == type(want).__name__ == "Tsd"
    same(got.t, want.t)
    same(got.values, want.values, 1e-5)


def test_products_of_designs(rng):
    x = rng.normal(size=(300, 2)).astype(np.float32)
    basis = sx.BSplineConv(5, window_size=10)
    design, features = sx.Design(basis, x), basis.compute_features(x)
    b, r, valid = rng.normal(size=10), rng.normal(size=300), slice(10, None)
    same(design @ b, features @ b.astype(np.float64), 1e-5)
    same(design.adjoint(r), features[valid].T @ r[valid], 1e-5)
    with_ones = np.column_stack([features[valid], np.ones(290)])
    same(design.gram(), with_ones.T @ with_ones, 1e-5)
    same(design.gram(np.arange(300.0)), with_ones.T @ (with_ones * np.arange(10, 300)[:, None]), 1e-5)
    assert "Design(" in repr(design) and "<table>" in design._repr_html_()


def test_offsets_weights_and_starts(data):
    X, ys = data
    y = ys["Poisson"]
    plain = sx.GLM().fit(X, y)
    same(sx.GLM().fit(X, y, offset=np.full(len(y), 0.5)).intercept_, plain.intercept_ - 0.5, 1e-5)
    twice = sx.GLM().fit(np.vstack([X, X[:700]]), np.concatenate([y, y[:700]]))
    weights = np.where(np.arange(len(y)) < 700, 2.0, 1.0)
    same(sx.GLM().fit(X, y, sample_weight=weights).coef_, twice.coef_, 1e-5)
    same(sx.GLM().fit(X, y, (plain.coef_, plain.intercept_)).coef_, plain.coef_, 1e-5)
    errors = sx.GLM(standard_errors=True).fit(X, y).standard_errors_
    assert errors.shape == (5,) and (errors > 0).all()


def test_simulation_and_diagnosis(data):
    X, ys = data
    model = sx.GLM().fit(X, ys["Poisson"])
    counts, rates = model.simulate(3, X)
    again, _ = model.simulate(3, X)
    same(counts, again)
    same(rates, model.predict(X))
    assert abs(np.nanmean(counts) - np.nanmean(rates)) < 0.1
    told = model.diagnose(X, ys["Poisson"], time_rescaling=True)
    assert told["deviance_residuals"].shape == (1500, 1) and len(told["time_rescaling"]) == 1
    assert model.explain(X, ys["Poisson"])["solver"] == model.solver_


def test_paths_and_folds(rng):
    X = rng.normal(size=(600, 6))
    y = rng.poisson(np.exp(X[:, 0] * 0.5 - X[:, 1] * 0.3))
    path = sx.Path(n_strengths=6).fit(X, y)
    assert path.coef_path_.shape == (6, 6) and path.nonzero_[0] == 0 and (np.diff(path.strengths_) < 0).all()
    for k in (2, 4):
        alone = sx.GLM(regularizer="Lasso", regularizer_strength=path.strengths_[k]).fit(X, y)
        same(path.coef_path_[k], alone.coef_, 1e-4)
        same(path.model(k).predict(X), alone.predict(X), 1e-3)
    chosen = sx.CrossValidation(n_strengths=6, cv=3, gap=5).fit(X, y)
    assert chosen.best_strength_ in chosen.strengths_ and chosen.mean_score_.shape == (6,)
    assert chosen.best_index_ == np.argmin(chosen.mean_score_)
    assert chosen.coef_[0] > 0.3 > -0.1 > chosen.coef_[1]
    both = sx.CrossValidation(n_strengths=4, cv=np.arange(600) % 3).fit(X, np.column_stack([y, y]))
    assert both.coef_.shape == (6, 2) and both.best_strength_.shape == (2,)


def test_scikit_learn(rng):
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    x = rng.poisson(0.5, (800, 2)).astype(float)
    y = rng.poisson(1.0, 800)
    basis = sx.RaisedCosineLogConv(3, window_size=10).set_input_shape(2)
    pipeline = make_pipeline(basis.to_transformer(), sx.GLM(regularizer="Ridge"))
    grid = {"glm__regularizer_strength": [1e-3, 1.0], "transformerbasis__basis__n_basis_funcs": [3, 4]}
    search: Any = GridSearchCV(pipeline, grid, cv=2, error_score=RAISES).fit(x, y)
    best = search.best_estimator_
    assert best["glm"].coef_.shape == (2 * search.best_params_["transformerbasis__basis__n_basis_funcs"],)
    assert best["glm"].regularizer_strength == search.best_params_["glm__regularizer_strength"]
    assert len(set(search.cv_results_["mean_test_score"])) == 4, "a parameter has no effect"
    model = sx.GLM(regularizer="Ridge", regularizer_strength=0.1).fit(x, y)
    same(pickle.loads(pickle.dumps(model)).predict(x), model.predict(x))
    copy: Any = clone(model)
    assert copy.get_params() == model.get_params() and not hasattr(copy, "coef_")


ESTIMATORS = [
    (sx.GLM(regularizer="Ridge", regularizer_strength=0.1), set()),
    (sx.PopulationGLM("Gaussian", regularizer="Ridge", regularizer_strength=0.1), set()),
    (sx.Path("Gaussian", n_strengths=3), set()),
    (sx.CrossValidation("Gaussian", n_strengths=3, cv=2), set()),
    # Windows of time depend on the samples before them.
    (sx.BSplineConv(5, window_size=3).to_transformer(), {"check_methods_sample_order_invariance", "check_methods_subset_invariance"}),
    # Without bounds, functions lie between the least and the greatest sample.
    (sx.RaisedCosineLinearEval(5).to_transformer(), {"check_methods_subset_invariance"}),
    (sx.RaisedCosineLinearEval(5, bounds=(-50.0, 50.0)).to_transformer(), set()),
]


@pytest.mark.parametrize("estimator, cannot", ESTIMATORS, ids=[type(e).__name__ + str(k) for k, (e, _) in enumerate(ESTIMATORS)])
def test_check_estimator(estimator, cannot):
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(estimator, on_fail=None)
    failed = {r["check_name"]: repr(r["exception"])[:300] for r in results if r["status"] == "failed"}
    assert set(failed) == cannot and len(results) > 40, failed


def test_attributes_are_those_of_nemos(nmo, data):
    X, ys = data
    want, got = nmo.glm.GLM().fit(X, ys["Poisson"]), sx.GLM().fit(X, ys["Poisson"])
    for name in ("coef_", "intercept_", "scale_", "dof_resid_"):
        assert np.shape(getattr(got, name)) == np.shape(getattr(want, name)), name
    assert got.predict(X).shape == want.predict(X).shape
    missing = {p for p in want.get_params() if "__" not in p} - set(got.get_params())
    assert not missing, missing
    Y = np.column_stack([ys["Poisson"], ys["Poisson"]])
    want, got = nmo.glm.PopulationGLM().fit(X, Y), sx.PopulationGLM().fit(X, Y)
    for name in ("coef_", "intercept_", "scale_", "dof_resid_"):
        assert np.shape(getattr(got, name)) == np.shape(getattr(want, name)), name


@pytest.mark.parametrize("family", ["Poisson", "Gaussian", "Bernoulli", "NegativeBinomial", "Gamma"])
def test_scores_of_the_same_model_are_those_of_nemos(nmo, data, family):
    X, ys = data
    X, y = np.delete(X, 3, axis=0), np.delete(ys[family], 3)  # NeMoS counts a row with NaN
    link = {"Gamma": "exp"}.get(family)
    theirs: Any = nmo.glm.GLM(family, **({"inverse_link_function": __import__("jax").numpy.exp} if link else {})).fit(X, y)
    ours = sx.GLM(family, link).fit(X, y)
    ours.coef_, ours.intercept_, ours.scale_ = (np.asarray(v) for v in (theirs.coef_, theirs.intercept_, theirs.scale_))
    same(ours.predict(X), theirs.predict(X), 1e-12)
    for score in ("log-likelihood", "pseudo-r2-McFadden", "pseudo-r2-Cohen"):
        same(ours.score(X, y, score), float(theirs.score(X, y, score_type=score)), 1e-10)


def test_solvers_of_nemos_are_known(nmo, data):
    """A script may name them; the optimum is that of any."""
    X, ys = data
    want = sx.GLM().fit(X, ys["Poisson"])
    for spec in nmo.solvers.list_available_solvers():
        name = f"{spec.algo_name}[{spec.backend}]"
        options = set(nmo.solvers.get_solver(name).implementation.get_accepted_arguments())
        options -= {"fun", "has_aux", "init_params", "tol", "maxiter"}
        found = sx.GLM(solver_name=name, solver_kwargs=dict.fromkeys(options)).fit(X, ys["Poisson"])
        same(found.coef_, want.coef_, 1e-4)
        assert found.solver_ == ("lbfgs" if spec.algo_name.lower() == "lbfgs" else want.solver_), name


@pytest.mark.parametrize("link", ["exp", "softplus"])
@pytest.mark.parametrize("shift", [-1000.0, -50.0, 50.0, 300.0, 1000.0])
def test_a_constant_offset_changes_the_intercept_alone(data, link, shift):
    X, ys = data
    y = ys["Poisson"]
    for make in (lambda: sx.GLM(inverse_link_function=link), lambda: sx.GLM(inverse_link_function=link, regularizer="Lasso", regularizer_strength=0.01)):
        plain, moved = make().fit(X, y), make().fit(X, y, offset=np.full(len(y), shift))
        assert moved.stop_ == "converged"
        same(moved.coef_, plain.coef_, 1e-4)
        same(moved.intercept_ + shift, plain.intercept_, 1e-4)
    path, other = (sx.Path(inverse_link_function=link, n_strengths=3).fit(X, y, offset=o) for o in (None, np.full(len(y), shift)))
    same(other.strengths_, path.strengths_, 1e-3)


def test_weights_that_are_all_zero_are_refused(data):
    X, ys = data
    model = sx.GLM().fit(X, ys["Poisson"])
    with pytest.raises(ValueError, match="sample_weight: every weight is zero"):
        model.score(X, ys["Poisson"], sample_weight=np.zeros(len(X)))


def test_a_transformer_has_the_parameters_of_its_basis():
    transformer = (sx.BSplineEval(5, label="place") + sx.MSplineEval(6)).set_input_shape(1, 1).to_transformer()
    assert transformer.get_params(deep=False) == {"basis": transformer.basis}
    assert transformer.get_params()["place__n_basis_funcs"] == 5
    assert transformer.set_params(place__n_basis_funcs=7, basis__MSplineEval__order=3).fit_transform(np.ones((9, 2))).shape == (9, 13)
    one: Any = sx.BSplineEval(5).set_input_shape(1).to_transformer()
    one.n_basis_funcs = 8
    assert one.basis.n_basis_funcs == 8 and one.fit_transform(np.ones((9, 1))).shape == (9, 8)
    assert one.set_params(basis=sx.MSplineEval(6).set_input_shape(1)).fit_transform(np.ones((9, 1))).shape == (9, 6)
    for wrong in ({"n_basis_functions": 3}, {"basis": sx.MSplineEval(5), "n_basis_funcs": 3}, {"n_basis_funcs": 1.5}):
        with pytest.raises(ValueError):
            one.set_params(**wrong)
    assert one.basis.n_basis_funcs == 6
    loose: Any = sx
    with pytest.raises(TypeError, match="basis: int is not a basis"):
        loose.TransformerBasis(3).fit(np.ones((9, 1)))


def test_names_of_solvers_have_no_case(data):
    X, ys = data
    for name in ("LBFGS", "lbfgs", "LBFGS[optax]", "Newton"):
        assert sx.GLM(solver_name=name).fit(X, ys["Poisson"]).solver_ == name.partition("[")[0].lower()


def test_folds_of_scikit_learn(rng):
    from sklearn.model_selection import KFold, TimeSeriesSplit

    X, y = rng.normal(size=(300, 3)), rng.poisson(1.0, 300)
    want = sx.CrossValidation(n_strengths=3, cv=np.arange(300) // 100).fit(X, y)
    for cv in (KFold(3), list(KFold(3).split(X))):
        same(sx.CrossValidation(n_strengths=3, cv=cv).fit(X, y).scores_, want.scores_)
    with pytest.raises(ValueError, match="cv: the training rows of split 0"):
        sx.CrossValidation(cv=TimeSeriesSplit(3)).fit(X, y)
    with pytest.raises(ValueError, match="cv: there are 256 splits"):
        sx.CrossValidation(cv=KFold(256)).fit(X, y)


def network_rates(counts, coupling, coefficients, intercepts, inputs, taps, initial):
    """The rates that the counts so far give, row by row."""
    window, history = len(taps), np.concatenate([initial, counts])
    rates = np.empty(counts.shape)
    for t in range(len(counts)):
        past = taps.T @ history[t : t + window][::-1]  # (bases, senders), the newest first
        eta = intercepts + np.einsum("rsb,bs->r", coupling, past) + (inputs[t] * coefficients).sum(1)
        rates[t] = np.logaddexp(0, eta)
    return rates


def test_recurrent_networks_have_the_rates_of_nemos(nmo, rng):
    import jax

    taps, coupling = rng.normal(size=(12, 3)), 0.2 * rng.normal(size=(2, 2, 3))
    arguments = {"coupling_coef": coupling, "feedforward_coef": rng.normal(size=(2, 2)), "intercepts": np.array([-1.0, -2.0]),
                 "feedforward_input": rng.normal(size=(80, 2, 2)), "coupling_basis_matrix": taps,
                  "init_y": rng.poisson(0.3, (12, 2)).astype(float)}
    theirs = nmo.simulation.simulate_recurrent(**arguments, random_key=jax.random.key(1))
    for counts, rates in (theirs, sx.simulation.simulate_recurrent(**arguments, random_key=jax.random.key(1))):
        counts = np.asarray(counts)
        want = network_rates(counts, coupling, arguments["feedforward_coef"], arguments["intercepts"], arguments["feedforward_input"], taps,
                             arguments["init_y"])
        same(rates, want, 1e-10)
        assert counts.sum() > 10
    with pytest.raises(ValueError, match="init_y: the shape has"):
        sx.simulation.simulate_recurrent(**{**arguments, "init_y": np.zeros((11, 2))}, random_key=1)


def test_fits_copy_nothing(rng):
    """Features of any strides and stored type are read where they lie."""
    X = rng.poisson(0.5, (300_000, 24)).astype(np.float32)[::-1, 2:22]
    y = rng.poisson(0.5, 300_000).astype(np.uint8)
    model = sx.GLM(regularizer="Ridge", regularizer_strength=0.1)
    model.fit(X[:1000], y[:1000])
    tracemalloc.start()
    model.fit(X, y)
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 2_000_000, held  # the matrix has 24 MB, and the targets 0.3


def test_a_strength_without_a_penalty_warns(rng):
    X, y = rng.normal(size=(100, 2)), rng.poisson(1.0, 100)
    with pytest.warns(UserWarning, match="regularizer_strength: 2.0 has no effect.*regularizer='Ridge'") as caught:
        sx.GLM(regularizer_strength=2.0).fit(X, y)
        sx.PopulationGLM(regularizer="UnRegularized", regularizer_strength=2.0).fit(X, y[:, None])
    assert [w.filename for w in caught] == [__file__] * 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sx.GLM().fit(X, y)
        sx.GLM(regularizer="Ridge", regularizer_strength=2.0).fit(X, y)


@pytest.mark.parametrize("model", [sx.GLM(), sx.Path(n_strengths=3), sx.CrossValidation(n_strengths=3, cv=2)], ids=str)
def test_bars_of_fits(rng, capsys, model):
    pytest.importorskip("tqdm")
    X, y = rng.normal(size=(100, 2)), rng.poisson(1.0, 100)
    model.fit(X, y, progress=True)
    said = capsys.readouterr().err
    assert "walks" in said and "models, optimality" in said
    model.fit(X, y, progress=False)
    assert not capsys.readouterr().err


def test_searches_in_processes(rng):
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline

    x, y = rng.poisson(0.5, (400, 2)).astype(float), rng.poisson(1.0, 400)
    pipeline = make_pipeline(sx.RaisedCosineLogConv(3, window_size=10).to_transformer(), sx.GLM(regularizer="Ridge"))
    grid = {"glm__regularizer_strength": [1e-3, 1.0]}
    one, two = (GridSearchCV(pipeline, grid, cv=2, n_jobs=n, error_score=RAISES).fit(x, y) for n in (1, 2))
    same(one.cv_results_["mean_test_score"], two.cv_results_["mean_test_score"])


def test_names_of_nemos(data):
    X, ys = data
    want = sx.GLM("Poisson", regularizer="Ridge", regularizer_strength=0.1).fit(X, ys["Poisson"])
    got = sx.glm.GLM(sx.observation_models.PoissonObservations(), regularizer=sx.regularizer.Ridge(), regularizer_strength=0.1)
    same(got.fit(X, ys["Poisson"]).coef_, want.coef_)
    scaled = sx.GLM(sx.observation_models.NegativeBinomialObservations(scale=0.5)).fit(X, ys["NegativeBinomial"])
    assert np.abs(scaled.coef_ - sx.GLM("NegativeBinomial").fit(X, ys["NegativeBinomial"]).coef_).max() > 1e-6


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda X, y: sx.GLM("Poison").fit(X, y), "observation_model: 'Poison'"),
        (lambda X, y: sx.GLM(inverse_link_function="log").fit(X, y), "inverse_link_function: 'log'"),
        (lambda X, y: sx.GLM(regularizer="Rigde").fit(X, y), "regularizer: 'Rigde'"),
        (lambda X, y: sx.GLM(regularizer="Ridge", regularizer_strength=-1.0).fit(X, y), "regularizer_strength: -1"),
        (lambda X, y: sx.GLM(regularizer="Ridge", regularizer_strength=[1.0, 2.0]).fit(X, y), "regularizer_strength: the shape is (2,)"),
        (lambda X, y: sx.GLM().fit(X, -1.0 - y), "y: row 0 of target 0 is "),
        (lambda X, y: sx.GLM().fit(X, y[:-1]), "inconsistent numbers of samples"),
        (lambda X, y: sx.GLM().fit(X[:4], y[:4]), "parameters"),
        (lambda X, y: sx.GLM().predict(X), "not fitted"),
        (lambda X, y: sx.GLM().fit(X, y).predict(X[:, :2]), "X has 2 features, but GLM is expecting 4 features"),
        (lambda X, y: sx.GLM().fit(X, y).score(X, y, "r2"), "score_type: 'r2'"),  # type: ignore
        (lambda X, y: sx.PopulationGLM().fit(X, y), "y: the array has 1 dimensions"),
        (lambda X, y: sx.PopulationGLM(feature_mask=np.ones((2, 2))).fit(X, np.column_stack([y, y])), "feature_mask: the shape is (2, 2)"),
        (lambda X, y: sx.PopulationGLM(feature_mask=np.full((4, 2), 0.5)).fit(X, np.column_stack([y, y])),
         "feature_mask: the mask holds 0.5 at (0, 0)"),
        (lambda X, y: sx.PopulationGLM(feature_mask=np.full((4, 2), 256)).fit(X, np.column_stack([y, y])),
         "feature_mask: the mask holds 256"),
        (lambda X, y: sx.GLM(regularizer=sx.regularizer.GroupLasso(mask=np.full((1, 4), np.nan))).fit(X, y),
         "regularizer: the mask of groups holds nan"),
        (lambda X, y: sx.Path(regularizer="UnRegularized").fit(X, y), "regularizer: "),
    ],
)
def test_refusals(data, call, words):
    X, ys = data
    with pytest.raises(ValueError) as info:
        call(X, ys["Poisson"])
    assert words in str(info.value)


def test_paths_without_phi_refuse_what_needs_it(rng):
    X = rng.normal(size=(200, 3))
    y = X[:, 0] + 3 * rng.normal(size=200)
    path = sx.Path("Gaussian", n_strengths=4).fit(X, y)
    assert path.predict(X).shape == (200,)
    with pytest.raises(sx.Error, match="scale_: a path does not estimate it"):
        path.simulate(0, X)
    path.scale_ = np.asarray(9.0)
    assert np.var(path.simulate(0, X)[0] - path.predict(X)) > 5


def test_classifiers_are_not_models_here():
    with pytest.raises(sx.Error, match="observation_model"):
        sx.GLM("Categorical", standard_errors=True).fit(np.ones((20, 2)), np.zeros(20))


@pytest.mark.parametrize("keywords", [
    {}, {"regularizer": "ElasticNet"}, {"regularizer": "ElasticNet", "regularizer_strength": (1.0, 0.3)}, {"regularizer": "GroupLasso"},
    {"regularizer": "Ridge", "strengths": [1.0, 0.1, 0.01]}, {"regularizer_strength": np.array([1.0, 2.0, 0.5, 1.0])},
    {"solver_kwargs": {"tol": 1e-9, "maxiter": 400}},
], ids=str)
@pytest.mark.parametrize("units", [None, 1, 2, 4])
def test_models_of_a_path_are_fitted_again(rng, keywords, units):
    """A clone of a path's model has its penalty. With 4 units, there are as many strengths as coefficients."""
    from sklearn.base import clone

    X = rng.normal(size=(400, 4))
    rates = np.exp(X @ rng.normal(size=(4, units or 1)) * 0.3)
    y = rng.poisson(rates if units else rates[:, 0])
    path = sx.Path(**{"n_strengths": 3, "solver_kwargs": {"tol": 1e-9}, **keywords}).fit(X, y)
    model: Any = clone(path.model(1))
    assert model.solver_kwargs == path.solver_kwargs
    if units is not None and units > 1 and keywords.get("regularizer") == "GroupLasso":
        with pytest.raises(sx.Error, match="regularizer_strength: the shape is"):
            model.fit(X, y)
        return
    same(model.fit(X, y).coef_, path.coef_path_[1], 1e-4)


def test_models_of_a_path_have_its_mask(rng):
    from sklearn.base import clone

    X, mask = rng.normal(size=(400, 3)), np.array([[1, 0], [1, 1], [0, 1]])
    y = rng.poisson(np.exp(X[:, :2] * 0.4))
    path = sx.Path(n_strengths=3, feature_mask=mask).fit(X, y)
    copied: Any = clone(path.model(2))
    model = copied.fit(X, y)
    assert not model.coef_[mask == 0].any() and model.coef_[mask == 1].any()
    same(model.coef_, path.coef_path_[2], 1e-4)


def test_seeds_of_diagnoses(data):
    X, ys = data
    X, y = np.nan_to_num(X), ys["Poisson"]
    model = sx.GLM().fit(X, y)
    found = [model.diagnose(X, y, time_rescaling=True, seed=s)["time_rescaling"] for s in (-1, 2**64 - 1, np.array([0, 5], np.uint32), 5)]
    assert found[0] == found[1] and found[2] == found[3]
    with pytest.raises(sx.Error, match="seed: 'a' is not a key"):
        model.diagnose(X, y, seed="a")


def test_an_explained_model_remembers_nothing(data):
    X, ys = data
    model = sx.GLM()
    model.explain(X, ys["Poisson"])
    assert not hasattr(model, "n_features_in_") and not hasattr(model, "coef_")


def test_an_explanation_takes_the_targets_that_a_fit_takes(data):
    X, ys = data
    y = np.stack([ys["Poisson"], ys["Poisson"][::-1]], axis=1)
    for model in (sx.Path(), sx.CrossValidation()):
        for targets in (y, y[:, 0]):
            assert model.explain(X, targets)["solver"] == "proximal_newton"
        assert not hasattr(model, "_has_targets")
        with pytest.raises(sx.Error, match="requires y to be passed"):
            model.explain(X, None)
    with pytest.raises(sx.Error, match="Use PopulationGLM, or one column"):
        sx.GLM().explain(X, y)


def test_a_fitted_model_explains_another_fit(data):
    X, ys = data
    y = ys["Poisson"]
    for model in (sx.GLM(), sx.Path(n_strengths=3)):
        model.fit(X, y)
        before = dict(vars(model))
        assert "right-hand sides of 3 parameters" in model.explain(X[:, :2], y)["reason"]
        assert all(vars(model)[name] is value for name, value in before.items())
    path = sx.Path(n_strengths=3).fit(X, y)
    path.explain(X, np.stack([y, y[::-1]], axis=1))
    assert path.coef_path_.ndim == 2
    with pytest.raises(sx.Error):
        path.fit(X, np.stack([y, np.full(len(y), -1.0)], axis=1))
    path.explain(X, y)
