// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/matmul.hpp>
#include <synelix/strided.hpp>

#include <span>
#include <vector>

/// \file
/// Whether results lie apart from what is read, and from each other.

namespace synelix::plan {

/// Whether no value of one array is one of the other. Arrays whose addresses meet are known to be
/// apart where both are blocks of one matrix.
bool are_apart(const StridedOutput& output, const Strided& other);

/// What a run reads of an operand: its values, and scales and offsets of rows or columns.
std::vector<Strided> arrays_of(const Matrices& matrices);

/// Refuses a list in which a result meets an operand, or another result.
void check_results_apart(std::span<const Product> products);

}  // namespace synelix::plan
