// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/known.hpp"

#include <synelix/loss.hpp>

#include <string_view>

/// \file
/// The names of families and inverse links, in the order of their values.

namespace synelix {

template <>
inline constexpr std::string_view value_names<Family>[] {
  "gaussian", "poisson", "bernoulli", "gamma", "negative_binomial", "categorical"
};
template <>
inline constexpr std::string_view value_names<InverseLink>[] {
  "automatic", "exp", "softplus", "logistic", "norm_cdf", "one_over_x", "identity", "softmax"
};

}  // namespace synelix
