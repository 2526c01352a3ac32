#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""paths.py finds the faults that it should find, and reports nothing that exists."""
import contextlib
import io
import subprocess
import tempfile
import unittest
from pathlib import Path

import paths

FILES = ("src/glm/README.md", "src/glm/fit/fit.cpp", "src/tile/tiles.cpp.in", "include/synelix/glm.hpp", "tests/main.cpp",
         "docs/how_to/run.md", "tests/golden/fits/part_1.csv")
PAGE = """# Page

`src/glm/fit/fit.cpp`, `glm/fit/fit.cpp`, `fit/fit.cpp` and `fit.cpp:12` are one file. `./dev test main.cpp` names another.
`tests/golden/`, `golden/fits`, `fits/part_*.csv`, `glm.{hpp,cpp}`, `<synelix/glm.hpp>` and `how_to/run.md` are there;
`tiles_avx2.cpp` is made from `tiles.cpp.in`, and `tiles_SET.cpp` and `glm/X.hpp` stand for others. `rows/columns`, `a.b`, `*.cpp` and
`/etc/hosts.py` are no paths of these sources, and neither is what a reader calls `yours.cpp`.

```sh
less src/glm/gone.cpp
```
"""


class Paths(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = Path(cls.folder.name)
        for name in (*FILES, "src/glm/glm.cpp"):
            (cls.root / name).parent.mkdir(parents=True, exist_ok=True)
            (cls.root / name).write_text("")
        cls.tree = paths.Tree(cls.root)

    def wrong(self, text):
        return paths.wrong_paths("src/glm/README.md", text, self.tree)

    def test_a_sound_page(self):
        self.assertEqual(self.wrong(PAGE), [])

    def test_planted_faults(self):
        for old, new in (("src/glm/fit/fit.cpp", "src/glm/fit/old.cpp"), ("glm/fit/fit.cpp", "glm/fit.cpp"),
                         ("fit/fit.cpp", "fit/gone"), ("fit.cpp:12", "old.cpp:12"), ("main.cpp", "gone.py"),
                         ("tests/golden/", "tests/silver/"), ("fits/part_*.csv", "tests/golden/fits/piece_*.csv"),
                         ("glm.{hpp,cpp}", "glm.{hpp,py}"), ("<synelix/glm.hpp>", "<synelix/gone.hpp>"),
                         ("how_to/run.md", "how_to/walk.md"), ("tiles_avx2.cpp", "columns_avx2.cpp")):
            with self.subTest(new):
                self.assertIn(f"`{old}`" if "main" not in old else old, PAGE)
                found = self.wrong(PAGE.replace(f"`{old}`", f"`{new}`") if "main" not in old else PAGE.replace(old, new))
                self.assertEqual(len(found), 1, found)
                self.assertIn("there is no file or folder", found[0])

    def test_the_place_is_named(self):
        self.assertEqual(self.wrong("one\ntwo `src/gone.cpp`"),
                         ["src/glm/README.md:2: there is no file or folder src/gone.cpp"])

    def test_all_pages_are_read_but_those_of_the_past(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q", folder], check=True)
            root = Path(folder)
            for name in ("README.md", "perf/results/old.md", "CHANGELOG.md"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("`gone.cpp`")
            said = io.StringIO()
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
                self.assertEqual(paths.main(["--root", folder]), 1)
            self.assertEqual(said.getvalue(), "README.md:1: there is no file or folder gone.cpp\n")


if __name__ == "__main__":
    unittest.main()
