#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the figures of docs/explanation/measurements.md from runs that are kept in perf/results.

    figures.py            writes docs/pictures/measured/*.svg
    figures.py --check    whether the ones that are there are those it would write

It needs Python alone. Shapes are drawn by docs/pictures/draw.py.
"""
import json
import math
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "pictures"))
from draw import BLUE, GREEN, GREY, LINE, ORANGE, PURPLE, SOFT, TEXT, Picture  # noqa: E402

RESULTS = ROOT / "perf" / "results"
FOLDER = ROOT / "docs" / "pictures" / "measured"
#: The runs of the figures. A later run takes the place of one here, and the page says the same name.
CASES = "2026-11-22-xeon-avx512-banks-musts.json"
CALLS = "2026-11-22-xeon-avx512-seed-peers.json"
FITS = "2026-11-25-epyc-avx2-fits.json"
RED, BROWN = "#b5302c", "#7a5a2e"


def run(name):
    return json.loads((RESULTS / name).read_text())


class Axes:
    """Two logarithmic axes, or one of them, with ticks at powers of ten."""

    def __init__(self, picture, box, x, y):
        self.picture, (self.left, self.top, self.right, self.bottom), self.x, self.y = picture, box, x, y
        picture.rect(self.left, self.top, self.right - self.left, self.bottom - self.top)

    @staticmethod
    def share(value, limits):
        low, high = map(math.log10, limits)
        return (math.log10(value) - low) / (high - low)

    def at_x(self, value):
        return self.left + self.share(value, self.x) * (self.right - self.left)

    def at_y(self, value):
        return self.bottom - self.share(value, self.y) * (self.bottom - self.top)

    def ticks_y(self, values, label):
        for value in values:
            y = self.at_y(value)
            self.picture.line(self.left, y, self.right, y, GREY, 1)
            self.picture.text(self.left - 8, y, label(value), 12, anchor="end")

    def ticks_x(self, values, label):
        for value in values:
            x = self.at_x(value)
            self.picture.line(x, self.top, x, self.bottom, GREY, 1)
            self.picture.text(x, self.bottom + 16, label(value), 12)

    def curve(self, points, colour, dash=""):
        places = [(self.at_x(x), self.at_y(y)) for x, y in points]
        for (x0, y0), (x1, y1) in zip(places, places[1:]):
            self.picture.line(x0, y0, x1, y1, colour, 2.2, dash)
        for x, y in places:
            self.picture.rect(x - 3, y - 3, 6, 6, colour, colour)
        return places[-1]


def where(context):
    return (f"{context['processor']}, {context['library']['instruction_set']}, {context['threads']} thread, "
            f"{context['revision']}")


def powers(limits):
    return [10.0**k for k in range(math.ceil(math.log10(limits[0])), math.floor(math.log10(limits[1])) + 1)]


def peers():
    """How many times longer each peer takes, for each case."""
    result = run(CASES)
    colours = {"numpy": BLUE, "scipy": ORANGE, "torch": GREEN, "onednn": PURPLE, "nemos": RED}
    names = {"numpy": "NumPy", "scipy": "SciPy", "torch": "PyTorch", "onednn": "oneDNN", "nemos": "NeMoS"}
    cases = list(result["rows"]["numpy"]["details"]["ratios"])
    picture = Picture(760, 400, "Time of other libraries over the time of Synelix")
    axes = Axes(picture, (70, 50, 740, 330), (1, 10), (1, 2000))
    axes.ticks_y(powers(axes.y), lambda value: f"{value:g}x")
    width = (axes.right - axes.left) / len(cases)
    for i, case in enumerate(cases):
        for j, peer in enumerate(colours):
            ratio = result["rows"][peer]["details"]["ratios"][case]
            top = axes.at_y(ratio)
            picture.rect(axes.left + i * width + 8 + j * 11, top, 10, axes.bottom - top, colours[peer], colours[peer])
        picture.text(axes.left + (i + 0.5) * width, axes.bottom + 16 + 14 * (i % 2), case.replace("_", " "), 11)
    for j, (peer, colour) in enumerate(colours.items()):
        picture.rect(80 + j * 110, 16, 12, 12, colour, colour)
        picture.text(98 + j * 110, 22, names[peer], 13, anchor="start")
    picture.text(axes.left, 384, where(result["context"]), 11, SOFT, "start")
    return picture


def windows():
    """Time of a feature as a function of the length of the window."""
    result = run(CASES)
    table = {case["name"]: case for case in json.loads((ROOT / "perf" / "cases.json").read_text())["dense"]}
    seconds = result["rows"]["numpy"]["details"]["seconds"]
    lines = {"synelix": ("Synelix", BLUE), "numpy_convolve": ("NumPy", BROWN),
             "scipy_oaconvolve": ("SciPy oaconvolve", ORANGE), "torch_conv1d": ("PyTorch", GREEN),
             "onednn": ("oneDNN", PURPLE), "nemos": ("NeMoS", RED)}
    picture = Picture(760, 400, "Time of one feature over the length of the window")
    axes = Axes(picture, (80, 30, 560, 330), (8, 12000), (0.1, 20000))
    axes.ticks_y(powers(axes.y), lambda value: f"{value:g} ns")
    axes.ticks_x([10, 100, 1000, 10000], lambda value: f"{value:g}")
    picture.text(320, 366, "samples of the window (cases small window, medium, long, very long)", 12)
    ends = []
    for runner, (name, colour) in lines.items():
        points = []
        for case in ("small_window", "medium", "long", "very_long"):
            shape = table[case]
            outputs = shape["samples"] * shape["channels"] * shape["bases"]
            points.append((shape["window"], statistics.median(seconds[case][runner]["seconds"]) / outputs * 1e9))
        ends.append((axes.curve(points, colour), name, colour))
    last = 0
    for (x, y), name, colour in sorted(ends, key=lambda end: end[0][1]):
        place = max(y, last + 17)
        picture.text(axes.right + 12, place, name, 13, colour, "start")
        last = place
    picture.text(axes.left, 388, where(result["context"]), 11, SOFT, "start")
    return picture


def lengths():
    """Time of a call as a function of its samples, with and without a plan."""
    result = run(CALLS)
    calls = [call for call in result["calls"] if call["threads"] == 1]
    picture = Picture(760, 360, "Time of a call over its samples")
    axes = Axes(picture, (80, 30, 560, 290), (0.8, 1300), (1, 1000))
    axes.ticks_y(powers(axes.y), lambda value: f"{value:g} us")
    axes.ticks_x([1, 10, 100, 1000], lambda value: f"{value:g}")
    picture.text(320, 326, "samples of the call (10 channels, 8 bases, a window of 100)", 12)
    for name, key, colour in (("convolve: plans anew", "convolve", ORANGE), ("run of a plan", "planned", BLUE)):
        _, y = axes.curve([(call["samples"], call[key] * 1e6) for call in calls], colour)
        picture.text(axes.right + 12, y, name, 13, colour, "start")
    picture.text(axes.left, 348, where(result["context"][0]), 11, SOFT, "start")
    return picture


def fits():
    """The factor by which other packages take longer for a fit."""
    result = run(FITS)
    rows = (("recording", "3 units at 1 ms, scikit-learn"), ("network", "100 units, scikit-learn"),
            ("dense_poisson", "dense Poisson, glum"), ("dense_bernoulli", "dense Bernoulli, glum"),
            ("dense_gaussian", "dense Gaussian, glum"), ("path_poisson", "path Poisson, glum"),
            ("path_gaussian", "path Gaussian, scikit-learn"), ("grid_glum", "grid of folds, glum"),
            ("grid_nemos", "grid of folds, NeMoS"))
    picture = Picture(760, 80 + 30 * len(rows), "Time of fits of other packages over the time of Synelix")
    left, right, top = 240, 700, 24
    axes = Axes(picture, (left, top, right, top + 30 * len(rows)), (1, 1000), (1, 10))
    axes.ticks_x(powers(axes.x), lambda value: f"{value:g}x")
    for i, (key, name) in enumerate(rows):
        value, y = result["rows"][key]["value"], top + 30 * i + 6
        picture.text(left - 10, y + 9, name, 13, anchor="end")
        picture.rect(left, y, axes.at_x(value) - left, 18, BLUE, LINE)
        picture.text(axes.at_x(value) + 8, y + 9, f"{value:.3g}x", 12, TEXT, "start")
    context = result["context"]
    words = f"{context['processor']}, {context['processors']} processors, {context['revision']}"
    picture.text(left, axes.bottom + 40, words, 11, SOFT, "start")
    return picture


FIGURES = (peers, windows, lengths, fits)


def main(words):
    wrong = []
    FOLDER.mkdir(exist_ok=True)
    for figure in FIGURES:
        path, svg = FOLDER / f"{figure.__name__}.svg", figure().svg()
        if words != ["--check"]:
            path.write_text(svg)
        elif not path.exists() or path.read_text() != svg:
            wrong.append(f"{path} is not what {Path(__file__).name} draws")
    wrong += [f"{path} is drawn by nobody" for path in FOLDER.glob("*")
              if path.stem not in {figure.__name__ for figure in FIGURES}]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
