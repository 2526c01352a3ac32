# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time belongs to a series: the inputs of one call have the same times, or the call says which have not."""

import itertools
import warnings
from typing import Any

import numpy as np
import pytest

import synelix as sx

loose: Any = sx
N = 100
RATE = 100.0


def series(nap, kind, start=0.0, rate=RATE):
    """The same counts as an object of each kind, from a time on, at a rate."""
    counts = np.random.default_rng(5).poisson(1.0, N).astype(float)
    times = start + np.arange(N) / rate
    if kind == "Tsd":
        return nap.Tsd(t=times, d=counts)
    if kind == "TsdFrame":
        return nap.TsdFrame(t=times, d=counts[:, None])
    if kind == "Events":
        spikes = np.repeat(times + 0.5 / rate, counts.astype(int))
        return sx.Events([spikes], 1 / rate, epochs=[[start, start + N / rate]])
    xarray = pytest.importorskip("xarray")
    return xarray.DataArray(counts, dims=("time",), coords={"time": times})


KINDS = ("Tsd", "TsdFrame", "Events", "DataArray")
#: Other times, as arguments of `series`.
OTHERS = {"later": {"start": 5.0}, "slower": {"rate": 10.0}, "a sample later": {"start": 1 / RATE}}


def other_bases():
    return loose.HistoryConv(3) + loose.HistoryConv(4)


@pytest.mark.parametrize("first, second", list(itertools.product(KINDS, repeat=2)))
@pytest.mark.parametrize("how", OTHERS)
def test_inputs_of_other_times_are_refused(nap, first, second, how):
    a, b = series(nap, first), series(nap, second, **OTHERS[how])
    for call in (lambda: other_bases().compute_features(a, b), lambda: sx.Design(other_bases(), a, b),
                 lambda: sx.compute_features_file(other_bases(), [a, b], np.empty((N, 7)))):
        with pytest.raises(sx.Error, match=r"(xi|sources)\[1\].*(xi|sources)\[0\]|DataArray cannot be read in parts|epochs: "):
            call()


@pytest.mark.parametrize("first, second", list(itertools.product(KINDS, repeat=2)))
def test_inputs_of_the_same_times_are_taken(nap, first, second):
    a, b = series(nap, first), series(nap, second)
    assert np.asarray(other_bases().compute_features(a, b)).shape == (N, 7)
    assert sx.Design(other_bases(), a, b).shape == (N, 7)
    assert np.asarray(other_bases().compute_features(a, np.ones(N))).shape == (N, 7)


@pytest.mark.parametrize("first, second", list(itertools.product(KINDS, repeat=2)))
@pytest.mark.parametrize("how", OTHERS)
def test_fits_and_scores_ask_for_the_times_of_all(nap, first, second, how):
    design, y, other = sx.Design(loose.HistoryConv(3), series(nap, first)), series(nap, second), series(nap, second, **OTHERS[how])
    X = series(nap, "TsdFrame")
    plain = np.ones(N)
    model = loose.GLM(regularizer="Ridge").fit(design, y)
    on_array = loose.GLM(regularizer="Ridge").fit(X, y)
    weights = other if second != "Events" else series(nap, "Tsd", **OTHERS[how])
    calls = {
        "fit": lambda: loose.GLM(regularizer="Ridge").fit(design, other),
        "fit of an array": lambda: loose.GLM(regularizer="Ridge").fit(X, other),
        "weights": lambda: loose.GLM(regularizer="Ridge").fit(design, y, sample_weight=weights),
        "offset": lambda: loose.GLM(regularizer="Ridge").fit(design, y, offset=weights),
        "path": lambda: loose.Path(n_strengths=3).fit(design, other),
        "folds": lambda: loose.CrossValidation(n_strengths=3, cv=2).fit(design, other),
        "score": lambda: model.score(design, other),
        "diagnose": lambda: model.diagnose(design, other),
        "predict": lambda: model.predict(design, offset=weights),
        "score of an array": lambda: on_array.score(X, other),
        "explain": lambda: model.explain(design, other),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, call in calls.items():
            with pytest.raises(sx.Error, match=r"^(y|offset|sample_weight): its samples are at .* but those of (X|y) are at "):
                call()
                pytest.fail(name)
        assert model.fit(design, plain).score(design, plain) < 0


def test_recordings_have_a_rate(nap, tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "r.h5", "w") as f:
        f["x"] = np.ones(N)
        f["x"].attrs["rate_hz"] = RATE
        f["slow"] = np.ones(N)
        f["slow"].attrs["rate_hz"] = 10.0
    path, slow = f"{tmp_path}/r.h5:/x", f"{tmp_path}/r.h5:/slow"
    design = sx.Design(loose.HistoryConv(3), path)
    assert loose.GLM(regularizer="Ridge").fit(design, series(nap, "Tsd")).coef_.shape == (3,)
    with h5py.File(tmp_path / "r.h5") as f:
        for call in (lambda: sx.Design(other_bases(), path, slow), lambda: sx.Design(other_bases(), f["x"], f["slow"]),
                     lambda: sx.Design(other_bases(), path, series(nap, "Tsd", rate=10.0)),
                     lambda: sx.compute_features_file(other_bases(), [path, slow], np.empty((N, 7)))):
            with pytest.raises(sx.Error, match=r"\[[01]\]: its samples are at .*0.0?1 s apart, but those of .*\[[01]\] are at .*0.0?1 s apart"):
                call()
    with pytest.raises(sx.Error, match="y: its samples are at 0 to 9.9 s, 0.1 s apart, but those of X"):
        loose.GLM(regularizer="Ridge").fit(design, series(nap, "Tsd", rate=10.0))


def test_dates_and_labels_of_rows(nap):
    xarray = pytest.importorskip("xarray")
    dates = np.datetime64("2026-01-01", "ns") + np.arange(N) * np.timedelta64(10, "ms")

    def of(t, dim="time"):
        return xarray.DataArray(np.ones(N), dims=(dim,), coords={dim: t})

    both = other_bases()
    with pytest.raises(sx.Error, match=r"xi\[1\]"):
        both.compute_features(of(dates), of(dates + np.timedelta64(1, "s")))
    with pytest.raises(sx.Error, match=r"xi\[1\]"):
        both.compute_features(of(np.arange(N), "sample"), of(np.arange(N) + 7, "sample"))
    both.compute_features(of(dates), of(dates))
    both.compute_features(of(np.arange(N), "sample"), series(nap, "Tsd"))
    both.compute_features(of(np.arange(N).astype(str), "sample"), series(nap, "Tsd"))


def test_a_plan_is_of_one_time_support(nap):
    first = nap.Tsd(t=np.arange(N) / RATE, d=np.ones(N), time_support=nap.IntervalSet([0, 0.5], [0.4, 1]))
    other = nap.Tsd(t=np.arange(len(first)) / RATE, d=np.ones(len(first)))
    plan = sx.ConvolvePlan(first, np.ones((3, 1)))
    assert plan.run(first).shape == (len(first), 1)
    with pytest.raises(sx.Error, match="x: its time support has other samples"):
        plan.run(other)


def test_times_far_from_0_are_compared_as_far_as_they_have_digits(nap):
    """Seconds since 1970 have steps of 2.4e-7 s."""
    start = 1.6e9
    a, b = series(nap, "Tsd", start=start, rate=1000.0), series(nap, "Events", start=start, rate=1000.0)
    assert other_bases().compute_features(a, b).shape == (N, 7)
