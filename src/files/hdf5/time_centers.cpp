// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/hdf5/time_centers.hpp"

#include "files/hdf5/h5_attributes.hpp"

namespace synelix::h5 {

std::string centers_beside(const std::string& time_path) { return time_path + "_center"; }

void write_position(hid_t times, const char* position) {
  write_attribute(times, "position", std::string(position));
}

Dataset create_centers(const OutputFile& file, const Dataset& times, const std::string& time_path,
                       std::int64_t rows, double bin_seconds) {
  const std::string path = centers_beside(time_path);
  write_position(times.id(), at_bin_start);
  write_attribute(times.id(), "bin_seconds", bin_seconds);
  write_attribute(times.id(), "centers", path);
  Dataset centers = file.create_contiguous(path, H5T_IEEE_F64LE, {rows});
  write_attribute(centers.id(), "unit", std::string("seconds"));
  write_position(centers.id(), at_bin_center);
  return centers;
}

}  // namespace synelix::h5
