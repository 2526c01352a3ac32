// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "products/plan/operands.hpp"
#include "products/problem/forms.hpp"

#include <synelix/bilinear_forms.hpp>

/// \file
/// Bilinear forms as the sweeps take them, checked.

namespace synelix::plan {

/// The forms of a call; without `y`, quadratic ones. \throws Error where arrays do not fit together
/// or the method does not apply
template <class Scalar>
sweep::FormProblem<Scalar> form_problem(const Operand& x, const Operand& a, const Operand* y,
                                        const StridedOutput& q, const BilinearFormsOptions& options,
                                        ArrayMemory memory = ArrayMemory::needed);

}  // namespace synelix::plan
