# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Programs of tests. One program holds the tests of a wing and a kind; CTest runs those of one name alone (`--only`).

# Ends a test that hangs. No test judges seconds: it has to pass on a machine at a load of 20 too.
set(SYNELIX_HANG_SECONDS 21600)

# synelix_unity_of_tests(TARGET): puts its sources into units, as SYNELIX_UNITY says. In a build for a device, sources have
# languages of their own.
function(synelix_unity_of_tests target)
  if(Kokkos_DEVICES MATCHES "CUDA|HIP")
    return()
  endif()
  synelix_unity(${target} "${PROJECT_SOURCE_DIR}/tests")
endfunction()

if(Kokkos_DEVICES MATCHES "CUDA|HIP")
  add_compile_definitions(SYNELIX_TESTS_ON_DEVICE)
endif()

# synelix_on_device(TARGET SOURCES...): in a build for a device, memory of `new` is shared with it, and these sources are added.
function(synelix_on_device target)
  if(Kokkos_DEVICES MATCHES "CUDA|HIP")
    list(TRANSFORM ARGN PREPEND "${PROJECT_SOURCE_DIR}/tests/")
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/tests/on_device/managed_new.cpp"
      "${PROJECT_SOURCE_DIR}/tests/on_device/shared_memory.cpp" ${ARGN})
    synelix_divide_sources(${target})
  endif()
endfunction()

# The loops that results are compared with: optimized, since tests compute large references with them. Plain loops go without
# sanitizers, which would take most of their time. What holds objects of the library keeps them: the linker takes one copy
# of an inline function, and it must be one that is checked.
add_library(synelix_oracle STATIC oracle/array.cpp oracle/convolution.cpp oracle/design.cpp oracle/matchers.cpp
  oracle/matrix_product.cpp oracle/operators.cpp)
add_library(synelix_fit_oracle STATIC glm/event_case.cpp oracle/reference_pass.cpp)
foreach(oracle IN ITEMS synelix_oracle synelix_fit_oracle)
  target_link_libraries(${oracle} PRIVATE synelix GTest::gtest)
  target_include_directories(${oracle} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
  target_compile_options(${oracle} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O2;-ffp-contract=off>")
  set_target_properties(${oracle} PROPERTIES CXX_EXTENSIONS OFF)
  synelix_warnings(${oracle})
  synelix_device_rules(${oracle})
  synelix_unity_of_tests(${oracle})
endforeach()
target_compile_options(synelix_oracle PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,Clang,GNU>:-fno-sanitize=all>)

foreach(main IN ITEMS main main_without_kokkos)
  add_library(synelix_test_${main} OBJECT ${main}.cpp selected_files.cpp)
  target_link_libraries(synelix_test_${main} PUBLIC synelix synelix_oracle GTest::gmock GTest::gtest)
  target_include_directories(synelix_test_${main} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/src")
  set_target_properties(synelix_test_${main} PROPERTIES CXX_EXTENSIONS OFF)
  synelix_warnings(synelix_test_${main})
  synelix_device_rules(synelix_test_${main})
  if(main STREQUAL "main")
    synelix_on_device(synelix_test_${main} on_device/launches_of_tests.cpp)
  endif()
endforeach()

# What a test compiles for itself runs for milliseconds. Without optimization it compiles in two thirds of the time of -O1,
# and in half of that of -O3. Programs that compute references or simulate teams of threads are OPTIMIZED: their tests
# would run several times as long. The kernels of a device keep their optimization.
set(synelix_test_optimization "")
set(synelix_test_no_optimization "")
if(NOT Kokkos_DEVICES MATCHES "CUDA|HIP")
  set(synelix_test_optimization $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O1>)
  set(synelix_test_no_optimization $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-O0>)
endif()

# synelix_test_program(NAME [WITHOUT_KOKKOS] [OPTIMIZED])
# The program test_NAME, with Kokkos running (unless WITHOUT_KOKKOS) and src/ within reach. synelix_test adds its sources.
function(synelix_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT_KOKKOS;OPTIMIZED" "" "")
  set(main synelix_test_main)
  if(arg_WITHOUT_KOKKOS)
    set(main synelix_test_main_without_kokkos)
  endif()
  set(optimization ${synelix_test_no_optimization})
  if(arg_OPTIMIZED)
    set(optimization ${synelix_test_optimization})
  endif()
  add_executable(test_${name})
  target_link_libraries(test_${name} PRIVATE ${main})
  synelix_warnings(test_${name})
  synelix_device_rules(test_${name})
  target_compile_options(test_${name} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off> ${optimization})
  set_target_properties(test_${name} PROPERTIES CXX_EXTENSIONS OFF)
  cmake_language(EVAL CODE "cmake_language(DEFER CALL synelix_unity_of_tests test_${name})")
endfunction()

# synelix_test(NAME SOURCES... [PROGRAM program] [LABELS label...] [LIBRARIES target...] [WITHOUT_KOKKOS] [OPTIMIZED])
# One CTest test NAME: the tests of the sources test_*.cpp, in the program test_PROGRAM, or in a program test_NAME of their
# own. Labels: unit where none is given.
function(synelix_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "WITHOUT_KOKKOS;OPTIMIZED" "PROGRAM" "LABELS;LIBRARIES")
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_PROGRAM)
    set(arg_PROGRAM ${name})
    set(options)
    foreach(option IN ITEMS WITHOUT_KOKKOS OPTIMIZED)
      if(arg_${option})
        list(APPEND options ${option})
      endif()
    endforeach()
    synelix_test_program(${name} ${options})
  endif()
  set(files)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    get_filename_component(path "${source}" ABSOLUTE)
    target_sources(test_${arg_PROGRAM} PRIVATE "${path}")
    get_filename_component(file "${source}" NAME_WE)
    if(file MATCHES "^test_")
      list(APPEND files ${file})
    endif()
  endforeach()
  synelix_divide_sources(test_${arg_PROGRAM})
  target_link_libraries(test_${arg_PROGRAM} PRIVATE ${arg_LIBRARIES})
  list(JOIN files "," files)
  add_test(NAME ${name} COMMAND test_${arg_PROGRAM} --only=${files})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABELS}"
    ENVIRONMENT "OMP_PROC_BIND=false;OMP_WAIT_POLICY=passive"
    TIMEOUT ${SYNELIX_HANG_SECONDS} ${synelix_needs_device})
endfunction()
