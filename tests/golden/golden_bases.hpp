// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "golden/comparison.hpp"

namespace golden {

/// Compares one group of /basis with what the library evaluates from its parameters.
Outcome check_basis(const Group& group);

}  // namespace golden
