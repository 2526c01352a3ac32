// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/basis.hpp>

#include <cstdint>
#include <span>

namespace synelix::bases {

void check(const BSpline& basis);
void check(const CyclicBSpline& basis);
void check(const MSpline& basis);

/// Fills the window x bases values, row-major.
void fill(const BSpline& basis, std::int64_t window, std::span<double> values);
void fill(const CyclicBSpline& basis, std::int64_t window, std::span<double> values);
void fill(const MSpline& basis, std::int64_t window, std::span<double> values);

}  // namespace synelix::bases
