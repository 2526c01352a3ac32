// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/comparison.hpp"

namespace golden {

/// Compares one group of /eval: samples mapped through the functions of a basis.
Outcome check_eval(const Group& group);

/// Compares one group of /fourier: which combinations of frequencies are kept, and their columns.
Outcome check_fourier(const Group& group);

}  // namespace golden
