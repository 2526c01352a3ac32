#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles a source of wrong calls, and checks that the compiler refuses each by one sentence.

    wrong_calls.py SOURCE ARGUMENTS COMPILER [OPTION...]

ARGUMENTS is a file with one argument of the compiler per line. A case of SOURCE begins with a comment,
"// REFUSED: SENTENCE", and ends where the next case begins. The first error of a case must hold the sentence, and a
case may have MOST_ERRORS errors. All cases are compiled at once, since reading the headers takes most of the time. A
compiler instantiates a template once for each list of arguments, so that two cases with the same types are one: give
each case types of its own.
"""

import pathlib
import re
import shlex
import subprocess
import sys

MOST_ERRORS = 2
CASE = re.compile(r"^\s*// REFUSED: (.*)")
COMMENT = re.compile(r"^\s*// (.*)")
PLACE = re.compile(r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? *(?P<text>.*)")
ERROR = re.compile(r"^(?:fatal )?error: (.*)")


def cases_of(text):
    """Line -> sentence, for each case of a source."""
    cases, begin = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        case, comment = CASE.match(line), COMMENT.match(line)
        if case:
            begin = number
            cases[begin] = case[1]
        elif comment and begin:
            cases[begin] += " " + comment[1]  # a sentence of several lines
        else:
            begin = None
    return cases


def errors_of(output, source):
    """The errors in what g++ or clang++ printed, as (line of the source or None, text). g++ says before an error which
    line led to it, clang++ says it after. Neither repeats it for the next error of the same template."""
    errors, line_before, waits = [], None, False
    for line in output.splitlines():
        place = PLACE.match(line)
        if not place:
            continue
        here = int(place["line"]) if pathlib.PurePath(place["file"]).name == source else None
        error = ERROR.match(place["text"])
        if error:
            errors.append([here or line_before, error[1]])
            waits = errors[-1][0] is None
        elif here and place["text"].startswith("required from here"):
            line_before = here
        elif here and waits and place["text"].endswith("requested here"):
            errors[-1][0], waits = here, False
    for previous, error in zip(errors, errors[1:]):
        error[0] = error[0] or previous[0]
    return [tuple(error) for error in errors]


def failures_of(cases, errors):
    """The faults, one text each."""
    failures, found = [], {begin: [] for begin in cases}
    for line, text in errors:
        begin = max((begin for begin in cases if line and begin <= line), default=None)
        if begin is None:
            failures.append(f"an error outside the cases: {text}")
        else:
            found[begin].append(text)
    if failures:
        return failures  # the source or a header is wrong, so the cases cannot be judged
    for begin, sentence in cases.items():
        texts = found[begin]
        if not texts:
            failures.append(f"line {begin}: accepted, but must be refused: {sentence}")
        elif sentence not in texts[0]:
            failures.append(f"line {begin}: the first error must say: {sentence}\n    it says: {texts[0]}")
        elif len(texts) > MOST_ERRORS:
            failures.append(f"line {begin}: {len(texts)} errors, at most {MOST_ERRORS}:\n    " + "\n    ".join(texts))
    return failures


def failures(source, compiler):
    """The failures of a source. The compiler is a list: the program and its arguments."""
    cases = cases_of(pathlib.Path(source).read_text(encoding="utf-8"))
    # No warnings, since -Werror would make errors of them.
    command = [*compiler, "-w", "-fsyntax-only", str(source)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    errors = errors_of(run.stderr, pathlib.Path(source).name)
    if run.returncode != 0 and not errors:
        return cases, [f"{' '.join(command)} failed without an error that this program reads:\n{run.stderr}"]
    return cases, failures_of(cases, errors)


def main():
    source, arguments, compiler, *options = sys.argv[1:]
    lines = pathlib.Path(arguments).read_text(encoding="utf-8").splitlines()
    # CMake marks several arguments in one by SHELL:
    given = [one for line in lines for one in (shlex.split(line[6:]) if line.startswith("SHELL:") else [line]) if one]
    cases, found = failures(source, [compiler, *options, *given])
    print("\n".join(found) or f"{len(cases)} wrong calls, each refused by its sentence")
    return 1 if found or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
