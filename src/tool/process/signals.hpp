// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

/// \file
/// Signals that ask a run to end. A run that looks at the flag finishes its block, closes its files
/// and leaves. A run that does not look in time, since it computes, waits or hangs, is ended.

namespace synelix::tool {

/// From now on SIGINT, SIGTERM, SIGHUP and SIGUSR1 set the flag below; one that was ignored stays
/// ignored, as nohup needs it. A second signal has its default action. A process that still runs
/// after the grace period ends with the code below. SIGPIPE and SIGXFSZ do nothing: a reader that
/// has gone, or a file that may not grow, is an error of the write.
/// The grace period is half a second, or what SYNELIX_GRACE_SECONDS says.
/// \throws Error where that variable holds no number of seconds
void catch_stop_signals();

/// From now on a signal has its default action: the work is done, and nothing is left to keep.
void leave_stop_signals();

/// Whether such a signal has come.
const std::atomic<bool>& stop_requested();

/// The exit code that says so: 128 + the number of the signal.
int stop_exit_code();

/// What becomes of FILE.part where a signal ends the process at once.
enum class Rest : std::uint8_t {
  resumes,  ///< it stays, and --resume goes on with it
  shared,   ///< it stays, and the same command goes on with its part
  stays,    ///< it stays, and is of no use
  removed   ///< this process has made it, and removes it
};

/// Says which file is written. The message of a run that is ended names it.
void note_part(const std::string& part, Rest rest);

/// Says what else is left to do, such as lines of a list. The message of a run that is ended has it
/// at its end.
void note_left(const std::string& text);

}  // namespace synelix::tool
