# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# cmake -DSYNELIX_CMAKE=FOLDER -P device_compiler.cmake: whether nvcc is known for what it is, whatever CMake takes for the
# compiler, and whether files of one instruction set are kept from it.

cmake_minimum_required(VERSION 3.23...4.0)

# expect(COMPILER ID KOKKOS_BY DEVICES NVCC HOST_ONLY): of Kokkos' and CMake's words, what SynelixDevice.cmake makes
function(expect compiler id kokkos_by devices nvcc host_only)
  set(CMAKE_CXX_COMPILER "${compiler}")
  set(CMAKE_CXX_COMPILER_ID "${id}")
  set(Kokkos_CXX_COMPILER_ID "${kokkos_by}")
  string(REPLACE "," ";" Kokkos_DEVICES "${devices}")
  set(Kokkos_COMPILE_LANGUAGE CXX)
  include("${SYNELIX_CMAKE}/SynelixDevice.cmake")
  if(NOT synelix_nvcc_as_cxx STREQUAL nvcc OR NOT synelix_host_only STREQUAL host_only)
    message(SEND_ERROR "${compiler} (${id}), Kokkos by '${kokkos_by}' for ${devices}: found nvcc ${synelix_nvcc_as_cxx}, "
      "'${synelix_host_only}' for the host; expected ${nvcc}, '${host_only}'")
  endif()
endfunction()

expect(/kokkos/bin/nvcc_wrapper GNU NVIDIA CUDA,SERIAL ON --host-only)
expect(/kokkos/bin/nvcc_wrapper Clang NVIDIA CUDA,OPENMP ON --host-only)
expect(/usr/bin/g++ GNU NVIDIA CUDA,SERIAL ON "")                # Kokkos' launcher stands before it
expect(/usr/bin/clang++ Clang NVIDIA CUDA,SERIAL ON "")
expect(/usr/bin/clang++ Clang Clang CUDA,SERIAL OFF "")          # which compiles for CUDA itself
expect(/usr/bin/clang++ Clang "" CUDA,SERIAL OFF "")             # a Kokkos that does not say what compiled it
expect(/usr/bin/g++ GNU "" CUDA,SERIAL ON "")
expect(/kokkos/bin/nvcc_wrapper Clang "" CUDA,SERIAL ON --host-only)
expect(/usr/bin/g++ GNU GNU OPENMP,SERIAL OFF "")
expect(/opt/rocm/bin/hipcc Clang HIPCC HIP,SERIAL OFF -xc++)
