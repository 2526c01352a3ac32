// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nlohmann/json_fwd.hpp>

/// \file
/// JSON of the program. A file that makes or reads it includes nlohmann/json.hpp, which takes two
/// seconds; headers do not.

namespace synelix::tool {

/// Objects keep the order of their keys.
using Json = nlohmann::ordered_json;

}  // namespace synelix::tool
