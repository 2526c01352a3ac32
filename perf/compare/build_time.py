#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a build costs, beside the build of another revision.

    ./dev perf --build [--against REV] [--only PART,...] [--rounds N] [--out FILE.json]

Copies of this tree (with its changes, as far as git tracks them) and of REV lie in build/build_time. They are built in turn,
each time from nothing and with an empty compiler cache. Processor seconds are those of all processes below a command, as the
operating system counts them; a part's number is the median of its rounds. Parts:

    try      the program that ./dev try runs
    all      everything of one configuration, tests and measurements too: includes try
    test     ./dev test: both configurations and Python. Goes on where all ended, whose time it includes. Only where --only
             names it: it takes an hour
    python   pip install ./python, on a machine with Kokkos
    header   a file with <synelix/convolve.hpp>, over the same file with Kokkos alone
    change   one changed line in a tile, and in a file of src/tool: until its test has run
    kokkos   how many files of src reach Kokkos_Core.hpp, by their includes

Each build takes minutes, so nothing else should run on the machine.
"""
import argparse
import functools
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

from context import TREE, processor, save

PARTS = ("kokkos", "try", "all", "header", "change", "python", "test")
PLACE = TREE / "build" / "build_time"
BEFORE = {"all": "try", "test": "all"}       # the part that a part continues from, if that is measured, too
NAMES = {"try": "try", "all": "all", "test": "./dev test"}      # in the names of their numbers
KOKKOS = "Kokkos_Core.hpp"
# File that changes -> the CTest name that shows that it works.
CHANGES = {"tile": ("src/tile/direct.hpp", "tile"), "tool": ("src/tool/main.cpp", "cli_errors")}


class Failed(RuntimeError):
    """A command that ended with another status than expected."""


class Copy:
    """A revision of the tree in a separate folder, with a separate compiler cache."""

    def __init__(self, name, revision):
        self.name, self.revision, self.tree = name, revision, PLACE / name
        self.log = PLACE / f"{name}.log"
        if not self.tree.exists():
            git("clone", "-q", "--shared", "--no-checkout", TREE, self.tree)
        git("fetch", "-q", TREE, revision, folder=self.tree, check=False)     # a commit of `git stash create` has no branch
        git("checkout", "-q", "--force", "--detach", revision, folder=self.tree)
        self.forget()

    def forget(self):
        """Removes all build results, as on a machine that never built this."""
        shutil.rmtree(self.tree / "build", ignore_errors=True)
        shutil.rmtree(PLACE / f"{self.name}.ccache", ignore_errors=True)

    def run(self, *command, folder=None, cache="ccache"):
        """(processor seconds, seconds) of a command and of all processes that it starts."""
        environment = {**os.environ, "CCACHE_DIR": str(PLACE / f"{self.name}.{cache}"), "CCACHE_BASEDIR": str(self.tree)}
        if "CCACHE_DEPEND" not in (self.tree / "scripts/devroot").read_text(encoding="utf-8"):
            environment.pop("CCACHE_DEPEND", None)               # an older revision's tool chain does not set it
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        with open(self.log, "a", encoding="utf-8") as log:
            print("$", *command, file=log, flush=True)
            code = subprocess.run([str(word) for word in command], cwd=folder or self.tree, env=environment, stdout=log,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL).returncode
        seconds, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if code != 0:
            raise Failed(f"{' '.join(map(str, command))} ended with {code} in {self.tree}. Read {self.log}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, seconds

    def build(self, *targets):
        return self.run("./dev", "--config", "openmp", "build", *targets)

    def configure(self):
        self.build("build.ninja")

    def ctest(self, name):
        """The command of a test of CTest, and its environment."""
        said = subprocess.run(["ctest", "--test-dir", self.tree / "build/openmp", "--show-only=json-v1", "-R", f"^{name}$"],
                              capture_output=True, text=True, check=True).stdout
        return json.loads(said)["tests"][0]


def git(*words, folder=TREE, check=True):
    return subprocess.run(["git", "-C", str(folder), *map(str, words)], capture_output=True, text=True, check=check).stdout.strip()


# ---------------------------------------------------------------- parts: each returns {name: value} of one round
def measure_kokkos(copy):
    root = copy.tree
    include = re.compile(r'^\s*#\s*include\s+[<"]([^">]+)', re.M)

    @functools.cache
    def included(path):
        return include.findall(path.read_text(encoding="utf-8"))

    def reaches(start):
        seen, waiting = set(), [start]
        while waiting:
            path = waiting.pop()
            for name in included(path):
                if name == KOKKOS:
                    return True
                found = next((place / name for place in (path.parent, root / "include", root / "src") if (place / name).exists()), None)
                if found and found not in seen:
                    seen.add(found)
                    waiting.append(found)
        return False

    files = sorted((root / "src").rglob("*.cpp"))
    return {"files of src that reach Kokkos": sum(map(reaches, files)), "files of src": len(files)}


def measure_try(copy):
    copy.forget()
    copy.configure()
    used, seconds = copy.build("bin/synelix")
    return {"try, processor seconds": used, "try, seconds": seconds}


def measure_all(copy):
    """The results of try are already built; the caller adds its seconds."""
    used, seconds = copy.build()
    return {"all, processor seconds": used, "all, seconds": seconds}


def measure_python(copy):
    environment = PLACE / "python"
    python = environment / "bin/python"
    if not python.exists():
        copy.run("python3", "-m", "venv", environment)
        copy.run(python, "-m", "pip", "install", "-q", "--constraint", TREE / "python/tests/requirements.txt", "nanobind",
                 "scikit-build-core", "numpy", "scikit-learn")
    shutil.rmtree(PLACE / f"{copy.name}.python_ccache", ignore_errors=True)
    used, seconds = copy.run("env", f"PATH={environment}/bin:{os.environ['PATH']}", python, "-m", "pip", "install", "-q",
                             "--no-build-isolation", "--no-deps", "--force-reinstall", "./python", cache="python_ccache")
    return {"python, processor seconds": used, "python, seconds": seconds}


def measure_header(copy):
    """Both files in turn, five times, because a file takes about a second."""
    lines = json.loads((copy.tree / "build/openmp/compile_commands.json").read_text(encoding="utf-8"))
    words = next(line["command"] for line in lines if "/examples/" in line["file"]).split()     # a user's file
    flags = [word for i, word in enumerate(words) if re.match(r"-(I|isystem$|std=|O|f|D)", word) or words[i - 1] == "-isystem"]
    times = {}
    for _ in range(5):
        for name, line in (("Kokkos alone", f"#include <{KOKKOS}>\n"), ("with convolve.hpp", "#include <synelix/convolve.hpp>\n")):
            source = PLACE / "header.cpp"
            source.write_text(f"{line}#include <{KOKKOS}>\nint main() {{}}\n", encoding="utf-8")
            times.setdefault(name, []).append(copy.run("c++", *flags, "-c", source, "-o", "/dev/null", folder=copy.tree / "build/openmp")[0])
    ratios = [ours / alone for ours, alone in zip(times["with convolve.hpp"], times["Kokkos alone"])]
    return {"convolve.hpp over Kokkos": statistics.median(ratios)}


def measure_change(copy):
    result = {}
    for name, (file, test) in CHANGES.items():
        path = copy.tree / file
        text, times = path.read_text(encoding="utf-8"), path.stat()
        found = copy.ctest(test)
        programs = [Path(word).name for word in found["command"] if word.startswith(str(copy.tree / "build/openmp/bin"))]
        programs += [] if programs else ["synelix"]                # a script that runs the program
        copy.build(f"bin/{programs[0]}")
        path.write_text(text + f"static_assert(sizeof(char) == 1, \"{time.time_ns()}\");\n", encoding="utf-8")
        try:
            built = copy.build(f"bin/{programs[0]}")
            tested = copy.run("ctest", "--test-dir", "build/openmp", "-R", f"^{test}$")
        finally:  # with its old time, so that targets built from it need not be built again
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        result[f"one line of {file}, until {test} has run: seconds"] = built[1] + tested[1]
    return result


def measure_test(copy):
    """The results of all are already built; the caller adds its seconds."""
    used, seconds = copy.run("./dev", "test")
    return {"./dev test, processor seconds": used, "./dev test, seconds": seconds}


def measure(copy, parts, result, keep):
    """Fills result, and stores it after each part, since a part takes minutes."""
    for part in parts:
        print(f"{copy.name}: {part}", file=sys.stderr, flush=True)
        before = BEFORE.get(part)
        if before and before not in parts:
            copy.forget()
            copy.configure()
        found = globals()[f"measure_{part}"](copy)
        if before in parts:
            found = {name: value + result[name.replace(NAMES[part], NAMES[before], 1)] for name, value in found.items()}
        result.update(found)
        keep()


def table(rounds, names):
    """Lines of Markdown: the median of each number, and its ratio to the other revision's."""
    lines = [f"| what | {' | '.join(names)} |{' ratio |' if len(names) > 1 else ''}", "|---|" + "---|" * (len(names) + (len(names) > 1))]
    for row in rounds[0][names[-1]]:
        values = [statistics.median(one[name][row] for one in rounds) for name in names]
        texts = [f"{value:.2f}" if value < 10 else f"{value:.0f}" for value in values]
        if len(names) > 1:
            texts.append(f"{values[1] / values[0]:.2f}" if values[0] else "")
        lines.append(f"| {row} | {' | '.join(texts)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--against", metavar="REV", help="a revision of this repository that is built in turn with this tree")
    parser.add_argument("--only", metavar="PART,...", help=f"out of {', '.join(PARTS)}; without it, each but test")
    parser.add_argument("--rounds", type=int, default=2, help="how often each is built (2)")
    parser.add_argument("--out", metavar="FILE.json", help="keeps all numbers of all rounds")
    options = parser.parse_args()
    parts = options.only.split(",") if options.only else [part for part in PARTS if part != "test"]
    unknown = sorted(set(parts) - set(PARTS))
    if unknown:
        parser.error(f"--only names '{unknown[0]}'; there are: {', '.join(PARTS)}")
    if {"header", "change"} & set(parts) and "all" not in parts:
        parser.error("header and change need what all builds: name all too")
    if options.rounds < 1:
        parser.error(f"--rounds is {options.rounds}; it must be at least 1")
    try:
        return run(options, sorted(parts, key=PARTS.index))
    except Failed as failure:
        print(f"build_time: {failure}", file=sys.stderr)
        return 1


def run(options, parts):
    PLACE.mkdir(parents=True, exist_ok=True)
    copies = []
    if options.against:
        revision = git("rev-parse", "--verify", "-q", f"{options.against}^{{commit}}", check=False)
        if not revision:
            raise Failed(f"--against is '{options.against}', which git does not know here. Name a commit, a branch or a tag")
        copies.append(Copy("against", revision))
    copies.append(Copy("this_tree", git("stash", "create") or git("rev-parse", "HEAD")))
    rounds = []

    def keep():
        if options.out:
            save({"date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "processor": processor(), "load": os.getloadavg(),
                  "processors": len(os.sched_getaffinity(0)), "revisions": {copy.name: copy.revision for copy in copies},
                  "rounds": rounds}, options.out)

    for _ in range(options.rounds):
        rounds.append({copy.name: {} for copy in copies})
        for copy in copies:
            measure(copy, parts, rounds[-1][copy.name], keep)
    print(table(rounds, [copy.name for copy in copies]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
