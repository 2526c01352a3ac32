#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hands features that `synelix convolve` wrote to NeMoS' PopulationGLM.

    python3 fit_nemos.py rec.h5 out.h5

Needs h5py and numpy; the fit needs nemos (pip install nemos).
"""
import sys

import h5py
import numpy as np

try:
    import nemos
except ImportError:
    sys.exit("fit_nemos.py: nemos is not installed; pip install nemos")

recording, output = sys.argv[1:3]
counts = h5py.File(recording)["/counts"][:20000]
features = h5py.File(output)["/features"][:20000]        # samples x channels x bases
X = features.reshape(len(features), -1)                  # samples x (channels * bases)
valid = np.isfinite(X).all(axis=1)                       # rows with a whole window
model = nemos.glm.PopulationGLM(regularizer="Ridge", regularizer_strength=0.1)
model.fit(X[valid], counts[valid])
print("coefficients", model.coef_.shape, "score", model.score(X[valid], counts[valid]))
