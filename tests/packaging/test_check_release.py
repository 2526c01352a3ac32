#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of the files of a release finds the faults that it should find: each mistake is planted in a copy of them.

test_check_release.py ROOT
"""

import pathlib
import re
import shutil
import sys
import tempfile

import check_release

VERSION = r"\d+\.\d+\.\d+"
# file, a pattern of its text, its replacement (None: the file is removed), the expected message of the check
MISTAKES = [
    *((name, None, None, f"{name}: is missing or empty") for name in check_release.FILES),
    *((name, pattern.replace(r"(\S+)", VERSION).replace('([^"]*)', VERSION).replace(r'(\d[^"]*)', VERSION),
       lambda found: re.sub(VERSION, "9.9.9", found[0]), f"{name}: is of version 9.9.9") for name, pattern in check_release.VERSIONS),
    ("CHANGELOG.md", r"^## ", "## 9.9.9 (2026-12-01)\n\n### Added\n\n- x\n\n## ", "CMakeLists.txt: is of version"),
    ("CHANGELOG.md", r"^## ", "## 0.0.1 (2026-12-01)\n\n### Added\n\n- x\n\n## ", "not in order"),
    ("CHANGELOG.md", r"^## (\S+) .*", r"## \1 (soon)", "is not VERSION"),
    ("CHANGELOG.md", r"^## (\S+) .*", r"## \1 (2026-02-30)", "which does not exist"),
    ("CHANGELOG.md", r"^### Added", "### New", "has a part 'New'"),
    ("CHANGELOG.md", r"^### Added", "### Added\n\n### Added", "has a part 'Added'"),
    ("CITATION.cff", r"^date-released: .*", 'date-released: "2020-01-01"', "was released on 2020-01-01"),
    ("CITATION.cff", r"^cff-version: .*", "cff-version: 1.0.0", "is not of cff-version"),
    ("CITATION.cff", r"^  - name: .*", "  - name: Somebody", "its authors are not"),
    ("CITATION.cff", r"^title: .*\n", "", "has no title"),
    ("CITATION.cff", r"^title: ", "titel: ", "has titel"),
    ("SECURITY.md", r"\Z", "See https://host/x.\n", "names a host"),
    (".github/ISSUE_TEMPLATE/bug.yml", r"^name: .*\n", "", "has no name"),
    (".github/ISSUE_TEMPLATE/bug.yml", r"type: textarea", "type: text", "an element of type text"),
    (".github/ISSUE_TEMPLATE/bug.yml", r"^    id: how", "    id: what", "has an id twice"),
]
PREPARED = "## 9.9.9 (not released)\n\n### Added\n\n- x\n\n## "


def copied(root, folder):
    for name in {*check_release.FILES, *(name for name, _ in check_release.VERSIONS)}:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / name, folder / name)


def replace(path, pattern, text):
    before = path.read_text(encoding="utf-8")
    after = re.sub(pattern, text, before, count=1, flags=re.M)
    assert after != before, f"{path.name}: nothing matches {pattern}"
    path.write_text(after, encoding="utf-8")


def main():
    root, wrong = pathlib.Path(sys.argv[1]), 0
    for name, pattern, text, expected in [(None, None, None, None), *MISTAKES]:
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            copied(root, folder)
            if name and pattern is None:
                (folder / name).unlink()
            elif name:
                replace(folder / name, pattern, text)
            found = check_release.findings(folder)
        if (expected is None and found) or (expected and not any(expected in line for line in found)):
            wrong += 1
            print(f"{name}, {pattern}: expected {expected!r}, found:", *found, sep="\n    ")
    with tempfile.TemporaryDirectory() as place:           # the next version, in preparation, is no mistake
        folder = pathlib.Path(place)
        copied(root, folder)
        if "(not released)" not in (folder / "CHANGELOG.md").read_text(encoding="utf-8"):
            replace(folder / "CHANGELOG.md", r"^## ", PREPARED)
        else:
            replace(folder / "CHANGELOG.md", r"^## \S+ \(not released\)", "## 9.9.9 (not released)")
        for name, _ in check_release.VERSIONS[:3]:
            replace(folder / name, rf'((?:VERSION |version = "|version: "))({VERSION})', r"\g<1>9.9.9")
        found = check_release.findings(folder)
        if found:
            wrong += 1
            print("a version in preparation:", *found, sep="\n    ")
    print(f"{len(MISTAKES)} mistakes, {wrong} judged wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
