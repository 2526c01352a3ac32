# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The scripts of docs/clusters.md. The first comment of a block of code is the name of its file."""
import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "clusters.md"
BLOCK = re.compile(r"^```(?:bash|python)\n((?:#![^\n]*\n)?# (\S+)\n.*?)^```$", re.MULTILINE | re.DOTALL)


def write_scripts(folder):
    """Writes each of them into the folder, unchanged from the page. Returns their names."""
    scripts = {name: text for text, name in BLOCK.findall(PAGE.read_text(encoding="utf-8"))}
    for name, text in scripts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return sorted(scripts)
