#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Kokkos with CUDA for the emulator, out of an installed one without: its headers, its library, and cuda_backend.cpp.

    make_prefix.py PREFIX [--nvcc NVCC] [--kokkos FOLDER] [--library FILE]

CMake finds it by Kokkos_ROOT=PREFIX. Its launches, teams, reductions, Views and atomics are Kokkos' own headers. Memory,
copies, streams and scratch are those of cuda_backend.cpp. A build of Kokkos with CUDA takes its place wherever one is at
hand.
"""
import argparse
import glob
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "gates"))

import kokkos_configuration  # noqa: E402  (in the folder of gates)

ARCHITECTURE = 90
COMMON = """set(Kokkos_DEVICES "CUDA;OPENMP")
set(Kokkos_ENABLE_CUDA ON)
set(Kokkos_ENABLE_OPENMP ON)
set(Kokkos_ARCH HOPPER90)
set(Kokkos_CUDA_ARCHITECTURES {architecture})
set(Kokkos_COMPILE_LANGUAGE CUDA)
set(Kokkos_CXX_STANDARD 20)
set(Kokkos_VERSION {version})
"""


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prefix", type=pathlib.Path)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--kokkos", type=pathlib.Path, default="/usr/include/kokkos", help="folder of Kokkos_Core.hpp")
    parser.add_argument("--library", help="libkokkoscore.so of the same installation")
    return parser.parse_args()


def main():
    arguments = parse()
    library = arguments.library or next(iter(glob.glob("/usr/lib/*/libkokkoscore.so")), None)
    if library is None or not (arguments.kokkos / "Kokkos_Core.hpp").exists():
        sys.exit(f"make_prefix: no Kokkos at {arguments.kokkos}, or no libkokkoscore.so. Install libkokkos-dev, or give "
                 "--kokkos and --library.")
    package = arguments.prefix.resolve() / "lib/cmake/Kokkos"
    package.mkdir(parents=True, exist_ok=True)
    kokkos_configuration.write(arguments.kokkos, package / "include", "CUDA", f"sm_{ARCHITECTURE}", keeps_hosts=True)
    version = kokkos_configuration.version_of(arguments.kokkos)
    (package / "KokkosConfigCommon.cmake").write_text(
        COMMON.format(architecture=ARCHITECTURE, version=version), encoding="utf-8")
    template = (HERE / "KokkosConfig.cmake.in").read_text(encoding="utf-8")
    (package / "KokkosConfig.cmake").write_text(
        template.replace("@KOKKOS@", str(arguments.kokkos)).replace("@LIBRARY@", library), encoding="utf-8")
    (package / "KokkosConfigVersion.cmake").write_text(
        f'set(PACKAGE_VERSION "{version}")\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n', encoding="utf-8")
    built, source = package / "libkokkos_cuda.a", HERE / "cuda_backend.cpp"
    sources = (source, package / "include/KokkosCore_config.h")                 # which changes with Kokkos
    if built.exists() and built.stat().st_mtime > max(file.stat().st_mtime for file in sources):
        return
    made = package / "cuda_backend.o"
    subprocess.run(
        [arguments.nvcc, "-x", "cu", "-std=c++20", "-O2", "-extended-lambda", "--expt-relaxed-constexpr", "-cudart", "shared",
         f"-gencode=arch=compute_{ARCHITECTURE},code=compute_{ARCHITECTURE}", "--compress-mode=none", "-Xcompiler=-fPIC,-fopenmp",
         f"-I{package / 'include'}", f"-I{arguments.kokkos}", "-c", str(source), "-o", str(made)], check=True)
    built.unlink(missing_ok=True)
    subprocess.run(["ar", "rcs", str(built), str(made)], check=True)


if __name__ == "__main__":
    main()
