// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/chunk_pieces.hpp"
#include "hdf5/objects/h5_file.hpp"

#include <synelix/types/hdf5.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// \file
/// `AxisOrder`: the time dimension of a dataset, and the order of its channels.

namespace synelix::h5 {

/// The dimensions of a dataset in the order of a series: time, then channels, the last one fastest.
struct AxisOrder {
  std::vector<std::size_t> in_file;   ///< for each dimension of the series: its place in the file
  std::vector<std::int64_t> extents;  ///< of the series
  std::vector<std::int64_t> chunk;    ///< extents of a chunk in the order of the series; may be
                                      ///< empty

  /// Whether the order differs from that of the file, so that values are transposed after they are
  /// read.
  [[nodiscard]] bool is_turned() const;
  /// Permutes one number for each dimension of the series to the order of the file.
  template <class Number>
  [[nodiscard]] std::vector<Number> to_file(const std::vector<Number>& of_series) const {
    std::vector<Number> result(of_series.size());
    for (std::size_t i = 0; i < of_series.size(); ++i) result[in_file[i]] = of_series[i];
    return result;
  }
};

/// Whether the program that wrote a dataset counts its dimensions from the last one of HDF5, as
/// MATLAB and Octave do.
bool is_column_major(const SourceFile& file, const FilePath& path, const Dataset& dataset);

/// The order with the dimension `time_axis` as time. The default is the first one in the program
/// that wrote the file: MATLAB and Octave count from the last dimension of HDF5.
/// \throws Error for an invalid axis; if the file says that time is another dimension (its number
///         of timestamps or electrodes, the name of a dimension); and if the values are not a
///         series: text, the sizes of an empty array, a sparse matrix, dates
AxisOrder axis_order(const SourceFile& file, const FilePath& path, const Dataset& dataset,
                     const Hdf5SourceOptions& options);

/// A box of a dataset, in the order of the series.
struct TurnedBox : stream::DatasetBox {
  std::int64_t chunks = 1;  ///< the most chunks that one HDF5 call touches
  std::int64_t row = 1;     ///< values from a sample to the next in memory
};

/// Reads a box of a dataset whose dimensions have another order in the file: part by part into
/// `scratch`, and from there to their places.
/// \param scratch  memory for a part of the box, of at least one value
/// \param to       the first value of the box; the channels of a sample are consecutive
/// \param failing  the text of an error
void read_turned(const Dataset& dataset, hid_t memory_type, const AxisOrder& axes,
                 const TurnedBox& box, std::vector<std::byte>& scratch, std::byte* to,
                 const std::string& failing);

}  // namespace synelix::h5
