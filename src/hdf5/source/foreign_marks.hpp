// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_file.hpp"

#include <synelix/types/hdf5.hpp>

#include <optional>
#include <string>
#include <vector>

/// \file
/// Marks of other programs that stored numbers are not plain numbers, or that a dimension is time
/// (docs/reference/conventions.md).

namespace synelix::h5 {

/// \throws Error for text, the sizes of an empty array, a part of a sparse matrix, codes of
///         categories, dates, and objects of MATLAB
void require_plain_numbers(const SourceFile& file, const FilePath& path, const Dataset& dataset);

/// Warns of scales of other programs beside a dataset or on it, which are not applied.
void warn_of_unread_scales(const SourceFile& file, const FilePath& path, const Dataset& dataset);

/// The description of a dimension in a file.
struct DimensionName {
  std::string name;   ///< of the dimension, in lower case; empty: none
  std::string times;  ///< path of a coordinate of times, if there is one
};

/// The names of dimensions by the rules of netCDF, xarray and HDF5's dimension scales.
std::vector<DimensionName> dimension_names(const Dataset& dataset, std::size_t rank);

}  // namespace synelix::h5

namespace synelix::stream {

/// The format of a path, and how to convert it to HDF5.
struct ForeignFormat {
  std::string looks_like;  ///< "a Zarr folder (.zgroup)"
  std::string remedy;      ///< "Give an HDF5 or NWB file; in Python ..."
};

/// Zarr, phy, SpikeGLX, MATLAB up to version 7, NumPy; nothing if it is none of these.
std::optional<ForeignFormat> foreign_format(const std::string& path);

}  // namespace synelix::stream
