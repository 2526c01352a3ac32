# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix features: designs of several terms from files."""
import os
import pathlib
import re
import unittest

import h5py
import numpy as np

from tool import ToolCase, reference

RECORDING = pathlib.Path(os.environ.get("SYNELIX_TEST_DATA", "."), "A8604.nwb")
GRID = 101                                   # points of the window grid with samples

INPUTS = """
[inputs.first]
units = "{nwb}"
bin = "10ms"
unit-ids = [{ids[0]}]
[inputs.second]
units = "{nwb}"
bin = "10ms"
unit-ids = [{ids[1]}]
[inputs.position]
data = "behaviour.h5:/position"
[inputs.speed]
data = "behaviour.h5:/speed"
[inputs.phase]
data = "behaviour.h5:/phase"
"""
BASES = """
[bases.coupling]
type = "raised-cosine-log"
bases = 8
window = "250ms"
[bases.place]
type = "bspline"
mode = "eval"
bases = 10
bounds = [0, 100]
[bases.speed]
type = "raised-cosine-linear"
mode = "eval"
bases = 4
bounds = [0, 50]
[bases.recent]
type = "history"
window = 5
[bases.theta]
type = "fourier"
frequencies = [1, 2, 3]
bounds = [0, 6.283185307179586]
"""
TERMS = {
    "coupling_1": 'input = "first"\nbasis = "coupling"',
    "coupling_2": 'input = "second"\nbasis = "coupling"',
    "place": 'input = "position"\nbasis = "place"',
    "place_by_speed": 'product = [{input = "position", basis = "place"}, '
                      '{input = "speed", basis = "speed"}]',
    "recent": 'input = "first"\nbasis = "recent"',
    "theta": 'input = "phase"\nbasis = "theta"',
}
WIDTHS = {"coupling_1": 8, "coupling_2": 8, "place": 10, "place_by_speed": 40, "recent": 5,
          "theta": 6}


def terms_text(names=TERMS):
    return "".join(f'[[terms]]\nname = "{name}"\n{TERMS[name]}\n' for name in names)


class DesignCase(ToolCase):
    def make_behaviour(self, samples, rate=100.0, seed=3):
        """Position and speed on the window grid of GRID points, and a phase."""
        random = np.random.default_rng(seed)
        self.place = random.integers(0, GRID, samples)
        self.speed = random.integers(0, GRID, samples)
        self.phase = random.uniform(0, 2 * np.pi, samples)
        for name, values in (("position", self.place * 100 / (GRID - 1)),
                             ("speed", self.speed * 50 / (GRID - 1)), ("phase", self.phase)):
            self.write("behaviour.h5", name, values=values, rate=rate)

    def make_design(self, text, name="design.toml"):
        (self.folder / name).write_text(text)
        return name

    def computed(self, text, *words):
        """The columns of a design, and its report."""
        report = self.json("features", self.make_design(text), "out.h5:/f", "-O", *words)
        return self.read("out.h5:/f"), report

    def parts(self, values):
        """Columns by term, according to the table beside them."""
        return {record["name"].decode(): values[:, record["first_column"]:][:, :record["columns"]]
                for record in self.read("out.h5:/f_terms")}

    def check_functions(self, parts):
        """The terms of eval mode against the bases on their grid, and numpy."""
        place = self.taps("--basis", "bspline", "--bases", "10", "--window", str(GRID))[self.place]
        speed = self.taps("--basis", "raised-cosine-linear", "--bases", "4", "--window",
                          str(GRID))[self.speed]
        self.assert_features(parts["place"], place)
        product = (place[:, :, None] * speed[:, None, :]).reshape(len(place), -1)
        self.assert_features(parts["place_by_speed"], product)
        angle = np.arange(1, 4) * self.phase[:, None]
        self.assert_features(parts["theta"], np.concatenate([np.cos(angle), np.sin(angle)], 1))


class Made(DesignCase):
    """A made file of two units, on the edges of bins."""

    def setUp(self):
        super().setUp()
        self.samples = 3000
        random = np.random.default_rng(5)
        trains = [np.sort(random.integers(0, 30 * 30000, 900)) / 30000,
                  np.round(np.arange(0, 3000, 3) * 0.01, 9)]
        self.counts_of = np.stack([self.binned(times) for times in trains], 1)
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.4.0"
            units = file.create_group("units")
            units.attrs["colnames"] = np.array(["spike_times"], dtype=h5py.string_dtype())
            units["id"] = np.array([7, 3])
            units["spike_times"] = np.concatenate(trains)
            units["spike_times_index"] = np.cumsum([len(t) for t in trains])
        self.make_behaviour(self.samples)
        self.head = INPUTS.format(nwb="made.nwb", ids=[7, 3]) + BASES

    def binned(self, times):
        edges = np.round(np.arange(self.samples + 1) * 0.01, 9)
        return np.histogram(times, edges)[0] - (times == edges[-1]).sum() * \
            (np.arange(self.samples) == self.samples - 1)

    def test_a_finished_design_in_the_file_of_its_input(self):
        design = self.make_design(self.head + terms_text(["place_by_speed"]))
        words = ("features", design, "behaviour.h5:/f", "--append", "--resume")
        self.tool(*words)
        self.assertIn("finished already", self.tool(*words).stderr)
        with h5py.File(self.folder / "behaviour.h5", "a") as file:       # and no other design is this one
            file["more"] = np.zeros(9)
        self.tool(*words)
        self.make_design(self.head + terms_text(["place"]))
        self.refused(*words, "--quiet", says=["behaviour.h5:/f", "design checksum"])

    def test_spike_trains_keep_the_budget_while_they_are_read(self):
        design = self.make_design(self.head + terms_text(["recent"]))
        self.refused("features", design, "out.h5:/f", "--budget", "100", says=["--budget: 100 bytes", "that the input takes"])

    def test_spike_trains_share_the_budget(self):
        design = self.make_design(self.head + terms_text(["coupling_1", "coupling_2"]))
        words = ("features", design, "out.h5:/f", "-O", "--budget")

        def least_of(budget):
            done = self.refused(*words, budget, says=["at least ", "that the input takes"])
            return int(done.stderr.split("at least ")[1].split()[0])

        # The named budget includes the trains: it suffices at once, and one byte less does not.
        least = least_of(100)
        for budget in (1000, least // 2, least - 1):
            self.assertEqual(least_of(budget), least)
        self.tool(*words, least)
        one = self.read("out.h5:/f")
        self.tool(*words, "8MiB")
        np.testing.assert_array_equal(self.read("out.h5:/f"), one)

    def test_six_terms(self):
        values, report = self.computed(self.head + terms_text())
        self.assertEqual(values.shape, (self.samples, 77))
        self.assertEqual([(t["name"], t["columns"]) for t in report["terms"]],
                         list(WIDTHS.items()))
        parts = self.parts(values)
        self.check_functions(parts)
        taps = self.taps("--basis", "raised-cosine-log", "--bases", "8", "--window", "25")
        for c, name in enumerate(("coupling_1", "coupling_2")):
            expected = reference(self.counts_of[:, c:c + 1], taps)[:, 0]
            self.assert_features(parts[name], expected)
        self.assert_features(parts["recent"],
                             reference(self.counts_of[:, :1], np.eye(5))[:, 0])
        np.testing.assert_allclose(self.read("out.h5:/time"), np.arange(self.samples) / 100)
        attributes = self.attributes("out.h5:/f")
        self.assertEqual(attributes["axes"], "time,column")
        self.assertEqual(attributes["coordinates"], "/time /f_terms")
        self.assertIn("place_by_speed", attributes["design"])

    def test_a_term_alone_has_the_same_bits(self):
        together = self.parts(self.computed(self.head + terms_text())[0])
        for name in TERMS:
            alone, _ = self.computed(self.head + terms_text([name]))
            np.testing.assert_array_equal(alone, together[name][:len(alone)], name)
        self.tool("convolve", "made.nwb", "conv.h5:/f", "--units", "--bin", "10ms", "--unit-ids",
                  "7", "--basis", "raised-cosine-log", "--bases", "8", "--window", "25")
        convolved = self.read("conv.h5:/f")[:, 0]            # separate bins, which end earlier
        np.testing.assert_array_equal(convolved, together["coupling_1"][:len(convolved)])

    def test_bits_do_not_depend_on_blocks(self):
        text = self.head + terms_text()
        whole, report = self.computed(text)
        self.assertEqual(report["blocks"], 1)
        for words in (("--batch-samples", "100"), ("--batch-samples", "333"),
                      ("--chunk", "128x77", "--filter", "deflate:1", "--batch-samples", "500")):
            found, report = self.computed(text, *words)
            self.assertGreater(report["blocks"], 1)
            np.testing.assert_array_equal(found, whole, words)
        for words, rows in ((("--time", "5s:10s"), slice(500, 1000)),
                            (("--time", "100:2000", "--every", "7"), slice(105, 2000, 7)),
                            (("--border", "valid"), slice(25, None))):
            np.testing.assert_array_equal(self.computed(text, *words)[0], whole[rows], words)

    def test_double(self):
        values, _ = self.computed("[options]\ntype = \"double\"\n" + self.head + terms_text())
        self.assertEqual(values.dtype, np.float64)
        parts = self.parts(values)
        angle = np.arange(1, 4) * self.phase[:, None]
        np.testing.assert_allclose(parts["theta"],
                                   np.concatenate([np.cos(angle), np.sin(angle)], 1), atol=1e-13)

    def test_sums_in_products(self):
        text = self.head + """
[[terms]]
name = "mixed"
product = [{sum = [{input = "first", basis = "coupling"}, {input = "position", basis = "place"}]},
           {input = "speed", basis = "speed"}]
"""
        values, _ = self.computed(text)
        parts = self.parts(self.computed(self.head + terms_text())[0])
        left = np.concatenate([parts["coupling_1"], parts["place"]], 1)
        speed = self.taps("--basis", "raised-cosine-linear", "--bases", "4", "--window",
                          str(GRID))[self.speed]
        self.assert_features(values, (left[:, :, None] * speed[:, None, :]).reshape(len(left), -1))

    def test_ranges_that_are_not_given(self):
        text = self.head.replace("bounds = [0, 100]\n", "") + terms_text(["place"])
        done = self.tool("features", self.make_design(text), "--dry-run")
        self.assertIn("read once before for its range", done.stdout)
        values, _ = self.computed(text)
        place = self.taps("--basis", "bspline", "--bases", "10", "--window", str(GRID))[self.place]
        self.assertEqual((self.place.min(), self.place.max()), (0, GRID - 1))
        self.assert_features(values, place)

    def test_dry_run_writes_nothing(self):
        design = self.make_design(self.head + terms_text())
        before = sorted(self.folder.iterdir())
        report = self.json("features", design, "out.h5:/f", "--dry-run", "--budget", "8MiB")
        self.assertEqual(report["features"]["shape"], [self.samples, 77])
        self.assertLessEqual(report["memory"]["total_bytes"], 8 << 20)
        text = self.tool("features", design, "--dry-run").stdout
        for words in ("place_by_speed: columns 26 to 66 (1 x 40) of position, speed",
                      "3,000 x 77 float32"):
            self.assertIn(words, text)
        self.assertEqual(sorted(self.folder.iterdir()), before)

    def test_the_command_line_wins(self):
        text = "[options]\nevery = 10\nbudget = \"8MiB\"\n" + self.head + terms_text(["place"])
        values, report = self.computed(text)
        self.assertEqual((len(values), report["memory"]["budget_bytes"]), (300, 8 << 20))
        self.assertEqual(len(self.computed(text, "--every", "100")[0]), 30)

    def test_several_channels_are_in_one_term(self):
        counts, values = self.counts(500, 4)
        found, report = self.computed(f"""
[inputs.counts]
data = "{counts}"
channels = "1:3"
[bases.b]
type = "mspline"
bases = 4
window = 20
[[terms]]
name = "all"
input = "counts"
basis = "b"
""")
        expected = reference(values[:, 1:3], self.taps("--basis", "mspline", "--bases", "4",
                                                       "--window", "20"))
        self.assert_features(found, expected.reshape(500, -1))
        self.assertEqual(report["terms"][0]["channels"], 2)
        self.assertEqual(report["bases"], [{"name": "b", "window": 20, "window_seconds": 0.02}])
        # the message of convolve
        in_seconds = re.search(r"20 samples \(20 ?ms\)", self.tool(
            "plan", counts, "--basis", "mspline", "--bases", 4, "--window", 20).stdout)
        self.assertIsNotNone(in_seconds)
        self.assertIn(f"b: a window of {in_seconds[0]}\n",
                      self.tool("features", "design.toml", "--dry-run").stdout)

    def test_files_are_found_beside_the_design(self):
        (self.folder / "sub").mkdir()
        text = self.head.replace('"behaviour', '"../behaviour').replace('"made', '"../made')
        design = self.make_design(text + terms_text(), "sub/design.toml")
        self.tool("features", design, "out.h5:/f")
        self.assertEqual(self.read("out.h5:/f").shape, (self.samples, 77))

    def test_memory_stays_inside_the_budget(self):
        self.make_long()
        peaks = {}
        for budget in (8, 24):
            _, report = self.computed(self.long, "--budget", f"{budget}MiB")
            self.assertLessEqual(report["memory"]["total_bytes"], budget << 20)
            self.assertGreater(report["blocks"], 2)
            peaks[budget] = report["run"]["peak_bytes"]
        self.assertLess(peaks[24] - peaks[8], 18 << 20, peaks)

    def make_long(self):
        random = np.random.default_rng(9)
        for name in ("a", "b"):
            self.write("long.h5", name, values=random.normal(size=(400_000, 2)), rate=1000.0)
        self.long = """
[inputs.a]
data = "long.h5:/a"
[inputs.b]
data = "long.h5:/b"
[bases.wide]
type = "bspline"
bases = 8
window = 200
[bases.now]
type = "bspline"
mode = "eval"
bases = 6
[[terms]]
name = "past"
input = "a"
basis = "wide"
[[terms]]
name = "both"
product = [{input = "a", basis = "now"}, {input = "b", basis = "now"}]
"""


class Refused(DesignCase):
    def setUp(self):
        super().setUp()
        self.make_behaviour(200)
        self.head = INPUTS.format(nwb="made.nwb", ids=[7, 3]) + BASES

    def test_the_place_is_named(self):
        good = self.head + terms_text(["place"])
        line = 1 + good.count("\n")
        wrong = {
            "[options]\nbudgets = 1\n" + good: ["design.toml:2: [options] budgets", "budget"],
            "[options]\nborder = 'wrap'\n" + good: ["design.toml:2:", "wrap", "nan, zero, valid"],
            good + "[options\n": [f"design.toml:{line}:"],
            good + "[more]\n": [f"design.toml:{line}:", "'more'", "options, inputs"],
            good.replace("bspline", "wavelet"): ["[bases.place] type", "wavelet", "bspline"],
            good.replace("bases = 10", "basis = 10"): ["[bases.place]", "'basis'", "bases"],
            good.replace("bases = 10", "bases = 2"): ["[bases.place]", "order"],
            good.replace("bounds = [0, 100]", "bounds = [5, 5]"): ["[bases.place] bounds", "LOW"],
            good.replace('window = "250ms"', ""): ["[bases.coupling] window"],
            good.replace('window = "250ms"', "window = -1"): ["[bases.coupling] window", "-1"],
            good.replace('input = "position"', 'input = "place"'):
                ["[[terms]] input", "'place'", "position"],
            good.replace("[[terms]]", "[[terms]]\nbases = 3"): ["[[terms]]", "'bases'"],
            good.replace("[bases.place]", "[bases.place]\nwidth = 2"): ["width", "bspline"],
            good.replace("[1, 2, 3]", "[1, 1]"): ["[bases.theta] frequencies", "twice"],
            self.head: ["terms", "[[terms]]"],
            good + good[good.index("[[terms]]"):]: [f"design.toml:{line + 1}:", "twice"],
        }
        for text, says in wrong.items():
            with self.subTest(says=says):
                self.refused("features", self.make_design(text), "out.h5:/f",
                             says=[*says, "design.toml:"])

    def test_another_grid(self):
        for name, samples, rate in (("other.h5", 150, 100.0), ("fast.h5", 200, 101.0)):
            self.write(name, "speed", values=np.zeros(samples), rate=rate)
            text = self.head.replace("behaviour.h5:/speed", f"{name}:/speed")
            self.refused("features", self.make_design(text + terms_text(["place_by_speed"])),
                         "out.h5:/f", says=["[inputs.speed]", "position with 200 samples at 100 Hz",
                                            f"speed with {samples} samples at {rate:g} Hz"])

    def test_places_and_files(self):
        design = self.make_design(self.head + terms_text(["place"]))
        self.refused("features", "none.toml", "out.h5:/f", says="none.toml")
        self.refused("features", design, says="--dry-run", code=2)
        self.refused("features", design, "out.h5", says="FILE:/dataset", code=2)
        self.refused("features", design, "out.h5:/f", "--every", "0", says="--every", code=2)
        self.refused("features", design, "behaviour.h5:/f", "-O", says=["position", "replace"])
        self.refused("features", design, "out.h5:/f", "--budget", "2KiB", says="all columns")
        self.tool("features", design, "out.h5:/f")
        self.refused("features", design, "out.h5:/f", says="-O")
        self.tool("features", design, "out.h5:/g", "--append")
        np.testing.assert_array_equal(self.read("out.h5:/f"), self.read("out.h5:/g"))
        self.assertIn("/g_time", h5py.File(self.folder / "out.h5"))


if __name__ == "__main__":
    unittest.main()
