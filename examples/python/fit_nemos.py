#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fits NeMoS' PopulationGLM on features that `synelix convolve` wrote.

    python3 fit_nemos.py rec.h5:/counts out.h5:/features

Both files have the same rows. Without names it uses simulated units. The exit code is 77 if nemos is missing. Needs
h5py, numpy and nemos.
"""
import sys

import h5py
import numpy as np

try:
    import nemos
except ImportError:
    print("fit_nemos.py: skipped, because nemos is not installed. Install it: pip install nemos", file=sys.stderr)
    sys.exit(77)

ROWS = 20000


def rows_of(path):
    """The first rows of FILE:/dataset."""
    name, separator, dataset = path.rpartition(":/")
    if not separator:
        sys.exit(f"{path}: no dataset is named. Give FILE:/dataset.")
    with h5py.File(name, "r") as file:
        return file["/" + dataset][:ROWS]


def main(recording, output):
    counts, features = rows_of(recording), rows_of(output)   # samples x channels (x bases)
    X = features.reshape(len(features), -1)                  # samples x (channels * bases)
    valid = np.isfinite(X).all(axis=1)                       # rows with a complete window
    model = nemos.glm.PopulationGLM(regularizer="Ridge", regularizer_strength=0.1)
    model.fit(X[valid], counts[valid])
    print("coefficients", model.coef_.shape, "score", model.score(X[valid], counts[valid]))


if __name__ == "__main__":
    if len(sys.argv) not in (1, 3) or "--help" in sys.argv:
        sys.exit(__doc__)
    if len(sys.argv) == 3:
        main(sys.argv[1], sys.argv[2])
    else:
        import made  # beside this file

        features, recording = made.features()
        main(recording, features)
