#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plants each fault of faults.py into a copy of the sources and runs the test that must fail.

    mutate.py [--quick] [--only TEXT] [--list] [--kind host] BUILD
    mutate.py [--quick] [--only TEXT] [--list] --kind device --emulator FOLDER BUILD

BUILD is a finished build of this tree: of any configuration, or, for faults of code for devices, build/emulate. Only what a fault changes is compiled again, into a program of its own: the
compile and link commands are those of BUILD. Where BUILD compiles files together, the whole unit is compiled again. A fault that its test does not see has survived: exit code 1.
"""

import argparse
import dataclasses
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.append(str(HERE.parent / "gates"))
sys.path.append(str(HERE.parent / "on_device"))

from device_faults import DEVICE_FAULTS                       # noqa: E402
from faults import FAULTS                                     # noqa: E402
from planting import copy_of, plant                           # noqa: E402
from sources import files_of_unit                             # noqa: E402

import emulated                                               # noqa: E402  (behind: it puts the folder of gates, which has a faults.py, first)

COPIED = ("src", "include")
SECONDS = 900                                                 # a test that a fault has hung is ended: it saw the fault
KINDS = ("host", "device")


class BrokenList(Exception):
    """A fault that cannot be tried: the list is to be mended."""


@dataclasses.dataclass(frozen=True)
class Result:
    is_seen: bool
    text: str


class Build:
    """The commands of a finished build; and the emulator that runs its programs, if any."""

    def __init__(self, folder, emulator=None):
        self.folder = folder
        self.emulator = emulator
        entries = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.compile = {pathlib.Path(entry["file"]).resolve(): entry for entry in entries}
        self.units = {}                                       # file -> the units that compile it
        for unit in self.compile:
            for file in files_of_unit(ROOT, unit):
                self.units.setdefault(file.resolve(), set()).add(unit)
        self.includers = self._includers()

    def _run(self, *command):
        return subprocess.run(("ninja", "-C", str(self.folder), *command), check=True, capture_output=True,
                              text=True).stdout

    def _includers(self):
        """File of the tree -> sources and units that include it."""
        sources = {str(self.output(file)): file for file in self.compile}
        includers, source = {}, None
        for line in self._run("-t", "deps").splitlines():
            if line.startswith("    "):
                if source:
                    name = (self.folder / line.strip()).resolve()
                    includers.setdefault(name, set()).add(source)
            elif line.rstrip():
                source = sources.get(line.split(":")[0])
        return includers

    def output(self, source):
        """The object of a source, as link commands name it."""
        entry = self.compile[source]
        if "output" in entry:
            return pathlib.Path(entry["output"])
        words = shlex.split(entry["command"])
        return pathlib.Path(words[words.index("-o") + 1])

    def sources_of(self, name, target):
        """The files to compile again for a target if a file changes: of its libraries, and of its own."""
        file = (ROOT / name).resolve()
        found = {file} if file in self.compile else self.units.get(file) or self.includers.get(file, set())
        words = set(self._run("-t", "commands", target).split())
        found = {source for source in found if str(self.output(source)) in words}
        if not found:
            raise BrokenList(f"no source of {target} in {self.folder} is or includes {name}: is the build complete?")
        return found

    def program_of(self, target):
        """The file that a target makes."""
        for line in self._run("-t", "commands", target).splitlines()[::-1]:
            words = shlex.split(line)
            if "-o" in words and words[words.index("-o") + 1].startswith("bin/"):
                return line, words[words.index("-o") + 1]
        raise BrokenList(f"no target {target} that is a program")

    def link(self, target, objects, to):
        """The link command of a target with other objects: instead of its own, or before the libraries that contain
        them, which then are not used for these."""
        line, program = self.program_of(target)
        words = shlex.split(line)
        words[words.index("-o") + 1] = str(to)
        added = []
        for source, made in objects.items():
            own = str(self.output(source))
            if own in words:
                words[words.index(own)] = str(made)
            else:
                added.append(str(made))
        at = words.index("-o")
        words[at:at] = added
        words = [word for word in words if word != ":"]
        return " ".join(word if word == "&&" else shlex.quote(word) for word in words).strip("& "), program


def compile_again(build, source, copy, to):
    """Compiles a source of the copy as the build compiles that of the tree."""
    command = build.compile[source]["command"]
    for name in COPIED:
        command = re.sub(re.escape(str(ROOT / name)) + r"(?=[/ \"']|$)", str(copy / name), command)
    command = command.replace(str(build.output(source)), str(to)) + " -w"      # a fault may leave a variable without a use
    return subprocess.run(command, shell=True, cwd=build.folder, capture_output=True, text=True, check=False)


def run_on_emulator(fault, build, program):
    """A run of a program on the emulator; None: it does not end."""
    argv = (str(program), *([f"--gtest_filter={fault.test}"] if fault.test else []),
            *(str(ROOT / word) if word.startswith("tests/") else word for word in fault.arguments))
    with tempfile.TemporaryDirectory(prefix="synelix-mutation-") as folder:
        try:
            place = argparse.Namespace(build=build.folder, emulator=build.emulator)
            return emulated.run(argv, "forward", place, folder, own=fault.environment, seconds=SECONDS)
        except subprocess.TimeoutExpired:
            return None


def sees_on_emulator(fault, build, program):
    """Whether the emulator reports the expected text for a fault of code for devices; or whether the program fails."""
    result = run_on_emulator(fault, build, program)
    if result is None:
        return Result(False, f"did not end in {SECONDS} s")
    said = result.faults()
    if not fault.report:
        return Result(result.code != 0, f"the program ended with code {result.code}, the emulator said: {said or 'nothing'}")
    found = [" < ".join(line.split(" < ")[:3]) for line in said if re.search(fault.report, line)]   # and few of its callers
    other = f"not {fault.report!r}, but {said[:3] or 'no fault'}; the program ended with code {result.code}"
    return Result(bool(found), found[0] if found else other)


def run_test(fault, program, build):
    """Whether the test passes, and its last words."""
    if fault.kind == "device":
        result = run_on_emulator(fault, build, program)
        if result is None:
            return False, f"did not end in {SECONDS} s"
        words = result.printed + "\n".join(result.faults())
        if fault.test and "[==========] Running 0 tests" in words:
            raise BrokenList(f"{fault.name}: no test is named {fault.test}")
        return result.code == 0 and not result.faults(), words
    environment = dict(os.environ, OMP_PROC_BIND="false", OMP_WAIT_POLICY="passive", **fault.environment)
    if fault.script:
        command = [sys.executable, "-B", str(ROOT / fault.script), *fault.arguments]
        environment["SYNELIX_TOOL"] = str(program)
    else:
        command = [str(program), *([f"--gtest_filter={fault.test}"] if fault.test else []), *fault.arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, cwd=program.parent,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False, f"did not end in {SECONDS} s"
    words = done.stdout + done.stderr
    if fault.test and "[==========] Running 0 tests" in words:
        raise BrokenList(f"{fault.name}: no test is named {fault.test}")
    return done.returncode == 0, words


def try_fault(fault, build, folder):
    """Whether its test sees a fault."""
    copy = folder / "tree"
    copy_of(ROOT, copy, COPIED)
    wrong = plant(fault.edits, copy, "tests/mutation/faults.py")
    if wrong:
        raise BrokenList(wrong)
    sources = set().union(*(build.sources_of(name, fault.target) for name in fault.sources or {edit[0] for edit in fault.edits}))
    objects = {}
    for number, source in enumerate(sorted(sources)):
        objects[source] = folder / f"{number}.o"
        done = compile_again(build, source, copy, objects[source])
        if done.returncode:
            raise BrokenList(f"{fault.name}: does not compile:\n{done.stderr[-3000:]}")
    program = folder / fault.target
    command, _ = build.link(fault.target, objects, program)
    done = subprocess.run(command, shell=True, cwd=build.folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BrokenList(f"{fault.name}: does not link:\n{done.stderr[-3000:]}")
    if fault.kind == "device":
        return sees_on_emulator(fault, build, program)
    passes, words = run_test(fault, program, build)
    return Result(not passes, words)


def check_sound(fault, build, sound):
    """Refuses a fault whose test fails without it, or does not run."""
    key = (fault.target, fault.test, fault.script, fault.arguments, tuple(fault.environment.items()))
    if key in sound:
        return
    _, program = build.program_of(fault.target)
    passes, words = run_test(fault, build.folder / program, build)
    if not passes:
        raise BrokenList(f"{fault.name}: its test fails without any fault:\n{words[-3000:]}")
    sound.add(key)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, nargs="?")
    parser.add_argument("--quick", action="store_true", help="only those that CI runs: one file to compile each")
    parser.add_argument("--only", default="", help="only faults whose name or files have this text")
    parser.add_argument("--kind", choices=KINDS, help="only faults of code for the host, or of code for devices on the emulator")
    parser.add_argument("--list", action="store_true", help="names the faults and their tests, and tries none")
    parser.add_argument("--targets", choices=KINDS, help="names the targets that a BUILD for faults of this kind has to hold")
    parser.add_argument("--emulator", type=pathlib.Path, help="folder of its libraries, for faults of the kind device")
    options = parser.parse_args()
    chosen = [fault for fault in (*FAULTS, *DEVICE_FAULTS)
              if (fault.is_quick or not options.quick) and options.kind in (None, fault.kind)
              and any(options.only in text for text in (fault.name, *(edit[0] for edit in fault.edits)))]
    if options.targets:
        print(" ".join(sorted({fault.target for fault in chosen if fault.kind == options.targets})))
        return 0
    if options.list:
        for fault in chosen:
            marks = [*(["quick"] if fault.is_quick else []), *([fault.kind] if fault.kind != "host" else [])]
            test = " ".join((fault.script or fault.target, fault.test, *([f"({', '.join(marks)})"] if marks else [])))
            print(f"{fault.name}: {test}")
        return 0
    if not chosen:
        parser.error(f"no fault has {options.only!r} in its name or files (see --list)")
    if options.build is None or options.kind is None:
        parser.error("which build, and which kind of faults?")
    if options.kind == "device" and options.emulator is None:
        parser.error("faults of the kind device need --emulator")
    build, sound, survived, broken = Build(options.build.resolve(), options.emulator), set(), 0, 0
    for fault in chosen:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="synelix-mutation-") as folder:
            try:
                check_sound(fault, build, sound)
                result = try_fault(fault, build, pathlib.Path(folder))
                verdict = "seen" if result.is_seen else "SURVIVED"
                if fault.kind == "device":
                    verdict += f": {result.text}"
                survived += not result.is_seen
            except BrokenList as error:
                verdict, broken = f"NOT TRIED: {error}", broken + 1
        print(f"mutate: {fault.name}: {verdict} ({time.monotonic() - begun:.0f} s)", flush=True)
    print(f"mutate: {len(chosen) - survived - broken} of {len(chosen)} seen, {survived} survived, {broken} not tried")
    return 1 if survived or broken else 0


if __name__ == "__main__":
    sys.exit(main())
