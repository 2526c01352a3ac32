# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other files that a file refers to: links, virtual sources and raw data elsewhere, and filter plug-ins."""
import os
import pathlib
import shutil
import tempfile
import unittest

import h5py
import numpy as np

from tool import ToolCase

HISTORY3 = ("--basis", "history", "--window", "3")
PLUGIN = os.environ.get("SYNELIX_FILTER_PLUGIN")


class Links(ToolCase):
    def setUp(self):
        super().setUp()
        elsewhere = tempfile.TemporaryDirectory(prefix="synelix-elsewhere-")
        self.addCleanup(elsewhere.cleanup)
        self.elsewhere = pathlib.Path(elsewhere.name)

    def raw(self, folder, name="raw.h5", rows=400):
        values = np.random.default_rng(3).integers(0, 9, (rows, 4)).astype(np.uint8)
        with h5py.File(folder / name, "w") as file:
            file["x"] = values
        return values

    def link(self, name, target, path="/x"):
        with h5py.File(self.folder / name, "w") as file:
            file[path] = h5py.ExternalLink(str(target), "/x")
        return f"{name}:{path}"

    def virtual(self, name, *sources, rows=200):
        layout = h5py.VirtualLayout((rows * len(sources), 4), dtype="u1")
        for i, source in enumerate(sources):
            layout[i * rows:(i + 1) * rows] = h5py.VirtualSource(str(source), "x", shape=(rows, 4))
        with h5py.File(self.folder / name, "w") as file:
            file.create_virtual_dataset("x", layout)
        return f"{name}:/x"

    def test_what_leaves_the_folder_is_refused_unless_asked_for(self):
        self.raw(self.elsewhere)
        secret = self.elsewhere / "secret"
        secret.write_bytes(b"root:x:0:0 and more of it" * 40)
        with h5py.File(self.folder / "external.h5", "w") as file:
            file.create_dataset("x", shape=(200, 4), dtype="u1", external=[(str(secret), 0, 800)])
        self.link("link.h5", self.elsewhere / "raw.h5")
        self.virtual("virtual.h5", self.elsewhere / "raw.h5")
        os.symlink(self.elsewhere / "raw.h5", self.folder / "near.h5")
        self.link("symlink.h5", "near.h5")
        for name in ("external", "link", "virtual", "symlink"):
            with self.subTest(name=name):
                call = ("convolve", f"{name}.h5:/x", "out.h5:/f", *HISTORY3)
                self.refused(*call, says=[str(self.elsewhere), "lies outside of", "--follow-links"])
                self.assertFalse((self.folder / "out.h5").exists())
                self.assertIn("lies outside of", self.tool("info", f"{name}.h5").stdout)
                self.tool(*call, "--follow-links", "--quiet")
                (self.folder / "out.h5").unlink()
        # nothing but the command line can ask for it
        (self.folder / "o.toml").write_text("follow-links = true\n")
        self.refused("convolve", "link.h5:/x", "out.h5:/f", *HISTORY3, "--config", "o.toml",
                     says="follow-links", code=2)

    def test_files_that_name_others_are_trusted_no_more_than_recordings(self):
        path, _ = self.counts(200, 4)
        with h5py.File(self.elsewhere / "raw.h5", "w") as file:
            file["x"] = np.array([[0, 50], [60, 200]])
        self.link("e.h5", self.elsewhere / "raw.h5")
        self.refused("convolve", path, "out.h5:/f", *HISTORY3, "--epochs", "e.h5:/x",
                     says="--follow-links")
        self.refused("convolve", path, "out.h5:/f", "--bank", "e.h5:/x", says="--follow-links")
        self.tool("convolve", path, "out.h5:/f", *HISTORY3, "--epochs", "e.h5:/x", "--follow-links")

    def test_info_lists_every_file(self):
        self.raw(self.folder, "a.h5", rows=200)
        self.raw(self.folder, "b.h5", rows=200)
        path = self.virtual("v.h5", "a.h5", "b.h5")
        self.link("in.h5", "v.h5")
        files = self.json("info", "in.h5:/x")["datasets"][0]["files"]
        self.assertEqual([os.path.basename(file["path"]) for file in files],
                         ["v.h5", "a.h5", "b.h5"])
        text = self.tool("info", path.split(":")[0]).stdout
        self.assertIn("read from", text)
        self.assertIn("a.h5 (source of v.h5:/x", text)
        self.assertIn("external link to v.h5:/x", self.tool("info", "in.h5").stdout)
        (self.folder / "b.h5").unlink()
        report = self.json("info", "v.h5")["datasets"][0]
        self.assertIn("no file b.h5", report["refusal"])
        self.assertEqual(report["shape"], [400, 4])

    def test_missing_values_are_no_zeros(self):
        values = self.raw(self.folder, "a.h5", rows=200)
        call = ("out.h5:/f", *HISTORY3, "--no-shift", "--border", "zero")
        path = self.virtual("v.h5", "a.h5", "b.h5")
        self.refused("convolve", path, *call, says=["v.h5:/x", "no file b.h5"])
        self.raw(self.folder, "b.h5", rows=199)
        self.refused("convolve", path, *call, says=["v.h5:/x", "b.h5:x of extents (199, 4)"])
        (self.folder / "raw.bin").write_bytes(values.tobytes()[:500])
        with h5py.File(self.folder / "r.h5", "w") as file:
            file.create_dataset("x", shape=(200, 4), dtype="u1", external=[("raw.bin", 0, 800)])
        self.refused("convolve", "r.h5:/x", *call, says=["r.h5:/x", "500 bytes in raw.bin"])
        (self.folder / "raw.bin").write_bytes(values.tobytes())
        self.tool("convolve", "r.h5:/x", *call)
        np.testing.assert_array_equal(self.read("out.h5:/f")[:, :, 0], values)

    def test_values_that_were_never_written(self):
        """HDF5 reads no fill value for them: blocks would have the previous contents of memory."""
        values = self.raw(self.folder, rows=400)
        self.unfilled("u.h5", {})
        self.refused("convolve", "u.h5:/x", "out.h5:/f", *HISTORY3, says=["u.h5:/x", "none of its values"])
        self.unfilled("u.h5", {100: values[100:200]})
        self.virtual("v.h5", "u.h5", rows=400)
        for path in ("u.h5:/x", "v.h5:/x"):
            self.refused("convolve", path, "out.h5:/f", *HISTORY3, says=["u.h5:", "not all of its values"])
        self.unfilled("u.h5", {0: values})
        for path in ("u.h5:/x", "v.h5:/x"):
            self.tool("convolve", path, "out.h5:/f", *HISTORY3, "--no-shift", "--border", "zero", "-O")
            np.testing.assert_array_equal(self.read("out.h5:/f")[:, :, 0], values)
        self.write("filled.h5", values=np.zeros((0, 4), np.uint8),
                   options={"chunks": (100, 4), "maxshape": (None, 4), "fillvalue": 7})
        with h5py.File(self.folder / "filled.h5", "a") as file:
            file["x"].resize((400, 4))
        self.tool("convolve", "filled.h5:/x", "out.h5:/f", *HISTORY3, "-O")
        self.assertEqual(self.read("out.h5:/f")[300, 0, 0], 7)

    def test_a_fill_time_that_hdf5_does_not_know(self):
        """HDF5 hands out the byte that the file has, unchecked."""
        values = self.raw(self.folder, rows=400)
        times = (h5py.h5d.FILL_TIME_ALLOC, h5py.h5d.FILL_TIME_NEVER, h5py.h5d.FILL_TIME_IFSET)
        files = []
        for time in times:
            self.unfilled("u.h5", {0: values}, time)
            files.append(np.frombuffer((self.folder / "u.h5").read_bytes(), np.uint8))
        places, = np.nonzero((files[0] == times[0]) & (files[1] == times[1]) & (files[2] == times[2]))
        self.assertEqual(len(places), 1)
        damaged = files[0].copy()
        damaged[places[0]] = 72
        (self.folder / "damaged.h5").write_bytes(damaged.tobytes())
        self.refused("convolve", "damaged.h5:/x", "out.h5:/f", *HISTORY3, says=["damaged.h5:/x", "its fill time is 72"])
        self.assertIn("its fill time is 72", self.tool("info", "damaged.h5").stdout)

    def unfilled(self, name, written, time=h5py.h5d.FILL_TIME_NEVER):
        """400 x 4 bytes in chunks of 100 rows that HDF5 does not fill; the parts by their first row."""
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((100, 4))
        creation.set_fill_time(time)
        with h5py.File(self.folder / name, "w") as file:
            space = h5py.h5s.create_simple((400, 4))
            made = h5py.Dataset(h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_UINT8, space, creation))
            for row, values in written.items():
                made[row:row + len(values)] = values

    def test_a_virtual_dataset_of_itself(self):
        self.refused("convolve", self.virtual("self.h5", "."), "out.h5:/f", *HISTORY3,
                     says="a source of itself")
        self.virtual("a.h5", "b.h5")
        self.virtual("b.h5", "a.h5")
        self.refused("convolve", "a.h5:/x", "out.h5:/f", *HISTORY3, says="a source of itself")
        self.assertIn("a source of itself", self.tool("info", "a.h5").stdout)

    def test_overwriting_nothing_that_is_read(self):
        self.raw(self.folder)
        path = self.link("in.h5", "raw.h5")
        bank = self.write("bank.h5", values=np.ones((3, 2)))
        self.link("bank_link.h5", "bank.h5")
        (self.folder / "o.toml").write_text("window = 3\n")
        os.link(self.folder / "raw.h5", self.folder / "hard.h5")
        os.symlink("raw.h5", self.folder / "soft.h5")
        before = (self.folder / "raw.h5").read_bytes()
        for out, named in (("in.h5", "in.h5"), ("raw.h5", "raw.h5"), ("hard.h5", "hard.h5"),
                           ("soft.h5", "raw.h5")):     # the target of a link would be replaced
            with self.subTest(out=out):
                self.refused("convolve", path, f"{out}:/f", *HISTORY3, "-O", "--quiet", says=named)
        self.refused("convolve", path, "bank.h5:/f", "--bank", "bank_link.h5:/x", "-O", "--quiet",
                     says="bank.h5")
        for words in (("convolve", path, "o.toml:/f", "--basis", "history"),
                      ("basis", "--basis", "history", "--output", "o.toml:/f"),
                      ("simulate", "o.toml:/f", "--samples", "9", "--channels", "1")):
            with self.subTest(words=words[0]):
                if words[0] == "simulate":
                    (self.folder / "o.toml").write_text("seed = 3\n")
                self.refused(*words, "--config", "o.toml", "-O", "--quiet", says="o.toml")
        (self.folder / "d.toml").write_text(
            '[inputs.x]\ndata = "in.h5:/x"\n[bases.h]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "t"\ninput = "x"\nbasis = "h"\n')
        for out in ("raw.h5", "d.toml", "o.toml"):
            with self.subTest(design=out):
                (self.folder / "o.toml").write_text("border = 'nan'\n")
                self.refused("features", "d.toml", f"{out}:/f", "-O", "--quiet", "--config",
                             "o.toml", says=out)
        self.assertEqual((self.folder / "raw.h5").read_bytes(), before)
        self.assertEqual(self.read(bank).shape, (3, 2))


class Attributes(ToolCase):
    def test_what_is_no_number_is_not_taken_for_absent(self):
        values = np.full((100, 2), 5, np.int16)
        for name, value, words in (
                ("conversion", "1e-6", 'attribute conversion: the file holds string 1e-6'),
                ("conversion", np.array([1e-6, 1e-6]), "2 values"),
                ("conversion", np.nan, "nan"), ("conversion", 0.0, "0 is not a factor"),
                ("scale_factor", np.inf, "inf"), ("offset", "7", "holds string 7"),
                ("offset", np.nan, "nan"), ("rate_hz", "1000", "holds string 1000"),
                ("rate_hz", h5py.Empty("f8"), "0 values"), ("conversion", np.zeros(0), "0 values"),
                ("rate_hz", -1000.0, "-1000"), ("rate", np.nan, "nan"), ("sampling_rate", 0, "0")):
            with self.subTest(name=name, value=str(value)):
                self.write("in.h5", values=values, **{name: value})
                self.refused("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3,
                             says=["in.h5:/x, attribute " + name, words])
                (self.folder / "in.h5").unlink()
        self.write("in.h5", values=values, conversion="1e-6", offset="none")
        self.tool("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3, "--scale", "2", "--offset", "1")
        self.assertEqual(self.read("out.h5:/f")[50, 0, 0], 11)
        self.write("minus.h5", values=values, conversion=-2.0)
        self.tool("convolve", "minus.h5:/x", "out2.h5:/f", *HISTORY3)
        self.assertEqual(self.read("out2.h5:/f")[50, 0, 0], -10)


    def test_names_of_the_same_number_agree(self):
        values = np.full((100, 2), 5, np.int16)
        for first, second in (("rate_hz", "rate"), ("rate", "sampling_rate"), ("conversion", "scale_factor"),
                              ("offset", "add_offset")):
            with self.subTest(second=second):
                self.write("in.h5", values=values, **{first: 2.0, second: 3.0})
                self.refused("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3,
                             says=[f"its attributes {first}, 2, and {second}, 3, differ"])
                (self.folder / "in.h5").unlink()
        self.write("in.h5", values=values, rate_hz=2.0, rate=2.0, conversion=2.0, scale_factor=2.0)
        self.tool("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3)
        self.assertEqual(self.read("out.h5:/f")[50, 0, 0], 10)

    def test_marks_of_missing_values_are_applied_or_said(self):
        values = np.full((100, 2), 5, np.int16)
        values[50, 1] = -1
        for mark, said in ((np.int16(-1), 0), (np.nan, 0), ("none", 1)):
            self.write("in.h5", values=values, _FillValue=mark)
            done = self.tool("convolve", "in.h5:/x", "out.h5:/f", *HISTORY3, "-O")
            self.assertEqual(done.stderr.count("its attribute _FillValue"), said)
            self.assertEqual(bool(np.isnan(self.read("out.h5:/f")[51, 1, 2])), mark == -1)
            (self.folder / "in.h5").unlink()

    def test_info_shows_attributes_without_a_value(self):
        self.write("in.h5", values=np.ones((5, 2), np.int16), none=h5py.Empty("f8"), text=h5py.Empty("S1"),
                   zero=np.zeros((0, 3), np.int32), names=np.zeros(0, h5py.string_dtype()), most=np.uint64(2**64 - 1))
        found = self.tool("info", "in.h5").stdout
        for line in ("none = (none of float64)", "zero = (none of int32)", "names = (none of string)",
                     "most = 18446744073709551615"):
            self.assertIn(line, found)


class Units(ToolCase):
    def units(self, times, ids=(0, 1)):
        with h5py.File(self.folder / "u.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.6.0"
            file["units/id"] = np.array(ids)
            file["units/spike_times"] = np.array(times)
            file["units/spike_times_index"] = np.array([2, len(times)])
        return ("convolve", "u.nwb", "out.h5:/f", *HISTORY3, "--units", "--bin", "100ms", "-O")

    def test_ids_and_times(self):
        said = self.tool(*self.units([0.5, 1.5, 0.2, 2.5], ids=(4, 4))).stderr
        self.assertIn("the id 4 belongs to 2 units, so units are numbered: 0 to 1 are the rows of /units", said)
        self.refused(*self.units([0.5, 1e15, 0.2, 2.5]), says=["spike_times[1]", "year 10000"])
        said = self.tool(*self.units([-0.5, 1.5, -0.2, -0.1, 2.5])).stderr
        self.assertIn("3 before the first bin", said)


class Plugins(ToolCase):
    @unittest.skipUnless(PLUGIN, "SYNELIX_FILTER_PLUGIN names no plug-in")
    def test_they_are_loaded_where_that_is_allowed(self):
        values = np.arange(400, dtype=np.uint8).reshape(100, 4)
        with h5py.File(self.folder / "in.h5", "w") as file:
            creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            creation.set_chunk((100, 4))
            creation.set_filter(32001, h5py.h5z.FLAG_OPTIONAL, ())
            made = h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_UINT8,
                                   h5py.h5s.create_simple((100, 4)), creation)
            made.write_direct_chunk((0, 0), (values ^ 0xFF).tobytes())
        folder = self.folder / "plugins"
        folder.mkdir()
        shutil.copy(PLUGIN, folder)
        call = ("convolve", "in.h5:/x", "out.h5:/f", "--basis", "history", "--window", "1",
                "--no-shift", "--quiet")
        os.environ["HDF5_PLUGIN_PATH"] = str(folder)
        self.addCleanup(os.environ.pop, "HDF5_PLUGIN_PATH")
        self.refused(*call, says=["filter 32001", "--allow-plugins"])
        self.assertIn("missing here", self.tool("info", "in.h5").stdout)
        self.tool(*call, "--allow-plugins")
        np.testing.assert_array_equal(self.read("out.h5:/f")[:, :, 0], values)
        self.assertNotIn("missing here", self.tool("info", "in.h5", "--allow-plugins").stdout)


if __name__ == "__main__":
    unittest.main()
