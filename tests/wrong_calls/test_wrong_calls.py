#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wrong_calls.py finds what is wrong with a case, by the words of this compiler.

    test_wrong_calls.py COMPILER [OPTION...]
"""

import pathlib
import sys
import tempfile

import wrong_calls

HEADER = """#pragma once
template <class T> constexpr bool holds = false;
template <class T> void refuse(T) { static_assert(holds<T>, "give a whole number"); }
template <class T> void refuse_at_length(T) {
  static_assert(holds<T>, "give a whole number");
  static_assert(holds<T*>, "the second error");
  static_assert(holds<T**>, "the third error");
}
template <class T> void through(T x) { refuse(x); }
"""
# the body of a function, and the expected messages; an empty list: no fault
BODIES = [
    ("// REFUSED: give a whole number\nrefuse(1.0);\n// REFUSED: give a\n// whole number\nthrough(1.0f);", []),
    ("// REFUSED: give a whole number\nint x = 1;", ["accepted, but must be refused"]),
    ("// REFUSED: give a fraction\nrefuse(1.0);", ["the first error must say: give a fraction"]),
    ("// REFUSED: give a whole number\nrefuse_at_length(1.0);", ["3 errors, at most 2"]),
    ("refuse(1.0);\n// REFUSED: give a whole number\nrefuse(1.0f);", ["an error outside the cases"]),
    ("// REFUSED: give a whole number\nrefuse(1.0);\n// REFUSED: give a whole number\nrefuse(2.0);",
     ["line 5: accepted, but must be refused"]),
]


def main():
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "header.hpp").write_text(HEADER, encoding="utf-8")
        source = pathlib.Path(folder) / "source.cpp"
        for body, expected in BODIES:
            source.write_text(f'#include "header.hpp"\nvoid cases() {{\n{body}\n}}\n', encoding="utf-8")
            _, found = wrong_calls.failures(source, sys.argv[1:])
            if len(found) != len(expected) or not all(text in one for text, one in zip(expected, found)):
                failures += 1
                print(f"of {body!r}\n  expected {expected}\n  found {found}")
        _, found = wrong_calls.failures(source, [*sys.argv[1:], "--no-such-option"])
        if not found:
            failures += 1
            print("a compiler that fails for another reason is not seen")
    print(f"{len(BODIES)} sources, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
