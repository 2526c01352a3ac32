#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison of checksums sees each difference, and takes none of another libm for one."""

import os
import stat
import tempfile
import unittest

import compare

LINES = """set plain
libm.float 4 aa libm
libm.double 4 bb libm
bases.cosine 60 cc libm
bases.orthonormal 60 dd lapack
convolve 250 ee arithmetic
"""


def kinds(lines):
    return compare.sections(lines)["plain"]


class Differences(unittest.TestCase):
    def wrong(self, before, after, same_machine=False):
        return compare.differences(kinds(LINES), kinds(LINES.replace(before, after)), same_machine)[0]

    def test_none(self):
        self.assertEqual(compare.differences(kinds(LINES), kinds(LINES)), ([], 4))

    def test_changed_bits(self):
        self.assertIn("convolve has the checksum ef", self.wrong(" ee ", " ef ")[0])
        self.assertIn("bases.cosine", self.wrong(" cc ", " cd ")[0])

    def test_changed_cases(self):
        self.assertIn("251 cases", self.wrong("250", "251")[0])

    def test_changed_kinds(self):
        self.assertEqual(len(self.wrong("convolve", "products")), 2)

    def test_another_libm(self):
        other = LINES.replace(" aa ", " ab ").replace(" cc ", " cd ")
        self.assertEqual(compare.differences(kinds(LINES), kinds(other)), ([], 1))
        self.assertEqual(len(compare.differences(kinds(LINES), kinds(other), same_machine=True)[0]), 2)

    def test_another_lapack(self):
        self.assertEqual(self.wrong(" dd ", " de "), [])
        self.assertEqual(len(self.wrong(" dd ", " de ", same_machine=True)), 1)

    def test_lines_that_are_none(self):
        for text in ("convolve 1 aa arithmetic", "set plain\nconvolve 1 aa", LINES + "convolve 1 aa arithmetic"):
            with self.assertRaises(ValueError):
                compare.sections(text)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "checksums.txt")
        with open(self.file, "w", encoding="utf-8") as file:
            file.write("# A comment.\n\nset avx2\nconvolve 250 00 arithmetic\n")

    def program(self, text):
        path = os.path.join(self.folder.name, "program")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, stat.S_IRWXU)
        return path

    def compare(self, text, *more):
        return compare.main([self.program(text), "plain", self.file, *more])

    def test_written_and_compared(self):
        same = f"cat <<END\n{LINES}END\n"
        self.assertEqual(self.compare(same), 1)  # there is no section yet
        self.assertEqual(self.compare(same, "--write"), 0)
        self.assertEqual(self.compare(same), 0)
        self.assertEqual(self.compare(same.replace(" ee ", " ef ")), 1)
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        self.assertTrue(text.startswith("# A comment.\n"))
        self.assertEqual(list(compare.sections(text)), ["avx2", "plain"])

    def test_threads_that_change_bits(self):
        self.assertEqual(self.compare('echo "set plain"; echo "convolve 1 $OMP_NUM_THREADS arithmetic"\n', "--write"), 1)

    def test_a_set_that_is_not_there(self):
        self.assertEqual(self.compare("exit 77\n"), compare.SKIPPED)

    def test_a_program_that_fails(self):
        with self.assertRaises(RuntimeError):
            self.compare("exit 1\n")


if __name__ == "__main__":
    unittest.main()
