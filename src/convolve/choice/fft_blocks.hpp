// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"
#include "spectral/block.hpp"
#include "spectral/stages.hpp"

#include <synelix/choice.hpp>

#include <cstdint>

/// \file
/// The FFT method's part of a choice: the length of its transforms, by the problem and the width of
/// registers, the parts of the window, and the shape of its work items. A block of N samples gives
/// N - W + 1 rows: longer blocks waste less, but exceed the caches. With the window in P parts of H
/// taps, a block of N = 2 H samples gives H rows and takes P products.

namespace synelix::chooser {

/// Shapes the work items of the FFT method. A strip is a block, or a run of blocks if there are
/// parts.
void shape_fft(const ProblemSize& problem, const Resources& resources,
               const ConvolveOptions& options, Choice& choice);

/// Makes the workspace smaller without a change of any bit of a result. Returns false if it is the
/// smallest.
bool make_fft_smaller(Choice& choice);

/// The cost of a point of a line in transforms of this many points, relative to short transforms:
/// the cost in the nearest cache, and the extra cost of farther caches.
struct PointFactor {
  double near = 1.0;
  double far = 0.0;
  [[nodiscard]] double sum() const { return near + far; }
};
/// Uses the default table. It does not depend on the batch or a calibration, so the length of
/// transforms does not, either.
PointFactor point_factor(const ProblemSize& problem, const Resources& resources, std::int64_t every,
                         std::int64_t points);

/// Output rows of a block.
std::int64_t block_rows(const Choice& choice);

/// The cost of the products with all parts of the window but one, for a point of packs of lanes and
/// their lines, relative to a point of short transforms.
double products_factor(std::int64_t parts, double packs, double lines);

/// Whether results are full cache lines, which need no staging.
bool has_whole_lines(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// Floating-point operations.
double fft_flops(const ProblemSize& problem, const Choice& choice);

/// The layout of a team's memory and of the tables of the bank.
spectral::BlockSizes block_sizes(const ProblemSize& problem, const Resources& resources,
                                 const Choice& choice);

/// Bytes of the tables of the bank: spectra, and the constants of the transform. 0 for other
/// methods.
std::int64_t spectra_bytes(const ProblemSize& problem, const Resources& resources,
                           const Choice& choice);

// The smallest workspace of the FFT method.

/// The work items with the smallest workspace, with at most the channels and bases of `choice`.
/// Blocks do not change, so the bits do not.
Choice smallest_fft(const ProblemSize& problem, const Resources& resources, const Choice& choice);

// The FFT method's part of a choice on devices: blocks as on a host. Their length follows from the
// problem and the scratch of a team, which holds the transformed blocks.

/// Whether transforms are device transforms.
constexpr bool transforms_in_scratch(const Resources& resources) {
  return resources.scratch_bytes > 0;
}

/// Whether there are blocks for a window, with the requested number of parts if there is a request.
bool has_device_blocks(const ProblemSize& problem, const Resources& resources,
                       const ConvolveOptions& options);

/// Shapes the work items, with one part if no blocks fit.
void shape_device_fft(const ProblemSize& problem, const Resources& resources,
                      const ConvolveOptions& options, Choice& choice);

/// The sizes that a team transforms, for a choice.
spectral::StageSizes stage_sizes(const ProblemSize& problem, const Resources& resources,
                                 const Choice& choice);

}  // namespace synelix::chooser
