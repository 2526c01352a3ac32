#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the gates read in the words of compilers, and what they find; without any compiler.

    test_gates.py
"""

import json
import pathlib
import shutil
import tempfile
import types
import unittest

import ceilings
import compile as compilation
import cuda
import faults
import hip
import kernel
import kokkos_configuration
import self_test
import sources
import units
import whole_build

LAUNCH = ("void Kokkos::Impl::cuda_parallel_launch_local_memory<Kokkos::Impl::ParallelFor<{}, Kokkos::TeamPolicy<Kokkos::Cuda,"
          " Kokkos::LaunchBounds<0u, 0u> >, Kokkos::Cuda> >(int)")
PTXAS = """\
ptxas info    : Compiling entry function '_Z5sweepv' for 'sm_90'
ptxas info    : Function properties for _Z5sweepv
    96 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Function properties for _Z4parti
    8 bytes stack frame, 0 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 120 registers, used 1 barriers, 104 bytes cumulative stack size, 8 bytes smem
"""
PTX = """\
.func  (.param .b32 func_retval0) _Z4parti(
\t.param .b32 _Z4parti_param_0
)
;
.visible .entry _Z5sweepv(
\t.param .u64 _Z5sweepv_param_0
)
{
\t.reg .b64 %rd<3>;
\tfma.rn.f32 %f1, %f2, %f3, %f4;
\t@%p1 bra $L__BB0_2;
\tld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r1];
\tst.local.u64 [%rd1], %rd2;
\tld.f32 %f1, [%rd1];
\tbar.sync 0;
\t{ // callseq 0, 0
\tcall (retval0),
\t%rd1,
\t(param0), prototype_0;
\t}
\tret;
}
"""
REMARKS = "".join(f"x.hpp:59:1: remark: {text} [-Rpass-analysis=kernel-resource-usage]\n" for text in (
    "Function Name: _Z5sweepv", "    TotalSGPRs: 106", "    VGPRs: 87", "    AGPRs: 4", "    ScratchSize [bytes/lane]: 16",
    "    Dynamic Stack: True", "    Occupancy [waves/SIMD]: 5", "    SGPRs Spill: 25", "    VGPRs Spill: 3",
    "    LDS Size [bytes/block]: 8"))
ASSEMBLY = """\
_Z5sweepv:                              ; @_Z5sweepv
\tv_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[0:1]
\tds_read_b128 v[0:3], v4
\tscratch_load_dword v1, off, s0
\ts_barrier
\ts_endpgm
.Lfunc_end0:
"""


class Names(unittest.TestCase):
    def test_a_functor_is_found_in_its_launch(self):
        inside = "synelix::sweep::DirectSweep<float, synelix::pack::ArraySource, (synelix::pack::Kind)1>"
        self.assertEqual(kernel.short_name(LAUNCH.format(inside)), "DirectSweep<float, ArraySource, 1>")

    def test_kernels_of_kokkos_are_nobodys(self):
        view = "Kokkos::Impl::ViewValueFunctor<Kokkos::Device<Kokkos::Cuda, Kokkos::CudaSpace>, synelix::index::Segment>"
        self.assertIsNone(kernel.short_name(LAUNCH.format(view)))
        self.assertIsNone(kernel.short_name("__internal_trig_reduction_slowpathd"))

    def test_a_function_is_named_without_arguments(self):
        self.assertEqual(kernel.short_name("void synelix::sweep::Lines<synelix::sweep::Sweep<float>, float>::store<Team>"
                                           "(Team const&) const"), "Lines<Sweep<float>, float>::store<Team>")


class Cuda(unittest.TestCase):
    def setUp(self):
        self.kernels = dict(cuda.kernels("sm_90", PTXAS, PTX))

    def test_resources(self):
        found = self.kernels["_Z5sweepv"]
        self.assertEqual((found.registers, found.spills, found.stack, found.shared), (120, 28, 104, 8))

    def test_a_function_that_is_not_inlined(self):
        self.assertEqual(self.kernels["_Z4parti"].spills, 4)

    def test_mix(self):
        mix = self.kernels["_Z5sweepv"].mix
        self.assertEqual([mix[name] for name in ("fma", "load shared", "local", "generic", "barrier", "call")], [1] * 6)
        self.assertTrue(self.kernels["_Z5sweepv"].unknown_calls)


class Hip(unittest.TestCase):
    def test_resources(self):
        ((symbol, found),) = hip.kernels("gfx942", REMARKS, ASSEMBLY)
        self.assertEqual(symbol, "_Z5sweepv")
        self.assertEqual((found.registers, found.spills, found.stack, found.shared, found.occupancy, found.scalar_spills),
                         (91, 3, 16, 8, 5, 25))
        self.assertTrue(found.unknown_calls)
        self.assertEqual([found.mix[name] for name in ("instructions", "fma", "load shared", "local", "barrier")],
                         [5, 1, 1, 1, 1])


@unittest.skipUnless(shutil.which("prlimit"), "no prlimit, which the gates need")
class Steps(unittest.TestCase):
    def test_all_that_is_printed_and_the_exit_code(self):
        step = compilation.run_step(["sh", "-c", "echo word; echo error >&2; exit 3"])
        self.assertEqual((step.code, step.printed), (3, "word\nerror\n"))

    def test_one_that_does_not_end_is_ended(self):
        step = compilation.run_step(["sh", "-c", "(while :; do :; done) & wait"], most=1)
        self.assertGreater(step.seconds, 0)      # of the program that the shell started: it ended

    def test_a_program_that_does_not_end_fails(self):
        self.assertNotEqual(compilation.run_step(["sh", "-c", "while :; do :; done"], most=1).code, 0)


class Units(unittest.TestCase):
    ROOT = pathlib.Path(__file__).resolve().parents[2]

    def test_every_file_with_kernels_is_in_one_unit(self):
        files = sources.with_kernels(self.ROOT)
        found = units.of_files(sources.Includes(self.ROOT), files)
        self.assertEqual(sorted(file for unit in found for file in unit.files), files)
        self.assertLess(len(found), len(files))
        self.assertEqual(len({unit.file_name for unit in found}), len(found))

    def tree(self, folder):
        root = pathlib.Path(folder)
        kernel = "#include <Kokkos_Core.hpp>\n#include \"glm/sweep/{}.hpp\"\n"
        for name, text in (("glm/sweep/device_sums.hpp", "/" * units.HEAVY), ("glm/sweep/rows.hpp", "// rows\n"),
                           ("glm/fit/sums.cpp", kernel.format("device_sums")), ("glm/fit/rows.cpp", kernel.format("rows")),
                           ("glm/path/more.cpp", kernel.format("rows")), ("design/one.cpp", kernel.format("rows")),
                           ("glm/fit/of_host.cpp", '#include "glm/sweep/rows.hpp"\n')):
            (root / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "src" / name).write_text(text, encoding="utf-8")
        return root

    def test_light_files_of_a_wing_share_one(self):
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder)
            found = units.of_files(sources.Includes(root), sources.with_kernels(root))
            self.assertEqual([unit.name for unit in found],
                             ["src/glm/fit/sums.cpp", "src/glm/fit/rows.cpp, path/more.cpp", "src/design/one.cpp"])
            self.assertEqual(found[1].source(root).read_text(encoding="utf-8"),
                             '#include "glm/fit/rows.cpp"\n#include "glm/path/more.cpp"\n')
            self.assertEqual(found[0].source(root), root / "src/glm/fit/sums.cpp")

    def test_a_key_changes_with_each_file_and_what_it_reaches(self):
        backend = types.SimpleNamespace(NAME="cuda", BACKEND="CUDA", TARGETS=())
        chain = types.SimpleNamespace(description="", flags=lambda target: [])
        with tempfile.TemporaryDirectory() as folder:
            root = self.tree(folder)
            (root / "KokkosCore_config.h").write_text("".join(
                f"#define KOKKOS_VERSION_{part} 5\n" for part in ("MAJOR", "MINOR", "PATCH")), encoding="utf-8")
            (root / "cmake").mkdir()
            (root / "cmake/version.hpp.in").write_text("", encoding="utf-8")
            (root / "CMakeLists.txt").write_text("project(Synelix VERSION 1.2.3)\n", encoding="utf-8")

            def key():
                compiler = compilation.Compiler(backend, chain, root, root / "build", root)
                unit = units.of_files(compiler.reached, sources.with_kernels(root))[1]
                return compiler.key("sm_90", unit)

            seen = [key()]
            self.assertEqual(key(), seen[0])
            for name in ("glm/fit/rows.cpp", "glm/path/more.cpp", "glm/sweep/rows.hpp"):
                with (root / "src" / name).open("a", encoding="utf-8") as file:
                    file.write("// changed\n")
                seen.append(key())
            self.assertEqual(len(set(seen)), len(seen))


class Faults(unittest.TestCase):
    ROOT = pathlib.Path(__file__).resolve().parents[2]

    def test_each_has_its_place_in_a_namespace_of_its_own(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, fault in enumerate(faults.FAULTS):
                copy = self_test.Copy(fault, number, self.ROOT, pathlib.Path(folder))
                self.assertEqual(copy.misplaced, "")
                self.assertEqual((copy.folder / fault.kernel).read_text(encoding="utf-8").count(f"::{copy.space} {{"), 1)

    def test_what_is_said_goes_to_the_copy_that_it_names(self):
        with tempfile.TemporaryDirectory() as folder:
            copies = [self_test.Copy(faults.FAULTS[0], number, self.ROOT, pathlib.Path(folder)) for number in (1, 11)]
            self.assertEqual(self_test.tell(copies, ["in Fault11_/product.hpp", "in others"]), copies[:1])
            self.assertEqual(copies[1].words, "in Fault11_/product.hpp")

    def test_those_that_are_refused_are_left_out_of_the_next_compile(self):
        compiled = []

        def run(target, name, steps, kept):
            compiled.append(steps.read_text(encoding="utf-8"))
            if "Fault0_" not in compiled[-1]:
                return compilation.Result(name, target, 0.0, [])
            return compilation.Result(name, target, 0.0, [], "Fault1_/x.hpp: warning: old\nFault0_/x.hpp: error: generic lambda\n")

        compiler = types.SimpleNamespace(
            run=run, includes=lambda target: [], backend=types.SimpleNamespace(TARGETS=("sm_90",), kernels=lambda *_: []),
            tool_chain=types.SimpleNamespace(steps=lambda target, places, source, code: code.write_text("") or source))
        fault = next(fault for fault in faults.FAULTS if "generic lambda" in fault.name)
        with tempfile.TemporaryDirectory() as folder:
            copies = [self_test.Copy(fault, number, self.ROOT, pathlib.Path(folder)) for number in range(2)]
            self_test.compile_together(compiler, copies, pathlib.Path(folder))
        self.assertEqual([text.count("template void start") for text in compiled], [2, 1])
        self.assertEqual([copy.wrong("cuda") for copy in copies], ["", "NOT REFUSED"])


class WholeBuild(unittest.TestCase):
    ROOT = pathlib.Path(__file__).resolve().parents[2]

    def test_every_folder_with_code_is_looked_through(self):
        folders = {file.relative_to(self.ROOT).parts[0] for folder in self.ROOT.iterdir()
                   if folder.name != "build" and not folder.name.startswith(".") for file in folder.rglob("*.cpp")}
        self.assertEqual(folders, {*whole_build.FOLDERS, *whole_build.HOST_FOLDERS})

    def test_what_the_build_leaves_out_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name in ("src/built.cpp", "perf/forgotten.cpp", "tests/wrong_calls/filters.cpp", "tests/install/consumer.cpp"):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text("#include <Kokkos_Core.hpp>\n", encoding="utf-8")
            (root / "src/plain.cpp").write_text("#include <vector>\n", encoding="utf-8")
            files, absent = whole_build.files_of(root, {root / "src/built.cpp": []})
            self.assertEqual(files, [root / "src/built.cpp", root / "tests/install/consumer.cpp"])
            self.assertEqual(absent, [root / "perf/forgotten.cpp"])

    def test_what_a_build_writes_is_compiled_once(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            one, other, plain = (root / "build/serial/pages.cpp", root / "build/openmp/pages.cpp", root / "build/openmp/tile.cpp")
            for file in (one, other, plain):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("#include <vector>\n" if file == plain else "#include <Kokkos_Core.hpp>\n", encoding="utf-8")
            absent = root / "build/serial/later.cpp"
            files, _ = whole_build.files_of(root, {one: [], other: [], plain: [], absent: []})
            self.assertEqual(files, [other])

    def test_files_of_a_unit_have_its_options(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            unit, alone = root / "build/openmp/src/units/glm_1.cpp", root / "src/glm/fit.cpp"
            for file, text in ((unit, '#include "glm/path.cpp"\n#include "glm/score.cpp"\n'), (alone, ""),
                               (root / "src/glm/path.cpp", ""), (root / "src/glm/score.cpp", "")):
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            entries = [{"file": str(file), "command": f"c++ -D{file.stem} -c {file}"} for file in (unit, alone)]
            for build in whole_build.BUILDS:
                (root / build).mkdir(parents=True, exist_ok=True)
                (root / build / "compile_commands.json").write_text(
                    json.dumps(entries if build == "build/openmp" else []), encoding="utf-8")
            self.assertEqual(whole_build.options_of(root), {
                alone: ["-Dfit"], root / "src/glm/path.cpp": ["-Dglm_1"], root / "src/glm/score.cpp": ["-Dglm_1"]})


class Table(unittest.TestCase):
    TEXT = json.dumps({"kernels": [{"kernel": "Direct*", "hot": True, "most": {"sm_90": [128, 0, 16]}}]})

    def findings(self, complete=False, **values):
        values = {"name": "DirectSweep<float>", "target": "sm_90", "registers": 128, "stack": 16} | values
        return ceilings.Ceilings(self.TEXT).findings([kernel.Kernel(**values)], complete)

    def test_below_is_silent(self):
        self.assertEqual(self.findings(), [])

    def test_above_is_found(self):
        for field, value in (("registers", 129), ("spills", 4), ("stack", 24)):
            (found,) = self.findings(**{field: value})
            self.assertIn(f"{field} {value}, at most", found)

    def test_a_kernel_without_a_row_is_found(self):
        self.assertIn("no ceiling for EventSweep", self.findings(name="EventSweep")[0])
        self.assertIn("no ceiling for DirectSweep<float> on gfx942", self.findings(target="gfx942")[0])

    def test_a_row_without_a_kernel_is_found(self):
        self.assertIn("no kernel is Direct*", self.findings(complete=True, name="EventSweep")[1])

    def test_hot_kernels_may_not_be_allowed_to_spill(self):
        with self.assertRaisesRegex(ValueError, "is hot and may spill"):
            ceilings.Ceilings(self.TEXT.replace("128, 0", "128, 4"))

    def test_the_table_is_sound(self):
        ceilings.table()


class Configuration(unittest.TestCase):
    CORE = ("/* #undef KOKKOS_ENABLE_SERIAL */\n#define KOKKOS_ENABLE_OPENMP\n/* #undef KOKKOS_ENABLE_HIP */\n"
            "#define KOKKOS_ENABLE_DEPRECATED_CODE_5\n/* #undef KOKKOS_ARCH_AMD_GPU */\n/* #undef KOKKOS_ARCH_AMD_GFX942 */\n")

    def test_core(self):
        text = kokkos_configuration.core_configuration(self.CORE, "HIP", "gfx942")
        for macro in ("ENABLE_SERIAL", "ENABLE_HIP", 'ARCH_AMD_GPU "gfx942"', "ARCH_AMD_GFX942"):
            self.assertIn(f"#define KOKKOS_{macro}\n", text)
        for macro in ("ENABLE_OPENMP", "ENABLE_DEPRECATED_CODE_5"):
            self.assertIn(f"/* #undef KOKKOS_{macro} */\n", text)

    def test_a_line_that_is_not_there_is_said(self):
        with self.assertRaisesRegex(kokkos_configuration.NotAsExpected, "has no line '/. #undef KOKKOS_ENABLE_CUDA"):
            kokkos_configuration.core_configuration(self.CORE, "CUDA", "sm_90")

    def test_lists(self):
        text = kokkos_configuration.list_of_backends("#ifndef A_\n#define A_\n#include <decl/Kokkos_Declare_OPENMP.hpp>\n#endif\n",
                                                     "Declare", "CUDA")
        self.assertIn("#include <decl/Kokkos_Declare_SERIAL.hpp>\n#include <decl/Kokkos_Declare_CUDA.hpp>\n", text)
        self.assertNotIn("OPENMP", text)

    def test_the_spaces_of_hosts_may_stay(self):
        text = kokkos_configuration.core_configuration(self.CORE, "HIP", "gfx942", keeps_hosts=True)
        for macro in ("ENABLE_OPENMP", "ENABLE_DEPRECATED_CODE_5", "ENABLE_HIP"):
            self.assertIn(f"#define KOKKOS_{macro}\n", text)
        self.assertIn("/* #undef KOKKOS_ENABLE_SERIAL */\n", text)
        text = kokkos_configuration.list_of_backends("#ifndef A_\n#define A_\n#include <decl/Kokkos_Declare_OPENMP.hpp>\n#endif\n",
                                                     "Declare", "CUDA", keeps_hosts=True)
        self.assertIn("#include <decl/Kokkos_Declare_OPENMP.hpp>\n#include <decl/Kokkos_Declare_CUDA.hpp>\n", text)
        self.assertNotIn("SERIAL", text)


if __name__ == "__main__":
    unittest.main()
