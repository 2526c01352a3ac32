// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A dataset as a source. It is opened once and read in boxes; its chunk cache has the size of a row
// of chunks.
#include "hdf5/objects/chunk_pieces.hpp"
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "hdf5/objects/known_options.hpp"
#include "hdf5/source/axis_order.hpp"
#include "hdf5/source/foreign_marks.hpp"
#include "hdf5/source/recording_parts.hpp"
#include "hdf5/source/signal_attributes.hpp"
#include "hdf5/source/value_meaning.hpp"
#include "streams/input_files.hpp"
#include "types/number_text.hpp"

#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <cstddef>

namespace synelix {

namespace {

/// The limit of memory for transposing parts, if time is not the first dimension of the file.
constexpr std::int64_t most_turned_bytes = std::int64_t{1} << 20;

/// The memory of a source while it is read.
struct OwnMemory {
  std::int64_t cache = 0;     ///< a row of chunks, or nothing
  std::int64_t passing = 0;   ///< buffers for filtering a chunk
  std::int64_t together = 0;  ///< chunks that one call touches
  std::int64_t turning = 0;   ///< a part of a block in the order of the file

  [[nodiscard]] std::int64_t bytes() const {
    return cache + passing + together * stream::bytes_of_touched_chunk + turning;
  }
};

}  // namespace

struct Hdf5Source::Opened {
  FilePath path;
  h5::SourceFile file;
  h5::Dataset dataset;
  h5::ValueMeaning meaning;
  h5::AxisOrder axes;
  bool is_turned = false;          ///< whether the file has another order
  std::vector<std::byte> scratch;  ///< memory for transposing parts
  bool has_filters = false;
  stream::SampleMap samples{{}};  ///< maps samples of the series to samples of the file
  Range channels;                 ///< of the file
  SeriesShape shape;
  SeriesDescription description;
  std::optional<TimestampsFit> fit;
  std::int64_t cache_bytes = 0;
  std::int64_t together = 1;  ///< chunks that one call touches at most

  /// Extents of the dataset and of a chunk, in the order of the series.
  [[nodiscard]] const std::vector<std::int64_t>& extents() const { return axes.extents; }
  [[nodiscard]] const std::vector<std::int64_t>& chunk() const { return axes.chunk; }
  [[nodiscard]] std::int64_t all_channels() const { return stream::product_of(extents(), 1); }
  [[nodiscard]] std::int64_t chunk_bytes() const;
  [[nodiscard]] std::int64_t chunks_across(std::int64_t channels) const;
  [[nodiscard]] double times_by_channels(std::int64_t wanted) const;
  [[nodiscard]] OwnMemory memory_for(std::int64_t block_samples, std::int64_t block_channels,
                                     std::int64_t allowed) const;
  [[nodiscard]] std::int64_t table_bytes() const;
  void open_dataset(std::int64_t cache);
  void describe(const Hdf5SourceOptions& options, const std::string& name);
  void read_run(Range run, const std::vector<stream::ChannelBox>& boxes, const h5::Space& in_file,
                const h5::Space& in_memory, void* buffer, std::int64_t before) const;
  void read_turned_run(Range run, const std::vector<stream::ChannelBox>& boxes, std::int64_t row,
                       void* buffer, std::int64_t before);
  void finish(Range samples, std::int64_t row, void* buffer) const;
};

namespace {

using Extents = std::vector<std::int64_t>;

constexpr std::int64_t prime_above(std::int64_t n) {
  const auto is_prime = [](std::int64_t candidate) {
    for (std::int64_t d = 2; d * d <= candidate; ++d) {
      if (candidate % d == 0) return false;
    }
    return true;
  };
  while (!is_prime(n)) ++n;
  return n;
}

std::string failing_text(const std::string& name, Range run) {
  return name + ": samples " + std::to_string(run.begin) + " to " + std::to_string(run.end) +
         " cannot be read";
}

}  // namespace

std::int64_t Hdf5Source::Opened::chunk_bytes() const {
  const h5::Call call;
  return stream::product_of(chunk()) *
         static_cast<std::int64_t>(H5Tget_size(h5::type_of(dataset).id()));
}

std::int64_t Hdf5Source::Opened::chunks_across(std::int64_t wanted) const {
  // The most chunks in each dimension that channels read together can touch.
  std::int64_t chunks = 1;
  std::int64_t left = wanted;
  for (std::size_t i = extents().size() - 1; i > 0; --i) {
    const std::int64_t touched = std::min(left, extents()[i]);
    chunks *= std::min((touched + chunk()[i] - 2) / chunk()[i] + 1,
                       (extents()[i] + chunk()[i] - 1) / chunk()[i]);
    left = (left + extents()[i] - 1) / extents()[i];
    if (left > 1) left = std::min(left + 1, extents()[i - 1]);
  }
  return chunks;
}

/// Bytes of the tables of intervals or epochs; negligible if there are few.
std::int64_t Hdf5Source::Opened::table_bytes() const {
  if (shape.epochs.size() < 2 && description.segments.size() < 2) return 0;
  // A run describes its series to the sink, which keeps the description: this many copies of the
  // segments.
  constexpr std::size_t copies = 5;
  return samples.bytes() +
         static_cast<std::int64_t>(shape.epochs.list().capacity() * sizeof(Epoch) +
                                   copies * description.segments.capacity() * sizeof(TimeSegment));
}

/// How often consecutive blocks of `wanted` channels touch a chunk.
double Hdf5Source::Opened::times_by_channels(std::int64_t wanted) const {
  const std::int64_t blocks = (channels.size() + wanted - 1) / wanted;
  const bool is_aligned =
      extents().size() == 2 && wanted % chunk()[1] == 0 && channels.begin % chunk()[1] == 0;
  if (blocks == 1 || is_aligned) return 1.0;
  return std::max(1.0, static_cast<double>(blocks * chunks_across(wanted)) /
                           static_cast<double>(chunks_across(channels.size())));
}

/// The smallest memory if more is not allowed. The memory depends only on the given bytes.
OwnMemory Hdf5Source::Opened::memory_for(std::int64_t block_samples, std::int64_t block_channels,
                                         std::int64_t allowed) const {
  OwnMemory memory;
  if (is_turned) {
    memory.turning =
        std::min(block_samples * block_channels * size_of(shape.type), most_turned_bytes);
    allowed -= memory.turning;
  }
  if (chunk().empty()) return memory;
  constexpr std::int64_t each = stream::bytes_of_touched_chunk;
  constexpr std::int64_t few = 16;  // with fewer, the calls take longer than the reads
  const std::int64_t across = chunks_across(block_channels);
  const std::int64_t touched = std::min(stream::chunks_together / across + 1,
                                        stream::most_chunks(block_samples, chunk()[0])) *
                               across;
  const std::int64_t most = std::min(touched, stream::chunks_together);
  // HDF5 filters a chunk in two buffers, cached or not.
  if (has_filters) memory.passing = 2 * chunk_bytes();
  // Unfiltered chunks that are read once need no cache: HDF5 reads the samples from the file.
  const bool wants_cache = has_filters || (extents().size() > 1 && across > 1);
  const std::int64_t row = across * chunk_bytes();
  if (wants_cache && row <= allowed - memory.passing - std::min(most, few) * each) {
    memory.cache = row;
  }
  memory.together =
      std::clamp<std::int64_t>((allowed - memory.passing - memory.cache) / each, 1, most);
  return memory;
}

void Hdf5Source::Opened::open_dataset(std::int64_t cache) {
  const h5::Properties access(H5Pcreate(H5P_DATASET_ACCESS), to_string(path));
  if (!chunk().empty()) {
    // The number of slots is a prime, so that the chunks of a row do not share one. A slot takes 8
    // bytes; for very small chunks, slots take at most the memory of the cache.
    const std::int64_t slots =
        prime_above(std::min(100 * std::max<std::int64_t>(cache / chunk_bytes(), 5),
                             std::max<std::int64_t>(cache / 8, 521)));
    H5Pset_chunk_cache(access.id(), static_cast<std::size_t>(slots),
                       static_cast<std::size_t>(cache), h5::whole_chunks_first);
  }
  dataset = h5::Dataset();
  dataset = h5::open_dataset(file, path, access);
  cache_bytes = 0;
  if (chunk().empty()) return;
  const h5::Properties in_use(H5Dget_access_plist(dataset.id()), to_string(path));
  std::size_t bytes = 0;
  h5::check(H5Pget_chunk_cache(in_use.id(), nullptr, &bytes, nullptr), to_string(path));
  cache_bytes = static_cast<std::int64_t>(bytes);
}

void Hdf5Source::Opened::describe(const Hdf5SourceOptions& options, const std::string& name) {
  nwb::SampleTimes times = nwb::sample_times(file, path, dataset, extents()[0], options);
  stream::RecordingParts parts = stream::parts_of(times.series, extents()[0], options, name);
  fit = std::move(times.fit);
  samples = std::move(parts.map);
  shape.samples = samples.samples();
  shape.channels = channels.size();
  shape.epochs = std::move(parts.epochs);
  description = std::move(parts.description);
  description.name = name;
  if (options.scaling) {
    shape.scaling = *options.scaling;
  } else if (options.attribute_scaling == AttributeScaling::use) {
    shape.scaling = nwb::scaling_of(file, path, dataset, axes);
    h5::warn_of_unread_scales(file, path, dataset);
    std::vector<double>& scales = shape.scaling.channel_scale;
    if (!scales.empty()) {
      scales = {scales.begin() + channels.begin, scales.begin() + channels.end};
    }
  }
  // Not earlier: the datasets beside the samples may be in other files, too.
  description.files = file.behind().files();
  description.fingerprint = stream::fingerprint_of(description.files);
  description.fingerprint.emplace_back(
      "input dataset", path.dataset + " " + h5::type_text(h5::type_of(dataset).id()) +
                           " of extents " + extents_text(extents()));
  if (is_turned) {
    description.fingerprint.emplace_back("input time axis", std::to_string(axes.in_file[0]));
  }
  if (const std::string values = meaning.text(); !values.empty()) {
    description.fingerprint.emplace_back("input values", values);
  }
  if (channels.begin > 0) {
    for (std::int64_t c = channels.begin; c < channels.end; ++c) {
      description.channel_ids.push_back(c);
    }
  }
}

Hdf5Source::Hdf5Source(FilePath path, const Hdf5SourceOptions& options)
    : m_opened(std::make_unique<Opened>()) {
  require_known("attribute_scaling", options.attribute_scaling);
  require_known("timestamps", options.timestamps);
  const h5::Call call;
  Opened& opened = *m_opened;
  opened.file = h5::open_file(path.file, path.links);
  opened.path = nwb::data_of(opened.file, std::move(path));
  const std::string name = to_string(opened.path);
  opened.dataset = h5::open_dataset(opened.file, opened.path);
  opened.meaning = h5::ValueMeaning(opened.dataset, options.attribute_scaling, name);
  opened.axes = h5::axis_order(opened.file, opened.path, opened.dataset, options);
  opened.is_turned = opened.axes.is_turned();
  opened.has_filters = !h5::filters_of(opened.dataset).empty();
  const std::int64_t channels = opened.all_channels();
  if (opened.extents()[0] * channels == 0) {
    throw FileError(name, "it is empty, with the extents " + extents_text(opened.extents()),
                    "Give a dataset that is not empty");
  }
  opened.channels = stream::checked_range("channels", options.channels, channels);
  opened.shape.type = opened.meaning.type();
  opened.describe(options, name);
}

Hdf5Source::Hdf5Source(Hdf5Source&&) noexcept = default;
Hdf5Source::~Hdf5Source() = default;

const SeriesShape& Hdf5Source::shape() const { return m_opened->shape; }
SeriesDescription Hdf5Source::description() const { return m_opened->description; }
const std::optional<TimestampsFit>& Hdf5Source::timestamps_fit() const { return m_opened->fit; }
std::int64_t Hdf5Source::chunk_cache_bytes() const { return m_opened->cache_bytes; }

std::vector<std::int64_t> Hdf5Source::channel_extents() const {
  const Extents& extents = m_opened->extents();
  if (m_opened->shape.channels != m_opened->all_channels()) return {m_opened->shape.channels};
  return {extents.begin() + 1, extents.end()};
}

std::int64_t Hdf5Source::own_bytes(std::int64_t samples, std::int64_t channels,
                                   std::int64_t allowed) const {
  const std::int64_t tables = m_opened->table_bytes();
  return tables + m_opened->memory_for(samples, channels, allowed - tables).bytes();
}

double Hdf5Source::read_cost(std::int64_t samples, std::int64_t channels,
                             std::int64_t own_bytes) const {
  const Opened& opened = *m_opened;
  if (!opened.has_filters) return 1.0;
  constexpr double decompressed = 8.0;  // cost of a decompressed value, relative to a copied one
  // If blocks have fewer channels than a chunk, the chunk is decompressed again for each block.
  const double times = opened.times_by_channels(channels);
  if (opened.memory_for(samples, channels, own_bytes - opened.table_bytes()).cache > 0) {
    return 1.0 + decompressed * (times - 1.0);
  }
  // Without a cache each block reads and decompresses all chunks that it touches.
  const std::int64_t rows = opened.chunk()[0];
  const std::int64_t touched = stream::most_chunks(samples, rows);
  return decompressed * times * static_cast<double>(touched * rows) / static_cast<double>(samples);
}

void Hdf5Source::begin(std::int64_t samples, std::int64_t channels, std::int64_t own_bytes) {
  const OwnMemory memory =
      m_opened->memory_for(samples, channels, own_bytes - m_opened->table_bytes());
  m_opened->scratch.resize(static_cast<std::size_t>(memory.turning));
  if (m_opened->chunk().empty()) return;
  const h5::Call call;
  const std::int64_t times = (m_opened->chunk()[0] + samples - 1) / samples;
  if (m_opened->has_filters && memory.cache == 0 && times > 2) {
    const std::int64_t row = m_opened->chunks_across(channels) * m_opened->chunk_bytes();
    warn(to_string(m_opened->path) + ": each of its chunks is decompressed about " +
         std::to_string(times) + " times, because blocks of " + std::to_string(samples) +
         " samples are shorter and a row of chunks (" + std::to_string(row) +
         " bytes) does not fit the budget; a larger budget avoids that");
  }
  m_opened->together = memory.together;
  m_opened->open_dataset(memory.cache);
}

/// Reads consecutive samples of the file. \param before  samples before them in memory
void Hdf5Source::Opened::read_run(Range run, const std::vector<stream::ChannelBox>& boxes,
                                  const h5::Space& in_file, const h5::Space& in_memory,
                                  void* buffer, std::int64_t before) const {
  h5::for_each_selection(
      {boxes, extents(), chunk(), together}, run, before, in_file, in_memory, to_string(path), [&] {
        const herr_t status = H5Dread(dataset.id(), meaning.memory_type(), in_memory.id(),
                                      in_file.id(), H5P_DEFAULT, buffer);
        if (status < 0) stream::require_same_content(description.files);
        h5::check(status, failing_text(to_string(path), run));
      });
}

/// The same if the file has another order of dimensions.
void Hdf5Source::Opened::read_turned_run(Range run, const std::vector<stream::ChannelBox>& boxes,
                                         std::int64_t row, void* buffer, std::int64_t before) {
  const auto bytes = static_cast<std::size_t>(size_of(shape.type));
  auto* to = static_cast<std::byte*>(buffer) + static_cast<std::size_t>(before * row) * bytes;
  for (const stream::ChannelBox& box : boxes) {
    h5::read_turned(dataset, meaning.memory_type(), axes, {box.within(run), together, row}, scratch,
                    to, failing_text(to_string(path), run));
    to += static_cast<std::size_t>(box.channels) * bytes;
  }
}

/// \throws Error for the first value that cannot be converted
void Hdf5Source::Opened::finish(Range wanted, std::int64_t row, void* buffer) const {
  const auto unreadable = meaning.finish(buffer, wanted.size() * row);
  if (!unreadable) return;
  const std::int64_t t = wanted.begin + unreadable->place / row;
  std::int64_t sample = t;
  samples.for_each_run({t, t + 1}, [&](Range run, std::int64_t) { sample = run.begin; });
  throw FileError(to_string(path), unreadable->text + ": sample " + std::to_string(sample),
                  "Convert the array; in Python, array.astype(\"float64\") does it");
}

void Hdf5Source::read(Range samples, Range channels, void* buffer) {
  Opened& opened = *m_opened;
  const h5::Call call;
  const Range wanted{opened.channels.begin + channels.begin, opened.channels.begin + channels.end};
  const std::vector<stream::ChannelBox> boxes =
      stream::channel_boxes({opened.extents().begin() + 1, opened.extents().end()}, wanted);
  const std::int64_t row = channels.size();
  if (opened.is_turned && opened.scratch.empty()) {  // read was called without `begin`
    const std::int64_t bytes = samples.size() * row * size_of(opened.shape.type);
    opened.scratch.resize(static_cast<std::size_t>(std::min(bytes, most_turned_bytes)));
  }
  h5::Space in_file;
  h5::Space in_memory;
  if (!opened.is_turned) {
    const std::string name = to_string(opened.path);
    in_file = h5::Space(H5Dget_space(opened.dataset.id()), name);
    in_memory = h5::space_of(stream::memory_extents<hsize_t>(boxes, samples.size(), row), name);
  }
  opened.samples.for_each_run(samples, [&](Range run, std::int64_t before) {
    if (opened.is_turned) return opened.read_turned_run(run, boxes, row, buffer, before);
    opened.read_run(run, boxes, in_file, in_memory, buffer, before);
  });
  // The check is here so that no caller can forget it. It takes a microsecond. It precedes the
  // check of values, since values of two states of a file are meaningless.
  stream::require_same_content(opened.description.files);
  opened.finish(samples, row, buffer);
}

}  // namespace synelix
