# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Forks, and the end of Python, while other threads compute."""

import numpy as np
import pytest
from conftest import run

import synelix as sx

HOLDS_A_CALL = """
import os, sys, threading
basis, x = sx.BSplineConv(5, window_size=50), np.zeros((20_000, 4), np.float32)
waiting, released = threading.Event(), threading.Event()
def hold(done, total):
    waiting.set(); released.wait(300)
"""


def test_a_child_of_a_computing_process_computes_or_says_why():
    """The parent holds a stream in its progress function, so that the fork finds a call in flight."""
    done = run(HOLDS_A_CALL + """
out = np.empty((20_000, 4, 5), np.float32)
t = threading.Thread(target=lambda: sx.convolve_file(x, basis, out, budget="1MiB", progress=hold))
t.start(); waiting.wait(300)
pid = os.fork()
if pid == 0:
    try: sx.convolve(x, basis)
    except sx.Error as e: print(e, flush=True)
    os._exit(7)
print(exit_code(pid))
released.set(); t.join()
""")
    assert "forked during a computation" in done.stdout and done.stdout.endswith("7\n"), done


def test_a_torn_child_ends():
    """The parent computes without end when it forks. The child drops all that holds memory of Kokkos, and ends as programs do."""
    done = run("""
import os, sys, threading
b, x = sx.RaisedCosineLogConv(8, window_size=20_000), np.zeros((400_000, 8), np.float32)
small, s = sx.BSplineConv(5, window_size=12), np.ones((100, 2))
kept = [sx.ConvolvePlan(s, small), sx.ConvolveStream(small, 2, 50), sx.Design(small, s), sx.FilterBank(np.ones((3, 1)))]
sx.convolve(s, small), sx.convolve(s, kept[3]), small.compute_features(s)
out = np.empty((400_000, 8, 8), np.float32)
threading.Thread(target=lambda: sx.convolve(x, b, out=out, method="direct"), daemon=True).start()
wait_for_a_call()
pid = os.fork()
if pid == 0:
    try: sx.convolve(s, small)
    except sx.StateError: pass
    else: os._exit(8)
    kept.clear()
    del small, b
    sys.exit(7)
print(exit_code(pid), flush=True)
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "7\n", ""), done


def test_children_of_a_busy_process_end():
    """Each child computes, or is refused where a call of the parent took longer than a fork waits. None hangs."""
    done = run("""
import os, threading
basis, x = sx.RaisedCosineLogConv(8, window_size=100), np.random.default_rng(0).normal(size=(20_000, 8)).astype(np.float32)
stop = False
def busy(call):
    while not stop: call(x)
calls = [lambda x: sx.convolve(x, basis), basis.compute_features]
threads = [threading.Thread(target=busy, args=(call,)) for call in calls]
[t.start() for t in threads]
codes = []
for k in range(4):
    pid = os.fork()
    if pid == 0:
        try: sx.convolve(x, basis); basis.compute_features(x)
        except sx.StateError: os._exit(7)
        os._exit(0)
    codes.append(exit_code(pid))
stop = True; [t.join() for t in threads]; print(all(c in (0, 7) for c in codes), codes)
""")
    assert done.stdout.startswith("True "), done


def test_features_need_no_gil_in_the_middle_of_a_call(monkeypatch):
    """A fork holds the GIL, and waits for the calls that compute. So arrays are made while none computes."""
    empty, seen = np.empty, []

    def counting(*arguments, **keywords):
        seen.append(sx._core.calls())
        return empty(*arguments, **keywords)

    basis, x = sx.BSplineConv(5, window_size=12), np.ones((100, 2))
    stream = sx.ConvolveStream(basis, channels=2, longest=100, stored=np.float64)
    plan, design = sx.ConvolvePlan(x, basis), sx.Design(basis, x)
    monkeypatch.setattr(np, "empty", counting)
    for call in (basis.compute_features, stream.push, plan.run, lambda x: sx.convolve(x, basis), lambda _: design.gram()):
        count = len(seen)
        call(x)
        assert len(seen) > count
    assert not any(seen), seen


@pytest.mark.parametrize("work", [
    "sx.convolve(x, b)", "b.compute_features(x)", "plan.run(x)", "sx.convolve(x, long, out=out, method='direct')", "design.gram()",
    "sx.GLM(regularizer='Ridge').fit(design, y)", "sx.convolve(x, np.ones((50, 5)))", "sx.ConvolvePlan(x, b).run(x)",
    "sx.ConvolveStream(b, 4, 50).push(x[:50])", "sx.GLM(regularizer='Ridge').fit(columns, y)", "sx.Design(b, x)",
    "sx.matmul(b_of_4, b_of_4)", "design.explain(), design.shape",
])
def test_the_end_does_not_wait_for_daemons(work):
    """Threads that Python does not wait for compute without end, while the program ends. Three of them, so that one waits
    for the GIL at that moment."""
    code = f"""
import threading
x, b = np.zeros((20_000, 4), np.float32), sx.RaisedCosineLogConv(5, window_size=50)
long, out = sx.RaisedCosineLogConv(8, window_size=19_000), np.empty((20_000, 4, 8), np.float32)
columns = np.random.default_rng(0).normal(size=(2000, 2)); y = np.ones(2000 if "columns" in {work!r} else 20_000)
plan, design, b_of_4 = sx.ConvolvePlan(x, b), sx.Design(b, x + 1), np.ones((4, 4))
def busy():
    while True: {work}
for _ in range(3): threading.Thread(target=busy, daemon=True).start()
if "explain" not in {work!r}: wait_for_a_call()
"""
    for _ in range(5 if work.startswith("sx.") else 3):
        done = run(code)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), done


def test_a_fork_from_a_thread_has_signals():
    """The thread that forks is the main one of the child: Ctrl-C reaches it there."""
    done = run("""
import os, signal, threading
def child():
    pid = os.fork()
    if pid == 0:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        def interrupt():
            wait_for_a_call()
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        try: sx.convolve(np.zeros((100_000, 8), np.float32), sx.RaisedCosineLogConv(8, window_size=50_000), method="direct")
        except KeyboardInterrupt: os._exit(9)
        os._exit(1)
    print(exit_code(pid))
sx.convolve(np.zeros((1000, 8)), np.ones((3, 1)))
t = threading.Thread(target=child); t.start(); t.join()
""")
    assert done.stdout == "9\n", done
