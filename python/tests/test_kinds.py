# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One gate for every array of every call: what holds no real numbers is refused, with the remedy."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from conftest import same

import synelix as sx

loose: Any = sx  # for calls that the types refuse, too

X = np.arange(120.0).reshape(60, 2) % 7
Y = np.arange(60) % 3


def basis():
    return loose.HistoryConv(3)


def transformer():
    return basis().set_input_shape(2).to_transformer()


def fitted(model=None):
    return (model or loose.GLM(regularizer="Ridge")).fit(X, Y)


#: Every argument of the package that takes an array: its name in errors, and the call.
ENTRIES = {
    "convolve": ("x", lambda x: loose.convolve(x, np.ones((3, 1)))),
    "convolve, taps": ("filters", lambda x: loose.convolve(X, x)),
    "convolve, trials": ("x", lambda x: loose.convolve([X, x], np.ones((3, 1)))),
    "convolve_file": ("source", lambda x: loose.convolve_file(x, np.ones((3, 1)), np.empty((60, 2, 1)))),
    "compute_features": ("xi[0]", lambda x: basis().compute_features(x)),
    "compute_features_file": ("sources[0]", lambda x: loose.compute_features_file(basis(), [x], np.empty((60, 6)))),
    "evaluate": ("x", lambda x: loose.BSplineEval(5).evaluate(x)),
    "explain": ("x", lambda x: loose.explain(x, np.ones((3, 1)))),
    "ConvolvePlan": ("like", lambda x: loose.ConvolvePlan(x, np.ones((3, 1)))),
    "ConvolvePlan.run": ("x", lambda x: loose.ConvolvePlan(X, np.ones((3, 1))).run(x)),
    "ConvolveStream.push": ("block", lambda x: loose.ConvolveStream(np.ones((3, 1)), 2, 60, stored=np.float64).push(x)),
    "Design": ("xi[0]", lambda x: loose.Design(basis(), x)),
    "Design.adjoint": ("residuals", lambda x: loose.Design(basis(), X).adjoint(x)),
    "Design.gram": ("weights", lambda x: loose.Design(basis(), X).gram(x)),
    "Design @": ("coefficients", lambda x: loose.Design(basis(), X) @ x),
    "GLM.fit": ("X", lambda x: loose.GLM().fit(x, Y)),
    "GLM.fit, y": ("y", lambda x: loose.GLM().fit(X, x)),
    "GLM.fit, offset": ("offset", lambda x: loose.GLM().fit(X, Y, offset=x)),
    "GLM.fit, sample_weight": ("sample_weight", lambda x: loose.GLM().fit(X, Y, sample_weight=x)),
    "GLM.fit, init_params": ("init_params", lambda x: loose.GLM().fit(X, Y, init_params=(x, np.zeros(1)))),
    "GLM.predict": ("X", lambda x: fitted().predict(x)),
    "GLM.score": ("y", lambda x: fitted().score(X, x)),
    "GLM.score, sample_weight": ("sample_weight", lambda x: fitted().score(X, Y, sample_weight=x)),
    "GLM.simulate": ("X", lambda x: fitted().simulate(0, x)),
    "PopulationGLM.fit": ("y", lambda x: loose.PopulationGLM().fit(X, x)),
    "feature_mask": ("feature_mask", lambda x: loose.PopulationGLM(feature_mask=x).fit(X, np.stack([Y, Y], 1))),
    "GroupLasso": ("regularizer", lambda x: loose.GLM(regularizer=loose.regularizer.GroupLasso(x)).fit(X, Y)),
    "Path.fit": ("X", lambda x: loose.Path(n_strengths=3).fit(x, Y)),
    "CrossValidation.fit": ("y", lambda x: loose.CrossValidation(n_strengths=3, cv=2).fit(X, x)),
    "TransformerBasis.fit": ("X", lambda x: transformer().fit(x)),
    "TransformerBasis.transform": ("X", lambda x: transformer().fit(X).transform(x)),
    "Events": ("times[0]", lambda x: loose.Events([x], 0.1)),
    "epochs": ("epochs", lambda x: loose.convolve(X, np.ones((3, 1)), epochs=x)),
    "matmul": ("a", lambda x: loose.matmul(x, X.T)),
    "quadratic_forms": ("x", lambda x: loose.quadratic_forms(x, np.eye(2))),
    "bilinear_forms": ("y", lambda x: loose.bilinear_forms(X, np.eye(2), x)),
    "conv1d": ("input", lambda x: loose.conv1d(x, np.ones((1, 1, 3)))),
    "conv1d, bias": ("bias", lambda x: loose.conv1d(np.ones((1, 1, 8)), np.ones((1, 1, 3)), x)),
    "FilterBank": ("filters", lambda x: loose.FilterBank(x)),
    "bounds": ("bounds", lambda x: loose.BSplineEval(5, bounds=x)),
    "split_by_feature": ("x", lambda x: basis().set_input_shape(2).split_by_feature(x)),
}
#: What a call takes that only sorts values, or that looks at what it reads by itself.
TAKES = {"convolve, trials": {"dict"}, "split_by_feature": {"times", "durations", "text", "objects"}, "ConvolvePlan.run": {"times", "durations", "text", "objects"}}

KINDS = {
    "masks": np.ma.masked_array(X, X == 3),
    "times": np.datetime64("2026-01-01") + np.arange(60).astype("timedelta64[s]"),
    "durations": np.arange(60).astype("timedelta64[ms]"),
    "text": np.array([["1", "2"]] * 60),
    "objects": np.array([["1", "2"]] * 60, dtype=object),
    "dict": {"a": X},
    "sparse": scipy.sparse.csr_array(X),
    "Events": loose.Events([[0.1, 0.5]], 0.1),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_entry_refuses_what_holds_no_numbers(entry, kind):
    name, call = ENTRIES[entry]
    if kind in TAKES.get(entry, ()) or kind == "Events" and entry in TAKES_EVENTS:
        return
    with pytest.raises(sx.Error) as info:
        call(KINDS[kind])
    said = str(info.value)
    if entry == "ConvolvePlan.run" and kind != "masks":
        return  # the plan takes arrays of its own type, and says so
    assert said.startswith((name, "bounds")) or kind == "dict", said
    wanted = {"masks": "masks are not read", "times": "timedelta64(1, 's')", "durations": "timedelta64(1, 's')", "dict": "Give one of them",
              "sparse": "sparse matrices are not read", "Events": "Events"}.get(kind)
    assert wanted is None or wanted in said or entry == "bounds", said


TAKES_EVENTS = {"convolve", "convolve_file", "compute_features", "compute_features_file", "explain", "Design", "GLM.fit, y",
                "GLM.score", "PopulationGLM.fit", "CrossValidation.fit"}


def test_events_are_no_array():
    with pytest.raises(TypeError, match="events: Events are spike trains.*synelix.convolve"):
        np.asarray(KINDS["Events"])


def test_xarray_datasets_are_refused():
    xarray = pytest.importorskip("xarray")
    with pytest.raises(sx.Error, match=r"x: a Dataset holds arrays by name \('v'\). Give one of them: x\['v'\]"):
        loose.convolve(xarray.Dataset({"v": ("time", np.ones(9))}), np.ones((3, 1)))


def test_a_dimension_named_basis_is_refused():
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(X, dims=("time", "basis"))
    with pytest.raises(sx.Error, match="x: it has a dimension or a coordinate named 'basis'.*x.rename"):
        sx.convolve(x, np.ones((3, 1)))
    out = np.empty((60, 2, 1))
    assert sx.convolve(x, np.ones((3, 1)), out=out) is out
    with pytest.raises(sx.Error, match="named 'feature'"):
        basis().compute_features(x.rename(time="feature"))


# ---------------------------------------------------------------- tables of pandas
@pytest.mark.parametrize("dtype", ["Int8", "Int16", "UInt16", "Int32", "Int64", "Float32", "Float64", "boolean"])
def test_nullable_columns(dtype):
    pandas = pytest.importorskip("pandas")
    taps = np.ones((3, 2))
    table = pandas.DataFrame((X > 3) if dtype == "boolean" else X).astype(dtype)
    plain = table.to_numpy(dtype=dtype.lower().removesuffix("ean"))
    same(loose.convolve(table, taps), loose.convolve(plain, taps))
    same(basis().compute_features(table), basis().compute_features(plain))
    same(loose.convolve(table[0], taps), loose.convolve(plain[:, 0], taps))
    table.iloc[20, 1] = pandas.NA
    wanted = plain.astype(np.float64 if plain.dtype.itemsize >= 4 and dtype != "Float32" else np.float32)
    wanted[20, 1] = np.nan
    same(loose.convolve(table, taps), loose.convolve(wanted, taps))


def test_nullable_columns_of_fits():
    pandas = pytest.importorskip("pandas")
    table, y = pandas.DataFrame(X, columns=["a", "b"]), pandas.Series(Y).astype("Int64")
    model = loose.GLM(regularizer="Ridge").fit(table.astype("Int16"), y, sample_weight=pandas.Series(np.ones(60)).astype("Int8"))
    same(model.coef_, fitted().coef_)
    assert list(model.feature_names_in_) == ["a", "b"]


def test_tables_with_text_are_refused():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X).assign(e="1")
    for call in (lambda: loose.convolve(table, np.ones((3, 1))), lambda: loose.GLM().fit(table.rename(columns=str), Y)):
        with pytest.raises(TypeError):
            call()


@pytest.mark.parametrize("bad", [[["1", "2"]] * 60, np.array([["1", "2"]] * 60, dtype=object), np.array([["1", "2"]] * 60)])
def test_fits_read_no_text_as_numbers(bad):
    for call in (lambda: loose.GLM().fit(bad, Y), lambda: transformer().fit(bad), lambda: loose.PopulationGLM().fit(X, bad)):
        with pytest.raises(TypeError, match="text|is not a number"):
            call()


def test_numbers_in_arrays_of_objects_are_read_by_fits():
    """scikit-learn asks this of an estimator."""
    same(loose.GLM(regularizer="Ridge").fit(X.astype(object), Y.astype(object)).coef_, fitted().coef_)


# ---------------------------------------------------------------- lists of trials
@pytest.mark.parametrize("call", [lambda x: basis().compute_features(x), lambda x: loose.Design(basis(), x)])
def test_lists_of_trials_are_one_series_with_epochs(call):
    with pytest.raises(sx.Error, match=r"xi\[0\]: a list of 3 arrays is not one series.*numpy.concatenate.*epochs"):
        call([X, X, X])


# ---------------------------------------------------------------- no epoch at all
def test_no_epoch_is_not_one_epoch(nap):
    tsd, none = nap.Tsd(t=np.arange(60) / 10, d=X[:, 0]), nap.IntervalSet([0, 1], [0.5, 1.5])[np.array([False, False])]
    calls = {
        "convolve": lambda: loose.convolve(X, np.ones((3, 1)), epochs=np.zeros((0, 2), int)),
        "a list": lambda: loose.convolve(X, np.ones((3, 1)), epochs=[]),
        "plan": lambda: loose.ConvolvePlan(X, np.ones((3, 1)), epochs=np.zeros((0, 2), int)),
        "compute_features": lambda: basis().compute_features(X, epochs=np.zeros((0, 2), int)),
        "Design": lambda: loose.Design(basis(), X, epochs=np.zeros((0, 2), int)),
        "file": lambda: loose.convolve_file(X, np.ones((3, 1)), np.empty((60, 2, 1)), epochs=np.zeros((0, 2), int)),
        "Events": lambda: loose.Events([[0.1]], 0.1, epochs=np.zeros((0, 2))),
        "the extension": lambda: loose._core.convolve(X, loose.FilterBank(np.ones((3, 1)))._bank, None, True, 0,
                                                   np.zeros((0, 2), np.int64), 1.0, 0.0, {}, 0),
        "Tsd": lambda: loose.convolve(tsd, np.ones((3, 1)), epochs=none),
        "features of a Tsd": lambda: basis().compute_features(tsd, epochs=none),
        "Design of a Tsd": lambda: loose.Design(basis(), tsd, epochs=none),
    }
    for name, call in calls.items():
        with pytest.raises(sx.Error, match="^epochs: "):
            call()
            pytest.fail(name)


# ---------------------------------------------------------------- outputs
def test_outputs_of_files_are_checked():
    taps, out = np.ones((3, 2)), np.empty((60, 2, 2))
    shared = np.lib.stride_tricks.as_strided(np.zeros(1), (60, 2, 2), (0, 0, 0))
    read_only = np.empty((60, 2, 2))
    read_only.flags.writeable = False
    for bad, words in ((shared, "makes values overlap"), (read_only, "read-only"), (np.empty(()), r"the shape is \(\)"),
                       (np.ma.masked_array(out), "masks are not written"), (np.empty((60, 2)), "the shape is")):
        with pytest.raises(sx.Error, match="^out: .*" + words):
            sx.convolve_file(X, taps, bad)
    turned = np.empty((2, 2, 60)).T
    sx.convolve_file(X, taps, turned)
    sx.convolve_file(X, taps, np.flip(out))
    same(turned, sx.convolve(X, taps))
    same(np.flip(out), turned)


def test_outputs_in_memory_are_checked():
    taps, out = np.ones((3, 2)), np.empty((60, 2, 2))
    with pytest.raises(sx.Error, match="out: .*Use an output whose strides are above 0"):
        sx.convolve(X, taps, out=np.flip(out))
    masked: Any = np.ma.masked_array(out)
    for call in (lambda: sx.convolve(X, taps, out=masked), lambda: sx.ConvolvePlan(X, taps).run(X, masked)):
        with pytest.raises(sx.Error, match="out: masks are not"):
            call()


# ---------------------------------------------------------------- names
def test_labels_are_text():
    for make in (lambda: loose.BSplineEval(5, label=3), lambda: loose.BSplineEval(5).set_params(label=3),
                 lambda: setattr(loose.BSplineEval(5), "label", b"a"), lambda: loose.AdditiveBasis(loose.BSplineEval(5), loose.MSplineEval(5), label=3)):
        with pytest.raises(TypeError, match="label: .* is not a name"):
            make()
    changed = sx.BSplineEval(5, label="place").set_params(label=None)
    assert changed.label == "BSplineEval"


@pytest.mark.parametrize("frequencies", [1.5, np.float64(2), True, None, np.array(3)])
def test_frequencies_are_whole_numbers(frequencies):
    with pytest.raises(sx.Error, match="^frequencies: "):
        loose.FourierEval(frequencies)
