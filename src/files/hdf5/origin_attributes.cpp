// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/hdf5/origin_attributes.hpp"

#include "files/hdf5/h5_attributes.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/version.hpp>

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace synelix {
namespace {

/// As Kokkos' namespaces spell a backend. CMake has it in capitals.
std::string spelled(const std::string& backend) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> names = {
      {{"OPENMP", "OpenMP"}, {"SERIAL", "Serial"}, {"CUDA", "Cuda"}}};
  for (const auto& [capitals, name] : names) {
    if (backend == capitals) return std::string(name);
  }
  return backend;
}

}  // namespace

std::string build_summary() {
  const BuildDescription build = build_description();
  std::string text = "Kokkos " + build.kokkos_version;
  for (const std::string& backend : build.backends) text += " " + spelled(backend);
  text += ", HDF5 " + hdf5_version() + ", " + build.compiler;
  if (!build.build_type.empty()) text += ", " + build.build_type;
  return text;
}

void h5::write_origin(hid_t object) {
  write_attribute(object, "synelix_version", std::string(version()));
  write_attribute(object, "synelix_revision", std::string(revision()));
  write_attribute(object, "synelix_build", build_summary());
}

}  // namespace synelix
