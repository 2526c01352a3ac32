# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which build made an output: --version, info and the attributes of outputs. Runs of other revisions go on."""
import json
import os
import re
import subprocess
import unittest

import h5py

from fit_case import FitCase
from test_parts import PartsCase
from test_resume import BANK, ResumeCase

OTHER = os.environ["SYNELIX_OTHER_REVISION"]        # the same program, of revision 0123456789ab
LINE = re.compile(r"synelix (?P<version>\d+\.\d+\.\d+) \(revision (?P<revision>unknown|[0-9a-f]{12}(-modified)?), "
                  r"(?P<build>Kokkos \d+\.\d+\.\d+( [A-Za-z]+)+, HDF5 \d+\.\d+\.\d+, [A-Za-z]+ [\d.]+, \w+)\)\n")


class Origin(FitCase):
    def test_version_names_the_build(self):
        line = LINE.fullmatch(self.tool("--version").stdout)
        self.assertTrue(line, self.tool("--version").stdout)
        self.assertEqual(self.tool("convolve", "--version").stdout, line[0])
        report = self.json("info")
        self.assertEqual((report["version"], report["revision"]), (line["version"], line["revision"]))
        self.assertIn(f"revision {line['revision']}\n", self.tool("info").stdout)

    def test_every_output_names_the_build(self):
        line = LINE.fullmatch(self.tool("--version").stdout)
        expected = {f"synelix_{name}": line[name] for name in ("version", "revision", "build")}
        self.tool("simulate", "sim.h5:/x", "--samples", "100", "--channels", "2", "--seed", "1")
        self.tool("basis", *BANK, "-o", "bank.h5:/b")
        self.tool("convolve", "sim.h5:/x", "out.h5:/f", *BANK)
        self.fit()
        self.tool("predict", "m.h5", "design.toml", "means.h5:/p")
        for name, path in (("sim.h5", "/x"), ("bank.h5", "/b"), ("out.h5", "/f"), ("columns.h5", "/f"),
                           ("m.h5", "/"), ("means.h5", "/p")):
            with self.subTest(file=name), h5py.File(self.folder / name) as file:
                found = {key: value for key, value in file[path].attrs.items() if key in expected}
                self.assertEqual(found, expected)


class Resume(ResumeCase):
    WORDS = ("convolve", "in.h5:/x", "out.h5:/f", *BANK, "--quiet")

    def revision_of(self, name):
        with h5py.File(self.folder / name) as file:
            return file["f"].attrs["synelix_revision"]

    def test_another_revision_goes_on_and_has_the_same_values(self):
        self.counts(4000, 3)
        self.run_tool((*self.WORDS[:2], "whole.h5:/f", *self.WORDS[3:]))
        self.assertNotEqual(self.revision_of("whole.h5"), "0123456789ab")
        ended, _ = self.run_until((*self.WORDS, "--batch", "72,,"), 80)
        self.assertFalse(ended)
        done = subprocess.run([OTHER, *self.WORDS, "--resume", "--json"], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(json.loads(done.stdout)["run"]["blocks_before"], 0)
        self.assertEqual(self.made("out.h5:/f")[:3], self.made("whole.h5:/f")[:3])
        self.assertEqual(self.revision_of("out.h5"), self.revision_of("whole.h5"), "of the one that began the file")
        subprocess.run([OTHER, *self.WORDS, "-O"], cwd=self.folder, check=True, env=self.environment())
        self.assertEqual(self.made("out.h5:/f")[:3], self.made("whole.h5:/f")[:3])
        self.assertEqual(self.revision_of("out.h5"), "0123456789ab")


class Parts(PartsCase):
    def of_two_revisions(self, words):
        self.part("0/2", words=words)
        done = subprocess.run([OTHER, *words, "--part", "1/2"], cwd=self.folder, capture_output=True, text=True,
                              env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_of_one_file(self):
        self.of_two_revisions(self.words)
        self.expect_whole()

    def test_of_compressed_outputs(self):
        words = (*self.words, "--filter", "deflate:1")
        self.of_two_revisions(words)
        self.tool("join", "out.h5")
        self.tool(*("one.h5:/f" if word == "out.h5:/f" else word for word in words))
        self.assertEqual(self.read("out.h5:/f").tobytes(), self.read("one.h5:/f").tobytes())


if __name__ == "__main__":
    unittest.main()
