#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The device that a command is to compute on, and what `info` says of devices."""
import unittest

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
                                 says=["--device", f"found '{value}'", "local-rank"])

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
                                 says=[f"device: found {value}", "computes on the host",
                                       *self.backends()])
        self.assertFalse((self.folder / "out.h5").exists())

    def test_a_device_that_is_not_there(self):
        if not self.has_devices():
            self.skipTest("this build has no device backend")
        self.refused("calibrate", "--device", "1000", says="device: found 1000; allowed: 0")

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


if __name__ == "__main__":
    unittest.main()
