# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The report of a device's compiler on one kernel, and its short name."""

import dataclasses
import re
import subprocess

# The columns of an instruction mix, in the order of a report.
MIX = ("instructions", "fma", "load shared", "store shared", "load global", "store global", "generic", "local", "barrier",
       "call")
LAUNCHES = ("Kokkos::Impl::ParallelFor<", "Kokkos::Impl::ParallelReduce<", "Kokkos::Impl::ParallelScan<")
WRAPPERS = ("Kokkos::Impl::CombinedFunctorReducer<", "Kokkos::Impl::FunctorAnalysis<")


@dataclasses.dataclass
class Kernel:
    """A kernel, or a function of a device that was not inlined, on one target."""

    name: str
    target: str
    registers: int = 0  # of a thread: all kinds that may contain a vector value
    spills: int = 0     # CUDA: bytes stored and loaded again; HIP: registers of vectors
    stack: int = 0      # bytes of a thread, spills and arrays that are indexed at run time
    shared: int = 0     # bytes of a team that are known when it is compiled
    occupancy: int = 0  # HIP: waves for each SIMD
    scalar_spills: int = 0  # HIP: registers of scalars, kept in lanes of vectors: no memory
    unknown_calls: bool = False  # a virtual function, a function pointer, one of the host, or itself
    mix: dict = dataclasses.field(default_factory=dict)

    def worst(self, other):
        """The same kernel launched in another way, or from another file: the larger of each number."""
        for field in ("registers", "spills", "stack", "shared", "scalar_spills", "unknown_calls"):
            setattr(self, field, max(getattr(self, field), getattr(other, field)))
        self.occupancy = min(self.occupancy, other.occupancy)
        if other.mix.get("instructions", 0) > self.mix.get("instructions", 0):
            self.mix = other.mix


def demangled(names):
    """Symbol -> name in C++."""
    names = list(dict.fromkeys(names))
    if not names:
        return {}
    answer = subprocess.run(["c++filt"], input="\n".join(names) + "\n", check=True, capture_output=True, text=True)
    return dict(zip(names, answer.stdout.splitlines()))


def first_argument(text):
    """The first of template arguments, given the text after their '<'."""
    depth = 0
    for place, letter in enumerate(text):
        if letter in "<({":
            depth += 1
        elif letter in ">)}":
            if depth == 0:
                return text[:place]
            depth -= 1
        elif letter == "," and depth == 0:
            return text[:place]
    return text


def functor(name):
    """The functor of a launch by Kokkos; of another function, its name without arguments."""
    for start in LAUNCHES + WRAPPERS:
        if start in name:
            return functor(first_argument(name.split(start, 1)[1]))
    return name


def short_name(name):
    """`DirectSweep<float, ArraySource>`, or None for kernels of Kokkos or the compiler."""
    inner = functor(name)
    if "synelix::" not in inner:
        return None
    if inner == name:  # a function
        inner = re.sub(r"^(?:void|[\w:]+) (?=synelix::)", "", inner).removesuffix(" const")
        depth = 0
        for place in range(len(inner) - 1, -1, -1):  # its arguments
            depth += {")": 1, "(": -1}.get(inner[place], 0)
            if inner[place] == "(" and depth == 0:
                inner = inner[:place]
                break
    if inner.startswith("Kokkos::Impl::"):
        return None
    inner = re.sub(r"\bsynelix::(?:[a-z]\w*::)*", "", inner).replace("Kokkos::", "").replace("Impl::", "")
    inner = re.sub(r"\((?:\w+::)*\w+\)(?=\d)", "", inner)  # (Kind)1
    return re.sub(r"\s+>", ">", inner)


def named(kernels, symbols):
    """Kernels by (name, target), from (symbol, kernel without a name)."""
    names = demangled(symbol for symbol, _ in kernels)
    for symbol, kernel in kernels:
        name = short_name(names[symbol])
        if name is None:
            continue
        kernel.name = name
        key = name, kernel.target
        if key in symbols:
            symbols[key].worst(kernel)
        else:
            symbols[key] = kernel
    return symbols
