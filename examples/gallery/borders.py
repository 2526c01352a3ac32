# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
Windows and borders
===================

A window is before the sample of a row, around it, or after it. Rows whose window leaves the recording are NaN, unless
`border` says otherwise.
"""

import matplotlib.pyplot as plt
import numpy as np
import synelix as sx

series = np.zeros(120, np.float32)
series[[20, 60, 100]] = 1                                  # three spikes
taps = np.hanning(23)[1:-1, None].astype(np.float32)       # one filter of 21 samples

# %%
# The three sides of a window. A causal feature rises after the spike, and an anti-causal one before it.

figure, axes = plt.subplots(3, 1, figsize=(8, 5), sharex=True, layout="constrained")
for axis, causality in zip(axes, ["causal", "acausal", "anti-causal"]):
    features = sx.convolve(series, taps, causality=causality)
    axis.plot(features[:, 0], label=causality)
    axis.stem(np.flatnonzero(series), np.ones(3), linefmt="0.6", markerfmt=" ", basefmt=" ")
    axis.axvspan(-0.5, np.isfinite(features[:, 0]).argmax() - 0.5, color="0.9")
    axis.legend(loc="upper right")
axes[-1].set_xlabel("sample")
plt.show()

# %%
# With ``border="zero"``, samples outside are zeros. With ``border="valid"``, rows without a whole window are left
# out.

for border in ["nan", "zero", "valid"]:
    features = sx.convolve(series, taps, border=border)
    print(f"{border:6}{features.shape}  NaN: {int(np.isnan(features).sum())}")
