# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Finds what the library is built on, and says what to do where something does not fit.

set(synelix_kokkos_least 4.6)

# No version in the request: CMake would pass over a Kokkos that is too old without a word.
if(NOT TARGET Kokkos::kokkos)
  find_package(Kokkos CONFIG QUIET)
endif()
if(NOT TARGET Kokkos::kokkos)
  message(FATAL_ERROR "Synelix needs Kokkos ${synelix_kokkos_least} or later, and none was found. "
    "Set Kokkos_ROOT or CMAKE_PREFIX_PATH to the prefix that Kokkos was installed to.")
endif()
if(Kokkos_VERSION VERSION_LESS synelix_kokkos_least)
  message(FATAL_ERROR "Synelix needs Kokkos ${synelix_kokkos_least} or later; found ${Kokkos_VERSION} at ${Kokkos_DIR}. "
    "Set Kokkos_ROOT or CMAKE_PREFIX_PATH to the prefix of a newer one.")
endif()
message(STATUS "Kokkos ${Kokkos_VERSION} (${Kokkos_DEVICES}) at ${Kokkos_DIR}")

include(SynelixDevice)

find_package(Threads REQUIRED)
find_package(nlohmann_json 3.11 QUIET)
if(NOT nlohmann_json_FOUND)
  message(FATAL_ERROR "Synelix needs nlohmann's JSON 3.11 or later (Debian: nlohmann-json3-dev), and none was found. "
    "Add its prefix to CMAKE_PREFIX_PATH, or set nlohmann_json_DIR.")
endif()
if(SYNELIX_ENABLE_LAPACK)
  find_package(LAPACK REQUIRED)
endif()

if(SYNELIX_ENABLE_KERNELS)
  find_package(KokkosKernels REQUIRED CONFIG)   # no version: Debian's build has no version file
endif()

if(SYNELIX_ENABLE_MPI)
  enable_language(C)                            # MPI's C interface
  find_package(MPI REQUIRED COMPONENTS C)
endif()

if(SYNELIX_ENABLE_HDF5)
  enable_language(C)                            # FindHDF5 and hdf5-config.cmake need it
  if(HDF5_USE_STATIC_LIBRARIES)
    find_package(ZLIB REQUIRED)                 # a static HDF5 names ZLIB::ZLIB and does not look for it
  endif()
  find_package(HDF5 REQUIRED COMPONENTS C)      # no version: HDF5 2 rejects a request for 1.x
  if(HDF5_VERSION VERSION_LESS 1.14)
    message(FATAL_ERROR "Synelix needs HDF5 1.14 or later; found ${HDF5_VERSION} (${HDF5_INCLUDE_DIRS}). "
      "Set HDF5_ROOT to the prefix of a newer one, or SYNELIX_ENABLE_HDF5=OFF.")
  endif()
endif()

if(SYNELIX_ENABLE_TOOL)
  find_package(CLI11 REQUIRED)
  find_path(SYNELIX_TOMLPLUSPLUS_INCLUDE toml++/toml.hpp)   # its headers alone: nothing to link
  if(NOT SYNELIX_TOMLPLUSPLUS_INCLUDE)
    message(FATAL_ERROR "The tool synelix needs toml++ 3.3 or later (Debian: libtomlplusplus-dev), and none was found. "
      "Add its prefix to CMAKE_PREFIX_PATH, or set SYNELIX_ENABLE_TOOL=OFF.")
  endif()
  add_library(synelix_tomlplusplus INTERFACE)
  target_include_directories(synelix_tomlplusplus SYSTEM INTERFACE "${SYNELIX_TOMLPLUSPLUS_INCLUDE}")
endif()
