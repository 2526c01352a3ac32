// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/features.hpp>
#include <synelix/scaled.hpp>
#include <synelix/seam/host_views.hpp>
#include <synelix/series.hpp>
#include <synelix/types/design_matrix.hpp>

#include <Kokkos_Core.hpp>

/// \file
/// `DesignMatrix`: the features of an expression as a matrix X (rows, columns) for products,
/// without storing it:
///
///     const sx::DesignMatrix design(
///         exec, sx::conv(sx::RaisedCosineLog{.bases = 8}, {.window = 100}), {spikes});
///     design.apply(coefficients, predictor);      // X b
///     design.apply_adjoint(residuals, gradient);  // X' r
///     design.gram(result);                        // [X 1]' [X 1]
///
/// A row is a sample of the inputs. A row with a feature that is NaN or infinite is *invalid*: it
/// is left out of sums. Rows of gaps between epochs, and rows whose windows leave their epoch, are
/// invalid, because `compute_features` makes them NaN (Border::nan).
///
/// Sums over rows are taken in fixed blocks of rows of the recording, in order within a block, and
/// blocks are added in order. So the bits of every result do not depend on the number of threads,
/// the budget, whether inputs are in memory or in files, and whether features are kept.
