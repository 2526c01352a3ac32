// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>

/// \file
/// `calibrate` measures what the cost model needs to know about the machine that the program runs
/// on. A `Machine` is passed to each call; machine_file.hpp keeps it in files.

namespace synelix {

/// Measures the times of the steps of the methods. It runs some hundred small convolutions with
/// every method, in less than 10 seconds and about 250 MB, and fits the times of the steps to
/// theirs. Then it tries other sizes of work items, and takes those that are clearly faster than
/// the defaults. With several threads, the threads share the machine during the measurement, as
/// they do later.
///
/// With a calibration, the chosen methods may differ from the default ones. They may also differ
/// between calibrations if two methods take about the same time. If the last bits of results
/// matter, store the Machine with them.
///
/// \param set    the instruction set; automatic: the widest
/// \param watch  reports progress, and cancels; it is checked between two problems, after some 100
///               ms
/// \return       the instruction set that was measured, nanoseconds of each step on one core, and
///               the fastest sizes in bytes, 0 for the library's default
/// \throws Error for an instruction set that is not available, or if Kokkos is not running
/// \throws Cancelled if watch.cancel is set; also whatever watch.progress throws
template <class ExecutionSpace>
Machine calibrate(const ExecutionSpace& exec, InstructionSet set = InstructionSet::automatic,
                  const Watch& watch = {});

}  // namespace synelix
