// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "launch/arrays.hpp"
#include "products/problem/products.hpp"

#include <synelix/matmul.hpp>
#include <synelix/strided.hpp>

#include <cstdint>
#include <vector>

/// \file
/// Matrices that are read and what is written of them: what verbs on matrices check alike.

namespace synelix::plan {

/// Refuses a result of other extents or another type, that lies nowhere where it has to, or that
/// overlaps itself.
void check_result(const char* name, const StridedOutput& c,
                  const std::vector<std::int64_t>& extents, StoredType type,
                  ArrayMemory memory = ArrayMemory::needed);

/// Refuses an operand of less than two dimensions, whose numbers of channels are not one for each
/// column (row, where it is transposed), or that `check_array` refuses.
void check_matrices(const char* name, const Operand& operand);

/// The first matrix of an operand as the sweeps read it.
pack::MatrixSource matrix_source(const Operand& matrices);

}  // namespace synelix::plan
