# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix features: a recording of spikes, and arrays and spike trains in intervals."""
import unittest

import h5py
import numpy as np

from test_features import BASES, DesignCase, INPUTS, RECORDING, TERMS, terms_text


@unittest.skipUnless(RECORDING.exists(), "SYNELIX_TEST_DATA names no folder with A8604.nwb")
class A8604(DesignCase):
    def test_six_terms(self):
        with h5py.File(RECORDING) as file:
            ids = file["units/id"][:2].tolist()
        self.tool("convolve", RECORDING, "alone.h5:/f", "--units", "--bin", "10ms", "--unit-ids",
                  ",".join(map(str, ids)), "--basis", "raised-cosine-log", "--bases", "8",
                  "--window", "25")
        alone = self.read("alone.h5:/f")
        self.make_behaviour(len(alone))
        head = INPUTS.format(nwb=RECORDING, ids=ids) + BASES
        values, report = self.computed(head + terms_text(), "--budget", "16MiB")
        self.assertGreater(report["blocks"], 1)
        self.assertEqual(values.shape, (len(alone), 77))
        parts = self.parts(values)
        for c, name in enumerate(("coupling_1", "coupling_2")):
            np.testing.assert_array_equal(parts[name], alone[:, c])
        self.check_functions(parts)
        self.tool("convolve", RECORDING, "lags.h5:/f", "--units", "--bin", "10ms", "--unit-ids",
                  str(ids[0]), "--basis", "history", "--window", "5")
        np.testing.assert_array_equal(parts["recent"], self.read("lags.h5:/f")[:, 0])
        for name in TERMS:
            np.testing.assert_array_equal(self.computed(head + terms_text([name]))[0], parts[name])


class Parts(DesignCase):
    """Intervals and epochs of a design are those of convolve."""
    BASIS = '[bases.b]\ntype = "raised-cosine-log"\nbases = 3\nwindow = 4\n'
    TERM = '[[terms]]\nname = "{0}"\ninput = "{0}"\nbasis = "b"\n'
    WORDS = ("--basis", "raised-cosine-log", "--bases", 3, "--window", 4)

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(7)
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.4.0"
            values = file.create_dataset("acquisition/x/data", data=random.normal(size=(1000, 2)))
            values.attrs["conversion"] = 1.0
            start = file.create_dataset("acquisition/x/starting_time", data=0.0)
            start.attrs["rate"] = 100.0
            file["acquisition/x"].attrs["neurodata_type"] = "TimeSeries"
            file["intervals/trials/start_time"] = np.array([1.0, 4.0, 7.0])
            file["intervals/trials/stop_time"] = np.array([2.0, 5.5, 7.5])
            file["intervals/trials/side"] = np.array([0, 1, 0])
            times = np.sort(random.uniform(0, 10, 300))
            file["units/spike_times"] = times
            file["units/spike_times_index"] = np.array([200, 300], dtype=np.uint16)
            file["units/id"] = np.arange(2)
            file["units/spike_times"][...] = np.concatenate([np.sort(times[:200]),
                                                             np.sort(times[200:])])
        self.write("epochs.h5", "epochs", values=np.array([[0, 300], [500, 900]]))

    def expect_same(self, design, source, *words):
        self.computed(design, *words)
        self.tool("convolve", *source, "alone.h5:/f", *self.WORDS, "-O", *words)
        alone = self.read("alone.h5:/f")
        np.testing.assert_array_equal(self.read("out.h5:/f")[:, :alone[0].size],
                                      alone.reshape(len(alone), -1))
        np.testing.assert_array_equal(self.read("out.h5:/time"), self.read("alone.h5:/time"))
        return len(alone)

    def test_intervals_of_arrays_and_of_spike_trains_beside_them(self):
        design = ('[inputs.x]\ndata = "made.nwb:/acquisition/x"\n[inputs.s]\nunits = "made.nwb"\n' +
                  self.BASIS + self.TERM.format("x") + self.TERM.format("s"))
        source = ("made.nwb:/acquisition/x",)
        rows = self.expect_same(design, source, "--intervals", "trials")
        self.assertEqual(rows, 303)                           # with the sample at each stop
        rows = self.expect_same(design, source, "--intervals", "made.nwb:/intervals/trials",
                                "--where", "side=0")
        self.assertEqual(rows, 152)
        rows = self.expect_same(design, source, "--intervals", "trials", "--interval-stop", "excluded")
        self.assertEqual(rows, 300)

    def test_intervals_of_spike_trains_alone_and_in_the_options(self):
        design = ('[inputs.s]\nunits = "made.nwb"\nbin = "10ms"\n' + self.BASIS +
                  self.TERM.format("s"))
        source = ("made.nwb", "--units", "--bin", "10ms")
        self.assertEqual(self.expect_same(design, source, "--intervals", "trials"), 300)
        with_options = '[options]\nintervals = "trials"\nwhere = "side=1"\noverlaps = "apart"\n' + design
        values, _ = self.computed(with_options)
        self.assertEqual(len(values), 150)

    def test_epochs(self):
        design = '[inputs.x]\ndata = "made.nwb:/acquisition/x"\n' + self.BASIS + self.TERM.format("x")
        self.expect_same(design, ("made.nwb:/acquisition/x",), "--epochs", "epochs.h5:/epochs")

    def test_refusals(self):
        design = self.make_design('[inputs.x]\ndata = "made.nwb:/acquisition/x"\n' + self.BASIS +
                                  self.TERM.format("x"))
        call = ("features", design, "no.h5:/f")
        self.refused(*call, "--where", "side=0", says="--intervals")
        self.refused(*call, "--intervals", "trials", "--epochs", "epochs.h5:/epochs",
                     says="intervals are epochs")
        self.refused(*call, "--intervals", "none", says="trials")
        self.refused("features", design, f"{design}:/f", "-O", says="would replace")
        self.refused("features", design, "made.nwb:/f", "-O", says="NWB schema", code=2)
        flag = self.make_design('[options]\nnonsense = false\n' + (self.folder / design).read_text(),
                                "flag.toml")
        self.refused("features", flag, "no.h5:/f", says="not an option of features")


if __name__ == "__main__":
    unittest.main()
