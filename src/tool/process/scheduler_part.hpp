// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"

#include <functional>
#include <optional>
#include <string>

/// \file
/// `--part auto`: which part of a run this process is, as the variables of whoever started it say.

namespace synelix::tool {

/// A part, and which variables say so; none of them where the command line does.
struct SchedulerPart {
  OutputPart part;
  std::string variables;
};

/// The value of a variable of the environment; nothing where it is not set.
using Variable = std::function<std::optional<std::string>(const std::string& name)>;

/// Ranks of mpirun, then tasks of a step of Slurm, then tasks of a job array (Slurm, Grid Engine).
/// A rank of one yields to an array. \throws Error where there is none, two say different things,
/// or one does not say how many there are
SchedulerPart part_of_scheduler(const Variable& variable);

/// What --part says; for auto, what the variables of this process say.
/// \throws Error as part_of_scheduler
SchedulerPart part_of_process(const PartWish& wish);

}  // namespace synelix::tool
