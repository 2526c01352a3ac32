# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults of code for devices, planted into builds for CUDA, and what the emulator of tests/emulator has to say of each."""

from faults import Fault

BETWEEN_THREADS = "race in shared memory"
BETWEEN_TEAMS = "race between teams in global memory"


def on_device(name, edits, target, test="", report="", **others):
    return Fault(name, edits, target, test, report=report, kind="device", **others)


DEVICE_FAULTS = [
    # ---- a barrier is missing
    on_device("matrix products of a device do not wait for what is staged",
              (("src/launch/device_tile.hpp", "      team.team_barrier();\n      const bool ends = k + count == inner;",
                "      const bool ends = k + count == inner;"),),
              "test_on_device", "OnDevice/0.ProductsRefuseMemoryOfTheHost", BETWEEN_THREADS,
              sources=("src/products/plan/prepared_products.cpp",), is_quick=True),
    on_device("passes of a transform on a device do not wait for those before",
              (("src/launch/device_stages.hpp",
                "          [&](int q) __attribute__((always_inline)) { return samples[q]; }, points, places,\n"
                "          spectral::Turns<16, Scalar>(factors, columns, places.column));\n"
                "    });\n    team.team_barrier();",
                "          [&](int q) __attribute__((always_inline)) { return samples[q]; }, points, places,\n"
                "          spectral::Turns<16, Scalar>(factors, columns, places.column));\n"
                "    });"),),
              "test_on_device", "OnDevice/0.AnArtefactDoesNotDrownOtherRows", BETWEEN_THREADS,
              sources=("src/convolve/plan/fft_launches.cpp",)),
    on_device("a device adds losses of rows before all threads have them",
              (("src/glm/sweep/device_losses.hpp",
                "        parts[threads + thread] = found.weight;\n      });\n      team.team_barrier();",
                "        parts[threads + thread] = found.weight;\n      });"),),
              "synelix_fit_check", report=BETWEEN_THREADS,
              arguments=("tests/golden/fits.h5", "/fits/coupling_softplus_ridge")),
    on_device("the next sum of a convolution on a device does not wait for the one before",
              (("src/operators/sweep/device_conv.hpp", "if (!is_first) team.team_barrier();", ""),),
              "synelix_operator_check", report=BETWEEN_THREADS, arguments=("tests/golden/operators.h5",)),
    # ---- a read is beside its array
    on_device("a device adds one part of a gradient too many",
              (("src/operators/sweep/conv_reduce_split_k.hpp", "std::int64_t i = 1; i < partials; ++i", "std::int64_t i = 1; i <= partials; ++i"),),
              "test_on_device", "OnDevice/0.GradientsOfFewWeightsAreTheirSums", "memory out of bounds|that nothing wrote",
              sources=("src/operators/plan/device_operator.cpp",)),
    on_device("a device loses one row more than a block has",
              (("src/glm/sweep/device_losses.hpp", "for (std::int64_t t = rows.begin + thread; t < rows.end; t += threads) {",
                "for (std::int64_t t = rows.begin + thread; t <= rows.end; t += threads) {"),),
              "synelix_fit_check", report=f"memory out of bounds|that nothing wrote|{BETWEEN_TEAMS}",
              arguments=("tests/golden/fits.h5", "/fits/coupling_softplus_ridge")),
    on_device("a device stages one column of the left operand too far",
              (("src/launch/device_tile.hpp", "j += neighbours) to[j * pitch + i] = from.value(i, k + j);",
                "j += neighbours) to[j * pitch + i] = from.value(i, k + j + 1);"),),
              "synelix_operator_check", report="memory out of bounds", arguments=("tests/golden/operators.h5",),
              sources=("src/products/plan/prepared_products.cpp",)),
    on_device("a device reads one event behind those of a row",
              (("src/convolve/events/device_events.hpp", "for (std::int64_t e = range.end; e-- > range.begin;) {",
                "for (std::int64_t e = range.end + 1; e-- > range.begin;) {"),),
              "test_convolve_random", "ConvolveRandom*Events*", "memory out of bounds",
              sources=("src/convolve/plan/sum_launches.cpp",)),
    # ---- teams write where others do
    on_device("all parts of a gradient lie at one place",
              (("src/operators/sweep/device_conv_grad_weights.hpp", "item.partial * partial_stride", "0 * partial_stride"),),
              "test_on_device", "OnDevice/0.GradientsOfFewWeightsAreTheirSums", BETWEEN_TEAMS,
              sources=("src/operators/plan/device_operator.cpp",)),
    on_device("teams of the direct method share one place for their sums",
              (("src/convolve/direct/device_direct.hpp", "workspace.data + team.league_rank() * workspace.bytes",
                "workspace.data"),),
              "test_on_device", "OnDevice/0.LongWindowsAreSummedInParts", BETWEEN_TEAMS,
              sources=("src/convolve/plan/sum_launches.cpp",)),
    # ---- the host does not wait for a stream
    on_device("blocks through a device are taken before they are there",
              (("src/blocks/slots.hpp", "void wait(std::size_t slot) const { m_instances[slot].fence(m_wait); }",
                "void wait(std::size_t) const {}"),),
              "test_on_device", "OnDevice/*.BlocksGoThroughTheDevice",
              sources=("src/convolve/staged/through_device.cpp",), environment={"EMULATE_STREAMS": "late"}),
    on_device("blocks through a device begin before its tables are there",
              (("src/convolve/staged/through_device.cpp",
                '  m_exec.fence("synelix::convolve: tables and arguments are there");\n', ""),),
              "test_on_device", "OnDevice/*.BlocksGoThroughTheDevice", "that nothing wrote",
              environment={"EMULATE_STREAMS": "late"}),
    on_device("a one-shot product returns before it is done",
              (("src/launch/start_watched.hpp",
                '    exec.fence(std::string("synelix::") + verb + ": the workspace is released");\n', ""),),
              "test_on_device", "OnDevice/*.ProductsRefuseMemoryOfTheHost", environment={"EMULATE_STREAMS": "late"},
              sources=("src/products/plan/matmul.cpp",)),
]
