// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>

/// \file
/// Signals that ask a run to end: it finishes its block, closes its files, and leaves.

namespace synelix::tool {

/// From now on SIGINT, SIGTERM and SIGUSR1 only set the flag below, and SIGPIPE and SIGXFSZ do
/// nothing: a reader that has gone, or a file that may not grow, is an error of the write.
void catch_stop_signals();

/// Whether such a signal has come.
const std::atomic<bool>& stop_requested();

/// The exit code that says so: 130 for SIGINT, 143 for SIGTERM and SIGUSR1 (which Slurm sends).
int stop_exit_code();

}  // namespace synelix::tool
