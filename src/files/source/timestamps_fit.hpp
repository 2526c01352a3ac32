// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <functional>
#include <string>

/// \file
/// One rate for the timestamps of a recording, and the places where they jump. The rule stands in
/// hdf5.hpp, at Hdf5Source.

namespace synelix::stream {

/// Timestamps that are looked at together.
inline constexpr std::int64_t timestamps_together = std::int64_t{1} << 16;
/// More jumps than this are no recording with gaps.
inline constexpr std::int64_t most_segments = std::int64_t{1} << 20;

/// Copies the timestamps of these samples, at most timestamps_together.
using ReadTimestamps = std::function<void(Range, double*)>;

/// Fits the timestamps of at least two samples, which are read twice, in pieces, the first piece
/// once before for the median of its differences.
/// \param name  of the dataset, for messages
/// \throws Error naming the first timestamp that is not finite, goes down, or lies further than
///         half a sample from its fitted time
TimestampsFit fit_timestamps(const std::string& name, std::int64_t samples,
                             const ReadTimestamps& read);

/// \throws Error where a fit that the caller gives cannot be one of so many samples
void require_fit_of(const synelix::TimestampsFit& fit, std::int64_t samples);

}  // namespace synelix::stream
