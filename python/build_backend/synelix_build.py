# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""scikit-build-core, with the library's own tree in the sdist.

`pip install ./python` builds with the sources beside this folder. An sdist must hold these sources, but
scikit-build-core takes no files from above the folder of pyproject.toml. So this backend makes the sdist from a copy
of the package that has the sources in its folder `library`.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from scikit_build_core import build as backend
from scikit_build_core.build import *  # noqa: F403

PACKAGE = Path(__file__).resolve().parent.parent
LIBRARY = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "src")
LEFT_OUT = shutil.ignore_patterns("build", "dist", "__pycache__", ".*", "*.so", "_core.pyi")


def write_revision(library):
    """What `git archive` would write: an sdist has no git."""
    if not (PACKAGE.parent / ".git").exists() or not shutil.which("git"):
        return
    words = ["git", "-c", "safe.directory=*", "-C", str(PACKAGE.parent), "rev-parse", "--verify", "HEAD"]
    found = subprocess.run(words, capture_output=True, text=True)
    if found.returncode == 0:
        (library / "cmake" / "revision.txt").write_text(found.stdout)


def build_sdist(sdist_directory, config_settings=None):
    if (PACKAGE / "library").exists():                     # an sdist that was unpacked
        return backend.build_sdist(sdist_directory, config_settings)
    before = os.getcwd()
    sdist_directory = os.path.abspath(sdist_directory)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "synelix"
        shutil.copytree(PACKAGE, copy, ignore=LEFT_OUT)    # links become files
        (copy / "library").mkdir()
        for name in LIBRARY:
            source, target = PACKAGE.parent / name, copy / "library" / name
            if source.is_dir():
                shutil.copytree(source, target, ignore=LEFT_OUT)
            else:
                shutil.copy2(source, target)
        write_revision(copy / "library")
        os.chdir(copy)
        try:
            return backend.build_sdist(sdist_directory, config_settings)
        finally:
            os.chdir(before)
