// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/types/hdf5.hpp>
#include <synelix/types/nwb.hpp>

#include "types/checks.hpp"

#include <string_view>

/// \file
/// Names of the values of file options, for `require_known`.

namespace synelix {

template <>
inline constexpr std::string_view value_names<AttributeScaling>[] { "use", "ignore" };
template <>
inline constexpr std::string_view value_names<Timestamps>[] { "use", "ignore" };
template <>
inline constexpr std::string_view value_names<Compression>[] {
  "none", "deflate", "shuffle_deflate"
};
template <>
inline constexpr std::string_view value_names<Existing>[] { "refuse", "replace", "append" };
template <>
inline constexpr std::string_view value_names<Start>[] { "anew", "resume" };
template <>
inline constexpr std::string_view value_names<Unfinished>[] { "keep", "remove" };
template <>
inline constexpr std::string_view value_names<Unobserved>[] { "zero", "leave_out" };
template <>
inline constexpr std::string_view value_names<Overlaps>[] { "join", "apart" };
template <>
inline constexpr std::string_view value_names<UnusableIntervals>[] { "leave_out", "refuse" };

namespace stream {

/// \throws Error for values that are not in their enumeration
inline void require_known_options(const Hdf5OutputOptions& options) {
  require_known("existing", options.existing);
  require_known("filter.compression", options.filter.compression);
}

}  // namespace stream
}  // namespace synelix
