# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes fit_operators.h5: products with designs that need not be stored, from explicit NumPy loops in float64.

    python make_fit_operators.py [fit_operators.h5] [--seed N]

    /CASE  attributes: kind (dense | conv | events | eval | product | sum), causality, shift, window, bases, note
        features     (rows, columns) the design, NaN where a window leaves its epoch or a value is missing
        valid        (rows) 1 where no column is NaN
        b, xb        coefficients (columns, R); features @ b, NaN in rows that are not valid
        r, xtr       (rows, R), NaN in some rows that are not valid; sum over valid rows of features' r
        d, xtdx      weights (rows) >= 0, some 0; X' diag(d) X over valid rows, with a last column and row of the intercept
        gram         X' X over valid rows, likewise with the intercept
        column_sums, column_square_sums   over valid rows
        evaluate_*   at b[:, 0] and intercept -0.5, Poisson exp, target y: mean loss, gradient (columns + 1), Hessian
      inputs: series (rows, channels) of conv and eval; sample, channel, count, of events; taps (window, bases); epochs (n, 2);
              bounds of eval; folds (rows) with fold_xtr, fold_gram (folds, ...): sums over the valid rows of each fold
Compare with float64: rtol 1e-12 of the largest value of the array; float32 features: 2e-6 of it.
"""
import sys
import numpy as np, h5py
from scipy.interpolate import BSpline as SciB

out = next((a for a in sys.argv[1:] if a.endswith(".h5")), "fit_operators.h5")
seed = int(sys.argv[sys.argv.index("--seed") + 1]) if "--seed" in sys.argv else 4711
rng = np.random.default_rng(seed)
f = h5py.File(out, "w")
f.attrs["seed"] = seed

def rcl(W, K, width=2.0, a=50.0):
    u = np.arange(W) / (W - 1) if W > 1 else np.zeros(1)
    s = np.log1p(a * u) / np.log1p(a); L = 1 - width / (K + width - 1)
    return 0.5 * (1 + np.cos(np.clip(np.pi * (s[:, None] - np.arange(K) * L / (K - 1)) / (L / (K - 1) * width), -np.pi, np.pi)))

def conv(x, taps, o, epochs):
    """features(t, c K + k) = sum_w taps[w, k] x[t + o - w, c] inside epochs, else NaN; gaps between epochs NaN."""
    n, C = x.shape; W, K = taps.shape
    F = np.full((n, C * K), np.nan)
    for a, b in epochs:
        for t in range(a, b):
            if a <= t + o - (W - 1) and t + o < b:
                F[t] = (x[t + o - W + 1 : t + o + 1][::-1].T @ taps).ravel()
    return F

def offset(causality, shift, W):
    return {"causal": -1 if shift else 0, "anti-causal": W if shift else W - 1, "acausal": W // 2}[causality]

def bspline(x, K, bounds, order=4):
    top = 1 + np.finfo(float).eps
    t = np.r_[[0.0] * order, top * np.arange(1, K - order + 1) / (K - order + 1), [top] * order]
    u = (x - bounds[0]) / (bounds[1] - bounds[0])
    F = np.full((len(x), K), np.nan)
    ok = np.isfinite(u) & (u >= 0) & (u <= 1)
    F[ok] = SciB.design_matrix(np.minimum(u[ok], 1.0), t, order - 1).toarray()
    return F

def case(name, F, R=3, note="", arrays=None, **attrs):
    g = f.create_group(name); n, p = F.shape
    for k, v in (arrays or {}).items(): g.create_dataset(k, data=v)
    g.attrs.update(note=note, **attrs)
    valid = np.isfinite(F).all(1)
    b, r = rng.normal(size=(p, R)) * 0.2, rng.normal(size=(n, R))
    bad = np.flatnonzero(~valid); r[bad[::2]] = np.nan
    d = rng.random(n) * (rng.random(n) < 0.9)
    y = rng.poisson(0.4, size=n).astype(float)
    X, X1 = F[valid], np.c_[F[valid], np.ones(valid.sum())]
    xb = np.full((n, R), np.nan); xb[valid] = X @ b
    folds = np.minimum(np.arange(n) * 3 // n, 2).astype(np.uint8)
    e = X @ b[:, 0] - 0.5; m = np.exp(e); N = len(X)
    for k, v in dict(features=F, valid=valid.astype(np.uint8), b=b, xb=xb, r=r, xtr=X.T @ r[valid], d=d, xtdx=(X1.T * d[valid]) @ X1, gram=X1.T @ X1,
                     column_sums=X.sum(0), column_square_sums=(X**2).sum(0), y=y.astype(np.uint8), evaluate_loss=np.mean(m - y[valid] * e),
                     evaluate_gradient=X1.T @ (m - y[valid]) / N, evaluate_hessian=(X1.T * m) @ X1 / N, folds=folds,
                     fold_xtr=np.array([X[folds[valid] == k].T @ r[valid][folds[valid] == k] for k in range(3)]),
                     fold_gram=np.array([X1[folds[valid] == k].T @ X1[folds[valid] == k] for k in range(3)])).items():
        g.create_dataset(k, data=v, compression="gzip" if np.size(v) > 500 else None, shuffle=True if np.size(v) > 500 else None)
    print(f"{name:36s} rows {n} valid {valid.sum()} columns {p}")

# dense
F = rng.normal(size=(180, 9)); case("dense", F, kind="dense")
F = F.copy(); F[[3, 77], [2, 8]] = np.nan; F[120, 0] = np.inf; case("dense_missing", F, kind="dense", note="NaN and Inf entries: their rows are left out")
case("dense_one_column", rng.normal(size=(33, 1)), kind="dense"); case("dense_wide", rng.normal(size=(20, 37)), kind="dense", note="more columns than rows")
Fz = rng.normal(size=(60, 5)); Fz[:, 2] = 0; Fz[:, 4] = Fz[:, 1]; case("dense_deficient", Fz, kind="dense", note="a column of zeros, two equal columns")
# conv of series
for nm, ca, sh, W, K, C, ep in (("conv", "causal", True, 12, 3, 4, [[0, 160]]), ("conv_epochs", "causal", True, 12, 3, 4, [[0, 50], [50, 57], [70, 160]]), ("conv_acausal", "acausal", False, 9, 2, 3, [[0, 100], [100, 160]]), ("conv_anti_causal", "anti-causal", True, 7, 3, 2, [[0, 160]]), ("conv_unshifted", "causal", False, 7, 3, 2, [[0, 160]]), ("conv_window_one", "causal", True, 1, 2, 5, [[0, 90], [90, 160]])):
    x = rng.normal(size=(160, C)); taps = rcl(W, K) if W > 1 else rng.normal(size=(1, K)); ep = np.array(ep)
    xg = x.copy()
    case(nm, conv(xg, taps, offset(ca, sh, W), ep), kind="conv", causality=ca, shift=int(sh), window=W, bases=K, arrays=dict(series=x, taps=taps, epochs=ep))
x = rng.normal(size=(160, 3)); x[41, 1] = np.nan; taps = rcl(10, 3)
case("conv_missing", conv(x, taps, -1, [[0, 160]]), kind="conv", causality="causal", shift=1, window=10, bases=3, note="a NaN sample: the rows whose windows hold it are left out", arrays=dict(series=x, taps=taps, epochs=np.array([[0, 160]])))
# events
for nm, N, T, W, K, rate, ep, ca in (("events", 5, 900, 25, 4, 0.04, [[0, 900]], "causal"), ("events_epochs", 4, 900, 25, 4, 0.06, [[3, 300], [310, 330], [400, 650], [650, 900]], "causal"), ("events_silent", 4, 300, 20, 3, 0.05, [[0, 300]], "causal"), ("events_acausal", 3, 400, 21, 3, 0.05, [[0, 200], [200, 400]], "acausal"), ("events_busy", 3, 300, 15, 3, 0.9, [[0, 300]], "causal"), ("events_history", 2, 300, 6, 6, 0.2, [[0, 300]], "causal")):
    c = (rng.random((T, N)) < rate) * rng.integers(1, 4, size=(T, N)); ep = np.array(ep)
    if nm == "events_silent": c[:, 2] = 0
    t, ch = np.nonzero(c); taps = np.eye(W) if nm == "events_history" else rcl(W, K)
    case(nm, conv(c.astype(float), taps, offset(ca, ca == "causal", W), ep), kind="events", causality=ca, shift=int(ca == "causal"), window=W, bases=K, channels=N, samples=T, arrays=dict(sample=t.astype(np.int64), channel=ch.astype(np.int32), count=c[t, ch].astype(np.int32), taps=taps, epochs=ep))
# eval, product, sum
pos, sp = np.abs((np.cumsum(rng.normal(size=400) * 0.2) % 4) - 2) / 2, rng.random(400)
pos[7] = np.nan; sp[100] = 1.7
P5, S4 = bspline(pos, 5, (0, 1)), bspline(sp, 4, (0, 1), 3)
case("eval_bspline", P5, kind="eval", note="rows sum to one; NaN sample 7", arrays=dict(series=pos[:, None], bounds=np.array([0.0, 1.0])), order=4, bases=5)
prod = np.einsum("ti,tj->tij", P5, S4).reshape(400, -1)
case("product_bspline_bspline", prod, kind="product", note="column i 4 + j; BSpline(5, order 4) of position times BSpline(4, order 3) of speed; speed leaves its bounds at 100", arrays=dict(series=np.c_[pos, sp], bounds=np.array([[0.0, 1.0], [0.0, 1.0]])))
c = (rng.random((400, 3)) < 0.05) * rng.integers(1, 3, size=(400, 3)); t, ch = np.nonzero(c); taps = rcl(18, 4); ep = np.array([[0, 200], [200, 400]])
E = conv(c.astype(float), taps, -1, ep); x = rng.normal(size=(400, 2)); ser = conv(x, rcl(11, 3), -1, ep)
case("sum_events_conv_product", np.c_[E, ser, prod], kind="sum", note="events (3 units, 4 bases, W 18), series (2 channels, 3 bases, W 11), the product above: columns side by side", window=18, bases=4, channels=3, samples=400,
     arrays=dict(sample=t.astype(np.int64), channel=ch.astype(np.int32), count=c[t, ch].astype(np.int32), taps=taps, series=x, series_taps=rcl(11, 3), epochs=ep, position=pos, speed=sp))
f.close()
