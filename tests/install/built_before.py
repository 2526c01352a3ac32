#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A compiler launcher: takes the object of another build that was made by the same words, in place of making it again.

    BUILT_BEFORE=BUILD built_before.py COMPILER WORDS...

For tests that build the library once more as part of a user's project, in the folder `synelix` of that build. An object is
taken where both builds compile the same source by the same words, apart from their own folders, and nothing that it was
made of has changed since. So such a test finds whether the library becomes other commands as a subdirectory, and compiles
what does. Without BUILD, its compile_commands.json or ninja, everything is compiled.

BUILT_FROM names the library's sources where they are not those of BUILD, as in an archive: then all that the object was
made of must be there, with the same bytes. BUILT_LAUNCHER is a launcher for what is compiled.
"""
import filecmp
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = "synelix"        # of the library, in a user's build
GENERATED = "include"     # headers that a build writes


def plain(words, folder, sources):
    """The words of a command without the object, the list of its headers, and a launcher; names for the folders of the
    build and of the sources."""
    words, result = list(words), []
    while words and Path(words[0]).name in ("ccache", "sccache"):
        words.pop(0)
    while words:
        word = words.pop(0)
        if word in ("-o", "-MF", "-MT", "-MQ"):
            words.pop(0)
        elif word not in ("-MD", "-c"):
            result.append(word.replace(str(folder), "BUILD").replace(str(sources), "SOURCES"))
    return result


def same_bytes(one, other):
    return one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)


def sources_of(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return Path(re.search(r"^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$", cache, re.M)[1])


def headers_of(name, build):
    """The inputs of an object in ninja's log; nothing if they are unknown, or newer than the object."""
    try:
        told = subprocess.run(["ninja", "-n", "-C", build, "-t", "deps", name], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    files = [(build / line.strip()).resolve() for line in told.splitlines() if line.startswith(" ")]
    made = (build / name).stat().st_mtime
    return files if all(file.is_file() and file.stat().st_mtime <= made for file in files) else []


def built_before(words, here, build, sources=None):
    """The object that `build` has for these words, or None."""
    try:
        entries = json.loads((build / "compile_commands.json").read_text(encoding="utf-8"))
        its = sources_of(build)
    except OSError:
        return None
    output = Path(words[words.index("-o") + 1]) if "-c" in words and "-o" in words else Path("none")
    name = str(Path(*output.parts[1:]))
    entry = next((entry for entry in entries if entry.get("output") == name), None)
    if output.parts[0] != FOLDER or not entry or not (build / name).is_file():
        return None
    made, sources = here / FOLDER, sources or its
    mine = plain(words, made, sources)
    if plain(shlex.split(entry["command"]), build, its) != mine:
        return None
    # Files that a build writes: sources are compared, and headers of the common folder, too. Others are checked elsewhere.
    if any(word.startswith("-IBUILD/") and word != f"-IBUILD/{GENERATED}" for word in mine):
        return None
    pairs = [(build / GENERATED / "synelix/version.hpp", made / GENERATED / "synelix/version.hpp")]
    source = Path(entry["file"])
    if source.is_relative_to(build):
        pairs.append((source, made / source.relative_to(build)))
    tree, folder = its.resolve(), build.resolve()
    headers = [file for file in headers_of(name, build) if file.is_relative_to(tree) and not file.is_relative_to(folder)]
    if not headers:
        return None
    pairs += [(file, sources / file.relative_to(tree)) for file in headers]
    return build / name if all(same_bytes(*pair) for pair in pairs) else None


def main(words):
    build, sources = os.environ.get("BUILT_BEFORE"), os.environ.get("BUILT_FROM")
    found = build and built_before(words, Path.cwd(), Path(build), sources and Path(sources))
    if found:
        output = words[words.index("-o") + 1]
        shutil.copyfile(found, output)
        if "-MF" in words:                        # with another object there, this one is made anew
            Path(words[words.index("-MF") + 1]).write_text(f"{output}: {str(found).replace(' ', chr(92) + ' ')}\n", encoding="utf-8")
        return
    launcher = os.environ.get("BUILT_LAUNCHER", "").split(";") if os.environ.get("BUILT_LAUNCHER") else []
    os.execvp((launcher + words)[0], launcher + words)


if __name__ == "__main__":
    main(sys.argv[1:])
