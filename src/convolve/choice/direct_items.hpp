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

/// Whole tiles where strips are long enough for that to matter little else: then all of a strip's
/// results are whole lines, too.
std::int64_t whole_tiles(std::int64_t strip_rows, const ProblemSize& problem);

/// Shapes the work items of the direct method.
void shape_direct(const ProblemSize& problem, const Resources& resources,
                  const ConvolveOptions& options, Choice& choice);

/// Whether strips of all channels are computed as lines: an in-place form of the direct method,
/// which needs the features' rows to lie one behind the other.
bool is_line(const ProblemSize& problem, const Resources& resources,
             const ConvolveOptions& options);

/// Whether a device computes strips of one channel as window tiles: rows that are neighbouring
/// samples of segments that are not short.
bool takes_windows(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// Rows of a strip where only `rows` rows of one segment are computed, fewer than the choice is
/// made for: strips are cut shorter where more of them fill lanes that would stand empty.
std::int64_t strip_rows_for(const ProblemSize& problem, const Resources& resources,
                            const Choice& choice, std::int64_t rows);

/// The same of work items that are shaped.
bool takes_lines(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// Whether filters that are one are computed once, into memory of their own: on hosts, for rows
/// that are neighbouring samples.
bool shares_filter(const ProblemSize& problem, const Resources& resources, const Choice& choice);

}  // namespace synelix::chooser
