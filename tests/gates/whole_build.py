# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every file that reaches Kokkos, of library, tests and performance suite, to objects of host and device: what a build
with a Kokkos for that backend compiles. It takes long, and is run by hand."""

import fnmatch
import json
import pathlib
import shlex
import tempfile
import time

import compile as compilation
import sources

BUILD = "build/openmp/compile_commands.json"  # made by `./dev gate --all`
FOLDERS = ("src", "tests", "perf", "examples")


def options_of(root):
    """File -> its include folders and definitions in the build for the host, Kokkos' own headers left out."""
    options = {}
    for entry in json.loads((root / BUILD).read_text(encoding="utf-8")):
        words, kept = iter(shlex.split(entry["command"])), []
        for word in words:
            if word == "-isystem":
                kept.append("-I" + next(words))
            elif word.startswith(("-I", "-D")):
                kept.append(word)
        options[pathlib.Path(entry["file"])] = [word for word in kept if "kokkos" not in word.lower()]
    return options


def run(root, backend, tool_chain, arguments):
    """Compiles them for the backend's last target. The number of files that were refused."""
    start = time.monotonic()
    compiler = compilation.Compiler(backend, tool_chain, root, root / "build/gates" / backend.NAME, arguments.kokkos)
    target, options = backend.TARGETS[-1], options_of(root)
    files = [file for file in sources.with_kokkos(root, *FOLDERS)
             if file in options and fnmatch.fnmatch(file.name, arguments.only)]

    def compile_file(file):
        with tempfile.TemporaryDirectory() as folder:
            places = compiler.includes(target) + options[file]
            return compiler.run(target, file, tool_chain.whole(target, places, file, pathlib.Path(folder) / "object"))

    refused = 0
    for result in compiler.at_a_time(compile_file, files):
        refused += bool(result.refused)
        print(f"gate {backend.NAME}: {result.source}: {'REFUSED' if result.refused else 'compiles'} ({result.seconds:.0f} s of a processor)"
              + ("\n" + result.refused if result.refused else ""), flush=True)
    print(f"gate {backend.NAME}: whole build {'FAILED' if refused else 'passed'}: {len(files)} files, {refused} refused "
          f"({time.monotonic() - start:.0f} s)", flush=True)
    return refused
