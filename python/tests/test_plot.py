# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures: labels with units, the data that is drawn, scales that are shared, errors. No pixels."""

import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from conftest import same

import synelix as sx

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

BASIS = sx.RaisedCosineLogConv(4, window_size=30)


@pytest.fixture(autouse=True)
def closed_figures():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def fitted():
    """Two units, of which unit 0 excites unit 1."""
    rng = np.random.default_rng(3)
    counts = np.zeros((6000, 2), np.uint8)
    drive = np.zeros(6020)
    for t in range(len(counts)):
        counts[t] = rng.poisson(0.1 * np.exp([0.0, drive[t]]))
        if counts[t, 0]:
            drive[t + 3 : t + 8] += 1.0
    design = sx.Design(BASIS, counts)
    model = sx.PopulationGLM(regularizer="Ridge", regularizer_strength=1e-4, standard_errors=True).fit(design, counts)
    return counts, design, model


def texts(labels):
    return [label.get_text() for label in labels]


def bands_of(ax):
    """Lower and upper sides of the bands of an axes, each sorted by lag."""
    found = []
    for band in ax.collections:
        vertices = band.get_paths()[0].vertices
        x = np.unique(vertices[:, 0])
        found.append(np.array([(vertices[vertices[:, 0] == place, 1].min(), vertices[vertices[:, 0] == place, 1].max()) for place in x]))
    return found


# ---- filters
def test_bank_draws_taps_at_their_lags():
    ax = sx.plot.bank(BASIS, bin_size=0.002)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lag (ms)", "filter weight")
    taps = np.asarray(BASIS.kernel_) if hasattr(BASIS, "kernel_") else np.asarray(BASIS.evaluate_on_grid(30)[-1])
    for b, line in enumerate(ax.lines):
        same(line.get_xdata(), 2.0 * np.arange(1, 31), 1e-12)
        same(line.get_ydata(), taps[:, b], 1e-6)
    assert texts(ax.get_legend().get_texts()) == [f"basis {b}" for b in range(4)]


def test_a_lag_is_where_the_sample_lies():
    """A tap at lag k multiplies the sample k rows before, whatever the window."""
    for causality, shift in (("causal", True), ("causal", False), ("anti-causal", True), ("anti-causal", False), ("acausal", False)):
        words = {"predictor_causality": causality} | ({} if causality == "acausal" else {"shift": shift})
        basis = sx.RaisedCosineLinearConv(3, window_size=7, conv_kwargs=words)
        lags = sx.plot.bank(basis).lines[0].get_xdata()
        series = np.zeros((41, 1))
        series[20] = 1.0
        rows = sx.convolve(series, basis, border="zero")[:, 0]
        taps = np.stack([line.get_ydata() for line in sx.plot.bank(basis).lines], 1)
        for lag, tap in zip(lags, taps, strict=True):
            same(rows[20 + int(lag)], tap, 1e-6)


def test_many_filters_have_a_color_bar():
    taps = np.random.default_rng(0).normal(size=(20, 30))
    ax = sx.plot.bank(taps)
    assert ax.get_xlabel() == "lag (samples)" and ax.get_legend() is None
    assert [axes.get_ylabel() for axes in ax.figure.axes[1:]] == ["basis"]
    assert texts(ax.figure.axes[1].get_yticklabels())[0] == "0" and texts(ax.figure.axes[1].get_yticklabels())[-1] == "29"


def test_a_logarithmic_axis_leaves_out_lags_below_one():
    basis = sx.RaisedCosineLogConv(3, window_size=10, conv_kwargs={"shift": False})
    ax = sx.plot.bank(basis, log=True)
    assert ax.get_xscale() == "log" and ax.lines[0].get_xdata().tolist() == list(range(1, 10))
    with pytest.raises(sx.Error, match="log=False"):
        sx.plot.bank(sx.HistoryConv(1, conv_kwargs={"shift": False}), log=True)


def test_axes_of_the_caller_are_drawn_on():
    figure, given = plt.subplots()
    assert sx.plot.bank(BASIS, ax=given) is given and len(plt.get_fignums()) == 1
    for wrong in (plt.subplots(1, 2)[1], "ax", 3):
        with pytest.raises(TypeError, match="axes of matplotlib"):
            sx.plot.bank(BASIS, ax=wrong)


# ---- features
def test_features_are_an_image_over_time():
    values = sx.convolve(np.random.default_rng(1).poisson(0.3, (200, 3)), BASIS)
    ax = sx.plot.features(values, bin_size=0.01, names=[7, 3, 9])
    image = ax.collections[0].get_array()
    assert image.shape == (12, 200) and image.mask[:, :30].all() and not image.mask[:, 30:].any()
    same(image[:, 30:], values.reshape(200, 12)[30:].T, 1e-6)
    assert ax.get_xlabel() == "time (s)" and texts(ax.get_yticklabels()) == ["unit 7", "unit 3", "unit 9"]
    same(ax.collections[0].get_coordinates()[0, [0, -1], 0], [-0.005, 1.995], 1e-12)
    assert ax.figure.axes[1].get_ylabel() == "feature"


def test_signed_features_are_white_at_0():
    ax = sx.plot.features(np.array([[-1.0, 3.0], [0.0, np.nan]]))
    assert ax.collections[0].get_clim() == (-3.0, 3.0)
    assert ax.get_xlabel() == "sample" and texts(ax.get_yticklabels()) == ["column 0", "column 1"]


def test_features_of_pynapple_have_their_times(nap):
    tsd = nap.TsdFrame(t=5 + np.arange(100) / 10, d=np.random.default_rng(2).normal(size=(100, 2)))
    ax = sx.plot.features(sx.convolve(tsd, BASIS))
    assert ax.get_xlabel() == "time (s)"
    same(ax.collections[0].get_coordinates()[0, [0, -1], 0], [4.95, 14.95], 1e-9)


def test_features_refuse():
    wrong: list[tuple[Any, dict[str, Any], str]] = [
        (np.ones(5), {}, "rows, units, bases"), (np.ones((0, 2)), {}, "at least one row"),
        (np.ones((5, 2)), {"t": np.arange(4)}, "one time in seconds"),
        (np.ones((5, 2)), {"t": np.arange(5)[::-1]}, "ascending"),
        (np.ones((5, 2)), {"t": np.arange(5), "bin_size": 1.0}, "one of them"),
        (np.ones((5, 2)), {"bin_size": 0.0}, "above 0"), (np.ones((5, 2)), {"names": ["a"]}, "one for each")]
    for values, words, says in wrong:
        with pytest.raises(sx.Error, match=says):
            sx.plot.features(values, **words)


# ---- spikes
def test_raster_has_a_row_for_each_unit():
    ax = sx.plot.raster({12: [0.1, 0.4, 2.0], 3: [0.2]}, start=0.0, stop=1.0)
    assert [line.get_xdata().tolist() for line in ax.lines] == [[0.1, 0.4], [0.2]]
    assert [set(line.get_ydata()) for line in ax.lines] == [{0.0}, {1.0}]
    assert ax.get_xlabel() == "time (s)" and texts(ax.get_yticklabels()) == ["unit 12", "unit 3"]
    assert ax.get_ylim() == (1.5, -0.5) and ax.get_xlim() == (0.0, 1.0)


def test_raster_of_events_keeps_their_intervals():
    events = sx.Events([[0.1, 1.5, 2.2], [0.3, 2.9]], bin_size=0.1, epochs=[[0.0, 1.0], [2.0, 2.5]])
    assert [line.get_xdata().tolist() for line in sx.plot.raster(events).lines] == [[0.1, 2.2], [0.3]]


def test_raster_of_pynapple(nap):
    group = nap.TsGroup({5: nap.Ts([1.0, 2.0]), 8: nap.Ts([1.2, 1.5])})
    ax = sx.plot.raster(group)
    assert texts(ax.get_yticklabels()) == ["unit 5", "unit 8"] and ax.lines[0].get_xdata().tolist() == [1.0, 2.0]


def test_raster_refuses():
    with pytest.raises(sx.Error, match="start below stop"):
        sx.plot.raster([[0.1]], start=2.0, stop=1.0)
    with pytest.raises(sx.Error, match="matrix"):
        sx.plot.raster(np.ones((3, 2)))


# ---- filters of models
def test_coupling_draws_the_filters(fitted):
    _, _, model = fitted
    ax = sx.plot.coupling(model, BASIS, target=1, bin_size=0.001)
    taps = np.asarray(sx.FilterBank(BASIS.evaluate_on_grid(30)[-1]).taps)
    for i, line in enumerate(ax.lines[:2]):
        same(line.get_ydata(), taps @ model.coef_[4 * i : 4 * i + 4, 1], 1e-6)
        same(line.get_xdata(), np.arange(1.0, 31.0), 1e-12)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("lag (ms)", "filter weight (log rate)", "to unit 1")
    assert texts(ax.get_legend().get_texts()) == ["from unit 0", "from unit 1"]
    assert "independent" in ax.texts[0].get_text()
    ax = sx.plot.coupling(model, BASIS, target=1, sources=[1], names=[20, 30], errors=False)
    assert not ax.collections and not ax.texts and texts(ax.get_legend().get_texts()) == ["from unit 30"]


def test_errors_are_those_of_the_observed_information(fitted):
    """With one tap for each basis a filter's errors are those of the coefficients, which the library computes on its own."""
    counts = fitted[0]
    history = sx.HistoryConv(5)
    for model, y in ((sx.PopulationGLM("Poisson", regularizer="Ridge", regularizer_strength=1e-3, standard_errors=True), counts),
                     (sx.PopulationGLM("Bernoulli", standard_errors=True), np.minimum(counts, 1)),
                     (sx.PopulationGLM("Gaussian", standard_errors=True), counts.astype(float)),
                     (sx.PopulationGLM("Gaussian", regularizer="Ridge", regularizer_strength=1e-2, standard_errors=True), counts.astype(float))):
        design = sx.Design(history, counts)
        model.fit(design, y)
        found = sx.plot.filter_errors(model, history, design)
        same(found.transpose(1, 0, 2).reshape(10, 2), model.standard_errors_[:-1], 1e-5)


def test_errors_take_overlapping_bases_as_they_are(fitted):
    counts, design, model = fitted
    found = sx.plot.filter_errors(model, BASIS, design)
    X = np.column_stack([np.asarray(sx.convolve(counts, BASIS)).reshape(len(counts), -1), np.ones(len(counts))])
    X = X[np.isfinite(X).all(axis=1)].astype(float)
    taps = np.asarray(BASIS.evaluate_on_grid(30)[-1])
    for j in range(2):
        mu = np.exp(X @ np.append(model.coef_[:, j], model.intercept_[j]))
        covariance = np.linalg.inv(X.T @ (mu[:, None] * X) + len(X) * 1e-4 * np.diag([1.0] * 8 + [0.0]))
        for i in range(2):
            part = covariance[4 * i : 4 * i + 4, 4 * i : 4 * i + 4]
            same(found[:, i, j], np.sqrt(np.einsum("tb,bc,tc->t", taps, part, taps)), 1e-5)
    single = sx.GLM(regularizer="Ridge", regularizer_strength=1e-4).fit(design, counts[:, 1])
    same(sx.plot.filter_errors(single, BASIS, design), found[:, :, 1], 1e-4)
    in_memory = np.asarray(sx.convolve(counts, BASIS)).reshape(len(counts), -1)
    same(sx.plot.filter_errors(single, BASIS, in_memory), found[:, :, 1], 1e-4)


def test_bands_are_two_errors_wide(fitted):
    counts, design, model = fitted
    errors = sx.plot.filter_errors(model, BASIS, design)
    ax = sx.plot.coupling(model, BASIS, target=1, errors=errors)
    for i, band in enumerate(bands_of(ax)):
        line = ax.lines[i].get_ydata()
        same(band, np.stack([line - 2 * errors[:, i, 1], line + 2 * errors[:, i, 1]], 1), 1e-9)
    assert ax.texts[0].get_text() == "± 2 standard errors"
    folds = [sx.PopulationGLM(regularizer="Ridge", regularizer_strength=1e-4).fit(sx.Design(BASIS, part), part)
             for part in np.split(counts, 3)]
    ax = sx.plot.coupling(model, BASIS, target=0, errors=folds)
    taps = np.asarray(BASIS.evaluate_on_grid(30)[-1])
    spread = np.std([taps @ fold.coef_[:4, 0] for fold in folds], axis=0, ddof=1)
    same(np.diff(bands_of(ax)[0])[:, 0], 4 * spread, 1e-6)
    assert ax.texts[0].get_text() == "± 2 standard deviations of 3 fits"


def test_a_grid_has_shared_scales(fitted):
    _, design, model = fitted
    axes = sx.plot.coupling_grid(model, BASIS, errors=sx.plot.filter_errors(model, BASIS, design), bin_size=0.001, names=[4, 9])
    assert axes.shape == (2, 2) and len({ax.get_ylim() for ax in axes.flat}) == 1
    assert axes[1, 0].get_title() == "from unit 4 to unit 9"
    taps = np.asarray(BASIS.evaluate_on_grid(30)[-1])
    same(axes[1, 0].lines[0].get_ydata(), taps @ model.coef_[:4, 1], 1e-6)
    assert (axes[1, 0].get_xlabel(), axes[0, 0].get_xlabel()) == ("lag (ms)", "")
    assert (axes[0, 0].get_ylabel(), axes[0, 1].get_ylabel()) == ("filter weight (log rate)", "")
    for wrong in (plt.subplots(1, 2)[1], plt.subplots()[1]):
        with pytest.raises(sx.Error, match=r"\(2, 2\)"):
            sx.plot.coupling_grid(model, BASIS, axes=wrong)
    with pytest.raises(sx.Error, match="400 pairs"):
        sx.plot.coupling_grid(np.ones((80, 20)), BASIS)


def test_coupling_of_many_units_has_a_color_bar():
    ax = sx.plot.coupling(np.random.default_rng(0).normal(size=(48, 12)), BASIS, target=3, names=range(100, 112))
    assert ax.get_legend() is None and ax.get_ylabel() == "filter weight" and ax.get_title() == "to unit 103"
    bar = ax.figure.axes[1]
    assert bar.get_ylabel() == "unit" and texts(bar.get_yticklabels())[0] == "100"


def test_coupling_refuses(fitted):
    counts, design, model = fitted
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"target": 2}, "0 to 1"), ({"sources": [5]}, "0 to 1"), ({"names": [1]}, "one for each"),
        ({"errors": np.ones((30, 3))}, "window, sources, targets"), ({"errors": -np.ones((30, 2))}, "at least 0"),
        ({"errors": [model]}, "two or more"), ({"bin_size": -1}, "above 0")]
    for words, says in wrong:
        with pytest.raises(sx.Error, match=says):
            sx.plot.coupling(model, BASIS, **words)
    with pytest.raises(sx.Error, match="not fitted"):
        sx.plot.coupling(sx.PopulationGLM(), BASIS)
    with pytest.raises(sx.Error, match="split_by_feature"):
        sx.plot.coupling(model, sx.HistoryConv(3))
    for other, says in ((sx.PopulationGLM(inverse_link_function="softplus"), "softplus"), (sx.PopulationGLM(regularizer="Lasso"), "lasso"),
                        (sx.PopulationGLM(fit_intercept=False), "fit_intercept=True")):
        other.fit(design, counts)
        with pytest.raises(sx.Error, match=says):
            sx.plot.filter_errors(other, BASIS, design)
    with pytest.raises(TypeError, match="not a GLM"):
        sx.plot.filter_errors(np.ones((8, 2)), BASIS, design)


# ---- predictions, scores, plans
def test_fit_draws_means_in_spikes_a_second():
    counts = np.arange(10.0)
    predicted = np.full(10, 2.0)
    predicted[:2] = np.nan                                       # the border of the window: no data of it is averaged either
    ax = sx.plot.fit(counts, predicted, bin_size=0.1, width=0.5, name="unit 6")
    line = ax.lines[0]
    same(line.get_xdata(), [0.2, 0.7], 1e-12)
    same(line.get_ydata(), [20.0, 20.0], 1e-12)
    data = ax.patches[0].get_data()
    same(data.values, [np.mean([2, 3, 4]) / 0.1, np.mean([5, 6, 7, 8, 9]) / 0.1], 1e-12)
    same(data.edges, [-0.05, 0.45, 0.95], 1e-12)
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("time (s)", "rate (spikes/s)", "unit 6")
    assert texts(ax.get_legend().get_texts()) == ["data", "model"] and ax.texts[0].get_text() == "means over 0.5 s"


def test_fit_of_a_model(fitted):
    counts, design, model = fitted
    ax = sx.plot.fit(counts[:, 0], model.predict(design)[:, 0], bin_size=0.001)
    assert len(ax.lines[0].get_xdata()) == 200
    same(np.nanmean(ax.lines[0].get_ydata()), counts[30:, 0].mean() * 1000, 0.1)
    for first, second, says in ((counts, counts, "of one unit"), (counts[:, 0], counts[:5, 0], "one value for each row")):
        with pytest.raises(sx.Error, match=says):
            sx.plot.fit(first, second, bin_size=0.001)
    with pytest.raises(sx.Error, match="above 0"):
        sx.plot.fit(counts[:, 0], counts[:, 0], bin_size=0)


def test_learning_curve_draws_the_folds(fitted):
    counts, design, _ = fitted
    model = sx.CrossValidation(n_strengths=5, cv=3).fit(design, counts)
    ax = sx.plot.learning_curve(model, target=1)
    assert ax.get_xscale() == "log" and ax.xaxis_inverted()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("penalty strength", "deviance (mean of folds)")
    strengths = model.strengths_[:, 1] if model.strengths_.ndim == 2 else model.strengths_
    drawn = [line for line in ax.lines if len(line.get_ydata()) == 5]
    assert len(drawn) >= 4                                       # and the ends of error bars
    for k in range(3):
        same(drawn[k].get_ydata(), model.scores_[k, :, 1], 1e-12)
    same(drawn[3].get_ydata(), model.mean_score_[:, 1], 1e-12)
    same(drawn[3].get_xdata(), strengths, 1e-12)
    assert f"chosen: {strengths[model.best_index_[1]]:.3g}" in texts(ax.get_legend().get_texts())
    with pytest.raises(sx.Error, match="0 to 1"):
        sx.plot.learning_curve(model, target=2)
    with pytest.raises(sx.Error, match="not fitted"):
        sx.plot.learning_curve(sx.CrossValidation())
    with pytest.raises(sx.Error, match="has no scores"):
        sx.plot.learning_curve(sx.GLM())


def test_learning_curve_of_numbers():
    ax = sx.plot.learning_curve([1, 2, 3], [3.0, 2.0, 1.5], ylabel="mean loss")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("iteration", "mean loss")
    assert ax.lines[0].get_ydata().tolist() == [3.0, 2.0, 1.5]
    with pytest.raises(sx.Error, match="one score for each"):
        sx.plot.learning_curve([1, 2, 3], [1.0])


def test_plan_draws_each_block():
    plan = sx.explain_file(np.ones((50_000, 6), np.int16), BASIS, np.empty((50_000, 6, 4), np.float32), budget="512KiB")
    rows, channels, _ = plan["block"]
    ax = sx.plot.plan(plan)
    order = ax.collections[0].get_array()
    assert order.shape == (-(-6 // channels), -(-50_000 // rows)) and order.min() == 1 and order.max() == order.size > 1
    same(ax.collections[0].get_coordinates()[0, [0, 1, -1], 0], [0, rows, 50_000], 0)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("row", "channel") and f"{plan['blocks']:,} blocks" in ax.get_title()
    assert sx.plot.plan(plan, bin_size=0.001).get_xlabel() == "time (s)"
    with pytest.raises(TypeError, match="explain_file"):
        sx.plot.plan(sx.explain(np.ones((100, 2)), BASIS))


def test_without_matplotlib_one_sentence_says_so():
    code = "import sys; sys.modules['matplotlib'] = None\nimport synelix as sx\nsx.plot.bank\nsx.plot.bank([[1.0], [2.0]])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert "ImportError: synelix.plot: matplotlib is not installed. Install it: pip install 'synelix[plot]'" in done.stderr


def test_matplotlib_is_imported_late():
    code = "import sys, synelix as sx; sx.plot; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "False"


def test_the_coefficients_of_a_term_are_drawn(rng):
    """The calls that the help of coupling names, for several targets and for one."""
    counts = rng.poisson(0.3, (500, 2)).astype(float)
    both = sx.RaisedCosineLogConv(3, window_size=10, label="history") + sx.HistoryConv(2, label="other")
    basis, design = sx.RaisedCosineLogConv(3, window_size=10), sx.Design(both, counts, counts)
    many = sx.PopulationGLM(regularizer="Ridge").fit(design, counts)
    part = design.split_by_feature(many.coef_)["history"]
    assert part.shape == (2, 3, 2)
    axes = sx.plot.coupling(part, basis, target=1)
    np.testing.assert_allclose(axes.lines[0].get_ydata(), basis.kernel_ @ many.coef_[:3, 1])
    one = sx.GLM(regularizer="Ridge").fit(design, counts[:, 0])
    axes = sx.plot.coupling(design.split_by_feature(one.coef_)["history"].ravel(), basis)
    np.testing.assert_allclose(axes.lines[1].get_ydata(), basis.kernel_ @ one.coef_[3:6])
    assert len(axes.lines) == 3
