# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# How every target of this project is compiled.

# synelix_instruction_set(NAME TAG FLAG...): a set that this processor can have, by the names of InstructionSet and of
# the tag in lanes/instruction_set.hpp, with the flags of the files that are compiled once for each set.
macro(synelix_instruction_set name tag)
  list(APPEND synelix_all_sets ${name})
  set(synelix_tag_${name} ${tag})
  set(synelix_flags_${name} ${ARGN})
endmacro()
synelix_instruction_set(plain Plain)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  synelix_instruction_set(avx2 Avx2 -mavx2 -mfma)
  synelix_instruction_set(avx512 Avx512 -mavx512f -mavx512vl -mavx512dq -mavx2 -mfma -mprefer-vector-width=512)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
  set(synelix_optimized $<$<CONFIG:Release>:-O3>)    # also where the preset arm64 wants a short build
  synelix_instruction_set(neon Neon ${synelix_optimized})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")       # whose vectors of 32 bytes are registers of SVE
    synelix_instruction_set(sve256 Sve256 ${synelix_optimized} -march=armv8.2-a+sve -msve-vector-bits=256)
  endif()
endif()

# synelix_warnings(TARGET): the warnings, and SYNELIX_WERROR. For libraries, programs and tests alike.
function(synelix_warnings target)
  if(MSVC)
    return()
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual>)
  if(synelix_nvcc_as_cxx)            # which writes lines of its own: not pedantic, with parentheses around members' types
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wno-parentheses>)
  else()
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic>)
  endif()
  if(SYNELIX_WERROR)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
  if(synelix_host_only STREQUAL "--host-only")     # of targets without Kokkos, too, nvcc_wrapper makes device code else
    synelix_divide_sources(${target})
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

set(SYNELIX_SET_OPTIONS "" CACHE STRING
  "Options of the files that are compiled for each instruction set, after those of the build type")
mark_as_advanced(SYNELIX_SET_OPTIONS)

# synelix_set_sources(TARGET FILE.cpp.in OPTION...): a file that is compiled for each instruction set of the build, by
# the compiler of the host: as the object library TARGET_FILE_SET, since what is linked with Kokkos may go to the
# compiler of a device.
function(synelix_set_sources target file)
  get_filename_component(name "${file}" NAME_WE)
  foreach(set IN LISTS SYNELIX_INSTRUCTION_SETS)
    set(tag ${synelix_tag_${set}})
    configure_file("${file}" "${CMAKE_CURRENT_BINARY_DIR}/${name}_${set}.cpp" @ONLY)
    add_library(${target}_${name}_${set} OBJECT "${CMAKE_CURRENT_BINARY_DIR}/${name}_${set}.cpp")
    synelix_compile_rules(${target}_${name}_${set})
    target_include_directories(${target}_${name}_${set} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
    target_compile_options(${target}_${name}_${set} PRIVATE ${synelix_host_only} ${SYNELIX_SET_OPTIONS}
      ${synelix_flags_${set}} ${ARGN})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${name}_${set}>)
  endforeach()
endfunction()

# synelix_built_sets(VARIABLE): the definition with which a file asks which sets the build has.
function(synelix_built_sets variable)
  foreach(set IN LISTS synelix_all_sets)    # the narrowest first
    if(set IN_LIST SYNELIX_INSTRUCTION_SETS)
      list(APPEND tags synelix::lanes::${synelix_tag_${set}})
    endif()
  endforeach()
  list(JOIN tags "," tags)
  set(${variable} "SYNELIX_BUILT_SETS=${tags}" PARENT_SCOPE)
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
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()
