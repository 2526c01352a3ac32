#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pages.py finds the faults that it should find: a page is made here, and a program that prints the values of the page
or not."""
import contextlib
import io
import stat
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import pages

PAGE = """# A page
<!-- tested: filled x; compared y -->
```cpp
#include <synelix/other.hpp>
Kokkos::View<float*> x("x", 3);
// ... fill it
auto y = x;
```
```python
class Array(list):
    shape = (3,)
x, y = Array(), {y}
# ... fill it
```
"""


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def page(self, text=PAGE, y="[1, 2]", name="page.md"):
        (self.folder / name).write_text(text.replace("{y}", y))
        return self.folder / name

    def ended(self, *words):
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()):
            code = pages.main([str(word) for word in words])
        return code, errors.getvalue()

    def compared(self, printed, **what):
        program = self.folder / "program"
        program.write_text(f"#!/bin/sh\nprintf '{printed}'\n")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        text = self.page(**what)
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no numpy here")
        with unittest.mock.patch.object(pages, "fill", lambda values, names: None):
            try:
                return pages.compare(str(program), text), ""
            except pages.Wrong as wrong:
                return 1, str(wrong)

    def test_lines_become_a_function_that_says_where_they_stand(self):
        out = self.folder / "out.cpp"
        self.assertEqual(self.ended("generate", out, self.page()), (0, ""))
        text = out.read_text()
        self.assertIn('#line 4 "page.md"\n\nKokkos::View<float*> x("x", 3);\ndocs::fill(x, 0);// ... fill it', text)
        self.assertIn('docs::show("y", y);', text)
        self.assertLess(text.index("#include <synelix/other.hpp>"), text.index("void page_page"))

    def test_a_page_that_tests_nothing_is_refused(self):
        for text, says in ((PAGE.replace("tested", "said"), "no comment"),
                           (PAGE.replace("```cpp", "```c"), "lines in C++"),
                           (PAGE.replace("// ... fill it", ""), "0 places")):
            with self.subTest(says=says):
                code, error = self.ended("generate", self.folder / "out.cpp", self.page(text))
                self.assertEqual(code, 1)
                self.assertIn(says, error)

    def test_equal_arrays_pass_and_others_do_not(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(self.compared(r"y 2\n1 2 \n"), (0, ""))
            self.assertEqual(self.compared(r"y 2\n1 nan \n", y="[1, float('nan')]"), (0, ""))
        for printed, y, says in ((r"y 2\n1 3 \n", "[1, 2]", "y(1,) is 3 in C++ and 2 in Python"),
                                 (r"y 2 1\n1 2 \n", "[1, 2]", "(2, 1) in C++"),
                                 (r"y 2\n1 nan \n", "[1, 2]", "NaN at other places"),
                                 (r"y 0\n\n", "[]", "no number")):
            with self.subTest(says=says):
                code, error = self.compared(printed, y=y)
                self.assertEqual(code, 1)
                self.assertIn(says, error)

    def test_what_a_missing_package_would_have_made_is_left_out(self):
        text = PAGE + "```python\nraise ModuleNotFoundError(name='torch')\n```\n"
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(self.compared(r"y 2\n1 2 \n", text=text), (pages.SKIPPED, ""))
            self.assertEqual(self.compared(r"y 2\n1 3 \n", text=text)[0], 1)
        with self.assertRaises(ModuleNotFoundError):
            self.compared(r"y 2\n1 2 \n", text=text.replace("torch", "tensors"))

    def test_links_lead_somewhere(self):
        page = self.page("![a](b.svg) [c](page.md#d) [e](https://f)")
        self.assertIn("no file b.svg", self.ended("links", page)[1])
        (self.folder / "b.svg").touch()
        self.assertEqual(self.ended("links", page), (0, ""))


if __name__ == "__main__":
    unittest.main()
