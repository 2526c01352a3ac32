#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# PyTables 3.11.1, h5py 3.16.0: one column Time64Col makes a whole table unreadable for h5py, its columns of floats, too
# (`table.fields("rate")` as well as `table.dtype`). PyTables stores the column as HDF5's class "time", of which NumPy has
# no type. Good guess: fields() reads any column that has a type of NumPy. A CArray of Time64Atom is the same.
# It matters here because behavioral recordings hold such tables: Synelix names the type and the column.
# Prints "holds" while this is so, and fails otherwise.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet tables==3.11.1 h5py==3.16.0 numpy==2.4.6
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import sys

import h5py
import tables


class Row(tables.IsDescription):
    time = tables.Time64Col()
    rate = tables.Float64Col()


class Plain(tables.IsDescription):
    rate = tables.Float64Col()


with tables.open_file("made.h5", "w") as file:
    for name, columns in (("timed", Row), ("plain", Plain)):
        table = file.create_table("/", name, columns)
        for column in columns.columns:
            table.row[column] = 1.5
        table.row.append()
        table.flush()

found = []
with h5py.File("made.h5") as file:
    for name, how in (("plain", lambda t: t.fields("rate")[...]), ("timed", lambda t: t.fields("rate")[...]),
                      ("timed", lambda t: t.dtype), ("timed", lambda t: t.shape)):
        try:
            found.append(str(how(file[name])))
        except TypeError as error:
            found.append(f"TypeError: {error}")
        print(f"h5py {h5py.__version__}, {name}: {found[-1]}")
with tables.open_file("made.h5") as file:
    print(f"PyTables {tables.__version__}: {file.root.timed.col('rate')}")
refused = "TypeError: No NumPy equivalent for TypeTimeID exists"
held = found == ["[1.5]", refused, refused, "(1,)"]
print("holds" if held else "does not hold any more")
sys.exit(not held)
PYTHON
