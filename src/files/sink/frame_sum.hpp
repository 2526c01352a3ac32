// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// A checksum of a file without some of its ranges: of HDF5's own records, which have none in the
/// formats that are written.

namespace synelix::stream {

/// Nothing where the file cannot be read, or is shorter than `bytes`.
std::optional<std::uint64_t> frame_sum(int descriptor, std::int64_t bytes,
                                       std::vector<Range> left_out);

}  // namespace synelix::stream
