#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes session.nwb: two minutes of three simulated units, of which unit 0 excites unit 1. Their
filters are in truth.h5.

The file has the part of an NWB file that Synelix reads: the table of units with their spike times. Each unit is
silent for some milliseconds after a spike. Unit 2 is independent of the others.
"""
import h5py
import numpy as np

SECONDS, UNITS, WINDOW = 120, 3, 50
random = np.random.default_rng(7)

lags = np.arange(1, WINDOW + 1)                              # in bins of 1 ms
coupling = np.zeros((UNITS, UNITS, WINDOW))                  # from, to, lag
for unit in range(UNITS):
    coupling[unit, unit] = -4 * np.exp(-lags / 3)            # refractory
coupling[0, 1] = 1.5 * np.exp(-((lags - 8) / 4.0) ** 2)      # 8 ms later, 4.5 times the rate

rows = SECONDS * 1000
drive = np.zeros((rows + WINDOW, UNITS))                     # of spikes so far, on the log rate
spikes = np.zeros((rows, UNITS), dtype=bool)
chances = random.random((rows, UNITS))
for t in range(rows):
    spikes[t] = chances[t] < 1 - np.exp(-0.02 * np.exp(drive[t]))
    for unit in np.flatnonzero(spikes[t]):
        drive[t + 1 : t + 1 + WINDOW] += coupling[unit].T

trains = [(np.flatnonzero(train) + 0.5) / 1000 for train in spikes.T]
with h5py.File("session.nwb", "w") as file:
    file.attrs["nwb_version"] = "2.7.0"
    units = file.create_group("units")
    units.attrs["colnames"] = np.array(["spike_times"], dtype=h5py.string_dtype())
    units["id"] = np.arange(UNITS)
    units["spike_times"] = np.concatenate(trains)
    units["spike_times_index"] = np.cumsum([len(train) for train in trains]).astype(np.uint32)
with h5py.File("truth.h5", "w") as file:                     # for show_fit.py --truth
    file["coupling"] = coupling
print("session.nwb:", ", ".join(f"unit {i} with {len(train)} spikes" for i, train in enumerate(trains)))
