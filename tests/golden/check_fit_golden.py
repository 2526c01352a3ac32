# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads fits.h5 (or another file of its layout) and certifies every answer from what the file holds alone: python check_fit_golden.py [fits.h5]"""
import sys
import numpy as np, h5py
from fit_reference import Target
f = h5py.File(sys.argv[1] if len(sys.argv) > 1 else "fits.h5", "r")
worst = 0.0
for name, q in f["fits"].items():
    a = q.attrs
    if a["family"] == "categorical":
        continue
    X = f["designs"][a["design"]]["features"][:]
    y = q["y"][:].astype(float).reshape(len(X), -1)
    c, b, m = q["coef"][:].reshape(X.shape[1], -1), q["intercept"][:], q["feature_mask"][:] if "feature_mask" in q else None
    for j in range(y.shape[1]):
        t = Target(X, y[:, j], a["family"], a["inverse_link"], a["penalty"], q["strength"][()], a.get("ratio", 1.0), q["groups"][:] if "groups" in q else None, a.get("alpha", 1.0), None if m is None else m[:, j])
        k = t.certificate(c[:, j], b[j])["kkt_scale"]
        o = abs(t.objective(c[:, j], b[j]) - q["objective"][j])
        worst = max(worst, k)
        if k > 1e-11 or o > 1e-13:
            print("BAD", name, j, k, o)
print(len(f["fits"]), "fits, worst kkt_scale %.1e" % worst)
