// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/pass/pass.hpp"
#include "launch/apart.hpp"
#include "types/checks.hpp"

#include <synelix/strided.hpp>
#include <synelix/types/design_matrix.hpp>

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

/// \file
/// Names of options of designs, in the order of their values. Arguments of products with a design
/// and of simulations: converts small arrays of parameters to
/// doubles, and checks that results do not overlap other arguments or arrays that the design reads.

namespace synelix {

template <>
inline constexpr std::string_view value_names<Keep>[] { "automatic", "nothing", "features" };
template <>
inline constexpr std::string_view value_names<RowSource>[] {
  "stored", "kept", "computed", "events", "streamed"
};

}  // namespace synelix

namespace synelix::glm {

/// The values of an array in row-major order.
/// \throws Error if the extents differ
std::vector<double> host_values(const char* name, const Strided& array,
                                std::initializer_list<std::int64_t> extents);

/// Refuses a call that writes memory of its other arguments, or of an array that rows come from.
/// \param result  a checked array; absent: nothing is written
/// \param others  the other arrays that the call reads or writes
/// \throws Error naming both arguments
void check_result_apart(const Pass& pass, const char* name, const StridedOutput& result,
                        plan::Arguments others);

}  // namespace synelix::glm
