// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "crash/trace.hpp"

#include <map>
#include <string>

/// \file
/// The calls of this process that change files: recorder.cpp defines those of the C library, which
/// HDF5 and the library are then linked with.

namespace crash {

/// From now on the calls on files of a folder go to a tape. Nothing is brought to a disk any more.
/// \param names  of the files there, with their numbers
/// \param files  the number of the next one
void record(const std::string& folder, const std::map<std::string, int>& names, int files,
            Tape& tape);

/// After this call, the kernel reports the boot id in this file.
void pretend_boot(const std::string& file_of_boot_id);

/// After this call, the monotonic clock runs faster: nanoseconds that each query adds.
void pretend_time(std::int64_t nanoseconds);

}  // namespace crash
