// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

/// \file
/// `Region`: Kokkos' ScopedRegion for files that include nothing else of Kokkos.

namespace synelix::plan {

/// A region of the profiling tools of Kokkos, for its lifetime.
class [[nodiscard]] Region {
 public:
  explicit Region(const std::string& name);
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region();
};

}  // namespace synelix::plan
