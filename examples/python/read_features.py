#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads features that `synelix convolve` wrote, and draws some of their rows together with their recording.

    python3 read_features.py out.h5:/features --recording rec.h5:/counts -o features.png
    python3 read_features.py out.h5:/features --recording session.nwb --start 10 --length 2

Without a name it makes features of simulated units. Rows are found by their times and channels by their ids. The
attribute `coordinates` of the features names both datasets. Needs h5py, numpy and matplotlib. With the Python
package, plot_features.py draws more.
"""
import argparse
import bisect
import math
import sys

import h5py
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np


def opened(path):
    """The file and the dataset of FILE:/dataset. The dataset is None if only a file is named."""
    file, separator, name = path.rpartition(":/")
    if not separator:
        file, name = path, None
    try:
        hdf5 = h5py.File(file, "r")
    except OSError as error:
        sys.exit(f"{file}: {error}")
    if name is None:
        return hdf5, None
    if not isinstance(hdf5.get(name), h5py.Dataset):
        found = []
        hdf5.visititems(lambda key, item: found.append("/" + key)
                        if isinstance(item, h5py.Dataset) else None)
        more = ", ..." if len(found) > 12 else ""
        sys.exit(f"{path}: no such dataset; the file has {', '.join(found[:12])}{more}")
    return hdf5, hdf5[name]


def coordinates(features):
    """The datasets of the rows' times and of the channels' ids."""
    if features.ndim < 2 or "coordinates" not in features.attrs:
        sys.exit(f"{features.file.filename}:{features.name}: no features of `synelix convolve` "
                 "(the attribute `coordinates` is missing)")
    time, channel = features.attrs["coordinates"].split(" ")
    return features.file[time], features.file[channel]


def drawn_part(features, start, length, channels):
    """Times, ids, values (rows x channels x bases) and the unit of time. Only this part is read."""
    time, channel = coordinates(features)
    unit = time.attrs.get("unit", "samples")
    if len(time) == 0:
        sys.exit(f"{features.file.filename}:{features.name}: no rows")
    length = length or (1.0 if unit == "seconds" else 1000)
    if start is None:                            # one length in, if there is enough
        start = max(time[0], min(time[0] + length, time[-1] - length))
    rows = slice(bisect.bisect_left(time, start), bisect.bisect_left(time, start + length))
    if rows.start == rows.stop:
        sys.exit(f"no row from {start:g} to {start + length:g} {unit}; "
                 f"the rows are from {time[0]:g} to {time[-1]:g}")
    ids = channel[...].ravel()[:channels]
    if features.ndim == 3:
        values = features[rows, : len(ids)]
    else:                                        # channels of several dimensions, in C order
        values = features[rows].reshape(rows.stop - rows.start, -1, features.shape[-1])
        values = values[:, : len(ids)]
    return time[rows], ids, values, unit


def clock(recording):
    """Samples a second and the time of sample 0; (1, 0) if the file has neither."""
    for name in ("rate_hz", "rate", "sampling_rate"):
        if name in recording.attrs:
            return float(recording.attrs[name]), 0.0
    beside = recording.parent.get("starting_time")           # NWB
    if beside is not None and "rate" in beside.attrs:
        return float(beside.attrs["rate"]), float(beside[()])
    return 1.0, 0.0


def samples_between(recording, begin, end, ids):
    """Times and values (samples x ids) of a recording from begin to end."""
    rate, zero = clock(recording)
    first = max(0, math.ceil((begin - zero) * rate - 1e-6))
    last = min(len(recording), math.floor((end - zero) * rate + 1e-6) + 1)
    values = recording[first:last].reshape(max(last - first, 0), -1)
    if ids.max() >= values.shape[1]:
        sys.exit(f"{recording.file.filename}:{recording.name}: no channel {ids.max()}; "
                 f"it has {values.shape[1]}")
    return zero + np.arange(first, first + len(values)) / rate, values[:, ids]


def spikes_between(hdf5, begin, end, ids):
    """For each id, the times of the spikes that an NWB file's table of units has."""
    if "units/spike_times_index" not in hdf5:
        sys.exit(f"{hdf5.filename}: no table of units; give FILE:/dataset")
    known = hdf5["units/id"][...].tolist()
    ends = [0, *hdf5["units/spike_times_index"][...].tolist()]
    spikes = []
    for number in ids.tolist():
        if number not in known:
            sys.exit(f"{hdf5.filename}: no unit {number}")
        unit = known.index(number)
        times = hdf5["units/spike_times"][ends[unit] : ends[unit + 1]]
        spikes.append(times[(times >= begin) & (times <= end)])
    return spikes


def draw_recording(axes, path, times, ids):
    """Draws spikes as ticks, and other recordings as a line, at the bottom of each picture. Returns which of them."""
    hdf5, recording = opened(path)
    if recording is None:
        spikes = spikes_between(hdf5, times[0], times[-1], ids)
    else:
        seconds, values = samples_between(recording, times[0], times[-1], ids)
        if values.size == 0:
            sys.exit(f"{path}: nothing from {times[0]:g} to {times[-1]:g}")
        if (values < 0).any() or (values != np.floor(values)).any():
            for axis, signal in zip(axes, values.T):
                spread = np.ptp(signal) or 1.0
                axis.plot(seconds, 0.12 * (signal - signal.min()) / spread, color="grey",
                          linewidth=0.7, transform=axis.get_xaxis_transform())
            return "the recording (grey) and its features"
        spikes = [seconds[counts > 0] for counts in values.T]
    for axis, at in zip(axes, spikes):
        axis.vlines(at, 0.02, 0.1, color="black", linewidth=0.8,
                    transform=axis.get_xaxis_transform())
    return "spikes (black) and their features"


def draw(times, ids, values, unit):
    """Draws one picture for each channel, one below the other. Lines have gaps for omitted rows."""
    step = np.median(np.diff(times)) if len(times) > 1 else 1.0
    gaps = np.flatnonzero(np.diff(times) > 1.5 * step) + 1
    at = np.insert(times.astype(float), gaps, np.nan)
    lines = np.insert(values, gaps, np.nan, axis=0)
    figure, axes = plt.subplots(len(ids), 1, sharex=True, squeeze=False,
                                figsize=(10, 1 + 1.8 * len(ids)), layout="constrained")
    colors = plt.get_cmap("viridis")(np.linspace(0, 0.9, values.shape[2]))
    for c, axis in enumerate(axes[:, 0]):
        for b, color in enumerate(colors):
            axis.plot(at, lines[:, c, b], color=color, linewidth=1, label=f"basis {b}")
        axis.set_ylabel(f"channel {ids[c]}")
        axis.spines[["top", "right"]].set_visible(False)
        low, high = axis.get_ylim()
        axis.set_ylim(low - 0.15 * (high - low), high)       # room for the recording
    axes[-1, 0].set_xlabel("time (s)" if unit == "seconds" else "sample")
    axes[0, 0].legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.01, 1),
                      ncols=1 + values.shape[2] // 16, frameon=False)
    figure.align_ylabels()
    return figure, axes[:, 0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("features", nargs="?", help="FILE:/dataset, rows x channels x bases (default: made ones)")
    parser.add_argument("--recording", help="FILE:/dataset, samples x channels, or an NWB file")
    parser.add_argument("--start", type=float,
                        help="in the features' unit of time: seconds, or samples without a rate")
    parser.add_argument("--length", type=float, help="likewise (default 1 s, 1000 samples)")
    parser.add_argument("--channels", type=int, default=3, help="the first so many (default 3)")
    parser.add_argument("-o", "--output", default="features.png", help="picture to write")
    arguments = parser.parse_args()
    if arguments.channels < 1 or (arguments.length is not None and arguments.length <= 0):
        parser.error("--channels and --length must be above 0")

    if arguments.features is None:
        import made  # beside this file

        arguments.features, made_recording = made.features()
        arguments.recording = arguments.recording or made_recording
    _, features = opened(arguments.features)
    if features is None:
        sys.exit(f"{arguments.features}: give FILE:/dataset")
    times, ids, values, unit = drawn_part(features, arguments.start, arguments.length,
                                          arguments.channels)
    figure, axes = draw(times, ids, values, unit)
    title = "features"
    if arguments.recording:
        title = draw_recording(axes, arguments.recording, times, ids)
    figure.suptitle(title)
    figure.savefig(arguments.output, dpi=120)
    print(arguments.output)


if __name__ == "__main__":
    main()
