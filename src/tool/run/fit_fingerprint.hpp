// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/request.hpp"
#include "tool/run/fitted_design.hpp"

#include <synelix/design_matrix.hpp>
#include <synelix/glm.hpp>
#include <synelix/stream.hpp>

#include <cstdint>
#include <vector>

/// \file
/// What the bits of a model depend on, in words. A fit that is resumed takes over what an earlier
/// run has found only where all of this is the same.

namespace synelix::tool {

/// Budget, threads and the layout of the design file are not among it.
/// \param files  what was read. Of the design, the options and the calibration of the machine,
///               what they say is compared, and not when they were changed.
Fingerprint fingerprint_of(const FitRequest& request, const FittedDesign& design,
                           const DesignMatrix& matrix, const FitChoice& choice,
                           const std::vector<std::int64_t>& target_ids,
                           const std::vector<InputFile>& files);

}  // namespace synelix::tool
