#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the blocks of tutorials and other pages in their order, in a folder of their own, and compares what they print.

    run_pages.py run PROGRAMS PAGE...       PROGRAMS is the folder of `synelix`
    run_pages.py record PROGRAMS PAGE...    also writes the output of each block into the page

Blocks of a page, by the language behind their fence:

    sh        commands of bash, with PROGRAMS on the path and SYNELIX_SOURCE as the root of the sources
    python    lines that share their names with the other Python blocks of the page
    text      what the `sh` or `python` block before it prints, messages included
    others    files: if the first line is a comment that is a file name, such as "# design.toml", the block is written
              there. So are blocks of sh and python.

A comment that readers do not see changes this:

    <!-- not run: REASON -->     the next block is left alone
    <!-- run: COMMANDS -->       commands that the page does not show, such as a copy of an example
    <!-- needs: FILE -->         the next block needs this file of SYNELIX_TEST_DATA, and is left alone without it

Numbers agree within two thousandths. Numbers with a unit of time, bytes or speed are not compared, and neither are
lines that begin with a word of MACHINE, which depend on the machine. Progress messages are left out.

A page that needs a module that is missing is skipped: the result is 77.
"""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
TOLERANCE = 2e-3
SMALL = 1e-5                                               # residuals below are noise
MACHINE = ("blocks", "memory", "method", "run", "peak", "cost", "time", "solver", "done", "kokkos", "tiles", "hdf5",
           "synelix", "choice")
PROGRESS = re.compile(r"^(\w+: +\d+ %.*|\w+: about .*)$")
UNIT = r"(ns|us|ms|s|min|bytes|B|KiB|MiB|GiB|kB|MB|GB|KiB/s|MiB/s|GiB/s|GB/s|%|rows/s)"
MASKED = re.compile(rf"\d[\d.,]*(e[+-]?\d+)? {UNIT}(?![\w/])|\d+ evaluations|avx512|avx2|plain\b|OPENMP|SERIAL")
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")
FILE_NAME = re.compile(r"^(?:#|//) ([\w./-]+\.\w+|Dockerfile)$")


class Wrong(Exception):
    """The fault of a page."""


class Skipped(Exception):
    """Why a page cannot run here."""


class Block(NamedTuple):
    line: int                                              # of the first line inside the fence
    language: str
    lines: list
    is_run: bool
    needs: str = ""                                        # a recording


def blocks(text):
    """The blocks of a page; those of `run` comments are sh."""
    found, fence, language, inside, runs, needs = [], "", "", [], True, ""
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if fence:
            if stripped == fence:
                found.append(Block(first, language, inside, runs, needs))
                fence, runs, needs = "", True, ""
            else:
                inside.append(line[indent:])
        elif found_fence := re.match(r"(```+)\s*([\w+-]*)", stripped):
            fence, language = found_fence.groups()
            first, inside, indent = number + 1, [], len(line) - len(line.lstrip())
        elif stripped.startswith("<!-- not run:"):
            runs = False
        elif needed := re.match(r"<!-- needs: (\S+) -->", stripped):
            needs = needed.group(1)
        elif hidden := re.match(r"<!-- run: (.*) -->", stripped):
            found.append(Block(number, "sh", [hidden.group(1)], True))
    if fence:
        raise Wrong(f"a block of {language or 'text'} does not end")
    return found


# ---- outputs

def kept(text):
    """Lines without progress messages and without blanks at their ends."""
    lines = [line.rstrip() for line in text.splitlines()]
    lines = [line for line in lines if not PROGRESS.match(line)]
    while lines and not lines[-1]:
        lines.pop()
    return lines


def is_same_number(first, second):
    one, two = (float(text.replace(",", "")) for text in (first, second))
    return abs(one - two) <= max(TOLERANCE * max(abs(one), abs(two)), SMALL)


def is_same_line(expected, actual):
    if expected == actual:
        return True
    word = expected.split()[0] if expected.split() else ""
    if word in MACHINE and not expected.startswith(word + ":"):
        return actual.split()[:1] == [word]
    expected, actual = (" ".join(MASKED.sub("#", line).split()) for line in (expected, actual))
    if NUMBER.sub("0", expected) != NUMBER.sub("0", actual):
        return False
    return all(map(is_same_number, NUMBER.findall(expected), NUMBER.findall(actual)))


def difference(expected, actual):
    """The first line that differs, as text; None: none. A line of three dots stands for any lines."""
    if "..." in expected:
        at = expected.index("...")
        head, tail = expected[:at], expected[at + 1:]
        if len(actual) < len(head) + len(tail):
            return f"the output has {len(actual)} lines"
        return (difference(head, actual[:len(head)]) or
                difference(tail, actual[len(actual) - len(tail):] if tail else []))
    for one, two in zip(expected, actual):
        if not is_same_line(one, two):
            return f"the page says\n    {one}\nand the output is\n    {two}"
    if len(expected) != len(actual):
        longer = (expected if len(expected) > len(actual) else actual)[min(len(expected), len(actual))]
        return f"the page has {len(expected)} lines, the output {len(actual)}; the first of the others is\n    {longer}"
    return None


# ---- running

class Run:
    """One page in a folder."""

    def __init__(self, programs, folder):
        self.folder = folder
        self.names = {"__name__": "page"}
        self.environment = {**os.environ, "SYNELIX_SOURCE": str(ROOT), "OMP_PROC_BIND": "false", "NO_COLOR": "1",
                            "XDG_CONFIG_HOME": str(Path(folder) / ".configuration"), "PYTHONDONTWRITEBYTECODE": "1",
                            "CMAKE_GENERATOR": os.environ.get("CMAKE_GENERATOR", "Ninja"),
                            "PATH": f"{Path(programs).resolve()}:{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def shell(self, block):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(block.lines)], cwd=self.folder,
                              env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        missing = re.search(r"No module named '(\w+)'", done.stdout)
        if missing and missing.group(1) in PACKAGES:
            raise Skipped(f"there is no {missing.group(1)}")
        if done.returncode != 0:
            raise Wrong(f"the commands end with {done.returncode}:\n{done.stdout}")
        return done.stdout

    def python(self, block, page):
        printed, before = io.StringIO(), os.getcwd()
        code = compile("\n" * (block.line - 1) + "\n".join(block.lines), str(page), "exec")
        os.chdir(self.folder)
        try:
            with contextlib.redirect_stdout(printed):
                exec(code, self.names)
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in PACKAGES:
                raise Wrong("".join(traceback.format_exc())) from None
            raise Skipped(f"there is no {error.name}") from None
        except Exception:
            raise Wrong("".join(traceback.format_exc())) from None
        finally:
            os.chdir(before)
        return printed.getvalue()


#: Modules that a machine may lack.
PACKAGES = ("synelix", "numpy", "h5py", "matplotlib", "nemos", "pynapple", "scipy", "torch", "sklearn", "jax")


def write_file(block, folder):
    """Writes a block that names its file. Whether it did."""
    name = FILE_NAME.match(block.lines[0]) if block.lines else None
    if not name:
        return False
    path = Path(folder) / name.group(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(block.lines) + "\n")
    return True


def link_recording(name, folder):
    """Whether the folder of test data has this file, which is then linked in the folder of the page."""
    data = os.environ.get("SYNELIX_TEST_DATA")
    if not data or not (Path(data) / name).exists():
        return False
    if not (Path(folder) / name).exists():
        (Path(folder) / name).symlink_to(Path(data).resolve() / name)
    return True


def run_page(programs, path, folder):
    """[(block of text, its output)] of a page whose blocks all ran."""
    run, printed, pairs = Run(programs, folder), None, []
    for block in blocks(Path(path).read_text()):
        place = f"{path}:{block.line}"
        if not block.is_run or (block.needs and not link_recording(block.needs, folder)):
            printed = None
            continue
        try:
            if block.language == "text":
                if printed is not None:
                    pairs.append((block, printed))
                printed = None
            elif write_file(block, folder):
                continue
            elif block.language == "sh":
                printed = run.shell(block)
            elif block.language == "python":
                printed = run.python(block, path)
        except Wrong as wrong:
            raise Wrong(f"{place}: {wrong}") from None
    return pairs


def compare(path, pairs):
    for block, printed in pairs:
        wrong = difference([line.rstrip() for line in block.lines], kept(printed))
        if wrong:
            raise Wrong(f"{path}:{block.line}: {wrong}")


def shortened(lines, printed):
    """The output, with a line of three dots if the page has one: the same number of lines around it as before."""
    if "..." not in lines:
        return printed
    before, behind = lines.index("..."), len(lines) - lines.index("...") - 1
    return printed[:before] + ["..."] + printed[max(before, len(printed) - behind):]


def record(path, pairs):
    """Puts the output into the page."""
    lines = Path(path).read_text().splitlines()
    for block, printed in reversed(pairs):
        lines[block.line - 1:block.line - 1 + len(block.lines)] = shortened(block.lines, kept(printed))
    Path(path).write_text("\n".join(lines) + "\n")


def main(words):
    if len(words) < 3 or words[0] not in ("run", "record"):
        print(__doc__, file=sys.stderr)
        return 2
    verb, programs, *paths = words
    result = 0
    for path in paths:
        try:
            with tempfile.TemporaryDirectory() as folder:
                pairs = run_page(programs, path, folder)
            if verb == "record":
                record(path, pairs)
            else:
                compare(path, pairs)
            print(f"{path}: {len(pairs)} outputs compared")
        except Skipped as why:
            print(f"{path}: skipped, because {why}")
            result = result or SKIPPED
        except Wrong as wrong:
            print(wrong, file=sys.stderr)
            result = 1
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
