// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Features as a dataset, with the time of each row and the id of each channel beside it.
#include "stream/channel_boxes.hpp"
#include "stream/h5_file.hpp"
#include "stream/h5_terms.hpp"
#include "stream/h5_types.hpp"
#include "stream/output_file.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/version.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace synelix {
namespace {

constexpr std::int64_t chunk_bytes_wanted = mebibytes(2);
constexpr std::int64_t chunk_bytes_least = std::int64_t{64} << 10;
/// Rows whose times are worked out and written together.
constexpr std::int64_t times_together = 4096;
/// For those times and their samples.
constexpr std::int64_t bytes_beside = 2 * times_together * 8;

std::int64_t floor_power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

const char* text_of(Causality causality) {
  switch (causality) {
    case Causality::causal:
      return "causal";
    case Causality::acausal:
      return "acausal";
    case Causality::anti_causal:
      return "anti-causal";
  }
  return "unknown";
}

const char* text_of(Border border) {
  switch (border) {
    case Border::nan:
      return "nan";
    case Border::zero:
      return "zero";
    case Border::valid:
      return "valid";
  }
  return "unknown";
}

/// A number of flattened channels as extents of the dimensions that they come from.
std::vector<std::int64_t> unflattened(std::int64_t channels,
                                      const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> result(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 0;) {
    result[i] = std::clamp<std::int64_t>(channels, 1, extents[i]);
    channels /= extents[i];
  }
  return result;
}

/// A row of chunks that stays in HDF5's cache until each is whole, and the two buffers that a chunk
/// passes through on its way through a filter.
std::int64_t own_bytes_of_filter(const FeaturesShape& shape, const BlockShape& chunk,
                                 const BlockShape& block) {
  const BlockShape one{std::min(chunk.rows, std::max<std::int64_t>(shape.rows, 1)),
                       std::min(chunk.channels, shape.channels),
                       std::min(chunk.bases, shape.bases)};
  const std::int64_t bytes = one.rows * one.channels * one.bases * size_of(shape.type);
  const std::int64_t across = ((block.channels + one.channels - 2) / one.channels + 1) *
                              ((block.bases + one.bases - 2) / one.bases + 1);
  return (across + 2) * bytes;
}

std::string axes_text(const std::vector<std::int64_t>& channel_extents) {
  if (channel_extents.empty()) return "time,column";
  if (channel_extents.size() == 1) return "time,channel,basis";
  std::string text = "time";
  for (std::size_t i = 1; i <= channel_extents.size(); ++i) text += ",channel_" + std::to_string(i);
  return text + ",basis";
}

/// What holds for all columns of a convolution, and for each basis of a design apart.
void write_filters(hid_t dataset, const FeaturesDescription& from) {
  const auto write = [&](const char* name, const h5::AttributeValue& value) {
    h5::write_attribute(dataset, name, value);
  };
  write("basis", from.basis);
  for (const auto& [name, value] : from.basis_parameters) {
    h5::write_attribute(dataset, "basis_" + name, value);
  }
  write("causality", text_of(from.options.causality));
  write("shift", is_shifted(from.options.causality, from.options.shift) ? "on" : "off");
  write("method", name_of(from.choice.method));
}

void write_description(hid_t dataset, const FeaturesDescription& from,
                       const Hdf5OutputOptions& options) {
  const auto write = [&](const char* name, const h5::AttributeValue& value) {
    h5::write_attribute(dataset, name, value);
  };
  write("axes", axes_text(from.shape.channel_extents));
  if (from.series.rate_hz) {
    write("rate_hz", *from.series.rate_hz / static_cast<double>(from.options.every));
  }
  if (!from.series.name.empty()) write("source", from.series.name);
  write("window", from.window);
  if (from.terms.empty()) write_filters(dataset, from);
  write("border", text_of(from.options.border));
  write("every", from.options.every);
  write("instruction_set", name_of(from.choice.instruction_set));
  write("synelix_version", std::string(version()));
  if (!options.history.empty()) write("history", options.history);
  for (const auto& [name, value] : options.attributes) {
    std::visit([&](const auto& known) { h5::write_attribute(dataset, name, known); }, value);
  }
}

}  // namespace

struct Hdf5Sink::Opened {
  Opened(FilePath path, Hdf5SinkOptions given)
      : options(std::move(given)), file(std::move(path), options.output.existing) {}

  void begin(const FeaturesDescription& from);
  void write_times(Range rows) const;
  void write_channels() const;
  void release(const std::string& failing);

  Hdf5SinkOptions options;
  h5::OutputFile file;
  FeaturesDescription description;
  std::string time_path;
  std::string channel_path;
  h5::Dataset features;
  h5::Dataset time;
};

void Hdf5Sink::Opened::begin(const FeaturesDescription& from) {
  description = from;
  file.open();
  const h5::Call call;
  const FeaturesShape& shape = from.shape;
  h5::NewDataset wanted{.path = file.path().dataset,
                        .file_type = h5::file_type(shape.type),
                        .extents = {shape.rows},
                        .chunk = {std::clamp<std::int64_t>(from.chunk.rows, 1,
                                                           std::max<std::int64_t>(shape.rows, 1))},
                        .filter = options.output.filter};
  wanted.extents.insert(wanted.extents.end(), shape.channel_extents.begin(),
                        shape.channel_extents.end());
  wanted.extents.push_back(shape.bases);
  const auto channels = unflattened(from.chunk.channels, shape.channel_extents);
  wanted.chunk.insert(wanted.chunk.end(), channels.begin(), channels.end());
  wanted.chunk.push_back(std::min(from.chunk.bases, shape.bases));
  if (wanted.filter.compression != Compression::none) {
    const std::int64_t bytes = std::accumulate(wanted.chunk.begin(), wanted.chunk.end(),
                                               size_of(shape.type), std::multiplies<>());
    wanted.cache_bytes =
        std::max<std::int64_t>(own_bytes_of_filter(shape, from.chunk, from.block) - 2 * bytes, 0);
  }
  features = file.create(wanted);

  const std::string& name = wanted.path;
  const std::string group = name.substr(0, name.rfind('/') + 1);
  const bool is_design = !from.terms.empty();
  const bool taken = h5::exists(file.file().id(), group + "time") ||
                     h5::exists(file.file().id(), group + "channel") || name == group + "time" ||
                     name == group + "channel";
  time_path = taken ? name + "_time" : group + "time";
  channel_path = is_design ? name + "_terms" : taken ? name + "_channel" : group + "channel";
  const bool has_rate = from.series.rate_hz.has_value();
  time = file.create({.path = time_path,
                      .file_type = has_rate ? H5T_IEEE_F64LE : H5T_STD_I64LE,
                      .extents = {shape.rows},
                      .chunk = {},
                      .filter = {}});
  h5::write_attribute(time.id(), "unit", std::string(has_rate ? "seconds" : "samples"));
  if (from.terms.empty()) {
    write_channels();
  } else {
    h5::write_terms(file, channel_path, from.terms);
  }
  write_description(features.id(), from, options.output);
  h5::write_attribute(features.id(), "coordinates", time_path + " " + channel_path);
}

void Hdf5Sink::Opened::write_channels() const {
  const FeaturesShape& shape = description.shape;
  std::vector<std::int64_t> ids = description.series.channel_ids;
  if (ids.empty()) {
    ids.resize(static_cast<std::size_t>(shape.channels));
    std::iota(ids.begin(), ids.end(), std::int64_t{0});
  }
  if (static_cast<std::int64_t>(ids.size()) != shape.channels) {
    throw Error("channel_ids", std::to_string(ids.size()) + " ids",
                "one for each of the " + std::to_string(shape.channels) + " channels");
  }
  const h5::Dataset channel = file.create({.path = channel_path,
                                           .file_type = H5T_STD_I64LE,
                                           .extents = shape.channel_extents,
                                           .chunk = {},
                                           .filter = {}});
  h5::check(H5Dwrite(channel.id(), H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ids.data()),
            file.failing());
}

void Hdf5Sink::Opened::write_times(Range rows) const {
  std::array<std::int64_t, times_together> samples;
  std::array<double, times_together> seconds;
  const SeriesDescription& series = description.series;
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += times_together) {
    const Range part{begin, std::min(begin + times_together, rows.end)};
    description.samples_of_rows(part, samples.data());
    if (!series.rate_hz) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(part.size()); ++i) {
        samples[i] += series.first_sample;
      }
      h5::write_box(time, H5T_NATIVE_INT64, {part.begin}, {part.size()}, samples.data(),
                    file.failing());
      continue;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(part.size()); ++i) {
      seconds[i] = series.seconds_of(samples[i]);
    }
    h5::write_box(time, H5T_NATIVE_DOUBLE, {part.begin}, {part.size()}, seconds.data(),
                  file.failing());
  }
}

Hdf5Sink::Hdf5Sink(FilePath path, Hdf5SinkOptions options) {
  if (options.chunk &&
      std::min({options.chunk->rows, options.chunk->channels, options.chunk->bases}) < 1) {
    throw Error("chunk",
                std::to_string(options.chunk->rows) + ", " +
                    std::to_string(options.chunk->channels) + ", " +
                    std::to_string(options.chunk->bases),
                "rows, channels and bases, each at least 1");
  }
  m_opened = std::make_unique<Opened>(std::move(path), std::move(options));
}

Hdf5Sink::Hdf5Sink(Hdf5Sink&&) noexcept = default;
Hdf5Sink::~Hdf5Sink() = default;

BlockShape Hdf5Sink::chunk(const FeaturesShape& shape, std::int64_t bytes_at_most) const {
  if (m_opened->options.chunk) return *m_opened->options.chunk;
  const std::int64_t wanted = std::clamp(bytes_at_most, chunk_bytes_least, chunk_bytes_wanted);
  const std::int64_t value = size_of(shape.type);
  const std::int64_t row = shape.channels * shape.bases * value;
  const std::int64_t most = std::max<std::int64_t>(shape.rows, 1);
  if (row <= 2 * wanted) {
    const std::int64_t rows = floor_power_of_two(std::max<std::int64_t>(wanted / row, 1));
    return {std::min(rows, most), shape.channels, shape.bases};
  }
  const std::int64_t bases = std::min(shape.bases, std::max<std::int64_t>(wanted / value, 1));
  const std::int64_t channels = std::max<std::int64_t>(wanted / (bases * value), 1);
  return {1, std::min(channels, shape.channels), bases};
}

bool Hdf5Sink::needs_whole_chunks() const {
  return m_opened->options.output.filter.compression != Compression::none;
}

std::int64_t Hdf5Sink::own_bytes(const FeaturesShape& shape, const BlockShape& chunk,
                                 const BlockShape& block) const {
  if (!needs_whole_chunks()) return bytes_beside;
  return bytes_beside + own_bytes_of_filter(shape, chunk, block);
}

void Hdf5Sink::begin(const FeaturesDescription& description) { m_opened->begin(description); }

void Hdf5Sink::write(const Block& block, const void* values) {
  const h5::Call call;
  const Opened& opened = *m_opened;
  const std::string failing = opened.file.failing();
  const std::array<hsize_t, 3> extents = {static_cast<hsize_t>(block.rows.size()),
                                          static_cast<hsize_t>(block.channels.size()),
                                          static_cast<hsize_t>(block.bases.size())};
  if (opened.description.shape.channel_extents.empty()) {
    // Of one rank in memory and in the file: HDF5 walks through others value by value.
    h5::write_box(opened.features, h5::memory_type(opened.description.shape.type),
                  {block.rows.begin, block.bases.begin}, {block.rows.size(), block.bases.size()},
                  values, failing);
    if (block.bases.begin == 0) opened.write_times(block.rows);
    return;
  }
  const h5::Space in_memory(H5Screate_simple(3, extents.data(), nullptr), failing);
  const h5::Space in_file(H5Dget_space(opened.features.id()), failing);
  hsize_t column = 0;
  for (const stream::ChannelBox& box :
       stream::channel_boxes(opened.description.shape.channel_extents, block.channels)) {
    std::vector<hsize_t> start(box.start.begin(), box.start.end());
    std::vector<hsize_t> count(box.count.begin(), box.count.end());
    start.insert(start.begin(), static_cast<hsize_t>(block.rows.begin));
    count.insert(count.begin(), extents[0]);
    start.push_back(static_cast<hsize_t>(block.bases.begin));
    count.push_back(extents[2]);
    const std::array<hsize_t, 3> from = {0, column, 0};
    const std::array<hsize_t, 3> size = {extents[0], static_cast<hsize_t>(box.channels),
                                         extents[2]};
    h5::check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                                  nullptr),
              failing);
    h5::check(H5Sselect_hyperslab(in_memory.id(), H5S_SELECT_SET, from.data(), nullptr, size.data(),
                                  nullptr),
              failing);
    h5::check(H5Dwrite(opened.features.id(), h5::memory_type(opened.description.shape.type),
                       in_memory.id(), in_file.id(), H5P_DEFAULT, values),
              failing);
    column += size[1];
  }
  if (block.channels.begin == 0 && block.bases.begin == 0) opened.write_times(block.rows);
}

void Hdf5Sink::Opened::release(const std::string& failing) {
  time.close_now(failing);
  features.close_now(failing);
}

void Hdf5Sink::finish() {
  const h5::Call call;
  m_opened->release(m_opened->file.failing());
  m_opened->file.commit();
}

void Hdf5Sink::abandon() noexcept {
  m_opened->time = h5::Dataset();
  m_opened->features = h5::Dataset();
  m_opened->file.abandon();
}

}  // namespace synelix
