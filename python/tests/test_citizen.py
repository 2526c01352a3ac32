# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package beside others in a process: threads, the GIL, fork and spawn, signals, the end of Python."""

import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from conftest import BEGIN, PATIENCE, run, same, wait_until

import synelix as sx

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::RuntimeWarning")


def features():
    x = np.random.default_rng(0).normal(size=(5000, 4)).astype(np.float32)
    return sx.convolve(x, sx.BSplineConv(5, window_size=12))


def test_import_starts_nothing():
    done = run("import threading, os; print(sx._core.is_running(), len(os.listdir('/proc/self/task')))",
               env={**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "2"})
    assert done.stdout.split() == ["False", "1"], done


def test_import_leaves_what_is_heavy_for_later():
    done = run("import sys; print([m for m in ('sklearn', 'scipy', 'pynapple', 'jax', 'h5py', 'tqdm') if m in sys.modules])")
    assert done.stdout.strip() == "[]", done


def test_the_end_is_silent():
    done = run("b = sx.BSplineConv(5, window_size=12); x = np.ones((100, 2)); p = sx.ConvolvePlan(x, b)\n"
               "e = sx.Events([[0.1]], 0.01, [[0, 1]]); y = p.run(x); d = sx.Design(b, e); d.gram(); s = sx.ConvolveStream(b, 2, 50)\n"
               "m = sx.GLM(regularizer='Ridge').fit(d, np.ones(100))")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_end_is_silent_after_an_exception():
    done = run("sx.convolve(np.ones((100, 2)), np.ones((3, 1)))\nraise SystemExit(3)")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_threads_are_set():
    done = run("sx.set_num_threads(1); print(sx.get_num_threads())\ntry: sx.set_num_threads(64)\nexcept ValueError as e: print(e)")
    assert done.stdout.startswith("1\nn: 64 is more than the 1 threads"), done


def calls_in_c():
    """Calls by name, of a second or more, that run C++ alone."""
    x, taps = np.zeros((100_000, 8), np.float32), np.ones((4000, 8))
    plan, out = sx.ConvolvePlan(x, taps, method="direct"), np.empty((100_000, 8, 8), np.float32)
    stream = sx.ConvolveStream(taps, channels=8, longest=100_000, method="direct")
    design = sx.Design(sx.RaisedCosineLogConv(8, window_size=4000), x, method="direct", keep="nothing")
    return {
        "ConvolvePlan.run": lambda: plan.run(x, out),
        "ConvolveStream.push": lambda: stream.push(x, out),
        "Design.gram": design.gram,
        "convolve": lambda: sx.convolve(x, taps, out=out, method="direct"),
    }


@pytest.mark.parametrize("name", ["ConvolvePlan.run", "ConvolveStream.push", "Design.gram", "convolve"])
def test_the_gil_is_released(name):
    """This thread counts up to 100 while one call of the other is under way. With the GIL held it could not see a call at all."""
    call, calls, stop = calls_in_c()[name], [0], threading.Event()

    def work():
        while not stop.is_set():
            calls[0] += 1
            call()

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    counted = which = 0

    def has_counted():
        nonlocal counted, which
        if sx._core.calls() == 0 or calls[0] != which:
            counted, which = 0, calls[0]
        else:
            counted += 1
        return counted >= 100

    try:
        wait_until(has_counted, "counting beside a call")
    finally:
        stop.set()
        worker.join(PATIENCE)


def test_threads_of_python_get_the_same_bits():
    want, results = features(), [None] * 6

    def work(k):
        for _ in range(5):
            results[k] = features()

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        same(result, want)


def _child(queue):
    queue.put(float(np.nansum(features())))


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes(method):
    want = float(np.nansum(features()))
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    children = [context.Process(target=_child, args=(queue,)) for _ in range(2)]
    for child in children:
        child.start()
    assert [queue.get(timeout=PATIENCE) for _ in children] == [want, want]
    for child in children:
        child.join(PATIENCE)
    assert [child.exitcode for child in children] == [0, 0]
    assert float(np.nansum(features())) == want


def test_ctrl_c_ends_a_fit(rng, interrupts):
    X, y = rng.normal(size=(2000, 3)), rng.poisson(1.0, 2000)
    sent = []

    def interrupt(*_):
        if not sent:
            sent.append(os.kill(os.getpid(), signal.SIGINT))

    with pytest.raises(KeyboardInterrupt):
        sx.GLM().fit(X, y, progress=interrupt)
    assert sx.GLM().fit(X, y).stop_ == "converged"


def long_calls():
    """Calls by name, of many seconds, and the output that shows how far each came."""
    x, out = np.zeros((400_000, 8), np.float32), np.empty((400_000, 8, 8), np.float32)
    basis = sx.RaisedCosineLogConv(8, window_size=20_000)
    plan = sx.ConvolvePlan(x, basis, method="direct")
    events = sx.Events([np.arange(0.0, 400.0, 0.004)] * 8, 0.001, [[0.0, 400.0]])
    taps = np.ones((20_000, 8))
    return {
        "convolve": (lambda: sx.convolve(x, basis, out=out, method="direct"), out),
        "compute_features": (lambda: basis.compute_features(x, out=out.reshape(len(x), 64), method="direct"), out),
        "ConvolvePlan.run": (lambda: plan.run(x, out), out),
        "Events": (lambda: sx.convolve(events, taps, out=out, method="events"), out),
    }


@pytest.mark.parametrize("name", ["convolve", "compute_features", "ConvolvePlan.run", "Events"])
def test_ctrl_c_ends_a_call_in_memory(interrupts, name):
    """The signal comes once the call computes. What shows that it ended early are rows that were never written."""
    call, out = long_calls()[name]
    out[:] = -7.0

    ended = threading.Event()

    def interrupt():
        wait_until(lambda: ended.is_set() or sx._core.calls() > 0, "the call")
        if not ended.is_set():
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=interrupt, daemon=True)
    with pytest.raises(KeyboardInterrupt):
        sender.start()
        try:
            call()
        finally:
            ended.set()
    sender.join(PATIENCE)
    written = np.count_nonzero((out[:, 0, 0] != -7.0))
    assert written < len(out) / 2, f"{written} of {len(out)} rows were written"
    x = np.zeros((1000, 2))
    assert not np.isnan(sx.convolve(x, sx.BSplineConv(5, window_size=12))[12:]).any()


def ones(*shape):
    return np.ones(shape, np.float32)


def interruptible_calls():
    """Calls of many seconds of each verb family. Those of fits get a list that counts walks over the rows."""
    X, y = np.random.default_rng(0).standard_normal((20_000, 500), np.float32), np.ones((20_000, 20))
    y[::2] = 0
    count = {"progress": lambda *_: walks.append(1)}
    walks = []
    calls = {
        "matmul": lambda: sx.matmul(ones(20, 200, 4000), ones(4000, 4000)),
        "quadratic_forms": lambda: sx.quadratic_forms(ones(10_000, 4000), ones(4000, 4000)),
        "conv1d": lambda: sx.conv1d(ones(2, 300, 40_000), ones(300, 300, 15)),
        "conv1d by transforms": lambda: sx.conv1d(ones(2, 128, 400_000), ones(128, 128, 300)),
        "conv2d": lambda: sx.conv2d(ones(16, 64, 128, 128), ones(128, 64, 9, 9)),
        "conv3d": lambda: sx.conv3d(ones(4, 32, 40, 40, 40), ones(64, 32, 7, 7, 7)),
        "conv1d_input": lambda: sx.conv1d_input((8, 64, 20_000), ones(512, 64, 15), ones(8, 512, 19_986)),
        "conv1d_weight": lambda: sx.conv1d_weight(ones(8, 64, 20_000), (512, 64, 15), ones(8, 512, 19_986)),
        "calibrate": lambda: sx.calibrate(),
        "GLM": lambda: sx.PopulationGLM(regularizer="Ridge", solver_name="newton").fit(X, y, **count),
        "Path": lambda: sx.Path(regularizer="Lasso").fit(X, y, **count),
        "CrossValidation": lambda: sx.CrossValidation(regularizer="Ridge").fit(X, y, **count),
    }
    return calls, walks


@pytest.mark.parametrize("name", ["matmul", "quadratic_forms", "conv1d", "conv1d by transforms", "conv2d", "conv3d", "conv1d_input",
                                  "conv1d_weight", "calibrate", "GLM", "Path", "CrossValidation"])
def test_signals_are_handled_while_a_call_computes(interrupts, name):
    """Five signals, each sent a moment after the one before was handled. The kernel sends them, so that it does not matter
    when other threads run. Without looks in the middle of the call, or of the first walks of a fit, at most one of them
    would meet it. (The first ones may meet what prepares the call.)"""
    calls, walks = interruptible_calls()
    handled, is_over = [], threading.Event()

    def handle(*_):
        handled.append(sx._core.calls())
        if len(handled) < 5:
            signal.setitimer(signal.ITIMER_REAL, 0.005)
        elif not is_over.is_set():
            raise KeyboardInterrupt

    def send_first():
        while sx._core.calls() == 0 and not is_over.is_set():
            time.sleep(0)
        if not is_over.is_set():
            signal.setitimer(signal.ITIMER_REAL, 0.001)

    before = signal.signal(signal.SIGALRM, handle)
    sender = threading.Thread(target=send_first)
    try:
        with pytest.raises(KeyboardInterrupt):
            sender.start()
            calls[name]()
    finally:
        is_over.set()
        sender.join()
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert handled[-2:] == [1, 1], f"calls in flight where signals were handled: {handled}"
    assert not walks, "the first walk of the searches was finished"
    same(features(), features())


def test_ctrl_c_reaches_the_parent_while_a_program_computes():
    """A program of its own, as at a terminal: it says when it computes, gets SIGINT, and ends with a KeyboardInterrupt."""
    code = """
import sys, threading
def tell():
    wait_for_a_call()
    print("computes", flush=True)
threading.Thread(target=tell, daemon=True).start()
out = np.empty((400_000, 8, 8), np.float32)
try: sx.convolve(np.zeros((400_000, 8), np.float32), sx.RaisedCosineLogConv(8, window_size=200_000), out=out, method="direct")
except KeyboardInterrupt: print("ended", flush=True); sys.exit(9)
"""
    program = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n{BEGIN}{code}"
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "computes\n"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=PATIENCE)
    assert (out, err, child.returncode) == ("ended\n", "", 9)


def test_a_plan_is_not_used_by_its_own_signal_handler():
    """It would wait for itself."""
    done = run("""
import os, signal, threading
x, out = np.zeros((400_000, 8), np.float32), np.empty((400_000, 8, 8), np.float32)
plan = sx.ConvolvePlan(x, np.ones((20_000, 8)), method="direct")
def handler(*_):
    try: plan.run(x, out)
    except sx.StateError as error: print(str(error).partition(". ")[0], flush=True)
    raise InterruptedError
signal.signal(signal.SIGUSR1, handler)
def send():
    wait_for_a_call()
    os.kill(os.getpid(), signal.SIGUSR1)
threading.Thread(target=send, daemon=True).start()
try: plan.run(x, out)
except InterruptedError: print("ended")
plan = sx.ConvolvePlan(x[:50], np.ones((5, 8)))
print(plan.run(x[:50])[10, 0, 0])
""")
    assert done.stdout == "plan: it is in use by a call that this thread has not finished\nended\n0.0\n", done


def test_a_stream_counts_its_rows_alone():
    """Two threads push into one stream: each gets the rows of its own block. None is refused for rows that the other added."""
    stream = sx.ConvolveStream(sx.BSplineConv(4, window_size=301), channels=1, longest=50, causality="acausal")
    rows, errors = [[], []], []

    def push(k):
        try:
            for n in range(400):
                rows[k].append(len(stream.push(np.ones((1 + (7 * n + k) % 50, 1), np.float32))))
        except sx.Error as error:
            errors.append(error)

    threads = [threading.Thread(target=push, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert not errors
    pushed = sum(1 + (7 * n + k) % 50 for n in range(400) for k in range(2))
    assert stream.samples == pushed and sum(map(sum, rows)) == pushed - stream.delay
    assert len(stream.finish()) == stream.delay


def test_a_design_is_not_used_by_its_own_progress(rng):
    """It would wait for itself."""
    x = rng.normal(size=(500, 2))
    design = sx.Design(sx.BSplineConv(4, window_size=10), x)
    with pytest.raises(sx.StateError, match="design: it is in use by a call"):
        sx.GLM(regularizer="Ridge").fit(design, rng.poisson(1.0, 500), progress=lambda *_: design.gram())
    assert design.gram().shape == (9, 9)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_no_bit(threads):
    """Programs of their own: the first call decides how many threads there are."""
    code = f"""
import hashlib
sx.set_num_threads({threads})
x = np.random.default_rng(0).poisson(0.3, (20_000, 6)).astype(np.uint8)
b = sx.RaisedCosineLogConv(6, window_size=40)
d = sx.Design(b, x)
fit = sx.PopulationGLM(regularizer="Ridge", regularizer_strength=0.01).fit(d, x)
parts = [sx.convolve(x, b), b.compute_features(x), d.gram(), fit.coef_, sx.matmul(x[:500], x[:500].T)]
parts += [sx.convolve(x, b, threads=t) for t in (1, 2)]
print(*(hashlib.sha256(np.ascontiguousarray(p).tobytes()).hexdigest() for p in parts), sx.get_num_threads())
"""
    one = run(code.replace(f"set_num_threads({threads})", "set_num_threads(1)"))
    done = run(code)
    *got, count = done.stdout.split()
    assert got == one.stdout.split()[:-1] and len(got) == 7 and count == str(threads), (one, done)


@pytest.mark.parametrize("first", ["synelix", "others"])
@pytest.mark.parametrize("other", ["torch", "jax", "h5py", "scipy.linalg", "sklearn.ensemble"])
def test_beside_others(first, other):
    pytest.importorskip(other)
    imports = [f"import {other}", "sx.get_num_threads()"]
    use = {"jax": "jax.numpy.ones((200, 200)) @ jax.numpy.ones((200, 200))", "torch": "torch.ones(200, 200) @ torch.ones(200, 200)",
           "scipy.linalg": "scipy.linalg.svd(np.ones((50, 50)))", "h5py": "h5py.version.hdf5_version",
           "sklearn.ensemble": "sklearn.ensemble.HistGradientBoostingRegressor(max_iter=3).fit(np.eye(60), np.arange(60.0))"}[other]
    code = "\n".join(imports[:: -1 if first == "synelix" else 1])
    done = run(f"{code}\nfor _ in range(2):\n    {use}\n    print(np.nansum(sx.convolve(np.ones((50, 2)), np.ones((3, 1)))))")
    assert done.stdout == "282.0\n282.0\n" and done.returncode == 0, done


def test_joblib():
    joblib = pytest.importorskip("joblib")
    want = float(np.nansum(features()))
    assert joblib.Parallel(n_jobs=2)(joblib.delayed(lambda: float(np.nansum(features())))() for _ in range(2)) == [want, want]


@pytest.mark.skipif(not (shutil.which("cmake") and shutil.which("ninja")), reason="there is no cmake with ninja")
def test_a_free_threaded_python_is_refused(tmp_path):
    """Few machines have such a Python. So the test replaces what sysconfig says of the build."""
    (tmp_path / "sitecustomize.py").write_text(
        "import sysconfig\nask = sysconfig.get_config_var\n"
        "sysconfig.get_config_var = lambda name: 1 if name == 'Py_GIL_DISABLED' else ask(name)\n")
    done = subprocess.run(
        ["cmake", "-G", "Ninja", "-S", pathlib.Path(__file__).parents[1], "-B", tmp_path / "build", f"-DPython_EXECUTABLE={sys.executable}"],
        env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "is a free-threaded Python, and this package relies on the GIL." in " ".join(done.stderr.split())
