# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arrays in memory of a device, in a build for CUDA: where they are read, in which order, and what is refused.

`./dev emulate --python` runs these tests without a device. There, work of a stream runs only when something waits for
the stream, so a call that does not wait reads what nobody wrote.
"""

import functools
import gc
import sys
import threading
import types
from typing import Any

import numpy as np
import pytest
import synelix as sx
from conftest import PATIENCE, run, same
from device_standin import Runtime, WithDlpack, WithInterface, alive, on_host
from synelix import _core, _devices

loose: Any = sx
pytestmark = pytest.mark.skipif(not _core.has_device(), reason="this build computes on the host; ./dev emulate --python has one for CUDA")
BY: Any = {"dlpack": WithDlpack, "old dlpack": functools.partial(WithDlpack, versioned=False), "interface": WithInterface}


@pytest.fixture(scope="module")
def cuda():
    try:
        _core.device_number()
    except sx.Error as error:
        pytest.skip(f"a device is needed: {error}")
    return Runtime()


@pytest.fixture
def basis():
    return sx.RaisedCosineLogConv(4, window_size=12)


@pytest.fixture(params=list(BY))
def taken(request, cuda):
    """Makes an array on the device of one on the host, by each protocol."""
    return lambda values, **keywords: BY[request.param](cuda, values, **keywords)


@pytest.fixture
def placed(cuda):
    return lambda values, **keywords: WithDlpack(cuda, values, **keywords)


def tolerance(dtype):
    return 1e-13 if np.dtype(dtype) == np.float64 else 2e-6


def check(cuda, got, want):
    """A result on the device against one of the host."""
    assert isinstance(got, _core.DeviceArray)
    assert got.dtype == want.dtype and got.shape == want.shape
    same(on_host(cuda, got), want, tolerance(want.dtype))


# ---------------------------------------------------------------- calls
@pytest.mark.parametrize("dtype", ["f4", "f8", "i1", "u1", "i2", "u2", "?"])
def test_each_type_is_read(cuda, taken, basis, rng, dtype):
    x = rng.poisson(1.0, (60, 3)).astype(dtype)
    check(cuda, sx.convolve(taken(x), basis), sx.convolve(x, basis))


@pytest.mark.parametrize("view", [lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[::-1, 1:], lambda a: a.T, lambda a: a[:, :1]],
                         ids=["steps", "reversed", "both", "transposed", "narrow"])
def test_strides_are_read(cuda, taken, basis, rng, view):
    x = view(rng.normal(size=(40, 30)))
    check(cuda, sx.convolve(taken(x), basis), sx.convolve(x, basis))


@pytest.mark.parametrize("keywords", [{"border": "zero"}, {"border": "valid"}, {"every": 3}, {"axis": 1}, {"scale": 2.0, "offset": 1.0},
                                      {"epochs": [[0, 30], [35, 60]]}, {"dtype": "float64"}, {"method": "fft"}, {"budget": "1MiB"}],
                         ids=lambda k: next(iter(k)))
def test_options_of_convolve(cuda, placed, basis, rng, keywords):
    x = rng.normal(size=(60, 20)).astype(np.float32)
    want = loose.convolve(x, basis, **keywords)
    check(cuda, loose.convolve(placed(x), basis, **keywords), want)


def test_an_output_is_written_behind_what_its_stream_does(cuda, taken, basis, rng):
    x = rng.normal(size=(50, 2)).astype(np.float32)
    out = taken(np.full((50, 2, 4), 7, np.float32))
    assert sx.convolve(taken(x), basis, out=out) is out
    out.wait()  # what was in its stream before the call must not come behind it
    if not hasattr(out, "__cuda_array_interface__"):
        out = _devices.taken(out, "out")
    same(on_host(cuda, out), sx.convolve(x, basis), tolerance("f4"))


def test_trials(cuda, taken, basis, rng):
    trials = [rng.normal(size=(n, 2)) for n in (40, 25)]
    found = sx.convolve([taken(x) for x in trials], basis)
    for got, want in zip(found, sx.convolve(trials, basis), strict=True):
        check(cuda, got, want)
    with pytest.raises(ValueError, match=r"x\[1\]: it lies in memory of the host, and x\[0\] in memory of a device. Bring both"):
        loose.convolve([taken(trials[0]), trials[1]], basis)


def test_explain_describes_the_device(placed, basis):
    x = np.zeros((100, 3), np.float32)
    told, there = sx.explain(x, basis), sx.explain(placed(x), basis)
    assert told["rows"] == there["rows"] == 100 and told["workspace_bytes"] != there["workspace_bytes"]


def test_a_plan_runs_again_and_again(cuda, taken, basis, rng):
    x = rng.normal(size=(50, 2)).astype(np.float32)
    there, out = taken(x), WithInterface(cuda, np.zeros((50, 2, 4), np.float32))
    plan = sx.ConvolvePlan(there, basis)
    check(cuda, plan.run(there), sx.convolve(x, basis))
    there.put(2 * x)  # waits in its stream
    assert plan.run(there, out) is out
    same(on_host(cuda, out), sx.convolve(2 * x, basis), tolerance("f4"))
    with pytest.raises(ValueError, match="x: it lies in memory of the host, and this plan is for arrays of a device. Make a plan"):
        plan.run(x)
    with pytest.raises(ValueError, match="out: it lies in memory of the host, and x in memory of a device"):
        plan.run(there, np.zeros((50, 2, 4), np.float32))
    with pytest.raises(ValueError, match="x: it lies in memory of a device, and this plan is for arrays of the host"):
        loose.ConvolvePlan(x[:, :, None], basis).run(taken(x[:, :, None]))
    assert "rows=50" in repr(plan)


SHAPES = {1: ((2, 4, 9), (6, 2, 3)), 2: ((2, 4, 7, 6), (6, 2, 3, 2)), 3: ((1, 4, 5, 4, 6), (6, 2, 2, 3, 2))}


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_operators(cuda, taken, rng, dimensions, dtype):
    x, w = (rng.normal(size=shape).astype(dtype) for shape in SHAPES[dimensions])
    bias = rng.normal(size=6).astype(dtype)
    call = {name: getattr(loose, name.format(dimensions)) for name in ("conv{}d", "conv_transpose{}d", "conv{}d_input", "conv{}d_weight")}
    options = {"padding": 1, "groups": 2}
    y = call["conv{}d"](x, w, bias, **options)
    check(cuda, call["conv{}d"](taken(x), taken(w), taken(bias), **options), y)
    v = rng.normal(size=(4, 3, *w.shape[2:])).astype(dtype)
    check(cuda, call["conv_transpose{}d"](taken(x), taken(v), stride=2, groups=2), call["conv_transpose{}d"](x, v, stride=2, groups=2))
    check(cuda, call["conv{}d_input"](x.shape, taken(w), taken(y), **options), call["conv{}d_input"](x.shape, w, y, **options))
    check(cuda, call["conv{}d_weight"](taken(x), w.shape, taken(y), **options), call["conv{}d_weight"](x, w.shape, y, **options))


def test_images_of_integers(cuda, taken, rng):
    x, w = rng.integers(-9, 9, (2, 3, 8, 8)).astype(np.int8), rng.normal(size=(4, 3, 3, 3)).astype(np.float32)
    check(cuda, sx.conv2d(taken(x), taken(w), scale=0.5, offset=1.0), sx.conv2d(x, w, scale=0.5, offset=1.0))


def test_products_and_forms(cuda, taken, rng):
    a, b = rng.normal(size=(3, 7, 5)), rng.normal(size=(5, 6))
    check(cuda, sx.matmul(taken(a), taken(b)), sx.matmul(a, b))
    x, y, m = rng.normal(size=(9, 5)), rng.normal(size=(9, 6)), rng.normal(size=(2, 5, 6))
    check(cuda, sx.bilinear_forms(taken(x), taken(m), taken(y)), sx.bilinear_forms(x, m, y))
    check(cuda, sx.quadratic_forms(taken(x), taken(m[..., :5])), sx.quadratic_forms(x, m[..., :5]))
    out = WithInterface(cuda, np.ones((7, 6)))
    assert sx.matmul(taken(a[0]), taken(b), alpha=2.0, beta=3.0, out=out) is out
    same(on_host(cuda, out), 2 * a[0] @ b + 3, 1e-13)


def test_features_of_bases(cuda, taken, rng):
    both = sx.BSplineConv(5, window_size=8) + sx.MSplineEval(4)
    x, t = rng.normal(size=(60, 2)).astype(np.float32), rng.random(60).astype(np.float32)
    want = both.compute_features(x, t)
    check(cuda, both.compute_features(taken(x), taken(t)), want)
    out = WithInterface(cuda, np.zeros(want.shape, np.float32))
    assert both.compute_features(taken(x), taken(t), out=out) is out
    same(on_host(cuda, out), want, tolerance("f4"))
    with pytest.raises(ValueError, match=r"xi\[1\]: it lies in memory of the host, and xi\[0\] in memory of a device"):
        both.compute_features(taken(x), t)


def test_events_beside_arrays_are_copied(cuda, taken, rng):
    both = sx.BSplineConv(4, window_size=8) + sx.BSplineConv(4, window_size=5)
    events = sx.Events([[0.05, 0.2, 0.21], [0.4]], 0.01, [[0, 0.6]])
    x = rng.normal(size=(60, 2)).astype(np.float32)
    check(cuda, both.compute_features(events, taken(x), border="valid"),
          np.asarray(both.compute_features(events, x, border="valid")))


def test_a_design(cuda, taken, rng):
    basis, x = sx.BSplineConv(5, window_size=8), rng.normal(size=(300, 2)).astype(np.float32)
    y = rng.poisson(1.0, 300)
    there = taken(x)
    near, far = sx.Design(basis, x), sx.Design(basis, there)
    c, r = rng.normal(size=10), rng.normal(size=300)
    assert far.shape == near.shape and far.valid_rows() == near.valid_rows()
    for call in (lambda d: d @ c, lambda d: d.adjoint(r), lambda d: d.gram(), lambda d: d.gram(np.abs(r))):
        same(call(far), call(near), 1e-5)
    ridge = {"regularizer": "Ridge", "regularizer_strength": 1e-2}
    models = [sx.GLM(**ridge).fit(d, y) for d in (near, far)]
    same(models[1].coef_, models[0].coef_, 1e-4)
    same(models[1].predict(far), models[0].predict(near), 1e-4)
    there.put(3 * x)  # a design refers to its inputs, and waits for what their streams do
    same(sx.Design(basis, there, keep="nothing") @ c, sx.Design(basis, 3 * x) @ c, 1e-5)
    again = sx.Design(basis, there, keep="nothing")
    there.put(x)
    same(again @ c, near @ c, 1e-5)


def test_a_fit_on_stored_features(cuda, taken, rng):
    x, y = rng.normal(size=(300, 4)).astype(np.float32), rng.poisson(1.0, 300)
    near, far = (sx.GLM(regularizer="Ridge", regularizer_strength=1e-2).fit(each, y) for each in (x, taken(x)))
    same(far.coef_, near.coef_, 1e-4)
    same(far.predict(taken(x)), near.predict(x), 1e-4)
    assert abs(far.score(taken(x), y) - near.score(x, y)) < 1e-4


def test_a_design_of_events_and_arrays(taken, rng):
    both = sx.BSplineConv(4, window_size=8) + sx.BSplineConv(4, window_size=5)
    events = sx.Events([[0.05, 0.2, 0.21], [0.4]], 0.01, [[0, 0.6]])
    x, c = rng.normal(size=(60, 2)).astype(np.float32), rng.normal(size=16)
    same(sx.Design(both, events, taken(x)) @ c, sx.Design(both, events, x) @ c, 1e-5)


@pytest.mark.parametrize("budget", [None, "200KiB"])
def test_arrays_of_the_host_go_through_the_device(basis, rng, budget):
    x, events = rng.normal(size=(700, 3)).astype(np.float32), sx.Events([[0.05, 0.2, 0.21], [0.4]], 0.01)
    there = {"on_device": True, "budget": budget}
    same(sx.convolve(x, basis, **there), sx.convolve(x, basis), tolerance("f4"))
    same(sx.convolve(events, basis, **there), sx.convolve(events, basis), tolerance("f4"))
    for got, want in zip(loose.convolve([x, x[:90]], basis, **there), sx.convolve([x, x[:90]], basis), strict=True):
        same(got, want, tolerance("f4"))
    out = np.zeros((700, 3, 4), np.float32)
    assert sx.convolve(x, basis, out=out, **there) is out
    with pytest.raises(MemoryError, match="budget: 1 byte"):
        sx.convolve(x, basis, on_device=True, budget=1)


def test_arrays_of_the_host_are_computed_there(basis, rng):
    x = rng.normal(size=(50, 2))
    assert type(sx.convolve(x, basis)) is np.ndarray
    same(sx.convolve(x, basis), sx.ConvolvePlan(x, basis).run(x))


# ---------------------------------------------------------------- no values
@pytest.mark.parametrize("call, shapes", [
    (lambda x: loose.convolve(x, np.ones((3, 2))), [(20, 0)]),
    (lambda x: loose.convolve(x, np.ones((3, 2))), [(0, 3)]),
    (lambda x: loose.convolve(x, np.ones((3, 2)), border="valid"), [(2, 3)]),
    (lambda x, w: loose.conv1d(x, w), [(0, 3, 8), (4, 3, 3)]),
    (lambda a, b: loose.matmul(a, b), [(0, 3), (3, 4)]),
    (lambda a, b: loose.matmul(a, b), [(2, 0), (0, 4)]),
    (lambda x, a: loose.quadratic_forms(x, a), [(0, 3), (3, 3)]),
])
def test_arrays_without_values(cuda, taken, call, shapes):
    """As on the host: the same result, or the same refusal."""
    arrays = [np.ones(shape, np.float32) for shape in shapes]
    try:
        want = call(*arrays)
    except sx.Error as error:
        with pytest.raises(type(error)) as info:
            call(*map(taken, arrays))
        assert str(info.value) == str(error)
    else:
        check(cuda, call(*map(taken, arrays)), want)


# ---------------------------------------------------------------- results
def test_a_result_is_an_array_for_others(cuda, placed, basis, rng):
    x = rng.normal(size=(50, 2))
    features = sx.convolve(placed(x), basis)
    assert features.__dlpack_device__() == (2, _core.device_number())
    words = features.__cuda_array_interface__
    assert words["version"] == 3 and words["stream"] is None and words["data"][1] is False
    assert len(features) == 50 and repr(features) == "DeviceArray(shape=(50, 2, 4), dtype=float64)"
    again = _core.DeviceArray.of_capsule(features.__dlpack__(stream=1, max_version=(1, 0)), "x")
    check(cuda, again, sx.convolve(x, basis))
    check(cuda, sx.matmul(features, placed(np.eye(4))), sx.convolve(x, basis))
    with pytest.raises(TypeError, match="The array lies in memory of a device. Bring it to the host"):
        np.asarray(features)


def test_memory_is_given_back(cuda, placed, basis):
    import ctypes

    def free():
        gc.collect()
        found, total = ctypes.c_size_t(), ctypes.c_size_t()
        cuda.cudaMemGetInfo(ctypes.byref(found), ctypes.byref(total))
        return found.value

    x = placed(np.ones((500, 2)))
    sx.convolve(x, basis, budget="1MiB")
    before, capsules = free(), len(alive)
    features = sx.convolve(x, basis, budget="1MiB")
    capsule = features.__dlpack__(stream=None)
    del features
    assert free() < before  # the capsule keeps it
    del capsule
    assert free() == before
    sx.convolve(x, basis, budget="1MiB")
    assert len(alive) == capsules, "a capsule of an input is still in use"


@pytest.mark.parametrize("library, kind, holder", [("cupy", "ndarray", None), ("torch", "Tensor", None), ("jax", "Array", "dlpack")])
def test_results_are_arrays_of_the_library_of_the_input(monkeypatch, cuda, basis, library, kind, holder):
    """Stand-ins for libraries. They take the result by its capsule, as the libraries do."""
    class Theirs(WithDlpack):
        pass

    def from_dlpack(x):
        assert x.__dlpack_device__() == (2, _core.device_number())
        return "taken", _core.DeviceArray.of_capsule(x.__dlpack__(stream=1), "x")

    functions = types.SimpleNamespace(from_dlpack=from_dlpack)
    module = types.SimpleNamespace(**{kind: Theirs}, **({holder: functions} if holder else vars(functions)))
    monkeypatch.setitem(sys.modules, library, module)
    x = np.ones((40, 2), np.float32)
    want = sx.convolve(x, basis)
    both = (sx.convolve(Theirs(cuda, x), basis), sx.ConvolvePlan(Theirs(cuda, x), basis).run(Theirs(cuda, x)),
            sx.convolve([Theirs(cuda, x)], basis)[0])
    for told, got in both:
        assert told == "taken"
        check(cuda, got, want)
    told, got = basis.compute_features(Theirs(cuda, x))
    check(cuda, got, want.reshape(40, -1))
    told, got = loose.matmul(Theirs(cuda, x), WithDlpack(cuda, np.eye(2, dtype=np.float32)))
    check(cuda, got, x)
    out = Theirs(cuda, np.zeros((40, 2, 4), np.float32))
    if library == "jax":
        with pytest.raises(ValueError, match="out: arrays of jax cannot be written. Leave it out"):
            sx.convolve(Theirs(cuda, x), basis, out=out)
    else:
        assert sx.convolve(Theirs(cuda, x), basis, out=out) is out


# ---------------------------------------------------------------- streams
def test_interfaces_that_name_no_stream(cuda, basis, rng):
    """Version 3 says by None that there is nothing to wait for. Version 2 cannot say it, so the device is awaited."""
    x = rng.normal(size=(40, 2))
    for version in (2, 3):
        there = WithInterface(cuda, x)
        there.said = {"stream": None, "version": version}
        if version == 3:
            there.wait()
        check(cuda, sx.convolve(there, basis), sx.convolve(x, basis))
    for stream in (1, 2):  # the default streams
        there = WithInterface(cuda, x)
        there.wait()
        there.said = {"stream": stream}
        check(cuda, sx.convolve(there, basis), sx.convolve(x, basis))


def test_threads_compute_side_by_side(cuda, basis, rng):
    x = rng.normal(size=(4, 80, 2))
    want, found = [sx.convolve(each, basis) for each in x], [None] * 4

    def work(k):
        found[k] = [sx.convolve(WithDlpack(cuda, x[k]), basis) for _ in range(3)][-1]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    for got, each in zip(found, want):
        check(cuda, got, each)


def test_a_child_of_a_process_that_has_computed_cannot_compute():
    done = run("""
import os
sx.convolve(np.ones(50), np.ones((3, 1)))
pid = os.fork()
if pid == 0:
    try:
        sx.convolve(np.ones(50), np.ones((3, 1)))
        os._exit(1)
    except sx.StateError as error:
        os._exit(0 if "forked from one that had computed" in str(error) else 2)
print(exit_code(pid))
""")
    assert (done.returncode, done.stdout.strip()) == (0, "0"), done.stderr


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize("call, words", [
    (lambda p, x, b: loose.convolve(p(x.astype("i8")), b), "x: values of 64 bits and DLPack code 0 are not read. Use float32"),
    (lambda p, x, b: loose.convolve(p(x.astype("f2")), b), "x: values of 16 bits and DLPack code 2 are not read"),
    (lambda p, x, b: loose.convolve(p(x.astype("c8")), b), "x: values of type complex64 are complex numbers"),
    (lambda p, x, b: loose.convolve(p(x, device=(10, 0)), b), "x: the array lies in memory of a device that this build does not compute on (DLPack's device type 10)"),
    (lambda p, x, b: loose.convolve(p(x, device=(2, 3)), b), "x: the array lies on device 3, and this process computes on device 0. Bring it there, or set KOKKOS_DEVICE_ID=3"),
    (lambda p, x, b: loose.convolve(x, b, out=p(np.zeros((100, 2, 4)))), "out: it lies in memory of a device, and x in memory of the host. Use an array of NumPy"),
    (lambda p, x, b: loose.convolve(p(x), b, out=np.zeros((100, 2, 4))), "out: it lies in memory of the host, and x in memory of a device. Use an array of the device"),
    (lambda p, x, b: loose.convolve(p(x), b, out=p(np.zeros((100, 2, 4)), read_only=True)), "out: the array is read-only. Use one that can be written"),
    (lambda p, x, b: loose.convolve(p(x), b, out=p(np.zeros((100, 2, 4), "i1"))), "out: values of type int8 cannot be written. Use float32 or float64"),
    (lambda p, x, b: loose.convolve(p(x), b, out=p(np.zeros((100, 2, 3)))), "out: "),
    (lambda p, x, b: loose.convolve(loose.Events([[0.1]], 0.01), b, out=p(np.zeros((11, 1, 4)))), "out: it lies in memory of a device, and x in memory of the host"),
    (lambda p, x, b: loose.convolve(p(np.float64(3)), b), "x: 0 dimensions are not supported"),
    (lambda p, x, b: loose.convolve(p(x), p(np.ones((3, 1)))), "filters: the array lies in memory of a device. Bring it to the host first"),
    (lambda p, x, b: loose.convolve(p(x), b, threads=-1), "threads: -1 is negative"),
    (lambda p, x, b: loose.convolve(p(x), b, budget=1), "budget: 1 byte"),
    (lambda p, x, b: loose.conv1d(p(x[None]), np.ones((3, 100, 2))), "weight: it lies in memory of the host, and input in memory of a device. Bring both to one memory: cupy.asarray(weight)"),
    (lambda p, x, b: loose.conv1d(x[None], p(np.ones((3, 100, 2)))), "weight: it lies in memory of a device, and input in memory of the host. Bring both to one memory: cupy.asarray(input)"),
    (lambda p, x, b: loose.conv1d(p(x[None]), p(np.ones((3, 100, 2))), np.ones(3)), "bias: it lies in memory of the host"),
    (lambda p, x, b: loose.conv1d_input((1, 3, 8), np.zeros((4, 3, 3)), p(np.zeros((1, 4, 6)))), "weight: it lies in memory of the host, and grad_output in memory of a device"),
    (lambda p, x, b: loose.matmul(p(x), x.T), "b: it lies in memory of the host, and a in memory of a device"),
    (lambda p, x, b: loose.quadratic_forms(p(x), np.eye(2)), "a: it lies in memory of the host, and x in memory of a device"),
    (lambda p, x, b: loose.Design(b, p(x)) @ p(np.ones(8)), "coefficients: the array lies in memory of a device. Bring it to the host"),
    (lambda p, x, b: loose.ConvolveStream(b, 2, 100).push(p(x)), "block: the array lies in memory of a device. Bring it to the host"),
    (lambda p, x, b: loose.GLM().fit(x, p(np.arange(100.0))), "y: the array lies in memory of a device. Bring it to the host"),
])
def test_refusals(placed, basis, call, words):
    with pytest.raises(sx.Error) as info:
        call(placed, np.zeros((100, 2)), basis)
    assert str(info.value).startswith(words), str(info.value)


@pytest.mark.parametrize("said, words", [
    ({"typestr": "<i8"}, "x: values of type '<i8' are not read in memory of a device. Use float32"),
    ({"typestr": ">f8"}, "x: values of type '>f8' are not read"),
    ({"mask": object()}, "x: masks are not read. Fill the masked values"),
    ({"strides": (16, 9)}, "x: the stride of dimension 1 ends inside a number. Use an aligned array"),
    ({"strides": (16,)}, "x: 1 strides for 2 dimensions do not match"),
    ({"shape": ()}, "x: 0 dimensions are not supported"),
    ({"data": "odd"}, "x: the array begins inside a number. Use an aligned array"),
    ({"data": "host"}, "x: the array says that it lies in memory of a device, and the device does not know this memory"),
])
def test_descriptions_that_are_refused(cuda, basis, said, words):
    there, host = WithInterface(cuda, np.zeros((30, 2))), np.zeros((30, 2))
    place = {"odd": (there.address + 4, False), "host": (host.ctypes.data, False)}.get(str(said.get("data")))
    there.said = {**said, "data": place} if place else said
    with pytest.raises(sx.Error) as info:
        sx.convolve(there, basis)
    assert str(info.value).startswith(words), str(info.value)


# ---------------------------------------------------------------- other libraries, on a device
def test_cupy(basis, rng):
    """Needs CuPy and a device. CuPy does not run on the emulator."""
    cupy = pytest.importorskip("cupy", reason="CuPy is needed, and a device")
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        pytest.skip(f"a device is needed: {error}")
    x = rng.normal(size=(200_000, 8)).astype(np.float32)
    with cupy.cuda.Stream(non_blocking=True):
        there = cupy.asarray(x)
        for _ in range(20):  # the array is not ready when the call begins
            there = there * 2 - there
            features = loose.convolve(there, basis)
            assert isinstance(features, cupy.ndarray)
            same(features.get(), sx.convolve(x, basis), tolerance("f4"))
        out = cupy.zeros((200_000, 8, 4), cupy.float32)
        assert sx.convolve(there[::-1], basis, out=out) is out
        same(out.get(), sx.convolve(x[::-1], basis), tolerance("f4"))
        w = rng.normal(size=(4, 8, 5)).astype(np.float32)
        images = x[:1000].T[None]
        same(loose.conv1d(cupy.asarray(images), cupy.asarray(w)).get(), sx.conv1d(images, w), 1e-4)


def test_torch(basis, rng):
    """Needs a PyTorch with CUDA, and a device."""
    torch = pytest.importorskip("torch", reason="PyTorch with CUDA is needed, and a device")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch with CUDA is needed, and a device")
    x = rng.normal(size=(200_000, 8)).astype(np.float32)
    with torch.cuda.stream(torch.cuda.Stream()):
        there = torch.from_numpy(x).cuda(non_blocking=True)
        features = sx.convolve((there * 2 - there).requires_grad_(), basis)
        assert isinstance(features, torch.Tensor) and features.is_cuda
        same(features.cpu().numpy(), sx.convolve(x, basis), tolerance("f4"))
