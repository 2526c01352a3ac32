// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

/// \file
/// Whether the lines of a list can run one after the other, or in several tasks: each writes a file
/// of its own, and none writes what another reads.

namespace synelix::tool {

/// Where a request has a list: refuses two lines with one output, and an output that a line or the
/// command reads. Names are compared as files: other spellings, symbolic links and hard links
/// count.
/// \throws Error with the numbers of the lines
/// @{
void require_apart(const ConvolveRequest& request);
void require_apart(const FeaturesRequest& request);
/// @}

}  // namespace synelix::tool
