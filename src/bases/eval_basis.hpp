// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/eval_basis.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace synelix::bases {

/// \throws Error if a rule of the basis is broken
void check(const EvalBasis& basis);

/// Inputs that a basis consumes.
std::int64_t input_count(const EvalBasis& basis);

/// Columns of each channel; for OrthExponential, the number of rates.
std::int64_t column_count(const EvalBasis& basis);

/// The parameters of a basis that are recorded with its features.
std::vector<BasisParameter> parameters_of(const EvalBasis& basis);

/// The table for kernels, in their memory: rates of OrthExponential, frequencies of Fourier; else
/// empty.
std::vector<double> table_of(const EvalBasis& basis);

/// Whether a basis has this name, in either mode.
bool is_basis_name(std::string_view name);

/// The basis with one ascending list of frequencies for each dimension. \throws Error as
/// frequency_combinations, without the checks of the mask
Fourier sorted(Fourier basis);

}  // namespace synelix::bases
