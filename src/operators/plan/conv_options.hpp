// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operators/plan/conv_operators.hpp"
#include "operators/plan/conv_padding.hpp"
#include "types/checks.hpp"

#include <synelix/types/conv.hpp>

#include <array>
#include <cstddef>
#include <string_view>

/// \file
/// The names of the values of operators' options, for `require_known`.

namespace synelix {
namespace plan {

/// The names in a table of rows, which are in the order of their values.
template <class Row, std::size_t count>
constexpr std::array<std::string_view, count> row_names(const Row (&rows)[count]) {
  std::array<std::string_view, count> names;
  for (std::size_t i = 0; i < count; ++i) {
    if (static_cast<std::size_t>(rows[i].value) != i) throw "a row stands at another place";
    names[i] = rows[i].name;
  }
  return names;
}

}  // namespace plan

template <>
inline constexpr auto value_names<ConvOperator> = plan::row_names(plan::conv_operators);
template <>
inline constexpr auto value_names<PaddingKind> = plan::row_names(plan::padding_rows);
template <>
inline constexpr std::string_view value_names<PaddingSize>[] { "given", "valid", "same" };
template <>
inline constexpr std::string_view value_names<ChannelOrder>[] { "first", "last" };
template <>
inline constexpr std::string_view value_names<ConvMethod>[] { "automatic", "direct", "fft" };

namespace plan {

inline void check_known(ConvOperator op, const ConvOptions& options) {
  require_known("op", op);
  require_known("padding_kind", options.padding_kind);
  require_known("padding_size", options.padding_size);
  require_known("channels", options.channels);
  require_known("method", options.method);
  require_known("machine.instruction_set", options.machine.instruction_set);
}

}  // namespace plan
}  // namespace synelix
