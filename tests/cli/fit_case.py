# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of the tests of fit, predict and score: a recording, a design, and models found by numpy."""
import h5py
import numpy as np

from tool import ToolCase

DESIGN = """
[inputs.spikes]
data = "in.h5:/x"
[inputs.position]
data = "position.h5:/x"
[bases.coupling]
type = "raised-cosine-log"
bases = 4
window = 20
[bases.place]
type = "bspline"
mode = "eval"
bases = 5
bounds = [0, 1]
[[terms]]
name = "coupling"
input = "spikes"
basis = "coupling"
[[terms]]
name = "place"
input = "position"
basis = "place"
"""
COLUMNS = 3 * 4 + 5
SAMPLES = 3000


def newton(features, targets, ridge=0.0, weights=None):
    """Coefficients and intercept of the Poisson model with exp, to rounding, and standard errors."""
    rows = np.isfinite(features).all(1) & np.isfinite(targets)
    if weights is not None:
        rows &= weights > 0
    x = np.column_stack([features[rows].astype(float), np.ones(rows.sum())])
    y = targets[rows].astype(float)
    penalty = np.full(x.shape[1], ridge)
    penalty[-1] = 0
    b = np.zeros(x.shape[1])
    b[-1] = np.log(y.mean())
    for _ in range(100):
        mu = np.exp(x @ b)
        gradient = x.T @ (mu - y) / len(y) + penalty * b
        hessian = (x.T * mu) @ x / len(y) + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        b -= step
        if np.abs(step).max() < 1e-13:
            break
    return b, np.sqrt(np.diag(np.linalg.inv(hessian * len(y))))


class FitCase(ToolCase):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(3)
        self.counts(SAMPLES, 3)
        place = (np.sin(np.arange(SAMPLES) / 90) + 1) / 2
        self.write("position.h5", values=place, rate=1000.0)
        self.make_design()
        self.tool("features", "design.toml", "columns.h5:/f", "--type", "float", "-O")
        self.columns = self.read("columns.h5:/f")
        self.truth = random.normal(size=(COLUMNS, 2)) * 0.2
        eta = np.nan_to_num(self.columns) @ self.truth - 1
        self.targets = random.poisson(np.exp(eta)).astype(np.uint8)
        self.write("y.h5", "y", values=self.targets, rate=1000.0)

    def make_design(self, more="", name="design.toml"):
        (self.folder / name).write_text(DESIGN + more)
        return name

    def fit(self, *words, out="m.h5", target=("--target", "y.h5:/y"), code=0, **options):
        return self.tool("fit", "design.toml", out, *target, *words, code=code, **options)

    def model(self, name="m.h5"):
        """All datasets and attributes of a file, by name."""
        found = {}
        with h5py.File(self.folder / name) as file:
            file.visititems(lambda path, item: found.update({path: item[...]})
                            if isinstance(item, h5py.Dataset) else None)
            found.update({"@" + key: value for key, value in file.attrs.items()})
        return found

    def assert_same_bits(self, one, other):
        """Models with the same bytes, except for the records of how they were made."""
        self.assertEqual(one.keys(), other.keys())
        for name, values in one.items():
            if name in ("@history",):
                continue
            np.testing.assert_array_equal(np.asarray(values).tobytes(),
                                          np.asarray(other[name]).tobytes(), err_msg=name)
