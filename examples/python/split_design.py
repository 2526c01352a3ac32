#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Splits the columns that `synelix features` wrote by their terms.

    python3 split_design.py out.h5:/features

The columns of a term are channels x bases; the basis is the fastest index. The table beside the matrix says where
each term begins. Without a name it splits the features of examples/fit. Needs h5py and numpy.
"""
import sys

import h5py
import numpy as np


def terms(features):
    """For each term, its name and its columns as (rows, channels, bases). Columns are read when they are used."""
    for record in features.file[features.name + "_terms"][...]:
        first, columns = record["first_column"], record["columns"]

        def part(rows=slice(None), first=first, columns=columns, record=record):
            values = features[rows, first : first + columns]
            return values.reshape(len(values), record["channels"], record["bases"])

        yield record["name"].decode(), part


def main(path):
    name, separator, dataset = path.rpartition(":/")
    if not separator:
        sys.exit(f"{path}: no dataset is named. Give FILE:/dataset.")
    with h5py.File(name, "r") as file:
        features = file["/" + dataset]
        print(f"{path}: {features.shape[0]} rows x {features.shape[1]} columns")
        for term, part in terms(features):
            values = part(slice(0, 10_000))
            print(f"  {term:20} {values.shape[1]:3} channels x {values.shape[2]:3} bases, "
                  f"mean {np.nanmean(values):.4f}")


if __name__ == "__main__":
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    if len(sys.argv) == 2:
        main(sys.argv[1])
    else:
        import made  # beside this file

        main(made.design_features())
