// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "machine/budget.hpp"
#include "products/problem/form_cut.hpp"
#include "products/problem/forms.hpp"

#include <synelix/types/bilinear_forms.hpp>

#include <cstdint>

/// \file
/// How bilinear forms are cut, whether their matrix is copied, and the memory for that.

namespace synelix::plan {

/// How forms are cut and computed, before anything is allocated.
struct FormCutting {
  BilinearFormsChoice choice;
  sweep::FormCut cut;             ///< on a host
  std::int64_t panels_bytes = 0;  ///< of the copied matrix
  std::int64_t team_bytes = 0;
};

/// How forms are computed. Bits do not depend on parts, teams or whether the matrix is copied.
/// \throws Error if the budget is too small
template <class Scalar>
FormCutting choose_forms(const sweep::FormProblem<Scalar>& problem,
                         const BilinearFormsOptions& options, const ExecutionResources& resources);

}  // namespace synelix::plan
