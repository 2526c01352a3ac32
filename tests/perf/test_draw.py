# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Crossovers, and pictures of a made result where matplotlib is there.

    test_draw.py ROOT
"""
import importlib.util
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "perf" / "compare"))

import draw  # noqa: E402

ROOFS = {"multiply_adds_float": 2e11, "stream": 2e10}


def runner(seconds):
    return {"seconds": [seconds], "median": seconds, "ratio": seconds / 0.1}


def entry(name, window, rate_hz=None, **seconds):
    case = {"name": name, "samples": 10 ** 6, "channels": 2, "bases": 4, "window": window, "bank": "cosines",
            "scalar": "float32", "rate_hz": rate_hz}
    return {"threads": 1, "allocates": False, "case": case, "taps_in_support": 2 * window,
            "runners": {key.replace("_", " ", 1) if key.startswith("synelix") else key: runner(value)
                        for key, value in seconds.items()}}


RESULT = {
    "context": [{"threads": 1, "roofs": ROOFS, "processor": "made", "library": {"instruction_set": "plain"}, "revision": "0"}],
    "dense": [entry("seed", 100, synelix_automatic=.1, synelix_direct=.1, nemos=3.0)],
    "random": [entry("seed", 100, synelix_direct=.1)],
    "windows": [entry("a", 10, synelix_direct=.1, synelix_fft=.4), entry("b", 1000, synelix_direct=10., synelix_fft=.4)],
    "events": [entry("c", 100, 1, synelix_events=.1, synelix_direct=.4), entry("d", 100, 50, synelix_events=5., synelix_direct=.4)],
}


class Crossover(unittest.TestCase):
    def test_straight_lines_on_logarithmic_axes(self):
        self.assertAlmostEqual(draw.crossover([10, 1000], [1, 100], [10, 10]), 100)
        self.assertAlmostEqual(draw.crossover([1, 10, 100], [1, 1, 100], [10, 10, 10]), 10 * 10 ** .5)

    def test_none_where_one_is_always_below(self):
        self.assertIsNone(draw.crossover([1, 10], [1, 1], [2, 2]))
        self.assertIsNone(draw.crossover([1, 10], [2, 2], [1, 1]))

    def test_curves_are_for_an_output_and_in_order(self):
        lines = draw.curves(reversed(RESULT["windows"]), "window")
        self.assertEqual(lines["synelix direct"], ([10, 1000], [.1 / 8e6, 10. / 8e6]))
        self.assertAlmostEqual(draw.crossings(lines, "synelix direct", "synelix fft"), 40)
        self.assertIsNone(draw.crossings(lines, "synelix direct", "absent"))


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "there is no matplotlib")
class Drawn(unittest.TestCase):
    def test_each_picture_is_there(self):
        with tempfile.TemporaryDirectory() as folder:
            draw.Pictures(RESULT, 1, folder, "made").all()
            names = {path.name for path in Path(folder).iterdir()}
            self.assertEqual(names, {"made-1-roofline.svg", "made-1-ratios.svg", "made-1-windows-cosines.svg",
                                     "made-1-rates-100.svg"})


if __name__ == "__main__":
    unittest.main()
