# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults that a compiler for a host is silent about, and which gate has to refuse each."""

import dataclasses

PRODUCT = "src/design/sweep/product.hpp"
PACK = "src/lanes/pack.hpp"
TILE = "tests/gates/faults/tile.hpp"

STORE = "*to = canonical(left * right[b]);"
LAST_LINE = "}  // namespace synelix::sweep"
MEMBER = "  /// The product of one column"
BROADCAST = "  static SYNELIX_INLINE Pack broadcast(Scalar value) {\n    Pack pack;\n    for (int i"

# The file of a kernel -> its functor, which is in a namespace of its fault.
FUNCTORS = {PRODUCT: "synelix::sweep::{}::ProductSweep<float>", TILE: "synelix::gates::{}::TileSweep"}

# The limits of these kernels: they are hot.
CEILINGS = """{"kernels": [
  {"kernel": "*ProductSweep<float>", "hot": true, "most": {"sm_90": [80, 0, 64], "gfx90a": [80, 0, 64], "gfx942": [80, 0, 64]}},
  {"kernel": "*TileSweep", "hot": true, "most": {"sm_90": [168, 0, 64], "gfx90a": [256, 0, 64], "gfx942": [256, 0, 64]}}]}"""


@dataclasses.dataclass(frozen=True)
class Fault:
    """Edits of a copy: (file, text before, text after), of which each has to be found. Gate -> what it has to say, as a
    pattern."""

    name: str
    kernel: str     # the file of the kernel that has the fault
    edits: tuple
    seen_by: dict


def at_end(text):
    return ((PRODUCT, LAST_LINE, text + "\n" + LAST_LINE),)


def member(text, use):
    """An additional member function of ProductSweep, which is used to store a result."""
    return ((PRODUCT, MEMBER, text + "\n" + MEMBER), (PRODUCT, STORE, use))


FAULTS = [
    Fault("a static constexpr member bound to a reference", PRODUCT,
          member("static constexpr int step = 1;\n  KOKKOS_FUNCTION static int same(const int& value) { return value; }",
                 "*to = canonical(left * right[b * same(step)]);"),
          {"cuda": r"::step\" is undefined in device code"}),
    Fault("a KOKKOS_LAMBDA in a private member function", PRODUCT,
          at_end("class Starter {\n  void start() {\n    Kokkos::parallel_for(1, KOKKOS_LAMBDA(int){});\n  }\n};"),
          {"cuda": "cannot have private or protected access within its class"}),
    Fault("a KOKKOS_LAMBDA in a generic lambda", PRODUCT,
          at_end("inline void start() {\n  auto each = [](auto n) { Kokkos::parallel_for(n, KOKKOS_LAMBDA(int){}); };\n"
                 "  each(1);\n}"),
          {"cuda": "generic lambda"}),
    Fault("a variable first captured inside `if constexpr`", PRODUCT,
          at_end("template <class Scalar>\nvoid start(Scalar* to, Scalar value) {\n"
                 "  Kokkos::parallel_for(1, KOKKOS_LAMBDA(int i) {\n"
                 "    if constexpr (sizeof(Scalar) == 4) to[i] = value;\n  });\n}\n"
                 "inline void start_float(float* to) { start(to, 1.0F); }"),
          {"cuda": "first-capture"}),
    Fault("a function of the host called in a kernel", PRODUCT,
          ((PRODUCT, "/// The functor.", "inline float of_the_host(float x) { return x + 1; }\n\n/// The functor."),
           (PRODUCT, STORE, "*to = canonical(of_the_host(left * right[b]));")),
          {"cuda": r"calling a __host__ function[^\n]*\n.*of_the_host", "hip": r"reference to __host__ function 'of_the_host'"}),
    Fault("a function of lanes without its mark for devices", TILE,
          ((PACK, BROADCAST, BROADCAST.replace("SYNELIX_INLINE ", "")),),
          {"cuda": r"calling a __host__ function[^\n]*\n.*broadcast", "hip": r"reference to __host__ function 'broadcast'"}),
    Fault("launch bounds that leave a hot kernel too few registers", TILE,
          ((TILE, "LaunchBounds<128, 1>", "LaunchBounds<1024, 2>"),),
          {"cuda": r"TileSweep on sm_90: spills \d+, at most 0 allowed \(a hot kernel\)"}),
    Fault("too many sums for the registers of a hot kernel", TILE,
          ((TILE, "DeviceThread, 16>", "DeviceThread, 160>"),),
          {"cuda": r"TileSweep on sm_90: (?:spills|stack) \d+", "hip": r"TileSweep on gfx\w+: (?:spills|stack|registers) \d+"}),
    Fault("an array of a thread that is indexed at run time", PRODUCT,
          ((PRODUCT, STORE, "Scalar kept[256];\n        for (int i = 0; i < 256; ++i) kept[i] = right[i];\n"
            "        for (int i = 0; i < 256; ++i) kept[(i * place) & 255] += left;\n"
            "        *to = canonical(kept[place & 255]);"),),
          {"cuda": r"ProductSweep<float> on sm_90: stack \d+, at most 64", "hip": r"ProductSweep<float> on gfx\w+: stack \d+"}),
    Fault("a throw in a kernel", PRODUCT,
          ((PRODUCT, STORE, "if (last.bases > 9) throw 1;\n        " + STORE),),
          {"cuda": "does not support exception handling", "hip": r"calls what its compiler cannot follow"}),
    Fault("memory of the host's threads in a kernel", PRODUCT,
          ((PRODUCT, STORE, "thread_local int calls = 0;\n        ++calls;\n        *to = canonical(left * calls);"),),
          {"cuda": "thread_local specifier", "hip": r"thread-local storage|GlobalTLSAddress"}),
    Fault("a virtual call in a kernel", PRODUCT,
          ((PRODUCT, "/// The functor.", "struct Shape {\n  KOKKOS_FUNCTION virtual float of(float x) const { return x; }\n};\n"
            "struct Twice : Shape {\n  KOKKOS_FUNCTION float of(float x) const override { return x * 2; }\n};\n\n/// The functor."),
           (PRODUCT, "std::int64_t teams = 1;", "std::int64_t teams = 1;\n  const Shape* shape = nullptr;"),
           (PRODUCT, STORE, "*to = canonical(shape->of(left * right[b]));")),
          {"cuda": r"ProductSweep<float> on sm_90: calls what its compiler cannot follow",
           "hip": r"ProductSweep<float> on gfx\w+: calls what its compiler cannot follow"}),
    Fault("a function that calls itself", PRODUCT,
          member("KOKKOS_FUNCTION static Scalar down(Scalar x, std::int64_t n) {\n"
                 "    return n < 2 ? x : down(x, n - 1) * down(x + 1, n - 2);\n  }",
                 "*to = canonical(down(left * right[b], place));"),
          {"cuda": r"ProductSweep<float>::down", "hip": r"calls what its compiler cannot follow"}),
]
