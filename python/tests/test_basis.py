# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bases: values, NaN, labels, shapes and parameters of NeMoS' own."""

import pickle
import warnings

import numpy as np
import pytest
from conftest import RAISES, same

import synelix as sx

FAMILIES = [
    ("RaisedCosineLog", {}),
    ("RaisedCosineLog", {"enforce_decay_to_zero": False, "time_scaling": 10.0}),
    ("RaisedCosineLinear", {"width": 1.5}),
    ("BSpline", {"order": 3}),
    ("BSpline", {}),
    ("CyclicBSpline", {}),
    ("MSpline", {}),
]
ALIGNMENTS = [("causal", None), ("causal", False), ("acausal", None), ("anti-causal", None)]


@pytest.mark.parametrize("family, extra", FAMILIES)
@pytest.mark.parametrize("causality, shift", ALIGNMENTS)
@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 2e-6), (np.float64, 1e-12)])
def test_conv_mode(nmo, rng, family, extra, causality, shift, dtype, tolerance):
    x = rng.poisson(1.0, (300, 2, 2)).astype(dtype)
    keywords = {"predictor_causality": causality, "shift": shift}
    ours = getattr(sx, family + "Conv")(7, window_size=30, conv_kwargs=keywords, **extra)
    theirs = getattr(nmo.basis, family + "Conv")(7, window_size=30, conv_kwargs=keywords, **extra)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = np.asarray(theirs.compute_features(x.astype(np.float64)))
    got = ours.compute_features(x)
    assert got.dtype == dtype
    same(got, want, tolerance)
    same(ours.kernel_, theirs.kernel_, 1e-12)
    assert ours.n_output_features == theirs.n_output_features == 28
    assert ours.input_shape == theirs.input_shape == [(2, 2)]


@pytest.mark.parametrize("family, extra", FAMILIES)
@pytest.mark.parametrize("bounds", [None, (0.2, 0.8)])
@pytest.mark.parametrize("channels", [(), (3,)])
def test_eval_mode(nmo, rng, family, extra, bounds, channels):
    x = rng.uniform(size=(300, *channels))
    x[7] = np.nan
    ours = getattr(sx, family + "Eval")(7, bounds=bounds, **extra)
    theirs = getattr(nmo.basis, family + "Eval")(7, bounds=bounds, **extra)
    same(ours.compute_features(x), theirs.compute_features(x), 1e-12)
    for got, want in zip(ours.evaluate_on_grid(50), theirs.evaluate_on_grid(50)):
        same(got, want, 1e-12)


@pytest.mark.parametrize("family, extra", FAMILIES)
def test_grids_of_conv_mode(nmo, family, extra):
    ours = getattr(sx, family + "Conv")(7, window_size=30, **extra)
    theirs = getattr(nmo.basis, family + "Conv")(7, window_size=30, **extra)
    for got, want in zip(ours.evaluate_on_grid(50), theirs.evaluate_on_grid(50)):
        same(got, want, 1e-12)
    u = np.linspace(0, 1, 40)
    same(ours.evaluate(u), theirs.evaluate(u), 1e-12)


def test_orthogonal_exponentials_agree_up_to_their_sign(nmo):
    rates = np.array([1.0, 3.0, 9.0])
    ours = sx.OrthExponentialConv(3, 30, rates).kernel_
    theirs = np.asarray(nmo.basis.OrthExponentialConv(3, 30, rates).evaluate(np.linspace(0, 1, 30)))
    same(ours, theirs * np.sign((ours * theirs).sum(0)), 1e-10)


@pytest.mark.parametrize("make", [lambda m: m.HistoryConv(5), lambda m: m.IdentityEval(), lambda m: m.Zero(),
                                  lambda m: m.IdentityEval(bounds=(0.2, 0.8)), lambda m: m.FourierEval(4),
                                  lambda m: m.FourierEval((1, 4), bounds=(0.0, 2.0)),
                                  lambda m: m.FourierEval(3, frequency_mask="all"), lambda m: m.FourierEval(np.array([1, 3]))])
def test_other_bases(nmo, rng, make):
    x = rng.uniform(size=(60, 2))
    ours, theirs = make(sx), make(nmo.basis)
    same(ours.compute_features(x), theirs.compute_features(x), 1e-12)
    assert ours.n_basis_funcs == theirs.n_basis_funcs and ours.n_output_features == theirs.n_output_features


def test_fourier_of_two_inputs(nmo, rng):
    x, y = rng.uniform(size=(2, 60))
    ours, theirs = sx.FourierEval(3, ndim=2), nmo.basis.FourierEval(3, ndim=2)
    same(ours.compute_features(x, y), theirs.compute_features(x, y), 1e-12)
    assert ours.n_basis_funcs == theirs.n_basis_funcs


COMPOSITES = [
    (lambda m: m.RaisedCosineLogConv(5, window_size=20) + m.BSplineEval(6) * m.RaisedCosineLinearEval(4), [(3,), (), ()]),
    (lambda m: m.BSplineEval(5) + m.BSplineEval(6) + m.BSplineEval(7), [(), (2,), ()]),
    (lambda m: m.BSplineEval(5) * m.MSplineEval(4), [(2,), (2,)]),
    (lambda m: 2 * m.BSplineEval(5), [(), ()]),
    (lambda m: m.BSplineEval(5) ** 2, [(), ()]),
    (lambda m: (m.BSplineEval(5) + m.MSplineEval(4)) * m.BSplineEval(6), [(), (), ()]),
    (lambda m: m.HistoryConv(4) + m.IdentityEval() + m.Zero(), [(2,), (), ()]),
    (lambda m: m.BSplineEval(5, label="place") * m.BSplineEval(5) + m.BSplineEval(4), [(), (), ()]),
]


@pytest.mark.parametrize("make, shapes", COMPOSITES)
def test_sums_and_products(nmo, rng, make, shapes):
    xs = [rng.uniform(size=(120, *s)) for s in shapes]
    ours, theirs = make(sx), make(nmo.basis)
    got, want = ours.compute_features(*xs), np.asarray(theirs.compute_features(*xs))
    same(got, want, 1e-12)
    assert ours.n_output_features == theirs.n_output_features and ours.n_basis_funcs == theirs.n_basis_funcs
    assert ours.label == theirs.label
    parts, wanted = ours.split_by_feature(got), theirs.split_by_feature(want)
    assert list(parts) == list(wanted)
    for label, part in parts.items():
        same(part, wanted[label], 1e-12)
        assert part.size == 0 or np.shares_memory(part, got)


def test_grids_of_composites(nmo):
    for make in (lambda m: m.BSplineEval(5) * m.MSplineEval(4), lambda m: m.BSplineEval(5) + m.MSplineEval(4)):
        for got, want in zip(make(sx).evaluate_on_grid(6, 7), make(nmo.basis).evaluate_on_grid(6, 7)):
            same(got, want, 1e-12)


def test_coefficients_are_split_along_the_first_axis(rng):
    basis = sx.BSplineConv(5, window_size=10).set_input_shape(3) + sx.MSplineEval(6)
    basis.set_input_shape(3, 1)
    parts = basis.split_by_feature(rng.normal(size=(21, 2)), axis=0)
    assert {k: v.shape for k, v in parts.items()} == {"BSplineConv": (3, 5, 2), "MSplineEval": (6, 2)}
    with pytest.raises(ValueError, match="20 entries, not the 21"):
        basis.split_by_feature(np.zeros((20, 2)), axis=0)


def test_parameters_clones_and_pickles(nmo):
    clone = pytest.importorskip("sklearn.base").clone
    ours = sx.RaisedCosineLogConv(5, window_size=20, width=3.0, label="a")
    assert ours.get_params() == nmo.basis.RaisedCosineLogConv(5, window_size=20, width=3.0, label="a").get_params()
    for other in (clone(ours), pickle.loads(pickle.dumps(ours))):
        assert other.get_params() == ours.get_params()
        same(other.kernel_, ours.kernel_)
    assert ours.set_params(n_basis_funcs=6).kernel_.shape == (20, 6)
    both = pickle.loads(pickle.dumps(ours + sx.MSplineEval(4)))
    assert both.label == "(a + MSplineEval)"
    both.set_params(a__window_size=11, basis2__n_basis_funcs=5)
    assert both["a"].kernel_.shape == (11, 6) and both.basis2.n_basis_funcs == 5


def test_a_refused_parameter_leaves_the_old_one():
    basis = sx.BSplineConv(5, window_size=10)
    with pytest.raises(ValueError, match="order"):
        basis.order = 6
    with pytest.raises(ValueError, match="window_size"):
        basis.window_size = 0
    assert basis.order == 4 and basis.window_size == 10
    both = basis + sx.MSplineEval(4)
    with pytest.raises(ValueError, match="n_basis_funcs"):
        both.set_params(BSplineConv__window_size=11, MSplineEval__n_basis_funcs=-1)
    parameters = both.get_params()
    assert parameters["BSplineConv__window_size"] == 10 and parameters["MSplineEval__n_basis_funcs"] == 4
    basis.window_size = 12
    assert basis.kernel_.shape == (12, 5)


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda: sx.RaisedCosineLogConv(1, window_size=10), ValueError, "n_basis_funcs: 1"),
        (lambda: sx.RaisedCosineLogConv(5), ValueError, "window_size"),
        (lambda: sx.RaisedCosineLogConv(5, window_size=1.5), ValueError, "window_size: 1.5"),  # type: ignore
        (lambda: sx.RaisedCosineLogConv(5, 10, width=2.1), ValueError, "width"),
        (lambda: sx.RaisedCosineLogConv(5, 10, time_scaling=-1.0), ValueError, "time_scaling"),
        (lambda: sx.BSplineConv(3, window_size=10), ValueError, "order"),
        (lambda: sx.BSplineConv(5, window_size=10, order=1.5), ValueError, "order: 1.5"),  # type: ignore
        (lambda: sx.BSplineConv(5, 10, conv_kwargs={"axis": 0}), ValueError, "'axis' cannot be chosen"),
        (lambda: sx.BSplineConv(5, 10, conv_kwargs={"shifts": True}), ValueError, "shifts is not known"),
        (lambda: sx.BSplineEval(5, bounds=(1.0, 0.0)), ValueError, "bounds"),
        (lambda: sx.OrthExponentialConv(3, 30, [1.0, 1.0, 2.0]), ValueError, "decay_rates"),
        (lambda: sx.OrthExponentialConv(3, 30, [1.0, 2.0]), ValueError, "decay_rates: there are 2"),
        (lambda: sx.BSplineConv(5, 10).compute_features(np.ones(9), np.ones(9)), TypeError, "inputs: 2"),
        (lambda: sx.BSplineConv(5, 10).compute_features(np.array(["a"] * 30)), TypeError, "are text"),
        (lambda: (sx.BSplineEval(5) + sx.BSplineEval(5)).compute_features(np.ones(9), np.ones(8)), ValueError, "samples"),
        (lambda: (sx.BSplineEval(5) * sx.BSplineEval(5)).compute_features(np.ones((9, 2)), np.ones(9)), ValueError, "inputs[1]: (samples)"),
        (lambda: sx.BSplineConv(5, 10).split_by_feature(np.ones((9, 5))), ValueError, "input_shape"),
        (lambda: sx.BSplineConv(5, 10, label="a") + sx.BSplineConv(5, 10, label="a"), ValueError, "label: 'a'"),
        (lambda: sx.BSplineConv(5, 10) ** 0, ValueError, "below 1"),
        (lambda: sx.BSplineConv(5, 10) ** 1.5, TypeError, "not a whole number"),  # type: ignore
    ],
)
def test_refusals(call, error, words):
    with pytest.raises(error) as info:
        call()
    assert words in str(info.value)


def test_transformers(nmo, rng):
    pipeline = pytest.importorskip("sklearn.pipeline")
    x = rng.uniform(size=(200, 3))
    make = lambda m: (m.BSplineEval(5) + m.MSplineEval(4)).set_input_shape(2, 1).to_transformer()  # noqa: E731
    same(make(sx).fit_transform(x), make(nmo.basis).fit_transform(x), 1e-12)
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV

    search = GridSearchCV(pipeline.Pipeline([("basis", make(sx)), ("model", Ridge())]),
                          {"basis__basis__basis1__n_basis_funcs": [4, 6]}, cv=2, error_score=RAISES)
    search.fit(x, x[:, 0])
    best = search.best_params_["basis__basis__basis1__n_basis_funcs"]
    assert search.best_estimator_["basis"].transform(x).shape == (200, 2 * best + 4)


def test_parameters_are_set_together():
    """Values that are valid together are taken in any order; a refusal leaves all as they were."""
    basis = sx.BSplineConv(5, 10)
    assert basis.set_params(n_basis_funcs=3, order=3).kernel_.shape == (10, 3)
    pair = sx.OrthExponentialConv(2, window_size=20, decay_rates=[1, 3])
    assert pair.set_params(n_basis_funcs=3, decay_rates=[1, 2, 3]).kernel_.shape == (20, 3)
    before = basis.get_params()
    with pytest.raises(sx.Error):
        basis.set_params(window_size=30, order=-1)
    assert basis.get_params() == before


def test_labels_of_parts_are_different():
    """A label of one's own may be the default one of another part."""
    a = sx.BSplineConv(5, window_size=10)
    with pytest.raises(sx.Error, match="label: 'BSplineConv_1' is the label of two bases"):
        _ = a + a + sx.BSplineConv(5, window_size=10, label="BSplineConv_1")
    both = a + sx.BSplineConv(5, window_size=10, label="b")
    both["b"].label = "BSplineConv"
    both.set_input_shape(1)
    assert len(both.split_by_feature(np.zeros((3, both.n_output_features)))) == 2


def test_batch_sizes_of_bases():
    """A call has one batch size: those of two bases must agree, or the call says it."""
    def basis(samples):
        return sx.BSplineConv(5, window_size=10, conv_kwargs={} if samples is None else {"batch_size_samples": samples})

    x = np.arange(200.0) % 7
    want = (basis(None) + basis(None)).compute_features(x, x)
    for first, second in ((40, 40), (40, None), (None, 40)):
        same((basis(first) + basis(second)).compute_features(x, x), want)
    with pytest.raises(sx.Error, match="batch_size_samples: the bases have 40 and 50"):
        (basis(40) + basis(50)).compute_features(x, x)
    same((basis(40) + basis(50)).compute_features(x, x, batch_size_samples=60), want)
