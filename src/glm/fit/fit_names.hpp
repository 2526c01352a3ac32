// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/known.hpp"

#include <synelix/types/glm.hpp>

#include <string_view>

/// \file
/// The names of solvers and of reasons why a fit ended, in the order of their values.

namespace synelix {

template <>
inline constexpr std::string_view value_names<Solver>[] {
  "automatic", "newton", "lbfgs", "proximal_newton"
};
template <>
inline constexpr std::string_view value_names<Stop>[] {
  "converged", "iterations", "no_decrease", "separated", "no_events", "cancelled"
};

}  // namespace synelix
