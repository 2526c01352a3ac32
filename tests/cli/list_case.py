# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Helpers of tests of --list: recordings with a list, and separate runs to compare with."""
import json
import os

import h5py
import numpy as np

from tool import ToolCase

BANK = ("--basis", "raised-cosine-log", "--bases", "4", "--window", "9", "--batch", "500,,")
SCHEDULERS = ("SLURM", "OMPI", "PMI", "PBS", "LSB", "SGE")


class ListCase(ToolCase):
    def environment(self, **more):
        known = {name: value for name, value in super().environment().items()
                 if not name.startswith(SCHEDULERS)}
        return {**known, "OMP_NUM_THREADS": "1", "OMP_PROC_BIND": "false", **more}

    def recordings(self, *samples):
        """Makes 0.h5, 1.h5, ... of these lengths; the pairs of a list."""
        for i, length in enumerate(samples):
            self.counts(length, 3, seed=i, name=f"{i}.h5")
        return [(f"{i}.h5:/x", f"out{i}.h5:/f") for i in range(len(samples))]

    def write_list(self, pairs, name="list.txt"):
        (self.folder / name).write_text("".join(f"{read} {write}\n" for read, write in pairs))

    def run_list(self, *options, code=0, **more):
        return self.tool("convolve", "--list", "list.txt", *BANK, *options, code=code, **more)

    @staticmethod
    def events(done):
        return [json.loads(line) for line in done.stdout.splitlines()]

    def everything(self, name):
        """All datasets and attributes of a file, except the command that wrote it."""
        found = {}

        def visit(path, item):
            for key, value in item.attrs.items():
                if key != "history":
                    found[f"{path}@{key}"] = np.asarray(value).tolist()
            if isinstance(item, h5py.Dataset):
                found[path] = (item.dtype, item.shape, item.chunks, item.compression, item[...].tobytes())
        with h5py.File(self.folder / name, "r") as file:
            visit("/", file)
            file.visititems(visit)
        return found

    def expect_separate(self, pairs, *options):
        """Each output has the bytes of a separate run, and there are no other files."""
        self.assertEqual(self.left_over(), [])
        for read, write in pairs:
            (self.folder / "one.h5").unlink(missing_ok=True)
            self.tool("convolve", read, "one.h5:/f", *BANK, *options, "--quiet")
            self.assertEqual(self.everything(write.split(":")[0]), self.everything("one.h5"))

    def calls_of(self, read):
        """The number of calls that change files in a run of one recording to a new file."""
        log = self.folder / "calls.log"
        self.tool("convolve", read, "calls.h5:/f", *BANK, environment={
            "LD_PRELOAD": os.environ["SYNELIX_ENDED_AT"], "CALLS_LOG": str(log)})
        return len(log.read_text().splitlines())
