# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The types: mypy and pyright pass on these tests, and what the types declare is what the package has."""

import pathlib
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent


def run(*arguments):
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=HERE.parent)


def test_mypy_passes_on_the_tests():
    pytest.importorskip("mypy")
    done = run("mypy", "--config-file", str(HERE / "mypy.ini"), "--cache-dir", "/dev/null", str(HERE))
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_sees_every_wrong_use():
    """A comment that ignores an error where there is none is an error itself."""
    pytest.importorskip("mypy")
    done = run("mypy", "--config-file", str(HERE / "mypy.ini"), "--cache-dir", "/dev/null", "--strict", "--warn-unused-ignores",
               str(HERE / "typed_use.py"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_pyright_passes_on_the_tests():
    pytest.importorskip("basedpyright")
    done = run("basedpyright", "-p", str(HERE / "pyright.json"), "--pythonpath", sys.executable)
    assert done.returncode == 0, done.stdout + done.stderr


def test_types_are_true():
    """Names, parameters and defaults of the public modules."""
    pytest.importorskip("mypy")
    done = run("mypy.stubtest", "synelix", "--ignore-missing-stub", "--concise", "--mypy-config-file", str(HERE / "mypy.ini"))
    said = [line for line in done.stdout.splitlines() if not line.startswith("synelix._")]
    assert not said and "not checking" not in done.stdout + done.stderr, "\n".join(said) + done.stderr


def test_typed_uses_run():
    import typed_use

    typed_use.right_uses()
