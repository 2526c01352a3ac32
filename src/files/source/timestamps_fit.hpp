// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <string>

/// \file
/// One rate for the timestamps of a recording, and the places of jumps. hdf5.hpp documents the rule
/// at Hdf5Source.

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
