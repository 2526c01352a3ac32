#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of the folders sees what it is there to see: each violation is planted in a copy of the project.

    test_layering.py ROOT
"""

import pathlib
import shutil
import sys
import tempfile

import kokkos_reach
import layering

HEAD = "// " + layering.SPDX[0] + "\n// " + layering.SPDX[1] + "\n"
FOLDERS = ("include", "src", "tests", "perf", "examples", "cmake", "scripts", "spack")

# rule that must be reported, file that is written, its text after the head
VIOLATIONS = [
    ("units", "src/bases/planted.cpp", "namespace synelix::bases {\nnamespace {\nint check_order(double order) { return order > 0; }\n}\n}\n"),
    ("units", "src/bases/planted.cpp", "namespace synelix::bases {\nnamespace {\nusing check_order = int;\n}\n}\n"),
    ("units", "src/bases/planted.cpp", "namespace synelix::bases {\nstatic const int require_at_least = 1;\n}\n"),
    ("arrows", "src/bases/planted.cpp", '#include "convolve/choice/choose.hpp"\n'),
    ("arrows", "src/convolve/choice/planted.cpp", '#include "convolve/direct/direct.hpp"\n'),
    ("arrows", "src/operators/choice/planted.cpp", '#include "operators/sweep/conv_sweep.hpp"\n'),
    ("arrows", "src/operators/choice/planted.cpp", '#include "operators/plan/conv_shape.hpp"\n'),
    ("arrows", "src/operators/choice/planted.cpp", '#include "launch/launch.hpp"\n'),
    ("arrows", "src/operators/problem/planted.hpp", '#include "operators/choice/operator_items.hpp"\n'),
    ("arrows", "src/products/choice/planted.cpp", '#include "products/sweep/matmul.hpp"\n'),
    ("kokkos", "src/products/choice/planted.cpp", "#include <Kokkos_Core.hpp>\n"),
    ("arrows", "src/products/sweep/planted.hpp", '#include "products/choice/product_parts.hpp"\n'),
    ("arrows", "src/index/planted.hpp", '#include "pack/source.hpp"\n'),
    ("arrows", "src/tile/planted.cpp", '#include "convolve/direct/direct.hpp"\n'),
    ("arrows", "src/hdf5/planted.cpp", '#include "convolve/plan/row_table.hpp"\n'),
    ("arrows", "src/blocks/planted.cpp", '#include "streams/stream_plan.hpp"\n'),
    ("arrows", "src/streams/planted.cpp", '#include "hdf5/objects/h5_file.hpp"\n'),
    ("arrows", "src/hdf5/source/planted.cpp", '#include "nwb/table.hpp"\n'),
    ("arrows", "src/convolve/plan/planted.cpp", '#include "design/plan/design_layout.hpp"\n'),
    ("arrows", "src/convolve/plan/planted.cpp", '#include "products/problem/products.hpp"\n'),
    ("arrows", "src/operators/plan/planted.cpp", '#include "products/problem/products.hpp"\n'),
    ("arrows", "src/products/plan/planted.cpp", '#include "convolve/sweep/problem.hpp"\n'),
    ("arrows", "src/launch/planted.cpp", '#include "convolve/sweep/problem.hpp"\n'),
    ("arrows", "src/plan/planted.cpp", "int planted;\n"),
    ("arrows", "src/tool/planted.cpp", '#include "index/segment.hpp"\n'),
    ("arrows", "src/pack/planted.hpp", "#include <synelix/convolve.hpp>\n"),
    ("arrows", "src/convolve/plan/planted.cpp", '#include "planted.hpp"\n'),
    ("arrows", "src/convolve/plan/planted.cpp", "#include <hdf5.h>\n"),
    ("kokkos", "src/convolve/choice/planted.cpp", "#include <Kokkos_Core.hpp>\n"),
    ("kokkos", "src/hdf5/planted.cpp", "#include <synelix/hdf5.hpp>\n"),
    ("kokkos", "include/synelix/types/planted.hpp", "#include <synelix/series.hpp>\n"),
    ("kokkos", "src/convolve/plan/planted.cpp", "#include <synelix/convolve.hpp>\n"),
    ("kokkos", "tests/convolve/planted.cpp", "#include <synelix/convolve.hpp>\n"),
    ("arrows", "src/hdf5/planted.cpp", "#include <nlohmann/json.hpp>\n"),
    ("arrows", "src/extras/planted.cpp", "int planted;\n"),
    ("arrows", "include/synelix/planted.hpp", '#include "index/segment.hpp"\n'),
    ("seam", "include/synelix/planted.hpp", "namespace synelix {\nnamespace seam {\n}\n}\n"),
    ("seam", "examples/planted.cpp", "#include <synelix/seam/convolve.hpp>\n"),
    ("containers", "src/lanes/planted.hpp", "#include <vector>\n"),
    ("containers", "src/convolve/sweep/planted.hpp", "#include <vector>\n"),
    ("containers", "src/tile/planted.cpp.in", "#include <algorithm>\n"),
    ("containers", "src/tile/planted.cpp.in", '#include "launch/team.hpp"\n'),
    ("backend", "src/convolve/sweep/planted.hpp", "#ifdef KOKKOS_ENABLE_CUDA\n#endif\n"),
    ("backend", "src/tile/planted.hpp", "#if defined(__AVX2__)\n#endif\n"),
    ("parallel", "src/convolve/plan/planted.cpp", "void f() { Kokkos::parallel_for(1, g); }\n"),
    ("kernels", "src/convolve/sweep/planted.hpp", "float f(const std::vector<float>& x) { return x[0]; }\n"),
    ("kernels", "src/products/problem/planted.hpp", "struct Part { std::string name; };\n"),
    ("kernels", "src/tile/planted.hpp", "std::function<int()> f;\n"),
    ("kernels", "src/convolve/sweep/planted.hpp", "struct Sweep { std::string label; };\n"),
    ("kernels", "src/lanes/planted.hpp", "std::optional<int> f;\n"),
    ("kernels", "src/spectral/planted.hpp", "float f(float x) { return std::sqrt(x); }\n"),
    ("kernels", "src/pack/planted.hpp", "std::map<int, std::string> f;\n"),
    ("kernels", "src/index/planted.hpp", "std::array<int, 2> f;\n"),
    ("kernels", "src/bases/functions.hpp", "// in the place of its functions\ninline double f(double x) { return std::exp(x); }\n"),
    ("prints", "src/convolve/plan/planted.cpp", "void f() { std::cerr << 1; }\n"),
    ("prints", "src/convolve/choice/planted.cpp", "void f() { std::exit(1); }\n"),
    ("head", "src/convolve/plan/planted.cpp", None),
    ("head", "spack/planted.py", None),
    ("size", "src/convolve/plan/planted.cpp", "int planted;\n" * 450),
    ("names", "src/convolve/plan/plan_utils.hpp", "int planted;\n"),
    ("names", "include/synelix/detail/planted.hpp", "int planted;\n"),
    ("left open", "src/convolve/plan/planted.cpp", "// TODO: the rest\n"),
]
# Code that looks like a violation, but is none.
INNOCENT = [
    ("src/design/planted.cpp", "namespace synelix::bases {\nnamespace {\nint check_order(double order) { return order > 0; }\n}\n}\n"),
    ("src/bases/planted.cpp", "namespace synelix::bases {\nnamespace {\nint check_planted(int check_order) { return check_order; }\n}\n}\n"),
    ("src/convolve/plan/planted.cpp", '#include "convolve/direct/direct.hpp"\n#include <synelix/convolve.hpp>\n#include <Kokkos_Core.hpp>\n#include <vector>\n'),
    ("src/convolve/plan/planted.cpp", '// std::cerr and Kokkos::parallel_for in words\nauto s = "std::exit(1)";\n'),
    ("include/synelix/seam/planted.hpp", "namespace synelix::seam {\n}\n"),
    ("src/tool/planted.cpp", "#include <nlohmann/json.hpp>\n#include <synelix/types/hdf5.hpp>\nvoid f() { std::cerr << 1; }\n"),
    ("src/convolve/sweep/planted.hpp", "// std::vector in words\nstd::uint16_t f(std::size_t);\nstd::byte* g(std::int64_t);\n"
     "void h(const std::string& label);\n"),
    ("src/hdf5/planted.cpp", "#include <hdf5.h>\n#include <synelix/types/convolve.hpp>\n"),
    ("examples/planted.cpp", "#include <synelix/convolve.hpp>\n"),
]


def rounds_of(planted):
    """Lists of violations that can be planted together, since reading the project takes a second: each file has one
    text."""
    rounds = []
    for plant in planted:
        name = plant[-2]
        for round_ in rounds:
            if all(other[-2] != name for other in round_):
                round_.append(plant)
                break
        else:
            rounds.append([plant])
    return rounds


def findings_with(copy, files):
    """The findings in the copy with these (name, text); the copy is restored afterwards."""
    old, folders = {}, []
    for name, text in files:
        path = copy / name
        folders += [parent for parent in path.parents if not parent.exists()]
        path.parent.mkdir(parents=True, exist_ok=True)
        old[path] = path.read_bytes() if path.exists() else None
        path.write_text("int planted;\n" if text is None else HEAD + text, encoding="utf-8")
    found = set(layering.findings(copy))
    for path, content in old.items():
        path.unlink()
        if content is not None:
            path.write_bytes(content)
    for folder in sorted(folders, reverse=True):             # the inner ones first
        folder.rmdir()
    return found


def main():
    root = pathlib.Path(sys.argv[1])
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder) / "copy"
        copy.mkdir()
        for name in FOLDERS:
            if (root / name).exists():
                shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "build"))
        before = set(layering.findings(copy))

        for round_ in rounds_of(VIOLATIONS):
            found = findings_with(copy, [(name, text) for _, name, text in round_]) - before
            for rule, name, text in round_:
                if not any(line.startswith(name + ":") and f": {rule}: " in line for line in found):
                    failures += 1
                    print(f"not seen: {rule} in {name}: {text!r}; reported: {sorted(found)}")
        for round_ in rounds_of(INNOCENT):
            found = findings_with(copy, round_) - before
            if found:
                failures += 1
                print(f"wrongly refused: {round_}; reported: {sorted(found)}")
        kokkos_reach.MOST_SOURCES, most = 1, kokkos_reach.MOST_SOURCES
        if not any(line.startswith("src/CMakeLists.txt:") for line in set(layering.findings(copy)) - before):
            failures += 1
            print("not seen: more files of src that reach Kokkos than may")
        kokkos_reach.MOST_SOURCES = most
    print(f"{len(VIOLATIONS)} violations and {len(INNOCENT)} innocent files, {failures} judged wrongly")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
