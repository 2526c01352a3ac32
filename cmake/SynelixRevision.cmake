# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The commit that is built, in one file that is compiled: revision.cpp. A build writes it again only where the commit
# differs, or where the sources begin or cease to differ from it.
#
# synelix_revision(TARGET) adds that file to a target. As a script, this file writes it:
#
#   cmake -DSOURCE=FOLDER -DOUTPUT=FILE.cpp [-DGIT=PROGRAM] -P SynelixRevision.cmake
#
# git knows the commit of a checkout, and cmake/revision.txt that of an archive, where `git archive` wrote it. FILE.cpp.d
# lists what the commit depends on. A file of that list may vanish: then the script runs again.

cmake_minimum_required(VERSION 3.23...4.0)

function(synelix_revision target)
  find_package(Git QUIET)
  set(output "${PROJECT_BINARY_DIR}/revision/revision.cpp")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DOUTPUT=${output}" "-DGIT=${GIT_EXECUTABLE}"
      -P "${PROJECT_SOURCE_DIR}/cmake/SynelixRevision.cmake"
    DEPENDS "${PROJECT_SOURCE_DIR}/cmake/SynelixRevision.cmake" "${PROJECT_SOURCE_DIR}/cmake/revision.txt"
    DEPFILE "${output}.d"
    COMMENT "Asking git for the commit" VERBATIM)
  add_custom_target(synelix_revision DEPENDS "${output}")      # for what compiles the file in another folder
  set_source_files_properties("${output}" PROPERTIES SYNELIX_HOST_SOURCE TRUE)
  target_sources(${target} PRIVATE "${output}")
endfunction()

# synelix_git(RESULT CODE ARGUMENT...): what git prints of the sources, and its exit code.
function(synelix_git result code)
  set(ENV{GIT_OPTIONAL_LOCKS} 0)           # git reads, and writes nothing, whoever builds
  execute_process(COMMAND "${GIT}" -c "safe.directory=*" -C "${SOURCE}" ${ARGN}
    OUTPUT_VARIABLE printed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE exit_code)
  set(${result} "${printed}" PARENT_SCOPE)
  set(${code} "${exit_code}" PARENT_SCOPE)
endfunction()

# The commit in 12 digits, with "-modified" where the sources differ from it. "unknown" where nobody knows.
# A folder inside the repository of another project is none of that project's commits.
function(synelix_find_revision result)
  set(built CMakeLists.txt cmake include src)
  set(revision unknown)
  if(GIT AND EXISTS "${SOURCE}/.git")
    synelix_git(commit failed rev-parse --verify HEAD)
    if(failed EQUAL 0)
      string(SUBSTRING "${commit}" 0 12 revision)
      synelix_git(ignored differs diff --quiet HEAD -- ${built})
      if(NOT differs EQUAL 0)
        string(APPEND revision -modified)
      endif()
    endif()
  else()
    file(STRINGS "${SOURCE}/cmake/revision.txt" commit LIMIT_COUNT 1)
    if(commit MATCHES "^[0-9a-f]+$")
      string(SUBSTRING "${commit}" 0 12 revision)
    endif()
  endif()
  set(${result} "${revision}" PARENT_SCOPE)
endfunction()

# What the commit depends on: git's record of HEAD, and the sources.
function(synelix_write_dependencies)
  set(files "${SOURCE}/CMakeLists.txt")
  file(GLOB_RECURSE sources "${SOURCE}/cmake/*" "${SOURCE}/include/*" "${SOURCE}/src/*")
  list(APPEND files ${sources})
  if(GIT AND EXISTS "${SOURCE}/.git")
    foreach(name IN ITEMS HEAD logs/HEAD packed-refs)
      synelix_git(file failed rev-parse --git-path ${name})
      get_filename_component(file "${file}" ABSOLUTE BASE_DIR "${SOURCE}")
      if(failed EQUAL 0 AND EXISTS "${file}")
        list(APPEND files "${file}")
      endif()
    endforeach()
  endif()
  list(TRANSFORM files REPLACE "([ #])" "\\\\\\1")
  list(JOIN files " \\\n  " files)
  file(WRITE "${OUTPUT}.d" "${OUTPUT}: ${files}\n")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  synelix_find_revision(revision)
  set(text "// Written by cmake/SynelixRevision.cmake.
#include <synelix/version.hpp>

std::string_view synelix::revision() noexcept { return \"${revision}\"; }
")
  set(before "")
  if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
  endif()
  synelix_write_dependencies()
endif()
