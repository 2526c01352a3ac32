// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "launch/apart.hpp"

/// \file
/// Refuses results that overlap other arguments of the call, or arrays that the design reads.

namespace synelix::glm {

/// Refuses a call that writes memory of its other arguments, or of an array that rows come from.
/// \param result  an array that was checked; absent: nothing is written
/// \param others  what else the call reads or writes
/// \throws Error naming both arguments
void check_result_apart(const Pass& pass, const char* name, const StridedOutput& result,
                        plan::Arguments others);

}  // namespace synelix::glm
