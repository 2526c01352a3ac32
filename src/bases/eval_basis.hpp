// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/eval_basis.hpp>

#include <cstdint>
#include <string_view>
#include <vector>

namespace synelix::bases {

/// \throws Error where a rule of the basis is broken
void check(const EvalBasis& basis);

/// Inputs that a basis consumes.
std::int64_t input_count(const EvalBasis& basis);

/// Columns of each channel; of OrthExponential as many as rates.
std::int64_t column_count(const EvalBasis& basis);

/// What is recorded of a basis beside its features.
std::vector<BasisParameter> parameters_of(const EvalBasis& basis);

/// What kernels read in their memory: rates of OrthExponential, frequencies of Fourier; else
/// nothing.
std::vector<double> table_of(const EvalBasis& basis);

/// Whether a basis has this name, in either mode.
bool is_basis_name(std::string_view name);

/// One list of frequencies for each dimension, each ascending. \throws Error as
/// frequency_combinations, the mask aside
Fourier sorted(Fourier basis);

}  // namespace synelix::bases
