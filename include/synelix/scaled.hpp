// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/strided.hpp>
#include <synelix/types/scaled.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// `scaled`: an array of a stored type whose physical values are stored * scale + offset. Every
/// verb takes its result where it takes the array: samples of a series, images, matrices, weights.
///
///     sx::matmul(exec, sx::scaled(pixels, 1.0 / 128, 0), weights, scores);
///     auto features = sx::convolve<Kokkos::LayoutRight>(exec, sx::scaled(counts, gains), bank);
///
/// The array is never converted as a whole: kernels convert the block that they are at. (Blocks of
/// a `ConvolveStream` are stored values, whose scaling the stream was made with.)
