# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix predict and score: models on other recordings, and pictures of them."""
import importlib.util
import json
import pathlib
import subprocess
import sys
import unittest

import h5py
import numpy as np

from fit_case import COLUMNS, DESIGN, SAMPLES, FitCase, newton
from tool import ToolCase

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


class OtherRecordings(FitCase):
    def test_predict_and_score(self):
        self.fit("--penalty", "ridge:1e-2")
        model = self.model()
        self.tool("predict", "m.h5", "design.toml", "means.h5:/p")
        mu = np.exp(self.columns.astype(float) @ model["coefficients"] + model["intercepts"])
        found = self.read("means.h5:/p")
        np.testing.assert_allclose(found, mu, rtol=1e-6)
        self.assertEqual(self.attributes("means.h5:/p")["rate_hz"], 1000.0)
        scores = self.json("score", "m.h5", "design.toml", "--target", "y.h5:/y")
        y = self.targets[20:].astype(float)
        log_factorial = np.array([sum(np.log(np.arange(1, k + 1))) for k in range(256)])[self.targets[20:]]
        likelihood = (y * np.log(mu[20:]) - mu[20:] - log_factorial).mean(0)
        null = (y * np.log(y.mean(0)) - y.mean(0) - log_factorial).mean(0)
        for target, score in enumerate(scores["targets"]):
            self.assertAlmostEqual(score["log_likelihood"], likelihood[target], places=6)
            self.assertAlmostEqual(score["pseudo_r2_mcfadden"], 1 - likelihood[target] / null[target], places=6)
        self.assertEqual(scores["all"]["rows"], 2 * (SAMPLES - 20))
        self.assertIn("McFadden", self.tool("score", "m.h5", "design.toml", "--target", "y.h5:/y").stdout)
        for name, values in scores["targets"][0].items():     # the model has the numbers of its own rows
            if name not in ("target", "rows"):
                self.assertEqual(model["scores/" + name][0], values, name)
        self.assertEqual(model["scores/weight"].tolist(), [SAMPLES - 20] * 2)

    def test_times_between_events(self):
        self.fit("--penalty", "ridge:1e-2")
        words = ("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--time-rescaling")
        for target, score in enumerate(self.json(*words)["targets"]):
            rescaled = score["time_rescaling"]
            self.assertLess(rescaled["intervals"], self.targets[20:, target].sum() + 1)
            self.assertGreater(rescaled["intervals"], self.targets[20:, target].sum() - 2)
            self.assertAlmostEqual(rescaled["bound"], 1.36 / np.sqrt(rescaled["intervals"]), places=9)
            self.assertLess(rescaled["statistic"], rescaled["bound"], "the targets are drawn from such a model")
        self.assertEqual(self.json(*words), self.json(*words))
        self.assertNotEqual(self.json(*words), self.json(*words, "--seed", "1"))
        self.assertIn("time rescaling", self.tool(*words).stdout)
        self.fit("--family", "gaussian", "--penalty", "ridge:1", "-O")
        self.refused(*words, says="gaussian")

    def test_rows_beyond_the_border_of_a_family(self):
        self.fit("--link", "identity", "--penalty", "ridge:1e-2")
        with h5py.File(self.folder / "m.h5", "a") as file:
            file["intercepts"][1] = -50
        says = f"in {SAMPLES - 20} rows of target 1 (the first is row 20)"
        done = self.tool("predict", "m.h5", "design.toml", "p.h5:/p")
        self.assertIn(says, done.stderr)
        self.assertTrue((self.read("p.h5:/p")[20:, 1] < 0).all())
        done = self.tool("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--json")
        self.assertIn(says, done.stderr)
        found = json.loads(done.stdout)["targets"]
        self.assertIsNone(found[1]["deviance"])
        self.assertGreater(found[0]["deviance"], 0)

    def test_rows_of_time_are_predicted_alone(self):
        self.fit("--penalty", "ridge:1e-2")
        self.tool("predict", "m.h5", "design.toml", "all.h5:/p")
        self.tool("predict", "m.h5", "design.toml", "some.h5:/p", "--time", "700:1900", "--type", "float")
        found = self.read("some.h5:/p")
        np.testing.assert_array_equal(found, self.read("all.h5:/p")[700:1900].astype(np.float32))
        np.testing.assert_allclose(self.read("some.h5:/time"), np.arange(700, 1900) / 1000)
        self.assertEqual(self.read("some.h5:/channel").tolist(), [0, 1])
        attributes = self.attributes("some.h5:/p")
        self.assertEqual(attributes["start_seconds"], 0.7)
        self.assertEqual(attributes["coordinates"], "/time /channel")
        self.refused("predict", "m.h5", "design.toml", "p.h5:/p", "--time", "700:5000", says="--time")

    def test_means_keep_the_time_of_intervals(self):
        with h5py.File(self.folder / "in.h5", "a") as file:
            table = file.create_group("intervals/trials")
            table["start_time"], table["stop_time"] = np.array([0.1, 0.9, 2.0]), np.array([0.4, 1.5, 2.9])
            table["id"], table["correct"] = np.arange(3), np.array([1, 0, 1])
        words = ("--intervals", "in.h5:/intervals/trials", "--where", "correct=1", "--interval-stop", "excluded")
        self.fit("--penalty", "ridge:1e-2", *words)
        weights = np.zeros(SAMPLES)
        weights[120:400] = weights[2020:2900] = 1             # each interval begins with a separate window
        b, _ = newton(self.columns, self.targets[:, 0], ridge=1e-2, weights=weights)
        model = self.model()
        self.assertEqual(model["rows_used"].tolist(), [1160] * 2)
        np.testing.assert_allclose(model["coefficients"][:, 0], b[:-1], atol=2e-5)
        self.tool("predict", "m.h5", "design.toml", "p.h5:/p", *words)
        rows = np.r_[100:400, 2000:2900]
        np.testing.assert_allclose(self.read("p.h5:/time"), rows / 1000, atol=1e-9)
        mu = np.exp(self.columns[rows].astype(float) @ model["coefficients"] + model["intercepts"])
        mu[:20] = mu[300:320] = np.nan
        np.testing.assert_allclose(self.read("p.h5:/p"), mu, rtol=1e-6)
        self.tool("predict", "m.h5", "design.toml", "q.h5:/p", *words, "--time", "2.1s:2.2s")
        np.testing.assert_allclose(self.read("q.h5:/time"), np.arange(2100, 2200) / 1000, atol=1e-9)
        np.testing.assert_array_equal(self.read("q.h5:/p"), self.read("p.h5:/p")[400:500])

    def test_means_larger_than_the_budget(self):
        samples = 400000                                      # 2 targets of double: 6.4 MB
        random = np.random.default_rng(5)
        self.fit("--penalty", "ridge:1e-2")
        self.counts(samples, 3, name="long.h5")
        self.write("place.h5", values=random.uniform(size=samples), rate=1000.0)
        text = DESIGN.replace("in.h5", "long.h5").replace("position.h5", "place.h5")
        (self.folder / "long.toml").write_text(text)
        self.tool("predict", "m.h5", "long.toml", "small.h5:/p", "--budget", "5MiB")
        self.tool("predict", "m.h5", "long.toml", "large.h5:/p", "--budget", "1GiB")
        np.testing.assert_array_equal(self.read("small.h5:/p"), self.read("large.h5:/p"))

    def test_other_designs_are_refused_by_name(self):
        self.fit("--penalty", "ridge:1e-2")
        text = DESIGN
        for change, says in ((("bases = 4", "bases = 3"), "'coupling' of 3 channels x 3 bases"),
                             (("window = 20", "window = 19"), "window 19"),
                             (('name = "place"', 'name = "where"'), "'where'"),
                             (("bounds = [0, 1]", "bounds = [0, 2]"), "from 0 to 2"),
                             (("bounds = [0, 1]\n", ""), "no bounds")):
            with self.subTest(change=change):
                (self.folder / "other.toml").write_text(text.replace(*change))
                self.refused("predict", "m.h5", "other.toml", "p.h5:/p", says=says)
                self.refused("score", "m.h5", "other.toml", "--target", "y.h5:/y", says=says)
        self.refused("predict", "in.h5", "design.toml", "p.h5:/p", says=["in.h5", "synelix fit"])
        for format_name, says in (("Synelix model 2", "reads 'Synelix model 1'"), ("a cake", "which is not a model")):
            with h5py.File(self.folder / "m.h5", "a") as file:
                file.attrs["format"] = format_name
            self.refused("score", "m.h5", "design.toml", "--target", "y.h5:/y", says=[format_name, says])
        with h5py.File(self.folder / "m.h5", "a") as file:
            file.attrs["format"] = "Synelix model 1"
        self.refused("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--channels", "0",
                     says=["1 targets", "2"])

    def test_a_score_of_no_rows_is_refused(self):
        self.fit("--penalty", "ridge:1e-2")
        self.refused("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--time", "0:20", says="no row counts")
        score = self.json("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--time", "0:25")
        self.assertEqual(score["all"]["rows"], 2 * 5)

    def test_columns_without_ids_are_not_compared(self):
        """A model of columns 1 and 2, for a dataset of two columns: which these are is not known."""
        self.fit("--penalty", "ridge:1e-2", "--channels", "1:2")
        self.assertEqual(self.model()["target_ids"].tolist(), [1])
        self.write("one.h5", "y", values=self.targets[:, 1:], rate=1000.0)
        words = ("score", "m.h5", "design.toml", "--target", "one.h5:/y")
        self.assertIn("warning: the target is an array without ids", self.tool(*words).stderr)
        self.refused(*words, "--strict", says=["--strict", "the target is an array without ids"])
        self.refused("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--channels", "0:1", "--strict",
                     says=["--strict", "without ids"])
        self.assertEqual(self.tool("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--channels", "1:2",
                                   "--strict").stderr, "")

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_the_picture(self):
        self.fit("--penalty", "lasso", "--path", "5", "--folds", "2")
        self.drawn("--targets", "1")
        self.drawn("--targets", "2", code=2, says="the targets of the model are 0, 1")
        self.tool("predict", "m.h5", "design.toml", "means.h5:/p")
        done = subprocess.run([sys.executable, "-B", PYTHON / "show_fit.py", "m.h5", "--means", "means.h5:/p",
                               "--data", "y.h5:/y"], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater((self.folder / "fit.png").stat().st_size, 10000)

    def drawn(self, *words, code=0, says=""):
        done = subprocess.run([sys.executable, "-B", PYTHON / "show_fit.py", "m.h5", *words], cwd=self.folder,
                              text=True, capture_output=True)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(says, done.stderr)

    def shown(self):
        """The script, as a module."""
        spec = importlib.util.spec_from_file_location("show_fit", PYTHON / "show_fit.py")
        shown = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(shown)
        return shown

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_pictures_of_each_target(self):
        """Paths and folds are those of the target; values that are not finite are drawn; values near 0 look like 0."""
        self.fit("--penalty", "lasso", "--path", "5", "--folds", "2")
        with h5py.File(self.folder / "m.h5", "a") as model:
            model["folds/mean"][3, 1] = np.inf
            model["coefficients"][...] *= 1e-7
        shown = self.shown()
        with h5py.File(self.folder / "m.h5") as model:
            figure, axes = shown.plt.subplots(1, 3)
            shown.draw_path(model, axes[0], 1)
            self.assertEqual(axes[0].get_title(), "path of 1")
            np.testing.assert_array_equal(axes[0].lines[3].get_ydata(), model["path/coefficients"][:, 3, 1])
            shown.draw_folds(model, axes[1], 1)
            crosses = next(line for line in axes[1].lines if line.get_label() == "not finite")
            np.testing.assert_array_equal(crosses.get_xdata(), model["path/strengths"][3:4, 1])
            shown.draw_filters(model, model["terms"][0], axes[2], 1)
            low, high = axes[2].get_ylim()
            self.assertLess(low, -0.04)
            self.assertGreater(high, 0.04)
            shown.plt.close(figure)

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_bands_are_two_standard_errors(self):
        self.fit("--penalty", "ridge:1e-2", "--errors")
        shown = self.shown()
        figure, axes = shown.plt.subplots()
        with h5py.File(self.folder / "m.h5") as model:
            shown.draw_filters(model, model["terms"][0], axes, 1)
        model = self.model()
        taps = model["filters/coupling"]
        self.assertEqual(len(axes.collections), 3, "a band for each unit")
        for channel, band in enumerate(axes.collections):
            columns = slice(4 * channel, 4 * channel + 4)
            curve = taps @ model["coefficients"][columns, 1]
            np.testing.assert_allclose(axes.lines[channel].get_ydata(), curve)
            width = 2 * np.sqrt((taps ** 2) @ model["standard_errors"][columns, 1] ** 2)
            found = band.get_paths()[0].vertices
            for row in range(20):
                at = np.unique(np.round(found[np.isclose(found[:, 0], row + 1)][:, 1], 12))
                np.testing.assert_allclose([at.min(), at.max()],
                                           [curve[row] - width[row], curve[row] + width[row]], atol=1e-9)
        shown.plt.close(figure)


class Units(ToolCase):
    """Models of the units of a session: ids identify them."""

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(11)
        self.trains = {6: 400, 191: 250, 206: 300}
        self.session("a.nwb", [6, 191, 206], random)
        self.session("b.nwb", [6, 191, 207], random)
        self.design("a.nwb")
        self.tool("fit", "design.toml", "m.h5", "--target", "a.nwb", "--units", "--penalty", "ridge:1e-3")

    def session(self, name, ids, random):
        with h5py.File(self.folder / name, "w") as file:
            file.attrs["nwb_version"] = "2.7.0"
            units = file.create_group("units")
            units.attrs["colnames"] = np.array(["spike_times"], dtype=h5py.string_dtype())
            trains = [np.sort(np.append(random.uniform(0, 3.99, size), 3.9997)) for size in self.trains.values()]
            units["id"] = ids
            units["spike_times"] = np.concatenate(trains)
            units["spike_times_index"] = np.cumsum([len(train) for train in trains])

    def design(self, file, more="", name="design.toml"):
        (self.folder / name).write_text(f"""
[inputs.spikes]
units = "{file}"
bin = "1ms"
{more}
[bases.coupling]
type = "raised-cosine-log"
bases = 3
window = 20
[[terms]]
name = "coupling"
input = "spikes"
basis = "coupling"
""")

    def test_the_file_holds_ids_of_inputs(self):
        with h5py.File(self.folder / "m.h5") as model:
            self.assertEqual(model["inputs/id"][...].tolist(), [6, 191, 206])
            self.assertEqual(model["inputs/name"][...].tolist(), [b"spikes"] * 3)
            self.assertEqual(model["inputs/input"][...].tolist(), [0, 0, 0])
            self.assertEqual(model["filters/coupling"].attrs["input"], "spikes")

    def test_other_targets_are_refused(self):
        words = ("score", "m.h5", "design.toml", "--target", "a.nwb", "--units")
        self.assertEqual([entry["target"] for entry in self.json(*words)["targets"]], [6, 191, 206])
        self.refused(*words, "--unit-ids", "206,191,6",
                     says=["--target", "the model's targets are 6, 191, 206, but these are 206, 191, 6"])
        self.refused("score", "m.h5", "design.toml", "--target", "b.nwb", "--units", says="these are 6, 191, 207")
        self.refused(*words, "--unit-ids", "6,191", says="has 2 targets, but the model has 3")

    def test_other_inputs_are_refused(self):
        self.design("b.nwb", name="other.toml")
        self.design("a.nwb", "unit-ids = [206, 191, 6]", name="order.toml")
        for design, says in (("other.toml", "6, 191, 206, but these are 6, 191, 207"),
                             ("order.toml", "6, 191, 206, but these are 206, 191, 6")):
            with self.subTest(design=design):
                self.refused("score", "m.h5", design, "--target", "a.nwb", "--units", says=["'spikes'", says])
                self.refused("predict", "m.h5", design, "p.h5:/p", says=["'spikes'", says])
        (self.folder / "renamed.toml").write_text(
            (self.folder / "design.toml").read_text().replace("inputs.spikes", "inputs.later")
            .replace('input = "spikes"', 'input = "later"'))
        self.tool("predict", "m.h5", "renamed.toml", "p.h5:/p", "--strict")

    def test_models_of_older_versions(self):
        with h5py.File(self.folder / "m.h5", "a") as model:
            del model["inputs"]
        words = ("score", "m.h5", "design.toml", "--target", "a.nwb", "--units")
        done = self.tool(*words)
        self.assertIn("warning: m.h5 is of an older version, and holds no ids of its inputs", done.stderr)
        self.refused(*words, "--strict", says=["--strict", "older version"])
        with h5py.File(self.folder / "m.h5", "a") as model:
            model["inputs/input"] = [0, 2, 2]
            model["inputs/name"] = [b"a", b"b", b"b"]
            model["inputs/id"] = [1, 2, 3]
        self.refused(*words, says=["m.h5:/inputs", "do not describe"])

    def test_targets_that_end_before_the_spikes(self):
        counts = np.random.default_rng(1).poisson(0.1, (4000, 2))
        self.write("t.h5", "whole", values=counts.astype(np.uint8))
        self.write("t.h5", "long", values=np.vstack([counts, counts]).astype(np.uint8))
        self.write("t.h5", "short", values=counts[:1000].astype(np.uint8))
        self.write("t.h5", "wide", values=counts)
        self.write("t.h5", "huge", values=counts + 2**32)
        words = ("fit", "design.toml", "n.h5", "--penalty", "ridge:1e-3", "--quiet", "-O", "--target")
        for name in ("whole", "long", "wide"):
            self.assertEqual(self.tool(*words, "t.h5:/" + name).stderr, "")
        self.refused(*words, "t.h5:/short",
                     says=["--target", "1,000 samples and ends at 1 s", "'spikes' go on to 4 s", "of 953 would be"])
        self.refused("score", "n.h5", "design.toml", "--target", "t.h5:/short", says="go on to 4 s")
        self.refused(*words, "t.h5:/huge", says=["does not fit 32 bits", 'astype("float64")'])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_pictures_name_units(self):
        spec = importlib.util.spec_from_file_location("show_fit", PYTHON / "show_fit.py")
        shown = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(shown)
        figure, axes = shown.plt.subplots(1, 2)
        with h5py.File(self.folder / "m.h5") as model:
            shown.draw_filters(model, model["terms"][0], axes[0], 2, truth=np.ones((3, 3, 20)))
            numbers = np.random.default_rng(1).uniform(size=(100, 3))
            shown.draw_calibration(numbers, numbers, model["target_ids"][...], [0, 2], axes[1])
        self.assertEqual(axes[0].get_title(), "coupling to 206")
        texts = [text.get_text() for text in axes[0].get_legend().get_texts()]
        self.assertEqual(texts, ["from 6", "from 191", "from 206"])
        self.assertEqual(sum(line.get_linestyle() == "--" for line in axes[0].lines), 3, "the truth is dashed")
        self.assertEqual([text.get_text() for text in axes[1].get_legend().get_texts()], ["6", "206"])
        shown.plt.close(figure)


if __name__ == "__main__":
    unittest.main()
