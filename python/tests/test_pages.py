# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages under docs whose lines need this package: they run, print what they say, and rows of their tables agree.

tests/docs/run_pages.py says how a page is run. Behind <!-- equal --> in a page, both cells of each row of the next
table are evaluated with the names of the blocks before, and give the same numbers: to 1e-9 of the largest, or what the
comment says. <!-- equal torch --> has PyTorch on the left side, which is evaluated where PyTorch is installed.
"""

import importlib.util
import os
import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("SYNELIX_PROGRAMS", ROOT / "build" / "python" / "prefix" / "bin"))
sys.path.insert(0, str(ROOT / "tests" / "docs"))
run_pages = importlib.import_module("run_pages") if (ROOT / "tests" / "docs" / "run_pages.py").exists() else None
PAGES = [path for pattern in ("index.md", "tutorials/*.md", "how_to/*.md", "explanation/*.md")
         for path in sorted((ROOT / "docs").glob(pattern))
         if re.search(r"^import synelix", path.read_text(), flags=re.M)]
TABLES = [path for path in sorted((ROOT / "docs" / "coming_from").glob("*.md")) if path.name != "index.md"]
COMMENT = re.compile(r"<!-- equal( torch)?(?:: (\S+))? -->\n((?:\|.*\n)+)")

pytestmark = pytest.mark.skipif(not PAGES, reason="the pages are not beside this package")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_runs(page, tmp_path):
    assert run_pages is not None
    if "\n```sh\n" in page.read_text() and not (PROGRAMS / "synelix").exists():
        pytest.skip(f"{PROGRAMS} has no program synelix")
    try:
        run_pages.compare(page, run_pages.run_page(PROGRAMS, page, tmp_path))
    except run_pages.Skipped as why:
        pytest.skip(str(why))


def names_of(page):
    """What the blocks of Python of a page define."""
    assert run_pages is not None
    names = {}
    for block in run_pages.blocks(page.read_text()):
        if block.language == "python":
            exec(compile("\n".join(block.lines), str(page), "exec"), names)
    return names


def rows_of(text):
    """(left side, right side, tolerance, whether PyTorch is on the left) of each row that is compared."""
    for has_torch, tolerance, table in COMMENT.findall(text):
        for row in table.splitlines()[2:]:
            cells = re.findall(r"`([^`]+)`", row)
            assert len(cells) == 2, f"a row has {len(cells)} cells of code: {row}"
            yield cells[0], cells[1], float(tolerance or 1e-9), bool(has_torch)


def difference(left, right, tolerance):
    """What differs between two results, or None."""
    left, right = np.asarray(left, dtype=float), np.asarray(right, dtype=float)
    if left.shape != right.shape:
        return f"shapes {left.shape} and {right.shape}"
    if (np.isnan(left) != np.isnan(right)).any():
        return "NaN at other places"
    if not np.isfinite(left).any():
        return "no number to compare"
    apart = np.nanmax(np.abs(left - right))
    return None if apart <= tolerance * max(1.0, float(np.nanmax(np.abs(left)))) else f"numbers differ by {apart:.3g}"


def of_torch(expression, names):
    """The value of an expression of PyTorch, with tensors in place of arrays."""
    torch = importlib.import_module("torch")
    tensors = {key: torch.from_numpy(value) if isinstance(value, np.ndarray) else value for key, value in names.items()}
    return eval(expression, {**tensors, "torch": torch, "F": torch.nn.functional}).numpy()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("page", TABLES, ids=lambda page: page.stem)
def test_rows_agree(page):
    for package in ("nemos", "pynapple", "scipy"):
        if f"import {package}" in page.read_text():
            pytest.importorskip(package)
    names, rows = names_of(page), list(rows_of(page.read_text()))
    assert rows, "no row is compared"
    wrong = []
    for left, right, tolerance, has_torch in rows:
        value = eval(right, names)
        if has_torch and importlib.util.find_spec("torch") is None:
            continue
        found = difference(of_torch(left, names) if has_torch else eval(left, names), value, tolerance)
        wrong += [f"{left}: {found}"] if found else []
    assert not wrong, "\n".join(wrong)


def test_a_wrong_row_is_seen():
    names = {"np": np, "x": np.arange(3.0)}
    (row,) = rows_of("<!-- equal -->\n| a | b |\n|---|---|\n| `x` | `x + 1e-6` |\n")
    assert row == ("x", "x + 1e-6", 1e-9, False)
    assert difference(eval(row[0], names), eval(row[1], names), row[2]) == "numbers differ by 1e-06"
    assert difference([1, np.nan], [1, 2], 1.0) == "NaN at other places"
    assert difference([1], [[1]], 1.0) == "shapes (1,) and (1, 1)"
    assert difference([1, 2], [1, 2 + 1e-12], 1e-9) is None
