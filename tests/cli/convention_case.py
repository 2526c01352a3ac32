# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Common parts of tests of conventions of other programs."""
import h5py
import numpy as np

from tool import ToolCase


class Case(ToolCase):
    def setUp(self):
        super().setUp()
        with h5py.File(self.folder / "one.h5", "w") as file:
            file["bank"] = np.ones((1, 1))

    def make(self, values, name="in.h5:/x", user_block=0, netcdf=False, fill=None, **attributes):
        path, dataset = name.split(":")
        with h5py.File(self.folder / path, "w", userblock_size=user_block) as file:
            if netcdf:
                file.attrs["_NCProperties"] = "version=2,netcdf=4.9.2,hdf5=1.14.3"
            file.create_dataset(dataset, data=values, fillvalue=fill)
            file[dataset].attrs.update(attributes)
        return name

    def values(self, name="in.h5:/x", *words):
        """The values of a recording, filtered with one tap, and the messages."""
        said = self.tool("convolve", name, "out.h5:/f", "--bank", "one.h5:/bank", "--no-shift", "--type", "double",
                         "-O", *words).stderr
        with h5py.File(self.folder / "out.h5") as file:
            return file["f"][..., 0], said

    def check(self, expected, *words, says=None, name="in.h5:/x"):
        found, said = self.values(name, *words)
        np.testing.assert_array_equal(found, expected)
        if says is None:
            self.assertNotIn("warning", said)
        else:
            self.assertIn(says, said)

    def refuse(self, *says, name="in.h5:/x", words=()):
        self.refused("convolve", name, "no.h5:/f", "--bank", "one.h5:/bank", "--no-shift", "--quiet", *words,
                     says=list(says))
