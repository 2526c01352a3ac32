// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"
#include "spectral/stages.hpp"

#include <synelix/choice.hpp>

#include <cstdint>

/// \file
/// The FFT method's part of a choice on devices: blocks as on a host, their length by the problem
/// and the scratch of a team, which holds what it transforms.

namespace synelix::chooser {

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
