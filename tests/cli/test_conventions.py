# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What docs/reference/conventions.md says of attributes, types and axes: values are read as their writer meant them,
or the program says that they are not. The expected values come from NumPy."""
import unittest

import h5py
import numpy as np

from convention_case import Case
from tool import reference

nan = np.nan


class Values(Case):
    """Attributes that change the meaning of stored values."""

    def test_the_sign_of_integers(self):
        for stored in ("i1", "i2", "i4"):
            meant = stored.replace("i", "u")
            top = 2 ** (8 * np.dtype(stored).itemsize)
            values = np.linspace(0, top - 1, 64).astype("u8").astype(meant).reshape(-1, 2)
            for text in ("true", np.bytes_("True"), "TRUE"):
                with self.subTest(stored, text=text):
                    self.make(values.view(stored), _Unsigned=text)
                    self.check(values.astype("f8"))
            self.make(values.view(stored), _Unsigned="true", scale_factor=0.5, add_offset=np.float32(3))
            self.check(values * 0.5 + 3)
            self.make(values.view(stored), _Unsigned="false")
            self.check(values.view(stored).astype("f8"))
            self.make(values, _Unsigned="false")
            self.check(values.view(stored).astype("f8"))
        self.make(np.ones((5, 2), "i2"), _Unsigned="yes")
        self.refuse("attribute _Unsigned", "neither true nor false")
        self.make(np.full((5, 2), 0.5, "f4"), _Unsigned="true")          # numbers with a fraction have no such sign
        self.check(np.full((5, 2), 0.5))

    def test_missing_values(self):
        rows = (
            ("i2", [1, -9, 3, 4], {"_FillValue": np.int16(-9)}, [1, nan, 3, 4]),
            ("i2", [1, -9, 3, 4], {"missing_value": np.int16(-9)}, [1, nan, 3, 4]),
            ("i2", [1, -9, 3, 4], {"missing_value": np.int16([-9, 4])}, [1, nan, 3, nan]),
            ("i2", [1, -9, 3, 4], {"_FillValue": np.int16(-9), "missing_value": np.int16(1)}, [nan, nan, 3, 4]),
            ("i2", [1, -9, 3, 4], {"_FillValue": np.int16(-9), "scale_factor": 2.0}, [2, nan, 6, 8]),
            ("i1", [1, -1, 3, 4], {"_FillValue": np.int8(-1), "_Unsigned": "true"}, [1, nan, 3, 4]),
            ("i1", [1, -1, -2, 4], {"_FillValue": np.uint8(255), "_Unsigned": "true"}, [1, nan, 254, 4]),
            ("u1", [1, 255, 3, 4], {"_FillValue": np.uint8(255)}, [1, nan, 3, 4]),
            ("i4", [1, -999, 3, 4], {"missing_value": -999.0}, [1, nan, 3, 4]),
            ("i4", [1, -1, -2, 4], {"_FillValue": np.int32(-1), "_Unsigned": "true"}, [1, nan, 2**32 - 2, 4]),
            ("i8", [1, -2**63, 3, 4], {"_FillValue": np.int64(-2**63)}, [1, nan, 3, 4]),
            ("f4", [1, 1e20, 3, 4], {"missing_value": 1e20}, [1, nan, 3, 4]),
            ("f4", [1, -0.1, 3, 4], {"_FillValue": -0.1}, [1, nan, 3, 4]),
            ("f8", [1, 1e20, nan, 4], {"_FillValue": 1e20}, [1, nan, nan, 4]),
            ("f8", [1, 2, 3, 4], {"_FillValue": nan}, [1, 2, 3, 4]),
        )
        for stored, values, attributes, expected in rows:
            with self.subTest(stored=stored, **attributes):
                self.make(np.array(values, stored).reshape(-1, 1), **attributes)
                self.check(np.array(expected, "f8").reshape(-1, 1))
        self.make(np.full((4, 1), 5, np.int16), _FillValue="none")
        self.check(np.full((4, 1), 5.0), says="its attribute _FillValue, string none, is no number, and is not applied")

    def test_valid_values(self):
        rows = (
            ("i2", [1, -9, 30, 4], {"valid_range": np.int16([0, 20])}, [1, nan, nan, 4]),
            ("i2", [1, -9, 30, 4], {"valid_min": np.int16(0)}, [1, nan, 30, 4]),
            ("i2", [1, -9, 30, 4], {"valid_max": np.int16(4)}, [1, -9, nan, 4]),
            ("i1", [1, -9, 30, 4], {"valid_max": np.int8(-10), "_Unsigned": "true"}, [1, nan, 30, 4]),
            ("f4", [1, -9, 30, 4], {"valid_range": [0.0, 20.0]}, [1, nan, nan, 4]),
            # packed like the values, and after the scale (CF)
            ("i2", [1, -9, 30, 4], {"valid_range": np.int16([0, 20]), "scale_factor": 0.1}, [0.1, nan, nan, 0.4]),
            ("i2", [1, -9, 30, 3], {"valid_range": [0.0, 0.3], "scale_factor": 0.1}, [0.1, nan, nan, 3 * 0.1]),
            ("i2", [1, -9, 30, 4], {"valid_range": [-0.4, 0.0], "scale_factor": -0.1}, [-0.1, nan, nan, -0.4]),
        )
        for stored, values, attributes, expected in rows:
            with self.subTest(stored=stored, **attributes):
                self.make(np.array(values, stored).reshape(-1, 1), **attributes)
                found, said = self.values()
                np.testing.assert_allclose(found[:, 0], expected, rtol=1e-15)
                self.assertNotIn("warning", said)
        self.make(np.ones((4, 1)), valid_range=[3.0, 1.0])
        self.refuse("its valid values end at 1 and begin at 3")
        self.make(np.ones((4, 1)), valid_range=[3.0, 1.0, 2.0])
        self.refuse("attribute valid_range", "3 numbers")

    def test_the_default_fill_of_netcdf(self):
        fill = 9.969209968386869e36
        for stored, mark in (("f4", fill), ("f8", fill), ("i2", -32767), ("i4", -2147483647)):
            values = np.array([1, mark, 3, 4], stored).reshape(-1, 1)
            with self.subTest(stored):
                self.make(values, netcdf=True, fill=values[1, 0])
                self.check(np.array([[1], [nan], [3], [4]]))
                self.make(values, fill=values[1, 0])                     # h5py's own fill values are numbers
                self.check(values.astype("f8"))
        values = np.array([[1], [-127], [3]], "i1")                      # of bytes netCDF has no default
        self.make(values, netcdf=True, fill=-127)
        self.check(values.astype("f8"))

    def test_resumed_runs_notice(self):
        self.make(np.arange(8, dtype="i2").reshape(-1, 1), _FillValue=np.int16(-9))
        self.values()
        with h5py.File(self.folder / "out.h5") as file:
            self.assertIn("missing -9", file["f"].attrs["fingerprint"])


class Types(Case):
    """Types whose values are read if they fit, and those that give an error with their name."""

    def test_integers_of_64_bits(self):
        for stored, values in (("i8", [-2**31, 7, 2**32 - 1]), ("u8", [0, 7, 2**32 - 1]), (">i8", [-5, 7, 9])):
            self.make(np.array(values, stored).reshape(-1, 1))
            self.check(np.array(values, "f8").reshape(-1, 1))
        values = np.arange(3000, dtype="i8").reshape(1000, 3)
        values[700, 1] = 2**32
        self.make(values)
        self.refuse("the value 4294967296 does not fit 32 bits", "sample 700", 'array.astype("float64")')
        values[600, 2] = -2**31 - 1
        self.make(values)
        self.refuse("the value -2147483649 does not fit", "sample 600")
        self.check(values.astype("f8")[:600], "--time", "0:600")

    def test_booleans_of_pytables(self):
        with h5py.File(self.folder / "in.h5", "w") as file:
            space = h5py.h5s.create_simple((4, 2))
            made = h5py.h5d.create(file.id, b"x", h5py.h5t.STD_B8LE, space)
            values = np.array([[0, 1], [1, 1], [0, 0], [1, 0]], "u1")
            made.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=h5py.h5t.STD_B8LE)
        self.check(values.astype("f8"))
        with h5py.File(self.folder / "in.h5", "a") as file:
            values[2, 1] = 6
            file["x"].id.write(h5py.h5s.ALL, h5py.h5s.ALL, values, mtype=h5py.h5t.STD_B8LE)
        self.refuse("the bit field 6 is no boolean", "sample 2")

    def test_times_of_pytables_and_pandas(self):
        with h5py.File(self.folder / "in.h5", "w") as file:
            h5py.h5d.create(file.id, b"x", h5py.h5t.UNIX_D64LE, h5py.h5s.create_simple((4,)))
        self.refuse("time (PyTables' Time64)")
        self.make(np.arange(4, dtype="i8"), value_type="datetime64[ns]")
        self.refuse("pandas stored dates or times", "datetime64[ns]")


class Matlab(Case):
    """Files of MATLAB (-v7.3) have the dimensions of MATLAB in reverse."""

    def make_matlab(self, values, matlab_class="double", **attributes):
        self.make(np.asarray(values).T, "rec.mat:/x", user_block=512, MATLAB_class=np.bytes_(matlab_class), **attributes)
        return "rec.mat:/x"

    def test_arrays_are_read_as_matlab_shows_them(self):
        generator = np.random.default_rng(1)
        for shape in ((50, 4), (50, 2, 3), (40, 2, 3, 2)):
            values = generator.normal(size=shape)
            self.check(values, name=self.make_matlab(values))
        for shape in ((1, 50), (50, 1)):
            values = generator.normal(size=shape)
            self.check(values.reshape(50, 1), name=self.make_matlab(values))
        values = generator.normal(size=(4, 50))
        self.check(values, says="its 4 rows are read as samples; if dimension 1 is time, give --time-axis 1", name=self.make_matlab(values))
        self.check(values.T, "--time-axis", 1, name=self.make_matlab(values))
        values = np.arange(24).reshape(2, 3, 4)
        self.check(np.moveaxis(values, 1, 0), "--time-axis", 1, name=self.make_matlab(values))

    def test_taps_and_epochs_too(self):
        values, taps = np.arange(50.0)[:, None], np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
        name = self.make_matlab(values)
        with h5py.File(self.folder / "rec.mat", "a") as file:
            for dataset, array in (("taps", taps), ("epochs", np.array([[0, 20], [20, 50]], "i4"))):
                file[dataset] = array.T
                file[dataset].attrs["MATLAB_class"] = np.bytes_("double")
        self.tool("convolve", name, "out.h5:/f", "--bank", "rec.mat:/taps", "--epochs", "rec.mat:/epochs", "--no-shift",
                  "--type", "double", "-O")
        with h5py.File(self.folder / "out.h5") as file:
            np.testing.assert_array_equal(file["f"][:], reference(values, taps, shift=False, epochs=[(0, 20), (20, 50)]))
        self.assertIn("/x\n  1 x 50 float64, in MATLAB 50 x 1", self.tool("info", "rec.mat").stdout)

    def test_logical_arrays_are_booleans(self):
        values = np.array([[0, 1], [1, 0], [1, 1]], "u1")
        self.check(values, name=self.make_matlab(values, "logical", MATLAB_int_decode=np.int32(1)))

    def test_what_is_no_series(self):
        self.make_matlab(np.frombuffer(b"hello", "u1").astype("u2")[None], "char", MATLAB_int_decode=np.int32(2))
        self.refuse("it holds text (MATLAB class char)", name="rec.mat:/x")
        self.make(np.array([0, 3], "u8"), "rec.mat:/x", MATLAB_class=np.bytes_("double"), MATLAB_empty=np.uint8(1))
        self.refuse("it is empty (attribute MATLAB_empty)", name="rec.mat:/x")
        with h5py.File(self.folder / "s.mat", "w") as file:
            file["s/data"] = np.arange(5.0)
            file["s"].attrs["MATLAB_sparse"] = np.uint64(10)
        self.refuse("a sparse matrix of MATLAB", "full(x)", name="s.mat:/s")

    def test_objects_are_no_numbers(self):
        for name in ("string", "datetime", "table"):
            self.make(np.array([[3707764736, 2, 1, 1, 1, 1]], "u4"), "rec.mat:/x", MATLAB_class=np.bytes_(name),
                      MATLAB_object_decode=np.int32(3))
            self.refuse(f"an object of MATLAB (class {name})", "save an array of numbers", name="rec.mat:/x")

    def test_taps_are_numbers_too(self):
        bank = "one.h5:/taps"
        for values, attributes, says in (
                (np.array([0, 3], "u8"), {"MATLAB_class": np.bytes_("double"), "MATLAB_empty": np.uint8(1)}, "MATLAB_empty"),
                (np.array([[104], [105]], "u2"), {"MATLAB_class": np.bytes_("char")}, "it holds text"),
                (np.array([[10], [20]], "i2"), {"_FillValue": np.int16(20)}, "its value 20 is missing"),
                (np.array([[1], [-999.9]], "f4"), {"missing_value": -999.9}, "is missing (attribute missing_value)"),
                (np.array([[1]], "i2"), {"scale_factor": 0.0}, "its scale_factor is 0")):
            with h5py.File(self.folder / "one.h5", "w") as file:
                file["taps"] = values
                file["taps"].attrs.update(attributes)
            self.make(np.ones((4, 1)))
            self.refused("convolve", "in.h5:/x", "no.h5:/f", "--bank", bank, says=says)
        with h5py.File(self.folder / "one.h5", "w") as file:
            file["bank"] = np.array([[10]], "i2")
            file["bank"].attrs.update(scale_factor=0.5, add_offset=1.0)
        self.check(np.full((4, 1), 6.0))

    def test_more_dimensions(self):
        values = np.random.default_rng(9).normal(size=(4, 50, 3))
        self.check(values, says="its extents are (4, 50, 3) as MATLAB shows it", name=self.make_matlab(values))

    def test_octave_is_no_series_either(self):
        with h5py.File(self.folder / "o.h5", "w") as file:
            for name, kind, values in (("t", "string", np.frombuffer(b"hello", "i1")[:, None]),
                                       ("e", "matrix", np.array([0, 3], "i4"))):
                file[f"{name}/type"], file[f"{name}/value"] = np.bytes_(kind), values
                file[name].attrs["OCTAVE_NEW_FORMAT"] = np.uint8(1)
            file["e/value"].attrs["OCTAVE_EMPTY_MATRIX"] = np.uint8(1)
            file["s/type"], file["s/value/data"] = np.bytes_("sparse matrix"), np.array([[1.0, 2, 3]])
            file["s"].attrs["OCTAVE_NEW_FORMAT"] = np.uint8(1)
        self.refuse("it holds text (Octave type string)", name="o.h5:/t/value")
        self.refuse("it is empty (attribute OCTAVE_EMPTY_MATRIX)", name="o.h5:/e/value")
        self.refuse("a sparse matrix of Octave", "full(x)", name="o.h5:/s/value/data")

    def test_octave(self):
        values = np.random.default_rng(2).normal(size=(50, 4))
        with h5py.File(self.folder / "o.h5", "w") as file:
            file["x/value"] = values.T
            file["x"].attrs["OCTAVE_NEW_FORMAT"] = np.uint8(1)
        self.check(values, name="o.h5:/x/value")


class Axes(Case):
    """Which dimension is time."""

    def test_coordinates_of_time(self):
        values = np.random.default_rng(10).normal(size=(4, 50))
        for attributes in ({"axis": "T"}, {"standard_name": "time"}, {"units": "seconds since 2020-01-01"}):
            with h5py.File(self.folder / "in.h5", "w") as file:
                file["x"], file["y"], file["index"], file["obs"] = values, values.T, np.arange(50), np.arange(50.0)
                for name in ("index", "obs"):
                    file[name].make_scale(name)
                    file["x"].dims[1].attach_scale(file[name])
                file["obs"].attrs.update(attributes)
                file["y"].dims[0].attach_scale(file["obs"])
            self.refuse("dimension 1 is time (/obs)", "--time-axis 1")
            self.check(values.T, "--time-axis", 1)
            self.check(values.T, says="the times in /obs are not read", name="in.h5:/y")

    def test_scales_of_another_file(self):
        values = np.random.default_rng(13).normal(size=(50, 4))
        with h5py.File(self.folder / "a.h5", "w") as file:
            file["x"], file["ch"], file["obs"] = values, np.arange(4), np.arange(50)
            for axis, name in enumerate(("obs", "ch")):
                file[name].make_scale(name)
                file["x"].dims[axis].attach_scale(file[name])
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["e"] = h5py.ExternalLink("a.h5", "/x")
        self.check(values, name="in.h5:/e")
        with h5py.File(self.folder / "in.h5", "a") as file:              # not the target of the other file
            file["ch"] = np.arange(4)
            file["ch"].attrs["axis"] = "T"
        self.check(values, name="in.h5:/e")

    def test_a_dimension_that_grows(self):
        values = np.random.default_rng(11).normal(size=(4, 50))
        self.make(values, EXTDIM=np.int32(1))
        self.refuse("dimension 1 grows (attribute EXTDIM)", "--time-axis 1")
        self.check(values.T, "--time-axis", 1)
        self.make(values, EXTDIM=np.int32(0))
        self.check(values)

    def test_any_axis_of_any_layout(self):
        generator = np.random.default_rng(3)
        for shape in ((300, 5), (7, 90, 4), (3, 4, 2, 50)):
            values = generator.normal(size=shape)
            chunks = tuple(max(1, extent // 3) for extent in shape)
            for options in ({}, {"chunks": chunks}, {"chunks": chunks, "compression": "gzip"}):
                for axis in range(len(shape)):
                    with self.subTest(shape=shape, axis=axis, **options):
                        with h5py.File(self.folder / "in.h5", "w") as file:
                            file.create_dataset("x", data=values, **options)
                        expected = np.moveaxis(values, axis, 0)
                        self.check(expected, "--time-axis", axis)
                        flat = expected.reshape(len(expected), -1)
                        self.check(flat[:, 1:5], "--time-axis", axis, "--channels", "1:5")

    def test_budgets_change_nothing(self):
        values = np.random.default_rng(4).normal(size=(64, 20000)).astype("f4")
        for options in ({}, {"chunks": (16, 1000), "compression": "gzip"}):
            with h5py.File(self.folder / "in.h5", "w") as file:
                file.create_dataset("x", data=values, **options)
            for budget in ("3MiB", "64MiB"):
                self.check(values.T, "--time-axis", 1, "--budget", budget)

    def test_an_axis_that_is_not_there(self):
        self.make(np.ones((4, 5)))
        self.refuse("2 is no dimension of in.h5:/x, whose extents are (4, 5)", "Valid are 0 to 1",
                    words=("--time-axis", 2))
        self.refused("convolve", "in.h5:/x", "o.h5:/f", "--bank", "one.h5:/bank", "--time-axis", "time", code=2,
                     says="0 to 6")

    def test_names_of_dimensions(self):
        values = np.random.default_rng(5).normal(size=(4, 50))
        for how in ("scales", "labels"):
            with h5py.File(self.folder / "in.h5", "w") as file:
                file["x"] = values
                file["time"], file["channel"] = np.arange(50.0), np.arange(4)
                if how == "scales":
                    for name in ("time", "channel"):
                        file[name].make_scale(name)
                    file["x"].dims[0].attach_scale(file["channel"])
                    file["x"].dims[1].attach_scale(file["time"])
                else:
                    file["x"].dims[0].label, file["x"].dims[1].label = "channel", "Time"
            self.refuse("(4, 50)", "dimension 1 is named time", "--time-axis 1")
            self.check(values.T, "--time-axis", 1)
            self.check(values, "--time-axis", 0)

    def electrical(self, values, timestamps=None, electrodes=None):
        with h5py.File(self.folder / "a.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            series = file.create_group("acquisition/e")
            series["data"] = values
            if timestamps is None:
                series["starting_time"] = 5.0
                series["starting_time"].attrs["rate"] = 1000.0
            else:
                series["timestamps"] = timestamps
            if electrodes is not None:
                series["electrodes"] = np.arange(electrodes)
        return "a.nwb:/acquisition/e"

    def test_electrodes_and_timestamps(self):
        values = np.random.default_rng(6).normal(size=(3000, 4))
        times = np.arange(3000) / 1000 + 5
        self.check(values, name=self.electrical(values, electrodes=4))
        name = self.electrical(values.T, electrodes=4)
        self.refuse("(4, 3000)", "there are 4 electrodes beside it", "--time-axis 1", name=name)
        self.check(values, "--time-axis", 1, name=name)
        name = self.electrical(values.T, times)
        self.refuse("there are 3000 timestamps beside it", "--time-axis 1", name=name)
        self.check(values, "--time-axis", 1, name=name)
        name = self.electrical(values, electrodes=5)
        self.check(values, says="there are 5 electrodes beside it", name=name)
        name = self.electrical(values, np.stack([times, times + 0.3]))
        self.refuse("one for each of the 3000 samples", name=name)

    def test_rates_that_contradict_each_other(self):
        values = np.arange(3000.0)
        for attribute, says in (("rate", ["30000 Hz", "1000 Hz"]), ("bin_seconds", ["is not the width of a sample"])):
            for stamps in (None, np.arange(3000) / 1000) if attribute == "rate" else (None,):
                name = self.electrical(values, stamps)
                with h5py.File(self.folder / "a.nwb", "a") as file:
                    file["acquisition/e/data"].attrs[attribute] = 30000.0
                self.refuse(*says, name=name)
        name = self.electrical(values)
        with h5py.File(self.folder / "a.nwb", "a") as file:
            file["acquisition/e/data"].attrs["rate"] = 1000.0
        self.check(values, name=name)
        with h5py.File(self.folder / "out.h5") as file:
            self.assertEqual(file["time"][0], 5.0)
        with h5py.File(self.folder / "a.nwb", "a") as file:
            del file["acquisition/e/data"].attrs["rate"], file["acquisition/e/starting_time"].attrs["rate"]
        self.check(values, says="starting_time: it has no attribute rate, and is not used", name=name)
        self.make(values, bin_seconds=0.01)
        self.check(values, says="its attribute bin_seconds is not used without a rate")
        with h5py.File(self.folder / "in.h5", "w") as file:              # starting_time of any dataset
            file["s/x"], file["s/starting_time"] = values, 5.0
            file["s/starting_time"].attrs["rate"] = 100.0
        self.check(values, name="in.h5:/s/x")
        with h5py.File(self.folder / "out.h5") as file:
            np.testing.assert_allclose(file["time"][:2], [5.0, 5.01])

    def test_times_are_seconds(self):
        values, times = np.arange(3000.0), np.arange(3000.0)
        for attributes, says in (({"units": "milliseconds"}, "times in milliseconds are not read"),
                                 ({"conversion": 0.001}, "it is 0.001, and is not applied to times"),
                                 ({"_FillValue": -1.0}, "marks of missing times are not read")):
            name = self.electrical(values, times)
            with h5py.File(self.folder / "a.nwb", "a") as file:
                file["acquisition/e/timestamps"].attrs.update(attributes)
            self.refuse(says, name=name)
        with h5py.File(self.folder / "u.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            file["units/id"], file["units/spike_times_index"] = [0, 1], np.array([3, 5], "u1")
            file["units/spike_times"] = np.r_[0.005, 0.015, 0.5, 0.1, 0.505]
            file["units/obs_intervals"], file["units/obs_intervals_index"] = [[0.0, 400], [0, 450]], np.array([1, 2], "u1")
            file["units/obs_intervals"].attrs["unit"] = "milliseconds"
        for words in ((), ("--observed",)):
            self.refused("counts", "u.nwb", "no.h5:/c", "--bin", "10ms", *words, says="times in milliseconds are not read")

    def test_factors_of_channels_of_another_dimension(self):
        values = np.random.default_rng(12).normal(size=(3000, 4))
        for attributes in ({}, {"axis": 0}, {"axis": 1}):           # pynwb writes 1 always
            name = self.electrical(values.T)
            with h5py.File(self.folder / "a.nwb", "a") as file:
                file["acquisition/e/channel_conversion"] = np.arange(1.0, 5)
                file["acquisition/e/channel_conversion"].attrs.update(attributes)
            self.check(values * np.arange(1.0, 5), "--time-axis", 1, name=name)
            self.refuse("--time-axis", name=name)

    def test_lists_may_be_rows_and_columns(self):
        values = np.random.default_rng(7).normal(size=(3000, 1))
        times = np.arange(3000) / 1000 + 5
        for data in (values, values[:, 0]):
            for stamps in (times, times[:, None], times[None]):
                self.check(data, name=self.electrical(data, stamps))
        name = self.electrical(values.T, times[None])
        self.refuse("--time-axis 1", name=name)
        self.check(values, "--time-axis", 1, name=name)
        counts = []
        for turn in (np.ravel, np.atleast_2d, lambda x: np.atleast_2d(x).T):
            with h5py.File(self.folder / "u.nwb", "w") as file:
                file.attrs["nwb_version"] = "2.7.0"
                file["units/id"] = turn(np.array([0, 1]))
                file["units/spike_times"] = turn(np.r_[0.005, 0.015, 0.5, 0.1, 0.505])
                file["units/spike_times_index"] = turn(np.array([3, 5], "u1"))
            self.tool("counts", "u.nwb", "c.h5:/c", "--bin", "10ms", "-O")
            with h5py.File(self.folder / "c.h5") as file:
                counts.append(file["c"][:])
        self.assertEqual(counts[0].sum(), 5)
        for other in counts[1:]:
            np.testing.assert_array_equal(counts[0], other)

    def test_designs(self):
        values = np.random.default_rng(8).normal(size=(4, 500))
        with h5py.File(self.folder / "in.h5", "w") as file:
            file["x"], file["y"] = values, np.ascontiguousarray(values.T)
        columns = []
        for data, axis in (("x", "time-axis = 1"), ("y", "")):
            (self.folder / "d.toml").write_text(f'[inputs.a]\ndata = "in.h5:/{data}"\n{axis}\n[bases.b]\n'
                                                'type = "history"\nwindow = 5\n[[terms]]\nname = "t"\n'
                                                'input = "a"\nbasis = "b"\n')
            self.tool("features", "d.toml", "out.h5:/f", "-O")
            with h5py.File(self.folder / "out.h5") as file:
                columns.append(file["f"][:])
        np.testing.assert_array_equal(*columns)


class Trains(Case):
    """Units of any table, and events."""

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(9)
        self.trains = [np.sort(random.uniform(0, 20, 200)) for _ in range(4)]

    def units(self, file, path, trains, ids, **columns):
        group = file.require_group(path)
        group["id"] = ids
        group["spike_times"] = np.concatenate(trains)
        group["spike_times_index"] = np.cumsum([len(times) for times in trains]).astype("u4")
        for name, values in columns.items():
            group[name] = values

    def counts(self, name, *words, bin="10ms"):
        said = self.tool("counts", name, "c.h5:/c", "--bin", bin, "-O", *words).stderr
        with h5py.File(self.folder / "c.h5") as file:
            return file["c"][:], file["channel"][:].tolist(), said

    def expected(self, trains, rows, width=0.01):
        return np.stack([np.bincount((times / width).astype(int), minlength=rows)[:rows] for times in trains], 1)

    def test_units_of_several_probes(self):
        with h5py.File(self.folder / "a.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            self.units(file, "processing/ecephys/units_probe0", self.trains[:2], [0, 1], quality=["good", "bad"])
            self.units(file, "processing/ecephys/units_probe1", self.trains[2:], [0, 1], quality=["good", "good"])
        group = "/processing/ecephys/units_probe"
        self.refused("counts", "a.nwb", "no.h5:/c", "--bin", "10ms", says=f"a.nwb:{group}0,{group}1")
        found, ids, said = self.counts(f"a.nwb:{group}1")
        np.testing.assert_array_equal(found, self.expected(self.trains[2:], len(found)))
        self.assertEqual(ids, [0, 1])
        both = f"a.nwb:{group}0,{group}1"
        found, ids, said = self.counts(both)
        np.testing.assert_array_equal(found, self.expected(self.trains, len(found)))
        self.assertEqual(ids, [0, 1, 2, 3])
        self.assertIn(f"0 to 1 are the rows of {group}0, 2 to 3 are the rows of {group}1", said)
        found, ids, said = self.counts(both, "--unit-ids", "3,0")
        np.testing.assert_array_equal(found, self.expected([self.trains[3], self.trains[0]], len(found)))
        found, ids, said = self.counts(both, "--where", "quality=good")
        self.assertEqual(ids, [0, 2, 3])
        info = self.tool("info", "a.nwb").stdout
        self.assertIn(f"  {group}0: 2 units; columns id, quality, spike_times", info)
        self.refused("counts", f"a.nwb:{group}0,{group}0", "no.h5:/c", "--bin", "10ms", says="is there twice")
        self.refused("counts", "a.nwb:/processing/none", "no.h5:/c", "--bin", "10ms",
                     says=["there is no such table or column", "holds: ecephys"])

    def test_events(self):
        times = np.arange(5) * 4.0 + 1.503
        with h5py.File(self.folder / "c.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.11.0"
            self.units(file, "units", self.trains, range(4))
            trials = file.create_group("intervals/trials")
            trials["id"] = np.arange(5)
            trials["start_time"], trials["stop_time"] = np.arange(5) * 4.0, np.arange(5) * 4.0 + 3
            trials["choice_time"] = np.where(np.arange(5) == 2, np.nan, times)
            trials["side"] = ["left", "right", "left", "right", "right"]
            trials["lick_times"], trials["lick_times_index"] = np.array([0.5, 0.6, 4.2, 9.1]), np.array([2, 3, 4, 4, 4])
            licks = file.create_group("events/licks")
            licks.attrs["neurodata_type"] = "EventsTable"
            licks["id"], licks["timestamp"] = np.arange(3), np.array([0.25, 7.25, 3.25])
            milliseconds = file.create_group("events/ms")
            milliseconds["timestamp"] = np.array([250.0])
            milliseconds["timestamp"].attrs["unit"] = "milliseconds"
        column = "c.nwb:/intervals/trials/choice_time"
        found, _, said = self.counts(column)
        np.testing.assert_array_equal(found, self.expected([np.delete(times, 2)], len(found)))
        self.assertIn("1 of 5 times are NaN", said)
        found, _, _ = self.counts(column, "--where", "side=right")
        np.testing.assert_array_equal(found, self.expected([times[[1, 3, 4]]], len(found)))
        found, _, _ = self.counts("c.nwb:/intervals/trials/lick_times", bin="100ms")
        np.testing.assert_array_equal(np.flatnonzero(found), [5, 6, 42, 91])
        found, _, _ = self.counts("c.nwb:/intervals/trials/lick_times", "--where", "side=left", bin="100ms")
        np.testing.assert_array_equal(np.flatnonzero(found), [5, 6, 91])
        found, _, _ = self.counts("c.nwb:/events/licks,/intervals/trials/start_time", bin="1s")
        self.assertEqual([np.flatnonzero(c).tolist() for c in found.T], [[0, 3, 7], [0, 4, 8, 12, 16]])
        self.refused("counts", "c.nwb:/events/licks,/units", "no.h5:/c", "--bin", "10ms", says="a table of units and a column of times")
        self.refused("counts", "c.nwb:/events/ms", "no.h5:/c", "--bin", "10ms", says="times in milliseconds are not read")
        info = self.tool("info", "c.nwb").stdout
        for line in ("/events/licks/timestamp: 3 times", "/intervals/trials/choice_time: 5 times"):
            self.assertIn(line, info)

        (self.folder / "d.toml").write_text(f'[inputs.choice]\nevents = "{column}"\nbin = "10ms"\nwhere = "side=right"\n'
                                            '[inputs.units]\nunits = "c.nwb"\nbin = "10ms"\n'
                                            '[bases.b]\ntype = "history"\nwindow = 1\nshift = false\n'
                                            '[[terms]]\nname = "c"\ninput = "choice"\nbasis = "b"\n'
                                            '[[terms]]\nname = "u"\ninput = "units"\nbasis = "b"\n')
        self.tool("features", "d.toml", "out.h5:/f", "-O")
        with h5py.File(self.folder / "out.h5") as file:
            found = file["f"][:]
        np.testing.assert_array_equal(found, self.expected([times[[1, 3, 4]], *self.trains], len(found)))


if __name__ == "__main__":
    unittest.main()
