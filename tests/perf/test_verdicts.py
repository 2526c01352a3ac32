# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which results are met and missed, and that a missing row is always reported.

test_verdicts.py ROOT
"""
import ast
import math
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "perf" / "compare"))

from verdicts import (FIT_MUSTS, MUSTS, Result, choice_share, greatest, has_failed, least, line, median_ratio,  # noqa: E402
                      verdict)

BY_KEY = {must.key: must for must in MUSTS}


def good(must):
    return Result(must.aim, details={"worst": 1.0})


class Verdicts(unittest.TestCase):
    def test_lower_bounds(self):
        direct = BY_KEY["direct"]
        for value, expected in ((.95, "aim met"), (.90, "aim met"), (.85, "met"), (.80, "met"), (.79, "missed")):
            self.assertEqual(verdict(direct, Result(value)), expected, value)

    def test_upper_bounds(self):
        limit = BY_KEY["fft_100"]
        for value, expected in ((1.9, "aim met"), (2.5, "met"), (3.0, "met"), (3.01, "missed")):
            self.assertEqual(verdict(limit, Result(value)), expected, value)

    def test_what_could_not_run_counts_as_missed(self):
        for result in (None, Result(None, "no method"), Result(math.nan), Result(math.inf)):
            self.assertEqual(verdict(BY_KEY["fft_100"], result), "did not run")
            self.assertTrue(has_failed({"fft_100": result}, [BY_KEY["fft_100"]]))

    def test_one_missed_row_fails_the_run(self):
        results = {must.key: good(must) for must in MUSTS}
        self.assertFalse(has_failed(results))
        for must in MUSTS:
            worse = must.must * (1.01 if must.most else 0.99)
            self.assertTrue(has_failed({**results, must.key: Result(worse)}), must.key)
            self.assertTrue(has_failed({key: result for key, result in results.items() if key != must.key}), must.key)

    def test_the_aim_of_the_choice_bounds_the_worst_shape_too(self):
        choice = BY_KEY["choice"]
        self.assertEqual(verdict(choice, Result(1.0, details={"worst": 1.2})), "aim met")
        self.assertEqual(verdict(choice, Result(1.0, details={"worst": 1.4})), "met")

    def test_aims_lie_beyond_musts(self):
        for must in MUSTS + FIT_MUSTS:
            self.assertTrue(must.is_met(must.aim, must.must) and must.aim != must.must, must.key)
        self.assertEqual(len(BY_KEY), len(MUSTS))
        self.assertEqual(len({must.key for must in FIT_MUSTS}), len(FIT_MUSTS))

    def test_lines_say_what_measured_must_aim_and_why(self):
        self.assertRegex(line(BY_KEY["direct"], Result(.8123, "least: B 4")),
                         r"^dense direct.* 81\.2 % +must >= 80\.0 % +aim 90\.0 % +met: least: B 4$")
        self.assertRegex(line(BY_KEY["fft_1000"], Result(8.5)), r" 8\.50x +must <= 8\.00x +aim 5\.00x +missed$")
        self.assertRegex(line(BY_KEY["nemos"], Result(None, "not installed")), r" - +must .*did not run: not installed$")
        self.assertRegex(line(BY_KEY["nemos"], None), "the run ended before it$")
        for must in MUSTS:
            self.assertNotIn("\n", line(must, good(must)))

    def test_every_must_has_a_measurement(self):
        """By the texts of the rows, which need numpy: a key in GROUPS for each must."""
        named = set()
        for name in ("rows", "product_rows", "conv_rows"):
            tree = ast.parse((ROOT / "perf" / "compare" / f"{name}.py").read_text())
            values = {node.targets[0].id: node.value for node in tree.body
                      if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)}
            named |= {node.value for node in ast.walk(values["GROUPS"]) if isinstance(node, ast.Constant)}
            for table in ("PEERS", "OF_CASES"):
                named |= {key.value for key in values[table].keys} if table in values else set()
        self.assertEqual(named, set(BY_KEY))


class Numbers(unittest.TestCase):
    def test_ratios_are_of_neighbours(self):
        self.assertEqual(median_ratio([2, 30, 8], [1, 10, 2]), 3)
        self.assertEqual(median_ratio([2, 8], [1, 2]), 3)
        for above, below in (([], []), ([1], [1, 2])):
            with self.assertRaises(ValueError):
                median_ratio(above, below)

    def test_least_and_greatest_are_named(self):
        self.assertEqual(least({"a": 3, "b": 2}), (2, "b"))
        self.assertEqual(greatest({"a": 3, "b": 2}), (3, "a"))

    def test_share_of_shapes(self):
        self.assertEqual(choice_share([1.0, 1.10, 1.11, 2.0]), (0.5, 2.0))


if __name__ == "__main__":
    unittest.main()
