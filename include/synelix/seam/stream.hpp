// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>

/// \file
/// What the program asks of streams, beside stream.hpp. Not for users.

namespace synelix::seam {

/// Whether blocks of a stream on a space go through a device, so that there are two budgets.
template <class ExecutionSpace>
bool goes_through_device(const ExecutionSpace& exec, Staging staging);

}  // namespace synelix::seam
