// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>

/// \file
/// What the choice of an operator or a product knows of the space that runs it.

namespace synelix {

struct ExecutionResources {
  bool is_device = false;
  std::int64_t concurrency = 1;  ///< threads
  /// Bytes that a call may use that needs so many: what it was told, else what the machine has.
  std::function<std::int64_t(std::int64_t needed)> budget;
};

}  // namespace synelix
