# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How every target of this project is compiled.

# The flags of each instruction set, for the files that are compiled once for each.
set(synelix_flags_plain "")
set(synelix_flags_avx2 -mavx2 -mfma)
set(synelix_flags_avx512 -mavx512f -mavx512vl -mavx512dq -mavx2 -mfma -mprefer-vector-width=512)

# synelix_warnings(TARGET): the warnings, and SYNELIX_WERROR. For libraries, programs and tests alike.
function(synelix_warnings target)
  if(MSVC)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>)
  if(NOT synelix_nvcc_as_cxx)        # whose own lines are not pedantic
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>)
  endif()
  if(SYNELIX_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
endfunction()

# synelix_compile_rules(TARGET): for each library that holds code of src/, object libraries of a
# single instruction set included. Results must not depend on what a compiler contracts to fma.
function(synelix_compile_rules target)
  synelix_warnings(${target})
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  target_include_directories(${target} PRIVATE
    "${Synelix_SOURCE_DIR}/src" "${Synelix_SOURCE_DIR}/include" "${Synelix_BINARY_DIR}/include")
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON)
endfunction()

# synelix_set_source(TARGET SET FILE OPTION...): a file that is compiled for one instruction set, by the compiler of the
# host: as an object by itself, since what is linked with Kokkos may go to the compiler of a device.
function(synelix_set_source target set file)
  get_filename_component(name "${file}" NAME_WE)
  add_library(${target}_${name} OBJECT ${file})
  synelix_compile_rules(${target}_${name})
  target_compile_options(${target}_${name} PRIVATE ${synelix_host_only} ${synelix_flags_${set}} ${ARGN})
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${name}>)
endfunction()

# synelix_library(TARGET EXPORT_NAME): an installed library, Synelix::EXPORT_NAME in either build.
function(synelix_library target export_name)
  add_library(${target})
  add_library(Synelix::${export_name} ALIAS ${target})
  synelix_compile_rules(${target})
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${export_name}
    DEFINE_SYMBOL ""                 # static and shared objects differ in nothing: a compiler cache serves both
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    VERIFY_INTERFACE_HEADER_SETS ON)
endfunction()
