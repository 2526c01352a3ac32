// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/choice.hpp>
#include <synelix/filter_bank.hpp>

/// \file
/// `calibrate`: what the cost model is to know of the machine that the program runs on. A `Machine`
/// is passed to each call; machine_file.hpp keeps it in files.

namespace synelix {

/// Measures what the steps of the methods take: runs some hundred small convolutions by every
/// method, for less than 10 seconds and in about 250 MB, and finds the times that explain theirs
/// best. Then it tries other sizes of work items. It takes those that win clearly over the
/// library's own.
/// With a space of several threads these share what the machine has, as they will later.
///
/// The methods that are chosen by it may differ from those without, and from one calibration to the
/// next where two take about the same time: keep a Machine together with results whose last bits
/// matter.
///
/// \param set    the instruction set; automatic: the widest
/// \param watch  follows the measurement, and ends it: it is asked between two problems, after some
///               100 ms
/// \return       the instruction set that was measured, nanoseconds of each step on one core, and
///               the bytes that won, 0 where the library's own did
/// \throws Error for an instruction set that is not there, or where Kokkos is not running
/// \throws Cancelled where watch.cancel asks for it; what watch.progress throws
template <class ExecutionSpace>
Machine calibrate(const ExecutionSpace& exec, InstructionSet set = InstructionSet::automatic,
                  const Watch& watch = {});

}  // namespace synelix
