# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The README's figure and its words have the numbers of the run that it names.

    test_speed.py ROOT
"""
import json
import re
import sys
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "perf" / "compare"))

import speed  # noqa: E402

README = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = ROOT / re.search(r"`(perf/results/\S+-python\.json)`", README)[1]
JOBS = speed.jobs(json.loads(RUN.read_text(encoding="utf-8")))


class Readme(unittest.TestCase):
    def test_its_words_have_the_seconds_of_the_run(self):
        said = re.search(r"!\[(Seconds of [^\]]*)\]", README)[1]
        found = [f"{seconds:.2g} s" for _, bars in JOBS for _, seconds in bars]
        self.assertEqual(re.findall(r"[\d.]+ s\b", said), found)

    def test_its_picture_has_them_too(self):
        picture = (ROOT / "docs/pictures/speed.svg").read_text(encoding="utf-8")
        for title, bars in JOBS:
            self.assertIn(">" + title.split("\n", maxsplit=1)[0], picture)
            for name, seconds in bars:
                self.assertIn(f">{name}<", picture)
                self.assertIn(f">{seconds:.2g} s<", picture)


if __name__ == "__main__":
    unittest.main()
