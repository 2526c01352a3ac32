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
/// N - W + 1 rows: longer ones waste less, and leave the caches. With the window in P parts of H
/// taps, a block of N = 2 H samples gives H rows and takes P products.

namespace synelix::chooser {

/// Shapes the work items of the FFT method; a strip is a block, or with parts a run of them.
void shape_fft(const ProblemSize& problem, const Resources& resources,
               const ConvolveOptions& options, Choice& choice);

/// Makes the workspace smaller, changing no bit of a result. Returns whether it could.
bool make_fft_smaller(Choice& choice);

/// What a point of a line takes in transforms of so many points, over one of short transforms: near
/// as those are, and because it comes from further caches.
struct PointFactor {
  double near = 1.0;
  double far = 0.0;
  [[nodiscard]] double sum() const { return near + far; }
};
/// By the table of the build. Does not depend on the batch or a calibration, as the length does not
/// that follows from it.
PointFactor point_factor(const ProblemSize& problem, const Resources& resources, std::int64_t every,
                         std::int64_t points);

/// Output rows of a block.
std::int64_t block_rows(const Choice& choice);

/// What the products with all parts of the window but one take for a point of packs of lanes and
/// their lines, over a point of short transforms.
double products_factor(std::int64_t parts, double packs, double lines);

/// Whether results are whole cache lines, which need not be put together first.
bool has_whole_lines(const ProblemSize& problem, const Resources& resources, const Choice& choice);

/// Floating-point operations.
double fft_flops(const ProblemSize& problem, const Choice& choice);

/// What a team's memory and the tables of the bank are laid out by.
spectral::BlockSizes block_sizes(const ProblemSize& problem, const Resources& resources,
                                 const Choice& choice);

/// Bytes of the tables of the bank: of its spectra, and of the constants of the transform. 0 for
/// other methods.
std::int64_t spectra_bytes(const ProblemSize& problem, const Resources& resources,
                           const Choice& choice);

// The least that the FFT method can do with.

/// Of all work items with at most the channels and bases of `choice`, those with the smallest
/// workspace. Blocks, and so the bits, stay as they are.
Choice smallest_fft(const ProblemSize& problem, const Resources& resources, const Choice& choice);

// The FFT method's part of a choice on devices: blocks as on a host, their length by the problem
// and the scratch of a team, which holds what it transforms.

/// Whether transforms are those of a device.
constexpr bool transforms_in_scratch(const Resources& resources) {
  return resources.scratch_bytes > 0;
}

/// Whether there are blocks for a window, in so many parts where that is asked for.
bool has_device_blocks(const ProblemSize& problem, const Resources& resources,
                       const ConvolveOptions& options);

/// Shapes the work items, with one part where no blocks fit.
void shape_device_fft(const ProblemSize& problem, const Resources& resources,
                      const ConvolveOptions& options, Choice& choice);

/// What a team transforms, for a choice.
spectral::StageSizes stage_sizes(const ProblemSize& problem, const Resources& resources,
                                 const Choice& choice);

}  // namespace synelix::chooser
