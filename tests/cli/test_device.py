#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that a command computes on, and the report of `info` on devices."""
import unittest

import numpy as np

from tool import LOG8, ToolCase


class Device(ToolCase):
    def commands(self):
        path, _ = self.counts()
        (self.folder / "design.toml").write_text(
            f'[inputs.x]\ndata = "{path}"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        return {"convolve": ("convolve", path, "out.h5:/features", *LOG8),
                "plan": ("plan", path, *LOG8),
                "features": ("features", "design.toml", "--dry-run"),
                "calibrate": ("calibrate", "-o", "machine.json")}

    def backends(self):
        return self.json("info")["backends"]

    def has_devices(self):
        return bool({"CUDA", "HIP"} & set(self.backends()))

    def test_help_lists_it_where_something_is_computed(self):
        for command in ("convolve", "plan", "features", "calibrate"):
            self.assertIn("--device N|local-rank", self.tool(command, "--help").stdout)
        for command in ("basis", "simulate", "info"):
            self.assertNotIn("--device", self.tool(command, "--help").stdout)

    def test_wrong_values(self):
        for words in self.commands().values():
            for value in ("-1", "x", "1.5", "local", "99999999999", "local-rank,0"):
                with self.subTest(command=words[0], value=value):
                    self.refused(*words, f"--device={value}", code=2,
                                 says=["--device", f"'{value}' is not a device", "local-rank"])

    def test_beside_the_flag_of_kokkos(self):
        for words in self.commands().values():
            with self.subTest(command=words[0]):
                self.refused(*words, "--device=0", "--kokkos-device-id=0", code=2,
                             says=["--device", "--kokkos-device-id=0", "one of the two"])

    def test_a_build_without_devices_says_so(self):
        if self.has_devices():
            self.skipTest("this build has a device backend")
        for words in self.commands().values():
            for value in ("0", "local-rank"):
                with self.subTest(command=words[0], value=value):
                    self.refused(*words, "--device", value,
                                 says=["device: ", value, "computes on the host",
                                       *self.backends()])
        self.assertFalse((self.folder / "out.h5").exists())

    def test_a_device_that_is_not_there(self):
        if not self.has_devices():
            self.skipTest("this build has no device backend")
        self.refused("calibrate", "--device", "1000", says=["device: ", "1000"])

    def test_info(self):
        report = self.json("info")
        text = self.tool("info").stdout
        if not self.has_devices():
            self.assertEqual(report["devices"], [])
            self.assertNotIn("device_architecture", report)
            self.assertNotIn("devices ", text)
            return
        self.assertIn("compiled for " + report["device_architecture"], text)
        self.assertGreater(len(report["devices"]), 0)
        for number, device in enumerate(report["devices"]):
            self.assertEqual(device["number"], number)
            self.assertGreater(device["memory_bytes"], 0)
            self.assertIn(f"{number}: {device['name']} ({device['architecture']}", text)

    def test_a_device_in_a_config_file(self):
        (self.folder / "options.toml").write_text('device = "nonsense"\n')
        words = self.commands()["convolve"]
        self.refused(*words, "--config", "options.toml", says=["--device", "nonsense"], code=2)


class Staged(ToolCase):
    """Blocks that go through a device; on a host its memory represents that of a device."""
    WORDS = ("--staging", "always", "--budget", "2MiB", "--host-budget", "4MiB")

    def test_the_same_bits_inside_both_budgets(self):
        path, _ = self.counts(40011, 7)
        self.tool("convolve", path, "near.h5:/f", *LOG8)
        report = self.json("convolve", path, "staged.h5:/f", *LOG8, *self.WORDS)
        np.testing.assert_array_equal(self.read("staged.h5:/f"), self.read("near.h5:/f"))
        staging = report["staging"]
        self.assertTrue(staging["is_staged"])
        self.assertGreater(staging["slots"], 1)
        self.assertLessEqual(staging["device_bytes"], 2 << 20)
        self.assertEqual(staging["device_budget"], 2 << 20)
        self.assertLessEqual(report["memory"]["total_bytes"], 4 << 20)
        self.assertEqual(report["memory"]["budget_bytes"], 4 << 20)

    def test_designs_and_plans_say_so(self):
        path, _ = self.counts(40011, 7)
        (self.folder / "design.toml").write_text(
            f'[inputs.x]\ndata = "{path}"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        self.tool("features", "design.toml", "near.h5:/f")
        self.tool("features", "design.toml", "staged.h5:/f", *self.WORDS)
        np.testing.assert_array_equal(self.read("staged.h5:/f"), self.read("near.h5:/f"))
        for words in (("plan", path, *LOG8), ("features", "design.toml", "--dry-run")):
            self.assertIn("of a budget of 2 MiB", self.tool(*words, *self.WORDS).stdout)
            self.assertNotIn("pinned", self.tool(*words).stdout)

    def test_too_small_budgets(self):
        path, _ = self.counts(5000, 7)
        for option in ("--budget", "--host-budget"):
            words = dict(zip(self.WORDS[::2], self.WORDS[1::2])) | {option: "100"}
            self.refused("convolve", path, "out.h5:/f", *LOG8,
                         *(word for pair in words.items() for word in pair),
                         says=[option + ": 100 bytes are not enough", "at least"])
        self.refused("convolve", path, "out.h5:/f", *LOG8, "--staging", "often", code=2,
                     says=["--staging", "automatic, always"])
        self.assertFalse((self.folder / "out.h5").exists())


if __name__ == "__main__":
    unittest.main()
