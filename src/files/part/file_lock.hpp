// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

/// \file
/// The lock of a file that a run writes.
///
/// HDF5 may lock the same file through a descriptor of its own, by `flock`: the variable
/// HDF5_USE_FILE_LOCKING asks for that, whatever a program sets. So the lock here is one of the
/// other kind, of a range of bytes, which does not meet the first on a local file system. It
/// belongs to the open file: it ends with the process, and not where HDF5 closes the file.

namespace synelix::stream {

/// Locks an open file; false where somebody else has locked it, in either way. True where the file
/// system has no locks.
bool lock_file(int descriptor);
void unlock_file(int descriptor);
/// Whether somebody else has locked an open file. Where the system can say so, nothing is locked,
/// not for a moment: a run that begins at the same time is not refused.
bool is_locked(int descriptor);

/// The same of a range of bytes, for processes that write a file together: each locks what it
/// writes. Without locks between processes two of them would write the same rows, so that a file
/// system without locks is told apart here.
enum class ByteLock : std::uint8_t { taken, refused, unknown };
ByteLock lock_bytes(int descriptor, Range bytes);
/// Waits until nobody else has locked the range, and locks it. Never `refused`.
ByteLock wait_for_bytes(int descriptor, Range bytes);
void unlock_bytes(int descriptor, Range bytes);
bool are_locked(int descriptor, Range bytes);

}  // namespace synelix::stream
