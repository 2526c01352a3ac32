// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/chunk_pieces.hpp"
#include "hdf5/objects/h5_handles.hpp"
#include "hdf5/objects/output_file.hpp"
#include "streams/boxes.hpp"

#include <synelix/expression.hpp>
#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// `FeatureDatasets`: features in a file, with datasets of the time of each row, and of the id of
/// each channel or the table of terms.
///
/// Metadata of features in a file: attributes of their dataset, the terms of a design, the meaning
/// of times, and the build of this library that wrote an object.
///
/// A dataset of times has the attribute `position`: "start of the bin", with `bin_seconds` and, in
/// `centers`, the path of the dataset of centers; or "sample" if the width of a sample is not
/// known. The centers have the position "center of the bin".

namespace synelix::h5 {

/// Writes everything except the names of the datasets beside it.
void write_description(hid_t dataset, const FeaturesDescription& from,
                       const std::string& fingerprint, const Hdf5OutputOptions& options);

/// A text type of `bytes` bytes, padded with zeros.
Type text_type(std::size_t bytes, const std::string& failing);

/// A type of records: a text, then numbers of 64 bits with these names.
Type record_type(const char* name, const Type& text, std::span<const char* const> numbers,
                 hid_t number_type, const std::string& failing);

/// A record: a text and its numbers, of which a table may have fewer.
struct NamedNumbers {
  std::string_view name;
  std::array<std::int64_t, 4> numbers = {};
};

/// Writes a dataset of records; texts take as many bytes as the longest.
void write_records(const OutputFile& file, const std::string& path, const char* name,
                   std::span<const char* const> numbers, const std::vector<NamedNumbers>& records);

/// The numbers of a term in its record.
inline constexpr std::array<const char*, 4> numbers_of_terms{"first_column", "columns", "channels",
                                                             "bases"};
/// Writes a dataset of records (name, first_column, columns, channels, bases), one for each term.
void write_terms(const OutputFile& file, const std::string& path, const std::vector<Term>& terms);

inline constexpr const char* at_sample = "sample";
inline constexpr const char* at_bin_start = "start of the bin";
inline constexpr const char* at_bin_center = "center of the bin";

/// The name of the dataset of centers for times with this name.
std::string centers_beside(const std::string& time_path);

/// Writes the attribute with the meaning of times.
void write_position(hid_t times, const char* position);

/// Writes the attribute that times are starts of bins, and creates the dataset of their centers.
Dataset create_centers(const OutputFile& file, const Dataset& times, const std::string& time_path,
                       std::int64_t rows, double bin_seconds);

/// Writes synelix_version, synelix_revision and synelix_build. Readers of the values ignore them: a
/// run may resume a file that another revision began.
void write_origin(hid_t object);
/// The same, and the fingerprint, the history and the attributes of an output.
void write_origin(hid_t object, const Hdf5OutputOptions& options,
                  const std::string& fingerprint = {});

/// The number of rows whose times and samples are computed together.
constexpr std::int64_t times_together = 4096;
constexpr std::int64_t bytes_of_times = 2 * times_together * 8;

/// Extents of the chunks of a dataset: (rows, channels..., bases). A chunk may have more rows than
/// the features: one part of a larger output uses the chunks of that output.
std::vector<std::int64_t> dataset_chunk(const FeaturesShape& shape, const BlockShape& chunk);

/// The number of chunks that one HDF5 call touches while a block is written; more chunks take more
/// memory.
std::int64_t chunks_per_write(const FeaturesShape& shape, const BlockShape& chunk,
                              const BlockShape& block);

/// Calls `visit(rows, values)` with the times of rows as in a file: seconds as doubles, or samples
/// as 64-bit integers if no rate is known.
template <class Visit>
void for_each_times(const FeaturesDescription& description, Range rows, const Visit& visit) {
  std::array<std::int64_t, times_together> samples;
  std::array<double, times_together> seconds;
  const SeriesDescription& series = description.series;
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += times_together) {
    const Range part{begin, std::min(begin + times_together, rows.end)};
    const auto count = static_cast<std::size_t>(part.size());
    description.samples_of_rows(part, samples.data());
    if (series.rate_hz) {
      for (std::size_t i = 0; i < count; ++i) seconds[i] = series.seconds_of(samples[i]);
      visit(part, static_cast<const void*>(seconds.data()));
    } else {
      for (std::size_t i = 0; i < count; ++i) samples[i] += series.first_sample;
      visit(part, static_cast<const void*>(samples.data()));
    }
  }
}

/// The file ranges of contiguous datasets: the times of rows, the centers of their bins if there
/// are any, and the ids of channels or the terms.
std::vector<Range> places_of(const Dataset& time, const Dataset& centers, const Dataset& beside);

/// The paths of the datasets beside features: the times of rows, and the channels or the terms.
struct CoordinatePaths {
  std::string time;
  std::string beside;
};

/// Paths that are free: in the group of the dataset, else with its name in front.
CoordinatePaths free_coordinates(const OutputFile& file, const FeaturesDescription& description);
/// The paths of existing datasets, by the attribute `coordinates`; `beside` is empty without it.
CoordinatePaths coordinates_of(const Dataset& features, const std::string& path);

/// Makes the dataset of the times of rows, and writes the centers of their bins: they depend only
/// on the description, so no row is needed for them.
Dataset create_times(const OutputFile& file, const FeaturesDescription& description,
                     const std::string& path);
void write_times(const Dataset& times, const FeaturesDescription& description, Range rows,
                 const std::string& failing);
/// Writes the ids of channels; 0, 1, 2, ... if the description has none.
/// \throws Error if there is not one for each channel
void write_channel_ids(const OutputFile& file, const FeaturesDescription& description,
                       const std::string& path);

/// The storage layout of features in a file.
enum class Layout : std::uint8_t { chunks, contiguous };

class FeatureDatasets {
 public:
  /// Makes the datasets and writes everything but rows. \param cache_bytes  of the chunk cache
  void create(const OutputFile& file, const FeaturesDescription& description,
              const Hdf5OutputOptions& options, const std::string& fingerprint,
              std::int64_t cache_bytes, Layout layout = Layout::chunks);
  /// Opens the datasets that `create` made in an earlier run.
  void open(const OutputFile& file, const FeaturesDescription& description);
  /// Writes a block, and the times of its rows with the first channel's first basis.
  void write(const Block& block, const void* values) const;
  void write_times(Range rows) const { h5::write_times(m_time, m_description, rows, m_failing); }
  /// Reads a block of features. \throws Error
  void read(const Block& block, void* values) const;
  /// The ranges of the file with features and times; adjacent ranges are merged.
  [[nodiscard]] std::vector<Range> ranges_of_rows() const;
  /// The ranges of the file with the datasets beside the features: `places_of`.
  [[nodiscard]] std::vector<Range> ranges_of_coordinates(const OutputFile& file) const;
  [[nodiscard]] const Dataset& features() const { return m_features; }
  [[nodiscard]] const Dataset& time() const { return m_time; }
  void close_now();
  void drop() noexcept;

 private:
  template <class Transfer>
  void for_each_piece(const Block& block, const Transfer& transfer) const;

  FeaturesDescription m_description;
  std::string m_failing;
  Dataset m_features;
  Dataset m_time;
};

}  // namespace synelix::h5
