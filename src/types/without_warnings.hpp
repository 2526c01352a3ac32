// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace synelix {

/// While an object exists, warnings of its thread are dropped: if several plans of one problem are
/// made, the first has already given all warnings.
class WithoutWarnings {
 public:
  WithoutWarnings();
  WithoutWarnings(const WithoutWarnings&) = delete;
  WithoutWarnings& operator=(const WithoutWarnings&) = delete;
  ~WithoutWarnings();
};

}  // namespace synelix
