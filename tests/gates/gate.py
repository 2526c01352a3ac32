#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the kernels for devices that need not be here, and holds each to its ceiling.

    ./dev gate [cuda|hip] [--only PATTERN] [--report FILE] [--all] [--self-test]

Each file of src/ with kernels is compiled for CUDA and for HIP, light files of a folder together, with configuration
headers made for that backend. What the compiler refuses fails, and so does a kernel that needs more registers, spills or
stack than tests/gates/ceilings.json allows. Where a tool chain is not at hand its gate is skipped, with the reason.
"""

import argparse
import fnmatch
import pathlib
import sys
import time

import ceilings
import compile as compilation
import cuda
import hip
import kokkos_configuration
import report
import self_test
import sources
import units
import whole_build

ROOT = pathlib.Path(__file__).resolve().parents[2]
KOKKOS = pathlib.Path("/usr/include/kokkos")  # of the tool chain; elsewhere KOKKOS_INCLUDE in the environment
GATES = {"cuda": cuda, "hip": hip}


def say(text):
    print(text, flush=True)


def run_gate(backend, tool_chain, arguments):
    """Compiles, compares, and prints the faults. Returns the gate for a report, and the number of findings."""
    start = time.monotonic()
    compiler = compilation.Compiler(backend, tool_chain, ROOT, ROOT / "build/gates" / backend.NAME, arguments.kokkos)
    files = [file for file in sources.with_kernels(ROOT) if fnmatch.fnmatch(file.name, arguments.only)]
    if not files:
        raise SystemExit(f"--only {arguments.only}: no file with kernels has such a name, as sum_launches.cpp has")
    results = []
    for result in compiler.all(compiler.resources, units.of_files(compiler.reached, files)):
        results.append(result)
        say(f"gate {backend.NAME}: {result.source} {result.target}: "
            f"{'REFUSED' if result.refused else 'compiles'} ({result.seconds:.1f} s of a processor)")
        if result.refused:
            say(result.refused)
    kernels = compilation.by_name(result for result in results if not result.refused)
    refused = sum(1 for result in results if result.refused)
    found = ceilings.table().findings(kernels, complete=arguments.only == "*" and not refused)
    for finding in found:
        say(f"gate {backend.NAME}: {finding}")
    count = refused + len(found)
    say(f"gate {backend.NAME}: {'passed' if not count else 'FAILED'}: {len(kernels)} kernels of {len(files)} files, "
        f"{refused} refused, {len(found)} findings ({time.monotonic() - start:.0f} s)")
    context = f"{tool_chain.description}, Kokkos {kokkos_configuration.version_of(arguments.kokkos)}"
    return {"name": backend.NAME, "context": context, "kernels": kernels, "results": results}, count


def parse():
    parser = argparse.ArgumentParser(prog="./dev gate", description=__doc__.splitlines()[0])
    parser.add_argument("gate", nargs="?", choices=sorted(GATES), help="this one alone")
    parser.add_argument("--only", default="*", metavar="PATTERN", help="files of such names alone, as 'prepared_*'")
    parser.add_argument("--report", type=pathlib.Path, metavar="FILE", help="the table of kernels, .md or .json")
    parser.add_argument("--all", action="store_true", help="library, tests and performance suite, host and device")
    parser.add_argument("--self-test", action="store_true", help="planted faults must be refused")
    parser.add_argument("--kokkos", type=pathlib.Path, default=KOKKOS, metavar="FOLDER", help="of Kokkos_Core.hpp")
    return parser.parse_args()


def main():
    arguments = parse()
    reports, failed = [], False
    for name in [arguments.gate] if arguments.gate else GATES:
        backend = GATES[name]
        try:
            tool_chain = backend.ToolChain()
            if not (arguments.kokkos / "Kokkos_Core.hpp").exists():
                raise cuda.Absent(f"no Kokkos at {arguments.kokkos}; --kokkos names the folder of its headers")
        except cuda.Absent as absent:
            say(f"gate {name}: skipped: {absent}")
            continue
        try:
            if arguments.self_test:
                failed |= self_test.run(ROOT, backend, tool_chain, arguments.kokkos) > 0
            elif arguments.all:
                failed |= whole_build.run(ROOT, backend, tool_chain, arguments) > 0
            else:
                gate, findings = run_gate(backend, tool_chain, arguments)
                reports.append(gate)
                failed |= findings > 0
        except kokkos_configuration.NotAsExpected as wrong:
            say(f"gate {name}: FAILED: {wrong}")
            failed = True
    if arguments.report and reports:
        report.write(arguments.report, reports)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
