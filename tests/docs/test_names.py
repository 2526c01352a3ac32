#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""names.py finds the faults that it should find: renamed options, missing files, unknown symbols, keys and variables.

SYNELIX=PROGRAM test_names.py
"""
import os
import tempfile
import unittest
from pathlib import Path

import names

PROGRAM = os.environ.get("SYNELIX", "")
PAGE = """# Page of `names`

See [above](#page-of-names).

`synelix convolve IN OUT --budget 64MiB`, `--every`, `sx::convolve`, `synelix::BSpline`, `sx::Border::nan`,
`synelix::convolve::workspace`, `sx.convolve`, `SYNELIX_GRACE_SECONDS`, `src/tool/main.cpp` and `src/*/README.md`.

```sh
synelix convolve recording.h5:/counts features.h5:/features \\
  --basis raised-cosine-log --window 100   # and 1/4
if synelix info x.h5; then echo; fi
```

```cpp
sx::FilterBank<float> bank(exec, sx::History{}, {.window = 3});
```

```python
import synelix as sx
sx.BSplineConv(4, window_size=10)
```

```toml
[inputs.position]
data = "x.h5:/position"
[bases.place]
type = "bspline"
[[terms]]
name = "place"
product = [{input = "position", basis = "place"}]
```

```text
synelix: this output names --nothing
```
"""


@unittest.skipUnless(PROGRAM, "SYNELIX does not name the program")
class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.names = names.Names(PROGRAM)

    def wrong(self, text):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder) / "page.md"
            page.write_text(text)
            return [line.partition(": ")[2] for line in names.check_page(page, self.names)]

    def test_a_sound_page(self):
        self.assertEqual(self.wrong(PAGE), [])

    def test_planted_faults(self):
        for old, new, expected in (
                ("--basis raised", "--base raised", "synelix convolve has no option --base"),
                ("--budget 64MiB", "--memory 64MiB", "synelix convolve has no option --memory"),
                ("if synelix info", "if synelix describe", "synelix has no command describe"),
                ("`--every`", "`--each`", "no command has an option --each"),
                ("`sx::convolve`", "`sx::convolved_all`", "the headers have no convolved_all"),
                ("sx::FilterBank<", "sx::FilterBox<", "the headers have no FilterBox"),
                ("`sx::Border::nan`", "`sx::Border::none_such`", "the headers have no Border::none_such"),
                ("::workspace`", "::workplace`", "the headers have no convolve::workplace"),
                ("`sx.convolve`", "`sx.convolute`", "the Python package has no sx.convolute"),
                ("sx.BSplineConv(", "sx.BSplineConvolution(", "the Python package has no sx.BSplineConvolution"),
                ("src/tool/main.cpp", "src/tool/program.cpp", "there is no file src/tool/program.cpp"),
                ("src/*/README.md", "src/*/READ.md", "there is no file src/*/READ.md"),
                ("type = \"bspline\"", "kind = \"bspline\"", "a design has no key kind"),
                ("basis = \"place\"}", "base = \"place\"}", "a design has no key base"),
                ("(#page-of-names)", "(#page-of-things)", "the page has no heading #page-of-things"),
                ("SYNELIX_GRACE_SECONDS", "SYNELIX_GRACE", "nothing reads SYNELIX_GRACE")):
            with self.subTest(new):
                self.assertIn(old, PAGE)
                self.assertEqual(self.wrong(PAGE.replace(old, new)), [expected])


if __name__ == "__main__":
    unittest.main()
