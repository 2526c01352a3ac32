// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/filter_bank.hpp>

#include <vector>

namespace synelix::plan {

/// The taps in a working type, as a bank holds them. \throws Error as FilterBank
template <class Scalar>
std::vector<Scalar> converted_taps(const Taps& taps);

}  // namespace synelix::plan
