# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix fit, predict and score: against models that numpy finds on stored columns."""
import importlib.util
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import h5py
import numpy as np

from tool import ToolCase

RECORDING = pathlib.Path(os.environ.get("SYNELIX_TEST_DATA", "."), "A8604.nwb")
PYTHON = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"

DESIGN = """
[inputs.spikes]
data = "in.h5:/x"
[inputs.position]
data = "position.h5:/x"
[bases.coupling]
type = "raised-cosine-log"
bases = 4
window = 20
[bases.place]
type = "bspline"
mode = "eval"
bases = 5
bounds = [0, 1]
[[terms]]
name = "coupling"
input = "spikes"
basis = "coupling"
[[terms]]
name = "place"
input = "position"
basis = "place"
"""
COLUMNS = 3 * 4 + 5
SAMPLES = 3000


def newton(features, targets, ridge=0.0, weights=None):
    """Coefficients and intercept of the Poisson model with exp, to rounding, and standard errors."""
    rows = np.isfinite(features).all(1) & np.isfinite(targets)
    if weights is not None:
        rows &= weights > 0
    x = np.column_stack([features[rows].astype(float), np.ones(rows.sum())])
    y = targets[rows].astype(float)
    penalty = np.full(x.shape[1], ridge)
    penalty[-1] = 0
    b = np.zeros(x.shape[1])
    b[-1] = np.log(y.mean())
    for _ in range(100):
        mu = np.exp(x @ b)
        gradient = x.T @ (mu - y) / len(y) + penalty * b
        hessian = (x.T * mu) @ x / len(y) + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        b -= step
        if np.abs(step).max() < 1e-13:
            break
    return b, np.sqrt(np.diag(np.linalg.inv(hessian * len(y))))


class FitCase(ToolCase):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(3)
        self.counts(SAMPLES, 3)
        place = (np.sin(np.arange(SAMPLES) / 90) + 1) / 2
        self.write("position.h5", values=place, rate=1000.0)
        self.make_design()
        self.tool("features", "design.toml", "columns.h5:/f", "--type", "float", "-O")
        self.columns = self.read("columns.h5:/f")
        self.truth = random.normal(size=(COLUMNS, 2)) * 0.2
        eta = np.nan_to_num(self.columns) @ self.truth - 1
        self.targets = random.poisson(np.exp(eta)).astype(np.uint8)
        self.write("y.h5", "y", values=self.targets, rate=1000.0)

    def make_design(self, more="", name="design.toml"):
        (self.folder / name).write_text(DESIGN + more)
        return name

    def fit(self, *words, out="m.h5", target=("--target", "y.h5:/y"), code=0, **options):
        return self.tool("fit", "design.toml", out, *target, *words, code=code, **options)

    def model(self, name="m.h5"):
        """All datasets and attributes of a file, by name."""
        found = {}
        with h5py.File(self.folder / name) as file:
            file.visititems(lambda path, item: found.update({path: item[...]})
                            if isinstance(item, h5py.Dataset) else None)
            found.update({"@" + key: value for key, value in file.attrs.items()})
        return found

    def assert_same_bits(self, one, other):
        """Models with the same bytes, but for what says how they were made."""
        self.assertEqual(one.keys(), other.keys())
        for name, values in one.items():
            if name in ("@history",):
                continue
            np.testing.assert_array_equal(np.asarray(values).tobytes(),
                                          np.asarray(other[name]).tobytes(), err_msg=name)


class Models(FitCase):
    def test_poisson_against_numpy(self):
        self.fit("--penalty", "ridge:1e-2", "--errors")
        model = self.model()
        for target in range(2):
            b, _ = newton(self.columns, self.targets[:, target], ridge=1e-2)
            np.testing.assert_allclose(model["coefficients"][:, target], b[:-1], atol=2e-5)
            np.testing.assert_allclose(model["intercepts"][target], b[-1], atol=2e-5)
        self.assertEqual(model["stopped"].tolist(), [b"converged"] * 2)
        self.assertTrue((model["optimality"] <= 1e-6).all())
        self.assertTrue((model["standard_errors_away"] <= 1e-3).all())
        self.assertEqual(model["standard_errors"].shape, (COLUMNS + 1, 2))
        self.assertEqual(model["rows_used"].tolist(), [SAMPLES - 20] * 2)
        mu = np.exp(self.columns[20:] @ model["coefficients"] + model["intercepts"])
        loss = (mu - self.targets[20:] * np.log(mu)).mean(0)
        np.testing.assert_allclose(model["mean_loss"], loss, rtol=1e-6)

    def test_what_the_file_says_of_columns_and_targets(self):
        self.fit("--penalty", "ridge:1e-2")
        model = self.model()
        terms = [(row["name"].decode(), row["first_column"], row["columns"], row["channels"], row["bases"])
                 for row in model["terms"]]
        self.assertEqual(terms, [("coupling", 0, 12, 3, 4), ("place", 12, 5, 1, 5)])
        columns = [(row["term"].decode(), row["channel"], row["basis"]) for row in model["columns"]]
        self.assertEqual(columns, [("coupling", c, b) for c in range(3) for b in range(4)]
                         + [("place", 0, b) for b in range(5)])
        self.assertEqual(model["target_ids"].tolist(), [0, 1])
        taps = self.taps("--basis", "raised-cosine-log", "--bases", "4", "--window", "20")
        np.testing.assert_array_equal(model["filters/coupling"], taps)
        self.assertNotIn("filters/place", model)
        for name, value in (("family", "poisson"), ("inverse_link", "exp"), ("penalty", "ridge:0.01"),
                            ("time_unit", "seconds"), ("rate_hz", 1000.0), ("design", DESIGN)):
            self.assertEqual(model["@" + name], value)
        self.assertIn("synelix fit design.toml m.h5", model["@history"])
        for file in ("in.h5", "position.h5", "y.h5"):
            self.assertIn(file, model["@files"])

    def test_standard_errors_without_a_penalty(self):
        text = DESIGN.replace("bases = 5\nbounds", "order = 2\nbases = 5\nbounds")
        text = text[:text.index("[[terms]]\nname = \"place\"")]   # splines add up to the intercept
        (self.folder / "design.toml").write_text(text)
        self.fit("--errors")
        model = self.model()
        for target in range(2):
            b, errors = newton(self.columns[:, :12], self.targets[:, target])
            np.testing.assert_allclose(model["coefficients"][:, target], b[:-1], atol=2e-5)
            np.testing.assert_allclose(model["standard_errors"][:, target], errors, rtol=1e-4)

    def test_gaussian_is_the_normal_equations(self):
        values = np.random.default_rng(8).normal(size=(SAMPLES, 1))
        self.write("g.h5", "y", values=values, rate=1000.0)
        self.fit("--family", "gaussian", "--penalty", "ridge:0.1", target=("--target", "g.h5:/y"))
        x = np.column_stack([self.columns[20:].astype(float), np.ones(SAMPLES - 20)])
        penalty = np.diag([0.1] * COLUMNS + [0])
        b = np.linalg.solve(2 * x.T @ x / len(x) + penalty, 2 * x.T @ values[20:, 0] / len(x))
        model = self.model()
        np.testing.assert_allclose(model["coefficients"][:, 0], b[:-1], atol=1e-5)

    def test_rows_of_time_and_channels_of_a_dataset(self):
        self.fit("--penalty", "ridge:1e-2", "--time", "500:2500", "--channels", "1")
        weights = np.zeros(SAMPLES)
        weights[500:2500] = 1
        b, _ = newton(self.columns, self.targets[:, 1], ridge=1e-2, weights=weights)
        model = self.model()
        self.assertEqual(model["coefficients"].shape, (COLUMNS, 1))
        self.assertEqual(model["rows_used"].tolist(), [2000])
        np.testing.assert_allclose(model["coefficients"][:, 0], b[:-1], atol=2e-5)

    def test_masked_columns_stay_zero(self):
        mask = np.ones((COLUMNS, 2), dtype=np.uint8)
        mask[3:9, 0] = 0
        self.write("mask.h5", "m", values=mask)
        self.fit("--penalty", "ridge:1e-2", "--mask", "mask.h5:/m")
        found = self.model()["coefficients"]
        self.assertEqual((found == 0).tolist(), (mask == 0).tolist())
        b, _ = newton(self.columns[:, mask[:, 0] == 1], self.targets[:, 0], ridge=1e-2)
        np.testing.assert_allclose(found[mask[:, 0] == 1, 0], b[:-1], atol=2e-5)

    def test_group_lasso_takes_channels_whole(self):
        self.fit("--penalty", "group-lasso:0.03")
        coefficients = self.model()["coefficients"]
        for target in range(2):
            for channel in range(3):
                group = coefficients[4 * channel:4 * channel + 4, target]
                self.assertIn(int((group != 0).sum()), (0, 4))
        self.assertTrue((coefficients == 0).any())


class SameBits(FitCase):
    def test_threads_budgets_and_the_table_of_the_design(self):
        words = ("--penalty", "ridge:1e-3", "--errors")
        self.fit(*words)
        expected = self.model()
        for threads, budget in (("1", "64MiB"), ("3", "1GiB"), ("2", "16MiB")):
            with self.subTest(threads=threads, budget=budget):
                self.fit(*words, "--budget", budget, out="n.h5", environment={"OMP_NUM_THREADS": threads})
                found = self.model("n.h5")
                self.assert_same_bits(expected, found)
                (self.folder / "n.h5").unlink()
        table = '[fit]\npenalty = "ridge:1e-3"\nerrors = true\n[fit.target]\ndata = "y.h5:/y"\n'
        self.make_design(table)
        self.tool("fit", "design.toml", "n.h5")
        found = self.model("n.h5")
        for name in ("coefficients", "intercepts", "standard_errors"):
            np.testing.assert_array_equal(found[name], expected[name])
        self.tool("fit", "design.toml", "n.h5", "-O", "--penalty", "ridge:1")   # the command line wins
        self.assertEqual(self.model("n.h5")["@penalty"], "ridge:1")

    def test_rows_that_are_streamed_or_spikes_of_arrays(self):
        """A budget that holds no features reads and computes them in each walk."""
        self.fit("--penalty", "ridge:1e-3")
        report = self.json("fit", "design.toml", "n.h5", "--target", "y.h5:/y", "--penalty", "ridge:1e-3",
                           "--budget", "8MiB", "--quiet")
        self.assertEqual(report["row_source"], "streamed")
        self.assert_same_bits(self.model(), self.model("n.h5"))


class Paths(FitCase):
    def test_path_and_folds(self):
        self.fit("--penalty", "lasso", "--path", "12", "--path-ratio", "0.01", "--folds", "4",
                 "--gap", "20", "--choose", "1se")
        model = self.model()
        self.assertEqual(model["path/coefficients"].shape, (12, COLUMNS, 2))
        self.assertEqual(model["folds/scores"].shape, (4, 12, 2))
        strengths = model["path/strengths"]
        self.assertTrue((np.diff(strengths, axis=0) < 0).all())
        np.testing.assert_allclose(strengths[-1] / strengths[0], 0.01)
        self.assertTrue((model["path/coefficients"][0] == 0).all())
        np.testing.assert_allclose(model["folds/mean"], model["folds/scores"].mean(0), rtol=1e-9)
        for target in range(2):
            mean, error = model["folds/mean"][:, target], model["folds/standard_error"][:, target]
            best = mean.argmin()
            within = np.flatnonzero(mean <= mean[best] + error[best])
            chosen = model["path/chosen"][target]
            self.assertEqual(chosen, within[0])
            np.testing.assert_allclose(model["coefficients"][:, target],
                                       model["path/coefficients"][chosen, :, target], atol=1e-6)
        self.assertEqual((model["@choose"], model["@score"]), ("one_standard_error", "deviance"))

    def test_a_path_alone_ends_at_its_weakest_strength(self):
        report = self.json("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--penalty",
                           "elastic-net:auto:0.9", "--path", "5", "--quiet")
        model = self.model()
        self.assertEqual(model["path/chosen"].tolist(), [4, 4])
        np.testing.assert_array_equal(model["coefficients"], model["path/coefficients"][4])
        self.assertEqual(report["run"]["targets"][0]["strength"], model["path/strengths"][4, 0])


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
        self.refused("score", "m.h5", "design.toml", "--target", "y.h5:/y", "--channels", "0",
                     says=["1 targets", "2"])

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
    def test_the_picture(self):
        self.fit("--penalty", "lasso", "--path", "5", "--folds", "2")
        self.tool("predict", "m.h5", "design.toml", "means.h5:/p")
        done = subprocess.run([sys.executable, "-B", PYTHON / "show_fit.py", "m.h5", "--means", "means.h5:/p",
                               "--data", "y.h5:/y"], cwd=self.folder, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater((self.folder / "fit.png").stat().st_size, 10000)


class Ends(FitCase):
    def test_a_target_that_does_not_converge(self):
        words = ("--penalty", "ridge:1e-4", "--evaluations", "1")
        done = self.fit(*words)
        self.assertIn("2 of 2 targets did not converge", done.stderr)
        self.assertEqual(self.model()["stopped"].tolist(), [b"iterations"] * 2)
        done = self.fit(*words, "-O", "--strict", code=1)
        self.assertIn("--strict", done.stderr)
        self.assertEqual(self.model()["stopped"].tolist(), [b"iterations"] * 2)

    def test_an_existing_model_stays(self):
        self.fit("--penalty", "ridge:1e-2")
        before = (self.folder / "m.h5").read_bytes()
        self.refused("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--quiet", says=["m.h5", "existing file"])
        self.assertEqual((self.folder / "m.h5").read_bytes(), before)
        for name, what in (("design.toml", "the design"), ("y.h5", "the input 'target'"),
                           ("in.h5", "the input 'spikes'")):
            self.refused("fit", "design.toml", name, "--target", "y.h5:/y", "-O", "--quiet", says=what)

    def test_dry_run(self):
        report = self.json("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--dry-run")
        self.assertEqual((report["rows"], report["columns"], report["targets"]), (SAMPLES, COLUMNS, 2))
        self.assertFalse((self.folder / "m.h5").exists())
        self.assertIn("coupling", self.tool("fit", "design.toml", "--target", "y.h5:/y", "--dry-run").stdout)

    def test_progress(self):
        lines = self.fit("--progress", "json").stderr.splitlines()
        shown = [line for line in lines if line.startswith('{"event": "progress", "command": "fit"')]
        self.assertIn('"targets_done": 2, "targets": 2', shown[-1])


class Resumed(FitCase):
    """A kill costs a walk, and changes no bit."""

    def setUp(self):
        super().setUp()
        # Walks long enough that their answers are worth keeping.
        random = np.random.default_rng(5)
        samples = 60000
        self.counts(samples, 3, name="long.h5")
        self.write("place.h5", values=random.uniform(size=samples), rate=1000.0)
        self.write("z.h5", "y", values=random.poisson(0.4, (samples, 4)).astype(np.uint8), rate=1000.0)
        text = DESIGN.replace("in.h5", "long.h5").replace("position.h5", "place.h5")
        (self.folder / "design.toml").write_text(text)
        self.words = ("--target", "z.h5:/y", "--penalty", "ridge:1e-4", "--errors", "--quiet")
        self.tool("fit", "design.toml", "m.h5", *self.words)
        self.expected = self.model()

    def test_kills_at_any_write(self):
        killed = 0
        for call in (20, 22, 25, 30, 36):
            with self.subTest(call=call):
                run = self.held(call, "fit", "design.toml", "n.h5", *self.words)
                run.kill()
                run.wait()
                (self.folder / "held").unlink()
                killed += (self.folder / "n.h5.part").exists()
                environment = {"OMP_NUM_THREADS": "1"} if call % 2 else {}
                self.tool("fit", "design.toml", "n.h5", *self.words, "--resume", "--budget", "200MiB",
                          environment=environment)
                self.assertEqual(self.left_over(), [])
                self.assert_same_bits(self.expected, self.model("n.h5"))
                (self.folder / "n.h5").unlink()
        self.assertGreater(killed, 0)

    def test_answers_are_taken_over_and_a_finished_fit_is_none(self):
        run = self.held(30, "fit", "design.toml", "n.h5", *self.words)
        run.kill()
        run.wait()
        (self.folder / "held").unlink()
        report = self.json("fit", "design.toml", "n.h5", *self.words, "--resume")
        self.assertGreater(report["run"]["resumed_answers"], 0)
        self.assertTrue(self.json("fit", "design.toml", "n.h5", *self.words, "--resume")["run"]["was_finished"])

    def test_another_fit_is_named(self):
        run = self.held(30, "fit", "design.toml", "n.h5", *self.words)
        run.kill()
        run.wait()
        done = self.tool("fit", "design.toml", "n.h5", "--target", "z.h5:/y", "--penalty", "ridge:1",
                         "--errors", "--quiet", "--resume", code=1)
        self.assertIn("penalty=ridge:1 ", done.stderr)
        self.assertIn("penalty=ridge:0.0001 ", done.stderr)
        self.assertEqual(self.left_over(), ["n.h5.part"])

    def test_a_signal_leaves_the_answers(self):
        run = self.held(30, "fit", "design.toml", "n.h5", *self.words, SYNELIX_GRACE_SECONDS="60")
        run.send_signal(signal.SIGINT)
        self.release()
        _, errors = run.communicate()
        self.assertEqual(run.returncode, 130, errors)
        self.assertIn("--resume goes on with it", errors)
        self.tool("fit", "design.toml", "n.h5", *self.words, "--resume")
        self.assert_same_bits(self.expected, self.model("n.h5"))


class Refusals(FitCase):
    def test_words_of_the_command_line(self):
        for words, says in (
                (("--family", "normal"), ["--family", "poisson, gaussian"]),
                (("--link", "log"), ["--link", "softplus"]),
                (("--penalty", "l2:1"), ["--penalty", "ridge"]),
                (("--penalty", "ridge:-1"), ["--penalty", "below 0"]),
                (("--penalty", "ridge:1:2"), ["--penalty", "ridge has 1"]),
                (("--penalty", "elastic-net:1:2"), ["ratio", "at most 1"]),
                (("--dispersion", "0"), ["--dispersion", "above 0"]),
                (("--classes", "1"), ["--classes", "at least 2"]),
                (("--path", "1"), ["--path", "at least 2"]),
                (("--path-ratio", "2"), ["--path-ratio", "between 0 and 1"]),
                (("--folds", "1"), ["--folds", "at least 2"]),
                (("--gap", "-1"), ["--gap", "at least 0"]),
                (("--choose", "max"), ["--choose", "min, 1se"]),
                (("--solver", "adam"), ["--solver", "lbfgs"]),
                (("--tolerance", "0"), ["--tolerance", "above 0"]),
                (("--evaluations", "0"), ["--evaluations", "at least 1"]),
                (("--unit-ids", "1"), ["--unit-ids", "--units"]),
                (("--bin", "10ms"), ["--bin", "--units"])):
            with self.subTest(words=words):
                self.refused("fit", "design.toml", "m.h5", "--target", "y.h5:/y", *words, code=2, says=says)
        self.refused("fit", "design.toml", "--target", "y.h5:/y", code=2, says="--dry-run")
        self.refused("fit", "design.toml", "m.h5", "--target", "y.h5", code=2, says=["y.h5", "--units"])
        self.refused("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--units", code=2, says="beside --units")
        self.refused("fit", "design.toml", "m.h5", "--units", code=2, says="Add --target")

    def test_options_that_do_not_go_together(self):
        for words, says in (
                (("--link", "logistic"), ["poisson"]),
                (("--penalty", "lasso"), ["--penalty", "no strength", "--path"]),
                (("--path", "5"), ["--path", "Add --penalty"]),
                (("--path", "5", "--penalty", "lasso:1"), ["--penalty", "beside --path"]),
                (("--choose", "min"), ["--choose", "Add --folds"]),
                (("--gap", "1"), ["--gap", "Add --folds"]),
                (("--path-ratio", "0.1"), ["--path-ratio", "Add --path"]),
                (("--folds", "3"), ["--folds", "Add --penalty"]),
                (("--errors", "--penalty", "lasso:1"), ["--errors"]),
                (("--errors", "--penalty", "ridge", "--path", "5"), ["--errors", "one model"]),
                (("--solver", "newton", "--penalty", "lasso:1"), ["--solver", "proximal-newton"]),
                (("--dispersion", "estimate"), ["--dispersion", "negative-binomial"]),
                (("--mask", "mask.h5"), ["--mask", "FILE:/dataset"]),
                (("--where", "a=b"), ["--where", "--intervals"]),
                (("--budget", "1000"), ["--budget", "Give at least"])):
            with self.subTest(words=words):
                self.refused("fit", "design.toml", "m.h5", "--target", "y.h5:/y", *words, "--quiet", says=says)

    def test_tables_of_the_design(self):
        for more, says in (
                ("[fit]\ncolour = 1\n", ["colour", "Valid are: target, family"]),
                ('[fit]\nfamily = "normal"\n', ["[fit] family", "normal"]),
                ("[fit]\nerrors = 1\n", ["errors", "true or false"]),
                ('[fit]\ntarget = "y.h5"\n', ["target", "y.h5"]),
                ('[fit.target]\ndata = "y.h5:/y"\ncolour = 1\n', ["[fit.target]", "colour"]),
                ("[fit.target]\nchannels = 1\n", ["[fit.target]", "'data' nor 'units'"]),
                ('[options]\nborder = "zero"\n', ["border", "nan"]),
                ("[options]\nevery = 2\n", ["every"]),
                ("[options]\ncolour = 1\n", ["colour", "no option of fit"])):
            with self.subTest(more=more):
                self.make_design(more)
                self.refused("fit", "design.toml", "m.h5", "--quiet", says=says)
        self.make_design('[options]\nborder = "nan"\nchunk = "64x4"\ntype = "double"\n')
        self.fit("--penalty", "ridge:1e-2")                   # those of features alone are passed over
        (self.folder / "m.h5").unlink()
        self.make_design('[fit]\npenalty = "ridge:1e-2"\ntarget = "y.h5:/y"\n')
        self.tool("features", "design.toml", "columns.h5:/f", "-O")   # and [fit] is, by features
        self.make_design()
        self.refused("fit", "design.toml", "m.h5", "--quiet", says=["--target", "[fit.target]"])

    def test_targets_that_do_not_fit(self):
        self.write("short.h5", "y", values=self.targets[:-1], rate=1000.0)
        self.write("slow.h5", "y", values=self.targets, rate=500.0)
        self.write("negative.h5", "y", values=self.targets.astype(float) - 1, rate=1000.0)
        for name, says in (("short.h5", "target with 2,999 samples"), ("slow.h5", "500 Hz"),
                           ("negative.h5", "poisson"), ("none.h5", "none.h5")):
            with self.subTest(name=name):
                self.refused("fit", "design.toml", "m.h5", "--target", name + ":/y", "--quiet", says=says)
        self.write("mask.h5", "m", values=np.ones((3, 2)))
        self.write("mask.h5", "n", values=np.full((COLUMNS, 2), 2.0))
        for name, says in (("m", "(3, 2)"), ("n", "the value 2")):
            self.refused("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--mask", "mask.h5:/" + name,
                         "--quiet", says=["--mask", says])


@unittest.skipUnless(RECORDING.exists(), "no A8604.nwb: set SYNELIX_TEST_DATA")
class A8604(ToolCase):
    def test_coupling_of_its_units(self):
        text = f"""
[inputs.spikes]
units = "{RECORDING}"
bin = "10ms"
[bases.coupling]
type = "raised-cosine-log"
bases = 8
window = "250ms"
[[terms]]
name = "coupling"
input = "spikes"
basis = "coupling"
"""
        (self.folder / "design.toml").write_text(text)
        words = ("--target", RECORDING, "--units", "--bin", "10ms", "--penalty", "ridge:1e-4")
        report = self.json("fit", "design.toml", "m.h5", *words, "--errors", "--quiet")
        self.assertEqual(report["run"]["not_converged"], 0)
        self.assertEqual(report["row_source"], "events")
        self.tool("features", "design.toml", "columns.h5:/f")
        columns = self.read("columns.h5:/f")
        with h5py.File(self.folder / "m.h5") as file:
            found, ids = file["coefficients"][...], file["target_ids"][...]
        design = text.replace('window = "250ms"', 'window = 1\nshift = false') \
            .replace("raised-cosine-log", "history").replace("bases = 8\n", "")
        (self.folder / "counts.toml").write_text(design)
        self.tool("features", "counts.toml", "counts.h5:/f")
        counts = self.read("counts.h5:/f")
        self.assertEqual(counts.shape[1], len(ids))
        for target in range(len(ids)):
            b, _ = newton(columns, counts[:, target], ridge=1e-4)
            np.testing.assert_allclose(found[:, target], b[:-1], atol=1e-5)
        self.tool("fit", "design.toml", "n.h5", *words, "--unit-ids", str(ids[1]), "--quiet")
        with h5py.File(self.folder / "n.h5") as file:
            np.testing.assert_array_equal(file["coefficients"][:, 0], found[:, 1])


if __name__ == "__main__":
    unittest.main()
