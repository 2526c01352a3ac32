// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>
#include <synelix/types/scaled.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// `scaled`: an array of a stored type whose physical values are stored * scale + offset. Every
/// function that takes the array also takes the result: samples of a series, images, matrices,
/// weights.
///
///     sx::matmul(exec, sx::scaled(pixels, 1.0 / 128, 0), weights, scores);
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, sx::scaled(counts, gains), bank);
///
/// Kernels convert the array block by block. (Blocks of a `ConvolveStream` are stored values; the
/// constructor of the stream takes their scaling.)
