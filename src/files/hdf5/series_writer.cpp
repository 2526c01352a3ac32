// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Writes recordings, with the times of their samples if requested.
#include "files/hdf5/features_attributes.hpp"
#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/h5_file.hpp"
#include "files/hdf5/known_options.hpp"
#include "files/part/output_file.hpp"

#include <synelix/error.hpp>
#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace synelix {

struct Hdf5SeriesWriter::Opened {
  h5::OutputFile file;
  StoredType type;
  std::int64_t channels;
  h5::Dataset dataset;
  h5::Dataset time;     ///< not open: not written
  h5::Dataset centers;  ///< of bins; not open: not written
  SeriesDescription series;

  void open(const FilePath& path, const SeriesShape& shape, std::optional<double> rate_hz,
            const Hdf5OutputOptions& options);
  void add_coordinates(const SeriesShape& shape);
  /// Sets the full length of the file, so that a truncated file is detected.
  void settle() {
    h5::check(H5Fflush(file.file().id(), H5F_SCOPE_GLOBAL), file.failing());
    file.require_whole();
  }
  void write_times(Range samples) const;
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
  h5::write_origin(id);
  if (!options.history.empty()) h5::write_attribute(id, "history", options.history);
  for (const auto& [name, value] : options.attributes) {
    std::visit([&](const auto& known) { h5::write_attribute(id, name, known); }, value);
  }
}

void Hdf5SeriesWriter::Opened::add_coordinates(const SeriesShape& shape) {
  const h5::Call call;
  const std::string& name = file.path().dataset;
  const std::string group = name.substr(0, name.rfind('/') + 1);
  const auto is_taken = [&](const char* beside) {
    return h5::exists(file.file().id(), group + beside) || name == group + beside;
  };
  const bool has_bins = series.rate_hz && series.bin_seconds;
  const bool taken = is_taken("time") || is_taken("channel") ||
                     (has_bins && is_taken(h5::centers_beside("time").c_str()));
  const std::string time_path = taken ? name + "_time" : group + "time";
  const std::string channel_path = taken ? name + "_channel" : group + "channel";
  time = file.create_contiguous(time_path, series.rate_hz ? H5T_IEEE_F64LE : H5T_STD_I64LE,
                                {shape.samples});
  h5::write_attribute(time.id(), "unit", std::string(series.rate_hz ? "seconds" : "samples"));
  if (has_bins) {
    centers = h5::create_centers(file, time, time_path, shape.samples, *series.bin_seconds);
    h5::write_attribute(dataset.id(), "bin_seconds", *series.bin_seconds);
  } else if (series.rate_hz) {
    h5::write_position(time.id(), h5::at_sample);
  }
  std::vector<std::int64_t> ids = series.channel_ids;
  for (std::int64_t i = 0; series.channel_ids.empty() && i < shape.channels; ++i) ids.push_back(i);
  if (static_cast<std::int64_t>(ids.size()) != shape.channels) {
    throw Error("channel_ids",
                "there are " + std::to_string(ids.size()) + " ids for " +
                    std::to_string(shape.channels) + " channels",
                "Give one for each of the channels");
  }
  const h5::Dataset channel = file.create_contiguous(channel_path, H5T_STD_I64LE, {shape.channels});
  h5::check(H5Dwrite(channel.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids.data()),
            file.failing());
  h5::write_attribute(dataset.id(), "coordinates", time_path + " " + channel_path);
}

void Hdf5SeriesWriter::Opened::write_times(Range samples) const {
  constexpr std::int64_t together = 4096;
  std::vector<double> seconds;
  std::vector<std::int64_t> numbers;
  for (std::int64_t begin = samples.begin; begin < samples.end; begin += together) {
    const Range part{begin, std::min(begin + together, samples.end)};
    seconds.clear();
    numbers.clear();
    for (std::int64_t t = part.begin; t < part.end; ++t) {
      if (series.rate_hz) {
        seconds.push_back(series.seconds_of(t));
      } else {
        numbers.push_back(series.first_sample + t);
      }
    }
    const void* const values = series.rate_hz ? static_cast<const void*>(seconds.data())
                                              : static_cast<const void*>(numbers.data());
    h5::write_box(time, series.rate_hz ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64, {part.begin},
                  {part.size()}, values, file.failing());
    if (!centers.is_open()) continue;
    seconds.clear();
    for (std::int64_t t = part.begin; t < part.end; ++t) seconds.push_back(series.center_of(t));
    h5::write_box(centers, H5T_NATIVE_DOUBLE, {part.begin}, {part.size()}, seconds.data(),
                  file.failing());
  }
}

Hdf5SeriesWriter::Hdf5SeriesWriter(FilePath path, const SeriesShape& shape,
                                   std::optional<double> rate_hz, Hdf5OutputOptions options)
    : m_opened(new Opened{{path, options.existing}, shape.type, shape.channels, {}, {}, {}, {}}) {
  stream::require_known_options(options);
  m_opened->open(path, shape, rate_hz, options);
  const h5::Call call;
  m_opened->settle();
}

Hdf5SeriesWriter::Hdf5SeriesWriter(FilePath path, const SeriesDescription& series,
                                   const SeriesShape& shape, Hdf5OutputOptions options)
    : m_opened(
          new Opened{{path, options.existing}, shape.type, shape.channels, {}, {}, {}, series}) {
  stream::require_known_options(options);
  m_opened->open(path, shape, series.rate_hz, options);
  m_opened->add_coordinates(shape);
  const h5::Call call;
  m_opened->settle();
}

Hdf5SeriesWriter::~Hdf5SeriesWriter() = default;

void Hdf5SeriesWriter::write(Range samples, const void* values) {
  const h5::Call call;
  m_opened->file.require_whole();
  h5::write_box(m_opened->dataset, h5::memory_type(m_opened->type), {samples.begin, 0},
                {samples.size(), m_opened->channels}, values, m_opened->file.failing());
  if (m_opened->time.is_open()) m_opened->write_times(samples);
}

void Hdf5SeriesWriter::finish() {
  const h5::Call call;
  if (m_opened->time.is_open()) m_opened->time.close_now(m_opened->file.failing());
  if (m_opened->centers.is_open()) m_opened->centers.close_now(m_opened->file.failing());
  m_opened->dataset.close_now(m_opened->file.failing());
  m_opened->file.commit();
}

}  // namespace synelix
