// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include "golden/comparison.hpp"

#include <cstdint>
#include <optional>

namespace golden {

/// The basis in conv mode that the attributes describe; nothing for a family that the library does
/// not have.
std::optional<synelix::Basis> basis_of(const Group& group, std::int64_t columns);

/// Compares one group of /basis with the library's evaluation from its parameters.
Outcome check_basis(const Group& group);

}  // namespace golden
