# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lines that users write, with their types, and lines that the types refuse. test_types.py checks and runs this file."""

from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import synelix as sx

Array = np.ndarray[Any, np.dtype[Any]]
Floats = np.ndarray[Any, np.dtype[np.float64]]


def right_uses() -> None:
    x: NDArray[np.float32] = np.ones((100, 2), np.float32)
    out: NDArray[np.float32] = np.empty((100, 2, 5), np.float32)
    basis = sx.BSplineConv(5, window_size=10, conv_kwargs={"predictor_causality": "causal"})
    assert_type(basis.kernel_, Floats)
    assert_type(sx.convolve(x, basis, budget="64MiB", method="direct"), Array)
    assert_type(sx.convolve(x, basis, out=out), NDArray[np.float32])
    assert_type(sx.convolve([x, x], basis), list[Array])
    assert_type(sx.explain(x, basis), sx.Explanation)
    plan = sx.ConvolvePlan(x, basis)
    assert_type(plan.run(x), Array)
    assert_type(plan.run(x, out), NDArray[np.float32])
    stream = sx.ConvolveStream(basis, channels=2, longest=100)
    assert_type(stream.push(x), Array)
    both = basis + 2 * sx.MSplineEval(6) * sx.RaisedCosineLinearEval(4)
    assert_type(both, sx.AdditiveBasis)
    assert_type(both.n_output_features, int | None)
    assert_type(basis.compute_features(x), Array)
    assert_type(basis.split_by_feature(basis.compute_features(x)), dict[str, Array])
    assert_type(basis.set_input_shape(2), sx.BSplineConv)
    spikes = sx.Events([[0.1, 0.2], [0.3]], bin_size=0.01, epochs=[[0.0, 1.0]])
    assert_type(spikes.shape, tuple[int, int])
    design = sx.Design(basis, spikes, keep="nothing")
    assert_type(design @ np.ones(10), Floats)
    assert_type(design.valid_rows(), list[tuple[int, int]])
    counts = np.arange(100) // 10
    model = sx.PopulationGLM(regularizer="Ridge", regularizer_strength=0.1).fit(design, np.column_stack([counts, counts]))
    assert_type(model, sx.PopulationGLM)
    assert_type(sx.GLM().fit(design, counts, progress=True), sx.GLM)
    assert_type(model.coef_, Floats)
    assert_type(model.score(design, np.column_stack([counts, counts])), float)
    path = sx.Path(n_strengths=3).fit(design, counts)
    assert_type(path.coef_path_, Floats)
    assert_type(path.model(0), sx.GLM)
    assert_type(sx.CrossValidation(n_strengths=3, cv=2).fit(design, counts).scores_, Floats)
    assert_type(sx.matmul(np.ones((3, 4)), np.ones((4, 2))), Array)
    assert_type(sx.conv2d(np.ones((1, 2, 8, 8)), np.ones((4, 2, 3, 3)), stride=(1, 2), padding="valid"), Array)
    assert_type(sx.convolve_file(x, basis, np.empty((100, 2, 5), np.float32), progress=lambda done, total: None), sx.Explanation)
    assert_type(sx.get_num_threads(), int)
    machine = sx.Machine("plain", {"multiply_add": 0.5})
    assert_type(machine.nanoseconds["run"], float)
    assert_type(sx.convolve(x, basis, machine=machine), Array)


def wrong_uses(x: Array, basis: sx.BSplineConv) -> None:
    sx.convolve(x, basis, causality="sideways")  # type: ignore[call-overload]  # pyright: ignore
    sx.convolve(x, basis, budgett=3)  # type: ignore[call-overload]  # pyright: ignore
    sx.BSplineConv("5", window_size=10)  # type: ignore[arg-type]  # pyright: ignore
    sx.BSplineConv(5, window_size=10, width=2.0)  # type: ignore[call-arg]  # pyright: ignore
    sx.Design(x)  # type: ignore[arg-type]  # pyright: ignore
    sx.Design(basis, x, keep="all")  # type: ignore[arg-type]  # pyright: ignore
    sx.GLM().score(x, x, "r2")  # type: ignore[arg-type]  # pyright: ignore
    sx.ConvolveStream(basis, channels=2)  # type: ignore[call-arg]  # pyright: ignore
    sx.set_num_threads("2")  # type: ignore[arg-type]  # pyright: ignore
    sx.conv2d(x, x, padding="more")  # type: ignore[arg-type]  # pyright: ignore
