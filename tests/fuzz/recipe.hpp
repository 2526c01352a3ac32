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
  bool is_sound = true;             ///< whether nothing was changed without HDF5
};

/// The first byte selects the initial contents of the file: nothing, spike trains as in an NWB
/// file, or a signal. Then come changes, each a byte for the kind and its arguments: a group, a
/// dataset (type, extents, layout, values), an attribute, a link (soft, hard, external), a byte of
/// the file. Changes that HDF5 rejects are skipped.
Image image_of(const std::uint8_t* data, std::size_t size);

}  // namespace fuzz
