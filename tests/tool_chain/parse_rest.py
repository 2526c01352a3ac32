#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parses every source of a build that was not compiled, for the errors and warnings of its compiler.

    parse_rest.py BUILD [FOLDER...]

Warnings come from parsing, which takes about half of the time of compiling. With FOLDERs: only sources whose paths begin so.
Sources that the build writes are written first.
"""
import concurrent.futures
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path


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


def parse(entry):
    words, _ = command_of(entry)
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
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for file, code, words in pool.map(parse, rest):
            if code or words:
                print(f"{file}:\n{words}", flush=True)
            failed += bool(code)
    print(f"parsed: {len(rest)} of {len(entries)} sources, which were not compiled; {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), *sys.argv[2:]))
