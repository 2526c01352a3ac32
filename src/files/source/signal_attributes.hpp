// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_file.hpp"
#include "files/source/axis_order.hpp"

#include <synelix/types/hdf5.hpp>

#include <optional>
#include <string>

/// \file
/// What stands beside the samples of a recording and says when and how large they are: attributes
/// of the dataset, and NWB's `starting_time`, `timestamps` and `channel_conversion`.

namespace synelix::nwb {

/// The dataset that is meant by the name of a TimeSeries: its `data`. Every other path as it is.
FilePath data_of(const h5::SourceFile& file, FilePath path);

/// \throws Error where attributes say that times are no seconds as they are stored: another unit, a
/// scale, or marks of missing ones
void require_seconds(const h5::Dataset& times, const std::string& name);

/// When the samples of a file were taken.
struct SampleTimes {
  SeriesDescription series;          ///< rate, start and segments of all samples of the file
  std::optional<TimestampsFit> fit;  ///< where it was fitted to timestamps
};

/// Reads it, timestamps in pieces, or not at all where their fit is known. \throws Error as
/// Hdf5Source
SampleTimes sample_times(const h5::SourceFile& file, const FilePath& path,
                         const h5::Dataset& dataset, std::int64_t samples,
                         const Hdf5SourceOptions& options);

/// The factors and offsets that physical values have. \throws Error as Hdf5Source
Scaling scaling_of(const h5::SourceFile& file, const FilePath& path, const h5::Dataset& dataset,
                   const h5::AxisOrder& axes);

}  // namespace synelix::nwb
