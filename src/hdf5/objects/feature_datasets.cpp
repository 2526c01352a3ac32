// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/objects/feature_datasets.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"

#include <utility>

namespace synelix::h5 {
namespace {

/// A number of flattened channels as extents of their original dimensions.
std::vector<std::int64_t> unflattened(std::int64_t channels,
                                      const std::vector<std::int64_t>& extents) {
  std::vector<std::int64_t> result(extents.size(), 1);
  for (std::size_t i = extents.size(); i-- > 0;) {
    result[i] = std::clamp<std::int64_t>(channels, 1, extents[i]);
    channels /= extents[i];
  }
  return result;
}

/// Rows of products are vectors, which have no time.
bool is_of_vectors(const FeaturesDescription& description) {
  return description.window == 0 && description.terms.empty();
}

bool has_bins_of(const FeaturesDescription& description) {
  const SeriesDescription& series = description.series;
  return series.rate_hz && series.bin_seconds && !is_of_vectors(description);
}

/// The centers of all rows. The checksum of everything except rows covers them.
void write_centers(const OutputFile& file, const FeaturesDescription& description,
                   const Dataset& times, const std::string& time_path) {
  const SeriesDescription& series = description.series;
  const std::int64_t rows = description.shape.rows;
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): centers are of bins
  Dataset centers = create_centers(file, times, time_path, rows, *series.bin_seconds);
  std::vector<std::int64_t> samples(static_cast<std::size_t>(times_together));
  std::vector<double> seconds(samples.size());
  for (std::int64_t begin = 0; begin < rows; begin += times_together) {
    const Range part{begin, std::min(begin + times_together, rows)};
    description.samples_of_rows(part, samples.data());
    for (std::size_t i = 0; i < static_cast<std::size_t>(part.size()); ++i) {
      seconds[i] = series.center_of(samples[i]);
    }
    write_box(centers, H5T_NATIVE_DOUBLE, {part.begin}, {part.size()}, seconds.data(),
              file.failing());
  }
  centers.close_now(file.failing());
}

}  // namespace

std::vector<std::int64_t> dataset_chunk(const FeaturesShape& shape, const BlockShape& chunk) {
  std::vector<std::int64_t> extents = {std::max<std::int64_t>(chunk.rows, 1)};
  const auto channels = unflattened(chunk.channels, shape.channel_extents);
  extents.insert(extents.end(), channels.begin(), channels.end());
  extents.push_back(std::min(chunk.bases, shape.bases));
  return extents;
}

std::vector<Range> places_of(const Dataset& time, const Dataset& centers, const Dataset& beside) {
  std::vector<Range> places;
  for (const Dataset* const dataset : {&time, &centers, &beside}) {
    if (!dataset->is_open()) continue;
    const haddr_t address = H5Dget_offset(dataset->id());
    const auto bytes = static_cast<std::int64_t>(H5Dget_storage_size(dataset->id()));
    if (address == HADDR_UNDEF) continue;  // it is empty
    const auto begin = static_cast<std::int64_t>(address);
    places.push_back({begin, begin + bytes});
  }
  return places;
}

std::int64_t chunks_per_write(const FeaturesShape& shape, const BlockShape& chunk,
                              const BlockShape& block) {
  const std::vector<std::int64_t> extents = dataset_chunk(shape, chunk);
  const std::int64_t channels = stream::product_of(extents, 1, 1);
  std::int64_t touched = 1;
  for (const auto& [count, of_chunk] : {std::pair{block.rows, extents.front()},
                                        {block.channels, channels},
                                        {block.bases, extents.back()}}) {
    const std::int64_t chunks = stream::most_chunks(count, of_chunk);
    touched *= std::min(chunks, stream::chunks_together / touched + 1);
  }
  // A quarter of the block's own bytes: a small budget has small blocks.
  const std::int64_t bytes = block.rows * block.channels * block.bases * size_of(shape.type);
  const std::int64_t enough = std::min(touched, stream::chunks_together);
  return std::clamp<std::int64_t>(bytes / 4 / stream::bytes_of_touched_chunk, 1, enough);
}

void FeatureDatasets::create(const OutputFile& file, const FeaturesDescription& description,
                             const Hdf5OutputOptions& options, const std::string& fingerprint,
                             std::int64_t cache_bytes, Layout layout) {
  m_description = description;
  m_failing = file.failing();
  const FeaturesShape& shape = description.shape;
  m_features =
      file.create({.path = file.path().dataset,
                   .file_type = file_type(shape.type),
                   .extents = stream::features_extents(shape),
                   .chunk = layout == Layout::contiguous ? std::vector<std::int64_t>()
                                                         : dataset_chunk(shape, description.chunk),
                   .filter = options.filter,
                   .cache_bytes = cache_bytes});
  const CoordinatePaths paths = free_coordinates(file, description);
  m_time = create_times(file, description, paths.time);
  if (description.terms.empty()) {
    write_channel_ids(file, description, paths.beside);
  } else {
    write_terms(file, paths.beside, description.terms);
  }
  write_description(m_features.id(), description, fingerprint, options);
  write_attribute(m_features.id(), "coordinates", paths.time + " " + paths.beside);
}

CoordinatePaths free_coordinates(const OutputFile& file, const FeaturesDescription& description) {
  const std::string& name = file.path().dataset;
  const std::string group = group_prefix(name);
  const auto is_taken = [&](const std::string& beside) {
    return exists(file.file().id(), group + beside) || name == group + beside;
  };
  const bool taken = is_taken("time") || is_taken("channel") ||
                     (has_bins_of(description) && is_taken(centers_beside("time")));
  const std::string beside = taken ? name + "_channel" : group + "channel";
  return {taken ? name + "_time" : group + "time",
          description.terms.empty() ? beside : name + "_terms"};
}

CoordinatePaths coordinates_of(const Dataset& features, const std::string& path) {
  const std::string coordinates = read_text(features.id(), "coordinates").value_or("");
  const std::string own = path + "_time";
  const std::string time = coordinates.starts_with(own + " ") ? own : group_prefix(path) + "time";
  const bool is_named = coordinates.starts_with(time + " ");
  return {time, is_named ? coordinates.substr(time.size() + 1) : std::string()};
}

Dataset create_times(const OutputFile& file, const FeaturesDescription& description,
                     const std::string& path) {
  const bool has_rate = description.series.rate_hz.has_value();
  Dataset times = file.create_contiguous(path, has_rate ? H5T_IEEE_F64LE : H5T_STD_I64LE,
                                         {description.shape.rows});
  write_attribute(times.id(), "unit", std::string(has_rate ? "seconds" : "samples"));
  if (has_bins_of(description)) {
    write_centers(file, description, times, path);
  } else if (has_rate && !is_of_vectors(description)) {
    write_position(times.id(), at_sample);
  }
  return times;
}

void write_times(const Dataset& times, const FeaturesDescription& description, Range rows,
                 const std::string& failing) {
  const hid_t type = description.series.rate_hz ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  for_each_times(description, rows, [&](Range part, const void* values) {
    write_box(times, type, {part.begin}, {part.size()}, values, failing);
  });
}

void write_channel_ids(const OutputFile& file, const FeaturesDescription& description,
                       const std::string& path) {
  const FeaturesShape& shape = description.shape;
  const auto ids = stream::ids_or_numbers(description.series.channel_ids, shape.channels);
  if (static_cast<std::int64_t>(ids.size()) != shape.channels) {
    throw Error("channel_ids",
                "there are " + std::to_string(ids.size()) + " ids for " +
                    std::to_string(shape.channels) + " channels",
                "Give one for each of the channels");
  }
  file.write_contiguous(path, H5T_STD_I64LE, H5T_NATIVE_INT64, shape.channel_extents, ids.data());
}

void FeatureDatasets::open(const OutputFile& file, const FeaturesDescription& description) {
  m_description = description;
  m_failing = file.failing();
  const std::string& name = file.path().dataset;
  const Properties access(H5Pcreate(H5P_DATASET_ACCESS), m_failing);
  H5Pset_chunk_cache(access.id(), 1009, 0, whole_chunks_first);
  m_features = Dataset(H5Dopen2(file.file().id(), name.c_str(), access.id()), m_failing);
  const std::string time_path = coordinates_of(m_features, name).time;
  m_time = Dataset(H5Dopen2(file.file().id(), time_path.c_str(), H5P_DEFAULT), m_failing);
}

/// Calls `transfer(in_memory, in_file)` with the selections of each piece of a block.
template <class Transfer>
void FeatureDatasets::for_each_piece(const Block& block, const Transfer& transfer) const {
  const FeaturesShape& shape = m_description.shape;
  const Space in_file(H5Dget_space(m_features.id()), m_failing);
  // A design has no dimension of channels, in memory and in the file: HDF5 copies value by value if
  // ranks differ.
  const bool is_design = shape.channel_extents.empty();
  const std::vector<stream::ChannelBox> boxes =
      is_design ? std::vector<stream::ChannelBox>{{{}, 0}}
                : stream::channel_boxes(shape.channel_extents, block.channels);
  std::vector<hsize_t> in_memory_extents =
      stream::memory_extents<hsize_t>(boxes, block.rows.size(), block.channels.size());
  in_memory_extents.push_back(static_cast<hsize_t>(block.bases.size()));
  const Space in_memory = space_of(in_memory_extents, m_failing);
  const std::vector<std::int64_t> extents = stream::features_extents(shape);
  const std::vector<std::int64_t> chunk = dataset_chunk(shape, m_description.chunk);
  const std::int64_t together = chunks_per_write(shape, m_description.chunk, m_description.block);
  for_each_selection({boxes, extents, chunk, together, &block.bases}, block.rows, 0, in_file,
                     in_memory, m_failing, [&] { transfer(in_memory.id(), in_file.id()); });
}

void FeatureDatasets::write(const Block& block, const void* values) const {
  for_each_piece(block, [&](hid_t in_memory, hid_t in_file) {
    check(H5Dwrite(m_features.id(), memory_type(m_description.shape.type), in_memory, in_file,
                   H5P_DEFAULT, values),
          m_failing);
  });
  const bool is_design = m_description.shape.channel_extents.empty();
  if ((is_design || block.channels.begin == 0) && block.bases.begin == 0) write_times(block.rows);
}

void FeatureDatasets::read(const Block& block, void* values) const {
  for_each_piece(block, [&](hid_t in_memory, hid_t in_file) {
    check(H5Dread(m_features.id(), memory_type(m_description.shape.type), in_memory, in_file,
                  H5P_DEFAULT, values),
          m_failing);
  });
}

std::vector<Range> FeatureDatasets::ranges_of_rows() const {
  std::vector<Range> ranges;
  const auto add = [](const hsize_t* /*first*/, unsigned /*filter_mask*/, haddr_t address,
                      hsize_t bytes, void* to) {
    auto& found = *static_cast<std::vector<Range>*>(to);
    const auto begin = static_cast<std::int64_t>(address);
    const auto end = begin + static_cast<std::int64_t>(bytes);
    if (!found.empty() && found.back().end == begin) {
      found.back().end = end;
    } else {
      found.push_back({begin, end});
    }
    return H5_ITER_CONT;
  };
  check(H5Dchunk_iter(m_features.id(), H5P_DEFAULT, add, &ranges), m_failing);
  const haddr_t times = H5Dget_offset(m_time.id());
  const hsize_t bytes = H5Dget_storage_size(m_time.id());
  if (times != HADDR_UNDEF) add(nullptr, 0, times, bytes, &ranges);
  return ranges;
}

std::vector<Range> FeatureDatasets::ranges_of_coordinates(const OutputFile& file) const {
  const auto opened = [&](const std::string& path) {
    return Dataset(H5Dopen2(file.file().id(), path.c_str(), H5P_DEFAULT), m_failing);
  };
  const CoordinatePaths paths = coordinates_of(m_features, file.path().dataset);
  const Dataset beside = opened(paths.beside);
  const bool has_centers = read_text(m_time.id(), "centers").has_value();
  return places_of(m_time, has_centers ? opened(centers_beside(paths.time)) : Dataset(), beside);
}

void FeatureDatasets::close_now() {
  m_time.close_now(m_failing);
  m_features.close_now(m_failing);
}

void FeatureDatasets::drop() noexcept {
  m_time = Dataset();
  m_features = Dataset();
}

}  // namespace synelix::h5
