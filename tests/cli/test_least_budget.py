# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The least budget that an error names is enough, at once, for each command that takes one."""
import re
import unittest

import h5py
import numpy as np

from tool import ToolCase

DESIGN = """
[inputs.x]
data = "in.h5:/x"
channels = "0:{channels}"
[bases.b]
type = "raised-cosine-log"
bases = {bases}
window = {window}
[[terms]]
name = "t"
input = "x"
basis = "b"
"""
FITS = (
    ("--penalty", "ridge:1e-3", "--errors"),
    ("--penalty", "ridge:1e-3", "--solver", "lbfgs"),
    ("--penalty", "lasso:1e-2"),
    ("--penalty", "none"),
    ("--family", "gaussian", "--penalty", "ridge:auto", "--path", "4"),
    ("--penalty", "lasso:auto", "--path", "5"),
    ("--penalty", "lasso:auto", "--path", "4", "--folds", "3"),
    ("--family", "gaussian", "--penalty", "ridge:auto", "--path", "4", "--folds", "3", "--gap", "5"),
)


class LeastBudget(ToolCase):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(0)
        with h5py.File(self.folder / "in.h5", "w") as file:
            for name, channels in (("x", 12), ("y", 30)):
                values = random.poisson(0.3, (8_000, channels)).astype("u1")
                file.create_dataset(name, data=values, chunks=(2048, channels)).attrs["rate_hz"] = 1000.0

    def design(self, **sizes):
        (self.folder / "d.toml").write_text(DESIGN.format(**sizes))

    def require_enough(self, *words):
        """Runs with a budget of one byte. Returns the least budget that its error names."""
        found = re.search(r"[Gg]ive at least (\d+) byte", self.tool(*words, "--budget", 1, code=1).stderr)
        self.assertIsNotNone(found, words)
        self.tool(*words, "--budget", found[1])
        return int(found[1])

    def fit(self, *words, targets=2):
        return ("fit", "d.toml", "m.h5", "-O", "--target", "in.h5:/y", "--channels", f"0:{targets}", "--quiet", *words)

    def test_of_fits(self):
        for sizes in ({"channels": 12, "bases": 5, "window": 20}, {"channels": 1, "bases": 2, "window": 300}):
            self.design(**sizes)
            for words in FITS:
                with self.subTest(words=words, **sizes):
                    least = self.require_enough(*self.fit(*words))
                    # a budget that a dry run accepts is accepted by a run
                    self.tool(*self.fit(*words), "--dry-run", "--budget", least)
                    half = self.tool(*self.fit(*words), "--budget", least // 2, code=1).stderr
                    dry = self.tool(*self.fit(*words), "--dry-run", "--budget", least // 2, code=1).stderr
                    self.assertEqual(half, dry)

    def test_of_many_targets(self):
        self.design(channels=12, bases=2, window=20)
        self.require_enough(*self.fit("--penalty", "ridge:1e-2", targets=30))

    def test_of_predictions_and_scores(self):
        self.design(channels=12, bases=5, window=20)
        self.tool(*self.fit("--penalty", "ridge:1e-3"))
        self.require_enough("predict", "m.h5", "d.toml", "p.h5:/p", "-O", "--quiet")
        score = ("score", "m.h5", "d.toml", "--target", "in.h5:/y", "--channels", "0:2", "--quiet")
        self.require_enough(*score)
        self.require_enough(*score, "--time-rescaling")

    def test_of_features(self):
        self.design(channels=12, bases=5, window=20)
        self.require_enough("features", "d.toml", "f.h5:/f", "-O", "--quiet")
        self.require_enough("convolve", "in.h5:/x", "c.h5:/f", "-O", "--quiet", "--basis", "bspline", "--bases", "5",
                            "--window", "40")

    def spikes(self, name, trains):
        """An NWB file of units with these spikes."""
        with h5py.File(self.folder / name, "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            table = file.create_group("units")
            table["id"] = np.arange(len(trains))
            table["spike_times"] = np.concatenate(trains)
            table["spike_times_index"] = np.cumsum([len(train) for train in trains])
            table.attrs["colnames"] = np.array(["spike_times"], dtype=h5py.string_dtype())

    @staticmethod
    def trains(units, most=4_000):
        random = np.random.default_rng(units)
        return [np.sort(random.uniform(0, 8, random.integers(500, most))) for _ in range(units)]

    def test_of_spike_trains(self):
        for name, units in (("many.nwb", 40), ("few.nwb", 3)):
            self.spikes(name, self.trains(units))
            for window in (5, 700):
                self.require_enough("convolve", name, "c.h5:/f", "-O", "--quiet", "--units", "--bin", "1ms", "--basis",
                                    "raised-cosine-log", "--bases", "4", "--window", str(window))
        design = DESIGN.format(channels=12, bases=4, window=30)
        two = ('[inputs.s]\nunits = "many.nwb"\n[inputs.r]\nunits = "few.nwb"\n' + design.split("[[terms]]")[0] +
               "".join(f'[[terms]]\nname = "{i}"\ninput = "{i}"\nbasis = "b"\n' for i in "sr"))
        grid = two + '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n'
        for text in (grid, two.replace('units = "', 'bin = "1ms"\nunits = "')):
            (self.folder / "d.toml").write_text(text)
            with self.subTest(design=text):
                self.require_enough("features", "d.toml", "f.h5:/f", "-O", "--quiet")
        (self.folder / "d.toml").write_text(grid)
        for penalty in (("none",), ("ridge:1e-2", "--errors")):
            self.require_enough(*self.fit("--penalty", *penalty))
        self.require_enough("fit", "d.toml", "m.h5", "-O", "--target", "few.nwb", "--units", "--penalty", "ridge:1e-2", "--quiet")
        self.require_enough("predict", "m.h5", "d.toml", "p.h5:/p", "-O", "--quiet")

    def of_units(self, name, bin="1ms", window=300, bases=4):
        (self.folder / "d.toml").write_text(
            f'[inputs.s]\nunits = "{name}"\nbin = "{bin}"\n[bases.b]\ntype = "raised-cosine-log"\nbases = {bases}\n'
            f'window = {window}\n[[terms]]\nname = "s"\ninput = "s"\nbasis = "b"\n')

    def test_of_dense_trains(self):
        """The pass of events does not pay for these: their number decides, before they are read."""
        self.spikes("dense.nwb", [np.sort(train) for train in self.trains(6, most=30_000)])
        self.spikes("full.nwb", [(np.repeat(np.arange(8_000), 2) + 0.5) / 1000] * 2)     # each bin has spikes
        self.of_units("dense.nwb")
        for words in (("--penalty", "ridge:1e-2"), ("--penalty", "none"), ("--family", "gamma", "--penalty", "ridge:1e-2")):
            with self.subTest(words=words):
                call = ("fit", "d.toml", "m.h5", "-O", "--target", "full.nwb", "--units", "--quiet", *words)
                self.require_enough(*call)
        self.require_enough("predict", "m.h5", "d.toml", "p.h5:/p", "-O", "--quiet")
        self.require_enough("score", "m.h5", "d.toml", "--target", "full.nwb", "--units", "--quiet")

    def test_of_a_pass_that_needs_more_than_reading(self):
        """The first row has no complete window, and takes no memory; the rows after it do."""
        self.spikes("one.nwb", [np.arange(8_000) / 1000])
        self.of_units("one.nwb", window=2, bases=2)
        call = ("--target", "in.h5:/y", "--channels", "0:1", "--quiet")
        self.tool("fit", "d.toml", "m.h5", *call, "--penalty", "ridge:1e-1")
        self.require_enough("score", "m.h5", "d.toml", *call)

    def test_a_larger_budget_names_no_larger_least(self):
        self.design(channels=12, bases=5, window=200)
        call = (*self.fit("--penalty", "ridge:1e-3"), "--dry-run")
        least = self.require_enough(*call)
        for share in (0.1, 0.3, 0.9):
            text = self.tool(*call, "--budget", int(share * least), code=1).stderr
            self.assertLessEqual(int(re.search(r"at least (\d+)", text)[1]), 1.05 * least, text)

    def test_a_target_that_ends_early_is_named_next(self):
        self.spikes("long.nwb", self.trains(20))
        with h5py.File(self.folder / "in.h5", "r+") as file:
            file["early"] = np.ones((4_000, 1), "u1")
            file["early"].attrs["rate_hz"] = 1000.0
        self.of_units("long.nwb")
        call = ("fit", "d.toml", "m.h5", "-O", "--target", "in.h5:/early", "--quiet", "--penalty", "ridge:1e-2")
        least = int(re.search(r"at least (\d+)", self.tool(*call, "--budget", 1, code=1).stderr)[1])
        self.assertIn("the spikes of 's' go on to", self.tool(*call, "--budget", least, code=1).stderr)

    def test_what_nobody_has_counted_is_enough(self):
        random = np.random.default_rng(3)
        self.spikes("mixed.nwb", [random.uniform(0, 8, 300_000), *self.trains(2)])      # the first is not in order
        call = ("convolve", "mixed.nwb", "c.h5:/f", "-O", "--quiet", "--units", "--bin", "1ms", "--basis", "bspline")
        for size in (("--bases", 4, "--window", 20), ("--bases", 150, "--window", 5_000)):    # reading needs most; computing does
            text = self.tool(*call, *size, "--budget", 1, code=1).stderr
            self.assertNotIn("at least", text)
            enough = int(re.search(r"Give (\d+) bytes, which are enough", text)[1])
            self.tool(*call, *size, "--budget", enough)


if __name__ == "__main__":
    unittest.main()
