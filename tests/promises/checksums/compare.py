#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the checksums of a build with those of tests/promises/checksums.txt.

compare.py PROGRAM SET FILE [--same-machine] [--write]

Runs PROGRAM (synelix_checksums) with one thread and with two. Both runs must print the same lines, and the lines must be
those that FILE lists for SET. The code is compiled without contraction, so a checksum of arithmetic alone is the same for
every compiler, every Kokkos and every machine that has the instruction set. Other checksums follow from other libraries:

  libm    compared where the kinds libm.float and libm.double agree, which hold the C library's own functions
  lapack  compared with --same-machine only

A change of bits is a decision: --write puts the new lines into FILE, and the review of that change shows the kinds.
Ends with 77 where this build or this processor does not have SET.
"""

import argparse
import os
import subprocess
import sys

SKIPPED = 77
PROBES = ("libm.float", "libm.double")


class Missing(Exception):
    """The instruction set is not there."""


def sections(text):
    """The lines of each set: {set: {kind: (cases, checksum, numbers)}}."""
    result = {}
    kinds = None
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0] == "set":
            kinds = result.setdefault(words[1], {})
        elif kinds is None or len(words) != 4:
            raise ValueError(f"'{line}' is not a line 'KIND CASES CHECKSUM NUMBERS' below a line 'set NAME'")
        elif words[0] in kinds:
            raise ValueError(f"the kind {words[0]} is listed twice")
        else:
            kinds[words[0]] = (int(words[1]), words[2], words[3])
    return result


def differences(known, found, same_machine=False):
    """The faults, one sentence each, and the number of compared kinds."""
    same_libm = all(known.get(kind) == found.get(kind) for kind in PROBES)
    compared = {"arithmetic"} | ({"libm"} if same_libm else set()) | ({"libm", "lapack"} if same_machine else set())
    wrong = [f"{kind} is in the file and not in the output" for kind in known if kind not in found]
    count = 0
    for kind, (cases, checksum, numbers) in found.items():
        if kind not in known:
            wrong.append(f"{kind} is not in the file")
            continue
        before = known[kind]
        if (cases, numbers) != (before[0], before[2]):
            wrong.append(f"{kind} has {cases} cases of {numbers}, and {before[0]} of {before[2]} in the file")
        elif numbers in compared:
            count += 1
            if checksum != before[1]:
                wrong.append(f"{kind} has the checksum {checksum}, and {before[1]} in the file")
    return wrong, count


def output_of(program, name, threads):
    """The lines of a run."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive")
    run = subprocess.run([program, "--set", name], env=environment, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode == SKIPPED:
        raise Missing()
    if run.returncode != 0:
        raise RuntimeError(f"{program} with {threads} threads ended with {run.returncode}")
    return run.stdout


def write(path, name, lines):
    """Replaces the section of a set, and keeps the others and the comment."""
    text = ""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
    head, *rest = text.split("\nset ")
    parts = {part.split("\n", 1)[0]: "set " + part.rstrip("\n") + "\n" for part in rest}
    parts[name] = lines
    with open(path, "w", encoding="utf-8") as file:
        file.write(head.rstrip("\n") + "\n")
        for part in sorted(parts):
            file.write("\n" + parts[part])


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("set", help="an instruction set of the build")
    parser.add_argument("file")
    parser.add_argument("--same-machine", action="store_true", help="compare what follows from libm and LAPACK too")
    parser.add_argument("--write", action="store_true", help="put the checksums of this build into the file")
    options = parser.parse_args(arguments)
    try:
        one = output_of(options.program, options.set, 1)
        two = output_of(options.program, options.set, 2)
    except Missing:
        print(f"{options.set} is not at hand")
        return SKIPPED
    alike, _ = differences(sections(one)[options.set], sections(two)[options.set], same_machine=True)
    if alike or one != two:
        print("One thread (the file here) and two threads give different bits:", *alike, sep="\n  ")
        return 1
    if options.write:
        write(options.file, options.set, one)
        return 0
    with open(options.file, encoding="utf-8") as file:
        known = sections(file.read()).get(options.set)
    found = sections(one)[options.set]
    if known is None:
        print(f"{options.file} has no checksums of {options.set}: add them with --write")
        return 1
    wrong, count = differences(known, found, options.same_machine)
    if wrong:
        print(f"The bits of {options.set} have changed. Where that is meant, write the new ones by",
              f"{sys.argv[0]} {options.program} {options.set} {options.file} --write:", sep="\n")
        print(*wrong, sep="\n")
        return 1
    print(f"{options.set}: {count} of {len(found)} kinds compared, all with the bits of {options.file}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
