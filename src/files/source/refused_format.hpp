// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

/// \file
/// Recordings in formats other than HDF5, recognized by files in a folder or by the first bytes of
/// a file.

namespace synelix::stream {

/// The format of a path, and how to convert it to HDF5.
struct ForeignFormat {
  std::string looks_like;  ///< "a Zarr folder (.zgroup)"
  std::string remedy;      ///< "Give an HDF5 or NWB file; in Python ..."
};

/// Zarr, phy, SpikeGLX, MATLAB up to version 7, NumPy; nothing if it is none of these.
std::optional<ForeignFormat> foreign_format(const std::string& path);

}  // namespace synelix::stream
