#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether the files and folders that pages name in backticks exist.

    paths.py [--root FOLDER] [PAGE...]

Without pages it reads all Markdown files of the sources, except CHANGELOG.md and perf/results, which tell of the past.
A word of code in a line is a path

  * if it has a slash, and its first part is a folder of the sources, of src/ or of the folder of the page, or
  * if it ends like a source file: .cpp, .hpp, .in, .py, .cmake, .md.

A path begins at the root of the sources, at one of STARTS, or at the folder of the page or one above it. A name without
a slash may be that of a file anywhere in the sources. * stands for any letters, {a,b} for one of a list. A word in
capitals, as in tiles_SET.cpp, stands for others. ELSEWHERE has names that are not of these sources.
"""
import argparse
import fnmatch
import itertools
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STARTS = ("", "src", "include", "include/synelix", "tests", "docs", "python", "python/src/synelix")
ENDS = (".cpp", ".hpp", ".in", ".py", ".cmake", ".md")
EXCLUDED = ("CHANGELOG.md", "perf/results/")
#: Files that the reader of a page writes, the name of a benchmark that looks like a path, and a header of Kokkos.
ELSEWHERE = {"yours.cpp", "script.py", "gaussian_bumps.cpp", "roofs/gemm", "Kokkos_Core.hpp"}
#: The names that cmake/SynelixTarget.cmake makes from NAME.cpp.in.
OF_SETS = re.compile(r"(\w+)_(?:plain|avx2|avx512|neon|sve256)\.cpp")
WORD = re.compile(r"[\w.+*{},/-]+")


def files_of(root):
    """All files of the sources: those that git knows, or all of an archive."""
    done = subprocess.run(["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard"],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        names = [str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()]
        return [name for name in names if not name.startswith("build/")]
    return [name for name in done.stdout.splitlines() if (root / name).exists()]


def alternatives(text):
    """a{b,c}d -> abd, acd."""
    parts = re.split(r"\{([^{}]*)\}", text)
    choices = [part.split(",") if index % 2 else [part] for index, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


class Tree:
    """The files and folders of the sources."""

    def __init__(self, root=ROOT):
        self.root = root
        files = files_of(root)
        self.files = set(files)
        self.folders = {str(parent) for name in files for parent in Path(name).parents} - {"."}
        self.names = {Path(name).name for name in files}

    def has(self, path, page):
        """Whether a path that a page names is there; without a slash, whether any file has this name."""
        path = path.rstrip("/")
        above = [str(folder) for folder in Path(page).parents]
        for start in dict.fromkeys([*STARTS, *above]):
            name = path if start in ("", ".") else f"{start}/{path}"
            if name in self.files or name in self.folders:
                return True
            if "*" in name and any(fnmatch.fnmatchcase(known, name) for known in self.files | self.folders):
                return True
        if made := OF_SETS.fullmatch(path):
            path = f"{made[1]}.cpp.in"
        return "/" not in path and bool(fnmatch.filter(self.names, path))

    def is_path(self, word, page):
        """Whether a word of a page is meant as a path of the sources."""
        if word.startswith(("/", ".", "*.")):
            return False
        if word.endswith(ENDS):
            return True
        first, folder = word.split("/")[0], str(Path(page).parent)
        return "/" in word and any((f"{start}/{first}" if start not in ("", ".") else first) in self.folders
                                   for start in ("", "src", folder))


def is_placeholder(path, tree):
    """Whether a path is a pattern for others: tiles_SET.cpp, results/NAME-*.json, types/X.hpp."""
    return bool(re.search(r"(?<![A-Za-z])(?:[A-Z]|[A-Z]{3,})(?![A-Za-z])", path)) and Path(path).name not in tree.names


def code_of(text):
    """(line, code) for code in lines; blocks of code are left out."""
    text = re.sub(r"^ *(```+|~~~+).*?^ *\1 *$", lambda block: "\n" * block[0].count("\n"), text, flags=re.M | re.S)
    for found in re.finditer(r"(`+)(.+?)\1", text, flags=re.S):
        yield text.count("\n", 0, found.start()) + 1, found[2]


def wrong_paths(page, text, tree):
    """Lines about the paths of a page that do not exist."""
    wrong = []
    for line, code in code_of(text):
        for word in WORD.findall(re.sub(r"<[^>]*>", lambda header: header[0] if "/" in header[0] else "X", code)):
            word = word.strip(".,") if not word.startswith(".") else word
            for path in alternatives(word):
                if tree.is_path(path, page) and not is_placeholder(path, tree) and not tree.has(path, page) and \
                        path not in ELSEWHERE:
                    wrong.append(f"{page}:{line}: there is no file or folder {path}")
    return wrong


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=Path, default=ROOT, help="the sources")
    parser.add_argument("pages", nargs="*", help="Markdown files, relative to the sources")
    given = parser.parse_args(words)
    tree = Tree(given.root.resolve())
    pages = given.pages or sorted(name for name in tree.files if name.endswith(".md") and not name.startswith(EXCLUDED))
    wrong = [text for page in pages for text in wrong_paths(page, (tree.root / page).read_text(encoding="utf-8"), tree)]
    print("\n".join(wrong), end="\n" if wrong else "", file=sys.stderr)
    print(f"paths: {len(pages)} pages, {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
