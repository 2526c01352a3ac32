#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which branches of outputs, checkpoints and resume the tests took.

    branches.py [--least SHARE] BUILD

BUILD has the counts of gcov: `./dev coverage` and `./dev coverage --branches` make them. Prints the share of each
file, names each branch that no test took, and fails where the share of all files is below SHARE percent.

What counts is a way out of a point in the source that has several: the two ways of an `if`, of a loop or of `&&`, the
cases of a `switch`. A call that may throw has two ways as well, which only the compiler wrote: gcov marks the one to
the handlers, and both are left out. Ways of code that only a handler reaches, without a line of the source, are left
out by the same rule. Copies of one function, such as instantiations of a template or of an inline function in several
objects, count as one: a way is taken where any of them took it.
"""

import argparse
import collections
import os
import pathlib
import sys

from flow import FAKE, Reader, functions_of

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# The sources for writing features to a file, recording what a run has written, and resuming.
FILES = (
    "src/streams/boxes.hpp", "src/streams/fingerprint.cpp",
    "src/hdf5/objects/chunk_pieces.hpp", "src/hdf5/objects/feature_datasets.cpp", "src/hdf5/objects/feature_datasets.hpp",
    "src/hdf5/objects/features_attributes.cpp", "src/part_files/descriptor.cpp", "src/part_files/descriptor.hpp",
    "src/part_files/final_name.cpp", "src/hdf5/objects/output_file.cpp", "src/hdf5/objects/output_file.hpp",
    "src/part_files/part_file.cpp", "src/part_files/part_file.hpp", "src/part_files/records.cpp",
    "src/part_files/records.hpp", "src/hdf5/sink/checkpoint.cpp", "src/hdf5/sink/checkpoint.hpp",
    "src/hdf5/sink/chunk_table.cpp", "src/hdf5/sink/hdf5_sink.cpp", "src/hdf5/sink/sink_part.cpp",
    "src/hdf5/sink/sink_part.hpp", "src/hdf5/sink/sink_resume.cpp", "src/hdf5/sink/sum_table.cpp",
    "src/hdf5/sink/tables.hpp",
)


def points_of(function, sources):
    """The points of a function that have several ways: (file, line) and a list of counts for each."""
    plain_blocks = function.without_exceptions()
    plain_lines = {place for block in plain_blocks for place in function.lines.get(block, ())}
    for block in sorted({arc.begin for arc in function.arcs}):
        if not function.lines.get(block):
            continue
        file, line = place = function.lines[block][-1]
        if file not in sources or "catch (" in sources[file][line - 1]:
            continue
        if block not in plain_blocks and place in plain_lines:
            continue
        written = [arc.count or 0 for arc in function.ways(block) if not arc.is_throw and not arc.flags & FAKE]
        if len(written) > 1:
            yield place, written


def add_counts(counts, functions, sources):
    """Adds functions to counts, {file: {(line, place of the function, number of the point): [counts]}}.

    sources are the lines of each file that counts.
    """
    for function in functions:
        of_line = collections.Counter()
        for (file, line), ways in points_of(function, sources):
            known = counts.setdefault(file, {}).setdefault((line, function.place, of_line[file, line]), [])
            of_line[file, line] += 1
            known += [0] * (len(ways) - len(known))
            for way, count in enumerate(ways):
                known[way] += count


def functions_in(notes, names):
    """The functions of an object that mentions one of the names, with the absolute names of their files."""
    content = notes.read_bytes()
    if not any(name in content for name in names):
        return []
    counts = notes.with_suffix(".gcda")
    reader = Reader(content, 16)
    folder = reader.text()
    functions = functions_of(content, counts.read_bytes() if counts.exists() else None)
    for function in functions:
        for lines in function.lines.values():
            lines[:] = [(os.path.normpath(os.path.join(folder, file)), line) for file, line in lines]
    return functions


def counts_of(build, sources):
    names = [os.path.basename(name).encode() for name in sources]
    counts = {}
    for notes in sorted(pathlib.Path(build).rglob("*.gcno")):
        add_counts(counts, functions_in(notes, names), sources)
    return counts


def lines_of_report(counts, sources, root):
    """The report as lines of text, and the numbers of ways taken and of all."""
    lines = ["branches of outputs, checkpoints and resume that the tests take"]
    missing = []
    taken = total = 0
    for name, points in sorted(counts.items()):
        shown = os.path.relpath(name, root)
        ways = [count for point in points.values() for count in point]
        of_file = sum(count > 0 for count in ways)
        taken += of_file
        total += len(ways)
        if ways:
            lines.append(f"  {shown:40} {of_file:5} of {len(ways):5}  {100 * of_file / len(ways):6.2f} %")
        of_line = collections.defaultdict(lambda: [0, 0])
        for (number, _, _), point in points.items():
            of_line[number][0] += sum(count == 0 for count in point)
            of_line[number][1] += len(point)
        missing += [f"  {shown}:{number}: {left} of {all_ways}: {sources[name][number - 1].strip()}"
                    for number, (left, all_ways) in sorted(of_line.items()) if left]
    lines.append(f"  {'all':40} {taken:5} of {total:5}  {100 * taken / max(total, 1):6.2f} %")
    if missing:
        lines += ["branches that no test takes, by line", *missing]
    return lines, taken, total


def main(arguments):
    parser = argparse.ArgumentParser(description="Which branches of outputs, checkpoints and resume the tests took.")
    parser.add_argument("--least", type=float, default=0.0, help="percent of all branches that must be taken")
    parser.add_argument("build", help="a build with the counts of gcov")
    options = parser.parse_args(arguments)
    sources = {str(ROOT / name): (ROOT / name).read_text().splitlines() for name in FILES}
    lines, taken, total = lines_of_report(counts_of(options.build, sources), sources, ROOT)
    print("\n".join(lines))
    if total == 0:
        sys.exit(f"coverage: {options.build} has no counts of branches; ./dev coverage --branches makes them")
    share = 100 * taken / total
    if share < options.least:
        sys.exit(f"coverage: {share:.2f} % of branches; at least {options.least:g} %. Test or remove those above.")


if __name__ == "__main__":
    main(sys.argv[1:])
