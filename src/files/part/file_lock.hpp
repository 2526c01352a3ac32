// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

/// \file
/// The lock of a file that a run writes.
///
/// HDF5 may lock the same file through its own descriptor, with `flock`: the variable
/// HDF5_USE_FILE_LOCKING overrides the setting of a program. So the lock here is a byte-range lock,
/// which is independent of `flock` on a local file system. It belongs to the open file: it is
/// released at the end of the process, but not when HDF5 closes the file.

namespace synelix::stream {

/// Locks an open file; false if another process has locked it, with either kind of lock. True if
/// the file system has no locks.
bool lock_file(int descriptor);
void unlock_file(int descriptor);
/// Whether another process has locked an open file. If the system can report that, no lock is
/// taken, not even briefly, so a run that begins at the same time is not refused.
bool is_locked(int descriptor);

/// Locks of byte ranges, for processes that write a file together: each locks what it writes.
/// Without locks two processes might write the same rows, so a file system without locks is
/// reported as `unknown`.
enum class ByteLock : std::uint8_t { taken, refused, unknown };
ByteLock lock_bytes(int descriptor, Range bytes);
/// Waits until no other process has locked the range, and locks it. Never `refused`.
ByteLock wait_for_bytes(int descriptor, Range bytes);
void unlock_bytes(int descriptor, Range bytes);
bool are_locked(int descriptor, Range bytes);

}  // namespace synelix::stream
