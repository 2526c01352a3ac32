# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Coupling filters of a population
================================

Two neurons fire at random, and a third one is excited by the first and inhibited by the second. A model of all three
finds these filters from their spikes. No matrix of features is stored.
"""

import matplotlib.pyplot as plt
import numpy as np
import synelix as sx

# %%
# The third neuron fires more often 3 to 10 ms after the first, and less often after the second.

rng = np.random.default_rng(3)
samples, bin_size = 400_000, 0.001
drive = rng.random((samples, 2)) < 0.01
lags = np.arange(1, 51)
excited = 1.2 * np.exp(-(((lags - 6) / 3) ** 2))
inhibited = -2.0 * np.exp(-lags / 12)
log_rate = np.log(0.01) + np.convolve(drive[:, 0], np.r_[0, excited])[:samples] + np.convolve(
    drive[:, 1], np.r_[0, inhibited])[:samples]
third = rng.random(samples) < np.exp(log_rate)
times = [np.flatnonzero(spikes) * bin_size + bin_size / 2 for spikes in (*drive.T, third)]

# %%
# `synelix.Events` stores only the spikes, and `synelix.Design` computes features of a few rows at a time.

events = sx.Events(times, bin_size=bin_size, epochs=[[0.0, samples * bin_size]])
basis = sx.RaisedCosineLogConv(n_basis_funcs=7, window_size=50)
design = sx.Design(basis, events)
model = sx.PopulationGLM(regularizer="Ridge", regularizer_strength=1e-6, standard_errors=True).fit(design, events)

# %%
# Coefficients times kernels are the filters. A filter says how a spike of the neuron of its row changes the log
# rate of the neuron of its column.

kernels = np.asarray(basis.kernel_)
filters = np.einsum("tb,ibj->itj", kernels, model.coef_.reshape(3, -1, 3))
figure, axes = plt.subplots(3, 3, figsize=(8, 6), sharex=True, sharey=True, layout="constrained")
for source in range(3):
    for target in range(3):
        axis = axes[source, target]
        axis.axhline(0, color="0.8", linewidth=0.8)
        axis.plot(lags, filters[source, :, target])
        axis.set_title(f"{source} to {target}", fontsize=9)
axes[0, 2].plot(lags, excited, "k--", linewidth=0.8, label="true")
axes[1, 2].plot(lags, inhibited, "k--", linewidth=0.8)
axes[0, 2].legend(fontsize=8)
axes[2, 1].set_xlabel("ms after the spike")
plt.show()
