# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Python examples, on files that the program wrote."""
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import h5py
import numpy as np

from tool import LOG8, PROGRAM, ToolCase

PYTHON = pathlib.Path(__file__).resolve().parents[2] / "examples" / "python"


class Readme(ToolCase):
    def test_the_commands_run_as_they_are_printed(self):
        text = (PYTHON.parent.parent / "README.md").read_text()
        lines = text.split("```sh\n")[1].split("```")[0]
        done = subprocess.run(["bash", "-euc", lines], cwd=self.folder, text=True, capture_output=True,
                              env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        with h5py.File(self.folder / "features.h5") as file:
            self.assertEqual(file["features"].shape, (60000, 16, 8))


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
class Pictures(ToolCase):
    def setUp(self):
        super().setUp()
        self.path, self.values = self.counts(4000, 6)
        spec = importlib.util.spec_from_file_location("read_features", PYTHON / "read_features.py")
        self.reader = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.reader)

    def drawn(self, *words, code=0, script="read_features.py", **options):
        done = subprocess.run([sys.executable, "-B", PYTHON / script, *words], cwd=self.folder,
                              text=True, capture_output=True, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_rows_and_channels_are_found_by_time_and_id(self):
        self.tool("convolve", self.path, "out.h5:/f", *LOG8, "--time", "1s:4s", "--every", "4",
                  "--channels", "2:5")
        with h5py.File(self.folder / "out.h5") as file:
            times, ids, values, unit = self.reader.drawn_part(file["f"], 2.0, 0.5, 2)
            np.testing.assert_array_equal(values, file["f"][250:375, :2])
        np.testing.assert_allclose(times, np.arange(2.0, 2.5, 0.004))
        self.assertEqual((ids.tolist(), unit), ([2, 3], "seconds"))
        with h5py.File(self.folder / "in.h5") as file:
            seconds, counts = self.reader.samples_between(file["x"], times[0], times[-1], ids)
        np.testing.assert_array_equal(counts, self.values[2000:2497, 2:4])
        np.testing.assert_allclose(seconds, np.arange(2000, 2497) / 1000)
        self.drawn("out.h5:/f", "--recording", "in.h5:/x")
        self.assertTrue((self.folder / "features.png").exists())

    def test_no_rate(self):
        path = self.write("plain.h5", values=np.random.default_rng(1).normal(size=(3000, 2)))
        self.tool("convolve", path, "out.h5:/f", *LOG8, "--border", "valid")
        self.drawn("out.h5:/f", "--recording", path)

    def test_wrong_names_get_one_line(self):
        self.tool("convolve", self.path, "out.h5:/f", *LOG8)
        for words, says in ((["out.h5:/g"], "/f"), (["none.h5:/f"], "none.h5"),
                            (["out.h5"], "/dataset"), (["in.h5:/x"], "coordinates"),
                            (["out.h5:/f", "--recording", "in.h5:/y"], "/x"),
                            (["out.h5:/f", "--start", "9"], "no row")):
            with self.subTest(words=words):
                lines = self.drawn(*words, code=1).stderr.splitlines()
                self.assertEqual(len(lines), 1, lines)
                self.assertIn(says, lines[0])

    def test_bank(self):
        taps = self.tool("basis", *LOG8).stdout
        for words in ([], ["--log"]):
            self.drawn(*words, script="draw_bank.py", input=taps)
        self.assertTrue((self.folder / "bank.png").exists())


class Defaults(ToolCase):
    """Each example runs without arguments, on files that it makes itself. One that lacks a package names it, and exits
    with 77."""

    #: The output of each, and the picture that it draws.
    EXAMPLES = {"convnet_torch.py": ("PyTorch", None), "draw_bank.py": ("bank.png", "bank.png"), "fit_nemos.py": ("score", None),
                "plot_features.py": ("features.png", "features.png"), "read_features.py": ("features.png", "features.png"),
                "show_fit.py": ("fit.png", "fit.png"), "split_design.py": ("119961 rows x 18 columns", None)}
    #: The lines for which a package of the tests is needed, or none.
    OPTIONAL = {"convnet_torch.py", "fit_nemos.py", "plot_features.py"}

    def ran(self, name, environment=None):
        return subprocess.run([sys.executable, "-B", PYTHON / name], cwd=self.folder, text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, env=environment or self.environment(SYNELIX_TOOL=PROGRAM))

    def test_each_is_listed(self):
        self.assertEqual({path.name for path in PYTHON.glob("*.py")} - {"made.py"}, set(self.EXAMPLES))

    def test_each_runs_with_its_defaults(self):
        for name, (says, picture) in self.EXAMPLES.items():
            with self.subTest(example=name):
                if picture and name not in self.OPTIONAL and not importlib.util.find_spec("matplotlib"):
                    self.skipTest("no matplotlib here")
                if name == "convnet_torch.py" and importlib.util.find_spec("torch"):
                    self.skipTest("example.09_small_convnet.torch runs it with a short training")
                done = self.ran(name)
                if done.returncode == 77 and name in self.OPTIONAL:
                    self.assertIn("skipped", done.stdout + done.stderr)
                    self.skipTest((done.stdout + done.stderr).strip())
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn(says, done.stdout)
                if picture:
                    self.assertGreater((self.folder / picture).stat().st_size, 10000)
                    (self.folder / picture).unlink()
        left = {path.name for path in self.folder.iterdir()} - {"config"}          # matplotlib's own
        self.assertEqual(left, set(), "made files are temporary")

    def test_without_the_program_one_line_says_so(self):
        done = self.ran("split_design.py", {"PATH": "/nowhere"})
        self.assertEqual((done.returncode, done.stderr.count("\n")), (1, 1), done.stderr)
        self.assertIn("the program synelix", done.stderr)


class Try(ToolCase):
    def test_a_log_has_no_control_characters(self):
        program = pathlib.Path(PROGRAM)
        if program.parent.name != "bin":
            self.skipTest("the program is not in a build folder")
        done = subprocess.run(["bash", PYTHON.parents[1] / "scripts" / "try", program.parents[1], self.folder / "try"],
                              text=True, capture_output=True, stdin=subprocess.DEVNULL,
                              env=self.environment(SYNELIX_TRY_SAMPLES="20000", TERM="xterm"))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout + done.stderr
        self.assertEqual([c for c in text if ord(c) < 32 and c != "\n"], [])
        for part in ("1. A recording", "2. Its features", "20,000 x 64 x 8", "4. Pictures"):
            self.assertIn(part, text)
        if importlib.util.find_spec("matplotlib"):
            self.assertGreater((self.folder / "try" / "features.png").stat().st_size, 10000)


class Design(ToolCase):
    def test_it_runs_as_its_first_lines_say(self):
        examples = PYTHON.parent / "design"
        for name in ("design.toml", "make_behaviour.py"):
            (self.folder / name).write_text((examples / name).read_text())
        self.tool("simulate", "counts.h5:/counts", "--samples", "60000", "--channels", "3", "--bin",
                  "10ms", "-O")
        for command in ([sys.executable, "-B", "make_behaviour.py"],
                        ["synelix", "features", "design.toml", "out.h5:/features", "-O"],
                        [sys.executable, "-B", PYTHON / "split_design.py", "out.h5:/features"]):
            done = subprocess.run(command, cwd=self.folder, text=True, capture_output=True,
                                  env=self.environment())
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("60000 rows x 93 columns", done.stdout)
        self.assertRegex(done.stdout, r"place_by_speed +1 channels x +40 bases")
        self.assertRegex(done.stdout, r"coupling +3 channels x +8 bases")


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "no matplotlib here")
class Fit(ToolCase):
    def test_the_lines_of_the_page(self):
        """From an NWB file to coupling filters and their picture, as docs/fits.md prints it."""
        examples = PYTHON.parent
        text = (examples.parent / "docs" / "fits.md").read_text()
        models = text[text.index("## An example"):]
        models = models[:models.index("\n## ", 1)]
        design = models.split("```toml\n")[1].split("```")[0]
        lines = next(part for part in models.split("```sh\n")[1:] if "make_session" in part).split("```")[0]
        shutil.copytree(examples / "python", self.folder / "examples" / "python")
        shutil.copytree(examples / "fit", self.folder / "examples" / "fit")
        kept = (examples / "fit" / "design.toml").read_text()
        for line in design.splitlines():
            self.assertIn(line, kept.splitlines(), "the page shows what the file holds")
        (self.folder / "bin").mkdir()
        (self.folder / "bin" / "python3").symlink_to(sys.executable)
        environment = self.environment()
        environment["PATH"] = f"{self.folder / 'bin'}{os.pathsep}{environment['PATH']}"
        done = subprocess.run(["bash", "-euc", lines], cwd=self.folder, text=True, capture_output=True,
                              env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = self.folder / "examples" / "fit"
        self.assertGreater((made / "fit.png").stat().st_size, 10000)
        with h5py.File(made / "model.h5") as model:
            self.assertEqual(set(model["stopped"][...]), {b"converged"})
            filters = model["filters/coupling"][...]
            lasting = {}
            for source in range(3):
                for target in range(3):
                    columns = slice(6 * source, 6 * source + 6)
                    lasting[source, target] = filters @ model["coefficients"][columns, target]
        peak = lasting[0, 1].argmax() + 1
        self.assertIn(peak, range(5, 12), "unit 0 drives unit 1 after 8 ms")
        self.assertGreater(lasting[0, 1].max(), 3 * np.abs(lasting[1, 0]).max())
        self.assertGreater(lasting[0, 1].max(), 3 * np.abs(lasting[2, 0]).max())
        for unit in range(3):
            self.assertLess(lasting[unit, unit][0], -1, "each is refractory")
        with h5py.File(made / "truth.h5") as truth, h5py.File(made / "model.h5") as model:
            for (source, target), filter_found in lasting.items():
                errors = model["standard_errors"][6 * source : 6 * source + 6, target]
                away = np.abs(filter_found - truth["coupling"][source, target])
                band = 2 * np.sqrt(filters ** 2 @ errors ** 2)
                outside = np.flatnonzero(away > band + 1e-6)     # at 50 ms all is 0
                self.assertEqual(outside.tolist(), [], f"from {source} to {target}: the bands hold the truth")
        score = json.loads(subprocess.run([PROGRAM, "score", "model.h5", "design.toml", "--time-rescaling", "--json"],
                                          cwd=made, text=True, capture_output=True, env=environment).stdout)
        for target in score["targets"]:
            self.assertLess(target["time_rescaling"]["statistic"], target["time_rescaling"]["bound"])


if __name__ == "__main__":
    unittest.main()
