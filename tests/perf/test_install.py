# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The peers' versions are pinned, each belongs to a group, and nothing says where packages come from.

    test_install.py ROOT
"""
import os
import re
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(sys.argv.pop(1))
sys.path.insert(0, str(ROOT / "perf" / "compare"))

import install  # noqa: E402


class Install(unittest.TestCase):
    def test_every_peer_is_pinned_and_in_one_group(self):
        for requirements, groups in ((install.REQUIREMENTS, install.GROUPS), (install.FIT_REQUIREMENTS, install.FIT_GROUPS)):
            wanted = install.pinned(requirements.read_text())
            for name, line in wanted.items():
                self.assertRegex(line, rf"^{name}==\d[\d.]*$")
            self.assertEqual(sorted(name for group in groups.values() for name in group), sorted(wanted))

    def test_the_devices_packages_are_pinned_to_the_same_jax(self):
        wanted = install.pinned(install.REQUIREMENTS.read_text())
        device = install.pinned(install.DEVICE_REQUIREMENTS.read_text())
        self.assertEqual({line.split("==")[1] for line in device.values()}, {wanted["jax"].split("==")[1]})

    def test_no_registry_is_named(self):
        for path in (ROOT / "perf" / "compare").iterdir():
            if path.suffix in (".py", ".txt"):
                self.assertIsNone(re.search(r"https?://|index-url|find-links", path.read_text()), path)

    def test_the_environment_lies_in_the_cache_and_follows_the_versions(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, XDG_CACHE_HOME=folder):
            first = install.folder()
            self.assertEqual(first.parent, Path(folder) / "synelix" / "peers")
            other = Path(folder) / "requirements.txt"
            other.write_text("numpy==1.0\n")
            with mock.patch.object(install, "REQUIREMENTS", other):
                self.assertNotEqual(install.folder(), first)

    def test_what_cannot_be_made_is_named_and_nothing_is_said_to_be_there(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, XDG_CACHE_HOME=folder), \
                mock.patch.object(install.sys, "executable", "/bin/false"), mock.patch.object(install, "say"):
            failed = install.install()
            self.assertEqual(set(failed), set(install.GROUPS))
            self.assertFalse(any(install.is_there(group) for group in install.GROUPS))


if __name__ == "__main__":
    unittest.main()
