# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""--instruction-set of all commands that compute."""
import json
import subprocess
import unittest

import numpy as np

from fit_case import FitCase
from tool import HISTORY1, LOG8, PROGRAM


class InstructionSets(FitCase):
    def sets(self):
        """Those that the build and the processor have."""
        built = json.loads(self.tool("info", "--json").stdout)["instruction_sets"]
        def runs(name):
            return subprocess.run([PROGRAM, "plan", "in.h5:/x", *HISTORY1, "--instruction-set", name],
                                  cwd=self.folder, env=self.environment(),
                                  capture_output=True).returncode == 0
        return [name for name in built if runs(name)]

    def test_the_widest_is_the_default(self):
        widest = self.sets()[-1]
        for wanted in ((), ("--instruction-set", "automatic"), ("--instruction-set", widest)):
            self.assertEqual(self.json("plan", "in.h5:/x", *LOG8, *wanted)["instruction_set"], widest)

    def test_a_set_that_this_processor_lacks(self):
        built = json.loads(self.tool("info", "--json").stdout)["instruction_sets"]
        usable = self.sets()
        for name in built:
            if name not in usable:
                self.refused("plan", "in.h5:/x", *LOG8, "--instruction-set", name,
                             says=[f"--instruction-set {name}: this processor does not have it. Give "
                                   f"one of: {', '.join(usable)}."])

    def test_convolve(self):
        for name in self.sets():
            for number, out in enumerate(("a.h5", "b.h5")):
                threads = {"OMP_NUM_THREADS": str(number + 1)}
                self.tool("convolve", "in.h5:/x", f"{out}:/f", *LOG8, "--instruction-set", name, "-O",
                          environment=threads)
                self.assertEqual(self.attributes(f"{out}:/f")["instruction_set"], name)
            np.testing.assert_array_equal(self.read("a.h5:/f"), self.read("b.h5:/f"))

    def test_models(self):
        models = {}
        for name in self.sets():
            wanted = ("--instruction-set", name)
            self.fit("--penalty", "ridge:1e-3", *wanted, out=f"{name}.h5")
            models[name] = self.model(f"{name}.h5")
            self.fit("--penalty", "ridge:1e-3", *wanted, out="again.h5",
                     environment={"OMP_NUM_THREADS": "1"})
            self.assert_same_bits(models[name], self.model("again.h5"))
            (self.folder / "again.h5").unlink()
            for out in ("p.h5", "q.h5"):
                self.tool("predict", f"{name}.h5", "design.toml", f"{out}:/means", *wanted, "-O")
            np.testing.assert_array_equal(self.read("p.h5:/means"), self.read("q.h5:/means"))
            self.tool("score", f"{name}.h5", "design.toml", "--target", "y.h5:/y", *wanted)
        for name, found in models.items():
            np.testing.assert_allclose(found["coefficients"],
                                       next(iter(models.values()))["coefficients"], rtol=1e-3, atol=1e-4)

    def test_a_design_names_it(self):
        name = self.sets()[0]
        (self.folder / "design.toml").write_text(
            (self.folder / "design.toml").read_text() + f'[options]\ninstruction-set = "{name}"\n')
        self.tool("features", "design.toml", "f.h5:/f")
        self.assertEqual(self.attributes("f.h5:/f")["instruction_set"], name)
        self.tool("features", "design.toml", "f.h5:/f", "-O", "--instruction-set", self.sets()[-1])
        self.assertEqual(self.attributes("f.h5:/f")["instruction_set"], self.sets()[-1])

    def test_another_set_does_not_resume(self):
        sets = self.sets()
        if len(sets) < 2:
            self.skipTest("this processor or this build has one instruction set")
        self.tool("convolve", "in.h5:/x", "a.h5:/f", *LOG8, "--instruction-set", sets[0])
        done = self.tool("convolve", "in.h5:/x", "a.h5:/f", *LOG8, "--instruction-set", sets[1],
                         "--resume", "--quiet", code=1)
        self.assertIn(f"instruction set {sets[0]}", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
