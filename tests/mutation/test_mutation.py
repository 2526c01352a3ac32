#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The list of faults fits the tree: each edit has one place, each test is there. Nothing is compiled."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE.parent / "gates"))

from device_faults import DEVICE_FAULTS                       # noqa: E402
from faults import FAULTS, Fault                              # noqa: E402
from planting import copy_of, plant                           # noqa: E402

import mutate                                                 # noqa: E402

ALL = (*FAULTS, *DEVICE_FAULTS)


class Faults(unittest.TestCase):
    def test_each_edit_has_one_place(self):
        for fault in ALL:
            with self.subTest(fault.name), tempfile.TemporaryDirectory() as folder:
                folder = pathlib.Path(folder)
                for name in {edit[0] for edit in fault.edits}:
                    (folder / name).parent.mkdir(parents=True, exist_ok=True)
                    (folder / name).write_bytes((ROOT / name).read_bytes())
                self.assertEqual(plant(fault.edits, folder, "tests/mutation/faults.py"), "")

    def test_each_edit_changes_something(self):
        for fault in ALL:
            for name, before, after in fault.edits:
                self.assertNotEqual(before, after, f"{fault.name}: {name}")

    def test_each_target_and_test_is_there(self):
        targets = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("tests/**/CMakeLists.txt"))
        sources = "".join(file.read_text(encoding="utf-8") for file in ROOT.glob("tests/**/*.cpp"))
        for fault in ALL:
            with self.subTest(fault.name):
                for word in fault.arguments:
                    self.assertTrue(not word.startswith("tests/") or (ROOT / word).is_file(), word)
                if fault.script:
                    self.assertTrue((ROOT / fault.script).is_file(), fault.script)
                    continue
                name = fault.target.removeprefix("test_")
                self.assertRegex(targets, rf"(synelix_test(_program)?\({name}|add_executable\({fault.target})[\s)]")
                for word in re.findall(r"\w{4,}", fault.test):
                    self.assertIn(word, sources)

    def test_names_differ(self):
        self.assertEqual(len({fault.name for fault in ALL}), len(ALL))

    def test_ci_has_some(self):
        self.assertIn(sum(fault.is_quick for fault in FAULTS), range(3, 9))
        self.assertIn(sum(fault.is_quick for fault in DEVICE_FAULTS), range(1, 4))

    def test_kinds_are_those_of_the_lists(self):
        self.assertEqual({fault.kind for fault in FAULTS}, {"host"})
        self.assertEqual({fault.kind for fault in DEVICE_FAULTS}, {"device"})

    def test_what_the_emulator_has_to_say_is_among_its_words(self):
        words = "".join(file.read_text(encoding="utf-8") for file in (ROOT / "tests/emulator").glob("*.cpp"))
        for fault in DEVICE_FAULTS:
            for text in filter(None, fault.report.split("|")):
                self.assertIn(text, words, fault.name)

    def test_those_of_a_kind_are_chosen(self):
        def said(*arguments):
            return subprocess.run([sys.executable, "-B", str(HERE / "mutate.py"), *arguments], capture_output=True, text=True,
                                  check=True).stdout
        self.assertEqual(len(said("--list").splitlines()), len(ALL))
        self.assertEqual(len(said("--list", "--kind", "device").splitlines()), len(DEVICE_FAULTS))
        self.assertEqual(set(said("--targets", "device").split()), {fault.target for fault in DEVICE_FAULTS})
        self.assertEqual(said("--targets", "host", "--kind", "device").split(), [])


class OnEmulator(unittest.TestCase):
    """Programs that represent those of a fault of the kind device."""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.program = pathlib.Path(holder.name) / "program"

    def is_seen(self, says, code, report):
        self.program.write_text(f"#!/bin/sh\necho 'emulator: {says}' > $EMULATE_LOG\n[ $OWN = 1 ] && exit {code}\n", encoding="utf-8")
        self.program.chmod(0o700)
        fault = Fault("of a test", (), "program", report=report, kind="device", environment={"OWN": "1"})
        build = argparse.Namespace(folder=self.program.parent, emulator=self.program.parent)
        passes, _ = mutate.run_test(fault, self.program, build)
        self.assertEqual(passes, code == 0 and says == "no fault")
        return mutate.sees_on_emulator(fault, build, self.program).is_seen

    def test_a_fault_is_seen_by_what_the_emulator_says_of_it(self):
        self.assertTrue(self.is_seen("race in shared memory: here", 0, "race in shared memory"))
        self.assertFalse(self.is_seen("memory out of bounds: here", 0, "race in shared memory"))
        self.assertFalse(self.is_seen("no fault", 1, "race in shared memory"))

    def test_a_fault_without_a_report_is_seen_by_its_program(self):
        self.assertTrue(self.is_seen("no fault", 1, ""))
        self.assertFalse(self.is_seen("no fault", 0, ""))


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
