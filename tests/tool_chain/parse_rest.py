#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses every source of a build that was not compiled, for the errors and warnings of its compiler.

    parse_rest.py BUILD [FOLDER...]

Warnings come from parsing, which takes about half of the time of compiling. With FOLDERs: only sources whose paths begin so.
Sources that the build writes are written first.

Half of that time goes into headers of C++ and of Kokkos. Sources that clang parses with the same words share precompiled
ones. Those of Kokkos are for sources that include it themselves, or through a public header that they include: no other
source can use Kokkos unseen. That a source forgets a header of C++ is not seen; `./dev test` compiles files alone.
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
STANDARD = ("algorithm", "array", "chrono", "cmath", "cstdio", "cstring", "filesystem", "functional", "iostream", "limits", "map", "memory",
            "mutex", "numeric", "optional", "set", "span", "sstream", "string", "string_view", "thread", "utility", "variant", "vector")


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


def shared_by(entry):
    """What decides which precompiled headers a source can use: the words without the source, and whether Kokkos is in."""
    words, _ = command_of(entry)
    return tuple(words[:-1]), includes_kokkos(entry)


def precompiled(entries, folder):
    """Precompiled headers in a folder, by what two sources share."""
    sharing = {}
    for entry in entries:
        sharing.setdefault(shared_by(entry), []).append(entry)
    chosen = [key for key, those in sharing.items() if len(those) > 1 and "clang" in Path(key[0][0]).name]

    def make(key):
        words, has_kokkos = key
        header = folder / f"{chosen.index(key)}.hpp"
        header.write_text("".join(f"#include <{name}>\n" for name in STANDARD + (KOKKOS,) * has_kokkos), encoding="utf-8")
        subprocess.run([word for word in words if word != "-fsyntax-only"] + ["-x", "c++-header", str(header), "-o", f"{header}.pch"],
                       cwd=sharing[key][0]["directory"], check=True)
        return f"{header}.pch"

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(chosen, pool.map(make, chosen)))


def parse(entry, headers):
    words, _ = command_of(entry)
    header = headers.get(shared_by(entry))
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
