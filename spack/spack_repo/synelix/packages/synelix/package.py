# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import pathlib

from spack_repo.builtin.build_systems.cmake import CMakePackage
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Synelix(CMakePackage, CudaPackage, ROCmPackage):
    """Convolves large multi-channel time series, or spike trains, with banks of basis
    kernels in bounded memory: a C++20 library on Kokkos, and a command line program."""

    # The recipe lies in the sources that it builds, so these are fetched from the checkout
    # that it came with, and no host is named: whoever has the one has the other.
    git = pathlib.Path(__file__).resolve().parents[5].as_uri()
    homepage = f"{git}/README.md"
    # An archive of a release: `./dev dist` makes it there.
    url = f"{git}/build/dist/synelix-0.1.0.tar.gz"

    maintainers("synelix-developers")
    tags = ["kokkos", "neuroscience", "signal-processing"]

    license("Apache-2.0 WITH LLVM-exception")

    test_requires_compiler = True

    # What the checkout has at HEAD: a branch's name would fail where the checkout is detached, at a
    # tag or on another branch. `git` stands here again because Spack would prefer `url`.
    version("main", git=git)
    # A release is its commit. A clone may lack the tag. The release itself has its tag here, because
    # no commit can hold its own name. The commit after it replaces that.
    version("0.1.0", git=git, commit="e3d0fbd8e72ebf3373a8922223b012b9fce89865")

    variant("shared", default=True, description="Shared libraries")
    variant("hdf5", default=True, description="Recordings and features in HDF5 and NWB files")
    variant("tool", default=True, when="+hdf5", description="The command line program synelix")
    variant("mpi", default=False, description="One problem on the ranks of MPI")
    variant("kernels", default=False, description="Large dense products by Kokkos Kernels")

    # Kokkos decides which backends there are; these variants ask it for them.
    host_backends = ("serial", "openmp")
    variant("serial", default=False, description="Kokkos' Serial backend")
    variant("openmp", default=True, description="Kokkos' OpenMP backend")

    depends_on("cxx", type="build")
    depends_on("c", type="build")  # FindHDF5, and the consumer project of the tests
    depends_on("cmake@3.23:", type="build")
    depends_on("nlohmann-json@3.11:", type="build")  # headers that no public header includes
    depends_on("blas")
    depends_on("lapack")

    depends_on("kokkos@4.6:5")
    depends_on("kokkos+pic", when="+shared")
    for backend in host_backends:
        depends_on(f"kokkos+{backend}", when=f"+{backend}")
        depends_on(f"kokkos-kernels+{backend}", when=f"+kernels+{backend}")
    for arch in CudaPackage.cuda_arch_values:
        device = f"+cuda cuda_arch={arch}"
        depends_on(f"kokkos {device}", when=device)
        depends_on(f"kokkos-kernels {device}", when=f"+kernels {device}")
    for arch in ROCmPackage.amdgpu_targets:
        device = f"+rocm amdgpu_target={arch}"
        depends_on(f"kokkos {device}", when=device)
    depends_on("kokkos-kernels@4.6: +blas", when="+kernels")
    depends_on("kokkos-kernels+cublas", when="+kernels+cuda")
    depends_on("kokkos-kernels+rocblas", when="+kernels+rocm")

    depends_on("hdf5@1.14:", when="+hdf5")
    # Files are read and written without MPI. A parallel HDF5 serves too, where a site has only that.
    requires("^hdf5~mpi", "^hdf5+mpi", policy="any_of", when="+hdf5")
    depends_on("mpi", when="+mpi")
    with when("+tool"):
        depends_on("cli11@2.1:", type="build")
        depends_on("tomlplusplus@3.3:", type="build")
        depends_on("py-h5py", type="test")
        depends_on("py-numpy", type="test")
    depends_on("googletest@1.12: +gmock", type="test")
    depends_on("python@3.9:", type="test")

    conflicts("~serial~openmp", msg="Kokkos needs a host backend: +serial, +openmp, or both")
    conflicts("+cuda", when="cuda_arch=none", msg="+cuda needs one cuda_arch, such as 90")
    conflicts("+rocm", when="amdgpu_target=none", msg="+rocm needs one amdgpu_target")
    conflicts("+cuda", when="+rocm", msg="Kokkos takes one device backend")
    for backend in ("threads", "hpx", "sycl", "openmptarget"):
        conflicts(
            f"^kokkos+{backend}",
            msg=f"Synelix has no {backend} backend, and Kokkos would make it the default one",
        )
    # Kokkos refuses +cuda with neither, but only while it is being built.
    requires(
        "^kokkos+wrapper",
        "%llvm",
        policy="any_of",
        when="+cuda",
        msg="CUDA code is compiled by nvcc_wrapper (^kokkos+wrapper), or by Clang (%llvm)",
    )
    # CMake files of ours take such a Kokkos. But each dependent would have to make CUDA or HIP the
    # language of its own files, and nothing here can tell it to.
    for device in ("cuda", "rocm"):
        conflicts(
            "^kokkos+cmake_lang",
            when=f"+{device}",
            msg="Synelix for devices is compiled as C++: ^kokkos~cmake_lang",
        )
    requires("^kokkos+cuda_lambda", when="+cuda ^kokkos@:4")
    # Not by the names of later standards: Kokkos' package has cxxstd=23 since 2026, and Spack refuses
    # a requirement with a value that the package does not have.
    conflicts(
        "^kokkos cxxstd=17",
        when="^kokkos@:4",
        msg="Synelix is C++20, and Kokkos 4 must be built for it: ^kokkos cxxstd=20",
    )
    requires("^kokkos cxxstd=20", "^kokkos@:4", policy="any_of", when="^kokkos@:4")  # the first one is preferred
    conflicts("%gcc@:10", msg="std::from_chars of numbers with a point came with GCC 11")

    def cmake_args(self):
        tests = self.run_tests
        arguments = self.compiler_args() + [
            self.define_from_variant("BUILD_SHARED_LIBS", "shared"),
            self.define_from_variant("SYNELIX_ENABLE_HDF5", "hdf5"),
            self.define("SYNELIX_ENABLE_TOOL", self.spec.satisfies("+tool")),
            self.define_from_variant("SYNELIX_ENABLE_MPI", "mpi"),
            self.define_from_variant("SYNELIX_ENABLE_KERNELS", "kernels"),
            self.define("SYNELIX_ENABLE_LAPACK", True),
            self.define("SYNELIX_UNITY", True),  # each installation builds from nothing
            self.define("SYNELIX_ENABLE_TESTS", tests),
            self.define("SYNELIX_ENABLE_EXAMPLES", tests),  # they are run, and not installed
            self.define("SYNELIX_ENABLE_BENCHMARKS", False),  # likewise: they belong to a checkout
            self.define("Kokkos_ROOT", self.spec["kokkos"].prefix),
            # FindBLAS prefers a library of the system to the one that was asked for.
            self.define("BLAS_LIBRARIES", self.spec["blas"].libs.joined(";")),
            self.define("LAPACK_LIBRARIES", self.spec["lapack"].libs.joined(";")),
        ]
        if tests:  # an option of the tests alone
            arguments.append(self.define("SYNELIX_TEST_OTHER_BUILDS", False))  # Spack builds them
        return arguments

    def nvcc_wrapper(self):
        """Kokkos' wrapper. A Kokkos of the site has no dependencies, but brings its own."""
        if self.spec.satisfies("^kokkos-nvcc-wrapper"):
            return self["kokkos-nvcc-wrapper"].kokkos_cxx
        return self.spec["kokkos"].prefix.bin.nvcc_wrapper

    def wrapper_environment(self):
        """What nvcc_wrapper reads. The package of the wrapper sets it for builds, not for tests."""
        if not self.spec.satisfies("^kokkos+wrapper"):
            return {}
        return {
            "CUDA_ROOT": str(self.spec["cuda"].prefix),
            "NVCC_WRAPPER_DEFAULT_COMPILER": self.compiler.cxx,
        }

    def setup_build_environment(self, env):
        for name, value in self.wrapper_environment().items():
            env.set(name, value)

    def compiler_args(self):
        """What Kokkos was compiled by, and everything that includes it has to be."""
        if self.spec.satisfies("^kokkos+wrapper"):
            return [self.define("CMAKE_CXX_COMPILER", self.nvcc_wrapper())]
        if self.spec.satisfies("+rocm") and not (
            self.spec.satisfies("%cxx=clang") or self.spec.satisfies("%cxx=rocmcc")
        ):
            return [self.define("CMAKE_CXX_COMPILER", self.spec["hip"].hipcc)]
        return []

    def generator_args(self):
        """The build tool of the installation: in a test it is not on PATH."""
        name, tool, title = ("ninja", "ninja", "Ninja")
        if not self.spec.satisfies("generator=ninja"):
            name, tool, title = ("gmake", "make", "Unix Makefiles")
        program = join_path(self.spec[name].prefix.bin, tool)
        return ["-G", title, self.define("CMAKE_MAKE_PROGRAM", program)]

    # Labels of tests that judge the sources or the machine, and not the installation.
    other_tests = "lint|packaging|tool_chain"

    def check(self):
        """The tests of the build, with the output of those that fail."""
        ctest = which(self.spec["cmake"].prefix.bin.ctest, required=True)
        with working_dir(self.build_directory):
            ctest("--output-on-failure", "-j", str(make_jobs), "-LE", self.other_tests)

    # The project that the tests of the CMake package build, too.
    consumer = join_path("tests", "install", "consumer")

    @run_after("install")
    def keep_consumer(self):
        """The consumer project, for ``spack test run``."""
        cache_extra_test_sources(self, [self.consumer])

    def test_consumer(self):
        """build and run a project that links the installed library"""
        built = [name for name in ("hdf5", "mpi") if self.spec.satisfies(f"+{name}")]
        components = ",".join(built or ["core"])
        cmake = which(self.spec["cmake"].prefix.bin.cmake, required=True)
        with working_dir("consumer", create=True), set_env(**self.wrapper_environment()):
            cmake(
                *self.generator_args(),
                join_path(self.test_suite.current_test_cache_dir, self.consumer),
                *self.compiler_args(),
                self.define("CMAKE_PREFIX_PATH", get_cmake_prefix_path(self)),
                self.define("Synelix_ROOT", self.prefix),
                self.define("CONSUMER_COMPONENTS", components),
            )
            cmake("--build", ".")
            which("./consumer", required=True)()

    # Not @when("+tool"): Spack would not find the test.
    def test_version(self):
        """synelix --version prints the version that was built"""
        if not self.spec.satisfies("+tool"):
            raise SkipTest("built without the tool")
        synelix = which(self.prefix.bin.synelix, required=True)
        out = synelix("--version", output=str, error=str)
        built = r"\d+\.\d+\.\d+" if self.spec.version.isdevelop() else str(self.spec.version)
        check_outputs(f"synelix {built}", out)
