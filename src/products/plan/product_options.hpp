// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/known.hpp"

#include <synelix/bilinear_forms.hpp>
#include <synelix/matmul.hpp>

#include <string_view>

/// \file
/// The names of what the options of products and forms may be, for `require_known`.

namespace synelix {

template <>
inline constexpr std::string_view value_names<Multiplier>[] { "automatic", "tiles", "library" };
template <>
inline constexpr std::string_view value_names<FormMethod>[] { "automatic", "product", "triangle" };

namespace plan {

inline void check_known(const MatmulOptions& options) {
  require_known("multiplier", options.multiplier);
  require_known("machine.instruction_set", options.machine.instruction_set);
}

inline void check_known(const BilinearFormsOptions& options) {
  require_known("method", options.method);
  require_known("machine.instruction_set", options.machine.instruction_set);
}

}  // namespace plan
}  // namespace synelix
