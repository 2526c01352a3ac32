#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes behaviour.h5 for design.toml: ten minutes on a track of 100 cm, sampled at 100 Hz."""
import h5py
import numpy as np

rate = 100.0
seconds = np.arange(60_000) / rate
lap = 20 + 5 * np.sin(2 * np.pi * seconds / 140)             # seconds for one lap, which change
turns = np.cumsum(1 / (lap * rate))
signals = {
    "position": 50 - 50 * np.cos(2 * np.pi * turns),
    "speed": np.abs(np.gradient(50 * np.cos(2 * np.pi * turns), 1 / rate)),
    "phase": (2 * np.pi * 8 * seconds + np.sin(seconds)) % (2 * np.pi),
}
with h5py.File("behaviour.h5", "w") as file:
    for name, values in signals.items():
        file[name] = values.astype(np.float32)
        file[name].attrs["rate"] = rate
