// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace synelix {

/// Asks that fresh memory, which nothing was written to yet, comes in large pages where the system
/// has them: a table of many megabytes costs more page by page than its values do to compute. Does
/// nothing where there is no such wish to express, or less than a large page.
void prefer_large_pages(void* data, std::size_t bytes) noexcept;

}  // namespace synelix
