// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/types/series.hpp>

#include <cstdint>
#include <vector>

/// \file
/// What convolve.hpp declares, without Kokkos: functions that describe the rows of features.
/// Programs include convolve.hpp.

namespace synelix {

/// Rows of the features of a series, for windows of `window` samples: all samples for Border::nan
/// and Border::zero, those with a complete window for Border::valid; of each epoch, and of each gap
/// between epochs, every `options.every`-th. Rows of gaps are NaN.
/// \throws Error for options out of range
std::int64_t feature_rows(const SeriesShape& shape, std::int64_t window,
                          const ConvolveOptions& options);

/// The extents of the features, before anything is computed: those of the series with the rows in
/// place of its samples, then the bases. For events: (rows, channels, bases).
/// \throws Error as feature_rows
/// @{
std::vector<std::int64_t> feature_extents(const StridedSeries& series, std::int64_t window,
                                          std::int64_t bases, const ConvolveOptions& options = {});
std::vector<std::int64_t> feature_extents(const Events& events, std::int64_t window,
                                          std::int64_t bases, const ConvolveOptions& options = {});
/// @}

/// The sample that each row of the features stands for, ascending. \throws Error as feature_rows
std::vector<std::int64_t> feature_samples(const SeriesShape& shape, std::int64_t window,
                                          const ConvolveOptions& options);

/// The rows that have values rather than NaN, as sorted disjoint ranges: for Border::nan those with
/// a complete window inside their epoch, for Border::zero those of epochs, for Border::valid all.
/// \throws Error as feature_rows
std::vector<Range> valid_rows(const SeriesShape& shape, std::int64_t window,
                              const ConvolveOptions& options);

}  // namespace synelix
