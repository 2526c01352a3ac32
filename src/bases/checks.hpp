// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// The rules that several bases share. Each refusal names the argument, says what is wrong with its
// value, and what to use.

#include <synelix/basis.hpp>
#include <synelix/eval_basis.hpp>

#include "vocabulary/known.hpp"

#include <cstdint>
#include <string_view>

namespace synelix {

template <>
inline constexpr std::string_view value_names<Decay>[] { "to_zero", "open" };
template <>
inline constexpr std::string_view value_names<Intercept>[] { "without", "with" };
template <>
inline constexpr std::string_view value_names<Outside>[] { "row", "channel" };

}  // namespace synelix

namespace synelix::bases {

/// "ARGUMENT: VALUE PROBLEM. REMEDY."
[[noreturn]] void refuse(std::string_view argument, double value, std::string_view problem,
                         std::string_view remedy);
[[noreturn]] void refuse(std::string_view argument, std::int64_t value, std::string_view problem,
                         std::string_view remedy);

/// value >= least.
void require_at_least(std::string_view argument, std::int64_t value, std::int64_t least);

/// Neither NaN nor infinite.
void require_finite(std::string_view argument, double value);

/// Width of raised cosines: > 1 and a multiple of 1/2 within the tolerance of numpy.isclose.
void require_width(std::string_view argument, double width);

}  // namespace synelix::bases
