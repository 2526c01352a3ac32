# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Backends side by side: the large product, sets of products, convolutions, and transforms over the length of the
series, with and without transfers, so that one sees where moving to a device pays.

    ./dev perf --tables [--device-program FILE] [--only PART,PART] [--out FILE.md]

Prints Markdown. A column is a program and its number of threads; FILE is the synelix_perf_worker of a build for a
device. All columns of a row are measured in turn, checked before; a cell is the median in milliseconds.
"""
import argparse
import os
import random
import statistics
import sys
from pathlib import Path

import install

install.enter_where_numpy_is()             # before what needs it

import conv_rows  # noqa: E402
import product_rows  # noqa: E402
from bench import Absent, Bench, clean_up_when_ended  # noqa: E402
from cases import Case  # noqa: E402
from context import context  # noqa: E402
from products import Problem  # noqa: E402

LENGTHS = (10_000, 100_000, 1_000_000, 10_000_000)
ROUNDS = 5


def columns_of(options):
    """{title: Bench}"""
    found = {}
    threads = [1] + ([2] if len(os.sched_getaffinity(0)) > 1 else [])
    for program, counts in ((options.program, threads), (options.kernels_program, [1]), (options.device_program, [1])):
        for count in counts if program else ():
            bench = Bench(program, count)
            library = bench.library.ask("describe")
            title = library["space"] + ("" if library["on_device"] else f", {count} thread{'s' if count > 1 else ''}")
            found.setdefault(title + (", Kokkos Kernels" if library["has_kernels"] else ""), bench)
    return found


def row(columns, prepare):
    """{title: median seconds, or the reason for none}, in turn."""
    calls, cells = {}, {}
    for title, bench in columns.items():
        try:
            calls[title] = bench.timed(prepare(bench), 0.05)
        except Absent as why:
            cells[title] = str(why)
    cells.update({title: statistics.median(times) for title, times in Bench.in_turn(calls, ROUNDS)})
    for bench in columns.values():
        bench.forget()
    return cells


# ---------------------------------------------------------------- parts: name of a row, how it is prepared, its work
def large(_):
    problem = Problem("batch", [[2000, 8000, 2000]], scalar="float64")
    yield "(2000, 8000) by (8000, 2000), double", lambda bench: product_rows.prepare(bench, problem, "synelix"), problem


def sets(draw):
    for side, count in ((8, 20_000), (16, 10_000), (32, 4000), (64, 1000)):
        problem = Problem("batch", [[side] * 3], count=count)
        yield f"{count} cubes of {side}", lambda bench, p=problem: product_rows.prepare(bench, p, "synelix"), problem
    problem = Problem("list", [[draw.randint(4, 64) for _ in range(3)] for _ in range(10_000)])
    yield "10,000 ragged, sides 4 to 64", lambda bench: product_rows.prepare(bench, problem, "synelix"), problem


def convolutions(_):
    problems = {**conv_rows.CASES, "conv2d, by input": conv_rows.IMAGES.of(operator="grad_input"),
                "conv2d, by weights": conv_rows.IMAGES.of(operator="grad_weights"), "conv1d, window 1000": conv_rows.LONG}
    for name, problem in problems.items():
        yield name, lambda bench, p=problem: conv_rows.prepare(bench, p, "synelix"), problem


def transforms(_):
    for samples in LENGTHS:
        case = Case(f"length_{samples}", samples, 1, 8, 1000)
        for staged in (False, True):
            where = "with transfers" if staged else "in its memory"
            yield (f"{samples:,} samples, 8 bases, W 1000, {where}",
                   lambda bench, c=case, s=staged: bench.prepare(c, method="fft", staged=s), None)


PARTS = {"large": ("A large product", large), "sets": ("Sets of products", sets),
         "convolutions": ("Convolution operators", convolutions), "transforms": ("Transforms (method fft)", transforms)}


def cell(value, work):
    if isinstance(value, str):
        return value
    rate = f" ({work.operations() / value / 1e9:.0f} GFLOP/s)" if work else ""
    return f"{1e3 * value:.3g} ms{rate}"


def table(columns, title, part, draw):
    lines = ["", f"## {title}", "", "| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, prepare, work in part(draw):
        cells = row(columns, prepare)
        lines.append(f"| {name} | " + " | ".join(cell(cells[column], work) for column in columns) + " |")
        print(f"  {lines[-1]}", file=sys.stderr, flush=True)
    return lines


def heading(columns):
    around = context(next(iter(columns.values())))
    load = ", ".join(f"{value:.1f}" for value in around["load"])
    lines = ["<!-- SPDX-FileCopyrightText: 2026 The Synelix developers -->",
             "<!-- SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception -->", "", "# Backends side by side", "",
             f"`./dev perf --tables`, {around['date']}, revision {around['revision']}, {around['processor']}, "
             f"{around['processors']} processors, load {load}. Medians of {ROUNDS} rounds, all columns of a row in turn."]
    for title, bench in columns.items():
        library = bench.library.ask("describe")
        lines.append(f"* {title}: Kokkos {library['kokkos']}, {library['compiler']}, {library['instruction_set']}")
    return lines


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--program", required=True, help=argparse.SUPPRESS)
    words.add_argument("--kernels-program", help=argparse.SUPPRESS)    # the same, built with Kokkos Kernels
    words.add_argument("--device-program", help="synelix_perf_worker of a build for a device")
    words.add_argument("--only", default=",".join(PARTS), help="these parts")
    words.add_argument("--out", help="keeps the tables")
    options = words.parse_args()
    clean_up_when_ended()
    unknown = set(options.only.split(",")) - set(PARTS)
    if unknown:
        words.error(f"no part is called {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    columns = columns_of(options)
    lines = heading(columns)
    lines.insert(len(lines) - len(columns), "")
    for key in options.only.split(","):
        lines += table(columns, *PARTS[key], random.Random(1))
    text = "\n".join(lines) + "\n"
    print(text)
    if options.out:
        Path(options.out).write_text(text)
    for bench in columns.values():
        bench.__exit__()
    return 0


if __name__ == "__main__":
    sys.exit(main())
