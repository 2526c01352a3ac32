#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""measured.py finds the faults that it should find: stale numbers, ratios without a run, runs that do not exist."""
import json
import tempfile
import unittest
from pathlib import Path

import measured

RUN = {"rows": {"a": {"value": 25.9594, "must": 60.0, "note": "0.172 s and 29 MiB; scikit-learn 4.45 s"}},
       "calls": [{"planned": 2.136e-06, "seconds": [7.0]}]}
PAGE = """# Page

<!-- measured: perf/results/run.json -->
It takes 0.172 s and 2.1 us, which is 26x. The run is [run.json](run.json).

Other text, of 70 MiB.
"""


class Measured(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "perf" / "results").mkdir(parents=True)
        (self.root / "perf" / "results" / "run.json").write_text(json.dumps(RUN))

    def wrong(self, text):
        page = self.root / "page.md"
        page.write_text(text)
        return measured.check_page(page, self.root)

    def test_numbers_of_the_run(self):
        self.assertEqual(self.wrong(PAGE), [])

    def test_stale_numbers(self):
        for old, new in (("26x", "27x"), ("0.172 s", "0.18 s"), ("2.1 us", "2.2 us"), ("26x", "25.9x"), ("26x", "60x"),
                         ("26x", "7x")):
            with self.subTest(new):
                self.assertEqual(len(self.wrong(PAGE.replace(old, new))), 1)

    def test_a_table(self):
        table = PAGE.replace("It takes 0.172 s and 2.1 us, which is 26x. ",
                             "| a | b |\n|---|---|\n| 26x | 4.45 s |\n\n")
        self.assertEqual(self.wrong(table), [])
        self.assertEqual(len(self.wrong(table.replace("4.45 s", "4.6 s"))), 1)

    def test_a_run_that_does_not_exist(self):
        self.assertIn("there is no run", self.wrong(PAGE.replace("run.json -->", "gone.json -->"))[0])

    def test_a_run_that_readers_do_not_see(self):
        self.assertIn("readers do not see", self.wrong(PAGE.replace(" The run is [run.json](run.json).", ""))[0])

    def test_paragraphs_that_name_a_run(self):
        page = PAGE + "\n![It takes 4.45 s](picture.svg)\n\nThe run is `perf/results/run.json`, with 29 MiB.\n"
        self.assertEqual(self.wrong(page), [])
        for old, new in (("takes 4.45 s]", "takes 4.65 s]"), ("with 29 MiB", "with 28 MiB"),
                         ("perf/results/run.json`", "perf/results/gone.json`")):
            with self.subTest(new):
                self.assertEqual(len(self.wrong(page.replace(old, new))), 1)

    def test_ratios_without_a_run(self):
        for text in ("It is 80 times as fast.", "It is 12x the speed.", "| a | 3.5x |", "It is 7 times faster."):
            with self.subTest(text):
                self.assertIn("names no run", self.wrong(PAGE + "\n" + text + "\n")[0])
        for text in ("Features have 100 x 20 values.", "`--chunk 4096x120`", "Bands are 1.1 times as wide."):
            with self.subTest(text):
                self.assertEqual(self.wrong(PAGE + "\n" + text + "\n"), [])

    def test_a_formula_of_the_table(self):
        sentence = next(iter(measured.ELSEWHERE))
        run = self.root / measured.ELSEWHERE[sentence][0]
        for value, count in ((86, 0), (79, 1)):
            run.write_text(json.dumps({"rows": {"nemos_1": {"value": value}}}))
            self.assertEqual(len(self.wrong(PAGE + "\n" + sentence + ".\n")), count)

    def test_stale_numbers_of_the_real_page(self):
        page = measured.ROOT / "docs" / "explanation" / "measurements.md"
        text = page.read_text()
        for old, new in (("418x", "419x"), ("40.5 s", "41.5 s"), ("1327x", "1326x"), ("20.7 us", "20.8 us"),
                         ("70 %", "74 %")):
            self.assertIn(old, text)
            (self.root / "page.md").write_text(text.replace(old, new, 1))
            self.assertEqual(len(measured.check_page(self.root / "page.md")), 1, new)


if __name__ == "__main__":
    unittest.main()
