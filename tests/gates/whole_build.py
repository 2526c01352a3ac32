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

BUILDS = ("build/serial", "build/openmp")  # configured by `./dev gate --all`; the last one counts where both have a file
FOLDERS = ("src", "tests", "perf", "examples")
HOST_FOLDERS = ("python",)  # bindings, which call the library and launch nothing; scripts/python builds them
# Each call is one that a compiler refuses; for CUDA alone, with the installed spaces of hosts.
APART = ("tests/wrong_calls/", "tests/device_kokkos/")
HOST_ONLY = "-DSYNELIX_PERF_ONEDNN"  # a peer that no build for a device has
# What the performance suite compares with on a device: definition -> its header, and the backend.
PEERS = {"SYNELIX_PERF_CUFFT": ("cuda", "cufft.h"), "SYNELIX_PERF_CUDNN": ("cuda", "cudnn.h"),
         "SYNELIX_PERF_HIPFFT": ("hip", "hipfft/hipfft.h")}


def options_of(root):
    """File -> its include folders and definitions in the builds for the host, Kokkos' own headers left out."""
    options = {}
    commands = (root / build / "compile_commands.json" for build in BUILDS)
    for entry in (entry for file in commands for entry in json.loads(file.read_text(encoding="utf-8"))):
        words, kept = iter(shlex.split(entry["command"])), []
        for word in words:
            if word == "-isystem":
                kept.append("-I" + next(words))
            elif word.startswith(("-I", "-D")):
                kept.append(word)
        file = pathlib.Path(entry["file"])
        for name in sources.files_of_unit(root, file) or [file]:
            options[name] = [word for word in kept if "kokkos" not in word.lower() and word != HOST_ONLY]
    return options


def generated_files(root, options):
    """Files that reach Kokkos and that a build has written, such as the pages' programs and the headers alone: one of each
    name, of the last build that has it."""
    includes, files = sources.Includes(root), {}
    for build in BUILDS:
        for file in sorted(options):
            if file.is_relative_to(root / build) and includes.reaches_kokkos(file):
                files[file.relative_to(root / build)] = file
    return list(files.values())


def files_of(root, options):
    """The files to compile, and those that the build for the host leaves out. A user's own project, which has a build of
    its own, needs no options."""
    files, absent = generated_files(root, options), []
    for file in sources.with_kokkos(root, *FOLDERS):
        name = str(file.relative_to(root))
        if file in options or name.startswith("tests/install/"):
            files.append(file)
        elif not name.startswith(APART):
            absent.append(file)
    return files, absent


def peers_of(backend, tool_chain):
    """Definitions of the peers whose headers are with the tool chain."""
    return [f"-D{name}" for name, (of, header) in PEERS.items() if of == backend.NAME and (tool_chain.headers / header).exists()]


def run(root, backend, tool_chain, arguments):
    """Compiles them for the backend's last target. The number of files that were refused."""
    start = time.monotonic()
    compiler = compilation.Compiler(backend, tool_chain, root, root / "build/gates" / backend.NAME, arguments.kokkos)
    target, options = backend.TARGETS[-1], options_of(root)
    files, absent = files_of(root, options)
    peers = peers_of(backend, tool_chain)
    files = [file for file in files if fnmatch.fnmatch(str(file.relative_to(root)), arguments.only)
             or fnmatch.fnmatch(file.name, arguments.only)]

    def compile_file(file):
        name = str(file.relative_to(root)) if file.is_relative_to(root) else file.name
        with tempfile.TemporaryDirectory() as folder:
            places = compiler.includes(target) + options.get(file, []) + peers
            return compiler.run(target, name, tool_chain.whole(target, places, file, pathlib.Path(folder) / "object"))

    for file in absent:
        print(f"gate {backend.NAME}: {file.relative_to(root)}: NOT COMPILED: it is in no target of {' or '.join(BUILDS)}", flush=True)
    refused = len(absent)
    for result in compiler.at_a_time(compile_file, files):
        refused += bool(result.refused)
        print(f"gate {backend.NAME}: {result.source}: {'REFUSED' if result.refused else 'compiles'} ({result.seconds:.0f} s of a processor)"
              + ("\n" + result.refused if result.refused else ""), flush=True)
    print(f"gate {backend.NAME}: whole build {'FAILED' if refused else 'passed'}: {len(files)} files, {refused} refused or left out "
          f"({time.monotonic() - start:.0f} s)", flush=True)
    return refused
