# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants each fault into a copy of the sources, and asks the gate that has to see it."""

import pathlib
import re
import shutil
import tempfile
import time

import compile as compilation
from ceilings import Ceilings
from faults import CEILINGS, FAULTS, Fault
from planting import copy_of, plant

COPIED = ("src", "include", "cmake", "tests/gates/faults")


def said(compiler, target, program):
    """All that a gate says about a program."""
    steps = compiler.tool_chain.steps
    with tempfile.TemporaryDirectory() as output:
        code = pathlib.Path(output) / "code"
        source = compiler.root / f"tests/gates/faults/{program}.cpp"
        result = compiler.run(target, source, steps(target, compiler.includes(target), source, code))
        if result.refused:
            return result.refused
        result.kernels = compiler.backend.kernels(target, result.kernels, code.read_text(encoding="utf-8"))
    return "\n".join(Ceilings(CEILINGS).findings(compilation.by_name([result]), complete=False))


def try_fault(fault, root, backend, tool_chain, kokkos):
    """The fault, and what is wrong: an empty text where the gate refused it for the right reason."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        copy_of(root, folder, COPIED)
        shutil.copy(root / "CMakeLists.txt", folder)
        wrong = plant(fault.edits, folder, "tests/gates/faults.py")
        if wrong:
            return fault, wrong
        compiler = compilation.Compiler(backend, tool_chain, folder, root / "build/gates" / backend.NAME, kokkos)
        words = said(compiler, backend.TARGETS[0], fault.program)
    expected = fault.seen_by[backend.NAME]
    if expected == "":
        return fault, f"refused without a fault:\n{words}" if words else ""
    if not words:
        return fault, "NOT REFUSED"
    return fault, "" if re.search(expected, words) else f"refused, but not for /{expected}/:\n{words}"


def run(root, backend, tool_chain, kokkos):
    """Tries all faults of a gate, on its first target. The number of those that it failed on."""
    start = time.monotonic()
    sound = [Fault(f"no fault ({program})", program, (), {backend.NAME: ""}) for program in ("product", "tile")]
    faults = sound + [fault for fault in FAULTS if backend.NAME in fault.seen_by]
    failed = 0
    work = compilation.Compiler.at_a_time
    for fault, wrong in work(lambda fault: try_fault(fault, root, backend, tool_chain, kokkos), faults):
        failed += bool(wrong)
        verdict = wrong or ("refused" if fault.edits else "accepted")
        print(f"gate {backend.NAME}: self-test: {fault.name}: {verdict}", flush=True)
    print(f"gate {backend.NAME}: self-test {'FAILED' if failed else 'passed'}: {len(faults) - failed} of {len(faults)} "
          f"({time.monotonic() - start:.0f} s)", flush=True)
    return failed
