# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which files may reach Kokkos. Kokkos_Core.hpp takes longer to read than most files take to compile, and on a build for a
device it makes device code of a file.

A source that reaches Kokkos by other headers includes a header of Kokkos itself, too. So it says on its own that it is for
the compiler of devices (cmake/SynelixDevice.cmake), and a header that begins to bring Kokkos is noticed.
"""

# Headers of include/synelix that bring Kokkos; all others, those of types/ first of all, are plain.
PUBLIC = {
    "bilinear_forms", "calibrate", "conv", "convolve", "convolve_stream", "design_matrix", "features",
    "filter_bank", "fit_file", "glm", "glm_path", "glm_score", "hdf5", "join_parts", "matmul", "mpi", "mpi_fit", "nwb", "scaled",
    "series", "session", "stream", "stream_design_matrix", "stream_features", "synelix", "trials",
    "seam/arguments", "seam/bilinear_forms", "seam/conv", "seam/convolve", "seam/convolve_stream", "seam/features",
    "seam/filter_bank", "seam/host_views", "seam/matmul", "seam/output", "seam/place", "seam/spaces", "seam/stream",
    "seam/trials",
}
# Folders and files of src/ that may reach it.
PLACES = (
    # Kernels, and the code around a launch: plans, panels, slots.
    "src/blocks/buffer.cpp", "src/blocks/slots.hpp", "src/convolve/direct/", "src/convolve/events/", "src/convolve/fft/",
    "src/convolve/plan/", "src/convolve/staged/", "src/convolve/sweep/", "src/design/plan/", "src/design/sweep/",
    "src/glm/design/bind_design.cpp", "src/glm/pass/", "src/glm/sweep/", "src/launch/canonical.hpp", "src/launch/device_levels.hpp",
    "src/launch/device_stages.hpp", "src/launch/device_tile.hpp",
    "src/launch/host_passes.hpp", "src/launch/host_space.hpp", "src/launch/launch.hpp", "src/launch/matrix_panels.hpp",
    "src/launch/plan_memory.hpp", "src/launch/reached.hpp", "src/launch/region.cpp", "src/launch/start_watched.hpp",
    "src/launch/team.hpp", "src/launch/team_turns.hpp", "src/launch/thread_values.hpp", "src/operators/plan/", "src/operators/sweep/",
    "src/products/plan/", "src/products/sweep/",
    # Streams and ranks that compute.
    "src/mpi/convolve_plan.cpp", "src/mpi/copy_rows.hpp", "src/mpi/fit.cpp", "src/mpi/halo_memory.hpp",
    "src/streams/input_ranges.hpp", "src/streams/stream_convolve.cpp",
    "src/streams/stream_design_matrix.cpp", "src/streams/stream_features.cpp", "src/streams/stream_slots.hpp",
    # Formulas that kernels and the host share.
    "src/bases/eval_basis.cpp", "src/bases/functions.cpp", "src/bases/functions.hpp", "src/bases/splines.cpp",
    # Questions to Kokkos.
    "src/types/copy_events.cpp", "src/machine/device_memory.cpp", "src/machine/devices.cpp",
    "src/machine/host_memory.cpp", "src/machine/session.cpp", "src/machine/spaces.hpp",
    # The calls of the program that compute.
    "src/tool/run/fitted_design.cpp", "src/tool/run/machine.cpp", "src/tool/run/run_calibrate.cpp", "src/tool/run/run_convolve.cpp",
    "src/tool/run/run_features.cpp",
)
MOST_SOURCES = 60  # of src/; each costs a build a second or more
# Programs as users write them: their own build decides over their compiler.
OF_USERS = ("examples/", "tests/install/", "tests/wrong_calls/")


def is_place(name):
    if name.startswith("include/synelix/"):
        return name[len("include/synelix/"):-len(".hpp")] in PUBLIC
    return not name.startswith("src/") or name.startswith(PLACES)


def included_files(tree, name, known):
    """The project's own files that a file includes, and the headers of Kokkos."""
    folder = name.rpartition("/")[0]
    for _, own, system in tree.includes(name):
        header = own or system
        if header.startswith("Kokkos_"):
            yield f"<{header}>"
            continue
        for place in (folder, "include", "src", "tests", "perf"):
            if f"{place}/{header}" in known:
                yield f"{place}/{header}"
                break


def chains_to_kokkos(tree):
    """File -> the files on the shortest include path to Kokkos, for each file that reaches it."""
    known = set(tree.files("include", "src", "tests", "perf", "examples"))
    included_by, chains, waiting = {}, {}, []
    for name in sorted(known):
        for target in included_files(tree, name, known):
            included_by.setdefault(target, []).append(name)
    waiting = sorted(target for target in included_by if target.startswith("<"))
    for target in waiting:  # grows: a walk in the order of the distance
        for name in included_by.get(target, ()):
            if name not in chains:
                chains[name] = (target, *chains.get(target, ()))
                waiting.append(name)
    return chains


def check_kokkos(tree):
    chains = chains_to_kokkos(tree)
    sources = []
    for name, chain in sorted(chains.items()):
        way = f"reaches Kokkos: {' > '.join((name, *chain))}"
        if not is_place(name):
            tree.report(name, 1, "kokkos", f"{way}. Include the plain header, such as <synelix/types/series.hpp>; or add the file "
                        "to tests/layering/kokkos_reach.py")
        if name.startswith("src/") and name.endswith(".cpp"):
            sources.append(name)
        if name.endswith(".cpp") and len(chain) > 1 and not name.startswith(OF_USERS):
            tree.report(name, 1, "kokkos", f"{way}. Include <Kokkos_Core.hpp> in the file itself, so that a build for a device "
                        "gives it to the compiler of devices")
    if len(sources) > MOST_SOURCES:
        tree.report("src/CMakeLists.txt", 1, "kokkos", f"{len(sources)} files of src reach Kokkos; at most {MOST_SOURCES}")
