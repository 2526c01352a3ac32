// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_file.hpp"
#include "files/source/axis_order.hpp"

#include <synelix/types/hdf5.hpp>

#include <optional>
#include <string>

/// \file
/// Metadata of a recording's times and scaling: attributes of the dataset, and NWB's
/// `starting_time`, `timestamps` and `channel_conversion`.

namespace synelix::nwb {

/// The `data` of a TimeSeries if the path names one; otherwise the path itself.
FilePath data_of(const h5::SourceFile& file, FilePath path);

/// \throws Error if attributes say that stored times are not seconds: another unit, a scale, or
///         marks of missing values
void require_seconds(const h5::Dataset& times, const std::string& name);

/// The times of the samples of a file.
struct SampleTimes {
  SeriesDescription series;          ///< rate, start and segments of all samples of the file
  std::optional<TimestampsFit> fit;  ///< if the rate was fitted to timestamps
};

/// Reads the times. Timestamps are read in pieces, or not at all if their fit is known. \throws
/// Error as Hdf5Source
SampleTimes sample_times(const h5::SourceFile& file, const FilePath& path,
                         const h5::Dataset& dataset, std::int64_t samples,
                         const Hdf5SourceOptions& options);

/// The factors and offsets of physical values. \throws Error as Hdf5Source
Scaling scaling_of(const h5::SourceFile& file, const FilePath& path, const h5::Dataset& dataset,
                   const h5::AxisOrder& axes);

}  // namespace synelix::nwb
