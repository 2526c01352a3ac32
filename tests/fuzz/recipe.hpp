// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// Small HDF5 files from a few bytes.

namespace fuzz {

struct Image {
  std::vector<std::uint8_t> bytes;  ///< of the file; empty where HDF5 did not make one
  bool is_sound = true;             ///< whether nothing was changed behind HDF5's back
};

/// The first byte says what the file holds at the beginning: nothing, spike trains as in an NWB
/// file, or a signal. Then come changes, each a byte that says which and its arguments: a group, a
/// dataset (type, extents, layout, values), an attribute, a link (soft, hard, external), a byte of
/// the file. What HDF5 refuses is passed over.
Image image_of(const std::uint8_t* data, std::size_t size);

}  // namespace fuzz
