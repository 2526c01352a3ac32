# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bins on the grids of cameras and clocks, recordings that start far from 0, and rows of intervals."""
import unittest

import h5py
import numpy as np

from tool import HISTORY1, ToolCase


class Bins(ToolCase):
    def units(self, times, name="made.nwb", observed=None, **trials):
        with h5py.File(self.folder / name, "w") as file:
            file.attrs["nwb_version"] = "2.6.0"
            file["units/id"] = np.arange(1)
            file["units/spike_times"] = times
            file["units/spike_times_index"] = np.array([len(times)])
            if observed:
                file["units/obs_intervals"] = np.array([observed])
                file["units/obs_intervals_index"] = np.array([1])
            for column, values in trials.items():
                file[f"intervals/trials/{column}"] = values

    def counts(self, width, *words):
        done = self.tool("counts", "made.nwb", "c.h5:/c", "--bin", width, "-O", *words)
        return self.read("c.h5:/c")[:, 0], done

    def test_events_on_the_grid_of_bins_are_one_in_each(self):
        for text, rate, samples in (("30Hz", 30, 3000), ("59.94Hz", 59.94, 3000), ("30000Hz", 30000, 90000),
                                    ("0.03333333333333333s", 30, 3000), ("10ms", 100, 6000)):
            for start in (0.0, 1.6e9):
                with self.subTest(bin=text, start=start):
                    times = start + np.arange(samples) / rate
                    self.units(times, observed=(start, start + samples / rate))
                    found, _ = self.counts(text, "--observed")
                    self.assertEqual(len(found), samples)
                    self.assertEqual((found != 1).sum(), 0)
                    digits = 2.3e-16 if rate == 59.94 else 0      # no double is this rate
                    np.testing.assert_allclose(self.read("c.h5:/time"), times, rtol=digits)

    def test_recordings_far_from_zero_begin_at_their_start(self):
        self.units(1.6e9 + np.array([0.255, 3.0, 60.0]))
        found, done = self.counts("10ms")
        self.assertEqual(len(found), 5975)
        self.assertEqual(self.read("c.h5:/time")[0], 1.6e9 + 0.25)
        said = " ".join(done.stderr.split())
        self.assertIn("bins begin at 1600000000.25 s, because the recording starts at 1600000000.255 s", said)
        self.assertIn("--from", said)
        found, done = self.counts("10ms", "--from", "1600000003s")
        self.assertEqual((len(found), found[0]), (5700, 1))
        self.units(1.6e9 + np.array([0.255, 3.0, 60.0]), observed=(1.6e9 - 1, 1.6e9 + 70))
        self.assertEqual(len(self.counts("10ms")[0]), 7100)
        self.units(np.array([0.255, 3.0, 60.0]))
        self.assertEqual(len(self.counts("10ms")[0]), 6000)
        self.refused("counts", "made.nwb", "d.h5:/c", "--bin", "10ms", "--from", "5", code=2,
                     says="--from")

    def test_a_design_of_spikes_begins_where_it_says(self):
        self.units(1.6e9 + np.arange(100) / 10)
        design = ('[inputs.s]\nunits = "made.nwb"\nbin = "100ms"\n[bases.b]\ntype = "history"\nwindow = 2\n'
                  '[[terms]]\nname = "t"\ninput = "s"\nbasis = "b"\n')
        (self.folder / "d.toml").write_text('[options]\nfrom = "1600000001s"\n' + design)
        self.tool("features", "d.toml", "f.h5:/f")
        self.assertEqual(self.read("f.h5:/time")[0], 1.6e9 + 1)
        self.tool("features", "d.toml", "f.h5:/f", "-O", "--from", "1600000002s")
        self.assertEqual(self.read("f.h5:/time")[0], 1.6e9 + 2)

    def test_rows_of_intervals(self):
        times = np.arange(3000) / 100 + 0.005
        trials = {"start_time": np.array([0.0, 4.0, np.nan, 20.0]), "stop_time": np.array([5.0, 9.0, 12.0, np.nan]),
                  "kind": np.array([0, 0, 1, 1])}
        self.units(times, **trials)
        found, done = self.counts("100ms", "--intervals", "trials")
        self.assertEqual(len(found), 90)
        said = " ".join(done.stderr.split())
        self.assertIn("2 of 4 rows are left out, row 2 first", said)
        self.assertIn("1 of 4 rows begin within another one and are joined", said)
        self.tool("convolve", "made.nwb", "f.h5:/f", "--units", "--bin", "100ms", *HISTORY1, "--intervals", "trials",
                  "--overlaps", "apart", "--where", "intervals.kind=0", "--strict-intervals")
        np.testing.assert_allclose(self.read("f.h5:/time"), np.arange(90) / 10)
        self.refused("counts", "made.nwb", "d.h5:/c", "--bin", "100ms", "--intervals", "trials", "--strict-intervals",
                     says=["trials[2]: nan to 12 s is not an interval of time", "--where"])
        self.assertIn("2 without a usable start and stop, 1 overlapping", self.tool("info", "made.nwb").stdout)
        self.refused("counts", "made.nwb", "d.h5:/c", "--bin", "1ms", "--overlaps", "apart", code=2,
                     says="Add --intervals")
        self.refused("counts", "made.nwb", "d.h5:/c", "--bin", "1ms", "--interval-stop", "excluded", code=2,
                     says="--observed")


if __name__ == "__main__":
    unittest.main()
