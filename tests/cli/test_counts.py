# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix counts: targets in the bins of convolve; and the descriptions of the times of rows in outputs."""
import os
import pathlib
import signal
import subprocess
import unittest

import h5py
import numpy as np

from tool import HISTORY1, LOG8, PROGRAM, ToolCase

DATA = os.environ.get("SYNELIX_TEST_DATA")


def bins_of(bin_seconds, start, stop):
    """The edges of bins that are kept: those whose center is at or before the end."""
    edges = np.round(start + np.arange(int((stop - start) / bin_seconds) + 3) * bin_seconds, 9)
    kept = int(((edges[:-1] + edges[1:]) / 2 <= stop).sum())
    return edges[:kept + 1]


def counts_in(trains, bin_seconds, intervals):
    """Counts with only NumPy, with the centers of their bins: the rows of all intervals, consecutively."""
    rows, centers = [], []
    for start, stop in intervals:
        edges = bins_of(bin_seconds, start, stop)
        columns = []
        for times in trains:
            inside = times[(times >= edges[0]) & (times < edges[-1]) & (times <= stop)]
            place = np.searchsorted(edges, inside, side="right") - 1
            columns.append(np.bincount(place, minlength=len(edges) - 1))
        rows.append(np.stack(columns, 1))
        centers.append(np.round(edges[:-1] + bin_seconds / 2, 9))
    return np.concatenate(rows), np.concatenate(centers)


class Counts(ToolCase):
    END = 12.3456
    TRIALS = [(1.0, 3.5004), (4.25, 4.9), (7.0, 12.0)]

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(3)
        edges = np.round(np.arange(1, 900) * 0.01, 9)            # spikes on edges of 10 ms bins
        self.trains = [np.sort(np.concatenate([edges, random.uniform(0.0, self.END, 500)])),
                       np.sort(random.uniform(0.0417, 9.0, 300)), np.sort(random.uniform(2.0, self.END, 90))]
        self.trains[1][0] = 0.0312                               # the first spike of unit 3
        self.trains[0] = self.trains[0][self.trains[0] > 0.05]
        self.session("made.nwb", [7, 3, 9], self.trains)

    def session(self, name, ids, trains):
        with h5py.File(self.folder / name, "w") as file:
            file.attrs["nwb_version"] = "2.4.0"
            units = file.create_group("units")
            units.attrs["colnames"] = np.array(["location", "spike_times"], dtype=h5py.string_dtype())
            units["id"] = np.array(ids)
            units["spike_times"] = np.concatenate(trains)
            units["spike_times_index"] = np.cumsum([len(t) for t in trains]).astype(np.uint32)
            units["location"] = np.array(["CA1", "CA3", "CA1"][:len(ids)], dtype=h5py.string_dtype())
            for table, rows in (("epochs", [(0.0, self.END)]), ("trials", self.TRIALS)):
                group = file.create_group(f"intervals/{table}")
                group["start_time"], group["stop_time"] = np.array(rows).T
                group["id"] = np.arange(len(rows))

    def attributes(self, path):
        file, _, name = path.rpartition(":")
        with h5py.File(self.folder / file) as opened:
            return dict(opened[name].attrs)

    def test_counts_are_those_of_numpy(self):
        for words, trains in (((), self.trains), (("--unit-ids", "9,7"), [self.trains[2], self.trains[0]]),
                              (("--where", "location=CA3"), self.trains[1:2])):
            for text, seconds in (("10ms", 0.01), ("1ms", 0.001), ("50ms", 0.05)):
                with self.subTest(words=words, bin=text):
                    self.tool("counts", "made.nwb", "c.h5:/counts", "--bin", text, *words, "-O")
                    expected, centers = counts_in(trains, seconds, [(0.0, self.END)])
                    found = self.read("c.h5:/counts")
                    np.testing.assert_array_equal(found, expected)
                    self.assertEqual(found.dtype, np.uint8)
                    np.testing.assert_array_equal(self.read("c.h5:/time_center"), centers)

    def test_rows_are_those_of_convolve(self):
        trials = ("--intervals", "trials")
        self.write("one.h5", "taps", values=np.ones((1, 1)))     # a tap at the present sample leaves counts as they are
        for words in ((), trials, (*trials, "--time", "2s:8s"), ("--time", "300:700"), ("--unit-ids", "3")):
            with self.subTest(words=words):
                self.tool("counts", "made.nwb", "c.h5:/counts", "--bin", "10ms", *words, "-O")
                self.tool("convolve", "made.nwb", "f.h5:/f", "--units", "--bin", "10ms", *words, "-O",
                          "--bank", "one.h5:/taps", "--no-shift")
                np.testing.assert_array_equal(self.read("f.h5:/f")[:, :, 0], self.read("c.h5:/counts"))
                for name in ("time", "time_center", "channel"):
                    np.testing.assert_array_equal(self.read(f"f.h5:/{name}"), self.read(f"c.h5:/{name}"), name)
        self.tool("counts", "made.nwb", "c.h5:/counts", "--bin", "10ms", *trials, "-O")
        expected, centers = counts_in(self.trains, 0.01, self.TRIALS)
        np.testing.assert_array_equal(self.read("c.h5:/counts"), expected)
        np.testing.assert_allclose(self.read("c.h5:/time_center"), centers, atol=1e-9)

    def test_times_say_what_they_are(self):
        self.tool("counts", "made.nwb", "c.h5:/counts", "--bin", "10ms")
        self.tool("convolve", "made.nwb", "f.h5:/f", "--units", "--bin", "10ms", *LOG8, "--every", "3")
        for file, each in (("c.h5", 1), ("f.h5", 3)):
            start, center = self.attributes(f"{file}:/time"), self.attributes(f"{file}:/time_center")
            self.assertEqual((start["position"], center["position"]), ("start of the bin", "center of the bin"))
            self.assertEqual((start["centers"], start["unit"], center["unit"]), ("/time_center", "seconds", "seconds"))
            self.assertEqual(start["bin_seconds"], 0.01)
            np.testing.assert_allclose(self.read(f"{file}:/time_center"), self.read(f"{file}:/time") + 0.005, atol=1e-9)
            np.testing.assert_allclose(self.read(f"{file}:/time")[:2], [0, 0.01 * each])
        self.assertEqual(self.attributes("c.h5:/counts")["coordinates"], "/time /channel")
        # Samples of an array have no width, unless the array is marked as counts of bins.
        path, _ = self.counts()
        self.tool("convolve", path, "a.h5:/f", *LOG8)
        self.assertEqual(self.attributes("a.h5:/time")["position"], "sample")
        with h5py.File(self.folder / "a.h5") as file:
            self.assertNotIn("time_center", file)
        self.tool("convolve", "c.h5:/counts", "b.h5:/f", *LOG8)
        np.testing.assert_array_equal(self.read("b.h5:/time_center"), self.read("c.h5:/time_center"))

    def test_appended_outputs_have_centers_of_their_own(self):
        self.tool("counts", "made.nwb", "c.h5:/counts", "--bin", "10ms")
        self.tool("convolve", "made.nwb", "c.h5:/f", "--units", "--bin", "20ms", *LOG8, "--append")
        self.assertEqual(self.attributes("c.h5:/f")["coordinates"], "/f_time /f_channel")
        self.assertEqual(self.attributes("c.h5:/f_time")["centers"], "/f_time_center")
        self.assertEqual(len(self.read("c.h5:/f_time_center")), len(self.read("c.h5:/f")))

    def test_types(self):
        many = np.sort(np.random.default_rng(1).uniform(0.0, 1.0, 400))
        self.session("many.nwb", [1], [many])
        for words, dtype in (((), np.uint16), (("--type", "float"), np.float32), (("--type", "uint16"), np.uint16)):
            self.tool("counts", "many.nwb", "c.h5:/c", "--bin", "5s", *words, "-O")
            found = self.read("c.h5:/c")
            self.assertEqual((found.dtype, found[0, 0], found.sum()), (dtype, 400, 400))
        self.refused("counts", "many.nwb", "d.h5:/c", "--bin", "5s", "--type", "uint8",
                     says=["--type", "400", "255", "shorter --bin"])
        self.assertFalse((self.folder / "d.h5").exists())

    def test_rows_that_are_not_written_do_not_count(self):
        times = np.sort(np.concatenate([np.random.default_rng(1).uniform(5.0, 9.9, 400), [0.5, 1.5]]))
        self.session("late.nwb", [1], [times])
        report = self.json("counts", "late.nwb", "c.h5:/c", "--bin", "5s", "--time", "0s:5s", "--type", "uint8")
        self.assertEqual((report["largest_count"], report["spikes_written"]), (2, 2))

    def test_blocks_and_filters_change_no_count(self):
        self.tool("counts", "made.nwb", "c.h5:/counts", "--bin", "10us")
        whole = self.read("c.h5:/counts")
        self.assertGreater(len(whole), 1_000_000)
        self.assertEqual(whole.sum(), sum((t <= self.END).sum() for t in self.trains))
        for words in (("--budget", "200KiB"), ("--filter", "shuffle,deflate:1", "--budget", "2MiB")):
            self.tool("counts", "made.nwb", "d.h5:/counts", "--bin", "10us", *words, "-O")
            np.testing.assert_array_equal(self.read("d.h5:/counts"), whole)
            np.testing.assert_array_equal(self.read("d.h5:/time_center"), self.read("c.h5:/time_center"))
        self.assertLess(os.path.getsize(self.folder / "d.h5"), os.path.getsize(self.folder / "c.h5"))

    def test_peak_stays_within_budget_and_program(self):
        program_bytes = 12 << 20       # private memory of the program, its libraries and their threads
        for words in ((), ("--filter", "shuffle,deflate:1"), ("--type", "float")):
            report = self.json("counts", "made.nwb", "c.h5:/counts", "--bin", "2us", "--budget", "3MiB", *words, "-O")
            rows, units = report["shape"]
            self.assertGreater(rows * (units + 16), 100 << 20)       # counts and times
            self.assertGreater(report["peak_bytes"], report["program_bytes"])
            self.assertLessEqual(report["peak_bytes"], (3 << 20) + program_bytes, words)

    def test_the_least_budget_that_is_named_works(self):
        for more in ((), ("--type", "uint8"), ("--filter", "shuffle,deflate:1")):
            words = ("counts", "made.nwb", "c.h5:/counts", "--bin", "10ms", "-O", *more)
            done = self.refused(*words, "--budget", 100, says="at least ")
            least = int(done.stderr.split("at least ")[1].split()[0])
            self.refused(*words, "--budget", least - 1, says=f"at least {least} bytes")
            self.tool(*words, "--budget", least)

    def test_the_report_says_how_to_align(self):
        for words in (("plan", "made.nwb", *HISTORY1, "--units"), ("counts", "made.nwb", "c.h5:/counts", "-O")):
            done = self.tool(*words, "--bin", "10ms")
            text = " ".join((done.stdout + done.stderr).split())
            for part in ("1,235 of 10 ms, from 0 s to 12.3456 s", "count(0.01) starts at the first spike, 0.0312 s",
                         "3.12 bins later", "count(0.01, ep=nap.IntervalSet(0, 12.3456))"):
                self.assertIn(part, text)
        bins = self.json("counts", "made.nwb", "c.h5:/counts", "--bin", "10ms", "-O")["bins"]
        self.assertEqual((bins["count"], bins["start_seconds"], bins["first_spike_seconds"]), (1235, 0, 0.0312))
        self.assertEqual(bins["first_spike_offset_seconds"], 0.0312)
        done = self.tool("plan", "made.nwb", *HISTORY1, "--units", "--bin", "10ms", "--intervals", "trials")
        self.assertIn("restart at each of 3 intervals", done.stdout)
        self.assertNotIn("IntervalSet", done.stdout)

    def test_counts_are_a_target(self):
        """Features and counts of the same options make one data set, without a shift of rows."""
        self.tool("counts", "made.nwb", "c.h5:/counts", "--bin", "10ms", "--intervals", "trials")
        (self.folder / "d.toml").write_text(
            '[inputs.spikes]\nunits = "made.nwb"\nbin = "10ms"\n'
            '[bases.b]\ntype = "raised-cosine-log"\nbases = 3\nwindow = 20\n'
            '[[terms]]\nname = "t"\ninput = "spikes"\nbasis = "b"\n')
        self.tool("features", "d.toml", "f.h5:/f", "--intervals", "trials")
        for name in ("time", "time_center"):
            np.testing.assert_array_equal(self.read(f"f.h5:/{name}"), self.read(f"c.h5:/{name}"))

    @unittest.skipUnless("SYNELIX_ENDED_AT" in os.environ, "no library that ends the program")
    def test_a_killed_run_goes_on_with_the_same_centers(self):
        names = ("f", "time", "time_center", "channel")
        for more in ((), ("--filter", "shuffle,deflate:1")):
            words = ("--units", "--bin", "1ms", *LOG8, "--intervals", "trials", "--budget", "1MiB", *more, "-O")
            self.tool("convolve", "made.nwb", "one.h5:/f", *words)
            one = [self.read(f"one.h5:/{name}").tobytes() for name in names]
            kills = 0
            for call in (5, 15, 30, 60):
                with self.subTest(more=more, call=call):
                    run = ("convolve", "made.nwb", "out.h5:/f", *words)
                    ended_at = {"LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"], "ENDED_AT": str(call)}
                    killed = subprocess.run([PROGRAM, *run], cwd=self.folder, capture_output=True, text=True,
                                            env=self.environment(**ended_at))
                    self.assertIn(killed.returncode, (0, -signal.SIGKILL), killed.stderr)
                    kills += killed.returncode != 0
                    self.tool(*run, "--resume")
                    self.assertEqual([self.read(f"out.h5:/{name}").tobytes() for name in names], one)
                    for left in self.folder.glob("out.h5*"):
                        left.unlink()
            self.assertGreater(kills, 1)

    def test_parts_have_the_same_centers(self):
        words = ("convolve", "made.nwb", "one.h5:/f", "--units", "--bin", "1ms", *LOG8, "--intervals", "trials")
        self.tool(*words)
        names = ("f", "time", "time_center", "channel")
        one = [self.read(f"one.h5:/{name}").tobytes() for name in names]

        def with_output(name):
            return [name + ":/f" if word == "one.h5:/f" else word for word in words]

        for part in range(3):
            self.tool(*with_output("parts.h5"), "--part", f"{part}/3")
        for part in range(3):
            self.tool(*with_output("joined.h5"), "--part", f"{part}/3", "--filter", "deflate:1")
        self.tool("join", "joined.h5")
        for file in ("parts.h5", "joined.h5"):
            self.assertEqual([self.read(f"{file}:/{name}").tobytes() for name in names], one, file)
            self.assertEqual(self.attributes(f"{file}:/time_center"), self.attributes("one.h5:/time_center"))

    def test_the_lines_of_the_page(self):
        """docs/recordings.md: features and counts of the same rows."""
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "recordings.md").read_text()
        lines = page.split("## Counts beside features")[1].split("```bash\n")[1].split("```")[0]
        self.session("session.nwb", [7, 3, 9], self.trains)
        done = subprocess.run(["bash", "-euc", lines], cwd=self.folder, text=True, capture_output=True, env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.read("features.h5:/features")), len(self.read("counts.h5:/counts")))
        np.testing.assert_array_equal(self.read("features.h5:/time"), self.read("counts.h5:/time"))

    def test_wrong_words(self):
        call = ("counts", "made.nwb", "c.h5:/counts")
        self.refused(*call, says="--bin", code=2)
        self.refused(*call, "--bin", "10", says="--bin", code=2)
        self.refused("counts", "made.nwb", "c.h5", "--bin", "10ms", says=["OUT", "names no dataset"], code=2)
        self.refused(*call, "--bin", "10ms", "--type", "int8", says=["--type", "uint16"], code=2)
        self.refused(*call, "--bin", "10ms", "--unit-ids", "5", says="no unit 5")
        self.refused(*call, "--bin", "10ms", "--time", "20s:30s", says="--time")
        self.refused("counts", "none.nwb", "c.h5:/counts", "--bin", "10ms", says="none.nwb")
        self.tool(*call, "--bin", "10ms")
        self.refused(*call, "--bin", "10ms", says=["c.h5", "-O"])
        self.refused("counts", "made.nwb", "made.nwb:/counts", "--bin", "10ms", "-O", says="made.nwb", code=2)


@unittest.skipUnless(DATA, "SYNELIX_TEST_DATA, the folder of A8604.nwb, is not set")
class Recording(ToolCase):
    def test_a8604(self):
        path = pathlib.Path(DATA) / "A8604.nwb"
        with h5py.File(path) as file:
            ends = file["units/spike_times_index"][...].astype(int)
            trains = np.split(file["units/spike_times"][...], ends[:-1])
        end = max(train.max() for train in trains)
        with h5py.File(path) as file:
            for place in ("intervals/epochs/stop_time", "units/obs_intervals"):
                if place in file:
                    end = max(end, float(np.max(file[place][...])))
        for text, seconds in (("10ms", 0.01), ("1ms", 0.001)):
            with self.subTest(bin=text):
                report = self.json("counts", path, "c.h5:/counts", "--bin", text, "-O")
                expected, centers = counts_in([np.sort(train) for train in trains], seconds, [(0.0, end)])
                np.testing.assert_array_equal(self.read("c.h5:/counts"), expected)
                np.testing.assert_array_equal(self.read("c.h5:/time_center"), centers)
                self.assertEqual(report["bins"]["first_spike_seconds"], min(train.min() for train in trains))
                self.assertEqual(report["spikes_written"], expected.sum())
                self.tool("convolve", path, "f.h5:/f", "--units", "--bin", text, *LOG8, "-O")
                for name in ("time", "time_center", "channel"):
                    np.testing.assert_array_equal(self.read(f"f.h5:/{name}"), self.read(f"c.h5:/{name}"))
                self.assertEqual(len(self.read("f.h5:/f")), len(expected))


if __name__ == "__main__":
    unittest.main()
