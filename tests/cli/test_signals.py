# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Signals of NWB files: the meaning of their values and times, gaps, intervals."""
import unittest

import h5py
import numpy as np

from tool import HISTORY1, LOG8, ToolCase, reference


def segment_times(starts, lengths, rate):
    return np.concatenate([start + np.arange(n) / rate for start, n in zip(starts, lengths)])


class Signals(ToolCase):
    """A file with an ElectricalSeries of int16, conversions and offset, and gaps in its times."""

    rate = 1250.0
    lengths = (700, 1, 900, 400)
    starts = (3.5, 10.0, 20.25, 25.0004)

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(21)
        self.samples, self.channels = sum(self.lengths), 6
        self.stored = random.integers(-32768, 32768, (self.samples, self.channels), dtype=np.int16)
        self.conversion, self.offset = 1.95e-7, 0.0125
        self.channel_conversion = random.uniform(0.5, 2, self.channels)
        self.volts = (self.stored * self.conversion * self.channel_conversion + self.offset)
        self.times = segment_times(self.starts, self.lengths, self.rate)
        self.jittered = self.times + random.uniform(-0.2, 0.2, self.samples) / self.rate
        borders = np.cumsum((0, *self.lengths))
        self.epochs = list(zip(borders[:-1], borders[1:]))
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            self.add_series(file, "raw", self.stored, timestamps=self.jittered,
                            channel_conversion=self.channel_conversion)
            self.add_series(file, "steady", self.volts[:, 0], rate=(1.5, 1000.0), conversion=1.0,
                            offset=0.0)
            table = file.create_group("intervals/trials")
            table["start_time"] = [20.5, 3.6, 3.9, 24.0, 50.0]
            table["stop_time"] = [20.9, 3.9, 4.4, 25.1, 51.0]
            table["correct"] = [1, 0, 1, 1, 1]
            table["kind"] = np.array(["a", "b", "a", "b", "a"], dtype=h5py.string_dtype())

    def add_series(self, file, name, data, timestamps=None, rate=None, conversion=None,
                   offset=None, channel_conversion=None):
        group = file.create_group(f"acquisition/{name}")
        group.attrs["neurodata_type"] = "ElectricalSeries"
        group["data"] = data
        group["data"].attrs["conversion"] = self.conversion if conversion is None else conversion
        group["data"].attrs["offset"] = self.offset if offset is None else offset
        if timestamps is not None:
            group["timestamps"] = timestamps
        if channel_conversion is not None:
            group["channel_conversion"] = channel_conversion
            group["channel_conversion"].attrs["axis"] = 1
        if rate is not None:
            group["starting_time"], group["starting_time"].attrs["rate"] = rate

    def series_file(self, name, **options):
        with h5py.File(self.folder / name, "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            self.add_series(file, "x", np.zeros((len(options["timestamps"]), 1), np.float32),
                            conversion=1.0, offset=0.0, **options)
        return f"{name}:/acquisition/x"

    def samples_of_interval(self, start, stop):
        """Samples of the file by the fitted times, which are within 0.01 samples of the true."""
        inside = np.flatnonzero((self.times > start - 1e-4) & (self.times < stop - 1e-4))
        borders = [begin for begin, _ in self.epochs]
        return [part for part in np.split(inside, np.searchsorted(inside, borders)) if part.size]

    def test_values_and_gaps_equal_numpy(self):
        for words, shift in (((), True), (("--no-shift",), False)):
            expected = reference(self.volts, self.taps(*LOG8), epochs=self.epochs, shift=shift)
            for budget in ("64MiB", "400KiB"):
                with self.subTest(words=words, budget=budget):
                    report = self.json("convolve", "made.nwb:/acquisition/raw", "out.h5:/f", *LOG8,
                                       "-O", "--budget", budget, "--type", "double", *words)
                    self.assert_features(self.read("out.h5:/f"), expected, 1e-12)
        self.assertEqual(report["input"]["epochs"], 4)
        self.assertEqual(report["input"]["timestamps"]["segments"], 4)
        self.assertLess(report["input"]["timestamps"]["most_deviation_samples"], 0.25)
        self.assertAlmostEqual(report["input"]["rate_hz"], self.rate, delta=0.05)
        found = self.read("out.h5:/time")
        self.assertLess(np.abs(found - self.times).max(), 0.25 / self.rate)

    def test_the_dataset_of_a_series_is_the_series(self):
        self.tool("convolve", "made.nwb:/acquisition/raw", "a.h5:/f", *LOG8)
        self.tool("convolve", "made.nwb:/acquisition/raw/data", "b.h5:/f", *LOG8)
        np.testing.assert_array_equal(self.read("a.h5:/f"), self.read("b.h5:/f"))
        self.tool("convolve", "made.nwb:/acquisition/raw", "c.h5:/f", *LOG8, "--channels", "2:5")
        np.testing.assert_array_equal(self.read("c.h5:/f"), self.read("a.h5:/f")[:, 2:5])
        np.testing.assert_array_equal(self.read("c.h5:/channel"), [2, 3, 4])

    def test_the_rate_is_printed(self):
        said = self.tool("plan", "made.nwb:/acquisition/raw", *LOG8).stdout
        self.assertIn(" Hz, fitted to timestamps (", said)
        self.assertIn("4 segments)", said)
        said = self.tool("plan", "made.nwb:/acquisition/steady", *LOG8).stdout
        self.assertIn("at 1000 Hz\n", said)

    def test_starting_time(self):
        self.tool("convolve", "made.nwb:/acquisition/steady", "out.h5:/f", *HISTORY1,
                  "--time", "1.6s:1.7s", "--type", "double")
        np.testing.assert_allclose(self.read("out.h5:/time"), 1.6 + np.arange(100) / 1000)
        np.testing.assert_allclose(self.read("out.h5:/f").ravel(), self.volts[100:200, 0])

    def test_intervals(self):
        taps = self.taps(*LOG8)
        for words, rows in (((), (1, 2, 0, 3)),
                            (("--where", "correct=1"), (2, 0, 3)),
                            (("--where", "kind=a", "--where", "intervals.correct=1"), (2, 0))):
            with self.subTest(words=words):
                table = [(20.5, 20.9), (3.6, 3.9), (3.9, 4.4), (24.0, 25.1), (50.0, 51.0)]
                parts = [p for row in rows for p in self.samples_of_interval(*table[row])]
                done = self.tool("convolve", "made.nwb:/acquisition/raw", "out.h5:/f", *LOG8, "-O",
                                 "--intervals", "trials", *words, "--type", "double")
                expected = np.concatenate([reference(self.volts[part], taps) for part in parts])
                self.assert_features(self.read("out.h5:/f"), expected, 1e-12)
                times = self.times[np.concatenate(parts)]
                self.assertLess(np.abs(self.read("out.h5:/time") - times).max(), 0.05 / self.rate)
                self.assertIn("intervals hold no sample", done.stderr)    # from 50 to 51 s
        again = ("convolve", "made.nwb:/acquisition/raw", "again.h5:/f", *LOG8, "-O", "--type",
                 "double", "--where", "kind=a", "--where", "intervals.correct=1")
        for name in ("/intervals/trials", f"{self.folder}/made.nwb:/intervals/trials"):
            self.tool(*again, "--intervals", name)
            np.testing.assert_array_equal(self.read("again.h5:/f"), self.read("out.h5:/f"))
        self.tool(*again, "--intervals", "trials", "--time", "20s:20.6s", "--border", "zero")
        rows = len(self.read("again.h5:/f"))
        self.assertAlmostEqual(rows, 0.1 * self.rate, delta=1)

    def test_intervals_that_cannot_be_read(self):
        call = ("convolve", "made.nwb:/acquisition/raw", "out.h5:/f", *LOG8)
        self.refused(*call, "--intervals", "epochs", says=["no such table", "holds trials"])
        self.refused(*call, "--intervals", "/acquisition", says="no column start_time")
        self.refused(*call, "--intervals", "trials", "--where", "size=1", says=["size", "correct"])
        self.refused(*call, "--intervals", "trials", "--where", "kind=c", says="no interval left")
        self.refused(*call, "--where", "kind=c", says="--units", code=2)
        self.refused(*call, "--intervals", "/", says="NAME", code=2)
        self.refused(*call, "--intervals", "trials", "--where", "units.a=1", says="--units", code=2)
        self.refused(*call, "--intervals", "trials", "--time", "5:", says="times", code=2)
        self.refused(*call, "--intervals", "trials", "--epochs", "x.h5:/e", says="--epochs", code=2)
        tables = {
            "turned": ([1, 3], [2, 2.5], ["[1]", "3 to 2.5 s"]),
            "unknown": ([1, 3], [2, np.nan], ["[1]", "3 to nan s", "--where"]),
            "unequal": ([1, 3], [2], ["stop_time", "2 intervals"]),
            "outside": ([100], [200], ["no", "within 3.5"]),
            "nothing": ([5], [5], "no length"),
        }
        with h5py.File(self.folder / "tables.h5", "w") as file:
            for name, (start, stop, _) in tables.items():
                file[f"{name}/start_time"], file[f"{name}/stop_time"] = start, stop
        for name, (_, _, says) in tables.items():
            with self.subTest(table=name):
                self.refused(*call, "--intervals", f"tables.h5:/{name}", "--strict-intervals", says=says)
        path = self.write("in.h5", values=np.ones((1000, 5), np.uint8))
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--intervals", "made.nwb:/intervals/trials",
                     says="without a rate")

    def test_timestamps_that_are_no_rate(self):
        good = np.arange(2000) / 100.0
        cases = {
            "late": (1400, 0.006, "[1400]"),          # 0.6 of a period
            "back": (1400, -0.02, "do not go down"),
            "nan": (70, np.nan, ["timestamps[70]", "not a number"]),
            "infinite": (1999, np.inf, "timestamps[1999]"),
        }
        for name, (place, change, says) in cases.items():
            with self.subTest(name=name):
                times = good.copy()
                times[place] += change
                path = self.series_file(f"{name}.nwb", timestamps=times)
                self.refused("convolve", path, "out.h5:/f", *LOG8, says=says)
        drifting = good.copy()
        drifting[1000:] = drifting[1000] + np.arange(1000) / 100.3
        path = self.series_file("drift.nwb", timestamps=drifting)
        self.refused("convolve", path, "out.h5:/f", *LOG8, says=["timestamps[", "expected"])
        path = self.series_file("slow.nwb", timestamps=good * (1 + 3e-5))   # a clock that is off
        self.assertAlmostEqual(self.json("plan", path, *LOG8)["input"]["rate_hz"],
                               100 / (1 + 3e-5), places=9)

    def test_info_names_what_can_be_asked_for(self):
        said = self.tool("info", "made.nwb").stdout
        self.assertIn("/acquisition/raw: 2,001 x 6 int16 (ElectricalSeries), 1250", said)
        self.assertIn("in 4 segments: sample 0 from 3.5", said)
        self.assertIn("/acquisition/steady: 2,001 float64 (ElectricalSeries), 1000 Hz from 1.5 s",
                      said)
        self.assertIn("trials: 5 from 3.6 to 51 s; columns correct, kind, start_time, stop_time",
                      said)
        report = self.json("info", "made.nwb")
        self.assertEqual([s["first_sample"] for s in report["signals"][0]["segments"]],
                         [begin for begin, _ in self.epochs])
        self.assertEqual(report["intervals"][0]["rows"], 5)
        path = self.series_file("late.nwb", timestamps=np.array([0, 0.1, 0.2, 0.299, 0.2, 0.5]))
        self.assertIn("cannot be read", self.tool("info", path.split(":")[0]).stdout)


class ObservedUnits(ToolCase):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(4)
        self.trains = [np.sort(random.uniform(0, 20, 400)) for _ in range(3)]
        observed = [[(0, 20)], [(2.0, 9.0), (11.0, 18.0)], [(5.0, 15.0)]]
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            units = file.create_group("units")
            units["id"] = [1, 2, 3]
            units["spike_times"] = np.concatenate(self.trains)
            units["spike_times_index"] = np.cumsum([len(t) for t in self.trains])
            units["obs_intervals"] = np.array([i for each in observed for i in each], float)
            units["obs_intervals_index"] = np.cumsum([len(o) for o in observed])
            units["shank"] = [0, 0, 1]
            trials = file.create_group("intervals/trials")
            trials["start_time"], trials["stop_time"] = [1.0, 8.0, 14.5], [4.0, 12.0, 15.5]
            trials["shank"] = [1, 0, 0]

    def counts_in(self, intervals, units=(0, 1, 2)):
        rows = []
        for start, stop in intervals:
            edges = np.round(start + np.arange(round((stop - start) / 0.1) + 1) * 0.1, 9)
            rows.append(np.stack([np.histogram(self.trains[u], edges)[0] for u in units], 1))
        return np.concatenate(rows)

    def convolve(self, *words):
        done = self.tool("convolve", "made.nwb", "out.h5:/f", "--units", "--bin", "100ms", "-O",
                         *HISTORY1, *words)
        return self.read("out.h5:/f")[:, :, 0], done.stderr

    def test_observed(self):
        found, said = self.convolve()
        self.assertEqual(len(found), 200)
        self.assertIn("obs_intervals: in 12 of 20 s", said)
        found, said = self.convolve("--observed")
        self.assertNotIn("obs_intervals", said)
        np.testing.assert_array_equal(found, self.counts_in([(5, 9), (11, 15)]))
        np.testing.assert_allclose(self.read("out.h5:/time")[[0, 39, 40]], [5, 8.9, 11])
        found, _ = self.convolve("--observed", "--intervals", "trials")
        np.testing.assert_array_equal(found, self.counts_in([(8, 9), (11, 12), (14.5, 15)]))
        found, _ = self.convolve("--observed", "--unit-ids", "1")
        np.testing.assert_array_equal(found, self.counts_in([(0, 20)], [0]))

    def test_conditions_name_their_table(self):
        found, _ = self.convolve("--intervals", "trials", "--where", "units.shank=0", "--where",
                                 "intervals.shank=0")
        np.testing.assert_array_equal(found, self.counts_in([(8, 12), (14.5, 15.5)], [0, 1]))
        found, _ = self.convolve("--where", "shank=1")
        np.testing.assert_array_equal(found, self.counts_in([(0, 20)], [2]))
        call = ("convolve", "made.nwb", "x.h5:/f", "--units", "--bin", "100ms", *HISTORY1)
        self.refused(*call, "--intervals", "trials", "--where", "shank=0",
                     says=["units.shank=0", "intervals.shank=0"], code=2)
        self.refused(*call, "--where", "intervals.shank=0", says="--intervals", code=2)

    def test_windows_do_not_cross_intervals(self):
        self.tool("convolve", "made.nwb", "out.h5:/f", "--units", "--bin", "100ms", *LOG8,
                  "--intervals", "trials", "--unit-ids", "1")
        parts = [self.counts_in([i], [0]) for i in ((1, 4), (8, 12), (14.5, 15.5))]
        taps = self.taps(*LOG8)
        self.assert_features(self.read("out.h5:/f"),
                             np.concatenate([reference(part, taps) for part in parts]))

    def test_units_that_were_never_observed_together(self):
        with h5py.File(self.folder / "made.nwb", "a") as file:
            file["units/obs_intervals"][3] = (18.0, 19.0)
        call = ("convolve", "made.nwb", "x.h5:/f", "--units", "--bin", "100ms", *HISTORY1)
        self.refused(*call, "--observed", says="no time when all 3 selected units were observed")
        with h5py.File(self.folder / "made.nwb", "a") as file:
            file["units/obs_intervals"][3] = (19.0, 18.0)
        self.refused(*call, "--observed", says=["unit 3", "[3]", "19 to 18 s"])
        with h5py.File(self.folder / "made.nwb", "a") as file:
            del file["units/obs_intervals"]
        self.refused(*call, "--observed", says="no such column")
        path, _ = self.counts()
        self.refused("convolve", path, "x.h5:/f", *HISTORY1, "--observed", says="--units", code=2)


if __name__ == "__main__":
    unittest.main()
