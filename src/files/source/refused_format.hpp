// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

/// \file
/// Recordings in other formats than HDF5, told apart by what lies in a folder or begins a file.

namespace synelix::stream {

/// What a path looks like, and how to bring it into HDF5.
struct ForeignFormat {
  std::string looks_like;  ///< "a Zarr folder (.zgroup)"
  std::string remedy;      ///< "Give an HDF5 or NWB file; in Python ..."
};

/// Zarr, phy, SpikeGLX, MATLAB to version 7, NumPy; nothing where it is none of these.
std::optional<ForeignFormat> foreign_format(const std::string& path);

}  // namespace synelix::stream
