# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
The bases
=========

Each basis is a few filters with one window. A feature is the series convolved with one of the filters. Most bases
cover the window evenly. `synelix.RaisedCosineLogConv` and `synelix.OrthExponentialConv` are finer near the present.
"""

import matplotlib.pyplot as plt
import numpy as np
import synelix as sx

window = 100
bases = {
    "raised cosines": sx.RaisedCosineLinearConv(n_basis_funcs=6, window_size=window),
    "raised cosines of the logarithm": sx.RaisedCosineLogConv(n_basis_funcs=6, window_size=window),
    "B-splines": sx.BSplineConv(n_basis_funcs=6, window_size=window),
    "cyclic B-splines": sx.CyclicBSplineConv(n_basis_funcs=6, window_size=window),
    "M-splines": sx.MSplineConv(n_basis_funcs=6, window_size=window),
    "orthogonal exponentials": sx.OrthExponentialConv(
        n_basis_funcs=4, window_size=window, decay_rates=np.array([1.0, 3.0, 9.0, 27.0])),
}

# %%
# `synelix.Basis.evaluate_on_grid` gives positions inside the window, from 0 to 1, and the values of each filter
# there.

figure, axes = plt.subplots(2, 3, figsize=(10, 5), sharex=True, layout="constrained")
for axis, (name, basis) in zip(axes.flat, bases.items()):
    place, values = basis.evaluate_on_grid(200)
    axis.plot(place * window, values)
    axis.set_title(name, fontsize=10)
for axis in axes[-1]:
    axis.set_xlabel("samples before the present")
plt.show()
