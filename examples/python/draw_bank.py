#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the filters that `synelix basis` printed.

    synelix basis --basis raised-cosine-log --bases 8 --window 100 | python3 draw_bank.py -o bank.png

Without an input it runs that command itself. Needs numpy and matplotlib. With the Python package, `synelix.plot.bank`
draws a basis.
"""
import argparse
import io
import sys

import matplotlib
import matplotlib.ticker

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log", action="store_true",
                        help="samples on a logarithmic axis, for filters that crowd at the present")
    parser.add_argument("-o", "--output", default="bank.png", help="picture to write")
    arguments = parser.parse_args()

    text = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    if not text:
        import made  # beside this file

        text = made.taps()
    table = np.loadtxt(io.StringIO(text), delimiter=",", skiprows=1, ndmin=2)   # tap, basis 0, basis 1, ...
    taps = table[:, 1:]

    figure, axis = plt.subplots(figsize=(8, 3.2), layout="constrained")
    colors = plt.get_cmap("viridis")(np.linspace(0, 0.9, taps.shape[1]))
    for b, color in enumerate(colors):
        axis.plot(table[:, 0] + 1, taps[:, b], color=color, label=f"basis {b}",
                  marker="." if arguments.log else None)
    if arguments.log:
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter(matplotlib.ticker.FormatStrFormatter("%g"))
    axis.set_xlabel("lag (samples)")
    axis.set_ylabel("filter weight")
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.01, 1), frameon=False,
                ncols=1 + taps.shape[1] // 16)
    figure.suptitle(f"{taps.shape[1]} filters of {taps.shape[0]} taps")
    figure.savefig(arguments.output, dpi=120)
    print(arguments.output)


if __name__ == "__main__":
    main()
