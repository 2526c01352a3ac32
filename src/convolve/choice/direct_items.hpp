// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"

#include <synelix/choice.hpp>

#include <cstdint>

/// \file
/// The direct method's part of a choice: the shape of its work items.

namespace synelix::chooser {

/// The most rows that a batch allows for work items of `strips` strips.
std::int64_t rows_of_batch(const ProblemSize& problem, const ConvolveOptions& options,
                           std::int64_t strips);

/// Rounds down to a multiple of tile rows if strips are long enough. Then all results of a strip
/// are full cache lines, too.
std::int64_t whole_tiles(std::int64_t strip_rows, const ProblemSize& problem);

/// Shapes the work items of the direct method.
void shape_direct(const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, Choice& choice);

/// Whether strips of all channels are computed as lines, an in-place form of the direct method. It
/// needs the features' rows to be contiguous.
bool is_line(const ProblemSize& problem, const Resources& resources,
             const ConvolveOptions& options);

/// Whether a device computes strips of one channel as window tiles. This requires rows at
/// consecutive samples, and segments that are not short.
bool takes_windows(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// Rows of a strip if only `rows` rows of one segment are computed, fewer than the choice was made
/// for. Strips are cut shorter if more of them fill otherwise empty lanes.
std::int64_t strip_rows_for(const ProblemSize& problem, const Resources& resources,
                            const Choice& choice, std::int64_t rows);

/// The same for work items that have their shape.
bool takes_lines(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// Whether equal filters are computed once, into separate memory: on hosts, for rows at consecutive
/// samples.
bool shares_filter(const ProblemSize& problem, const Resources& resources, const Choice& choice);

}  // namespace synelix::chooser
