// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "launch/apart.hpp"

/// \file
/// Whether a result lies apart from the arguments of a call, and from what its design refers to.

namespace synelix::glm {

/// Refuses a call that writes memory of its other arguments, or of an array that rows come from.
/// \param result  an array that was checked; absent: nothing is written
/// \param others  what else the call reads or writes
/// \throws Error naming both arguments
void check_result_apart(const Pass& pass, const char* name, const StridedOutput& result,
                        plan::Arguments others);

}  // namespace synelix::glm
