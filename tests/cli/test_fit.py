# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix fit: against models that numpy finds on stored columns."""
import json
import os
import pathlib
import unittest

import h5py
import numpy as np

from fit_case import COLUMNS, DESIGN, SAMPLES, FitCase, newton
from tool import ToolCase

RECORDING = pathlib.Path(os.environ.get("SYNELIX_TEST_DATA", "."), "A8604.nwb")


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

    def test_targets_whose_time_is_the_second_dimension(self):
        self.write("turned.h5", "y", values=self.targets.T.copy(), rate=1000.0)
        self.fit("--penalty", "ridge:1e-2")
        expected = self.model()["coefficients"]
        turned = ("--target", "turned.h5:/y", "--time-axis", "1")
        self.fit("--penalty", "ridge:1e-2", target=turned, out="t.h5")
        self.assertEqual(self.model("t.h5")["coefficients"].tolist(), expected.tolist())
        self.tool("score", "m.h5", "design.toml", *turned)
        self.refused("score", "m.h5", "design.toml", "--time-axis", "1", says="--time-axis", code=2)
        self.refused("score", "m.h5", "design.toml", "--target", "in.nwb", "--units", "--time-axis", "1", says="--time-axis", code=2)

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


class Families(FitCase):
    """Gradients of NumPy vanish at a model of the program: mean loss and ridge/2 |b|^2."""

    RIDGE = 1e-2

    def assert_optimal(self, slope, target, intercept=True):
        """`slope(y, eta)` is the derivative of a row's loss by its linear predictor."""
        model = self.model()
        self.assertEqual(set(model["stopped"].tolist()), {b"converged"})
        b, a = model["coefficients"], model["intercepts"]
        x = self.columns[20:].astype(float)
        residual = slope(target[20:].astype(float), x @ b.reshape(COLUMNS, -1) + a.reshape(-1)) / len(x)
        gradient = x.T @ residual + self.RIDGE * b.reshape(COLUMNS, -1)
        np.testing.assert_allclose(gradient, 0, atol=2e-6)
        if intercept:
            np.testing.assert_allclose(residual.sum(0), 0, atol=2e-6)
        return model

    def fitted(self, *words, **options):
        self.fit("--penalty", f"ridge:{self.RIDGE}", *words, **options)

    def test_no_intercept(self):
        self.fitted("--no-intercept")
        model = self.assert_optimal(lambda y, eta: np.exp(eta) - y, self.targets, intercept=False)
        self.assertEqual(model["intercepts"].tolist(), [0, 0])

    def test_another_link(self):
        self.fitted("--link", "softplus")
        model = self.assert_optimal(
            lambda y, eta: (1 - y / np.logaddexp(0, eta)) / (1 + np.exp(-eta)), self.targets)
        self.assertEqual(model["@inverse_link"], "softplus")

    def test_bernoulli(self):
        flags = np.minimum(self.targets, 1)
        self.write("b.h5", "y", values=flags, rate=1000.0)
        self.fitted("--family", "bernoulli", target=("--target", "b.h5:/y"))
        self.assert_optimal(lambda y, eta: 1 / (1 + np.exp(-eta)) - y, flags)

    def test_gamma(self):
        values = np.random.default_rng(4).gamma(2.0, 1.5, size=(SAMPLES, 2))
        self.write("g.h5", "y", values=values, rate=1000.0)
        self.fitted("--family", "gamma", "--link", "exp", target=("--target", "g.h5:/y"))
        model = self.assert_optimal(lambda y, eta: 1 - y * np.exp(-eta), values)
        mu = np.exp(self.columns[20:].astype(float) @ model["coefficients"] + model["intercepts"])
        pearson = ((values[20:] / mu - 1) ** 2).sum(0) / model["residual_degrees_of_freedom"]
        np.testing.assert_allclose(model["scale"], pearson, rtol=1e-6)

    def test_negative_binomial(self):
        random = np.random.default_rng(6)
        counts = random.poisson(random.gamma(2.0, 0.5, size=(SAMPLES, 1))).astype(np.uint8)
        self.write("n.h5", "y", values=counts, rate=1000.0)
        for words, slope in ((("--dispersion", "0.5"), lambda y, eta: (np.exp(eta) - y) / (1 + 0.5 * np.exp(eta))),
                             (("--dispersion", "estimate"), None)):
            with self.subTest(words=words):
                self.fitted("--family", "negative-binomial", *words, "-O", target=("--target", "n.h5:/y"))
                a = self.model()["dispersion"][0]
                model = self.assert_optimal(
                    slope or (lambda y, eta: (np.exp(eta) - y) / (1 + a * np.exp(eta))), counts)
        self.assertAlmostEqual(a, 0.5, delta=0.15)             # the counts are drawn with 1 / 2
        found = [self.likelihood(counts[20:, 0], model, b) for b in (0.97 * a, a, 1.03 * a)]
        self.assertEqual(max(found), found[1])

    def likelihood(self, y, model, a):
        """Log-likelihood of the negative binomial, by sums for the quotients of gamma functions."""
        mu = np.exp(self.columns[20:].astype(float) @ model["coefficients"][:, 0] + model["intercepts"][0])
        r = 1 / a
        ratio = np.array([np.log(r + np.arange(k)).sum() for k in range(int(y.max()) + 1)])[y]
        return (ratio + y * np.log(mu / (r + mu)) + r * np.log(r / (r + mu))).sum()

    def test_categorical(self):
        labels = np.random.default_rng(2).integers(0, 3, SAMPLES).astype(np.uint8)
        self.write("c.h5", "y", values=labels, rate=1000.0)
        self.fitted("--family", "categorical", "--classes", "3", target=("--target", "c.h5:/y"))
        self.assertEqual(self.model()["coefficients"].shape, (COLUMNS, 1, 3))

        def slope(y, eta):
            p = np.exp(eta - eta.max(1, keepdims=True))
            return p / p.sum(1, keepdims=True) - (y[:, None] == np.arange(3))
        self.assert_optimal(slope, labels)
        self.tool("predict", "m.h5", "design.toml", "p.h5:/p")
        shares = self.read("p.h5:/p")
        self.assertEqual(shares.shape, (SAMPLES, 3))
        np.testing.assert_allclose(shares[20:].sum(1), 1)


class UnitsAsTargets(FitCase):
    def setUp(self):
        super().setUp()
        self.unit_counts = np.random.default_rng(12).poisson(0.3, (SAMPLES, 3))
        trains = [np.repeat(np.arange(SAMPLES), counts) / 1000 + 5e-4 for counts in self.unit_counts.T]
        with h5py.File(self.folder / "made.nwb", "w") as file:
            file.attrs["nwb_version"] = "2.4.0"
            units = file.create_group("units")
            units.attrs["colnames"] = np.array(["location", "spike_times"], dtype=h5py.string_dtype())
            units["id"] = np.array([7, 3, 9])
            units["spike_times"] = np.concatenate(trains)
            units["spike_times_index"] = np.cumsum([len(train) for train in trains]).astype(np.uint16)
            units["location"] = np.array(["CA1", "CA3", "CA1"], dtype=h5py.string_dtype())
        self.write("u.h5", "y", values=self.unit_counts.astype(np.uint8), rate=1000.0)

    def test_units_of_a_file(self):
        self.fit("--penalty", "ridge:1e-2", target=("--target", "u.h5:/y"), out="dense.h5")
        dense = self.model("dense.h5")["coefficients"]
        for words, ids, columns in ((("--units",), [7, 3, 9], [0, 1, 2]),
                                    (("--units", "--where", "location=CA1"), [7, 9], [0, 2]),
                                    (("--units", "--unit-ids", "9,3"), [9, 3], [2, 1])):
            with self.subTest(words=words):
                self.fit("--penalty", "ridge:1e-2", "-O", target=("--target", "made.nwb", *words))
                model = self.model()
                self.assertEqual(model["target_ids"].tolist(), ids)
                np.testing.assert_allclose(model["coefficients"], dense[:, columns], atol=1e-6)
                b, _ = newton(self.columns, self.unit_counts[:, columns[0]], ridge=1e-2)
                np.testing.assert_allclose(model["coefficients"][:, 0], b[:-1], atol=2e-5)

    def test_the_table_says_the_same(self):
        self.fit("--penalty", "ridge:1e-2", target=("--target", "made.nwb", "--units", "--where", "location=CA1"))
        expected = self.model()
        self.make_design('[fit]\npenalty = "ridge:1e-2"\n[fit.target]\nunits = "made.nwb"\n'
                         'where = ["location=CA1"]\n')
        self.tool("fit", "design.toml", "n.h5")
        found = self.model("n.h5")
        self.assertEqual(found["target_ids"].tolist(), [7, 9])
        for name in ("coefficients", "intercepts", "stopped", "scores/deviance"):
            np.testing.assert_array_equal(found[name], expected[name], err_msg=name)


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


class Streamed(FitCase):
    def test_rows_that_are_read_in_each_walk(self):
        """A budget that holds no features has them computed from files in each walk."""
        samples = 60000
        random = np.random.default_rng(5)
        self.counts(samples, 3, name="long.h5")
        self.write("place.h5", values=random.uniform(size=samples), rate=1000.0)
        self.write("z.h5", "y", values=random.poisson(0.4, (samples, 2)).astype(np.uint8), rate=1000.0)
        text = DESIGN.replace("in.h5", "long.h5").replace("position.h5", "place.h5")
        (self.folder / "design.toml").write_text(text)
        words = ("fit", "design.toml", "m.h5", "--target", "z.h5:/y", "--penalty", "ridge:1e-3", "--quiet", "-O")
        found = {}
        for budget in ("5MiB", "6MiB", "512MiB"):
            report = self.json(*words, "--budget", budget)
            found.setdefault(report["row_source"], []).append(self.model())
            self.assertLessEqual(report["memory"]["buffer_bytes"] + report["memory"]["held_bytes"],
                                 int(budget[:-3]) << 20)
        self.assertEqual(sorted(found), ["kept", "streamed"])
        for model in found["streamed"]:
            self.assert_same_bits(found["kept"][0], model)


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
        np.testing.assert_allclose(model["coefficients"], model["path/coefficients"][4], atol=1e-6)
        self.assertTrue((model["optimality"] <= 1e-6).all())
        self.assertEqual(report["run"]["targets"][0]["strength"], model["path/strengths"][4, 0])


    def test_a_path_of_gaussian_models_has_a_scale(self):
        values = np.random.default_rng(8).normal(size=(SAMPLES, 1)) * 3
        self.write("g.h5", "y", values=values, rate=1000.0)
        words = ("--family", "gaussian", "--penalty", "ridge", "--path", "3", "--target", "g.h5:/y", "--quiet")
        self.tool("fit", "design.toml", "m.h5", *words)
        model = self.model()
        rest = values[20:, 0] - self.columns[20:].astype(float) @ model["coefficients"][:, 0] - model["intercepts"][0]
        freedom = SAMPLES - 20 - COLUMNS - 1
        self.assertEqual(model["residual_degrees_of_freedom"].tolist(), [freedom])
        np.testing.assert_allclose(model["scale"], (rest ** 2).sum() / freedom, rtol=1e-6)
        phi = model["scale"][0]
        score = self.json("score", "m.h5", "design.toml", "--target", "g.h5:/y")["targets"][0]
        likelihood = -(np.log(2 * np.pi * phi) + rest ** 2 / phi).mean() / 2
        self.assertAlmostEqual(score["log_likelihood"], likelihood, places=5)
        with h5py.File(self.folder / "m.h5", "a") as file:
            del file["scale"]                                # as of PathResult::model
        done = self.tool("score", "m.h5", "design.toml", "--target", "g.h5:/y", "--json")
        left_out = json.loads(done.stdout)["targets"][0]
        self.assertIn("no dataset /scale", done.stderr)
        self.assertIsNone(left_out["log_likelihood"])
        self.assertIsNone(left_out["pseudo_r2_mcfadden"])
        self.assertEqual(left_out["deviance"], score["deviance"])
        self.assertNotIn("McFadden", self.tool("score", "m.h5", "design.toml", "--target", "g.h5:/y").stdout)

    def test_the_strength_of_the_least_deviance(self):
        self.fit("--penalty", "ridge", "--path", "6", "--path-ratio", "1e-4", "--folds", "3", "--choose", "min")
        model = self.model()
        self.assertEqual(model["path/chosen"].tolist(), model["folds/mean"].argmin(0).tolist())
        self.assertEqual(model["@choose"], "best")

    def test_a_strength_at_an_end_of_the_path_is_said(self):
        """Targets that the features do not explain, and a path that ends too early."""
        noise = np.random.default_rng(8).poisson(0.3, self.targets.shape).astype(np.uint8)
        self.write("noise.h5", "y", values=noise, rate=1000.0)
        words = ("--penalty", "lasso", "--path", "6", "--folds", "3")
        done = self.fit(*words, "--choose", "1se", target=("--target", "noise.h5:/y"))
        self.assertEqual(self.model()["path/chosen"].tolist(), [0, 0])
        self.assertRegex(done.stderr, "warning: the strength that was chosen is the first of the path, where all "
                         "coefficients are 0. No other is better .*--choose min.*targets .strength. 0 .*, 1 ")
        self.assertIn("is the first of the path", str(self.model()["warnings"]))
        done = self.fit(*words, "--path-ratio", "0.9", "-O")
        self.assertRegex(done.stderr, "is the last of the path, .* Give a smaller ratio .*--path-ratio.* 0 [(]")
        self.assertNotIn("of the path", self.fit(*words, "--choose", "1se", "-O").stderr)
        plan = self.json("fit", "design.toml", "--target", "y.h5:/y", "--dry-run", *words)
        self.assertNotIn("predicted", plan, "the prediction is of one model")


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
            np.testing.assert_allclose(found[:, target], b[:-1], atol=5e-5)
        self.tool("fit", "design.toml", "n.h5", *words, "--unit-ids", str(ids[1]), "--quiet")
        with h5py.File(self.folder / "n.h5") as file:
            np.testing.assert_array_equal(file["coefficients"][:, 0], found[:, 1])


if __name__ == "__main__":
    unittest.main()
