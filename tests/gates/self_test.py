# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants each fault into a copy of a kernel, and asks the gate that has to see it. Most of what a compile takes is to read
Kokkos, so all copies are compiled at once. Each lies in a namespace of its own, and the words of the compiler name it."""

import pathlib
import re
import shutil
import tempfile
import time

import compile as compilation
from ceilings import Ceilings
from faults import CEILINGS, FAULTS, FUNCTORS, Fault
from planting import plant

NEXT = re.compile(r"^(?=.*\b(?:error|warning|remark)\b)", re.M)     # of a compiler's messages


class Copy:
    """A fault in its copy of the kernel, and the report of the gate on it."""

    def __init__(self, fault, number, root, folder):
        self.fault, self.words = fault, ""
        self.space = f"Fault{number}_"      # which no other begins with, in a symbol either
        self.folder = folder / self.space
        for name in {fault.kernel, *(name for name, _, _ in fault.edits)}:
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(root / name, self.folder / name)
        self.misplaced = plant(fault.edits, self.folder, "tests/gates/faults.py")
        file = self.folder / fault.kernel
        file.write_text(re.sub(r"^(namespace synelix::\w+)(?= \{$)", rf"\1::{self.space}", file.read_text(encoding="utf-8"),
                               flags=re.M), encoding="utf-8")

    @property
    def is_apart(self):
        """Whether an edit is of a header that other kernels include, too."""
        return any(name != self.fault.kernel for name, _, _ in self.fault.edits)

    def wrong(self, gate):
        """An empty text if the gate rejected it for the right reason."""
        expected = self.fault.seen_by[gate]
        if self.misplaced:
            return self.misplaced
        if expected == "":
            return f"refused without a fault:\n{self.words}" if self.words else ""
        if not self.words:
            return "NOT REFUSED"
        return "" if re.search(expected, self.words) else f"refused, but not for /{expected}/:\n{self.words}"


def program(copies):
    """The program that launches the kernels of all copies."""
    functors = [FUNCTORS[copy.fault.kernel].format(copy.space) for copy in copies]
    return ("#include \"launch/launch.hpp\"\n" + "".join(f'#include "{copy.folder / copy.fault.kernel}"\n' for copy in copies)
            + "\ntemplate <class Sweep>\nvoid start(const Sweep& sweep) {\n"
              '  synelix::sweep::launch("fault", Kokkos::DefaultExecutionSpace(), 1, 128, sweep);\n}\n\n'
            + "".join(f"template void start(const {functor}&);\n" for functor in functors))


def tell(copies, texts):
    """Gives each copy those of the texts that name it. The copies that none names."""
    for copy in copies:
        copy.words = "\n".join(text for text in texts if copy.space in text)
    return [copy for copy in copies if not copy.words]


def compile_together(compiler, copies, folder):
    """Stores in each copy the report of the gate on it. An error keeps a compiler from its later steps, so the rejected
    copies are removed and the others compiled again, until the rest compiles."""
    target = compiler.backend.TARGETS[0]
    source, code = folder / "program.cpp", folder / "code"
    places = [f"-I{copy.folder / 'src'}" for copy in copies if copy.is_apart] + compiler.includes(target)
    while copies:
        source.write_text(program(copies), encoding="utf-8")
        result = compiler.run(target, source.name, compiler.tool_chain.steps(target, places, source, code), kept=str)
        if not result.refused:
            result.kernels = compiler.backend.kernels(target, result.kernels, code.read_text(encoding="utf-8"))
            tell(copies, Ceilings(CEILINGS).findings(compilation.by_name([result]), complete=False))
            return
        left = tell(copies, [text for text in NEXT.split(result.refused) if re.match(r".*\berror\b", text)])
        if len(left) == len(copies):
            for copy in copies:
                copy.words = result.refused
            return
        copies = left


def run(root, backend, tool_chain, kokkos):
    """Tries all faults of a gate, on its first target. The number of those that it failed on."""
    start = time.monotonic()
    compiler = compilation.Compiler(backend, tool_chain, root, root / "build/gates" / backend.NAME, kokkos)
    faults = [Fault(f"no fault ({pathlib.Path(kernel).stem})", kernel, (), {backend.NAME: ""}) for kernel in FUNCTORS]
    faults += [fault for fault in FAULTS if backend.NAME in fault.seen_by]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        copies = [Copy(fault, number, root, folder) for number, fault in enumerate(faults)]
        planted = [copy for copy in copies if not copy.misplaced]
        groups = [[copy for copy in planted if not copy.is_apart], *([copy] for copy in planted if copy.is_apart)]
        for number, group in enumerate(groups):
            (folder / f"program{number}").mkdir()
        list(compiler.at_a_time(lambda number: compile_together(compiler, groups[number], folder / f"program{number}"),
                                range(len(groups))))
    failed = 0
    for copy in copies:
        wrong = copy.wrong(backend.NAME)
        failed += bool(wrong)
        verdict = wrong or ("refused" if copy.fault.edits else "accepted")
        print(f"gate {backend.NAME}: self-test: {copy.fault.name}: {verdict}", flush=True)
    print(f"gate {backend.NAME}: self-test {'FAILED' if failed else 'passed'}: {len(faults) - failed} of {len(faults)} "
          f"({time.monotonic() - start:.0f} s)", flush=True)
    return failed
