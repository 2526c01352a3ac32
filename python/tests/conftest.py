# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NeMoS in double precision, separate programs, and comparisons of arrays that print the worst places."""

import signal
import subprocess
import sys
import time
from typing import Any

import numpy as np
import pytest


@pytest.fixture(scope="session")
def nmo():
    """NeMoS in double precision."""
    nemos = pytest.importorskip("nemos")
    import jax

    jax.config.update("jax_enable_x64", True)
    return nemos


@pytest.fixture(scope="session")
def nap():
    return pytest.importorskip("pynapple")


@pytest.fixture
def interrupts():
    """Lets SIGINT raise KeyboardInterrupt. A program in the background would ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def rng():
    return np.random.default_rng(20)


#: Seconds after which a test that waits gives up. It ends a test that hangs. No test comes near it.
PATIENCE = 600
#: error_score of scikit-learn's searches: a fit that fails raises. By default its score is NaN. (The types know floats alone.)
RAISES: Any = "raise"

BEGIN = f"""
import time, numpy as np, synelix as sx
def wait_for_a_call():
    "Returns once a call of another thread computes."
    end = time.monotonic() + {PATIENCE / 2}
    while sx._core.calls() == 0:
        if time.monotonic() > end: raise TimeoutError("no call began")
        time.sleep(1e-4)
def exit_code(pid):
    "The exit code of a child, or 'hangs'."
    import os, signal
    end = time.monotonic() + {PATIENCE / 4}
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done: return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL); os.waitpid(pid, 0)
    return "hangs"
"""


def run(code, **keywords):
    """Runs a program in a process of its own. Returns its exit code and output."""
    return subprocess.run([sys.executable, "-W", "ignore", "-c", BEGIN + code], capture_output=True, text=True, timeout=PATIENCE,
                          **keywords)


def wait_until(is_true, what):
    """Waits until another thread makes is_true() true."""
    end = time.monotonic() + PATIENCE / 2
    while not is_true():
        assert time.monotonic() < end, f"{what} did not happen in {PATIENCE / 2} s"
        time.sleep(1e-4)


def same(got, want, tolerance=0.0):
    """Asserts equal shapes, NaN at the same places, and values within tolerance x max(1, largest)."""
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape, f"shapes {got.shape} and {want.shape}"
    got, want = np.atleast_1d(got), np.atleast_1d(want)
    nan = np.isnan(got) != np.isnan(want)
    assert not nan.any(), f"NaN differs at {np.argwhere(nan)[:5].tolist()}"
    if not want.size or np.isnan(want).all():
        return
    away = np.nan_to_num(np.abs(got.astype(float) - want))
    worst = np.unravel_index(np.argsort(away, axis=None)[-3:], away.shape)
    allowed = tolerance * max(1.0, np.nanmax(np.abs(want)))
    places = [(tuple(map(int, p)), float(got[tuple(p)]), float(want[tuple(p)])) for p in np.transpose(worst)]
    assert away.max() <= allowed, f"largest difference {away.max():.3e}, allowed {allowed:.3e}, at {places}"
