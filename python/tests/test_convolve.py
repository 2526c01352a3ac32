# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`convolve` has the values and NaN of NeMoS; stored types, strides, copies, outputs and refusals."""

import os
import tracemalloc
import warnings
from typing import Any

import numpy as np
import pytest
from conftest import same

import synelix as sx

ALIGNMENTS = [("causal", None), ("causal", False), ("acausal", None), ("anti-causal", None), ("anti-causal", False)]


@pytest.fixture
def basis():
    return sx.BSplineConv(5, window_size=12)


@pytest.mark.parametrize("causality, shift", ALIGNMENTS)
@pytest.mark.parametrize("shape, axis", [((80,), 0), ((80, 3), 0), ((3, 80), 1), ((2, 80, 3), 1)])
def test_values_are_those_of_nemos(nmo, rng, causality, shift, shape, axis):
    x, taps = rng.normal(size=shape), rng.normal(size=(7, 4))
    want = nmo.convolve.create_convolutional_predictor(taps, x, predictor_causality=causality, shift=shift, axis=axis)
    same(sx.convolve(x, taps, axis=axis, causality=causality, shift=shift), want, 1e-12)


@pytest.mark.parametrize("place", [0, 30, 79])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_is_not_finite_spreads_as_in_nemos(nmo, rng, place, value):
    x = rng.normal(size=(80, 2))
    x[place, 1] = value
    taps = np.eye(5, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = np.asarray(nmo.convolve.create_convolutional_predictor(taps, x))
    got = sx.convolve(x, taps)
    assert np.array_equal(np.isinf(got), np.isinf(want))
    same(np.where(np.isinf(got), 7.0, got), np.where(np.isinf(want), 7.0, want), 1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u1", "i2", "u2", "?", "i4", "i8", "f2", ">f4", ">i2"])
def test_stored_types_and_strides(rng, basis, dtype):
    stored = rng.integers(0, 2, (400, 6)).astype(dtype)
    want = sx.convolve(np.ascontiguousarray(stored[::2, 1:5], dtype=np.float64), basis)
    views = [stored[::2, 1:5], np.asfortranarray(stored[::2, 1:5]), stored[::2, 4:0:-1][:, ::-1]]
    for view in views:
        same(sx.convolve(view, basis), want, 1e-6)
    same(sx.convolve(stored[::2, 1:5].T, basis, axis=-1).transpose(1, 0, 2), want, 1e-6)


def test_working_types(basis):
    for stored, want in [("f4", "f4"), ("f8", "f8"), ("i1", "f4"), ("?", "f4"), ("i8", "f8")]:
        assert sx.convolve(np.zeros((30, 2), stored), basis).dtype == want
    assert sx.convolve(np.zeros((30, 2), "f8"), basis, dtype="float32").dtype == np.float32
    assert sx.convolve(np.zeros((30, 2), "f4"), basis, dtype=np.float64).dtype == np.float64


def test_nothing_is_copied(basis):
    x = np.zeros((1_000_000, 10), np.int8)[::-1]
    out = np.empty((len(x), 10, 5), np.float32)
    sx.convolve(x[:1000], basis, out=out[:1000])
    tracemalloc.start()
    sx.convolve(x, basis, out=out, budget="8MiB")
    held = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert held < 50_000


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="Linux counts the memory of a process")
def test_memory_stays_in_the_budget(basis):
    def peak():
        with open("/proc/self/status") as status:
            return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))

    x = np.full((1_000_000, 10), 1, np.int8)
    out = np.full((len(x), 10, 5), 1.0, np.float32)  # all pages are there
    sx.convolve(x[:1000], basis, out=out[:1000])
    with open("/proc/self/clear_refs", "w") as clear:
        clear.write("5")  # the peak starts anew
    before = peak()
    sx.convolve(x, basis, out=out, budget="8MiB")
    assert peak() - before < 12 * 2**20


def test_outputs_of_any_strides(rng, basis):
    x = rng.normal(size=(200, 3)).astype(np.float32)
    want = sx.convolve(x, basis)
    out = np.full((5, 3, 400), -1.0, np.float32).transpose(2, 1, 0)[::2]
    assert sx.convolve(x, basis, out=out) is out
    same(out, want)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_results_begin_on_a_cache_line(rng, basis, dtype):
    x = rng.normal(size=(40_000, 2)).astype(dtype)
    result = sx.convolve(x, basis)
    assert result.nbytes >= 2**20 and result.ctypes.data % 64 == 0
    assert result.dtype == dtype and result.flags.c_contiguous and result.flags.writeable
    filled = np.empty(result.size + 1, dtype)[1:].reshape(result.shape)
    np.testing.assert_array_equal(sx.convolve(x, basis, out=filled), result)


def test_other_arrays_in_and_out(rng, basis):
    jnp = pytest.importorskip("jax.numpy")
    x = rng.normal(size=(60, 2)).astype(np.float32)
    same(sx.convolve(jnp.asarray(x), basis), sx.convolve(x, basis))
    same(sx.convolve(x.tolist(), basis), sx.convolve(x, basis), 1e-6)


def test_torch_tensors(rng, basis):
    torch = pytest.importorskip("torch")
    x = rng.normal(size=(60, 2)).astype(np.float32)
    out = torch.empty(60, 2, 5)
    assert sx.convolve(torch.from_numpy(x).requires_grad_(), basis, out=out) is out
    same(out, sx.convolve(x, basis))


def test_budget_threads_and_batches_change_no_bit(rng):
    basis, x = sx.RaisedCosineLogConv(6, window_size=40), rng.normal(size=(20_000, 8)).astype(np.float32)
    epochs = [[0, 7000], [7000, 15_000], [15_500, 20_000]]
    want = sx.convolve(x, basis, epochs=epochs)
    assert np.isnan(want[15_000:15_500]).all() and np.isnan(want[7000:7040]).all()
    assert not np.isnan(want[7040:15_000]).any()
    settings: list[dict[str, Any]] = [{"budget": "1MiB"}, {"threads": 1}, {"budget": 2**20, "threads": 1}, {"batch_size_samples": 300}]
    for more in settings:
        same(sx.convolve(x, basis, epochs=epochs, **more), want)


def test_borders_and_every(rng, basis):
    x = rng.normal(size=(100, 2))
    whole = sx.convolve(x, basis)
    same(sx.convolve(x, basis, border="valid"), whole[12:])
    same(sx.convolve(x, basis, every=5), whole[::5])
    assert not np.isnan(sx.convolve(x, basis, border="zero")).any()
    same(sx.convolve(x * 2 + 1, basis), sx.convolve(x, basis, scale=2.0, offset=1.0), 1e-12)


def test_trials(rng, basis):
    trials = [rng.normal(size=(n, 3)).astype(np.float32) for n in (50, 200, 31)]
    for got, trial in zip(sx.convolve(trials, basis), trials):
        same(got, sx.convolve(trial, basis))


def test_plans(rng, basis):
    x = rng.normal(size=(200, 3)).astype(np.float32)
    plan, out = sx.ConvolvePlan(x, basis), np.empty((200, 3, 5), np.float32)
    assert plan.run(x, out) is out
    same(out, sx.convolve(x, basis))
    same(plan.run(x), out)
    assert "direct" in repr(plan) and "<table>" in plan._repr_html_()
    with pytest.raises(ValueError, match="x: 100 samples x 3 channels of float32 differ from the plan"):
        plan.run(x[:100], out[:100])


def test_filters_of_every_kind(nmo, rng, basis):
    x = rng.normal(size=(100, 2))
    want = sx.convolve(x, basis)
    same(sx.convolve(x, nmo.basis.BSplineConv(5, window_size=12)), want, 1e-12)
    same(sx.convolve(x, basis.kernel_), want)
    same(sx.convolve(x, sx.FilterBank(basis.kernel_)), want)


def test_explanations(basis):
    told = sx.explain(np.zeros((10_000, 4), np.float32), basis)
    assert told["method"] in ("direct", "fft") and told["rows"] == 10_000
    assert "bytes" in repr(told) and "<table>" in told._repr_html_()


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda b: sx.convolve(np.zeros((10, 2), complex), b), ValueError, "x: values of type complex128"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, budget=10), MemoryError, "budget: 10 bytes"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, budget=10), sx.Error, "Give at least"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, budget="10 apples"), ValueError, "'512MiB'"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, epochs=[[0, 60], [50, 100]]), ValueError, "epochs[1]: [50, 100)"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, epochs=[0, 60]), ValueError, "epochs: the shape is (2,)"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, epochs=[[0.5, 60]]), ValueError, "Give samples, not seconds"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, out=np.empty((100, 2, 9))), ValueError, "out: (100, 2, 9)"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, out=np.empty((100, 2, 5), int)), ValueError, "out: values of type int64"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, dtype=int), ValueError, "dtype: int64 is not a working type"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, causality="sideways"), ValueError,  # type: ignore
     "'causal', 'acausal', 'anti-causal'"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, causality="acausal", shift=True), ValueError, "shift: "),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, budgett=3), TypeError, "budgett"),  # type: ignore
        (lambda b: sx.convolve(np.zeros((100, 2)), b, axis=2), ValueError, "axis: 2"),
        (lambda b: sx.convolve(np.zeros((100, 2)), b, threads=-1), ValueError, "threads: -1"),
        (lambda b: sx.convolve(np.zeros((0, 2)), b), ValueError, "x: extent 0 of dimension 0"),
        (lambda b: sx.convolve(np.zeros((100, 2)), np.ones(3)), ValueError, "filters: the taps have 1 dimensions"),
        (lambda b: sx.convolve(np.zeros((100, 2)), sx.BSplineEval(5)), ValueError, "filters: BSplineEval has no window"),
    ],
)
def test_refusals_name_the_argument(basis, call, error, words):
    with pytest.raises(error) as info:
        call(basis)
    assert words in str(info.value)


def test_read_only_outputs_are_refused(basis):
    out = np.empty((100, 2, 5))
    out.flags.writeable = False
    with pytest.raises(ValueError, match="out: the array is read-only"):
        sx.convolve(np.zeros((100, 2)), basis, out=out)


def test_arrays_that_begin_inside_a_number(rng, basis):
    x = rng.normal(size=100).astype(np.float32)
    memory = np.empty(4 * x.size + 1, np.uint8)[1:]
    shifted = memory.view(np.float32)
    shifted[:] = x
    np.testing.assert_array_equal(sx.convolve(shifted, basis), sx.convolve(x, basis))
    out = np.empty(4 * 500 + 1, np.uint8)[1:].view(np.float32).reshape(100, 5)
    with pytest.raises(ValueError, match="out: the array begins inside a number"):
        sx.convolve(x, basis, out=out)


def test_warnings_are_pythons(basis):
    with pytest.warns(UserWarning, match="window"):
        assert np.isnan(sx.convolve(np.zeros((5, 2)), basis)).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning):
            sx.convolve(np.zeros((5, 2)), basis)


def test_the_window_of_a_basis_is_used(rng):
    """`conv_kwargs` of a basis are the defaults of causality and shift."""
    x = rng.normal(size=(60, 2))
    basis = sx.BSplineConv(5, 11, conv_kwargs={"predictor_causality": "acausal", "shift": False})
    features = basis.compute_features(x).reshape(60, 2, 5)
    same(sx.convolve(x, basis), features)
    same(sx.ConvolvePlan(x, basis).run(x), features)
    assert not np.array_equal(sx.convolve(x, basis, causality="causal", shift=True), features, equal_nan=True)
