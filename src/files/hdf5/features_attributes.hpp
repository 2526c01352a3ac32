// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"
#include "files/part/output_file.hpp"

#include <synelix/expression.hpp>
#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// What a file says of features: attributes of their dataset, the terms of a design, what times
/// stand for, and the build of this library that wrote an object.
///
/// A dataset of times has the attribute `position`: "start of the bin", with `bin_seconds` and, in
/// `centers`, the path of the dataset of centers; or "sample", where the width of a sample is not
/// known. The centers have the position "center of the bin".

namespace synelix::h5 {

/// Writes everything but the names of the datasets beside it.
void write_description(hid_t dataset, const FeaturesDescription& from,
                       const std::string& fingerprint, const Hdf5OutputOptions& options);

/// Writes a dataset of records (name, first_column, columns, channels, bases), one for each term.
void write_terms(const OutputFile& file, const std::string& path, const std::vector<Term>& terms);

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

/// Writes synelix_version, synelix_revision and synelix_build. Nothing that reads the object for
/// its values asks for them: a run may go on where another revision began it.
void write_origin(hid_t object);

}  // namespace synelix::h5
