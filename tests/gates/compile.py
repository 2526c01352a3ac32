# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles units of files for a target of a device, several at a time, and caches the results of unchanged ones."""

import concurrent.futures
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

import kokkos_configuration
import sources
from kernel import Kernel, named

MOST_SECONDS = 400      # of a processor, for one step of one unit: the largest takes 50 on a quiet core, 100 on a busy one
MOST_LINES = 40         # of a compiler's messages on one unit
GATES = pathlib.Path(__file__).parent


@dataclasses.dataclass
class Result:
    """The result of one unit on one target."""

    source: str     # its files
    target: str
    seconds: float  # of a processor, so that other load of the machine does not count
    kernels: list
    refused: str = ""   # the compiler's message, if it rejected the unit


def write_version_header(root, folder):
    """version.hpp, which CMake makes otherwise."""
    version = re.search(r"project\(Synelix VERSION (\d+)\.(\d+)\.(\d+)", (root / "CMakeLists.txt").read_text(encoding="utf-8"))
    text = (root / "cmake/version.hpp.in").read_text(encoding="utf-8")
    for name, value in zip(("MAJOR", "MINOR", "PATCH"), version.groups()):
        text = text.replace(f"@PROJECT_VERSION_{name}@", value)
    text = text.replace("@PROJECT_VERSION@", ".".join(version.groups()))
    file = folder / "synelix/version.hpp"
    file.parent.mkdir(parents=True, exist_ok=True)
    text = re.sub(r"@\w+@", "", text)
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def folders_of_mpi():
    """The include folders of the MPI at hand, by its compiler wrapper, as CMake finds them. None without an MPI."""
    if not shutil.which("mpicxx"):
        return []
    shown = subprocess.run(["mpicxx", "-show"], capture_output=True, text=True, check=True).stdout
    return [word for word in shlex.split(shown) if word.startswith("-I")]


def errors(printed):
    """The errors in a compiler's output, with the lines around them."""
    lines = printed.splitlines()
    chosen = []
    for number, line in enumerate(lines):
        if re.search(r"\berror\b|: fatal|\bError\b", line):
            chosen += lines[number:number + 4]
    return "\n".join((list(dict.fromkeys(chosen)) or lines)[:MOST_LINES])


class Compiler:
    """A backend's tool chain, with a tree of sources and the headers made for it in `folder`."""

    def __init__(self, backend, tool_chain, root, folder, kokkos):
        self.backend, self.tool_chain, self.root, self.folder, self.kokkos = backend, tool_chain, root, folder, kokkos
        self.reached = sources.Includes(root)
        self.mpi = folders_of_mpi()
        write_version_header(root, folder / "include")
        for target in backend.TARGETS:
            kokkos_configuration.write(kokkos, folder / target, backend.BACKEND, target)

    def includes(self, target):
        places = [self.folder / target, self.kokkos, self.kokkos / "mdspan", self.root / "include", self.root / "src",
                  self.folder / "include"]
        return [f"-I{place}" for place in places] + self.mpi

    def key(self, target, unit):
        """Changes with everything that affects a compiler's messages: the files, their includes, compiler, Kokkos, this
        gate."""
        digest = hashlib.sha256()
        say = [unit.name, self.tool_chain.description, kokkos_configuration.version_of(self.kokkos), str(self.root),
               *self.tool_chain.flags(target), *self.mpi]
        digest.update("\n".join(say).encode())
        files = [*unit.files, *sorted(set().union(*(self.reached.reached_from(file)[1] for file in unit.files)))]
        files += [GATES / name for name in ("compile.py", "kernel.py", "units.py", f"{self.backend.NAME}.py")]
        files += [file for file in sorted((self.folder / target).rglob("*.h*")) if file.is_file()]
        for file in files:
            digest.update(file.read_bytes())
        return digest.hexdigest()

    def kept(self, target, unit):
        return self.folder / "results" / target / f"{unit.file_name}.json"

    def resources(self, target, unit):
        """Compiles a unit for its kernels, or finds the earlier result."""
        file, key = self.kept(target, unit), self.key(target, unit)
        if file.exists():
            text = json.loads(file.read_text(encoding="utf-8"))
            if text["key"] == key:
                return Result(text["source"], target, text["seconds"], [(s, Kernel(**k)) for s, k in text["kernels"]])
        with tempfile.TemporaryDirectory() as folder:
            code, source = pathlib.Path(folder) / "code", unit.source(pathlib.Path(folder))
            result = self.run(target, unit.name, self.tool_chain.steps(target, self.includes(target), source, code))
            if not result.refused:
                result.kernels = self.backend.kernels(target, result.kernels, code.read_text(encoding="utf-8"))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(json.dumps({"key": key, "source": result.source, "seconds": result.seconds, "kernels": [
                    (symbol, dataclasses.asdict(kernel)) for symbol, kernel in result.kernels]}), encoding="utf-8")
        return result

    @staticmethod
    def run(target, name, steps, kept=errors):
        """Runs the steps. What they printed is the result's `kernels`, to be read by the backend; of a refused unit's, what
        `kept` leaves."""
        seconds, printed = 0.0, ""
        for command in steps:
            step = run_step(command)
            seconds += step.seconds
            printed += step.printed
            if step.code != 0:
                if step.seconds >= MOST_SECONDS:
                    printed = f"error: not done after {MOST_SECONDS} s: too much code for one unit"
                return Result(name, target, seconds, [], kept(printed))
        return Result(name, target, seconds, printed)

    def all(self, work, units):
        """work(target, unit) for every target and unit, in their order. What has no kernel of ours on the first target
        has none on the others, and is left out there."""
        first, *others = self.backend.TARGETS
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            begun, later = [pool.submit(work, first, unit) for unit in units], []
            for unit, job in zip(units, begun):
                result = job.result()
                yield result
                if result.refused or by_name([result]):
                    later += [pool.submit(work, target, unit) for target in others]
            for job in later:
                yield job.result()

    @staticmethod
    def at_a_time(work, jobs):
        """Results in the order of the jobs; as many run at once as there are cores."""
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            yield from pool.map(work, jobs)


@dataclasses.dataclass
class Step:
    """The result of one command."""

    code: int
    printed: str
    seconds: float  # of a processor, with those of all programs that it started


def run_step(command, most=MOST_SECONDS):
    """Runs a command, each of whose programs may take `most` seconds of a processor."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as words:
        process = subprocess.Popen(["prlimit", f"--cpu={most}", *command], stdout=words, stderr=words, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        words.seek(0)
        return Step(process.returncode, words.read(), usage.ru_utime + usage.ru_stime)


def by_name(results):
    """All kernels of the results: one for each name and target, sorted."""
    kernels = {}
    for result in results:
        named(result.kernels, kernels)
    return sorted(kernels.values(), key=lambda kernel: (kernel.target, kernel.name))
