# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lines in Python of the README print what its comment says."""

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "README.md"


@pytest.mark.skipif(not README.exists(), reason="the package is tested without its repository")
def test_the_lines_print_what_they_say(capsys):
    lines = README.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    exec(compile(lines, str(README), "exec"), {})  # pylint: disable=exec-used
    found = re.search(r"print\(.*\)\s+# (.*)", lines)
    assert found, "no comment says what the lines print"
    said = found[1]
    printed = capsys.readouterr().out.strip()
    shape, score = said.rsplit(" ", 1)
    assert printed.startswith(shape)
    assert float(printed[len(shape):]) == pytest.approx(float(score), abs=5e-4)
