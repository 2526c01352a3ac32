# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How code for devices is compiled: as Kokkos was. Either CUDA or HIP is a language of CMake, and every file that needs
# Kokkos has that language; or it passes for C++: the compiler is nvcc_wrapper, clang or hipcc, or Kokkos puts a launcher
# in front of the compiler that sends to nvcc_wrapper what is linked with Kokkos. The compiler of the host compiles the
# files that do not need Kokkos: nvcc refuses headers of others (toml++ 3.4), and takes longer.

set(synelix_language CXX)
if(Kokkos_COMPILE_LANGUAGE AND NOT Kokkos_COMPILE_LANGUAGE STREQUAL "CXX")
  set(synelix_language ${Kokkos_COMPILE_LANGUAGE})
  if(synelix_language STREQUAL "CUDA" AND NOT CMAKE_CUDA_ARCHITECTURES AND Kokkos_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES ${Kokkos_CUDA_ARCHITECTURES})
  endif()
  enable_language(${synelix_language})
endif()

get_filename_component(synelix_compiler "${CMAKE_CXX_COMPILER}" NAME)

# Whether nvcc compiles what CMake takes for C++. An installed Kokkos says what compiled it, NVIDIA for nvcc, and sends
# there what is linked with it. What CMake takes the compiler for does not tell: behind nvcc_wrapper that is its compiler
# of the host, clang too, which compiles for CUDA itself where it stands alone.
set(synelix_nvcc_as_cxx OFF)
if("CUDA" IN_LIST Kokkos_DEVICES AND synelix_language STREQUAL "CXX")
  set(synelix_kokkos_by "${Kokkos_CXX_COMPILER_ID}")
  if(NOT synelix_kokkos_by)
    set(synelix_kokkos_by "${KOKKOS_CXX_COMPILER_ID}")     # of a Kokkos in this build
  endif()
  if(synelix_compiler MATCHES "^nvcc_wrapper" OR synelix_kokkos_by STREQUAL "NVIDIA")
    set(synelix_nvcc_as_cxx ON)
  elseif(NOT synelix_kokkos_by AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    set(synelix_nvcc_as_cxx ON)
  endif()
endif()

# What makes a compiler for devices one for the host again: files of one instruction set need its vectors.
set(synelix_host_only "")
if(synelix_compiler MATCHES "^nvcc_wrapper")
  set(synelix_host_only --host-only)
elseif(synelix_compiler MATCHES "^hipcc")
  set(synelix_host_only -xc++)
endif()

# Properties of a test whose program computes: without the device that the build needs, or without its driver, it is skipped.
set(synelix_needs_device "")
if(Kokkos_DEVICES MATCHES "CUDA|HIP")
  set(synelix_needs_device SKIP_REGULAR_EXPRESSION
    "device: none was found on this machine|lib(cuda|amdhip64)\\.so[.0-9]*: cannot open shared object file")
endif()

# synelix_device_rules(TARGET): what a target with Kokkos adds for a device. As on hosts, a multiplication and an addition
# become one where the source says so and nowhere else.
function(synelix_device_rules target)
  if(synelix_language STREQUAL "CUDA")
    set(flags --expt-relaxed-constexpr --fmad=false -Xcompiler=-ffp-contract=off --Werror=cross-execution-space-call)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:${flags}>")
  elseif(synelix_language STREQUAL "HIP")
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:HIP>:-ffp-contract=off>)
  elseif(synelix_nvcc_as_cxx)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-expt-relaxed-constexpr;--fmad=false>")
  endif()
  synelix_divide_sources(${target})
endfunction()

# synelix_without_kokkos(RESULT FILE): whether a source includes no header of Kokkos by name.
function(synelix_without_kokkos result file)
  file(STRINGS "${file}" kokkos REGEX "^#include <Kokkos_" LIMIT_COUNT 1)
  set(is_host FALSE)
  if("${kokkos}" STREQUAL "")
    set(is_host TRUE)
  endif()
  set(${result} ${is_host} PARENT_SCOPE)
endfunction()

# Divides the sources that a target has so far: those that need Kokkos have its language, and nvcc_wrapper sends all others
# to the compiler of the host. A source needs Kokkos where it includes one of its headers by name; tests/layering refuses one
# that reaches Kokkos only through other headers. The property SYNELIX_HOST_SOURCE decides where it is set, TRUE or FALSE. A
# generated file needs Kokkos, unless the property says otherwise. Targets with strings among their definitions stay with
# nvcc: on the way to the host nvcc_wrapper spoils their quotes.
function(synelix_divide_sources target)
  if(synelix_language STREQUAL "CXX" AND NOT synelix_nvcc_as_cxx)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" ABSOLUTE BASE_DIR "${folder}")
    if(NOT file MATCHES "\\.cpp$")
      continue()
    endif()
    get_source_file_property(generated "${file}" TARGET_DIRECTORY ${target} GENERATED)
    get_source_file_property(host_source "${file}" TARGET_DIRECTORY ${target} SYNELIX_HOST_SOURCE)
    if(NOT host_source STREQUAL "NOTFOUND")
      set(is_host ${host_source})
    elseif(generated)
      set(is_host FALSE)
    else()
      synelix_without_kokkos(is_host "${file}")
      set_property(DIRECTORY "${Synelix_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
    endif()
    if(NOT is_host AND NOT synelix_nvcc_as_cxx)
      set_source_files_properties("${file}" TARGET_DIRECTORY ${target} PROPERTIES LANGUAGE ${synelix_language})
    elseif(is_host AND synelix_nvcc_as_cxx)
      set(option "$<$<NOT:$<BOOL:$<FILTER:$<TARGET_PROPERTY:COMPILE_DEFINITIONS>,INCLUDE,\">>>:--host-only>")
      get_source_file_property(options "${file}" TARGET_DIRECTORY ${target} COMPILE_OPTIONS)
      if(NOT option IN_LIST options)
        set_property(SOURCE "${file}" TARGET_DIRECTORY ${target} APPEND PROPERTY COMPILE_OPTIONS "${option}")
      endif()
    endif()
  endforeach()
endfunction()
