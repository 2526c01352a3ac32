# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that could be misread are read correctly, or refused by their names."""

import copy
import logging
import pickle
import threading
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from conftest import PATIENCE, same

import synelix as sx

loose: Any = sx  # for calls that the types refuse, too


@pytest.fixture
def basis():
    return sx.BSplineConv(5, window_size=12)


@pytest.fixture
def tsd(nap, rng):
    return nap.Tsd(t=np.arange(200) * 0.01, d=rng.normal(size=200), time_support=nap.IntervalSet([0, 1.0], [0.8, 1.99]))


# ---------------------------------------------------------------- epochs
def test_intervals_of_pynapple_are_seconds(nap, basis, tsd):
    got = sx.convolve(tsd, basis, epochs=nap.IntervalSet(0.2, 0.5))
    ranges = [[np.searchsorted(tsd.t, 0.2), np.searchsorted(tsd.t, 0.5, "right")]]
    same(got.values, sx.convolve(np.asarray(tsd.values), basis, epochs=ranges))
    same(basis.compute_features(tsd, epochs=nap.IntervalSet(0.2, 0.5)).values, got.values)
    with pytest.raises(ValueError, match="epochs: an IntervalSet has seconds"):
        sx.convolve(np.asarray(tsd.values), basis, epochs=nap.IntervalSet(0, 1))


def test_trials_keep_their_time_supports(basis, tsd):
    got = loose.convolve([tsd, np.asarray(tsd.values)], basis)
    same(got[0].values, sx.convolve(tsd, basis).values)
    same(got[0].t, tsd.t)
    same(got[1], sx.convolve(np.asarray(tsd.values), basis))


def test_plans_keep_time_supports(basis, tsd):
    plan = sx.ConvolvePlan(tsd, basis)
    same(plan.run(tsd), sx.convolve(tsd, basis).values)


def test_files_keep_time_supports(basis, tsd):
    out = np.empty((len(tsd), 5))
    sx.convolve_file(tsd, basis, out.reshape(-1, 1, 5))
    same(out, sx.convolve(tsd, basis).values)


def test_inputs_with_different_supports_are_refused(nap, basis, tsd):
    other = nap.Tsd(t=tsd.t, d=tsd.d)
    with pytest.raises(ValueError, match="epochs: the inputs have different time supports"):
        (basis + sx.MSplineEval(4)).compute_features(tsd, other)
    events = sx.Events([[0.1, 0.5]], 0.01, [[0.0, 2.0]])
    with pytest.raises(ValueError, match="epochs: those of Events"):
        (basis + sx.MSplineEval(4)).compute_features(events, np.zeros(200), epochs=[[0, 100], [100, 200]])
    with pytest.raises(ValueError, match="epochs: those of Events"):
        sx.Design(basis, events, epochs=[[0, 100]])


# ---------------------------------------------------------------- spike times
def test_no_spike_is_lost_without_epochs(rng):
    for _ in range(20):
        trains = [np.sort(rng.uniform(-3, 17, rng.integers(1, 50))) for _ in range(3)]
        bin_size = float(rng.choice([0.1, 0.01, 1 / 3, 0.7]))
        events = sx.Events(trains, bin_size)
        counted = sx.convolve(events, np.ones((1, 1)), shift=False, dtype=np.float64)
        assert counted.sum() == sum(len(t) for t in trains), (bin_size, events)
    assert sx.Events([[0.0, 0.5]], 0.01).shape == (51, 1)


@pytest.mark.parametrize("make, words", [
    (lambda nap: loose.Events(np.array([0.1, 0.2]), 0.01), "times: this is one list of times, and each unit has a list. Use [times]"),
    (lambda nap: loose.Events([0.1, 0.2], 0.01), "times: this is one list of times, and each unit has a list. Use [times]"),
    (lambda nap: loose.Events(np.ones((100, 3)), 0.01), "times: this is a matrix of shape (100, 3). Use a list with one array"),
    (lambda nap: loose.Events(nap.TsdFrame(np.arange(9.0), np.ones((9, 2))), 0.01), "times: a TsdFrame has samples, not spikes"),
    (lambda nap: loose.Events(nap.Tsd(np.arange(9.0), np.ones(9)), 0.01), "times: a Tsd has samples, not spikes. Use a TsGroup or a Ts."),
    (lambda nap: loose.Events([[[0.1]]], 0.01), "times[0]: the spike times of a unit have 2 dimensions"),
    (lambda nap: loose.Events(3, 0.01), "times: int holds no spike trains"),
    (lambda nap: loose.Events([["a"]], 0.01), "times[0]: ['a'] is not an array of numbers"),
    (lambda nap: loose.Events([[0.1, np.nan]], 0.01), "times[0][1]: nan"),
    (lambda nap: loose.Events([[0.1]], "a"), "bin_size: 'a'"),
    (lambda nap: loose.Events([[0.1]], -1), "bin_size: -1"),
    (lambda nap: loose.Events([[0.1]], 0.01, [0, 1]), "epochs: the array has 1 dimensions"),
    (lambda nap: loose.convolve(nap.TsGroup({0: nap.Ts(np.array([0.1, 0.2]))}), np.ones((1, 1))), "x: spike times are not samples"),
    (lambda nap: loose.convolve(nap.Ts(np.array([0.1, 0.2])), np.ones((1, 1))), "x: spike times are not samples"),
    (lambda nap: loose.BSplineConv(5, 10).compute_features(nap.Ts(np.array([0.1]))), "xi[0]: spike times are not samples"),
    (lambda nap: loose.GLM().fit(nap.TsGroup({0: nap.Ts(np.array([0.1, 0.2]))}), np.ones(9)), "X: spike times are not samples"),
    (lambda nap: loose.PopulationGLM().fit(np.ones((9, 1)), nap.TsGroup({0: nap.Ts(np.array([0.1, 0.2]))})),
     "y: spike times are not samples. Count them first: synelix.Events(y, bin_size)."),
    (lambda nap: loose.Path().fit(np.ones((9, 1)), nap.Ts(np.array([0.1, 0.2]))), "y: spike times are not samples"),
])
def test_refused_spikes(nap, make, words):
    with pytest.raises(sx.Error) as info:
        make(nap)
    assert words in str(info.value)


# ---------------------------------------------------------------- other arrays
def test_labelled_arrays(basis, rng):
    xarray = pytest.importorskip("xarray")
    x = xarray.DataArray(rng.normal(size=(3, 90)), dims=("unit", "time"), coords={"time": np.arange(90) / 10, "unit": list("abc")})
    got = sx.convolve(x, basis, axis="time")
    assert got.dims == ("unit", "time", "basis") and list(got.unit.values) == list("abc")
    same(got.values, sx.convolve(x.values, basis, axis=1))
    features = basis.compute_features(x.T)
    assert features.dims == ("time", "feature")
    same(features.time.values, x.time.values)
    same(features.values, basis.compute_features(x.values.T))
    with pytest.raises(ValueError, match="axis: 'space' is not a dimension"):
        sx.convolve(x, basis, axis="space")


class Tensor:
    """As a tensor of torch: its memory comes by DLPack, and the name of its type begins with its package."""

    def __init__(self, array):
        self.array, self.shape = array, array.shape
        self.dtype = f"torch.{array.dtype}"

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __array__(self, dtype=None, copy=None):
        return self.array


def test_dlpack_in_and_out(basis, rng):
    x, out = rng.normal(size=(60, 2)).astype(np.float32), np.zeros((60, 2, 5), np.float32)
    target = Tensor(out)
    assert sx.convolve(Tensor(x), basis, out=target) is target
    same(out, sx.convolve(x, basis))


class OnDevice(Tensor):
    def __dlpack_device__(self):
        return (2, 0)


def test_arrays_that_cannot_change_are_no_outputs(basis):
    jnp = pytest.importorskip("jax.numpy")
    with pytest.raises(ValueError, match="out: the array is read-only"):
        sx.convolve(np.zeros((60, 2), np.float32), basis, out=jnp.zeros((60, 2, 5), jnp.float32))
    out = np.zeros((60, 2, 5))
    out.flags.writeable = False
    for call in (lambda: sx.ConvolvePlan(np.zeros((60, 2)), basis).run(np.zeros((60, 2)), out),
                 lambda: basis.compute_features(np.zeros((60, 2)), out=out.reshape(60, 10))):
        with pytest.raises(ValueError, match="out: the array is read-only"):
            call()


@pytest.mark.parametrize("call, words", [
    (lambda x, b: loose.convolve(np.ma.masked_array(x, x == 0), b), "x: masks are not read"),
    (lambda x, b: loose.convolve(None, b), "x: None is not an array"),
    (lambda x, b: loose.FilterBank(np.ma.masked_array(np.ones((3, 1)), [[False], [True], [False]])), "filters: masks are not read"),
    (lambda x, b: loose.Events([np.ma.masked_array([0.1, 0.2], [False, True])], 0.01), "times[0]: masks are not read"),
    (lambda x, b: loose.convolve(x, b, epochs=np.ma.masked_array([[0, 50]], [[False, True]])), "epochs: masks are not read"),
    (lambda x, b: loose.GLM().fit(np.ma.masked_array(x, x == 0), np.arange(100)), "X: masks are not read"),
    (lambda x, b: loose.GLM().fit(x, np.ma.masked_array(np.arange(100), x[:, 0] == 0)), "y: masks are not read"),
    (lambda x, b: loose.convolve_file(np.ma.masked_array(x, x == 0), b, np.zeros((100, 2, 5))),
     "source: masks are not read"),
    (lambda x, b: (lambda m: loose.convolve_file(m[:200].reshape(100, 2), b, m.reshape(100, 2, 5)))(np.zeros(1000)),
     "out: its memory overlaps that of source"),
    (lambda x, b: (lambda m: loose.compute_features_file(b, [m[:200].reshape(100, 2)], m.reshape(100, 10)))(np.zeros(1000)),
     "out: its memory overlaps that of sources[0]"),
    (lambda x, b: loose.conv1d_input((7, 3, 8), np.zeros((4, 3, 3)), np.zeros((1, 4, 6))),
     "input_size: (7, 3, 8) does not match the arrays. Use (1, 3, 8)"),
    (lambda x, b: loose.conv1d_weight(np.zeros((1, 3, 8)), (4, 5, 3), np.zeros((1, 4, 6))),
     "weight_size: (4, 5, 3) does not match the arrays. Use (4, 3, 3)"),
    (lambda x, b: b.compute_features(None), "xi[0]: None is not an array"),
    (lambda x, b: b.compute_features(scipy.sparse.csr_array(x)), "xi[0]: sparse matrices are not read. Use xi[0].toarray()."),
    (lambda x, b: loose.GLM().fit(None, np.arange(100)), "X: None is not an array"),
    (lambda x, b: loose.GLM().fit(loose.convolve(x, b), np.arange(100)), "X: the shape is (100, 2, 5). Use two dimensions"),
    (lambda x, b: loose.GLM().fit(x[:, 0], np.arange(100)), "X: the array has 1 dimension. Reshape your data"),
    (lambda x, b: loose.GLM().fit(list(range(100)), np.arange(100)), "X: the array has 1 dimension. Reshape your data"),
    (lambda x, b: loose.GLM().fit(x, np.arange(100), progress="yes"), "progress: 'yes' cannot be called. Use True for a bar"),
    (lambda x, b: loose.explain_file(x, b, np.zeros((3, 5))), "out: the shape is (3, 5). Use (100, 2, 5)."),
    (lambda x, b: pickle.dumps(loose.Design(b, x)), "Design: a design refers to its inputs, and cannot be pickled or copied."),
    (lambda x, b: copy.deepcopy(loose.ConvolvePlan(x, b)), "ConvolvePlan: a plan holds memory"),
    (lambda x, b: pickle.dumps(loose.ConvolveStream(b, 2, 50)), "ConvolveStream: a stream holds memory"),
    (lambda x, b: loose.convolve(x, b, threads="a"), "threads: 'a' is not a whole number"),
    (lambda x, b: loose.convolve(x, b, axis=1.0), "axis: 1.0 is not a whole number"),
    (lambda x, b: loose.convolve(x, b, scale=None), "scale: None is not a number"),
    (lambda x, b: loose.convolve(x, b, every="a"), "every: 'a' is not a whole number"),
    (lambda x, b: loose.convolve(x, b, shift="yes"), "shift: 'yes'"),
    (lambda x, b: loose.convolve(x, b, dtype="a"), "dtype: 'a'"),
    (lambda x, b: loose.convolve(x, b, epochs=["a"]), "epochs: the ranges are not numbers"),
    (lambda x, b: loose.convolve([x, x], b, epochs=[[0, 50]]), "epochs: a list of trials"),
    (lambda x, b: loose.convolve([x, x], b, out=x), "out: a list of trials"),
    (lambda x, b: loose.explain([x, x], b), "x: trials are explained one by one"),
    (lambda x, b: loose.convolve(loose.Events([[0.1]], 0.01), b, scale=2.0), "scale: Events"),
    (lambda x, b: loose.convolve({"a": x}, b), "x: a dict holds arrays by name ('a'). Give one of them: x['a']."),
    (lambda x, b: (lambda out: loose.convolve(out[..., 0], b, out=out))(np.zeros((100, 2, 5))), "out: its memory overlaps that of x"),
    (lambda x, b: (lambda out: loose.conv1d(out, np.ones((1, 1, 1)), out=out))(np.zeros((1, 1, 8))), "out: its memory overlaps that of input"),
    (lambda x, b: (lambda out: loose.matmul(np.eye(2), out, out=out))(np.zeros((2, 2))), "out: its memory overlaps that of b"),
    (lambda x, b: loose.ConvolvePlan(x, b).run("a"), "x: it is not an array"),
    (lambda x, b: loose.ConvolvePlan(x, b).run(x.astype("i8")), "x: values of 64 bits"),
    (lambda x, b: loose.ConvolveStream(b, "a", 50), "channels: 'a'"),
    (lambda x, b: loose.ConvolveStream(b, 2, 50).push(x), "block: (100, 2) of float64"),
    (lambda x, b: loose.matmul(x, x), "b: (100, 2) and (100, 2)"),
    (lambda x, b: loose.matmul(x, x.T, out=np.zeros((2, 2))), "out: (2, 2)"),
    (lambda x, b: loose.matmul(x, x.T, alpha="a"), "alpha: 'a' is not a number"),
    (lambda x, b: loose.quadratic_forms(x, np.eye(2), out=np.zeros(3)), "out: (3"),
    (lambda x, b: loose.conv1d(np.zeros((1, 3, 8)), np.zeros((4, 2, 3))), "weight: (4, 2, 3)"),
    (lambda x, b: loose.conv1d(np.zeros((1, 3, 8)), np.zeros((4, 3, 3)), stride=1.5), "stride: 1.5 is not a whole number"),
    (lambda x, b: loose.conv1d(np.zeros((1, 3, 8)), np.zeros((4, 3, 3)), out=np.zeros((1, 4, 9))), "out: (1, 4, 9)"),
    (lambda x, b: loose.conv1d_input((1, 3, 8), np.zeros((4, 3, 3)), np.zeros((1, 5, 6))), "weight: (4, 3, 3)"),
    (lambda x, b: loose.conv1d_input((1, 8), np.zeros((4, 3, 3)), np.zeros((1, 4, 6))), "input_size: there are 2 sizes"),
    (lambda x, b: loose.RaisedCosineLogConv(5, 10, width="a"), "width: 'a'"),
    (lambda x, b: loose.FourierEval("a"), "frequencies: 'a'"),
    (lambda x, b: loose.set_num_threads("a"), "n: 'a'"),
    (lambda x, b: loose.convolve(x, b, threads=2**40), "threads: 1099511627776 is out of range"),
    (lambda x, b: loose.convolve(x, np.ones((3, 1), complex)), "filters: "),
    (lambda x, b: loose.convolve(x, "abc"), "filters: 'abc' is not an array of numbers"),
    (lambda x, b: loose.convolve(x, b, budget=float("inf")), "budget: inf is not a number of bytes"),
    (lambda x, b: loose.convolve(x, b, budget=1.5), "budget: 1.5 is not a number of bytes"),
    (lambda x, b: loose.convolve(x, b, budget=True), "budget: True is not a number of bytes"),
    (lambda x, b: loose.convolve(x, b, budget=-1), "budget: -1 bytes is less than 1"),
    (lambda x, b: loose.convolve(x, b, method="events"), "method: events does not take a series of samples. Use auto, direct or fft, or pass spike trains as synelix.Events"),
    (lambda x, b: (b + loose.BSplineEval(5))["x"], "'x' is not a part of this basis. Use 'basis1', 'basis2', "),
    (lambda x, b: loose.FourierEval(-3).compute_features(np.ones(9)), "frequencies: -3 frequencies are less than 1"),
    (lambda x, b: b.set_input_shape(2).split_by_feature(np.zeros((3, 10)), axis=2), "axis: 2 is outside"),
    (lambda x, b: loose.BSplineConv(5, 10, conv_kwargs=3), "conv_kwargs: 3 is not a dictionary"),
    (lambda x, b: loose.BSplineEval(5, fill_value="a"), "fill_value: 'a'"),
    (lambda x, b: loose.GLM(budget=10).fit(x, np.arange(100)), "budget: 10 bytes"),
    (lambda x, b: loose.GLM().fit(x, np.ones((100, 2))), "y: there are 2 columns, but this model has one target. Use PopulationGLM"),
    (lambda x, b: loose.Path(regularizer="UnRegularized").fit(x, np.arange(100)), "regularizer: "),
    (lambda x, b: loose.GLM(threads="a").fit(x, np.arange(100)), "threads: 'a'"),
    (lambda x, b: loose.GLM(solver_name="foo").fit(x, np.arange(100)), "solver_name: 'foo'"),
    (lambda x, b: loose.GLM(solver_kwargs={"toll": 1}).fit(x, np.arange(100)), "solver_kwargs: 'toll'"),
    (lambda x, b: loose.GLM().fit(x, np.arange(100), sample_weight=np.ones(3)), "sample_weight: (3,)"),
    (lambda x, b: loose.GLM().fit(x, np.arange(100), init_params=(np.zeros(3), np.zeros(1))), "init_params: 3 values"),
    (lambda x, b: loose.CrossValidation(cv=1).fit(x, np.arange(100)), "cv: 1 is out of range"),
    (lambda x, b: loose.CrossValidation(cv=np.zeros(5, int)).fit(x, np.arange(100)), "cv: 5 numbers"),
    (lambda x, b: loose.GLM().fit(loose.Design(b, x), loose.Events([[0.1], [0.2]], 0.01, [[0, 1]])), "y: there are 2 spike trains"),
    (lambda x, b: loose.convolve_file(x, b, "/nowhere/zzz.h5:/x", compression="foo"), "compression: \"foo\""),
    (lambda x, b: loose.convolve_file(x, b, np.zeros((100, 2, 5)), progress="yes"), "progress: 'yes'"),
    (lambda x, b: loose.convolve_file(x, b, np.zeros((100, 2, 5)), samples=3), "samples: there are 1 numbers"),
    (lambda x, b: loose.compute_features_file(b, x, x), "sources: ndarray is not a list"),
    (lambda x, b: loose.explain_file(x, b, np.zeros((100, 2, 5)), threads="a"), "threads: 'a'"),
    (lambda x, b: loose.append_plugin_folder(3), "folder: int is not a path"),
    (lambda x, b: loose.ConvolveStream(b, 0, 50), "channels: 0 is below 1"),
    (lambda x, b: loose.ConvolveStream(b, 2, 0), "longest: 0 is below 1"),
    (lambda x, b: loose.ConvolveStream(b, 2, 50, stored="a"), "stored: 'a' is not a type"),
    (lambda x, b: loose.conv1d_input(3.5, np.zeros((4, 3, 3)), np.zeros((1, 4, 6))), "input_size: 3.5"),
    (lambda x, b: loose.GLM(solver_kwargs=3).fit(x, np.arange(100)), "solver_kwargs: 3 is not a dictionary"),
    (lambda x, b: loose.FourierEval(3, frequency_mask="a"), "frequency_mask: 'a' is not known"),
    (lambda x, b: loose.FourierEval((1.5, 3)), "frequencies: 1.5"),
    (lambda x, b: loose.FourierEval([1.5, 2.0]), "frequencies: [1.5, 2.0] are not whole numbers"),
    (lambda x, b: loose.FourierEval(3).evaluate_on_grid(0), "n_samples: 0 is below 1"),
    (lambda x, b: loose.FourierEval(3).evaluate_on_grid("a"), "n_samples: 'a'"),
    (lambda x, b: loose.FourierEval(3).evaluate("a"), "xi[0]: 'a'"),
    (lambda x, b: b.evaluate(["a"]), "x: ['a']"),
    (lambda x, b: b.set_input_shape((-1,)), "input_shape: (-1,) has a negative number"),
    (lambda x, b: b.set_params(a__width=1), "a: BSplineConv has no parts"),
    (lambda x, b: loose.GLM(solver_kwargs={"tol": -1}).fit(x, np.arange(100)), "tol: -1"),
    (lambda x, b: loose.GLM(solver_kwargs={"maxiter": 0}).fit(x, np.arange(100)), "maxiter: 0"),
    (lambda x, b: loose.Path(n_strengths=0).fit(x, np.arange(100)), "n_strengths: 0"),
    (lambda x, b: loose.FilterBank(np.full((3, 1), np.nan)), "filters(0, 0): nan"),
    (lambda x, b: loose.Events([[0.1]], 0.01, [[1, 0]]), "epochs[0]: "),
    (lambda x, b: loose.RaisedCosineLogConv(5, 10, width=2.3), "width: 2.3"),
    (lambda x, b: loose.OrthExponentialConv(2, 10, [1, 1]), "decay_rates[1]: 1"),
    (lambda x, b: loose.FourierEval(3, ndim=0), "ndim: 0"),
    (lambda x, b: loose.FourierEval(3, frequency_mask=[1]), "frequency_mask: 1 flags"),
    (lambda x, b: loose.convolve(x, b, scale=np.nan), "scale: nan"),
    (lambda x, b: loose.convolve_file(x, b, np.zeros((100, 2, 5)), samples=(5, 500)), "samples: [5, 500)"),
])
def test_refusals_name_the_argument(basis, call, words):
    with pytest.raises(sx.Error) as info:
        call(np.zeros((100, 2)), basis)
    assert str(info.value).startswith(words), str(info.value)


def test_warnings_do_not_outlive_a_call_that_fails(basis):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(ValueError):
            sx.convolve(np.zeros((5, 2)), basis, out=np.zeros((4, 2, 5)))
        sx.convolve(np.zeros((50, 2)), basis)


def test_warnings_belong_to_the_call_that_caused_them(basis):
    """A call of this thread fails while one of another thread, which has something to say, waits in its progress function."""
    waiting, released = threading.Event(), threading.Event()

    def hold(done, total):
        waiting.set()
        assert released.wait(PATIENCE)

    even = sx.BSplineConv(5, window_size=12)
    stream = threading.Thread(target=lambda: sx.convolve_file(np.zeros((20_000, 4)), even, np.empty((20_000, 4, 5)), causality="acausal",
                                                              budget="2MiB", progress=hold))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        stream.start()
        assert waiting.wait(PATIENCE)
        with pytest.raises(ValueError):
            sx.convolve(np.zeros((50, 2)), basis, out=np.zeros((4, 2, 5)))
        sx.convolve(np.zeros((50, 2)), basis)
        assert not caught
        released.set()
        stream.join(PATIENCE)
    assert ["acausal window" in str(w.message) for w in caught][:1] == [True], caught


def test_a_call_that_python_ends_leaves_no_warning(basis):
    """KeyboardInterrupt, and what a progress function raises, are not errors of the library."""
    def fail(*_):
        raise KeyboardInterrupt

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(KeyboardInterrupt):
            sx.convolve_file(np.zeros((20_000, 4)), basis, np.empty((20_000, 4, 5)), causality="acausal", budget="2MiB", progress=fail)
        sx.convolve(np.zeros((50, 2)), basis)


def test_a_call_inside_a_call_leaves_the_warnings_alone(basis):
    """One that fails, and one that ends well, in the progress function of a call that warns."""
    x, even = np.ones((50, 2)), sx.BSplineConv(5, window_size=10)
    inside = []

    def progress(*_):
        with pytest.raises(ValueError):
            sx.convolve(x, np.ones((100, 2, 2)))
        sx.convolve(x, basis)
        inside.append(len(caught))

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sx.convolve_file(x, even, np.empty((50, 2, 5)), causality="acausal", progress=progress)
    assert inside and not any(inside)
    assert len(caught) == 1 and "odd" in str(caught[0].message)


def test_warnings_name_the_line_of_the_caller(basis):
    """Python shows a warning once for each line. So the line must be that of the caller, whatever lies between."""
    x = np.zeros((5, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        for _ in range(2):
            sx.convolve(x, basis)
        sx.convolve([x, x], basis)
        basis.compute_features(x)
    assert [w.filename for w in caught] == [__file__] * 3
    assert len({w.lineno for w in caught}) == 3


# ---------------------------------------------------------------- what is said
def test_calls_are_logged(basis, caplog):
    x, y = np.random.default_rng(0).normal(size=(100, 2)), np.arange(100) // 10
    with caplog.at_level(logging.DEBUG, logger="synelix"):
        sx.convolve(x, basis)
        basis.compute_features(x)
        sx.convolve_file(x, basis, np.zeros((100, 2, 5)))
        sx.GLM().fit(x, y)
        sx.Path(n_strengths=3).fit(x, y)
        sx.CrossValidation(n_strengths=3, cv=2).fit(x, y)
    said = [(r.levelname, r.getMessage().split(":")[0]) for r in caplog.records if r.name == "synelix"]
    assert said == [("DEBUG", "convolve"), ("DEBUG", "BSplineConv"), ("INFO", "convolve_file"), ("INFO", "GLM.fit"), ("INFO", "Path.fit"),
                    ("INFO", "CrossValidation.fit")]
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="synelix"):
        sx.convolve(x, basis)
    assert not caplog.records


def test_versions(capsys):
    found = sx.versions()
    assert found["version"] == sx.__version__ and found["numpy"] == np.__version__
    sx.show_versions()
    assert "kokkos" in capsys.readouterr().out


def test_tables_of_notebooks(basis, rng):
    x: Any = rng.normal(size=(100, 2))
    model = sx.GLM().fit(x, np.arange(100) // 10)
    things = {"ConvolvePlan(method=": sx.ConvolvePlan(x, basis), "Design(BSplineConv": sx.Design(basis, x), "GLM()": model,
              "method  direct": sx.explain(x, basis)}
    for text, thing in things.items():
        assert "<table>" in thing._repr_html_() and text in repr(thing)  # type: ignore[attr-defined]
    assert "converged" in model._repr_mimebundle_()["text/html"]
    assert "coefficients" not in sx.GLM()._repr_html_()


def test_tables_have_a_row_for_each_target(rng):
    x, y = rng.normal(size=(300, 2)), rng.poisson(1.0, (300, 2))
    told = repr(sx.PopulationGLM().fit(x, y).diagnose(x, y, time_rescaling=True)).splitlines()
    starts = [line.split()[0] for line in told]
    assert starts[-5:] == ["targets[0]", "targets[1]", "time_rescaling[0]", "time_rescaling[1]", "deviance_residuals"]
    assert told[-1].endswith("array of shape (300, 2), float64") and max(map(len, told)) < 200


def test_memory_that_is_not_there():
    with pytest.raises(MemoryError, match="bin_size: 1e-09 s makes 2e\\+10 bins.*Use wider bins"):
        sx.Events([[1.0, 20.0]], bin_size=1e-9)


class OnlyDlpack:
    """An array that has DLPack alone."""

    def __init__(self, array):
        self._array = array
        self.dtype, self.shape = array.dtype, array.shape

    def __dlpack__(self, **keywords):
        return self._array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self._array.__dlpack_device__()


def test_arrays_by_dlpack_alone(rng, basis):
    x = rng.normal(size=(60, 2))
    same(loose.convolve(OnlyDlpack(x), basis), sx.convolve(x, basis))


def test_a_text_is_no_array(basis):
    with pytest.raises(TypeError, match="x: 'in.h5:/x' is a text. .*convolve_file"):
        loose.convolve("in.h5:/x", basis)


def test_a_fit_checks_its_own_settings_beside_a_design(basis):
    x = np.random.default_rng(0).normal(size=(200, 2))
    design, y = sx.Design(basis, x), np.ones(200)
    with pytest.raises(ValueError, match="budget: 'nonsense'"):
        sx.GLM(budget="nonsense").fit(design, y)
    with pytest.raises(ValueError, match="threads: -1 is negative"):
        sx.GLM(threads=-1).fit(design, y)


def test_a_stopped_fit_warns_once(rng):
    x, y = rng.normal(size=(500, 3)), rng.poisson(1.0, 500)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sx.GLM(regularizer="Lasso", regularizer_strength=1e-3, solver_kwargs={"maxiter": 1}).fit(x, y)
    assert [str(w.message).endswith("Raise maxiter in solver_kwargs.") for w in caught] == [True], [str(w.message) for w in caught]


@pytest.mark.parametrize("make", [lambda times: times, lambda times: iter(times), lambda times: dict(enumerate(times))])
def test_copies_of_events_do_not_depend_on_what_they_were_made_of(basis, make):
    times = [np.array([0.1, 0.5]), np.array([0.2])]
    events = sx.Events(make(times), 0.01)
    want = sx.convolve(events, basis)
    times[0][0] = 0.45
    times.append(np.array([0.3]))
    for copied in (copy.copy(events), copy.deepcopy(events), pickle.loads(pickle.dumps(events))):
        assert np.array_equal(sx.convolve(copied, basis), want, equal_nan=True)


class OnlyInterface:
    """An array on a device that has __cuda_array_interface__ alone, as Numba's."""

    __cuda_array_interface__ = {"shape": (60, 2), "typestr": "<f8", "data": (4096, False), "version": 3}


@pytest.mark.skipif(sx._core.has_device(), reason="this build is for a device; test_devices.py tests it")
@pytest.mark.parametrize("call, name", [
    (lambda x, b: loose.convolve(x, b), "x"),
    (lambda x, b: loose.convolve([OnDevice(np.zeros((60, 2))), x], b), "x[0]"),
    (lambda x, b: loose.ConvolvePlan(x, b), "like"),
    (lambda x, b: loose.matmul(x, np.eye(2)), "a"),
    (lambda x, b: loose.conv1d(np.zeros((1, 3, 8)), x), "weight"),
    (lambda x, b: b.compute_features(x), "xi[0]"),
    (lambda x, b: loose.Design(b, x), "xi[0]"),
    (lambda x, b: loose.convolve(np.zeros((60, 2)), x), "filters"),
    (lambda x, b: loose.GLM().fit(x, np.zeros(60)), "X"),
    (lambda x, b: loose.GLM().fit(np.zeros((60, 2)), x), "y"),
])
@pytest.mark.parametrize("make", [OnlyInterface, lambda: OnDevice(np.zeros((60, 2)))], ids=["interface", "dlpack"])
def test_a_build_for_hosts_refuses_devices(basis, call, name, make):
    with pytest.raises(sx.Error) as info:
        call(make(), basis)
    assert str(info.value).startswith(f"{name}: the array lies in memory of a device. Bring it to the host first"), str(info.value)


@pytest.mark.skipif(sx._core.has_device(), reason="this build is for a device; test_devices.py tests it")
def test_a_build_for_hosts_has_no_device(basis):
    with pytest.raises(ValueError, match="on_device: this build computes on the host. Leave it out"):
        sx.convolve(np.zeros((60, 2)), basis, on_device=True)
