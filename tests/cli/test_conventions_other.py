# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conventions as in test_conventions.py: of R, SciPy, pandas, PyTables and others, and of newer versions of HDF5."""
import re
import struct
import unittest

import h5py
import numpy as np

from convention_case import Case

nan = np.nan


class Others(Case):
    """Marks of R, SciPy, pandas, PyTables and others."""

    def test_sparse_matrices_and_categories(self):
        for attributes, names in (({"encoding-type": "csr_matrix"}, ()), ({}, ("indices", "indptr")),
                                  ({"h5sparse_format": "csr"}, ())):
            with h5py.File(self.folder / "in.h5", "w") as file:
                file["X/data"] = np.array([1.0, 2, 3])
                file["X"].attrs.update(attributes)
                for name in names:
                    file[f"X/{name}"] = np.arange(3)
            self.refuse("a sparse matrix", "x.toarray()", name="in.h5:/X")
        with h5py.File(self.folder / "in.h5", "w") as file:              # a signal in the same group
            file["g/signal"], file["g/indices"], file["g/indptr"] = np.arange(5.0), np.arange(3), np.arange(3)
        self.check(np.arange(5.0), name="in.h5:/g/signal")
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["k/codes"] = np.array([0, -1, 1], "i1")
            file["k"].attrs["encoding-type"] = "categorical"
        self.refuse("a list with missing values (encoding-type categorical)", name="in.h5:/k/codes")

    def test_an_empty_frame_of_pandas(self):
        self.make(np.array([[5e-324]]), value_type="float64", shape=np.bytes_("(I0\nI1\ntp0\n."))
        self.refuse("it is empty (attribute shape)")

    def test_missing_integers_of_r(self):
        values = np.array([1, -2**31, 3], "i4")
        self.make(values, **{"rhdf5-NA.OK": np.int32([1])})
        self.check([1, nan, 3])
        self.make(values)
        self.check(values.astype("f8"))

    def test_half_precision_has_marks_of_its_own(self):
        self.make(np.array([1, -999.9, 2], "f2"), missing_value=-999.9)
        self.check([1, nan, 2])

    def test_booleans_are_named_as_h5py_does(self):
        for names in ({"FALSE": 0, "NA": 1}, {"FALSE": 1, "TRUE": 0}, {"FALSE": 0, "TRUE": -1}):
            with h5py.File(self.folder / "in.h5", "w") as file:
                file.create_dataset("x", data=np.array([0, 1, 0], "i1"), dtype=h5py.enum_dtype(names, "i1"))
            self.refuse("it holds enumeration")
        self.make(np.array([True, False, True]), _FillValue=np.int8(1))
        self.check([1, 0, 1], says="attribute _FillValue is not applied, since it holds booleans")

    def test_bounds_behind_the_conversion_of_nwb(self):
        self.make(np.array([1, 2, 300], "i2"), valid_range=[0.0, 1.0], conversion=0.01)
        found, _ = self.values()
        np.testing.assert_allclose(found, [0.01, 0.02, nan])

    def test_scales_that_are_not_applied(self):
        values = np.arange(5.0)
        for mark in ("ScaleFactor", "Offset", "gain"):
            self.make(values, **{mark: 2.0})
            self.check(values, says=f"its attribute {mark} is not applied; --scale and --offset are")
        self.make(values, MissingValue=7.0)
        self.check(values, says="its attribute MissingValue is not applied; write it as _FillValue")
        self.make(values, ScaleFactor=1.0, Offset=0.0, gain=1.0, MissingValue=7.0, _FillValue=7.0)
        self.check(values)
        self.make(np.arange(5, dtype="i2"), valid_range=[0.0, 9.0], offset="text")
        self.check(values, "--scale", 1, "--offset", 0)
        for beside in ("polynom_coefficients", "InfoChannel"):
            with h5py.File(self.folder / "in.h5", "w") as file:
                file["v/data"], file[f"v/{beside}"] = values, np.ones(2)
            self.check(values, says=f"/v/{beside} is not applied", name="in.h5:/v")
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["r/data"] = values
            file.create_group("r/application_data").attrs["channel_bit_volts"] = np.ones(4)
        self.check(values, says="channel_bit_volts of /r/application_data is not applied", name="in.h5:/r")


class NewerFormats(Case):
    """Datasets in a version of the format that this HDF5 does not know."""

    def test_they_are_named(self):
        with h5py.File(self.folder / "new.h5", "w") as file:
            file["old"] = np.arange(6.0)
            file.create_dataset("x", data=np.arange(40.0), chunks=(10,), compression="gzip")
        data = (self.folder / "new.h5").read_bytes()
        layout = re.compile(b"\x03\x02\x02.{8}" + struct.pack("<2I", 10, 8), re.DOTALL)   # version 3, in chunks of 10
        place, = (match.start() for match in layout.finditer(data))
        (self.folder / "new.h5").write_bytes(data[:place] + b"\x05" + data[place + 1:])
        self.refuse("it is stored in another version of the format", "HDF5 2", 'libver=("earliest", "v114")',
                    name="new.h5:/x")
        self.check(np.arange(6.0), name="new.h5:/old")
        info = self.tool("info", "new.h5").stdout
        self.assertIn("/old\n  6 float64", info)
        self.assertIn("/x\n  cannot be read: new.h5:/x: it is stored in another version", info)


if __name__ == "__main__":
    unittest.main()
