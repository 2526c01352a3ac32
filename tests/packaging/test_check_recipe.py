#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The check of the recipe finds the faults that it should find: each mistake is planted in a copy of the project.

test_check_recipe.py ROOT
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_recipe

RECIPE = check_recipe.RECIPE
COPIED = (".gitignore", "CMakeLists.txt", "CHANGELOG.md", "README.md", "spack-repo-index.yaml", "cmake", "spack", "src", "tests", "perf")

RELEASE = 'version("0.1.0", git=git, commit="e3d0fbd8e72ebf3373a8922223b012b9fce89865")'

# file, its text, its replacement (None: the file is removed), the expected message of the check
MISTAKES = [
    (RECIPE, '"kokkos@4.6:5"', '"kokkos@4.6:5 +"', "is not a spec"),
    (RECIPE, '"kokkos+pic"', '"kokkos+pik"', "'pik', which kokkos does not have"),
    (RECIPE, '"hdf5@1.14:"', '"hdf@1.14:"', "package 'hdf', which this check does not know"),
    (RECIPE, 'when="+kernels+cuda"', 'when="+kernel+cuda"', "'kernel', which synelix does not have"),
    (RECIPE, 'define_from_variant("SYNELIX_ENABLE_KERNELS", "kernels")', 'define_from_variant("SYNELIX_ENABLE_KERNELS", "kern")',
     "there is no variant 'kern'"),
    (RECIPE, "join_path(self.test_suite", "path_of(self.test_suite", "'path_of' is not in the package API"),
    (RECIPE, "    license(", "    licence(", "name 'licence' is not defined"),
    (RECIPE, "class Synelix(", "class SynelixLibrary(", "Spack looks for Synelix in folder synelix"),
    (RECIPE, 'license("Apache-2.0 WITH LLVM-exception")', 'license("MIT")', "license is 'MIT'"),
    (RECIPE, RELEASE, 'version("0.1.0", git=git)', "version 0.1.0 has neither sha256 nor commit nor tag"),
    (RECIPE, RELEASE, 'version("0.1.0", git=git, tag="v0.1.1")', "version 0.1.0 is the tag v0.1.1, not v0.1.0"),
    (RECIPE, RELEASE, 'version("0.1.0", git=git, tag="v0.1.0")', "version 0.1.0 names a tag, which a clone may lack"),
    (RECIPE, RELEASE, 'version("0.1.0", branch="main")', "version 0.1.0 is a branch"),
    (RECIPE, 'version("main", git=git)', 'version("0.2.0", sha256="0" * 64)', "0.2.0 is not a release of CHANGELOG.md"),
    (RECIPE, f"    {RELEASE}\n", "", "CHANGELOG.md has release 0.1.0, the recipe does not"),
    (RECIPE, "git = pathlib", 'git = "https://host/synelix.git"  # pathlib', "names a host"),
    (RECIPE, "parents[5]", "parents[4]", "not from the checkout that it lies in"),
    (RECIPE, "SYNELIX_ENABLE_KERNELS", "SYNELIX_WITH_KERNELS", "sets SYNELIX_WITH_KERNELS, which is not an option"),
    (RECIPE, 'self.define("SYNELIX_ENABLE_BENCHMARKS", False),', "", "never sets CMake's option SYNELIX_ENABLE_BENCHMARKS"),
    ("CMakeLists.txt", 'option(SYNELIX_WERROR "', 'option(SYNELIX_NEW "new" OFF)\noption(SYNELIX_WERROR "',
     "never sets CMake's option SYNELIX_NEW"),
    (RECIPE, 'self.spec.satisfies("+tool")),', "True),", "SYNELIX_ENABLE_TOOL is on without SYNELIX_ENABLE_HDF5"),
    (RECIPE, '("SYNELIX_ENABLE_KERNELS", "kernels")', '("SYNELIX_ENABLE_KERNELS", "shared")',
     "SYNELIX_ENABLE_KERNELS does not follow variant kernels"),
    (RECIPE, '"SYNELIX_ENABLE_TOOL", self.spec.satisfies("+tool")', '"SYNELIX_ENABLE_TOOL", self.spec.satisfies("+tol")',
     "'tol', which synelix does not have"),
    (RECIPE, 'self.define("SYNELIX_ENABLE_TOOL", self.spec.satisfies("+tool"))', 'self.define_from_variant("SYNELIX_ENABLE_TOOL", "tool")',
     "is not a definition"),
    (RECIPE, '    variant("openmp"', '    variant("threads", default=False, description="Threads")\n    variant("openmp"',
     "variant threads changes neither"),
    (RECIPE, 'self.spec["hip"]', 'self.spec["hippo"]', "the recipe does not depend on it"),
    (RECIPE, '    depends_on("lapack")\n', "", "does not depend on lapack"),
    (RECIPE, '"kokkos@4.6:5"', '"kokkos@4.5:5"', "another kokkos than 4.6"),
    ("cmake/SynelixDependencies.cmake", "find_package(Threads REQUIRED)", "find_package(Threads REQUIRED)\nfind_package(FFTW3 REQUIRED)",
     "finds FFTW3, which this check does not know"),
    ("cmake/SynelixDependencies.cmake", "VERSION_LESS 1.14", "VERSION_LESS 1.16", "another hdf5 than 1.16"),
    ("tests/docs/pages.py", "    verb, rest =", "    match words:\n        case []:\n            return 2\n    verb, rest =",
     "is no Python 3.9, which the recipe takes"),
    (RECIPE, 'type="test")', 'type="tests")', "there is no type 'tests'"),
    (RECIPE, 'policy="any_of"', 'policy="some_of"', "there is no policy 'some_of'"),
    (RECIPE, 'join_path("tests", "install", "consumer")', 'join_path("tests", "install", "customer")', "there is no CMake project"),
    ("tests/install/consumer/CMakeLists.txt", "", None, "there is no CMake project"),
    (RECIPE, 'synelix("--version"', 'synelix("--verbose"', "no test runs synelix --version"),
    (RECIPE, '        """build and run a project that links the installed library"""\n', "", "test_consumer has no docstring"),
    (RECIPE, '@run_after("install")', '@run_after("installed")', "there is no such phase"),
    ("spack-repo-index.yaml", "spack_repo/synelix", "spack_repo/sinelix", "its only path is not"),
    ("spack/spack_repo/synelix/repo.yaml", "namespace: synelix", "namespace: builtin", "its namespace is not synelix"),
    ("spack/spack_repo/synelix/repo.yaml", "api: v2.2", "api: v1.0", "its api is not v2"),
    ("spack/spack.yaml", "synelix@main +openmp", "synelix@main +openmpi", "'openmpi', which synelix does not have"),
    ("spack/spack.yaml", "$env/spack_repo", "$env/repositories", "which is not there"),
    (RECIPE, "    tags =", "    labels =", "has no tags"),
    (RECIPE, '    maintainers("synelix-developers")\n', "", "has no maintainers"),
    (RECIPE, 'homepage = f"{git}/README.md"', 'homepage = f"{git}/LEGGIMI.md"', "is not a file of the checkout"),
    (RECIPE, "    url = ", "    address = ", "has no url"),
    (RECIPE, 'version("main", git=git)', 'version("main")', "does not name git, and Spack would fetch it from url"),
    (RECIPE, 'other_tests = "lint|', 'other_tests = "lint|lynt|', "leaves out label lynt, which no test has"),
]

# The defects that Spack itself found: number, file, its text, its replacement, the expected message of the check
DEFECTS = [
    (1, "spack/spack.yaml", '"cmake@3.23:"', "cmake@3.23:", "cmake@3.23: is not text for YAML, but a mapping"),
    (1, "spack/spack.yaml", '"googletest@1.12: +gmock"', "googletest@1.12: +gmock", "googletest@1.12: +gmock is not text for YAML"),
    (2, RECIPE, "    def test_version(", '    @when("+tool")\n    def test_version(', "test_version is behind @when, where Spack finds no test"),
    (3, RECIPE, "                *self.generator_args(),\n", "", "test_consumer does not name the generator"),
    (3, RECIPE, ", set_env(**self.wrapper_environment()):", ":", "does not set CUDA_ROOT and NVCC_WRAPPER_DEFAULT_COMPILER"),
    (4, RECIPE, "self.nvcc_wrapper())]", 'self["kokkos"].kokkos_cxx)]', "with a Kokkos of the site: KeyError: 'kokkos-nvcc-wrapper'"),
    (4, RECIPE, "def setup_build_environment(", "def set_build_environment(", "has no CUDA_ROOT or no NVCC_WRAPPER_DEFAULT_COMPILER"),
    (5, RECIPE, "    def check(self)", "    def check_all(self)", "has no check()"),
    (5, RECIPE, '"--output-on-failure", ', "", "with --output-on-failure"),
    (5, RECIPE, 'other_tests = "lint|', 'other_tests = "', "check() runs the tests of label lint"),
    (6, RECIPE, 'version("main", git=git)', 'version("main", branch="main")', "version main names a branch, which a checkout"),
    (7, RECIPE, ', "openmptarget"', "", "does not refuse ^kokkos+openmptarget"),
    (8, "spack/spack_repo/synelix/repo.yaml", "api: v2.2", "api: v2.0", "its api is v2.0; get_cmake_prefix_path came with v2.2"),
    (9, RECIPE, '"hdf5@1.14:"', '"hdf5@1.14: ~mpi"', "depends on hdf5 ~mpi, which refuses a site's parallel HDF5"),
    (10, ".gitignore", "/build-*\n", "/build-*/\n", "has no /build-*, without a slash behind it"),
    (11, RECIPE, "        if tests:  #", "        if True:  #", "sets SYNELIX_TEST_OTHER_BUILDS without tests"),
    (11, RECIPE, '"kokkos@4.6:5"', '"kokkos@4.6:"', "kokkos has no upper bound"),
    (11, RECIPE, '            when=f"+{device}",\n', "", "refuses ^kokkos+cmake_lang for hosts too"),
    (12, RECIPE, '"^kokkos@:4", policy', '"^kokkos cxxstd=23", policy', "cxxstd=23, a value that kokkos of Spack 1.0's packages does not have"),
]


def exit_codes(copy):
    """The exit codes of the program, for the unchanged copy and for one without a recipe."""
    program = [sys.executable, "-B", check_recipe.__file__, str(copy)]
    codes = [subprocess.run(program, capture_output=True, check=False).returncode]
    (copy / RECIPE).unlink()
    return [*codes, subprocess.run(program, capture_output=True, check=False).returncode]


def main():
    root, failures = pathlib.Path(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder).resolve() / "copy"
        copy.mkdir()
        for name in COPIED:
            if (root / name).is_dir():
                shutil.copytree(root / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "*.cpp", "*.h5", "results"))
            else:
                shutil.copy(root / name, copy / name)
        found = check_recipe.findings(copy)
        if found:
            failures += 1
            print("refused without a mistake:", *found, sep="\n")
        for name, text, planted, expected in [*MISTAKES, *(defect[1:] for defect in DEFECTS)]:
            before = (copy / name).read_text(encoding="utf-8")
            if planted is None:
                (copy / name).unlink()
            else:
                if text not in before:
                    failures += 1
                    print(f"cannot plant in {name}: there is no {text!r}")
                    continue
                (copy / name).write_text(before.replace(text, planted, 1), encoding="utf-8")
            found = check_recipe.findings(copy)
            if not any(expected in line for line in found):
                failures += 1
                print(f"not seen: {name}: {text!r} -> {planted!r}; expected {expected!r}, said:", *found, sep="\n")
            (copy / name).write_text(before, encoding="utf-8")
        if (codes := exit_codes(copy)) != [0, 1]:
            failures += 1
            print(f"the program ends with {codes}, not 0 without a finding and 1 with one")
    if {number for number, *_ in DEFECTS} != set(range(1, 13)):
        failures += 1
        print("not each of the twelve defects is planted")
    print(f"{len(MISTAKES)} mistakes and {len(DEFECTS)} plantings of twelve defects, {failures} judged wrongly")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
