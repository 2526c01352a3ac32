// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/number_text.hpp"

/// \file
/// Numbers in the messages of this folder.

namespace synelix::stream {

using synelix::number_text;

}  // namespace synelix::stream
