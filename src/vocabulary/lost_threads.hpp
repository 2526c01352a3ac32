// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace synelix {

/// Has require_running() refuse from now on: Kokkos lost the memory of its threads.
void note_lost_threads() noexcept;

}  // namespace synelix
