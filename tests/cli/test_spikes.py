# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spikes outside of all bins: their number and the total, in text and JSON, and --strict."""
import unittest

import h5py
import numpy as np

from tool import HISTORY1, ToolCase


class Dropped(ToolCase):
    def units(self, *trains, name="made.nwb", intervals=()):
        with h5py.File(self.folder / name, "w") as file:
            file.attrs["nwb_version"] = "2.6.0"
            file["units/id"] = np.arange(len(trains))
            file["units/spike_times"] = np.concatenate(trains)
            file["units/spike_times_index"] = np.cumsum([len(train) for train in trains])
            if intervals:
                file["intervals/trials/start_time"] = np.array([begin for begin, _ in intervals])
                file["intervals/trials/stop_time"] = np.array([end for _, end in intervals])
                file["intervals/trials/id"] = np.arange(len(intervals))

    def check(self, counts, *words, warns=None):
        """plan and convolve report the same; the counted spikes are in the features."""
        words = ("made.nwb", "out.h5:/f", "--units", "--bin", "10ms", *HISTORY1, "--border", "zero",
                 "-O", *words)
        plan = self.json("plan", *words)["input"]["spikes"]
        run = self.json("convolve", *words)["input"]["spikes"]
        self.assertEqual(plan, run)
        names = ("all", "counted", "before", "between", "behind")
        self.assertEqual(tuple(plan[name] for name in names), counts)
        self.assertEqual(self.read("out.h5:/f").sum(), counts[1])
        text = self.tool("plan", *words)
        says = (f"all {counts[0]} spikes are counted" if counts[0] == counts[1] else
                f"{counts[1]} of {counts[0]} spikes are counted; dropped: ")
        self.assertIn(says, text.stdout)
        for command in ("plan", "convolve"):
            said = self.tool(command, *words).stderr
            self.assertEqual("warning" in said, warns is not None, said)
            self.assertIn(warns or "", said)
        quiet = self.tool("convolve", *words, "--quiet").stderr       # reports only the dropped spikes
        self.assertEqual(quiet.count("\n"), 0 if warns is None else 1, quiet)
        self.assertIn(warns or "", quiet)

    def test_all_are_counted(self):
        self.units(np.array([0.001, 0.5, 0.996]), np.array([0.25]))
        self.check((4, 4, 0, 0, 0))
        self.check((4, 4, 0, 0, 0), "--strict")

    def test_before_the_start(self):
        self.units(np.array([-2.0, -0.5, 0.5, 0.996]))
        self.check((4, 2, 2, 0, 0), warns="2 of 4 spikes")
        self.refuse_strict("2 of 4 spikes of made.nwb are dropped: 2 before the first bin")

    def test_in_the_last_bin_which_is_not_kept(self):
        self.units(np.array([0.5, 0.991]))           # its center, 0.995, is after the end
        self.check((2, 1, 0, 0, 1))
        self.refuse_strict("1 of 2 spikes of made.nwb are dropped: 1 after the last bin")

    def test_intervals_are_asked_for(self):
        self.units(np.array([-1.0, 0.05, 0.15, 0.5, 2.0]), intervals=((0.1, 0.2), (0.4, 0.6)))
        self.check((5, 2, 2, 0, 1), "--intervals", "trials")
        self.check((5, 2, 2, 0, 1), "--intervals", "trials", "--strict")

    def test_between_intervals(self):
        self.units(np.array([0.15, 0.3, 0.5]), intervals=((0.1, 0.2), (0.4, 0.6)))
        self.check((3, 2, 0, 1, 0), "--intervals", "trials")

    def refuse_strict(self, says):
        for command in ("plan", "convolve"):
            self.refused(command, "made.nwb", "new.h5:/f", "--units", "--bin", "10ms", *HISTORY1,
                         "--strict", says=["--strict", says, "--intervals"])

    def design(self, *options):
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "in.h5:/x"\n[inputs.s]\nunits = "made.nwb"\n'
            '[bases.b]\ntype = "history"\nwindow = 1\n[[terms]]\nname = "x"\ninput = "x"\n'
            'basis = "b"\n[[terms]]\nname = "s"\ninput = "s"\nbasis = "b"\n' + "\n".join(options))

    def test_a_design_of_an_array_that_ends_before_the_spikes(self):
        self.units(np.linspace(0.0005, 10.8695, 1087))
        self.counts(6000, 2, rate=1000.0)
        self.design()
        says = "487 of 1,087 spikes of the input 's' are dropped: 487 after the last bin"
        for words in (("--dry-run",), ("out.h5:/f",)):
            done = self.tool("features", "design.toml", *words)
            self.assertIn("warning: " + says, done.stderr)
            self.assertIn("600 of 1,087 spikes are counted", done.stdout + done.stderr)
            self.refused("features", "design.toml", *words, "--strict", "-O",
                         says=["--strict", says])
        report = self.json("features", "design.toml", "--dry-run")
        spikes = {entry["name"]: entry.get("spikes") for entry in report["inputs"]}
        self.assertEqual(spikes, {"x": None, "s": {"all": 1087, "counted": 600, "before": 0,
                                                   "between": 0, "behind": 487}})
        self.design("[options]", "strict = true")
        self.refused("features", "design.toml", "--dry-run", says=["--strict", says])

    def test_a_design_whose_spikes_all_lie_in_the_array(self):
        self.units(np.linspace(0.0005, 5.9995, 600))
        self.counts(6000, 2, rate=1000.0)
        self.design("[options]", "strict = true")
        done = self.tool("features", "design.toml", "--dry-run")
        self.assertNotIn("warning", done.stderr)
        self.assertIn("all 600 spikes are counted", done.stdout)


if __name__ == "__main__":
    unittest.main()
