#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the site. `./dev docs` calls it, with the Python package installed and Sphinx as Debian has it.

    build.py --program FILE [--root FOLDER] [--out FOLDER]
"""
import argparse
import importlib.util
import os
import subprocess
import sys
import warnings
from pathlib import Path

DEBIAN = "/usr/lib/python3/dist-packages"                  # Sphinx; behind the packages that Synelix was built with
if importlib.util.find_spec("sphinx") is None:
    sys.path.append(DEBIAN)


def run_doxygen(root, out):
    """The XML of the public headers. A warning is an error, but for parameters of other overloads in a shared text."""
    settings = (root / "Doxyfile").read_text() + f"\nOUTPUT_DIRECTORY = {out}\n"
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=root, capture_output=True, text=True, check=False)
    sys.path.insert(0, str(root / "docs/_site"))
    from doxygen_warnings import unexpected

    problems = unexpected(done.stderr.splitlines(), out / "xml")
    if done.returncode != 0 or problems:
        raise SystemExit("\n".join(["doxygen:", *(problems or done.stderr.splitlines())]))


def run_sphinx(root, out):
    from sphinx.cmd.build import main

    os.environ["SYNELIX_DOCS_OUT"] = str(out)
    warnings.filterwarnings("ignore", message="Sphinx 9 will drop support")   # of Breathe 4.35; remove with a newer one
    words = ["-q", "-W", "--keep-going", "-b", "html", "-c", str(root / "docs"), "-d", str(out / "doctrees"),
             str(out / "source"), str(out / "html")]
    return main(words)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=Path, help="the program synelix, which describes its options")
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2], help="the sources")
    parser.add_argument("--out", type=Path, help="default: ROOT/build/docs")
    given = parser.parse_args()
    root = given.root.resolve()
    out = (given.out or root / "build/docs").resolve()
    out.mkdir(parents=True, exist_ok=True)
    run_doxygen(root, out)
    from stage import Stage

    Stage(root, out / "source", given.program.resolve(), out / "xml").write()
    code = run_sphinx(root, out)
    if code == 0:
        print(out / "html/index.html")
    return code


if __name__ == "__main__":
    sys.exit(main())
