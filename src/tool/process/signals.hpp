// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

/// \file
/// Signals that stop a run. A run that checks the flag finishes its block, closes its files and
/// exits. A run that does not check it in time, because it computes, waits or hangs, is ended.

namespace synelix::tool {

/// After this call, SIGINT, SIGTERM, SIGHUP and SIGUSR1 set the flag below; an ignored one stays
/// ignored, as nohup requires. A second signal has its default action. A process that still runs
/// after the grace period ends with the code below. SIGPIPE and SIGXFSZ do nothing: if a reader has
/// ended, or a file may not grow, the write reports an error.
/// The grace period is half a second, or the value of SYNELIX_GRACE_SECONDS.
/// \throws Error if that variable is not a number of seconds
void catch_stop_signals();

/// After this call, signals have their default action: the work is done, and there is nothing to
/// save.
void leave_stop_signals();

/// Whether such a signal was received.
const std::atomic<bool>& stop_requested();

/// The exit code for it: 128 + the number of the signal.
int stop_exit_code();

/// The fate of FILE.part if a signal ends the process at once.
enum class Rest : std::uint8_t {
  resumes,  ///< it stays, and --resume continues it
  shared,   ///< it stays, and the same command continues its part
  stays,    ///< it stays, but cannot be used
  removed   ///< this process has made it, and removes it
};

/// Records which file is written, for the message of an ended run.
void note_part(const std::string& part, Rest rest);

/// Records what remains to be done, for example lines of a list. It is added to the end of the
/// message of an ended run.
void note_left(const std::string& text);

}  // namespace synelix::tool
