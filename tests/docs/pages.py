#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the pages under docs/ to what they say.

    pages.py generate OUT.cpp PAGE...    one program of their lines in C++: it takes a page's name, and prints arrays
    pages.py compare PROGRAM PAGE        runs the lines in Python, and compares the arrays of both
    pages.py program OUT.cpp PAGE        the first block of C++ of a page, which is a whole program
    pages.py links PAGE...               whether all their links lead to a file that is there

A page names its arrays in a comment that readers do not see:

    <!-- tested: filled x, w; compared y -->

Blocks of C++ are one function, in their order, and blocks of Python one run. Where both say "... fill", `x` and `w` get
the same numbers; at the end the arrays called `y` have to be the same, in shape and values. A block of Python that
needs a package that is missing is left out, with what it would have made, and the result is 77: skipped. PyTorch and
NeMoS are also found in the environment that `./dev perf --peers` makes.
"""
import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = 77
TOLERANCE = 1e-5                                           # of the largest value: results are float


class Wrong(Exception):
    """The fault of a page."""


class Page:
    def __init__(self, path):
        self.path = Path(path)
        self.name = self.path.stem
        lines = self.path.read_text().splitlines()
        self.filled, self.compared = self.arrays("\n".join(lines))
        self.cpp = blocks(lines, "cpp")
        self.python = blocks(lines, "python")
        if not self.cpp or not self.python:
            raise Wrong(f"{path}: a page has lines in C++ and in Python")

    def arrays(self, text):
        found = re.search(r"<!-- tested: filled ([\w, ]+); compared ([\w, ]+) -->", text)
        if not found:
            raise Wrong(f"{self.path}: no comment says what is tested")
        return tuple(names.replace(" ", "").split(",") for names in found.groups())


def blocks(lines, language):
    """[(number of the first line, lines)] of the fenced blocks of a language."""
    found, inside = [], None
    for number, line in enumerate(lines, 1):
        if line.strip() == "```" + language and inside is None:
            inside = (number + 1, [])
        elif line.strip() == "```" and inside:
            found.append(inside)
            inside = None
        elif inside:
            inside[1].append(line)
    return found


def is_fill(line):
    return re.match(r"\s*(//|#) \.\.\. fill", line) is not None


# ---- C++

FRAME = """// Made by tests/docs/pages.py from the pages under docs/.
{includes}
#include "arrays.hpp"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <span>
#include <vector>

namespace sx = synelix;

{functions}

int main(int argc, char* argv[]) {{
  if (argc != 2) return 2;
  try {{
    const sx::Session session(sx::SessionOptions{{}});
    const Kokkos::DefaultExecutionSpace exec;
{calls}
  }} catch (const std::exception& error) {{
    std::fprintf(stderr, "%s\\n", error.what());
    return 1;
  }}
  std::fprintf(stderr, "no page %s\\n", argv[1]);
  return 2;
}}
"""


def function_of(page, includes):
    head = f"void page_{page.name}([[maybe_unused]] const Kokkos::DefaultExecutionSpace& exec)"
    lines = [head + ";", head + " {"]                      # declared first, against a warning of the compiler
    fills = 0
    for first, block in page.cpp:
        lines.append(f'#line {first} "{page.path.name}"')
        for line in block:
            if line.startswith("#include"):
                includes.append(line)
                line = ""
            lines.append(line)
            if is_fill(line):                              # after it on the same line, so that line numbers stay right
                lines[-1] = " ".join(f"docs::fill({name}, {i});" for i, name in enumerate(page.filled)) + line
                fills += 1
    if fills != 1:
        raise Wrong(f"{page.path}: arrays are filled at {fills} places in C++, not at one")
    lines += [f'docs::show("{name}", {name});' for name in page.compared]
    return "\n".join(lines + ["}"])


def generate(out, paths):
    includes, functions, calls = ["#include <synelix/synelix.hpp>"], [], []
    for path in paths:
        page = Page(path)
        functions.append(function_of(page, includes))
        calls.append(f'    if (std::strcmp(argv[1], "{page.name}") == 0) return page_{page.name}(exec), 0;')
    Path(out).write_text(FRAME.format(includes="\n".join(dict.fromkeys(includes)), functions="\n".join(functions),
                                      calls="\n".join(calls)))


# ---- Python

def program(out, path):
    """Writes the first block of C++ of a page, with the lines that a compiler's messages name."""
    found = blocks(Path(path).read_text(encoding="utf-8").splitlines(), "cpp")
    if not found:
        raise Wrong(f"{path}: there is no block of C++")
    number, lines = found[0]
    Path(out).write_text("\n".join([f'#line {number} "{path}"', *lines, ""]), encoding="utf-8")


def numbers(shape, dtype, order):
    """The numbers that arrays.hpp fills an array with."""
    import numpy as np
    i = np.arange(int(np.prod(shape)), dtype=np.uint64)
    mixed = (i + np.uint64(1 + 1000003 * order)) * np.uint64(2654435761) % np.uint64(2**32)
    whole = (mixed >> np.uint64(16)).astype(np.int64) % 23
    if np.issubdtype(dtype, np.unsignedinteger):
        return whole.reshape(shape).astype(dtype)
    if np.issubdtype(dtype, np.integer):
        return (whole - 11).reshape(shape).astype(dtype)
    return ((whole - 11) / 4).reshape(shape).astype(dtype)


def fill(values, names):
    for order, name in enumerate(names):
        array = values.get(name)
        if array is None:
            continue                                       # made by another block
        if type(array).__module__ == "torch":
            import torch
            array.copy_(torch.from_numpy(numbers(tuple(array.shape), array.numpy().dtype, order)))
        else:
            array[...] = numbers(array.shape, array.dtype, order)


def run_python(page):
    """Names that the blocks made, and why blocks were left out."""
    values, missing = {"__name__": page.name}, []
    fills = 0
    for first, block in page.python:
        lines = [f"{line[:len(line) - len(line.lstrip())]}__fill__()" if is_fill(line) else line for line in block]
        fills += sum(map(is_fill, block))
        values["__fill__"] = lambda: fill(values, page.filled)
        try:
            exec(compile("\n" * (first - 1) + "\n".join(lines), str(page.path), "exec"), values)
        except ModuleNotFoundError as error:
            if error.name not in ("numpy", "torch", "nemos", "scipy"):
                raise
            missing.append(error.name)
    if fills == 0:
        raise Wrong(f"{page.path}: no line in Python fills the arrays")
    return values, missing


def parse(text):
    """{name: (shape, values)} of the program's output: name, extents, and a line of values."""
    found, lines = {}, text.splitlines()
    for head, body in zip(lines[::2], lines[1::2]):
        name, *extents = head.split()
        found[name] = (tuple(map(int, extents)), list(map(float, body.split())))
    return found


def difference(name, shape, values, expected):
    """The difference, or None."""
    import numpy as np
    expected = np.asarray(expected, dtype=np.float64)
    if shape != expected.shape:
        return f"{name} is {shape} in C++ and {expected.shape} in Python"
    ours = np.array(values).reshape(shape)
    if ours.size == 0 or not np.isfinite(expected).any():
        return f"{name} holds no number that could be compared"
    if (np.isnan(ours) != np.isnan(expected)).any():
        return f"{name} has NaN at other places"
    apart = np.nan_to_num(np.abs(ours - expected))
    if apart.max() > TOLERANCE * np.nanmax(np.abs(expected)):
        at = np.unravel_index(apart.argmax(), shape)
        return f"{name}{tuple(map(int, at))} is {ours[at]:.9g} in C++ and {expected[at]:.9g} in Python"
    return None


def with_peers(words):
    """Continues in the environment of ./dev perf --peers, if it exists and this Python has no PyTorch or NeMoS."""
    if os.environ.get("SYNELIX_DOCS_IN_PEERS") or all(map(importlib.util.find_spec, ("nemos", "torch"))):
        return
    sys.path.insert(0, str(ROOT / "perf" / "compare"))
    import install
    python = install.python()
    if python.exists():
        os.execve(python, [str(python), "-B", __file__, *words], {**os.environ, "SYNELIX_DOCS_IN_PEERS": "1"})


def compare(program, path):
    page = Page(path)
    done = subprocess.run([program, page.name], capture_output=True, text=True)
    if done.returncode != 0:
        raise Wrong(f"{path}: the lines in C++ end with {done.returncode}: {done.stderr.strip()}")
    ours = parse(done.stdout)
    values, missing = run_python(page)
    wrong, compared = [], []
    for name in page.compared:
        if name not in values:
            if not missing:
                wrong.append(f"{name} is not in Python")
            continue
        wrong.append(difference(name, *ours[name], values[name]))
        compared.append(name)
    wrong = [text for text in wrong if text]
    if wrong:
        raise Wrong("\n".join(f"{path}: {text}" for text in wrong))
    print(f"{page.name}: {', '.join(compared) or 'nothing'} compared" +
          (f"; without {', '.join(sorted(set(missing)))} the rest is left out" if missing else ""))
    return SKIPPED if missing else 0


# ---- links

def links(paths):
    wrong = []
    for path in map(Path, paths):
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)|src=\"([^\"]+)\"", path.read_text()):
            target = "".join(target)
            if not target.startswith(("http:", "https:")) and not (path.parent / target).exists():
                wrong.append(f"{path}: no file {target}")
    if wrong:
        raise Wrong("\n".join(wrong))


def main(words):
    verb, rest = (words or [""])[0], words[1:]
    try:
        if verb == "generate" and len(rest) > 1:
            generate(rest[0], rest[1:])
            return 0
        if verb == "compare" and len(rest) == 2:
            with_peers(words)
            return compare(*rest)
        if verb == "program" and len(rest) == 2:
            program(*rest)
            return 0
        if verb == "links" and rest:
            links(rest)
            return 0
    except Wrong as wrong:
        print(wrong, file=sys.stderr)
        return 1
    print(__doc__, file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
