#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the folders of src/ and their arrows (CONTRIBUTING.md), and the habits that a program can check.

    layering.py ROOT     prints FILE:LINE: RULE: what is wrong; exit code 1 where anything is
"""

import functools
import pathlib
import re
import sys

import kokkos_reach
import unit_names

# The ground, and the folders that every operation needs to run.
GROUND = {"machine", "types", "times", "index", "bases", "tune", "lanes", "pack", "tile", "spectral"}
BELOW = GROUND | {"launch"}
# Folder of src/ -> folders that it may include, beside itself. The wings convolve, operators and
# products never include each other: common parts are moved down.
ARROWS = {
    "machine": set(),
    "types": {"machine"},
    "times": {"types"},
    "index": set(),
    "tune": set(),
    "lanes": set(),
    "bases": {"index", "types"},  # the names of values
    "pack": {"lanes", "index"},
    "spectral": {"lanes", "index"},
    "tile": {"lanes", "index", "tune"},  # a table of tiles is filled by the sizes in tune
    "launch": GROUND,
    "blocks": {"tune", "index", "machine", "types"},
    "convolve": BELOW | {"blocks"},
    "operators": BELOW,
    "products": BELOW,
    "design": BELOW | {"convolve"},
    "glm": BELOW,
    "streams": {"blocks", "glm", "launch", "tune", "index", "machine", "types", "times"},
    "part_files": {"streams", "types"},
    "hdf5": {"part_files", "streams", "index", "machine", "types", "times"},
    "mpi": {"glm", "launch", "streams", "index", "machine", "types"},
    "nwb": {"hdf5", "streams", "machine", "types", "times"},
    "tool": set(),
}
# Folders inside a wing that may include less. A choice is made without running: it includes neither plans nor sweeps. What
# it shares with them, the problem and how memory lies, stands below both.
NARROWER = {"convolve/choice": {"convolve/choice", "tune", "index", "spectral", "machine", "types"}}
for wing in ("operators", "products"):
    NARROWER[f"{wing}/problem"] = GROUND | {f"{wing}/problem"}
    NARROWER[f"{wing}/choice"] = GROUND | {f"{wing}/choice", f"{wing}/problem"}
    NARROWER[f"{wing}/sweep"] = BELOW | {f"{wing}/sweep", f"{wing}/problem"}
# Rooms of models: walks over rows know no solver, and solvers know no walk. `fit` joins them.
GLM_ROOMS = {
    "algebra": (), "random": (), "rows": ("random",), "penalty": (), "sweep": ("rows",), "pass": ("rows", "sweep"),
    "solvers": ("algebra", "penalty"), "design": ("pass", "rows"),
    "fit": ("algebra", "pass", "penalty", "rows", "solvers", "sweep"),
    "score": ("design", "pass", "random", "rows", "sweep"),
    "path": ("algebra", "fit", "pass", "penalty", "rows", "score", "solvers", "sweep"),
}
for room, below in GLM_ROOMS.items():
    NARROWER[f"glm/{room}"] = BELOW | {f"glm/{other}" for other in (room, *below)}
PLAIN = {"error", "alignment", "strided", "scaled", "seam/strided", "series", "filter_bank", "choice", "linear_algebra", "time_bins"}
# Public headers beyond those of PLAIN: "all", or those that the folder's purpose names.
PUBLIC = {
    "machine": {"devices", "kokkos_settings", "machine_file", "session", "version"},
    "types": {"session"},
    "bases": {"basis", "eval_basis"},
    "launch": {"features", "matmul", "seam/place", "session"},  # spellings of an operand
    "convolve": {"basis", "calibrate", "convolve", "convolve_stream", "seam/convolve", "seam/place", "seam/trials", "session", "trials", "version"},
    "operators": {"conv", "matmul", "session"},
    "products": {"bilinear_forms", "matmul", "session"},
    "design": {"basis", "convolve", "eval_basis", "expression", "features", "session", "trials"},
    "glm": {"design_matrix", "expression", "features", "glm", "glm_path", "glm_score", "loss", "penalty", "seam/design_matrix", "session"},
    "tile": {"loss"},
    "streams": "all",
    "part_files": "all",
    "hdf5": "all",
    "nwb": "all",
    "mpi": "all",
    "tool": "all",
}
# Where loops run in parallel: functors, and the functions that they call.
KERNEL_FOLDERS = r"(?:convolve/(?:direct|events|fft|sweep)|(?:design|glm|operators|products)/sweep)"
# The arguments of sweeps, without memory or loops.
PROBLEM_FOLDERS = r"(?:operators|products)/problem"
# Angle includes of folders whose code runs in parallel or is compiled once per instruction set.
PLAIN_HEADERS = {"cstddef", "cstdint"}
REGISTER_HEADERS = {"immintrin.h", "arm_neon.h", "arm_sve.h"}   # of compilers, for vectors
ALLOWED_SYSTEM = [
    (re.compile(r"src/index/"), PLAIN_HEADERS | {"Kokkos_Macros.hpp"}),
    (re.compile(r"src/tune/"), PLAIN_HEADERS),
    (re.compile(r"src/lanes/"), PLAIN_HEADERS | REGISTER_HEADERS),
    (re.compile(rf"src/{PROBLEM_FOLDERS}/"), PLAIN_HEADERS),
    (re.compile(rf"src/(?:{KERNEL_FOLDERS}/|launch/(?:team|launch)\.hpp)"), PLAIN_HEADERS | {"Kokkos_Core.hpp", "string"}),  # a label
]
INSTRUCTION_SET_FILE = re.compile(r"src/(?:tile|spectral)/\w+\.cpp\.in$")
INSTRUCTION_SET_SYSTEM = PLAIN_HEADERS | REGISTER_HEADERS | {"synelix/loss.hpp"}  # which has enumerations
# Headers of other projects -> where they may be included.
OWNED_HEADERS = [
    (re.compile(r"hdf5\.h|H5\w+\.h"), ("src/hdf5/", "src/nwb/", "tests/", "perf/", "examples/")),
    (re.compile(r"mpi\.h"), ("include/synelix/types/mpi.hpp", "src/mpi/", "tests/mpi/", "tests/install/", "perf/", "examples/")),
    (re.compile(r"CLI/.*"), ("src/tool/options/read_words.cpp", "tests/", "perf/")),
    (re.compile(r"toml\+\+/.*"), ("src/tool/design/toml_tree.cpp", "tests/", "perf/")),
    (re.compile(r"nlohmann/.*"), ("src/machine/machine_file.cpp", "src/tool/", "tests/", "perf/")),
]
BACKEND_CONDITION = re.compile(
    r"^\s*#\s*(?:el)?if.*\b(KOKKOS_ENABLE_(CUDA|HIP|SYCL|OPENMP|SERIAL|THREADS)|__CUDA\w*|__HIP\w*|"
    r"__AVX\w*|__FMA__|__ARM\w*|_OPENMP|SYNELIX_BUILT_SETS|__x86_64__)\b")
BACKEND_PLACES = ("src/tune/", "src/lanes/", "src/machine/spaces.hpp", "src/machine/devices.cpp",
                  "src/machine/device_memory.cpp", "src/machine/session.cpp", "src/tile/select.cpp",
                  "include/synelix/seam/spaces.hpp")
PARALLEL = re.compile(r"\bKokkos::parallel_(for|reduce|scan)\b")
PARALLEL_PLACES = re.compile(rf"src/(?:launch|{KERNEL_FOLDERS})/")
# Headers whose functions run in kernels may use of the standard library what a device has: types, traits, and the two
# functions that each compiler for devices knows. A container is refused by no compiler: its functions are constexpr, and
# fail when they are run.
KERNELS = re.compile(rf"src/(?:(?:index|lanes|pack|spectral|tile|{KERNEL_FOLDERS}|{PROBLEM_FOLDERS})/\w+|bases/functions|launch/(?:canonical|device_levels|device_stages|"
                     r"device_tile|finite|host_passes|launch|matrix_panels|team|thread_values|workspace))\.hpp$")
NOT_ON_DEVICES = re.compile(r"\bstd::(?!u?int\w*_t\b|size_t\b|ptrdiff_t\b|nullptr_t\b|byte\b|is_\w+\b|conditional_t\b|remove_\w+_t\b|swap\b|"
                            r"memcpy\b)(\w+)")
LABEL = re.compile(r"\bconst std::string& label\b")  # of a launch, on the host
LABELS = "src/launch/launch.hpp"                     # their own header
PRINTS = re.compile(r"\bstd::(cout|cerr|clog|printf|puts|abort|exit|terminate)\b|(?<![\w:])(printf|abort|exit)\s*\(")
EMPTY_NAME = re.compile(r"(?:^|[/_.])(utils?|helpers?|misc|common|managers?|details?)(?:[/_.]|$)", re.I)
LEFT_OPEN = re.compile(r"\b(TODO|FIXME|XXX)\b")
SPDX = ("SPDX-FileCopyrightText: 2026 The Synelix developers",
        "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception")
MOST_LINES = 450
MOST_LINES_OF_TESTS = 650  # a list of cases is read one at a time

INCLUDES = {}  # of the state of a file
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


@functools.cache
def lines_of(path, written):
    """The lines of a file as of that time: tests read the entire tree again for each file that they plant."""
    del written
    return path.read_text(encoding="utf-8").splitlines()


@functools.cache
def includes_of(path, written):
    """(line, header in quotes, header in angle brackets) of each include."""
    lines = enumerate(lines_of(path, written), 1)
    return [(number, match[1], match[2]) for number, line in lines if (match := INCLUDE.match(line))]


class Tree:
    """The project's own files below a root, and their faults."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.findings = []

    def files(self, *folders, suffixes=(".cpp", ".hpp")):
        for folder in folders:
            for path in sorted((self.root / folder).rglob("*")):
                if path.is_file() and path.suffix in suffixes:
                    yield path.relative_to(self.root).as_posix()

    def lines(self, name):
        path = self.root / name
        return lines_of(path, path.stat().st_mtime_ns)

    def includes(self, name):
        path = self.root / name
        return includes_of(path, path.stat().st_mtime_ns)

    def report(self, name, number, rule, text):
        self.findings.append(f"{name}:{number}: {rule}: {text}")


def without_comments(line):
    return re.sub(r'//.*|"(?:[^"\\]|\\.)*"', "", line)


def check_arrows(tree):
    for name in tree.files("src"):
        parts = name.split("/")
        if len(parts) == 2:
            continue  # src/version.cpp belongs to no room
        room = parts[1]
        if room not in ARROWS:
            tree.report(name, 1, "arrows", f"{room} is not a folder that CONTRIBUTING.md names")
            continue
        public = PUBLIC.get(room, set())
        folder = "/".join(parts[1:-1])
        for number, own, system in tree.includes(name):
            if own is not None:
                target = own.split("/")[0]
                if "/" not in own or target not in ARROWS:
                    tree.report(name, number, "arrows", f'"{own}" does not begin with a folder of src/')
                elif target != room and target not in ARROWS[room]:
                    tree.report(name, number, "arrows", f"{room} may not include {target}")
                elif folder in NARROWER and not {target, own.rpartition("/")[0]} & NARROWER[folder]:
                    tree.report(name, number, "arrows", f"{folder} may not include {own}")
            elif system.startswith("synelix/"):
                header = system[len("synelix/"):-len(".hpp")].removeprefix("types/")  # the plain part of that header
                if public != "all" and header not in PLAIN | public:
                    tree.report(name, number, "arrows", f"{room} may not include <{system}>")
            else:
                for pattern, allowed in ALLOWED_SYSTEM:
                    if pattern.match(name) and system not in allowed:
                        tree.report(name, number, "containers", f"{name.rpartition('/')[0]} includes <{system}>; it may include "
                                    f"{', '.join(sorted(allowed))}")


def check_public_headers(tree):
    for name in tree.files("include"):
        for number, own, _ in tree.includes(name):
            if own is not None:
                tree.report(name, number, "arrows", f'a public header includes "{own}"')
        if not name.startswith("include/synelix/seam/"):
            for number, line in enumerate(tree.lines(name), 1):
                if re.match(r"namespace\s+(?:synelix::)?seam\b", line):
                    tree.report(name, number, "seam", "a namespace seam interrupts a public header; it belongs below, in seam/")
    # Users and their programs need no header below the public ones.
    for name in tree.files("examples", "src/tool"):
        for number, _, system in tree.includes(name):
            if system is not None and system.startswith("synelix/seam/"):
                tree.report(name, number, "seam", f"<{system}> is for the public headers and the wings")


def check_instruction_sets(tree):
    """Code that is compiled once for each instruction set shares no inline function with other code."""
    for start in tree.files("src/tile", "src/spectral", suffixes=(".in",)):
        if not INSTRUCTION_SET_FILE.search(start):
            continue
        seen, waiting = set(), [start]
        while waiting:
            name = waiting.pop()
            if name in seen:
                continue
            seen.add(name)
            for number, own, system in tree.includes(name):
                if own is not None and (tree.root / "src" / own).exists():
                    waiting.append("src/" + own)
                elif system is not None and system not in INSTRUCTION_SET_SYSTEM:
                    tree.report(start, 1, "containers", f"reaches <{system}> by {name}:{number}; it may reach "
                                f"{', '.join(sorted(INSTRUCTION_SET_SYSTEM))}")


def check_owned_headers(tree):
    for name in tree.files("include", "src", "perf", "examples"):
        for number, _, system in tree.includes(name):
            for pattern, places in OWNED_HEADERS:
                if system and pattern.fullmatch(system) and not name.startswith(places):
                    tree.report(name, number, "arrows", f"<{system}> is for {', '.join(places)}")


def check_lines(tree):
    for name in tree.files("include", "src"):
        for number, line in enumerate(tree.lines(name), 1):
            if BACKEND_CONDITION.match(line) and not name.startswith(BACKEND_PLACES):
                tree.report(name, number, "backend", f"a condition on the backend: {line.strip()}")
            code = without_comments(line)
            if PARALLEL.search(code) and not PARALLEL_PLACES.match(name):
                tree.report(name, number, "parallel", "a parallel loop outside src/launch and the folders of kernels")
            if KERNELS.match(name):
                for word in NOT_ON_DEVICES.findall(LABEL.sub("", code)):
                    if (name, word) != (LABELS, "string"):
                        tree.report(name, number, "kernels", f"std::{word} in a header of kernels; a device has not"
                                    " got it")
            if PRINTS.search(code) and not name.startswith("src/tool/"):
                tree.report(name, number, "prints", f"the library prints or ends the program: {line.strip()}")


def check_files(tree):
    suffixes = (".cpp", ".hpp", ".py", ".cmake", ".txt", ".sh")
    names = list(tree.files("include", "src", "tests", "perf", "examples", "cmake", "scripts", "spack", suffixes=suffixes))
    names += [name for name in ("CMakeLists.txt", "dev", ".ci/run", "scripts/devroot", "scripts/check", "scripts/cluster", "scripts/try")
              if (tree.root / name).exists()]
    for name in names:
        if EMPTY_NAME.search(name):
            tree.report(name, 1, "names", "a name that says nothing")
        if name.endswith(".txt") and not name.endswith("CMakeLists.txt"):
            continue
        lines = tree.lines(name)
        head = "\n".join(lines[:4])
        if not all(line in head for line in SPDX):
            tree.report(name, 1, "head", "the two SPDX lines are missing")
        most = MOST_LINES_OF_TESTS if name.startswith("tests/") else MOST_LINES
        if len(lines) > most:
            tree.report(name, len(lines), "size", f"{len(lines)} lines; at most {most}")
        if name.startswith("tests/layering/"):
            continue
        for number, line in enumerate(lines, 1):
            if LEFT_OPEN.search(line):
                tree.report(name, number, "left open", line.strip())


def findings(root):
    tree = Tree(root)
    for check in (check_arrows, check_public_headers, check_instruction_sets, check_owned_headers, check_lines,
                  check_files, kokkos_reach.check_kokkos, unit_names.check_names):
        check(tree)
    return tree.findings


def main():
    found = findings(sys.argv[1])
    print("\n".join(found) or "no finding")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
