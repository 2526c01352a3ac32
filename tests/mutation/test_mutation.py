#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of faults fits the tree: each edit has one place, each test is there. Nothing is compiled."""

import pathlib
import re
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE.parent / "gates"))

from faults import FAULTS                                     # noqa: E402
from planting import copy_of, plant                           # noqa: E402


class Faults(unittest.TestCase):
    def test_each_edit_has_one_place(self):
        for fault in FAULTS:
            with self.subTest(fault.name), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                for name in {edit[0] for edit in fault.edits}:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_bytes((ROOT / name).read_bytes())
                self.assertEqual(plant(fault.edits, folder, "tests/mutation/faults.py"), "")

    def test_each_edit_changes_something(self):
        for fault in FAULTS:
            for name, before, after in fault.edits:
                self.assertNotEqual(before, after, f"{fault.name}: {name}")

    def test_each_target_and_test_is_there(self):
        targets = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("tests/**/CMakeLists.txt"))
        sources = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("tests/**/*.cpp"))
        for fault in FAULTS:
            with self.subTest(fault.name):
                if fault.script:
                    self.assertTrue((ROOT / fault.script).is_file(), fault.script)
                    continue
                name = fault.target.removeprefix("test_")
                self.assertRegex(targets, rf"(synelix_test(_program)?\({name}|add_executable\({fault.target})[\s)]")
                for word in re.findall(r"\w{4,}", fault.test):
                    self.assertIn(word, sources)

    def test_names_differ(self):
        self.assertEqual(len({fault.name for fault in FAULTS}), len(FAULTS))

    def test_ci_has_some(self):
        self.assertIn(sum(fault.is_quick for fault in FAULTS), range(3, 9))


class Planting(unittest.TestCase):
    def test_a_place_that_is_gone_or_there_twice_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "src").mkdir()
            (root / "src/a.cpp").write_text("one two two", encoding="utf-8")
            copy_of(root, root / "copy", ("src",))
            for before, count in (("three", 0), ("two", 2)):
                wrong = plant((("src/a.cpp", before, "x"),), root / "copy", "LIST")
                self.assertIn(f"src/a.cpp has {count} places like '{before}', not 1: mend the fault in LIST", wrong)
            self.assertIn("src/b.cpp has 0 places", plant((("src/b.cpp", "x", "y"),), root / "copy", "LIST"))
            self.assertEqual(plant((("src/a.cpp", "one", "1"),), root / "copy", "LIST"), "")
            self.assertEqual((root / "copy/src/a.cpp").read_text(encoding="utf-8"), "1 two two")
            self.assertEqual((root / "src/a.cpp").read_text(encoding="utf-8"), "one two two")


if __name__ == "__main__":
    unittest.main()
