#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes spline_knots.csv: on which side of a knot NumPy puts a tap or sample that lies on it.

    make_spline_knots.py FILE.csv            writes the file
    make_spline_knots.py --check FILE.csv    makes it again and compares; exit status 77: no numpy

NeMoS computes knots and window grids by numpy.linspace. Splines of order 1 jump at their knots, so
the last bit decides there which function is not zero. A row is one tap `tap` of `window` that lies
on a knot of `bases` splines of order 1 in exact arithmetic: the function that is not zero there in
conv mode, and in eval mode for the sample `tap` of a range from 0 to window - 1.
"""
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    print("make_spline_knots: numpy is missing")
    sys.exit(77)

BASES = range(2, 25)
WINDOWS = (2, 6, 8, 11, 15, 21, 22, 31, 41, 50, 66, 78, 92, 100, 101, 121, 130)


def text():
    """The file."""
    lines = ["bases,window,tap,conv,eval"]
    top = 1.0 + np.finfo(float).eps
    for bases in BASES:
        knots = np.linspace(0, top, bases + 1)
        for window in WINDOWS:
            grid = np.linspace(0, 1, window)
            samples = np.arange(window, dtype=float)
            places = (samples - samples.min()) / (samples.max() - samples.min())
            for tap in range(window):
                if tap * bases % (window - 1) != 0:
                    continue
                sides = [int(np.searchsorted(knots, u, side="right")) - 1
                         for u in (grid[tap], places[tap])]
                lines.append(f"{bases},{window},{tap},{sides[0]},{sides[1]}")
    return "\n".join(lines) + "\n"


def main():
    """Writes, or compares."""
    is_check = sys.argv[1] == "--check"
    file = Path(sys.argv[-1])
    if not is_check:
        file.write_text(text())
    elif file.read_text() != text():
        sys.exit(f"make_spline_knots: {file} is not what numpy {np.__version__} gives")


main()
