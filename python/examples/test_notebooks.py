# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs each notebook of this folder from top to bottom. A cell that raises fails the test."""

import os
from pathlib import Path

import pytest

NOTEBOOKS = sorted(Path(__file__).parent.glob("*.ipynb"))


@pytest.mark.skipif("SYNELIX_TEST_DATA" not in os.environ,
                    reason="SYNELIX_TEST_DATA does not name a folder with A8604.nwb")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3",
                            resources={"metadata": {"path": str(tmp_path)}}).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs), "no cell drew a picture"
