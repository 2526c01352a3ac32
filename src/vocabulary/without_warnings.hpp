// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace synelix {

/// While one lives, warnings of its thread are dropped: where several plans of one problem are
/// made, the first has said it all.
class WithoutWarnings {
 public:
  WithoutWarnings();
  WithoutWarnings(const WithoutWarnings&) = delete;
  WithoutWarnings& operator=(const WithoutWarnings&) = delete;
  ~WithoutWarnings();
};

}  // namespace synelix
