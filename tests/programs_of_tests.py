#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which targets of a build its tests start or name: all that has to be built before they run.

    programs_of_tests.py BUILD [-L REGEX] [-R REGEX] [-E REGEX]

BUILD is configured and need not be built. Tests are those with a label that matches -L and a name that matches -R, and
none that match -E, as for ctest. `ctest --show-only` tells no command of a program that is not built yet; so CTest's own
files are read.
"""
import argparse
import re
from pathlib import Path

TEST = re.compile(r"^add_test\((\S+) (.*)\)$", re.M)
PROPERTIES = re.compile(r"^set_tests_properties\((\S+) PROPERTIES (.*)\)$", re.M)
LABELS = re.compile(r' LABELS "([^"]*)"')


def tests_of(build):
    """[(name, labels, all properties in CTest's files)] of the tests."""
    words, labels = {}, {}
    for file in sorted(build.rglob("CTestTestfile.cmake")):
        text = file.read_text(encoding="utf-8")
        for name, rest in TEST.findall(text) + PROPERTIES.findall(text):
            name = re.sub(r"^\[=*\[|\]=*\]$", "", name)
            words[name] = words.get(name, "") + " " + re.sub(r' _BACKTRACE_TRIPLES "[^"]*"', "", rest)
            labels.setdefault(name, set()).update(*(found.split(";") for found in LABELS.findall(" " + rest)))
    return [(name, labels[name], text) for name, text in words.items()]


def programs_of(build, label="", only="", without=""):
    """Targets of build.ninja, sorted: the files that the chosen tests name."""
    known = set(re.findall(r"^build ([^ :|]+)", (build / "build.ninja").read_text(encoding="utf-8"), flags=re.M))
    named = set()
    for name, labels, text in tests_of(build):
        if (not label or any(re.search(label, one) for one in labels)) and re.search(only, name) and not (without and re.search(without, name)):
            named.update(re.findall(re.escape(str(build)) + r"/([^\s\";=]+)", text))
    return sorted(named & known)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("-L", dest="label", default="", help="tests with a label that matches")
    parser.add_argument("-R", dest="only", default="", help="tests of such names")
    parser.add_argument("-E", dest="without", default="", help="not tests of such names")
    given = parser.parse_args()
    print("\n".join(programs_of(given.build.resolve(), given.label, given.only, given.without)))


if __name__ == "__main__":
    main()
