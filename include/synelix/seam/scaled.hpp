// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/seam/strided.hpp>

#include <type_traits>

/// \file
/// What `scaled` checks. For the public headers, not for users.

namespace synelix {
class PerChannel;
}  // namespace synelix

namespace synelix::seam {

/// The numbers in a View of rank 1 of double.
template <class View>
const double* doubles_of(const View& numbers) {
  if constexpr (View::rank() == 1 && std::is_same_v<typename View::non_const_value_type, double>) {
    return numbers.data();
  } else {
    static_assert(!is_view<View>,
                  "scales and offsets of each channel must be a View of rank 1 of double");
    return nullptr;
  }
}

/// Refuses a number of all channels that is not finite.
void require_finite(const PerChannel& scale, const PerChannel& offset);

}  // namespace synelix::seam
