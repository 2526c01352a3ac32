# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Branches of a program that is made here: which count, and which were taken."""

import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import branches                                               # noqa: E402

CXX = os.environ.get("CXX", "g++")
SOURCE = """
#include <stdexcept>
#include <string>

template <class Value>
Value larger(Value a, Value b) {
  if (a > b) return a;                                  // 7
  return b;
}

std::string joined(const std::string& text) {
  const std::string all[] = {text + "a", text + "b"};   // 12: arrays are destroyed where an addition throws
  return all[0] + all[1];
}

int taken(int number) {
  try {
    if (number > 9) throw std::runtime_error(joined("x"));   // 18
  } catch (const std::exception&) {                     // 19: the choice of a handler
    if (number > 99) return 2;                          // 20
    return 1;
  }
  return number > 0 && number < 5 ? 3 : 4;              // 23
}

int main(int count, char**) {
  larger(1.0, 2.0);
  return larger(3, 2) + taken(count) + (count > 1 ? taken(12) : 0) == 0;   // 28
}
"""


class Branches(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        made = tempfile.TemporaryDirectory()
        cls.addClassCleanup(made.cleanup)
        cls.folder = pathlib.Path(made.name)
        (cls.folder / "made.cpp").write_text(SOURCE)
        subprocess.run([CXX, "-std=c++20", "--coverage", "-O0", "-c", "made.cpp", "-o", "made.o"], cwd=cls.folder,
                       check=True)
        subprocess.run([CXX, "--coverage", "made.o", "-o", "made"], cwd=cls.folder, check=True)
        cls.sources = {str(cls.folder / "made.cpp"): SOURCE.splitlines()}

    def setUp(self):
        (self.folder / "made.gcda").unlink(missing_ok=True)

    def run_program(self, *words):
        subprocess.run([self.folder / "made", *words], cwd=self.folder, check=False)

    def counts(self):
        """The counts of each line of the program."""
        found = {}
        for points in branches.counts_of(self.folder, self.sources).values():
            for (line, _, _), ways in sorted(points.items()):
                found.setdefault(line, []).append(sorted(ways))
        return found

    def test_what_is_written_counts_and_exceptions_do_not(self):
        self.run_program()
        found = self.counts()
        self.assertEqual(sorted(found), [7, 14, 18, 20, 23, 28])
        self.assertEqual(len(found[14]), 1, "an array is destroyed in a loop; once more for an exception")
        self.assertEqual(found[7], [[1, 1]], "copies of a template are one function")
        self.assertEqual(found[18], [[0, 1]])
        self.assertEqual(found[20], [[0, 0]], "a condition in a handler counts")
        self.assertEqual(found[23], [[0, 1], [0, 1]])

    def test_runs_add_up(self):
        self.run_program()
        self.run_program("more")
        found = self.counts()
        self.assertEqual(found[18], [[1, 2]])
        self.assertEqual(found[20], [[0, 1]])
        self.assertEqual(found[7], [[2, 2]])

    def test_a_program_that_did_not_run_takes_no_branch(self):
        ways = [count for points in self.counts().values() for point in points for count in point]
        self.assertGreater(len(ways), 10)
        self.assertEqual(set(ways), {0})

    def test_the_report_names_what_is_missing(self):
        self.run_program()
        lines, taken, total = branches.lines_of_report(branches.counts_of(self.folder, self.sources), self.sources,
                                                       self.folder)
        self.assertIn("  made.cpp:18: 1 of 2: if (number > 9) throw std::runtime_error(joined(\"x\"));   // 18", lines)
        self.assertTrue(any(line.split()[:4] == ["all", str(taken), "of", str(total)] for line in lines))
        self.assertFalse(any("made.cpp:7:" in line for line in lines))

    def test_a_floor_that_is_missed_fails(self):
        self.run_program()
        branches_of = branches.FILES, branches.ROOT
        self.addCleanup(lambda: (setattr(branches, "FILES", branches_of[0]), setattr(branches, "ROOT", branches_of[1])))
        branches.FILES, branches.ROOT = ("made.cpp",), self.folder
        with contextlib.redirect_stdout(io.StringIO()) as said:
            branches.main(["--least", "40", str(self.folder)])
            with self.assertRaisesRegex(SystemExit, r"% of branches; at least 99 %"):
                branches.main(["--least", "99", str(self.folder)])
        self.assertIn("branches that no test takes", said.getvalue())

    def test_a_folder_without_counts_says_what_makes_them(self):
        with tempfile.TemporaryDirectory() as empty, contextlib.redirect_stdout(io.StringIO()):
            with self.assertRaisesRegex(SystemExit, "./dev coverage --branches makes them"):
                branches.main([empty])

    def test_every_file_that_counts_is_there(self):
        for name in branches.FILES:
            self.assertTrue((branches.ROOT / name).is_file(), name)


if __name__ == "__main__":
    unittest.main()
