// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <vector>

namespace synelix::bases {

void check(const OrthExponential& basis, std::int64_t window);

/// Orthonormal columns that span the exponentials.
struct OrthonormalColumns {
  std::int64_t rank = 0;       ///< number of columns, at most the number of rates
  std::vector<double> values;  ///< window x rank, row-major
};

OrthonormalColumns orthonormal_exponentials(const OrthExponential& basis, std::int64_t window);

}  // namespace synelix::bases
