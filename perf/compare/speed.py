#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the README's figure: seconds of two jobs, beside SciPy and NeMoS, from a run of ./dev perf --python.

    scripts/devroot python3 perf/compare/speed.py perf/results/NAME-python.json [PICTURE.svg]

Prints the numbers, too.
"""
import json
import statistics
import sys
from pathlib import Path


def jobs(result):
    """[(job, [(who, seconds)])] of a kept run."""
    answers = result["answers"]
    peers = {name: statistics.median(times) for name, times in answers["large_2"]["over_peers"].items()}
    fit = {name: statistics.median(answers["fit_1"][name]) for name in ("ours", "nemos")}
    return [("features: 1,000,000 samples x 20 channels x 8 bases,\nwindow 100, 2 threads",
             [("Synelix", peers["convolve_out"]), ("SciPy", peers["scipy"]), ("NeMoS (JAX)", peers["nemos"])]),
            (f"fit: coupling of 3 neurons to one, {answers['fit_1']['rows']:,} rows x {answers['fit_1']['columns']} columns,\n1 thread",
             [("Synelix", fit["ours"]), ("NeMoS (JAX)", fit["nemos"])])]


def draw(result, path):
    import matplotlib
    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "synelix", "svg.fonttype": "none", "font.size": 9})
    import matplotlib.pyplot as plot
    found = jobs(result)
    figure, rows = plot.subplots(len(found), 1, figsize=(7, 3), sharex=True,
                                 gridspec_kw={"height_ratios": [len(bars) for _, bars in found]})
    for axes, (title, bars) in zip(rows, found):
        names, seconds = zip(*bars)
        axes.barh(names, seconds, color=["#2f6db0", *["#c8c8c8"] * (len(bars) - 1)])
        axes.set_title(title.replace("\n", " "), fontsize=9, loc="left")
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlim(0.01, 30)
        axes.spines[["top", "right"]].set_visible(False)
        for place, value in enumerate(seconds):
            axes.text(value * 1.08, place, f"{value:.2g} s", va="center")
    rows[-1].set_xlabel("time (s)")
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)


def main(result, picture=None):
    result = json.loads(Path(result).read_text(encoding="utf-8"))
    for title, bars in jobs(result):
        print(title.replace("\n", " "), *(f"  {name}: {seconds:.2g} s" for name, seconds in bars), sep="\n")
    if picture:
        draw(result, picture)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__.strip())
    main(*sys.argv[1:])
