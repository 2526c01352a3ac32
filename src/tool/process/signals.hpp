// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

/// \file
/// The start and the end of the program: signals that stop a run, standard streams that the caller
/// has closed, and the exit if memory runs out in a function that may not throw. A run that checks
/// the flag of signals finishes its block, closes its files and exits. A run that does not check it
/// in time, because it computes, waits or hangs, is ended.

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

/// The message for exhausted memory, with a newline.
inline constexpr char out_of_memory[] = "synelix: out of memory; a smaller --budget may help\n";

/// After this call, a failed allocation in a function that may not throw ends the program with exit
/// code 1 and a message. Kokkos allocates in its destructors, and CLI11 while it reads options; the
/// standard library would abort.
void end_where_memory_ran_out();

/// Occupies each of the descriptors 0 to 2 that is closed, so that no opened file gets it and
/// messages are not written into that file. The stream behaves like a closed one: reads of 0 fail,
/// and so do writes to 1 and 2. Call it before anything is opened.
void occupy_closed_streams();

}  // namespace synelix::tool
