// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/known.hpp"

#include <synelix/types/design_matrix.hpp>

namespace synelix {

template <>
inline constexpr std::string_view value_names<Keep>[] { "automatic", "nothing", "features" };
template <>
inline constexpr std::string_view value_names<RowSource>[] {
  "stored", "kept", "computed", "events", "streamed"
};

}  // namespace synelix
