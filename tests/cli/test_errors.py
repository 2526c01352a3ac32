# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong files, arguments and places give one line on stderr, and the right exit code."""
import os
import subprocess
import unittest

import h5py
import numpy as np

from tool import LOG8, PROGRAM, ToolCase


class Usage(ToolCase):
    """Exit code 2, without Kokkos or a file being touched."""

    def test_commands(self):
        self.refused(says="Give one of these first: convolve", code=2)
        self.refused("frobnicate", says=["there is no 'frobnicate'", "Give one of these first"], code=2)
        self.refused("convolve", says="IN", code=2)
        self.refused("simulate", "a.h5:/x", says="--samples", code=2)
        call = ("convolve", "a.h5:/x", "b.h5:/y")
        self.refused(*call, "more", *LOG8, says="'more' is one word too many", code=2)
        done = self.refused(*call, *LOG8, "--quux7", says="there is no option '--quux7'", code=2)
        self.assertNotIn("Did you mean", done.stderr)
        for wrong, right in (("--bugdet", "--budget"), ("--verbos", None), ("--chanels=0:2", "--channels"), ("--Budget", "--budget")):
            done = self.refused(*call, *LOG8, wrong, "1MiB", says=f"there is no option '{wrong.split('=')[0]}'", code=2)
            if right:
                self.assertIn(f"Did you mean {right}?", done.stderr)

    def test_values(self):
        wrong = [
            ("--budget", "12Q"), ("--budget", "0"), ("--budget", "-1"), ("--batch", "1,2"),
            ("--batch", "0,1,1"), ("--batch", "a,,"), ("--chunk", "1x2"), ("--chunk", "0x1x1"),
            ("--filter", "gzip"), ("--filter", "shuffle"), ("--filter", "deflate:10"),
            ("--time", "5"),
            ("--time", "1parsec:"), ("--channels", "5:2"), ("--channels", "-1:2"),
            ("--causality", "sideways"), ("--border", "wrap"), ("--type", "half"),
            ("--method", "magic"), ("--every", "x"), ("--progress", "dance"), ("--scale", "nan"),
        ]
        for option, value in wrong:
            with self.subTest(option=option, value=value):
                self.refused("convolve", "a.h5:/x", "b.h5:/y", *LOG8, f"{option}={value}",
                             says=[option, f"'{value.rstrip(':')}' is not "], code=2)

    def test_filters(self):
        call = ("convolve", "a.h5:/x", "b.h5:/y")
        self.refused(*call, says="--basis", code=2)
        self.refused(*call, "--basis", "wavelet", says=["wavelet", "bspline"], code=2)
        self.refused(*call, "--basis", "bspline", "--window", "9", says="--bases", code=2)
        self.refused(*call, "--basis", "bspline", "--bases", "4", says="--window", code=2)
        self.refused(*call, "--basis", "bspline", "--bases", "4", "--window", "9", "--width", "2",
                     says=["--width", "bspline"], code=2)
        self.refused(*call, "--basis", "orth-exponential", "--window", "9", says="--decay-rates",
                     code=2)
        self.refused(*call, *LOG8, "--bank", "b.h5:/taps", says="--bank", code=2)

    def test_combinations(self):
        self.refused("convolve", "a.h5", "b.h5:/y", *LOG8, says="FILE:/dataset", code=2)
        self.refused("convolve", "a.h5:/x", "b.h5", *LOG8, says="FILE:/dataset", code=2)
        self.refused("convolve", "a.h5:/x", "b.h5:/y", *LOG8, "--bin", "1ms", says="--units",
                     code=2)
        self.refused("convolve", "a.nwb", "b.h5:/y", *LOG8, "--units", says="--bin", code=2)
        self.refused("convolve", "a.nwb", "b.h5:/y", *LOG8, "--units", "--bin", "1ms",
                     "--channels", "0:2", says="--channels", code=2)
        self.refused("convolve", "a.h5:/x", "b.h5:/y", *LOG8, "-O", "--append", says="--append",
                     code=2)
        self.refused("convolve", "a.h5:/x", "b.h5:/y", *LOG8, "--config", "none.toml",
                     says="none.toml", code=2)
        self.refused("features", "none.toml", "b.h5:/y", says=["none.toml: cannot be read", "No such file"])

    def test_texts_without_an_end(self):
        with open(self.folder / "large.toml", "wb") as large:
            large.truncate(1 << 40)
        for file, found in (("/dev/zero", "not a regular file"), ("large.toml", "1099511627776 bytes")):
            self.refused("convolve", "a.h5:/x", "b.h5:/y", *LOG8, "--config", file,
                         says=["--config", file + ": ", found], code=2)
            self.refused("features", file, "b.h5:/y", says=[file + ": ", found])

    def test_more_taps_than_memory(self):
        self.refused("basis", "--basis", "history", "--window", "100000",
                     says=["100000 x 100000", "at most 134217728 taps"])


class Inputs(ToolCase):
    def refuse(self, path, *words, says):
        return self.refused("convolve", path, "out.h5:/f", *LOG8, *words, says=says)

    def test_files_that_are_not_there_or_not_hdf5(self):
        self.refuse("none.h5:/x", says="none.h5")
        (self.folder / "text.h5").write_text("not a file of this kind\n" * 100)
        self.refuse("text.h5:/x", says="text.h5")
        (self.folder / "empty.h5").write_bytes(b"")
        self.refuse("empty.h5:/x", says="empty.h5")
        (self.folder / "folder.h5").mkdir()
        self.refuse("folder.h5:/x", says="folder.h5")

    def test_truncated_files(self):
        path, _ = self.counts(20000, 8)
        whole = (self.folder / "in.h5").read_bytes()
        for size in (len(whole) // 2, 1000, 100):
            (self.folder / "cut.h5").write_bytes(whole[:size])
            self.refuse("cut.h5:/x", says="cut.h5")

    def test_datasets(self):
        path, _ = self.counts()
        self.refuse("in.h5:/y", says="/y")
        with h5py.File(self.folder / "in.h5", "a") as file:
            file.create_group("group")
            file["scalar"] = 1.0
            file["text"] = ["a", "b"]
            file["complex"] = np.zeros((10, 2), dtype=np.complex64)
            file["none"] = np.zeros((0, 2), dtype=np.float32)
            file["narrow"] = np.zeros((10, 0), dtype=np.float32)
        for name, says in (("group", ["this is a group", "Give a dataset"]), ("scalar", "it has 0 dimensions"),
                           ("text", "it holds string"), ("complex", "it holds complex numbers"),
                           ("none", "(0, 2)"), ("narrow", "(10, 0)")):
            with self.subTest(name=name):
                self.refuse(f"in.h5:/{name}", says=says)

    def test_epochs(self):
        path, _ = self.counts()
        wrong = {
            "flat": np.zeros(4, dtype=np.int64),
            "three": np.zeros((2, 3), dtype=np.int64),
            "unsorted": np.array([(500, 600), (0, 100)]),
            "overlap": np.array([(0, 200), (100, 300)]),
            "outside": np.array([(0, 2000)]),
            "negative": np.array([(-5, 100)]),
            "reversed": np.array([(100, 50)]),
            "fractions": np.array([(0.5, 10.0)]),
            "none": np.zeros((0, 2), dtype=np.int64),
        }
        for name, values in wrong.items():
            with self.subTest(name=name):
                where = self.write("epochs.h5", name, values=values)
                self.refuse(path, "--epochs", where, says="poch")
        self.refuse(path, "--epochs", "none.h5:/e", says="none.h5")

    def test_windows(self):
        path, _ = self.counts(30, 5)
        call = ("convolve", path, "out.h5:/f", "--basis", "history", "--window")
        self.refused(*call, "100us", says=["100 us is 0.1 samples at 1000 Hz", "at least 1"])
        for border in ("nan", "valid"):
            self.refused(*call, 40, "--border", border,
                         says=["no row has a whole window: 30 samples, window 40", "is time"])
            self.refused(*call, 20, "--border", border, "--time", "0:10",
                         says="no row that --time selects")
        epochs = self.write("epochs.h5", "e", values=np.array([(0, 5), (10, 19)]))
        self.refused(*call, 10, "--epochs", epochs, says="9 samples in the longest epoch, window 10")
        done = self.tool(*call, "1.5ms")
        self.assertIn("1.5 ms is 1.5 samples at 1000 Hz; this run takes 2", done.stderr)
        self.assertNotIn("warning", self.tool(*call, "2ms", "-O").stderr)
        self.tool(*call, 40, "--border", "zero", "-O")

    def test_spike_times_are_no_signal(self):
        times = self.write("s.nwb", "units/spike_times", values=np.arange(100) / 7.0)
        self.tool("convolve", times, "a.h5:/f", *LOG8)      # not of a table of units
        self.write("s.nwb", "units/spike_times_index", values=np.array([50, 100]))
        self.refuse(times, says=["spike times", "s.nwb with --units --bin"])

    def test_ranges(self):
        path, _ = self.counts(1000, 5)
        self.refuse(path, "--channels", "0:6", says=["hannel", "5"])
        self.refuse(path, "--channels", "7", says="hannel")
        self.refuse(path, "--time", "0:2000", says=["ime", "1000"])
        self.refuse(path, "--time", "800:200", says="ime")

    def test_banks(self):
        path, _ = self.counts()
        for name, values, says in (("flat", np.zeros(0), "no tap"), ("cube", np.zeros((2, 2, 2)), "(2, 2, 2)"),
                                   ("nan", np.full((3, 2), np.nan), "nan"),
                                   ("text", np.array([b"x"]), "numbers of 1 or 2 dimensions")):
            with self.subTest(name=name):
                bank = self.write("bank.h5", name, values=values)
                self.refused("convolve", path, "out.h5:/f", "--bank", bank, says=says)

    def test_other_formats_are_named_with_a_way_to_hdf5(self):
        def lay(path, content=b""):
            place = self.folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)

        lay("old.zarr/.zgroup")
        lay("new.zarr/zarr.json")
        lay("array.zarr/.zarray")
        lay("sorted/params.py")
        np.save(self.folder / "sorted/spike_times.npy", np.arange(5))
        np.save(self.folder / "x.npy", np.arange(5))
        lay("run_g0/run_g0_t0.imec0.ap.bin", bytes(1000))
        lay("run_g0/run_g0_t0.imec0.ap.meta", b"nSavedChans=385")
        lay("old.mat", b"MATLAB 5.0 MAT-file, Platform: GLNXA64".ljust(200))
        lay("notes.txt", b"no recording at all, but long enough")
        (self.folder / "empty").mkdir()
        cases = {
            "old.zarr": ["a Zarr folder (.zgroup)", "zarr", "NWBHDF5IO"],
            "new.zarr": "a Zarr folder (zarr.json)", "array.zarr": "a Zarr folder (.zarray)",
            "new.zarr/zarr.json": "part of a Zarr folder",
            "sorted": ["a phy folder", "PhySortingInterface"],
            "sorted/spike_times.npy": "phy", "x.npy": ["NumPy", "numpy.load"],
            "run_g0": ["a SpikeGLX folder", "SpikeGLXRecordingInterface"],
            "run_g0/run_g0_t0.imec0.ap.bin": "a SpikeGLX recording",
            "run_g0/run_g0_t0.imec0.ap.meta": "a SpikeGLX header",
            "old.mat": ["MATLAB", "-v7.3"], "notes.txt": "not an HDF5 file", "empty": "a folder",
        }
        for path, says in cases.items():
            says = ["HDF5", *([says] if isinstance(says, str) else says)]
            with self.subTest(path=path):
                self.refused("convolve", path, "o.h5:/f", *LOG8, says=says)
                self.refused("convolve", f"{path}:/x", "o.h5:/f", *LOG8, says=says)
                self.refused("convolve", path, "o.h5:/f", *LOG8, "--units", "--bin", "1ms",
                             says=says)
                self.refused("info", path, says=says)
        path, _ = self.counts()
        self.refused("convolve", "in.h5", "o.h5:/f", *LOG8, says=["no dataset is named", "holds x"])
        with h5py.File(self.folder / "in.h5", "a") as file:
            file.create_group("units")
        self.refused("convolve", "in.h5", "o.h5:/f", *LOG8, says=["spike trains", "--units"])

    def test_a_unit_without_a_rate(self):
        path = self.write("in.h5", values=np.zeros((100, 2), dtype=np.float32))
        self.refused("convolve", path, "out.h5:/f", "--basis", "history", "--window", "10ms",
                     says=["rate", "samples"])

    def test_options_of_the_library(self):
        path, _ = self.counts()
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--batch", "5,,", says=["batch", "20"])
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--budget", "1000", says="budget")
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--method", "events", says="vents")
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--every", "0", says="every")
        self.refused("convolve", path, "out.h5:/f", "--basis", "bspline", "--bases", "3",
                     "--window", "20", says="order")
        self.refused("convolve", path, "out.h5:/f", "--basis", "history", "--window", "0",
                     says="window")


class Outputs(ToolCase):
    def test_an_existing_file_is_refused_replaced_or_added_to(self):
        path, _ = self.counts()
        self.tool("convolve", path, "out.h5:/f", *LOG8)
        before = (self.folder / "out.h5").read_bytes()
        self.refused("convolve", path, "out.h5:/f", *LOG8, says=["out.h5", "-O"])
        self.refused("convolve", path, "out.h5:/other", *LOG8, says="out.h5")
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--channels", "0:9", says="--channels")
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--budget", "1000", says="budget")
        plan = self.tool("plan", path, "out.h5:/f", *LOG8).stdout
        self.assertIn("exists: convolve will refuse without -O", plan)
        self.assertNotIn("exists", self.tool("plan", path, "out.h5:/f", *LOG8, "-O").stdout)
        self.assertIn("note", self.json("plan", path, "out.h5:/f", *LOG8, "--append")["features"])
        self.refused("simulate", "out.h5:/x", "--samples", 10, "--channels", 1, says="out.h5")
        self.refused("basis", *LOG8, "-o", "out.h5:/taps", says="out.h5")
        self.assertEqual((self.folder / "out.h5").read_bytes(), before)
        self.tool("convolve", path, "out.h5:/second", *LOG8, "--type", "double", "--append")
        self.assertEqual(self.read("out.h5:/f").dtype, np.float32)
        self.assertEqual(self.read("out.h5:/second").dtype, np.float64)
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--append", says="/f")
        self.tool("convolve", path, "out.h5:/third", *LOG8, "-O")
        with h5py.File(self.folder / "out.h5", "r") as file:
            self.assertNotIn("f", file)
            self.assertIn("third", file)

    def test_the_recordings_own_file(self):
        path, values = self.counts()
        self.refused("convolve", path, "in.h5:/f", *LOG8, "-O", says="in.h5")
        np.testing.assert_array_equal(self.read(path), values)
        self.tool("convolve", path, "in.h5:/f", *LOG8, "--append")
        np.testing.assert_array_equal(self.read(path), values)
        self.assertEqual(self.read("in.h5:/f").shape, (1000, 5, 8))

    def test_places_that_cannot_be_written_to(self):
        path, _ = self.counts()
        self.refused("convolve", path, "none/out.h5:/f", *LOG8, says="none")
        (self.folder / "file").write_text("")
        self.refused("convolve", path, "file/out.h5:/f", *LOG8, says="file")
        self.refused("convolve", path, "/proc/out.h5:/f", *LOG8, says="/proc")
        (self.folder / "folder.h5").mkdir()
        self.refused("convolve", path, "folder.h5:/f", *LOG8, "-O", says="folder.h5")

    def test_a_read_only_folder(self):
        path, _ = self.counts()
        (self.folder / "fixed").mkdir()
        done = self.in_namespace(
            "mount --bind fixed fixed && mount -o remount,bind,ro fixed || exit 77;"
            f"exec {PROGRAM} convolve {path} fixed/out.h5:/f {' '.join(LOG8)}")
        if done.returncode == 77:
            self.skipTest("no mounts here")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("fixed/out.h5", done.stderr)

    def test_a_disk_with_too_little_room_is_refused_before_the_start(self):
        path, _ = self.counts(50000, 8)
        (self.folder / "small").mkdir()
        done = self.in_namespace(
            "mount -t tmpfs -o size=4m tmpfs small || exit 77;"
            f"{PROGRAM} convolve {path} small/out.h5:/f {' '.join(LOG8)}; code=$?; ls -A small;"
            "exit $code")
        if done.returncode == 77:
            self.skipTest("no mounts here")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("free", done.stderr)
        self.assertIn("12.2 MiB", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_a_disk_that_fills_up(self):
        path, _ = self.counts(50000, 8)

        def limit():
            import resource
            resource.setrlimit(resource.RLIMIT_FSIZE, (4 << 20, 4 << 20))

        for call in (("convolve", path, "out.h5:/f", *LOG8, "--budget", "4MiB"),
                     ("simulate", "out.h5:/x", "--samples", 1000000, "--channels", 8)):
            with self.subTest(command=call[0]):
                done = self.tool(*call, "--quiet", code=1, preexec_fn=limit)
                self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
                self.assertEqual(sorted(os.listdir(self.folder)), ["in.h5"])

    def test_stdout_that_is_full(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, "basis", *LOG8], stdout=full, stderr=subprocess.PIPE,
                                  text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("stdout", done.stderr)


if __name__ == "__main__":
    unittest.main()
