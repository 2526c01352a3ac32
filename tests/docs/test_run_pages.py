#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run_pages.py finds the faults that it should find: other outputs, commands that fail, exceptions, missing modules."""
import contextlib
import io
import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import run_pages

PAGE = """# Page

```toml
# design.toml
key = 1
```

<!-- run: echo hidden > hidden.txt -->

```sh
cat hidden.txt
echo "12 spikes in 3.5 s"
grep key design.toml
```
```text
hidden
12 spikes in 4.1 s
key = 1
```

```python
x = 2
print(x + 1)
```
```text
3
```

<!-- not run: it would fail -->
```sh
false
```
```text
this is not compared
```
"""


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def ended(self, text, verb="run"):
        page = self.folder / "page.md"
        page.write_text(text)
        with contextlib.redirect_stderr(io.StringIO()) as errors, contextlib.redirect_stdout(io.StringIO()) as out:
            code = run_pages.main([verb, str(self.folder), str(page)])
        return code, errors.getvalue() + out.getvalue()

    def test_a_sound_page(self):
        code, text = self.ended(PAGE)
        self.assertEqual((code, "2 outputs compared" in text), (0, True), text)

    def test_other_outputs(self):
        for old, new in (("hidden\n12", "shown\n12"), ("12 spikes in 4.1", "13 spikes in 4.1"), ("\n3\n", "\n4\n"),
                         ("4.1 s\nkey = 1", "4.1 s"), ("4.1 s\nkey = 1", "4.1 s\nkey = 1\nmore"),
                         ("4.1 s\n", "4.1 ms\n")):
            with self.subTest(new):
                self.assertIn(old, PAGE)
                self.assertEqual(self.ended(PAGE.replace(old, new))[0], 0 if new == "4.1 ms\n" else 1)

    def test_three_dots_stand_for_any_lines(self):
        self.assertEqual(self.ended(PAGE.replace("hidden\n12 spikes in 4.1 s\n", "...\n"))[0], 0)
        self.assertEqual(self.ended(PAGE.replace("hidden\n12 spikes in 4.1 s\nkey = 1\n", "...\nkey = 2\n"))[0], 1)

    def test_commands_and_lines_that_fail(self):
        code, text = self.ended(PAGE.replace("cat hidden.txt", "cat nothing.txt"))
        self.assertEqual((code, "the commands end with 1" in text), (1, True), text)
        code, text = self.ended(PAGE.replace("x = 2", "x = undefined"))
        self.assertEqual((code, "NameError" in text), (1, True), text)
        self.assertEqual(self.ended(PAGE.replace("<!-- not run: it would fail -->\n", ""))[0], 1)

    def test_missing_modules_skip_a_page(self):
        with unittest.mock.patch.object(run_pages, "PACKAGES", ("no_such_module",)):
            code, text = self.ended(PAGE.replace("x = 2", "import no_such_module"))
            self.assertEqual((code, "there is no no_such_module" in text), (run_pages.SKIPPED, True), text)
        self.assertEqual(self.ended(PAGE.replace("x = 2", "import no_such_module"))[0], 1)

    def test_a_recording_that_is_needed(self):
        page = PAGE.replace("```python", "<!-- needs: there.nwb -->\n```python")
        page = page.replace("x + 1", "open('there.nwb').read()")
        data = self.folder / "data"
        data.mkdir()
        with unittest.mock.patch.dict(os.environ, {"SYNELIX_TEST_DATA": str(data)}):
            self.assertIn("1 outputs compared", self.ended(page)[1])
            (data / "there.nwb").write_text("3")
            self.assertIn("2 outputs compared", self.ended(page)[1])
            (data / "there.nwb").write_text("4")
            self.assertEqual(self.ended(page)[0], 1)

    def test_recording_outputs(self):
        self.assertEqual(self.ended(PAGE.replace("\n3\n", "\n\n"), "record")[0], 0)
        self.assertIn("```text\n3\n```", (self.folder / "page.md").read_text())
        page = PAGE.replace("hidden\n12 spikes in 4.1 s\nkey = 1\n", "old\n...\nold\n")
        self.assertEqual(self.ended(page, "record")[0], 0)
        self.assertIn("```text\nhidden\n...\nkey = 1\n```", (self.folder / "page.md").read_text())

    def test_numbers(self):
        same = run_pages.is_same_line
        self.assertTrue(same("optimality 0.1234", "optimality 0.1235"))
        self.assertFalse(same("optimality 0.123", "optimality 0.125"))
        self.assertTrue(same("memory 3 MiB", "memory all else"))
        self.assertTrue(same("it is 1,200 x 3", "it is 1,200 x 3"))
        self.assertFalse(same("it is 1,200 x 3", "it is 1,300 x 3"))
        self.assertTrue(same("residual 1e-9", "residual 3e-9"))


if __name__ == "__main__":
    unittest.main()
