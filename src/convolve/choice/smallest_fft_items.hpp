// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "convolve/choice/choose.hpp"

#include <synelix/choice.hpp>

/// \file
/// The least that the FFT method can do with.

namespace synelix::chooser {

/// Of all work items with at most the channels and bases of `choice`, those with the smallest
/// workspace. Blocks, and so the bits, stay as they are.
Choice smallest_fft(const ProblemSize& problem, const Resources& resources, const Choice& choice);

}  // namespace synelix::chooser
