# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""synelix fit: the ends of runs, errors, and resumed runs."""
import json
import signal
import unittest

import h5py
import numpy as np

from fit_case import COLUMNS, DESIGN, SAMPLES, FitCase
from tool import PROGRAM


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

    def test_a_full_disk_leaves_what_can_be_resumed(self):
        """A page more at a time: the disk is full at the answers, and at each step of writing the model."""
        (self.folder / "small").mkdir()
        fit = f"{PROGRAM} fit design.toml small/m.h5 --target y.h5:/y --penalty ridge:1e-3 --quiet"
        done = self.in_namespace(
            "export SYNELIX_KEEP_ANSWERS=all\n"
            "for size in $(seq 28 4 132); do\n"
            "  mount -t tmpfs -o size=${size}k tmpfs small || exit 77\n"
            f"  {fit} 2>/dev/null && break\n"
            "  mount -o remount,size=8m small || exit 77\n"
            f"  {fit} --resume || echo \"$size: resumed with exit code $?\"\n"
            "  [ \"$(ls -A small)\" = m.h5 ] || echo \"$size: \" $(ls -A small)\n"
            "  umount small || exit 77\n"
            "done\n"
            "[ $size -gt 60 ] && [ $size -lt 132 ] || echo \"ends at $size\"")
        if done.returncode == 77:
            self.skipTest("no mounts here")
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_dry_run(self):
        report = self.json("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--dry-run")
        self.assertEqual((report["rows"], report["columns"], report["targets"]), (SAMPLES, COLUMNS, 2))
        self.assertFalse((self.folder / "m.h5").exists())
        self.assertIn("coupling", self.tool("fit", "design.toml", "--target", "y.h5:/y", "--dry-run").stdout)

    def test_progress(self):
        lines = self.fit("--progress", "json").stderr.splitlines()
        shown = [line for line in lines if line.startswith('{"event": "progress", "command": "fit"')]
        self.assertIn('"targets_done": 2, "targets": 2', shown[-1])
        lines = [json.loads(line) for line in shown]
        fractions = [line["fraction"] for line in lines]
        self.assertEqual(fractions, sorted(fractions))
        self.assertEqual(fractions[-1], 1)
        for line in lines:
            self.assertEqual(line["estimated_seconds_left"] is None, line["fraction"] in (0, 1), line)

    def test_filters_of_two_terms_with_one_name(self):
        for name in ("a_b", "."):
            with self.subTest(name=name):
                text = DESIGN.replace('name = "coupling"', 'name = "a/b"').replace('name = "place"', f'name = "{name}"')
                (self.folder / "design.toml").write_text(text)
                self.refused("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--penalty", "ridge:1", "--quiet",
                             says="'" + name + "'")

    def test_strict_holds_for_a_model_that_is_there(self):
        words = ("--penalty", "ridge:1e-4", "--evaluations", "1")
        self.fit(*words)
        done = self.fit(*words, "--resume")
        self.assertIn("2 of 2 targets did not converge", done.stderr)
        done = self.fit(*words, "--resume", "--strict", code=1)
        self.assertIn("--strict: 2 of 2", done.stderr)
        self.assertEqual(self.model()["stopped"].tolist(), [b"iterations"] * 2)

    def test_a_model_without_a_finite_objective_is_none(self):
        self.fit("--penalty", "ridge:1e-2")
        with h5py.File(self.folder / "m.h5", "a") as file:
            file["objective"][1] = np.inf
        done = self.fit("--penalty", "ridge:1e-2", "--resume", code=1)
        self.assertIn("the objective of 1 of 2 targets is not finite", done.stderr)


class Resumed(FitCase):
    """A kill costs a walk, and changes no bit."""

    def environment(self, **more):
        """All answers are kept, whatever the walks take here: which write is which does not depend on the machine."""
        return super().environment(**{"SYNELIX_KEEP_ANSWERS": "all", **more})

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        samples = SAMPLES * 20
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
        for call in (20, 22, 25, 27, 30, 33):
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

    def test_paths_and_folds_go_on_too(self):
        words = ("--target", "z.h5:/y", "--penalty", "elastic-net:auto:0.9", "--path", "4", "--folds", "2", "--quiet")
        self.tool("fit", "design.toml", "p.h5", *words)
        expected = self.model("p.h5")
        for call in (30, 50, 70):
            run = self.held(call, "fit", "design.toml", "n.h5", *words)
            run.kill()
            run.wait()
            (self.folder / "held").unlink()
            report = self.json("fit", "design.toml", "n.h5", *words, "--resume")
            self.assertGreater(report["run"]["resumed_answers"], 0)
            self.assert_same_bits(expected, self.model("n.h5"))
            (self.folder / "n.h5").unlink()

    def killed(self, *words, call=30):
        """A fit that is killed and leaves answers."""
        run = self.held(call, "fit", "design.toml", "n.h5", *words)
        run.kill()
        run.wait()
        (self.folder / "held").unlink()

    def test_everything_that_decides_the_answer_is_compared(self):
        columns = 3 * 4 + 5
        mask = np.ones((columns, 4), dtype=np.uint8)
        self.write("mask.h5", "a", values=mask)
        mask[0] = 0
        self.write("mask.h5", "b", values=mask)
        self.write("parts.h5", "a", values=np.array([[0, 20000], [20000, SAMPLES * 20]]))
        self.write("parts.h5", "b", values=np.array([[0, 30000], [30000, SAMPLES * 20]]))
        with h5py.File(self.folder / "long.h5", "a") as file:
            for name, stop in (("a", 40.0), ("b", 50.0)):
                table = file.create_group("intervals/" + name)
                table["start_time"], table["stop_time"] = np.array([0.0, 51.0]), np.array([stop, 60.0])
                table["id"], table["kind"] = np.arange(2), np.array([1, 2])
        table = ("--intervals", "long.h5:/intervals/")
        for one, other, says in (
                (("--mask", "mask.h5:/a"), ("--mask", "mask.h5:/b"), "mask"),
                (("--epochs", "parts.h5:/a"), ("--epochs", "parts.h5:/b"), "epochs"),
                ((table[0], table[1] + "a"), (table[0], table[1] + "b"), "intervals"),
                ((table[0], table[1] + "a", "--where", "kind=1"), (table[0], table[1] + "a", "--where", "kind=2"),
                 "intervals"),
                (("--method", "direct"), ("--method", "fft"), "method"),
                (("--channels", "0:2"), ("--channels", "2:4"), "target"),
                (("--solver", "newton"), ("--solver", "lbfgs"), "solver")):
            with self.subTest(one=one, other=other):
                self.killed(*self.words, *one, call=26)
                done = self.tool("fit", "design.toml", "n.h5", *self.words, *other, "--resume", code=1)
                self.assertIn("it was made with", done.stderr)
                self.assertIn(says, done.stderr)
                self.tool("fit", "design.toml", "n.h5", *self.words, *one, "--resume")
                (self.folder / "n.h5").unlink()

    def test_a_design_that_says_the_same_goes_on(self):
        self.killed(*self.words)
        text = (self.folder / "design.toml").read_text()
        text = '# the same\n[options]\nbudget = "300MiB"\n' + text.replace("bases = 4", "bases    = 4")
        (self.folder / "design.toml").write_text(text)
        report = self.json("fit", "design.toml", "n.h5", *self.words, "--resume")
        self.assertGreater(report["run"]["resumed_answers"], 0)
        (self.folder / "design.toml").write_text(text.replace("bases    = 4", "bases = 5"))
        done = self.tool("fit", "design.toml", "n.h5", *self.words, "--resume", code=1)
        self.assertIn("design", done.stderr)

    def test_another_fit_is_named(self):
        self.killed(*self.words)
        done = self.tool("fit", "design.toml", "n.h5", "--target", "z.h5:/y", "--penalty", "ridge:1",
                         "--errors", "--quiet", "--resume", code=1)
        self.assertIn("penalty=ridge:1 ", done.stderr)
        self.assertIn("penalty=ridge:1e-04 ", done.stderr)
        self.assertEqual(self.left_over(), ["n.h5.part"])

    def test_a_signal_leaves_the_answers(self):
        run = self.held(30, "fit", "design.toml", "n.h5", *self.words, SYNELIX_GRACE_SECONDS="60")
        run.send_signal(signal.SIGINT)
        self.release()
        _, errors = run.communicate()
        self.assertEqual(run.returncode, 130, errors)
        self.assertIn("--resume goes on with it", errors)
        self.assertRegex(errors, "the fit is not done: [0-4] of 4 targets were done")
        self.tool("fit", "design.toml", "n.h5", *self.words, "--resume")
        self.assert_same_bits(self.expected, self.model("n.h5"))


    def test_a_signal_in_a_walk_over_files(self):
        """A thread is held in a read of a walk that computes its features from files."""
        words = (*self.words, "--budget", "5MiB", "--solver", "newton")   # whose walks are counted here
        report = self.json("fit", "design.toml", "s.h5", *words)
        self.assertEqual(report["row_source"], "streamed")
        # The part file is begun before the first walk. These reads are of the first walk, which leaves no answers, of
        # a later one, and of the walk for the scores.
        for call, says in ((2, "nothing was left behind"), (10, "--resume goes on with it"),
                           (22, "4 of 4 targets were done; n.h5.part is kept")):
            with self.subTest(call=call):
                run = self.held(call, "fit", "design.toml", "n.h5", *words, HELD_WHERE="read", HELD_AFTER="1",
                                SYNELIX_GRACE_SECONDS="60")
                run.send_signal(signal.SIGTERM)
                self.release()
                _, errors = run.communicate()
                self.assertEqual(run.returncode, 143, errors)
                self.assertIn("the fit is not done: ", errors)
                self.assertIn(says, errors)
                self.tool("fit", "design.toml", "n.h5", *words, "--resume")
                self.assert_same_bits(self.model("s.h5"), self.model("n.h5"))
                (self.folder / "n.h5").unlink()

    def test_an_existing_file(self):
        done = self.refused("fit", "design.toml", "design.toml", *self.words,
                            says="Give a new name, or -O to replace the file")
        self.assertNotIn("append", done.stderr)

    def test_a_wrong_choice_of_answers(self):
        done = self.tool("fit", "design.toml", "n.h5", *self.words, code=1, environment={"SYNELIX_KEEP_ANSWERS": "some"})
        self.assertIn("SYNELIX_KEEP_ANSWERS", done.stderr)


class Refusals(FitCase):
    def test_words_of_the_command_line(self):
        for words, says in (
                (("--family", "normal"), ["--family", "gaussian, poisson"]),
                (("--link", "log"), ["--link", "softplus"]),
                (("--penalty", "l2:1"), ["--penalty", "ridge"]),
                (("--penalty", "ridge=1"), ["--penalty", "'ridge=1' is not a penalty", "Give 'ridge:1'"]),
                (("--dispersion", "foo"), ["--dispersion", "'foo'", "above 0, or 'estimate'"]),
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
        self.refused("fit", "design.toml", "m.h5", "--target", "y.h5:/y", "--units",
                     says=["y.h5:/y", "Valid are seconds in one dimension"])
        self.refused("fit", "design.toml", "m.h5", "--units", code=2, says="Add --target")

    def test_options_that_do_not_go_together(self):
        for words, says in (
                (("--link", "logistic"), ["--link", "poisson has no link logistic", "one-over-x"]),
                (("--penalty", "lasso"), ["--penalty", "no strength", "lasso:0.001", "--path"]),
                (("--penalty", "elastic-net"), ["--penalty", "no strength", "elastic-net:0.001:0.5"]),
                (("--dispersion", "0.5"), ["--dispersion", "only negative-binomial"]),
                (("--classes", "3"), ["--classes", "only categorical"]),
                (("--time", "0:10", "--penalty", "ridge:1"),
                 ["Of 3000 rows, 2980 have whole windows", "10 have a finite target", "none has both"]),
                (("--gap", "60000", "--folds", "3", "--penalty", "ridge", "--path", "3"),
                 ["0 have a finite target and a weight above 0", "a smaller gap"]),
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
                ("[fit.target]\nchannels = 1\n", ["[fit.target]", "'data', 'units' nor 'events'"]),
                ('[fit]\ntarget = "y.h5:/y"\nclasses = 3\n', ["--classes", "only categorical"]),
                ('[options]\nborder = "zero"\n', ["border", "nan"]),
                ("[options]\nevery = 2\n", ["every"]),
                ("[options]\ncolour = 1\n", ["colour", "not an option of fit"])):
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


if __name__ == "__main__":
    unittest.main()
