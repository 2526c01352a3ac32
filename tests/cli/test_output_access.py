# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The output file of a run: links, access rights, locks, and names."""
import json
import os
import shutil
import stat
import subprocess
import unittest

import h5py
import numpy as np

from test_output import BANK, CONVOLVE, OutputCase, SIMULATE, TAPS
from tool import PROGRAM


class Links(OutputCase):
    """OUT is a symbolic link: the file that it names is written."""

    def test_a_link_stays(self):
        self.run_tool(("convolve", "in.h5:/x", "whole.h5:/f", *BANK, "--quiet"))
        (self.folder / "store").mkdir()
        target = self.folder / "store" / "kept.h5"
        target.write_bytes(b"old")
        self.out.symlink_to("store/kept.h5")
        self.assertIn("existing file", self.run_tool(CONVOLVE, 1).stderr)
        self.assertEqual(target.read_bytes(), b"old")
        for words in ((*CONVOLVE, "-O"), (*SIMULATE, "-O")):
            self.run_tool(words)
            self.assertTrue(self.out.is_symlink())
            self.assertFalse(target.is_symlink())
            self.assertEqual(os.listdir(target.parent), ["kept.h5"])
        self.run_tool(("basis", *TAPS[1:-3], "-o", "out.h5:/taps", "--append"))
        self.assertTrue(self.out.is_symlink())
        with h5py.File(target, "r") as file:
            self.assertEqual(set(file), {"f", "taps"})

    def test_a_stopped_run_goes_on_behind_a_link(self):
        (self.folder / "store").mkdir()
        target = self.folder / "store" / "kept.h5"
        target.write_bytes(b"old")
        self.out.symlink_to(target)
        words = (*CONVOLVE, "-O")
        names, _ = self.calls(words)
        target.write_bytes(b"old")
        self.calls(words, 2 * len(names) // 3)
        self.assertEqual(sorted(os.listdir(target.parent)), ["kept.h5", "kept.h5.part"])
        report = json.loads(self.run_tool((*words, "--resume", "--json")).stdout)["run"]
        self.assertGreater(report["blocks_before"], 0)
        self.assertEqual(os.listdir(target.parent), ["kept.h5"])

    def test_a_link_to_nothing_is_refused(self):
        self.out.symlink_to("nowhere.h5")
        for words in (CONVOLVE, (*CONVOLVE, "-O"), (*CONVOLVE, "--append"), (*CONVOLVE, "--resume"), SIMULATE):
            self.assertIn("a symbolic link that leads to no file", self.run_tool(words, 1).stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["in.h5", "out.h5"])


class Access(OutputCase):
    """Modes, groups and owners."""

    def mode(self, path=None):
        return stat.S_IMODE((path or self.out).stat().st_mode)

    def test_a_new_file_has_what_the_umask_leaves(self):
        for umask in (0o000, 0o002, 0o022, 0o027, 0o077, 0o177):
            for words in (CONVOLVE, SIMULATE):
                with self.subTest(umask=oct(umask), words=words):
                    self.clear()
                    self.run_tool(words, umask=umask)
                    self.assertEqual(oct(self.mode()), oct(0o666 & ~umask))

    def test_a_replaced_file_hands_on_its_mode(self):
        for umask in (0o000, 0o022, 0o077):
            for mode in (0o600, 0o640, 0o660, 0o604, 0o644, 0o666, 0o444, 0o755):
                for words in ((*TAPS, "-O"), (*TAPS[:-3], "-o", "out.h5:/g", "--append")):
                    with self.subTest(umask=oct(umask), mode=oct(mode), words=words):
                        self.clear()
                        self.run_tool(TAPS)
                        self.out.chmod(mode)
                        self.run_tool(words, umask=umask)
                        self.assertEqual(oct(self.mode()), oct(mode))

    def test_nobody_reads_the_part_file_who_may_not_read_the_output(self):
        words = (*CONVOLVE, "-O")
        names, _ = self.calls(words)
        for mode in (0o600, 0o640, 0o666):
            with self.subTest(mode=oct(mode)):
                self.out.chmod(mode)
                for call in (1, len(names) // 2):
                    run = self.stopped(words, call)
                    self.assertEqual(oct(self.mode(self.part) & ~mode), oct(0))
                    self.assertEqual(self.went_on(run)[0], 0)
                self.assertEqual(oct(self.mode()), oct(mode))

    def test_nor_a_part_file_of_a_run_before(self):
        words = (*CONVOLVE, "-O")
        names, _ = self.calls(words)
        for option in ((), ("--resume",)):
            with self.subTest(option=option):
                self.out.write_bytes(b"old")
                self.out.chmod(0o644)
                self.calls(words, 2 * len(names) // 3)
                self.assertTrue(self.part.exists())
                self.out.chmod(0o600)
                run = self.stopped((*words, *option), 2)
                self.assertEqual(oct(self.mode(self.part) & 0o077), oct(0))
                self.assertEqual(self.went_on(run)[0], 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root gives files away")
    def test_a_replaced_file_hands_on_its_owner_and_group(self):
        self.run_tool(CONVOLVE)
        os.chown(self.out, 1234, 4321)
        self.out.chmod(0o640)
        for words in ((*CONVOLVE, "-O"), (*TAPS[:-3], "-o", "out.h5:/taps", "--append")):
            self.run_tool(words)
            found = self.out.stat()
            self.assertEqual((found.st_uid, found.st_gid, oct(self.mode())), (1234, 4321, oct(0o640)))


class Locking(OutputCase):
    """HDF5_USE_FILE_LOCKING asks for locks of HDF5, whatever the program sets."""

    def test_every_setting(self):
        self.write("old.h5", "old", values=np.arange(200.0))
        for value in (None, "TRUE", "1", "BEST_EFFORT", "FALSE", "0"):
            variable = {} if value is None else {"HDF5_USE_FILE_LOCKING": value}
            with self.subTest(locking=value):
                for words in (CONVOLVE, (*CONVOLVE, "--filter", "deflate:1"), SIMULATE, TAPS):
                    self.clear()
                    self.run_tool(words, **variable)
                    self.run_tool((*words, "-O"), **variable)
                self.clear()
                shutil.copy(self.folder / "old.h5", self.out)
                self.run_tool((*CONVOLVE, "--append"), **variable)
                for words in (CONVOLVE, (*CONVOLVE, "--filter", "deflate:1")):
                    self.clear()
                    names, _ = self.calls(words)
                    self.clear()
                    self.calls(words, 2 * len(names) // 3)
                    done = self.run_tool((*words, "--resume", "--json"), **variable)
                    self.assertGreater(json.loads(done.stdout)["run"]["blocks_before"], 0)


class Small(OutputCase):
    def test_names_of_nwb_files(self):
        for name in ("out.nwb", "out.NWB"):
            for words in (("convolve", "in.h5:/x", f"{name}:/f", *BANK), ("simulate", f"{name}:/f", *SIMULATE[2:]),
                          ("basis", *TAPS[1:5], "-o", f"{name}:/f")):
                done = self.run_tool(words, 2)
                for text in (name, "NWB schema", "out.h5"):
                    self.assertIn(text, done.stderr.splitlines()[0])
        self.assertEqual(os.listdir(self.folder), ["in.h5"])

    def test_a_name_that_is_no_utf8(self):
        name = b"n\xff.h5"
        done = subprocess.run([PROGRAM, *CONVOLVE[:2], name + b":/f", *BANK, "--json", "--quiet"], cwd=self.folder,
                              capture_output=True, env=self.environment(), timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["features"]["path"], "n\ufffd.h5:/f")
        self.assertIn(name, os.listdir(os.fsencode(self.folder)))
        (self.folder / "design.toml").write_text(
            '[inputs.x]\ndata = "in.h5:/x"\n[bases.b]\ntype = "history"\nwindow = 3\n'
            '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        for words in ([b"features", b"design.toml", b"m\xff.h5:/f", b"--json", b"--quiet"],
                      [b"simulate", b"s\xff.h5:/f", b"--samples", b"10", b"--channels", b"2", b"--json", b"--quiet"],
                      [b"info", b"n\xff.h5", b"--json"]):
            done = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, env=self.environment(),
                                  timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
            json.loads(done.stdout.decode("utf-8"))

    def test_a_design_that_was_touched(self):
        design = self.folder / "design.toml"
        text = ('[inputs.x]\ndata = "in.h5:/x"\n[bases.b]\ntype = "history"\nwindow = 3\n'
                '[[terms]]\nname = "x"\ninput = "x"\nbasis = "b"\n')
        design.write_text(text)
        words = ("features", "design.toml", "out.h5:/f", "--batch-samples", "72", "--chunk", "64x9", "--quiet")
        names, _ = self.calls(words)
        self.clear()
        self.calls(words, 2 * len(names) // 3)
        os.utime(design, (1, 1))
        shutil.copy(self.part, self.folder / "kept")
        design.write_text(text.replace("window = 3", "window = 4"))
        done = self.run_tool((*words, "--resume"), 1)
        self.assertIn("design checksum", done.stderr)
        design.write_text(text)
        report = json.loads(self.run_tool((*words, "--resume", "--json")).stdout)["run"]
        self.assertGreater(report["blocks_before"], 0)
        os.utime(design, (2, 2))
        self.assertTrue(json.loads(self.run_tool((*words, "--resume", "--json")).stdout)["run"]["was_finished"])


if __name__ == "__main__":
    unittest.main()
