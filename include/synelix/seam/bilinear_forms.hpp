// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/scaled.hpp>
#include <synelix/seam/output.hpp>
#include <synelix/strided.hpp>

#include <cstdint>
#include <vector>

/// \file
/// The compiled functions of bilinear_forms.hpp, on results that are `StridedOutput`. For the
/// public headers, not for users.

namespace synelix {
struct BilinearFormsChoice;
struct BilinearFormsOptions;
}  // namespace synelix

namespace synelix::seam {

/// Extents of the forms of x and a, for a new result of this rank.
/// \throws Error if they have another rank
std::vector<std::int64_t> form_extents(const Operand& x, const Operand& a, int rank);

/// Forms of x, a and y; without `y`, quadratic forms.
template <class ExecutionSpace>
BilinearFormsChoice choose_forms(const ExecutionSpace& exec, const Operand& x, const Operand& a,
                                 const Operand* y, const StridedOutput& q,
                                 const BilinearFormsOptions& options);
template <class ExecutionSpace>
void forms(const ExecutionSpace& exec, const Operand& x, const Operand& a, const Operand* y,
           const StridedOutput& q, const BilinearFormsOptions& options);

}  // namespace synelix::seam
