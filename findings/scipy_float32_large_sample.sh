#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# SciPy 1.16.3: of floats, scipy.signal.convolve(method="auto") and choose_conv_method choose by lengths and types alone.
# Where they choose "fft", one large float32 sample spoils outputs whose windows never hold it, without a warning. Related
# report: scipy#22390. Good guess: a row depends on the samples in its window. Prints "holds" while this is so,
# and fails otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet numpy==2.3.5 scipy==1.16.3
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import numpy as np
import scipy.signal

random = np.random.default_rng(0)
x = random.normal(size=60_000).astype(np.float32)
taps = (random.normal(size=400) / 20).astype(np.float32)
far = np.r_[0:29_000, 30_001:59_000]                            # outputs of "valid" that do not see sample 30,000
held = True
for value in (1, 1e6, 1e8, 9.96921e36):
    spoiled = x.copy()
    spoiled[30_000] = value
    exact = scipy.signal.convolve(spoiled.astype(float), taps.astype(float), "valid", method="direct")
    method = scipy.signal.choose_conv_method(spoiled, taps, "valid")
    found = scipy.signal.convolve(spoiled, taps, "valid", method="auto")
    error = np.abs(found - exact)[far].max() / exact[far].std()
    print(f"one sample of {value:g}: method {method}, worst error elsewhere {error:.2g} of their spread")
    held = held and method == "fft" and (value == 1 or not error <= 1e-3)   # or NaN
print("holds" if held else "does not hold any more")
sys.exit(not held)
PYTHON
