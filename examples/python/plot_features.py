#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws the filters, spikes and features of a run of `synelix convolve` with `synelix.plot`.

    python3 plot_features.py out.h5:/features --recording rec.h5:/counts -o features.png

Without a name it makes features of simulated units. The exit code is 77 if a package is missing. Needs the Python
package of Synelix, h5py and matplotlib. draw_bank.py and read_features.py draw without the package.
"""
import argparse
import sys

try:
    import h5py
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import numpy as np

    import synelix as sx
except ImportError as error:
    print(f"plot_features.py: skipped, because a package is missing: {error}", file=sys.stderr)
    sys.exit(77)


def opened(path):
    file, separator, dataset = path.rpartition(":/")
    if not separator:
        sys.exit(f"{path}: no dataset is named. Give FILE:/dataset.")
    try:
        return h5py.File(file)["/" + dataset]
    except (OSError, KeyError) as error:
        sys.exit(f"{path}: cannot be read: {error}")


def stretch_of(features, seconds):
    """Some rows in the middle, and their times in seconds (centers of bins, if the file has them)."""
    if "coordinates" not in features.attrs or features.ndim != 3:
        sys.exit(f"{features.file.filename}:{features.name}: these are not features of `synelix convolve`. "
                 "Name its output, rows x channels x bases.")
    times, channels = (features.file[name] for name in features.attrs["coordinates"].split(" "))
    times = features.file[times.attrs["centers"]] if "centers" in times.attrs else times
    rate = float(features.attrs.get("rate_hz", 1.0))
    count = min(len(features), max(2, round(seconds * rate)))
    first = (len(features) - count) // 2
    rows = slice(first, first + count)
    return rows, times[rows], channels[...], rate


def bank_of(features):
    """The basis that the attributes of the features name; None for taps of the user, and for other parameters."""
    kind = getattr(sx, f"{features.attrs['basis']}Conv", None)
    given = {name.removeprefix("basis_"): value for name, value in features.attrs.items() if name.startswith("basis_")}
    usual = {"decay": "to_zero", "time_scaling": 50, "width": 2, "order": 4}
    if kind is None or any(usual.get(name) != value for name, value in given.items()):
        return None
    return kind(features.shape[2], window_size=int(features.attrs["window"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("features", nargs="?", help="FILE:/dataset, rows x channels x bases (default: made ones)")
    parser.add_argument("--recording", help="FILE:/dataset of the counts, samples x channels")
    parser.add_argument("--seconds", type=float, default=2.0, help="length of the stretch (default 2)")
    parser.add_argument("--channels", type=int, default=6, help="the first so many (default 6)")
    parser.add_argument("-o", "--output", default="features.png", help="picture to write")
    arguments = parser.parse_args()
    if arguments.features is None:
        import made  # beside this file

        arguments.features, recording = made.features()
        arguments.recording = arguments.recording or recording

    features = opened(arguments.features)
    rows, times, channels, rate = stretch_of(features, arguments.seconds)
    count = min(arguments.channels, features.shape[1])
    bank = bank_of(features)
    heights = [2] * (bank is not None) + [2] * (arguments.recording is not None) + [3]
    figure, axes = plt.subplots(len(heights), 1, figsize=(9, 1 + 1.3 * sum(heights)), height_ratios=heights,
                                squeeze=False, layout="constrained")
    axes = iter(axes[:, 0])
    if bank is not None:
        sx.plot.bank(bank, bin_size=1 / rate, ax=next(axes))
    if arguments.recording:
        start = int(features.attrs.get("every", 1))
        counts = opened(arguments.recording)[rows.start * start : rows.stop * start, :count]
        seconds = np.linspace(times[0], times[-1], len(counts))
        sx.plot.raster([seconds[counts[:, k] > 0] for k in range(count)], names=channels[:count], start=times[0],
                       stop=times[-1], ax=next(axes))
    sx.plot.features(features[rows, :count], t=times, names=channels[:count], ax=next(axes))
    figure.savefig(arguments.output, dpi=120)
    print(arguments.output)


if __name__ == "__main__":
    main()
