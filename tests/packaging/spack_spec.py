# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Spack's spec syntax, as far as our recipe uses it, and the variants of other packages that a spec may name.

The variants are as in Spack's own package repository in July 2026.
"""

import functools
import re

# Package -> its variants that specs of ours may name. Compilers are packages too.
FOREIGN_VARIANTS = {
    "kokkos": {"serial", "openmp", "threads", "hpx", "sycl", "openmptarget", "cuda", "cuda_arch", "rocm", "amdgpu_target", "pic", "shared",
               "wrapper", "cmake_lang", "cuda_lambda", "cxxstd"},
    "kokkos-kernels": {"serial", "openmp", "cuda", "cuda_arch", "blas", "cublas", "rocblas", "shared", "scalars"},
    "hdf5": {"mpi", "shared", "hl", "szip"},
    "googletest": {"gmock"},
    "fftw": {"mpi", "openmp", "precision"},
}
FOREIGN_VARIANTS |= dict.fromkeys(
    ("benchmark", "blas", "c", "cli11", "cmake", "cuda", "cxx", "gmake", "hip", "kokkos-nvcc-wrapper", "lapack", "mpi", "ninja",
     "nlohmann-json", "py-h5py", "py-numpy", "python", "tomlplusplus", "clang", "gcc", "llvm", "rocmcc"), frozenset())
# Package -> its variants with values, and the values of Spack 1.0's packages (v2025.07). Spack refuses a recipe that requires
# a value that the package does not have.
FOREIGN_VALUES = {
    "kokkos": {"cxxstd": {"11", "14", "17", "20"}},
}
# Backends of Kokkos that Synelix has no code for. Each would be the default one if Kokkos has it.
OTHER_BACKENDS = ("threads", "hpx", "sycl", "openmptarget")
# Names of the package API that came after v2.0.
API_OF_NAMES = {"get_cmake_prefix_path": 2}
# Variants of ours that Spack's base classes declare.
INHERITED_VARIANTS = {"cuda", "cuda_arch", "rocm", "amdgpu_target", "build_type", "generator", "ipo"}

_SIGIL = re.compile(r"\s*([\^%])\s*(?:(?:c|cxx)=)?")
_PACKAGE = re.compile(r"\s*([a-z][a-z0-9-]*)(?![\w=-])")
_TOKEN = re.compile(r"\s*(?:@(?P<version>[\w.:,=-]+)|(?P<sign>[+~])(?P<variant>[a-z]\w*)|(?P<name>[a-z]\w*)=(?P<value>[\w.,:+-]+))")


class SpecError(ValueError):
    """A text that is not a spec."""


class Node:
    """One package of a spec: its name (None: the package that the recipe is of), version and variants."""

    def __init__(self, text, whole):
        found = _PACKAGE.match(text)
        self.name = found[1] if found else None
        self.version, self.variants = None, {}
        place = found.end() if found else 0
        while text[place:].strip():
            token = _TOKEN.match(text, place)
            if not token:
                raise SpecError(f"'{whole}' is not a spec, from '{text[place:]}' on")
            if token["version"]:
                self.version = token["version"]
            elif token["sign"]:
                self.variants[token["variant"]] = token["sign"] == "+"
            else:
                self.variants[token["name"]] = token["value"]
            place = token.end()


@functools.cache                                             # the same few specs are queried thousands of times
def nodes_of(text):
    """The package itself, then those after ^ and %. SpecError if the text is not a spec."""
    if not text.strip():
        raise SpecError("an empty spec")
    pieces = _SIGIL.split(text)
    return [Node(piece, text) for piece in [pieces[0], *pieces[2::2]]]


@functools.cache
def faults_of(text, own_variants, needs_name):
    """The faults of a spec of ours: its syntax, missing packages and variants. own_variants: a frozenset."""
    try:
        nodes = nodes_of(text)
    except SpecError as error:
        return [str(error)]
    faults = []
    for node in nodes:
        if node.name in (None, "synelix"):
            known = own_variants
            if node.name is None and needs_name and node is nodes[0]:
                faults.append(f"'{text}' names no package")
        elif node.name in FOREIGN_VARIANTS:
            known = FOREIGN_VARIANTS[node.name]
        else:
            faults.append(f"'{text}' names package '{node.name}', which this check does not know: read its recipe, and add it")
            continue
        faults += [f"'{text}' names variant '{name}', which {node.name or 'synelix'} does not have"
                   for name in sorted(set(node.variants) - set(known))]
        faults += [f"'{text}' names {name}={node.variants[name]}, a value that {node.name} of Spack 1.0's packages does not have"
                   for name, values in FOREIGN_VALUES.get(node.name, {}).items() if node.variants.get(name, min(values)) not in values]
    return faults
