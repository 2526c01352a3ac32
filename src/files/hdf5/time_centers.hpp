// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/part/output_file.hpp"

#include <cstdint>
#include <string>

/// \file
/// What the dataset of times says of its values, and the dataset of the centers of bins beside it.
///
/// A dataset of times has the attribute `position`: "start of the bin", with `bin_seconds` and, in
/// `centers`, the path of the dataset of centers; or "sample", where the width of a sample is not
/// known. The centers have the position "center of the bin".

namespace synelix::h5 {

inline constexpr const char* at_sample = "sample";
inline constexpr const char* at_bin_start = "start of the bin";
inline constexpr const char* at_bin_center = "center of the bin";

/// The name of the centers beside times of this name.
std::string centers_beside(const std::string& time_path);

/// Notes what times stand for.
void write_position(hid_t times, const char* position);

/// Notes that times are starts of bins, and creates the dataset of their centers.
Dataset create_centers(const OutputFile& file, const Dataset& times, const std::string& time_path,
                       std::int64_t rows, double bin_seconds);

}  // namespace synelix::h5
