#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains in PyTorch the same net as 09_small_convnet: the same images, first weights and batches.

    09_small_convnet --record net.h5 && python3 convnet_torch.py net.h5
    python3 convnet_torch.py --program 09_small_convnet [ARGUMENTS OF IT...]

Without arguments it runs the program 09_small_convnet of the PATH. It prints both losses. The exit code is 1 if they
differ, and 77 if a package is missing. Needs torch, h5py and numpy.
"""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import h5py
    import numpy as np
    import torch
    from torch.nn import functional
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

# Rounding errors grow from step to step, because each step begins with the weights of the previous one. The first
# steps must agree within rounding, and all steps on average.
STEPS, FIRST, AVERAGE = 50, 1e-4, 0.05


def learn(file):
    """The loss of each step."""
    batch, rate, mean = file["batch_rate_mean"][:, 0]
    batch = int(batch)
    images = torch.from_numpy((file["images"][:].astype(np.float32) - np.float32(mean)) / 128)
    images = images.reshape(-1, 1, 28, 28)
    labels = torch.from_numpy(file["labels"][:, 0].astype(np.int64))

    def parameter(values):
        return torch.tensor(values, dtype=torch.float32, requires_grad=True)

    w1 = parameter(file["w1"][:].reshape(8, 1, 5, 5))
    w2 = parameter(file["w2"][:].reshape(16, 8, 3, 3))
    w3 = parameter(file["w3"][:])
    b1, b2, b3 = (parameter(np.zeros(size)) for size in (8, 16, 10))
    losses = []
    for step in range(len(file["losses"])):
        first = step % (len(labels) // batch) * batch
        y = functional.relu(functional.conv2d(images[first : first + batch], w1, b1, stride=2, padding=2))
        y = functional.relu(functional.conv2d(y, w2, b2, stride=2, padding=1))
        loss = functional.cross_entropy(y.flatten(1) @ w3 + b3, labels[first : first + batch])
        loss.backward()
        with torch.no_grad():
            for values in (w1, b1, w2, b2, w3, b3):
                values -= rate * values.grad
                values.grad = None
        losses.append(loss.item())
    return np.array(losses)


def compare(path):
    with h5py.File(path, "r") as file:
        ours, theirs = file["losses"][:, 0], learn(file)
    print("step   Synelix   PyTorch")
    for step in range(0, len(ours), max(1, len(ours) // 20)):
        print(f"{step:4}  {ours[step]:8.5f}  {theirs[step]:8.5f}")
    first = np.abs(ours - theirs)[:STEPS].max()
    print(f"at most {first:.1e} apart in the first {STEPS} steps; mean loss {ours.mean():.5f} and {theirs.mean():.5f}")
    return 0 if first <= FIRST and abs(ours.mean() / theirs.mean() - 1) <= AVERAGE else 1


def main(arguments):
    torch.manual_seed(1)
    if not arguments:
        program = shutil.which("09_small_convnet")
        if program is None:
            sys.exit("convnet_torch.py: no file is named, and the program 09_small_convnet is not on the PATH. "
                     "Name a file, or run this in ./dev shell after ./dev build.")
        arguments = ["--program", program]
    if arguments[0] != "--program":
        return compare(arguments[0])
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "net.h5")
        subprocess.run([*arguments[1:], "--record", path], check=True)
        return compare(path)


if __name__ == "__main__":
    if sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
