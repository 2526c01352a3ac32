# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Unity units (SYNELIX_UNITY): files of one folder that are compiled together, because most of the time of a small file
# goes into its headers. A build from nothing takes them; a developer, who compiles few files often, does not.
#
# CMake's own UNITY_BUILD names files by their absolute paths, so that a compiler cache does not find the objects of
# another checkout or of an unpacked archive. These units name them as all files of src/ do: "glm/fit/fit.cpp".

# synelix_alone(FILE...): sources that stay out of units: objects of kernels, and files that take long by themselves, which
# would keep one processor busy while the others wait.
function(synelix_alone)
  foreach(file IN LISTS ARGN)
    get_filename_component(path "${file}" ABSOLUTE)
    set_property(GLOBAL APPEND PROPERTY synelix_alone "${path}")
  endforeach()
endfunction()

# synelix_hot(FILE...): sources of the library with loops over samples or coefficients. They keep -O3, and have units of
# their own: with -O2, a call of 100 samples takes 1.3 times as long, and a fit 1.14 times.
set(synelix_hot_options $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O3>)
function(synelix_hot)
  if(CMAKE_CXX_FLAGS_RELEASE MATCHES "-O3")
    set_property(SOURCE ${ARGN} TARGET_DIRECTORY synelix PROPERTY COMPILE_OPTIONS ${synelix_hot_options})
  endif()
endfunction()

# synelix_unity(TARGET ROOT): puts the sources that a target has so far into units. ROOT is the include folder that
# includes of its files begin at. A unit holds at most SYNELIX_UNITY_FILES files of one folder; a folder's units hold
# equally many. Files with options or definitions of their own stay alone.
function(synelix_unity target root)
  if(NOT SYNELIX_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  get_target_property(folder ${target} SOURCE_DIR)
  get_property(alone GLOBAL PROPERTY synelix_alone)
  set(groups)
  foreach(source IN LISTS sources)
    get_filename_component(file "${source}" ABSOLUTE BASE_DIR "${folder}")
    file(RELATIVE_PATH name "${root}" "${file}")
    if(NOT name MATCHES "^[a-z].*\\.cpp$" OR file IN_LIST alone)
      continue()
    endif()
    set(own "")
    foreach(property IN ITEMS COMPILE_DEFINITIONS COMPILE_OPTIONS INCLUDE_DIRECTORIES GENERATED)
      get_source_file_property(value "${file}" TARGET_DIRECTORY ${target} ${property})
      if(value)
        list(APPEND own "${value}")
      endif()
    endforeach()
    get_filename_component(group "${name}" DIRECTORY)
    string(REPLACE "/" "_" group "${group}")
    if("${own}" STREQUAL "${synelix_hot_options}")
      string(APPEND group "_hot")
    elseif(own)
      continue()
    endif()
    synelix_without_kokkos(is_host "${file}")
    if(NOT is_host AND root STREQUAL "${Synelix_SOURCE_DIR}/src")
      string(APPEND group "_with_kokkos")        # which the others would read in vain; a compiler of devices takes only these
    endif()
    list(APPEND groups "${group}")
    list(APPEND files_of_${group} "${name}")
  endforeach()
  list(REMOVE_DUPLICATES groups)
  # Kokkos takes some 2.5 s to read. Where few files of a folder do, they share a unit with those of other folders.
  foreach(group IN LISTS groups)
    list(LENGTH files_of_${group} count)
    if(count LESS 3 AND group MATCHES "_with_kokkos$" AND NOT group MATCHES "_hot_")
      list(REMOVE_ITEM groups "${group}")
      list(APPEND files_of_folders_with_kokkos ${files_of_${group}})
    endif()
  endforeach()
  if(files_of_folders_with_kokkos)
    list(APPEND groups folders_with_kokkos)
  endif()
  foreach(group IN LISTS groups)
    synelix_write_units(${target} "${root}" "${group}" ${files_of_${group}})
  endforeach()
endfunction()

# synelix_write_units(TARGET ROOT GROUP FILE...): the units of one folder.
function(synelix_write_units target root group)
  set(files ${ARGN})
  list(LENGTH files count)
  if(count LESS 2)
    return()
  endif()
  math(EXPR units "(${count} + ${SYNELIX_UNITY_FILES} - 1) / ${SYNELIX_UNITY_FILES}")
  foreach(unit RANGE 1 ${units})
    math(EXPR begin "(${unit} - 1) * ${count} / ${units}")
    math(EXPR length "${unit} * ${count} / ${units} - ${begin}")
    list(SUBLIST files ${begin} ${length} part)
    list(TRANSFORM part REPLACE "(.+)" "#include \"\\1\"" OUTPUT_VARIABLE lines)
    list(JOIN lines "\n" text)
    set(written "${CMAKE_CURRENT_BINARY_DIR}/units/${target}_${group}_${unit}.cpp")
    file(CONFIGURE OUTPUT "${written}" CONTENT "${text}\n")
    target_sources(${target} PRIVATE "${written}")
    list(TRANSFORM part PREPEND "${root}/")
    set_source_files_properties(${part} TARGET_DIRECTORY ${target} PROPERTIES HEADER_FILE_ONLY ON)
    if(group MATCHES "_hot")
      set_source_files_properties("${written}" TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS "${synelix_hot_options}")
    endif()
    set(is_host TRUE)
    if(group MATCHES "_with_kokkos$")
      set(is_host FALSE)
    endif()
    set_source_files_properties("${written}" TARGET_DIRECTORY ${target} PROPERTIES SYNELIX_HOST_SOURCE ${is_host})
  endforeach()
endfunction()
