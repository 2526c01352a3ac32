// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "vocabulary/known.hpp"

#include <synelix/conv.hpp>

#include <string_view>

/// \file
/// The names of what the options of operators may be, for `require_known`.

namespace synelix {

template <>
inline constexpr std::string_view value_names<ConvOperator>[] {
  "forward", "transposed", "grad_input", "grad_weights", "grad_bias"
};
template <>
inline constexpr std::string_view value_names<PaddingKind>[] { "zero", "circular", "reflect" };
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
