# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the repository that take this package, or packages that its tests have, with their defaults."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import synelix as sx

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"
PROGRAM = os.environ.get("SYNELIX_TOOL") or shutil.which("synelix")

pytestmark = pytest.mark.skipif(not EXAMPLES.is_dir(), reason="no examples beside these tests")


def ran(folder, name, *words):
    return subprocess.run([sys.executable, "-B", str(EXAMPLES / name), *map(str, words)], cwd=folder, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)


@pytest.mark.skipif(PROGRAM is None, reason="no program synelix, which makes the files of the defaults")
@pytest.mark.parametrize(("name", "package", "says"), [
    ("plot_features.py", "matplotlib", "features.png"), ("fit_nemos.py", "nemos", "coefficients (32, 4)")])
def test_defaults(tmp_path, name, package, says):
    pytest.importorskip(package)
    done = ran(tmp_path, name)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout
    if says.endswith(".png"):
        assert (tmp_path / says).stat().st_size > 10000


def test_features_of_the_package(tmp_path):
    """What convolve_file wrote is drawn as well, here without a rate."""
    pytest.importorskip("matplotlib")
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "rec.h5", "w") as file:
        file["counts"] = np.random.default_rng(0).poisson(0.1, (500, 3)).astype(np.uint8)
    sx.convolve_file(f"{tmp_path}/rec.h5:/counts", sx.RaisedCosineLogConv(5, window_size=20), f"{tmp_path}/out.h5:/features")
    done = ran(tmp_path, "plot_features.py", "out.h5:/features", "--recording", "rec.h5:/counts", "-o", "p.png", "--seconds", 100)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "p.png").stat().st_size > 10000
    for words, says in ((["out.h5"], "no dataset is named"), (["none.h5:/f"], "cannot be read"),
                        (["rec.h5:/counts"], "not features")):
        done = ran(tmp_path, "plot_features.py", *words)
        assert done.returncode == 1 and says in done.stderr and done.stderr.count("\n") == 1, done.stderr
