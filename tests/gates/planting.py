# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants faults into copies of the sources, for checks that have to find them and tests that have to fail."""

import shutil


def copy_of(root, folder, names):
    """Copies these folders of the tree."""
    for name in names:
        shutil.copytree(root / name, folder / name)


def plant(edits, folder, listed_in):
    """Replaces texts of a copy: (file, text before, text after). Returns the fault of the list itself: an edit whose
    place is not in the tree any more, or is there twice."""
    for name, before, after in edits:
        file = folder / name
        text = file.read_text(encoding="utf-8") if file.exists() else ""
        if text.count(before) != 1:
            return f"{name} has {text.count(before)} places like {before!r}, not 1: mend the fault in {listed_in}"
        file.write_text(text.replace(before, after), encoding="utf-8")
    return ""
