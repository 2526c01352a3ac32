// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <functional>
#include <optional>
#include <string>

/// \file
/// `--part auto`: the part of a run for this process, from the variables of the scheduler or
/// launcher.

namespace synelix::tool {

/// A part, and the variables that give it; no variables if it is from the command line.
struct SchedulerPart {
  OutputPart part;
  std::string variables;
};

/// The value of a variable of the environment; nothing if it is not set.
using Variable = std::function<std::optional<std::string>(const std::string& name)>;

/// The part from ranks of mpirun, then from tasks of a Slurm step, then from tasks of a job array
/// (Slurm, Grid Engine). If there is a single rank, an array takes precedence. \throws Error if
/// there is none, if two contradict each other, or if the total number is missing
SchedulerPart part_of_scheduler(const Variable& variable);

/// The part given by --part; for auto, from the variables of this process.
/// \throws Error as part_of_scheduler
SchedulerPart part_of_process(const PartWish& wish);

}  // namespace synelix::tool
