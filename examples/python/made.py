# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files for the examples of this folder when none is named. The program `synelix` makes them in a temporary folder.

Each command is printed, so that the example shows how to make such a file.
"""
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

BANK = ("--basis", "raised-cosine-log", "--bases", "8", "--window", "100")
FIT = Path(__file__).resolve().parents[1] / "fit"
_folder = tempfile.TemporaryDirectory(prefix="synelix-example-")      # removed when the example ends
FOLDER = Path(_folder.name)


def synelix(*words, **options):
    """Runs the program in the temporary folder."""
    program = os.environ.get("SYNELIX_TOOL") or shutil.which("synelix")
    if program is None:
        sys.exit(f"{Path(sys.argv[0]).name}: no file is named, and the program synelix, which would make one, is not "
                 "on the PATH. Name a file, or run this in ./dev shell.")
    print("$ synelix " + shlex.join(words), file=sys.stderr)
    quiet = [] if words[0] == "basis" else ["--quiet"]
    return subprocess.run([program, *words, *quiet], cwd=FOLDER, check=True, **options)


def taps():
    """The taps of a basis as CSV."""
    return synelix("basis", *BANK, stdout=subprocess.PIPE, text=True).stdout


def features():
    """Names of features and of their recording: 20 s of 4 simulated units in bins of 1 ms."""
    synelix("simulate", "recording.h5:/counts", "--samples", "20000", "--channels", "4", "--rate-hz", "20")
    synelix("convolve", "recording.h5:/counts", "features.h5:/features", *BANK)
    return f"{FOLDER / 'features.h5'}:/features", f"{FOLDER / 'recording.h5'}:/counts"


def session():
    """Puts the simulated session of examples/fit, its design and its true filters into the temporary folder."""
    shutil.copy(FIT / "design.toml", FOLDER)
    subprocess.run([sys.executable, "-B", str(FIT / "make_session.py")], cwd=FOLDER, check=True,
                   stdout=subprocess.DEVNULL)


def design_features():
    """The name of the matrix that a design makes."""
    session()
    synelix("features", "design.toml", "features.h5:/features")
    return f"{FOLDER / 'features.h5'}:/features"


def model():
    """Names of a fitted model and of the filters that made its data."""
    session()
    synelix("fit", "design.toml", "model.h5", "--errors")
    return str(FOLDER / "model.h5"), f"{FOLDER / 'truth.h5'}:/coupling"
