#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which targets of a build the tests of a label start or name: all that has to be built before they run.

    programs_of_tests.py BUILD LABEL [WITHOUT]

BUILD is configured and need not be built. Tests whose name matches WITHOUT do not count. `ctest --show-only` tells no
command of a program that is not built yet; so CTest's own files are read.
"""
import re
import sys
from pathlib import Path

TEST = re.compile(r"^add_test\((\S+) (.*)\)$", re.M)
PROPERTIES = re.compile(r"^set_tests_properties\((\S+) PROPERTIES (.*)\)$", re.M)
LABELS = re.compile(r' LABELS "([^"]*)"')


def tests_of(build):
    """[(name, labels, all that CTest's files say of the test)]."""
    words, labels = {}, {}
    for file in sorted(build.rglob("CTestTestfile.cmake")):
        text = file.read_text(encoding="utf-8")
        for name, rest in TEST.findall(text) + PROPERTIES.findall(text):
            name = re.sub(r"^\[=*\[|\]=*\]$", "", name)
            words[name] = words.get(name, "") + " " + re.sub(r' _BACKTRACE_TRIPLES "[^"]*"', "", rest)
            labels.setdefault(name, set()).update(*(found.split(";") for found in LABELS.findall(" " + rest)))
    return [(name, labels[name], text) for name, text in words.items()]


def programs_of(build, label, without=""):
    """Targets of build.ninja, sorted: the files that tests of the label name."""
    known = set(re.findall(r"^build ([^ :|]+)", (build / "build.ninja").read_text(encoding="utf-8"), flags=re.M))
    named = set()
    for name, labels, text in tests_of(build):
        if label in labels and not (without and re.search(without, name)):
            named.update(re.findall(re.escape(str(build)) + r"/([^\s\";=]+)", text))
    return sorted(named & known)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    print("\n".join(programs_of(Path(sys.argv[1]).resolve(), *sys.argv[2:])))
