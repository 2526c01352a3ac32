# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counts and errors of build_time.py, without a build.

test_build_time.py ROOT
"""
import subprocess
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(sys.argv.pop(1))
SCRIPT = ROOT / "perf" / "compare" / "build_time.py"
sys.path.insert(0, str(SCRIPT.parent))

import build_time  # noqa: E402


def said(*arguments):
    done = subprocess.run([sys.executable, "-B", SCRIPT, *arguments], capture_output=True, text=True)
    return done.returncode, done.stderr


class Counts(unittest.TestCase):
    def test_a_file_reaches_kokkos_through_headers_of_the_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src/wing").mkdir(parents=True)
            (root / "include").mkdir()
            (root / "include/space.hpp").write_text("#pragma once\n#include <Kokkos_Core.hpp>\n")
            (root / "src/wing/inner.hpp").write_text('#include "wing/inner.hpp"\n#include <space.hpp>\n')
            (root / "src/wing/reaches.cpp").write_text('#include "wing/inner.hpp"\n')
            (root / "src/wing/plain.cpp").write_text("#include <vector>\n// #include <Kokkos_Core.hpp>\n")
            found = build_time.measure_kokkos(types.SimpleNamespace(tree=root))
        self.assertEqual(found, {"files of src that reach Kokkos": 1, "files of src": 2})

    def test_a_row_has_the_median_of_its_rounds_and_the_ratio_of_the_medians(self):
        rounds = [{"against": {"try": 10.0}, "this_tree": {"try": 4.0}}, {"against": {"try": 30.0}, "this_tree": {"try": 6.0}}]
        self.assertIn("| try | 20 | 5.00 | 0.25 |", build_time.table(rounds, ["against", "this_tree"]).splitlines())

    def test_parts_that_go_on_from_others_count_from_nothing(self):
        copy = mock.Mock()
        copy.name = "this_tree"
        copy.build.side_effect = [(20.0, 10.0), (30.0, 15.0)]
        copy.run.return_value = (40.0, 20.0)
        found = {}
        build_time.measure(copy, ["try", "all", "test"], found, lambda: None)
        self.assertEqual([found[f"{part}, seconds"] for part in ("try", "all", "./dev test")], [10.0, 25.0, 45.0])
        self.assertEqual(found["./dev test, processor seconds"], 90.0)
        copy.forget.assert_called_once()

    def test_the_files_that_change_exist(self):
        for file, _ in build_time.CHANGES.values():
            self.assertTrue((ROOT / file).is_file(), file)


class Refusals(unittest.TestCase):
    def test_an_unknown_part_is_named_with_those_that_exist(self):
        code, text = said("--only", "tyr")
        self.assertEqual(code, 2)
        self.assertIn("--only names 'tyr'; there are: kokkos, try, all,", text)

    def test_a_part_that_needs_another_says_so(self):
        self.assertIn("name all too", said("--only", "header")[1])

    def test_no_round_is_refused(self):
        self.assertIn("--rounds is 0; it must be at least 1", said("--rounds", "0")[1])


if __name__ == "__main__":
    unittest.main()
