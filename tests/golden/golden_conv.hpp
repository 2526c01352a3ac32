// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/comparison.hpp"

namespace golden {

/// Compares one group of /conv: as double and as float, by every method that applies, and with the
/// batches that the case names, which have to give the same bits. The rows that the library calls
/// valid are compared with the case's mask.
///
/// Tolerance: rtol of the case (1e-5 as float) x largest finite |x| x largest column sum of
/// |kernel|; the pattern of NaN and Inf has to be the same.
Outcome check_conv(const Group& group);

/// Compares one group of /trials, each array of the list as a case of /conv.
Outcome check_trials(const Group& group);

}  // namespace golden
