#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# hdf5storage 0.2.2, h5py 3.16.0: an empty matrix in a MAT-file of version 7.3 (0 x 5) is a dataset of two numbers, 0 and 5:
# its sizes. A reader of HDF5 that does not know the attribute MATLAB_empty takes them for samples. Good guess: an empty
# array is stored as an empty dataset, which HDF5 has, or refused. A matrix of 2 x 3 is stored as 3 x 2.
# It matters here because a trial without samples would become a series of two samples. Prints "holds" while this is so,
# and fails otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet hdf5storage==0.2.2 h5py==3.16.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import h5py
import hdf5storage
import numpy as np

hdf5storage.savemat("made.mat", {"none": np.zeros((0, 5)), "some": np.arange(6.0).reshape(2, 3)}, format="7.3")
with h5py.File("made.mat") as file:
    none, some = file["none"], file["some"]
    print(f"hdf5storage {hdf5storage.__version__}: 0 x 5 is {none.dtype} {none[...].tolist()}, MATLAB_empty {none.attrs['MATLAB_empty']}; "
          f"2 x 3 is {some.shape}")
    held = none[...].tolist() == [0, 5] and some.shape == (3, 2)
print("holds" if held else "does not hold any more")
sys.exit(not held)
PYTHON
