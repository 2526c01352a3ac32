#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses every source of a build that was not compiled, for the errors and warnings of its compiler.

    parse_rest.py BUILD [FOLDER...]

Warnings come from parsing, which takes about half of the time of compiling. With FOLDERs: only sources whose paths begin so.
Sources that the build writes are written first.

Sources that include Kokkos_Core.hpp, or a public header that does, share a precompiled one where clang parses them with the
same words. No other source has it, so that no missing include is hidden.
"""
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

KOKKOS = "Kokkos_Core.hpp"


def command_of(entry):
    """The words that parse a source, and the object that compiling it makes."""
    words = shlex.split(entry["command"])
    while Path(words[0]).name in ("ccache", "sccache"):
        words.pop(0)
    at = words.index("-o")
    made = words[at + 1]
    words[at:at + 2] = []
    words.remove("-c")
    return [words[0], "-fsyntax-only", *words[1:]], Path(entry["directory"]) / made


def included_in(file):
    return re.findall(r'^ *# *include *[<"]([^>"]+)[>"]', Path(file).read_text(encoding="utf-8"), re.MULTILINE)


def includes_kokkos(entry):
    """Whether a source includes Kokkos, or a public header that does."""
    names = included_in(entry["file"])
    folders = [Path(word[2:]) for word in shlex.split(entry["command"]) if word.startswith("-I")]
    public = [folder / name for name in names if name.startswith("synelix/") for folder in folders]
    return KOKKOS in names or any(KOKKOS in included_in(file) for file in public if file.exists())


def precompiled(entries, folder):
    """Source -> the precompiled header of Kokkos that it shares with another one, in a folder."""
    sharing = {}
    for entry in entries:
        words, _ = command_of(entry)
        if "clang" in Path(words[0]).name and includes_kokkos(entry):
            sharing.setdefault(tuple(words[:-1]), []).append(entry)
    groups = [group for group in sharing.items() if len(group[1]) > 1]
    source = folder / "kokkos.hpp"
    source.write_text(f"#include <{KOKKOS}>\n", encoding="utf-8")

    def make(number):
        words, those = groups[number]
        header = str(folder / f"{number}.pch")
        subprocess.run([word for word in words if word != "-fsyntax-only"] + ["-x", "c++-header", str(source), "-o", header],
                       cwd=those[0]["directory"], check=True)
        return {entry["file"]: header for entry in those}

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return {file: header for made in pool.map(make, range(len(groups))) for file, header in made.items()}


def parse(entry, headers):
    words, _ = command_of(entry)
    header = headers.get(entry["file"])
    if header:
        words[1:1] = ["-include-pch", header]
    done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, errors="replace", check=False)
    return entry["file"], done.returncode, done.stdout + done.stderr


def main(build, *folders):
    entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
    for folder in folders:
        if not any(entry["file"].startswith(folder) for entry in entries):
            print(f"no source of {build} is in {folder}")
            return 1
    rest = [entry for entry in entries if entry["file"].startswith(folders or "") and not command_of(entry)[1].exists()]
    unwritten = [os.path.relpath(entry["file"], build) for entry in rest if not Path(entry["file"]).exists()]
    if unwritten:
        subprocess.run(("ninja", "-C", str(build), *unwritten), check=True)
    failed = 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        headers = precompiled(rest, Path(folder))
        for file, code, words in pool.map(lambda entry: parse(entry, headers), rest):
            if code or words:
                print(f"{file}:\n{words}", flush=True)
            failed += bool(code)
    print(f"parsed: {len(rest)} of {len(entries)} sources, which were not compiled; {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
