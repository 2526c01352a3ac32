#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the symbols of a wheel, and computes with it in an empty environment of this Python. It needs only Python.

    check_wheel.py WHEEL [--static] [--only symbols|environment]

The extension module exports its entry. It exports no symbol of Kokkos, HDF5, BLAS or LAPACK, because another module
of the process could use such a symbol by mistake. With --static it also needs no such symbol, and the only library in
the wheel is that of OpenMP.
The environment is made in a temporary folder. pip installs the wheel and its dependencies there.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
OTHERS = {
    "Kokkos": re.compile(r"^(_Z\w*6Kokkos|kokkosp?_|Kokkos)"),
    "HDF5": re.compile(r"^H5[A-Z]*[a-z_]"),
    "BLAS or LAPACK": re.compile(r"^([sdcz](gemm|gemv|axpy|dot|scal|gesdd|geqrf|getrf|potrf|syrk|trsm)_?"
                                 r"|cblas_\w+|LAPACKE_\w+|openblas_\w+)$"),
}


def owner_of(symbol):
    return next((owner for owner, pattern in OTHERS.items() if pattern.match(symbol)), None)


def symbols(library, *options):
    """Names in the dynamic symbol table, without versions."""
    lines = subprocess.run(["nm", "-D", "-P", *options, library], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    return [line.split()[0].split("@")[0] for line in lines]


def check_symbols(wheel, static):
    """Problems, as sentences."""
    problems = []
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
        modules = list(Path(folder).glob("synelix/_core*.so"))
        grafted = sorted(path.name for path in Path(folder).glob("synelix.libs/*"))
        if len(modules) != 1:
            return [f"{wheel.name} has {len(modules)} extension modules"]
        exported, needed = symbols(modules[0], "--defined-only"), symbols(modules[0], "--undefined-only")
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(grafted)} libraries inside, {len(exported)} "
              "exported symbols")
        if "PyInit__core" not in exported:
            problems.append("it does not export PyInit__core")
        problems += [f"it exports {name}, of {owner_of(name)}" for name in exported if owner_of(name)]
        if static:
            problems += [f"it needs {name}, of {owner_of(name)}" for name in needed if owner_of(name)]
            problems += [f"it holds {name}" for name in grafted if not name.startswith("libgomp")]
    return problems


def check_environment(wheel):
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", wheel], check=True)
        return subprocess.run([python, "-I", "-B", HERE / "first_result.py"], cwd=folder).returncode == 0


def test_names():
    """The patterns find the symbols of others, and none of this package."""
    assert owner_of("_ZN6Kokkos10initializeEv") == "Kokkos"
    assert owner_of("_ZNK6Kokkos4ViewIPfE4sizeEv") == "Kokkos"
    assert owner_of("H5Fopen") == owner_of("H5_libinit_g") == "HDF5"
    assert owner_of("dgemm_") == owner_of("cblas_sgemm") == "BLAS or LAPACK"
    assert owner_of("PyInit__core") is None and owner_of("_ZTIN7synelix5ErrorE") is None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wheel", type=Path)
    parser.add_argument("--static", action="store_true", help="Kokkos and HDF5 are inside the extension module, "
                        "BLAS is SciPy's")
    parser.add_argument("--only", choices=["symbols", "environment"])
    arguments = parser.parse_args()
    wheel = arguments.wheel.resolve()
    problems = []
    test_names()
    if arguments.only != "environment":
        problems += check_symbols(wheel, arguments.static)
    if arguments.only != "symbols" and not check_environment(wheel):
        problems.append("it does not compute in an empty environment (see above)")
    for problem in problems:
        print(f"{wheel.name}: {problem}", file=sys.stderr)
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
