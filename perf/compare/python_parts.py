# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ./dev perf --python measures, one part in one process.

    python_parts.py PART THREADS PROGRAM [RECORDING]     prints one line of JSON

The process stays on as many processors as threads, and so do the C++ program that it starts, NeMoS and SciPy. Arrays are
the same for all, answers are compared once, and what is compared runs in turn.
"""
import json
import os
import sys
import threading
import time
import warnings

PART, THREADS, PROGRAM = sys.argv[1], int(sys.argv[2]), sys.argv[3]
RECORDING = sys.argv[4] if len(sys.argv) > 4 else None
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:THREADS]))
os.environ.update(OMP_NUM_THREADS=str(THREADS), OPENBLAS_NUM_THREADS=str(THREADS), OMP_PROC_BIND="false", JAX_PLATFORMS="cpu",
                  XLA_FLAGS=f"--xla_cpu_multi_thread_eigen={'true' if THREADS > 1 else 'false'} intra_op_parallelism_threads={THREADS}")
warnings.filterwarnings("ignore")

import numpy as np  # noqa: E402

import synelix as sx  # noqa: E402
from bench import Bench  # noqa: E402
from cases import Case  # noqa: E402

VIOLATION = 1e-6                           # of the optimality conditions, relative to the model without features


def seconds_of(call, times=1):
    begin = time.perf_counter()
    for _ in range(times):
        call()
    return (time.perf_counter() - begin) / times


def in_turn(calls, rounds, times=1):
    """{name: seconds of each round}; each was called once before."""
    for call in calls.values():
        call()
    found = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            found[name].append(seconds_of(call, times))
    return found


def nemos_features(x, bases, window):
    import nemos
    basis = nemos.basis.RaisedCosineLogConv(bases, window_size=window)
    return lambda: np.asarray(basis.compute_features(x))


def compare(what, got, want, tolerance=1e-4):
    got, want = np.asarray(got, float), np.asarray(want, float).reshape(np.shape(got))
    if not np.allclose(got, want, atol=tolerance, equal_nan=True):
        raise AssertionError(f"{what} differs by {np.nanmax(abs(got - want)):.1e}")


def small():
    """A call of 100 samples, one channel, 8 bases, a window of 20."""
    samples, bases, window = 100, 8, 20
    with Bench(PROGRAM, THREADS) as bench:
        case = Case("small", samples, 1, bases, window)
        slot = bench.prepare(case)
        x = np.array(bench.array_of(case))
        basis = sx.RaisedCosineLogConv(bases, window_size=window)
        out = np.empty((samples, 1, bases), np.float32)
        plan = sx.ConvolvePlan(x, basis, threads=THREADS)
        taps = np.asarray(basis.kernel_, np.float32)
        theirs = np.full_like(out, np.nan)

        def numpy_convolve():
            for b in range(bases):
                theirs[window:, 0, b] = np.convolve(x[:-1, 0], taps[:, b], "valid")
        ours = {"convolve_out": lambda: sx.convolve(x, basis, out=out, threads=THREADS), "plan_run": lambda: plan.run(x, out),
                "convolve": lambda: sx.convolve(x, basis, threads=THREADS), "numpy_convolve": numpy_convolve}
        for call in ours.values():
            call()
        compare("numpy.convolve", out, theirs)
        found = in_turn(ours, 21, 500)
        found["cpp_plan_run"] = [np.mean(slot.run(2000)).item() for _ in range(21)]
        nemos = nemos_features(x, bases, window)
        compare("NeMoS", out, nemos())
        return found | in_turn({"nemos": nemos}, 7, 20)


def large():
    """A million samples, 20 channels, 8 bases, a window of 100, in float32. The C++ program writes an array that begins
    on a cache line. So do results of the package, and one of them is `out` here. Arrays of numpy.empty begin 16 bytes
    after a line."""
    case = Case("medium", 1_000_000, 20, 8, 100)
    with Bench(PROGRAM, THREADS) as bench:
        slot = bench.prepare(case)
        x = np.array(bench.array_of(case))
        basis = sx.RaisedCosineLogConv(case.bases, window_size=case.window)
        out = sx.convolve(x, basis, threads=THREADS)
        numpys = np.empty((case.samples, case.channels, case.bases), np.float32)
        plan = sx.ConvolvePlan(x, basis, threads=THREADS)
        found = {"over_cpp": in_turn({"convolve_out": lambda: sx.convolve(x, basis, out=out, threads=THREADS),
                                      "plan_run": lambda: plan.run(x, out),
                                      "plan_run_off_a_line": lambda: plan.run(x, numpys),
                                      "cpp": lambda: slot.run()[0]}, 1)}
        for name in found["over_cpp"]:
            found["over_cpp"][name].clear()
        for _ in range(15):                # the seconds of the C++ program are those inside its call
            found["over_cpp"]["convolve_out"].append(seconds_of(lambda: sx.convolve(x, basis, out=out, threads=THREADS)))
            found["over_cpp"]["cpp"].append(slot.run()[0])
            found["over_cpp"]["plan_run"].append(seconds_of(lambda: plan.run(x, out)))
            found["over_cpp"]["plan_run_off_a_line"].append(seconds_of(lambda: plan.run(x, numpys)))
    from scipy.signal import oaconvolve
    taps = np.asarray(basis.kernel_, np.float32)
    theirs = np.full_like(out, np.nan)

    def scipy():
        for c in range(case.channels):
            theirs[case.window:, c] = oaconvolve(x[:-1, c, None], taps, mode="valid", axes=0)
    nemos = nemos_features(x, case.bases, case.window)
    calls = {"convolve_out": lambda: sx.convolve(x, basis, out=out, threads=THREADS), "scipy": scipy, "nemos": nemos,
             "convolve": lambda: sx.convolve(x, basis, threads=THREADS)}
    found["over_peers"] = in_turn(calls, 3)
    compare("SciPy", out[:5000], theirs[:5000])
    compare("NeMoS", out[-5000:], nemos()[-5000:])
    return found


def latency():
    """Small calls while another thread computes long ones, each with one thread."""
    window = 400
    basis = sx.RaisedCosineLogConv(8, window_size=window)
    big = np.random.default_rng(0).normal(size=(150_000, 16)).astype(np.float32)
    out = np.empty((*big.shape, 8), np.float32)
    x, result = big[:2000, :1].copy(), np.empty((2000, 1, 8), np.float32)
    plan = sx.ConvolvePlan(x, basis, threads=1)

    def long():
        return sx.convolve(big, basis, out=out, threads=1, method="direct")
    long()
    found = {"long": [seconds_of(long)]}
    for name, call in {"convolve_out": lambda: sx.convolve(x, basis, out=result, threads=1),
                       "plan_run": lambda: plan.run(x, result)}.items():
        call()
        found[f"{name}_alone"] = [seconds_of(call) for _ in range(200)]
        is_over = threading.Event()

        def go_on():
            while not is_over.is_set():
                long()
        other = threading.Thread(target=go_on)
        other.start()
        time.sleep(0.1)
        end, beside = time.perf_counter() + 3, []
        while time.perf_counter() < end:
            beside.append(seconds_of(call))
            time.sleep(0.001)              # a sleeping thread holds no lock
        is_over.set()
        other.join()
        found[f"{name}_beside"] = beside
    return found


def fit():
    """The first unit of a recording on the recent spikes of all, in bins of 1 ms, with a ridge of 1e-4."""
    import h5py
    import jax
    jax.config.update("jax_enable_x64", True)
    import nemos
    with h5py.File(RECORDING, "r") as file:
        times, ends = file["units/spike_times"][:], file["units/spike_times_index"][:].astype(int)
        interval = [float(file[f"intervals/epochs/{side}_time"][0]) for side in ("start", "stop")]
    window, bases, strength = 100, 8, 1e-4
    spikes = sx.Events(np.split(times, ends[:-1]), bin_size=0.001, epochs=[interval])
    first = sx.Events(np.split(times, ends[:-1])[:1], bin_size=0.001, epochs=[interval])
    basis = sx.RaisedCosineLogConv(bases, window_size=window)
    features = np.asarray(sx.convolve(spikes, basis, dtype=np.float64)).reshape(len(spikes), -1)[window:]
    identity = sx.convolve(first, np.eye(1), causality="acausal", dtype=np.float64)  # the counts themselves
    y = np.asarray(identity).reshape(-1)[window:]

    def violation(coefficients, intercept):
        """Largest gradient of the objective, over that of the model without features."""
        def gradients(w, b):
            residual = np.exp(features @ w + b) - y
            return np.append(features.T @ residual / len(y) + strength * w, residual.mean())
        null = gradients(np.zeros(features.shape[1]), np.log(y.mean()))
        return float(abs(gradients(np.asarray(coefficients, float), np.asarray(intercept, float)[0])).max() / abs(null).max())

    def ours():
        design = sx.Design(basis, spikes, threads=THREADS)
        target = np.zeros(len(spikes))
        target[window:] = y
        return sx.GLM(regularizer="Ridge", regularizer_strength=strength, threads=THREADS).fit(design, target)

    def ours_stored():
        return sx.GLM(regularizer="Ridge", regularizer_strength=strength, threads=THREADS).fit(features, y)

    def theirs(tolerance):
        model = nemos.glm.GLM(regularizer="Ridge", regularizer_strength=strength, solver_name="LBFGS",
                              solver_kwargs={"tol": tolerance, "maxiter": 5000})
        return model.fit(features, y)
    model = ours()
    found = {"rows": len(y), "columns": features.shape[1], "violation": violation(model.coef_, model.intercept_), "solver": model.solver_,
             "stored_violation": violation(ours_stored().coef_, ours_stored().intercept_)}
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        seconds = time.perf_counter()
        peer = theirs(tolerance)
        found |= {"tolerance": tolerance, "nemos_first": time.perf_counter() - seconds,
                  "nemos_violation": violation(peer.coef_, peer.intercept_)}
        if found["nemos_violation"] <= VIOLATION:
            break
    found["coefficients_apart"] = float(abs(np.asarray(peer.coef_) - model.coef_).max() / abs(model.coef_).max())
    rounds = 3 if found["nemos_first"] < 60 else 1
    found |= {"nemos": [], "ours": [], "ours_stored": []}
    for _ in range(rounds):
        found["ours"] += [seconds_of(ours) for _ in range(3)]
        found["ours_stored"].append(seconds_of(ours_stored))
        found["nemos"].append(seconds_of(lambda: theirs(tolerance)))
    return found


if __name__ == "__main__":
    print(json.dumps({"small": small, "large": large, "latency": latency, "fit": fit}[PART]()))
