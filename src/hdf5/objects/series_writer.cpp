// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes recordings, with the times of their samples if requested.
#include "hdf5/objects/feature_datasets.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "hdf5/objects/known_options.hpp"
#include "hdf5/objects/output_file.hpp"

#include <synelix/error.hpp>
#include <synelix/types/hdf5.hpp>

#include <numeric>
#include <string>

namespace synelix {

struct Hdf5SeriesWriter::Opened {
  h5::OutputFile file;
  StoredType type;
  std::int64_t channels;
  h5::Dataset dataset;
  h5::Dataset time;                 ///< not open: not written
  FeaturesDescription description;  ///< of rows that are the samples, with the times of the series

  void open(const FilePath& path, const SeriesShape& shape, std::optional<double> rate_hz,
            const Hdf5OutputOptions& options);
  void add_coordinates(const SeriesDescription& series, const SeriesShape& shape);
  /// Sets the full length of the file, so that a truncated file is detected.
  void settle() {
    file.flush();
    file.require_whole();
  }
};

void Hdf5SeriesWriter::Opened::open(const FilePath& path, const SeriesShape& shape,
                                    std::optional<double> rate_hz,
                                    const Hdf5OutputOptions& options) {
  file.open();
  const h5::Call call;
  constexpr std::int64_t wanted = mebibytes(1);
  const std::int64_t row = shape.channels * size_of(shape.type);
  std::int64_t rows = 1;
  while (rows * 2 * row <= wanted && rows * 2 <= shape.samples) rows *= 2;
  dataset = file.create(
      {.path = path.dataset,
       .file_type = h5::file_type(shape.type),
       .extents = {shape.samples, shape.channels},
       .chunk = {rows, shape.channels},
       .filter = options.filter,
       .cache_bytes = options.filter.compression == Compression::none ? 0 : rows * row});
  const hid_t id = dataset.id();
  h5::write_attribute(id, "axes", std::string("time,channel"));
  if (rate_hz) h5::write_attribute(id, "rate_hz", *rate_hz);
  h5::write_origin(id, options);
}

void Hdf5SeriesWriter::Opened::add_coordinates(const SeriesDescription& series,
                                               const SeriesShape& shape) {
  const h5::Call call;
  description.series = series;
  description.window = 1;  // without a window, rows would be vectors, which have no time
  description.shape.rows = shape.samples;
  description.shape.channels = shape.channels;
  description.shape.channel_extents = {shape.channels};
  description.samples_of_rows = [](Range rows, std::int64_t* samples) {
    std::iota(samples, samples + rows.size(), rows.begin);
  };
  const h5::CoordinatePaths paths = h5::free_coordinates(file, description);
  time = h5::create_times(file, description, paths.time);
  if (series.rate_hz && series.bin_seconds) {
    h5::write_attribute(dataset.id(), "bin_seconds", *series.bin_seconds);
  }
  h5::write_channel_ids(file, description, paths.beside);
  h5::write_attribute(dataset.id(), "coordinates", paths.time + " " + paths.beside);
}

Hdf5SeriesWriter::Hdf5SeriesWriter(FilePath path, const SeriesShape& shape,
                                   std::optional<double> rate_hz, Hdf5OutputOptions options)
    : m_opened(new Opened{{path, options.existing}, shape.type, shape.channels, {}, {}, {}}) {
  stream::require_known_options(options);
  m_opened->open(path, shape, rate_hz, options);
  const h5::Call call;
  m_opened->settle();
}

Hdf5SeriesWriter::Hdf5SeriesWriter(FilePath path, const SeriesDescription& series,
                                   const SeriesShape& shape, Hdf5OutputOptions options)
    : m_opened(new Opened{{path, options.existing}, shape.type, shape.channels, {}, {}, {}}) {
  stream::require_known_options(options);
  m_opened->open(path, shape, series.rate_hz, options);
  m_opened->add_coordinates(series, shape);
  const h5::Call call;
  m_opened->settle();
}

Hdf5SeriesWriter::~Hdf5SeriesWriter() = default;

void Hdf5SeriesWriter::write(Range samples, const void* values) {
  const h5::Call call;
  m_opened->file.require_whole();
  h5::write_box(m_opened->dataset, h5::memory_type(m_opened->type), {samples.begin, 0},
                {samples.size(), m_opened->channels}, values, m_opened->file.failing());
  if (!m_opened->time.is_open()) return;
  h5::write_times(m_opened->time, m_opened->description, samples, m_opened->file.failing());
}

void Hdf5SeriesWriter::finish() {
  const h5::Call call;
  m_opened->time.close_now(m_opened->file.failing());
  m_opened->dataset.close_now(m_opened->file.failing());
  m_opened->file.commit();
}

}  // namespace synelix
