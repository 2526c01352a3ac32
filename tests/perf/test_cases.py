# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The table of cases, parts of what is slow, and the shapes that a seed draws.

    test_cases.py ROOT
"""
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "perf" / "compare"))

import cases  # noqa: E402


class Table(unittest.TestCase):
    def test_the_cases_are_those_that_were_asked_for(self):
        shapes = {name: (case.samples, case.channels, case.bases, case.window)
                  for name, case in cases.dense_cases().items()}
        self.assertEqual(shapes, {
            "seed": (10 ** 4, 10, 8, 100), "medium": (10 ** 6, 20, 8, 100), "long": (10 ** 6, 10, 10, 1000),
            "very_long": (10 ** 6, 4, 5, 10 ** 4), "wide": (10 ** 5, 500, 8, 50), "small_window": (10 ** 6, 50, 4, 10),
            "users": (5 * 10 ** 5, 200, 8, 100), "single_channel": (10 ** 7, 1, 8, 200),
            "one_basis": (10 ** 6, 64, 1, 100)})

    def test_the_users_case_is_float_only(self):
        self.assertEqual(set(cases.dense_cases()) - set(cases.dense_cases(scalar="float64")), {"users"})

    def test_work_and_bytes(self):
        case = cases.dense_cases()["small_window"]
        self.assertEqual(case.stored_bytes, 800_000_000)
        self.assertEqual(case.moved_bytes, 1_000_000_000)
        self.assertEqual(case.of(stored="int8").moved_bytes, 850_000_000)
        self.assertEqual(case.operations(), 2 * (10 ** 6 - 9) * 50 * 4 * 10)
        self.assertEqual(case.operations(13), 2 * (10 ** 6 - 9) * 50 * 13)
        self.assertEqual(case.part(5).operations(), 0)       # no row has a complete window

    def test_events_have_a_rate(self):
        case = cases.event_case(5, 1000)
        self.assertEqual((case.rate_hz, case.window, case.samples), (5, 1000, 10 ** 6))


class Parts(unittest.TestCase):
    case = cases.Case("part", 1_000_000, 4, 5, 10_000)

    def test_seconds_of_a_part_are_scaled_by_rows(self):
        self.assertAlmostEqual(cases.scaled(0.5, 2_000, 1_000_000), 250.0)
        self.assertEqual(cases.scaled(0.5, 7, 7), 0.5)
        for part in (0, 8):
            with self.assertRaises(ValueError):
                cases.scaled(0.5, part, 7)

    def test_the_first_part_is_small_and_holds_a_window_where_it_has_to(self):
        self.assertEqual(cases.first_part(self.case, needs_window=False), 1250)
        self.assertEqual(cases.first_part(self.case, needs_window=True), 20_000)
        self.assertEqual(cases.first_part(self.case.part(100), needs_window=True), 100)

    def test_parts_grow_until_they_take_long_enough_and_never_beyond_the_case(self):
        for rate in (1e-2, 1e-4, 1e-6, 1e-9):                # seconds of a row
            samples, trials = cases.first_part(self.case, False), 0
            while True:
                longer = cases.next_part(self.case, samples, samples * rate, 0.6)
                trials += 1
                if longer == samples:
                    break
                self.assertGreater(longer, samples)
                samples = longer
            self.assertLess(trials, 8)
            self.assertTrue(samples == self.case.samples or samples * rate >= 0.3, (rate, samples))
            self.assertLessEqual(samples, self.case.samples)


class Drawn(unittest.TestCase):
    def test_a_seed_draws_the_same_shapes_and_another_seed_others(self):
        self.assertEqual(cases.drawn_cases(7, 80), cases.drawn_cases(7, 80))
        self.assertNotEqual(cases.drawn_cases(7, 80), cases.drawn_cases(8, 80))

    def test_shapes_are_valid_spread_and_no_run_of_them_is_long(self):
        drawn = cases.drawn_cases(3, 1000)
        for case in drawn:
            self.assertGreaterEqual(case.samples, 4 * case.window)
            self.assertGreaterEqual(min(case.channels, case.bases, case.window), 1)
            self.assertLessEqual(case.operations() / 2, 3 * cases.MOST_MULTIPLY_ADDS, case)
            self.assertLessEqual(case.outputs, 1.01 * cases.MOST_OUTPUTS, case)
        self.assertEqual({case.bases for case in drawn}, set(range(1, 21)))
        self.assertEqual({case.bank for case in drawn}, {"cosines", "random"})
        for low, high in ((1, 10), (10, 100), (100, 1000), (1000, 10_001)):
            self.assertGreater(sum(low <= case.window < high for case in drawn), 150)
        with_events = sum(case.rate_hz is not None for case in drawn)
        self.assertTrue(150 < with_events < 350, with_events)


if __name__ == "__main__":
    unittest.main()
