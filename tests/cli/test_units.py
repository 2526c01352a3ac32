# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix convolve --units: spike trains of an NWB file."""
import json
import unittest

import h5py
import numpy as np

from tool import HISTORY1, LOG8, ToolCase, reference


def pynapple_counts(times, bin_seconds, start, end):
    """Counts by the rule: edges rounded to 1e-9 s, bins whose centre is at or before the end."""
    edges = np.round(start + np.arange(int((end - start) / bin_seconds) + 3) * bin_seconds, 9)
    kept = ((edges[:-1] + edges[1:]) / 2 <= end).sum()
    inside = times[(times >= start) & (times <= end)]
    place = np.searchsorted(edges, inside, side="right") - 1
    return np.bincount(place[place < kept], minlength=kept)[:kept]


class Units(ToolCase):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(11)
        self.end = 12.3456
        ticks = [np.sort(random.integers(0, int(self.end * 30000), n)) / 30000
                 for n in (400, 250, 120)]
        edges = np.round(np.arange(1, 1000) * 0.01, 9)       # spikes on edges of 10 ms bins
        self.trains = [np.sort(np.concatenate([ticks[0], edges])), ticks[1], ticks[2]]
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.4.0"
            units = file.create_group("units")
            units.attrs["colnames"] = np.array(["location", "spike_times"],
                                               dtype=h5py.string_dtype())
            units["id"] = np.array([7, 3, 9])
            units["spike_times"] = np.concatenate(self.trains)
            units["spike_times_index"] = np.cumsum([len(t) for t in self.trains]).astype(np.uint16)
            units["location"] = np.array(["CA1", "thalamus", "CA1"], dtype=h5py.string_dtype())
            epochs = file.create_group("intervals/epochs")
            epochs["start_time"] = np.array([0.0])
            epochs["stop_time"] = np.array([self.end])
            epochs["id"] = np.array([0])

    def expected(self, bin_seconds):
        return np.stack([pynapple_counts(t, bin_seconds, 0, self.end) for t in self.trains], 1)

    def convolve(self, *words, bank=HISTORY1):
        self.tool("convolve", "made.nwb", "out.h5:/f", "--units", *bank, *words, "-O")
        return self.read("out.h5:/f")

    def test_counts(self):
        for text, seconds in (("10ms", 0.01), ("0.01s", 0.01), ("10000us", 0.01), ("1ms", 0.001), ("2ms", 0.002)):
            with self.subTest(bin=text):
                found = self.convolve("--bin", text)[:, :, 0]
                np.testing.assert_array_equal(found, self.expected(seconds))

    def test_features_equal_those_of_the_counts(self):
        found = self.convolve("--bin", "10ms", bank=LOG8)
        self.assert_features(found, reference(self.expected(0.01), self.taps(*LOG8)))
        self.write("counts.h5", values=self.expected(0.01).astype(np.uint8))
        self.tool("convolve", "counts.h5:/x", "dense.h5:/f", *LOG8)
        np.testing.assert_array_equal(self.read("dense.h5:/f"), found)
        for method in ("direct", "events"):
            again = self.convolve("--bin", "10ms", "--method", method, bank=LOG8)
            np.testing.assert_array_equal(again, found, method)

    def test_through_a_device(self):
        near = self.convolve("--bin", "1ms", bank=LOG8)
        words = ("convolve", "made.nwb", "staged.h5:/f", "--units", *LOG8, "--bin", "1ms",
                 "--staging", "always", "--budget", "2MiB")
        report = self.json(*words, "--host-budget", "2MiB")
        np.testing.assert_array_equal(self.read("staged.h5:/f"), near)
        self.assertTrue(report["staging"]["is_staged"])
        self.assertLessEqual(report["staging"]["device_bytes"], 2 << 20)
        self.assertLessEqual(report["memory"]["total_bytes"], 2 << 20)
        self.refused(*words, "--host-budget", "100", "-O", says="--host-budget")

    def test_the_least_budget_that_is_named_works(self):
        words = ("convolve", "made.nwb", "out.h5:/f", "--units", *LOG8, "--bin", "1ms", "-O")
        whole = self.convolve("--bin", "1ms", bank=LOG8)
        epochs = self.write("e.h5", "e", values=np.array([(0, 3000), (3000, 12000)]))
        done = self.refused(*words, "--budget", 100, says=["--budget: 100 bytes", "at least ", "that the input takes"])
        budget = int(done.stderr.split("at least ")[1].split()[0])
        self.refused(*words, "--budget", budget - 1, says=f"at least {budget} bytes")
        self.tool(*words, "--budget", budget)
        np.testing.assert_array_equal(self.read("out.h5:/f"), whole)
        # Epochs of another file copy no train.
        self.tool(*words, "--budget", budget + (1 << 10), "--epochs", epochs)

    def test_a_window_with_a_unit(self):
        done = self.tool("convolve", "made.nwb", "out.h5:/f", "--units", "--bin", "10ms", "--basis",
                         "history", "--window", "100ms", "--json")
        report = json.loads(done.stdout)
        self.assertEqual(report["filters"]["window"], 10)
        self.assertIn("10 bins of 10 ms (100 ms)", done.stderr)

    def test_selection(self):
        counts = self.expected(0.01)
        found = self.convolve("--bin", "10ms", "--unit-ids", "9,7")
        np.testing.assert_array_equal(found[:, :, 0], counts[:, [2, 0]])
        found = self.convolve("--bin", "10ms", "--where", "location=CA1")
        np.testing.assert_array_equal(found[:, :, 0], counts[:, [0, 2]])
        found = self.convolve("--bin", "10ms", "--where", "location=CA1", "--unit-ids", "9")
        np.testing.assert_array_equal(found[:, :, 0], counts[:, [2]])

    def test_time_and_epochs(self):
        counts, taps = self.expected(0.01), self.taps(*LOG8)
        found = self.convolve("--bin", "10ms", "--time", "2s:8s", bank=LOG8)
        self.assert_features(found, reference(counts, taps)[200:800])
        where = self.write("e.h5", "e", values=np.array([(0, 300), (300, 1000)]))
        found = self.convolve("--bin", "10ms", "--time", "200:800", "--epochs", where, bank=LOG8)
        self.assert_features(found, reference(counts, taps, epochs=[(0, 300), (300, 1000)])[200:800])

    def test_ids_stand_beside_the_features(self):
        self.convolve("--bin", "10ms", "--unit-ids", "9,7")
        np.testing.assert_array_equal(self.read("out.h5:/channel"), [9, 7])
        np.testing.assert_allclose(self.read("out.h5:/time")[:3], [0, 0.01, 0.02])

    def test_info_lists_the_units(self):
        report = self.json("info", "made.nwb")
        self.assertEqual([(u["id"], u["spikes"]) for u in report["units"]],
                         [(i, len(t)) for i, t in zip([7, 3, 9], self.trains)])
        self.assertIn("3: 250", self.tool("info", "made.nwb").stdout)

    def test_wrong_selections(self):
        call = ("convolve", "made.nwb", "out.h5:/f", "--units", *HISTORY1)
        self.refused(*call, "--bin", "10ms", "--unit-ids", "5", says=["5"])
        self.refused(*call, "--bin", "10ms", "--where", "colour=red", says="colour")
        self.refused(*call, "--bin", "10ms", "--where", "location=moon", says=["moon", "CA1"])
        self.refused(*call, "--bin", "10ms", "--where", "location", says="COLUMN=VALUE", code=2)
        self.refused(*call, "--bin", "-1ms", says="--bin", code=2)

    def test_a_bin_needs_its_unit(self):
        for call in (("convolve", "made.nwb", "out.h5:/f", "--units", *HISTORY1),
                     ("plan", "made.nwb", "--units", *HISTORY1),
                     ("simulate", "out.h5:/x", "--samples", "10", "--channels", "2")):
            for bare in ("0.01", "10", "1"):
                with self.subTest(command=call[0], bin=bare):
                    self.refused(*call, "--bin", bare, code=2,
                                 says=["--bin", f"'{bare}' is a number without a unit",
                                       "such as 10ms"])
        (self.folder / "design.toml").write_text(
            '[inputs.s]\nunits = "made.nwb"\nbin = 0.01\n[bases.b]\ntype = "history"\n'
            'window = 3\n[[terms]]\nname = "s"\ninput = "s"\nbasis = "b"\n')
        self.refused("features", "design.toml", "--dry-run",
                     says=["design.toml:3", "bin", "a number without a unit", "such as 10ms"])

    def test_the_plan_says_how_long_a_window_of_bins_is(self):
        plan = self.tool("plan", "made.nwb", "--units", "--bin", "10ms", "--basis", "history",
                         "--window", "100").stdout
        self.assertIn("100 of 100 bins of 10 ms (1 s)", plan)

    def test_an_input_that_is_no_nwb_file(self):
        path, _ = self.counts()
        self.refused("convolve", "in.h5", "out.h5:/f", "--units", "--bin", "1ms", *HISTORY1,
                     says="in.h5")


if __name__ == "__main__":
    unittest.main()
