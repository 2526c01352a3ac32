# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that an installed package computes: convolution, LAPACK, a fit, and the error of a missing file.

Needs NumPy and scikit-learn.
"""

import importlib.metadata
import sys
import tempfile
from pathlib import Path

import numpy as np

import synelix as sx

assert importlib.metadata.version("synelix") == sx.__version__, (importlib.metadata.version("synelix"), sx.__version__)
counts = np.random.default_rng(0).poisson(0.1, (5000, 3)).astype(np.float64)
basis = sx.RaisedCosineLogConv(n_basis_funcs=4, window_size=20)
features = basis.compute_features(counts)
taps = np.asarray(basis.kernel_)
want = np.full((5000, 3, 4), np.nan)
for c in range(3):
    for b in range(4):
        want[20:, c, b] = np.convolve(counts[:-1, c], taps[:, b], "valid")
np.testing.assert_allclose(features.reshape(5000, 3, 4), want, atol=1e-12)
sx.OrthExponentialConv(n_basis_funcs=3, window_size=20, decay_rates=[0.1, 0.2, 0.4]).compute_features(counts)
a, b = np.random.default_rng(1).normal(size=(2, 300, 300))
np.testing.assert_allclose(sx.matmul(a, b), a @ b, atol=1e-11)
model = sx.PopulationGLM(regularizer="Ridge", regularizer_strength=1e-3).fit(features, counts)
assert np.isfinite(model.coef_).all()
with tempfile.TemporaryDirectory() as folder:
    try:
        sx.convolve_file(str(Path(folder) / "missing.h5") + ":/x", str(Path(folder) / "out.h5") + ":/y", basis)
    except sx.FileError as error:
        assert "missing.h5" in str(error), error
    else:
        raise AssertionError("a missing file is an error")
print(f"synelix {sx.__version__} computes in Python {sys.version.split()[0]} with NumPy {np.__version__}: "
      f"{sx.__file__}")
