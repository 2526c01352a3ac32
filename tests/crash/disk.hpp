// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "crash/trace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

/// \file
/// The contents of the disk after a run was interrupted.
///
/// A file system writes pages to the disk at any time: of the data written since the last sync of a
/// file, each sector may be on the disk or not, for any order of the writes. A sector has the
/// contents of its page at some moment: if a later write to it is on the disk, so are the earlier
/// ones. Changes of names reach the disk in their order, at any moment before or after the data.

namespace crash {

/// The kind of loss at an interruption.
enum class Loss : std::uint8_t {
  process,     ///< the process is killed: everything that it passed to the kernel is kept
  everything,  ///< the power fails: whatever was not synced is lost, data and names
  data,        ///< all names, but no data that was not synced
  names,       ///< all data, but no names that were not synced
  nothing,     ///< the machine is restarted, and nothing is lost
  writes,      ///< each write is kept or lost
  sectors,     ///< each sector of 512 bytes is kept or lost, so writes may be torn
  pages,       ///< the same for pages of 4096 bytes
  one_write,   ///< one write is missing
  all_but_one  ///< only one write is kept
};

constexpr std::array losses = {Loss::process,   Loss::everything, Loss::data,    Loss::names,
                               Loss::nothing,   Loss::writes,     Loss::sectors, Loss::pages,
                               Loss::one_write, Loss::all_but_one};

const char* name_of(Loss loss);

/// The files on the disk when a run was interrupted after a number of events.
/// \param seed  of the random losses
Files files_left(const Trace& trace, std::size_t events, Loss loss, std::uint64_t seed);

}  // namespace crash
