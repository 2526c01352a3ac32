# SPDX-FileCopyrightText: 2026 The Synelix developers
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What `cmake --install` puts where, and the package that find_package(Synelix) reads.

include(CMakePackageConfigHelpers)

set(synelix_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/Synelix")
set(synelix_installed synelix)
foreach(target IN ITEMS synelix_hdf5 synelix_mpi synelix_tool)
  if(TARGET ${target})
    list(APPEND synelix_installed ${target})
  endif()
endforeach()

add_custom_target(synelix_installable DEPENDS ${synelix_installed})   # what `cmake --install` wants to be there

file(RELATIVE_PATH synelix_libraries_from_programs
  "${CMAKE_INSTALL_FULL_BINDIR}" "${CMAKE_INSTALL_FULL_LIBDIR}")
set_property(TARGET ${synelix_installed} APPEND PROPERTY
  INSTALL_RPATH "$ORIGIN" "$ORIGIN/${synelix_libraries_from_programs}")
set_property(TARGET ${synelix_installed} PROPERTY INSTALL_RPATH_USE_LINK_PATH ON)

install(TARGETS ${synelix_installed} EXPORT SynelixTargets FILE_SET HEADERS)
install(EXPORT SynelixTargets NAMESPACE Synelix:: DESTINATION "${synelix_package_folder}")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/SynelixConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/SynelixConfig.cmake" INSTALL_DESTINATION "${synelix_package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/SynelixConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)   # while 0.x; SameMajorVersion from 1.0
install(FILES "${PROJECT_BINARY_DIR}/SynelixConfig.cmake" "${PROJECT_BINARY_DIR}/SynelixConfigVersion.cmake"
  DESTINATION "${synelix_package_folder}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
