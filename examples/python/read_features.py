#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads features that `synelix convolve` wrote, and draws a stretch of them below their recording.

    python3 read_features.py out.h5:/features --recording rec.h5:/counts -o features.png

Needs h5py, numpy and matplotlib.
"""
import argparse

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def dataset(path):
    """The dataset that FILE:/dataset names."""
    file, _, name = path.rpartition(":")
    return h5py.File(file, "r")[name]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("features", help="FILE:/dataset, rows x channels x bases")
    parser.add_argument("--recording", help="FILE:/dataset, samples x channels")
    parser.add_argument("--start", type=float, default=1.0, help="seconds (default 1)")
    parser.add_argument("--seconds", type=float, default=1.0, help="length (default 1)")
    parser.add_argument("--channels", type=int, default=3, help="the first so many (default 3)")
    parser.add_argument("-o", "--output", default="features.png", help="picture to write")
    arguments = parser.parse_args()

    features = dataset(arguments.features)
    rate = float(features.attrs.get("rate_hz", features.attrs.get("rate", 1000.0)))
    rows = slice(int(arguments.start * rate), int((arguments.start + arguments.seconds) * rate))
    stretch = features[rows]                 # only this stretch is read: rows x channels x bases
    seconds = np.arange(rows.start, rows.start + len(stretch)) / rate
    channels = min(arguments.channels, stretch.shape[1])
    counts = dataset(arguments.recording)[rows, :channels] if arguments.recording else None

    figure, axes = plt.subplots(channels, 1, sharex=True, squeeze=False,
                                figsize=(10, 1 + 1.8 * channels), layout="constrained")
    colors = plt.get_cmap("viridis")(np.linspace(0, 0.9, stretch.shape[2]))
    for c, axis in enumerate(axes[:, 0]):
        for b, color in enumerate(colors):
            axis.plot(seconds, stretch[:, c, b], color=color, linewidth=1, label=f"basis {b}")
        if counts is not None:
            spikes = seconds[counts[:, c] > 0]
            axis.vlines(spikes, -0.35, -0.1, color="black", linewidth=0.8)
        axis.set_ylabel(f"channel {c}")
        axis.spines[["top", "right"]].set_visible(False)
    axes[-1, 0].set_xlabel("seconds")
    axes[0, 0].legend(fontsize="x-small", ncols=4, loc="upper right")
    figure.align_ylabels()
    figure.suptitle("spikes (black) and their features")
    figure.savefig(arguments.output, dpi=120)
    print(arguments.output)


if __name__ == "__main__":
    main()
