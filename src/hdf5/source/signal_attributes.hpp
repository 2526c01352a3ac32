// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_file.hpp"
#include "hdf5/source/axis_order.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

/// \file
/// Metadata of a recording's times and scaling: attributes of the dataset, and NWB's
/// `starting_time`, `timestamps` and `channel_conversion`. One rate is fitted to timestamps;
/// hdf5.hpp documents the rule at Hdf5Source.

namespace synelix::stream {

/// The number of timestamps that are read together.
inline constexpr std::int64_t timestamps_together = std::int64_t{1} << 16;
/// A recording with more jumps than this is rejected.
inline constexpr std::int64_t most_segments = std::int64_t{1} << 20;

/// Copies the timestamps of these samples, at most timestamps_together.
using ReadTimestamps = std::function<void(Range, double*)>;

/// Fits at least two timestamps. They are read twice, in pieces; the first piece is read once more,
/// before, for the median of its differences.
/// \param name  of the dataset, for messages
/// \throws Error with the first timestamp that is not finite, decreases, or is farther than half a
///         sample from its fitted time
TimestampsFit fit_timestamps(const std::string& name, std::int64_t samples,
                             const ReadTimestamps& read);

/// \throws Error if a given fit is impossible for this number of samples
void require_fit_of(const synelix::TimestampsFit& fit, std::int64_t samples);

}  // namespace synelix::stream

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
