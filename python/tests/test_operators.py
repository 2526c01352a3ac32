# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products, convolutions, gradients and forms, against NumPy and plain loops; streams against the whole."""

import numpy as np
import pytest
from conftest import same

import synelix as sx


def test_matmul(rng):
    a, b = rng.normal(size=(4, 10, 7)), rng.normal(size=(7, 5))
    same(sx.matmul(a, b), a @ b, 1e-12)
    pixels = rng.integers(-128, 127, (50, 30)).astype(np.int8)
    weights = rng.normal(size=(30, 4)).astype(np.float32)
    same(sx.matmul(pixels, weights, scale=1 / 128), (pixels / 128) @ weights, 1e-5)
    out = rng.normal(size=(10, 5))
    want = 2 * a[0] @ b + 0.5 * out
    assert sx.matmul(a[0], b, out=out, alpha=2.0, beta=0.5) is out
    same(out, want, 1e-12)


def test_forms(rng):
    x, y, a = rng.normal(size=(40, 6)), rng.normal(size=(40, 5)), rng.normal(size=(3, 6, 6))
    same(sx.quadratic_forms(x, a[0]), np.einsum("ij,jk,ik->i", x, a[0], x), 1e-12)
    same(sx.quadratic_forms(x, a), np.einsum("ij,mjk,ik->mi", x, a, x), 1e-12)
    same(sx.bilinear_forms(x, a[0, :, :5], y), np.einsum("ij,jk,ik->i", x, a[0, :, :5], y), 1e-12)


def plain(x, w):
    """Sums over the windows of x (batch, channels, ...), one tap at a time."""
    n, space = x.ndim - 2, w.shape[2:]
    size = [s - k + 1 for s, k in zip(x.shape[2:], space)]
    y = np.zeros((x.shape[0], w.shape[0], *size))
    for tap in np.ndindex(*space):
        part = x[(slice(None), slice(None), *(slice(t, t + s) for t, s in zip(tap, size)))]
        y += np.moveaxis(np.tensordot(part, w[(slice(None), slice(None), *tap)], axes=(1, 1)), n + 1, 1)
    return y


@pytest.mark.parametrize("n", [1, 2, 3])
def test_convolutions_and_gradients(rng, n):
    x, w = rng.normal(size=(2, 3, *[6] * n)), rng.normal(size=(4, 3, *[3] * n))
    conv, grad_x, grad_w = (getattr(sx, f"conv{n}d{s}") for s in ("", "_input", "_weight"))
    y = conv(x, w, np.ones(4))
    same(y, plain(x, w) + 1, 1e-12)
    g = rng.normal(size=y.shape)
    dx, dw = rng.normal(size=x.shape), rng.normal(size=w.shape)
    # the adjoint identities: <conv(dx), g> = <dx, grad_x(g)>, and the same of weights
    same(np.vdot(plain(dx, w), g), np.vdot(dx, grad_x(x.shape, w, g)), 1e-11)
    same(np.vdot(plain(x, dw), g), np.vdot(dw, grad_w(x, w.shape, g)), 1e-11)
    same(getattr(sx, f"conv_transpose{n}d")(g, w), grad_x(x.shape, w, g), 1e-12)
    padded = conv(x, w, padding="same")
    assert padded.shape == (2, 4, *[6] * n)
    assert conv(x, w, stride=2, padding=1).shape == (2, 4, *[3] * n)


@pytest.mark.parametrize("call, error, words", [
    (lambda: sx.conv2d(np.zeros((1, 3, 8, 8)), np.zeros((4, 2, 3, 3))), ValueError, "weight: (4, 2, 3, 3) does not match"),
    (lambda: sx.conv2d(np.zeros((1, 3, 8, 8)), np.zeros((4, 3, 3, 3)), striid=2), TypeError, "striid"),  # type: ignore
    (lambda: sx.conv2d(np.zeros((1, 3, 8, 8)), np.zeros((4, 3, 3, 3)), padding="more"), ValueError, "'same', 'valid'"),  # type: ignore
    (lambda: sx.matmul(np.zeros((3, 4)), np.zeros((5, 6))), ValueError, "b: (3, 4) and (5, 6)"),
    (lambda: sx.quadratic_forms(np.zeros((3, 4)), np.zeros((5, 6))), ValueError, "a: (3, 4) and (5, 6)"),
])
def test_refusals(call, error, words):
    with pytest.raises(error) as info:
        call()
    assert words in str(info.value)


@pytest.mark.parametrize("causality", ["causal", "acausal", "anti-causal"])
@pytest.mark.parametrize("lengths", [(50, 7, 0, 43, 20), (1,) * 40])
def test_streams_have_the_rows_of_the_whole(rng, causality, lengths):
    basis = sx.BSplineConv(5, window_size=11)
    x = rng.normal(size=(sum(lengths), 3)).astype(np.float32)
    stream = sx.ConvolveStream(basis, channels=3, longest=50, causality=causality, method="direct")
    rows, first = [], 0
    for length in lengths:
        rows.append(stream.push(x[first : first + length]))
        first += length
    assert stream.samples == len(x)
    rows.append(stream.finish())
    same(np.concatenate(rows), sx.convolve(x, basis, causality=causality, method="direct"))
