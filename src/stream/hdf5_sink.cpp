// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Features as a dataset, with the time of each row and the id of each channel beside it.
#include "stream/boxes.hpp"
#include "stream/checkpoint.hpp"
#include "stream/chunk_table.hpp"
#include "stream/feature_datasets.hpp"
#include "stream/fingerprint_text.hpp"
#include "stream/h5_file.hpp"
#include "stream/output_file.hpp"

#include <synelix/hdf5.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <functional>
#include <numeric>
#include <sstream>

#include <fcntl.h>

namespace synelix {
namespace {

using stream::Advance;
using stream::Checkpoint;
using Clock = std::chrono::steady_clock;

constexpr std::int64_t chunk_bytes_wanted = mebibytes(2);
constexpr std::int64_t chunk_bytes_least = std::int64_t{64} << 10;
/// How long a checkpoint may wait for the disk. Bringing all that was written there stops the
/// writing meanwhile; the kernel begins to write after five seconds or so by itself.
constexpr std::chrono::seconds time_to_disk{10};

std::int64_t floor_power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
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

/// The chunk that a run before has chosen, as its checkpoint says.
std::string chunk_text(const BlockShape& chunk) {
  return std::to_string(chunk.rows) + "x" + std::to_string(chunk.channels) + "x" +
         std::to_string(chunk.bases);
}

BlockShape chunk_from(const std::string& text) {
  BlockShape chunk;
  std::istringstream stream(text);
  char times = 'x';
  stream >> chunk.rows >> times >> chunk.channels >> times >> chunk.bases;
  return stream && std::min({chunk.rows, chunk.channels, chunk.bases}) > 0 ? chunk : BlockShape{};
}

const char* text_of(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::deflate:
      return "deflate";
    case Compression::shuffle_deflate:
      return "shuffle,deflate";
  }
  return "unknown";
}

}  // namespace

struct Hdf5Sink::Opened {
  Opened(FilePath path, Hdf5SinkOptions given)
      : options(std::move(given)), file(std::move(path), options.output.existing, options.start) {}

  [[nodiscard]] bool is_filtered() const {
    return options.output.filter.compression != Compression::none;
  }
  [[nodiscard]] Fingerprint fingerprint_of_datasets() const;
  [[nodiscard]] Fingerprint fingerprint_of_part() const;
  [[nodiscard]] std::int64_t cache_bytes() const;
  [[nodiscard]] std::int64_t search_from() const;
  void find_chunk();
  [[nodiscard]] bool is_input(const std::string& name) const;
  [[nodiscard]] bool is_there() const;
  bool resume();
  void rebuild(Checkpoint& found);
  void begin_anew();
  void note(const Block& block);
  bool note_chunks(const Block& block);
  void save(const Advance& now_noted);
  void drop() noexcept;

  Hdf5SinkOptions options;
  h5::OutputFile file;
  std::optional<BlockShape> chunk_before;  ///< of the run that is resumed
  FeaturesDescription description;
  h5::FeatureDatasets datasets;
  std::optional<h5::ChunkTable> table;  ///< of filtered chunks
  std::optional<Checkpoint> checkpoint;
  Advance advance;
  Advance noted;                      ///< in the checkpoint: the same, but for chunks in parts
  std::optional<Range> rows_to_note;  ///< whose chunks are in no checkpoint yet
  Clock::time_point on_disk;          ///< when a checkpoint has last reached the disk
  std::optional<std::int64_t> blocks_before;
  bool is_finished = false;
};

/// What the bytes of the datasets depend on.
Fingerprint Hdf5Sink::Opened::fingerprint_of_datasets() const {
  Fingerprint result = description.fingerprint;
  const Filter& filter = options.output.filter;
  const std::string level = is_filtered() ? ":" + std::to_string(filter.level) : "";
  result.emplace_back("extents", h5::extents_text(h5::dataset_extents(description.shape)));
  result.emplace_back("filter", std::string(text_of(filter.compression)) + level);
  result.emplace_back("chunk", chunk_text(description.chunk));
  return result;
}

/// And what a run needs to go on with FILE.part.
Fingerprint Hdf5Sink::Opened::fingerprint_of_part() const {
  Fingerprint result = fingerprint_of_datasets();
  result.emplace_back("dataset", file.path().dataset);
  std::error_code status;
  if (options.output.existing == Existing::append &&
      std::filesystem::exists(file.path().file, status)) {
    const Fingerprint below = fingerprint_of_file(file.path().file);
    result.emplace_back("bytes of " + file.path().file, below[0].second);
    result.emplace_back("change of " + file.path().file, below[1].second);
  }
  return result;
}

std::int64_t Hdf5Sink::Opened::cache_bytes() const {
  if (!is_filtered()) return 0;
  const auto chunk = h5::dataset_chunk(description.shape, description.chunk);
  const std::int64_t bytes = std::accumulate(chunk.begin(), chunk.end(),
                                             size_of(description.shape.type), std::multiplies<>());
  return std::max<std::int64_t>(
      own_bytes_of_filter(description.shape, description.chunk, description.block) - 2 * bytes, 0);
}

/// Where a checkpoint lies at the earliest: behind what was copied.
std::int64_t Hdf5Sink::Opened::search_from() const {
  std::error_code status;
  if (options.output.existing != Existing::append) return 0;
  const auto bytes = std::filesystem::file_size(file.path().file, status);
  return status ? 0 : static_cast<std::int64_t>(bytes);
}

void Hdf5Sink::Opened::find_chunk() {
  const std::string part = file.path().file + ".part";
  const stream::Descriptor opened(::open(part.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.is_open()) return;
  const auto found = Checkpoint::find(opened.number(), search_from(), part);
  if (!found) return;
  const auto text = h5::value_of(h5::fingerprint_from(found->text()), "chunk");
  if (text) chunk_before = chunk_from(*text);
}

/// Whether a file is the one that the series is read from.
bool Hdf5Sink::Opened::is_input(const std::string& name) const {
  if (description.series.name.empty()) return false;
  std::error_code status;
  return std::filesystem::equivalent(parse_file_path(description.series.name).file, name, status);
}

/// Whether FILE holds the whole dataset already. \throws Error where it holds another in its place
bool Hdf5Sink::Opened::is_there() const {
  const FilePath& path = file.path();
  std::error_code status;
  if (!std::filesystem::exists(path.file, status)) return false;
  const bool may_replace = options.output.existing == Existing::replace;
  try {
    const h5::Call call;
    const h5::File opened = h5::open_file(path.file);
    if (!h5::exists(opened.id(), path.dataset)) {
      if (options.output.existing == Existing::refuse) file.require_free();
      return false;
    }
    const h5::Dataset dataset = h5::open_dataset(opened, path);
    Fingerprint found =
        h5::fingerprint_from(h5::read_text(dataset.id(), "fingerprint").value_or(""));
    if (found.empty()) {
      file.require_free();
      throw Error(to_string(path), "an existing dataset", "a name that the file does not hold");
    }
    Fingerprint wanted = fingerprint_of_datasets();
    const auto leave_out = [&](const std::string& left_out) {
      const auto is_it = [&](const auto& item) { return item.first == left_out; };
      std::erase_if(found, is_it);
      std::erase_if(wanted, is_it);
    };
    if (!options.chunk) leave_out("chunk");  // a matter of the budget
    if (is_input(path.file)) {               // it has changed by what was added to it
      leave_out("input bytes");
      leave_out("input changed");
    }
    h5::require_same(to_string(path), found, wanted, "a new name for the output");
    return true;
  } catch (const Error&) {
    if (!may_replace) throw;
    return false;
  }
}

/// Takes over what the run before has left; false where that is nothing.
bool Hdf5Sink::Opened::resume() {
  if (!file.take()) return false;
  std::optional<Checkpoint> found =
      Checkpoint::find(file.descriptor(), search_from(), file.failing());
  if (!found) return false;
  const std::optional<Advance> last = found->load();
  if (!last) return false;
  try {
    h5::require_same(file.path().file + ".part", h5::fingerprint_from(found->text()),
                     fingerprint_of_part(), "a run without resume, which begins anew");
  } catch (...) {
    file.leave();
    throw;
  }
  advance = *last;
  noted = advance;
  blocks_before = advance.blocks;
  if (is_filtered()) {
    rebuild(*found);
  } else {
    const h5::Call call;
    found->restore_length();
    file.open_taken();
    datasets.open(file, description);
    checkpoint = std::move(found);
  }
  return true;
}

// The table is there where chunks are filtered, which is when these are called, and the checkpoint
// from `begin` or `rebuild` on: the check does not see through members.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

/// Filtered chunks change what HDF5 notes about a file each time that one is written: what a killed
/// run leaves is taken for its chunks only, which go to a new file.
void Hdf5Sink::Opened::rebuild(Checkpoint& found) {
  const h5::Call call;
  const stream::Descriptor before = file.open_anew();
  const std::string text = h5::text_of(fingerprint_of_part());
  const auto address = file.set_aside(Checkpoint::bytes_for(text, table->chunks()));
  if (!address) throw Error(file.failing() + ": no room for a checkpoint");
  datasets.create(file, description, options.output, h5::text_of(fingerprint_of_datasets()),
                  cache_bytes());
  table->restore(before.number(), found, advance.unwritten, datasets.features(), file.failing());
  datasets.write_times({0, description.shape.rows});
  checkpoint =
      Checkpoint::make(file.descriptor(), *address, file.failing(), text, table->chunks(), advance);
  table->note(datasets.features(), file.failing(), {0, description.shape.rows}, *checkpoint);
  file.settle();
}

void Hdf5Sink::Opened::begin_anew() {
  const h5::Call call;
  file.open();
  const FeaturesShape& shape = description.shape;
  advance = {.unwritten = {{{0, shape.rows}, {0, shape.channels}, {0, shape.bases}}}, .blocks = 0};
  const std::string text = h5::text_of(fingerprint_of_part());
  const std::int64_t chunks = table ? table->chunks() : 0;
  std::optional<std::int64_t> address;
  if (!description.fingerprint.empty()) {
    address = file.set_aside(Checkpoint::bytes_for(text, chunks));
  }
  datasets.create(file, description, options.output, h5::text_of(fingerprint_of_datasets()),
                  cache_bytes());
  if (!address) return;
  h5::check(H5Fflush(file.file().id(), H5F_SCOPE_GLOBAL), file.failing());
  checkpoint = Checkpoint::make(file.descriptor(), *address, file.failing(), text, chunks, advance);
}

/// Notes a block that HDF5 has written.
void Hdf5Sink::Opened::note(const Block& block) {
  advance.unwritten = stream::without(advance.unwritten, block);
  ++advance.blocks;
  if (!checkpoint || !Checkpoint::has_room(advance)) return;
  if (table) {
    const Range rows = table->hull(block).rows;
    if (rows_to_note) {
      rows_to_note = {std::min(rows.begin, rows_to_note->begin),
                      std::max(rows.end, rows_to_note->end)};
    } else {
      rows_to_note = rows;
    }
    if (!note_chunks(block)) return;
  }
  save(advance);
}

/// Notes chunks that are there completely; false where the advance cannot be noted as it is.
bool Hdf5Sink::Opened::note_chunks(const Block& block) {
  Block touched = table->hull(block);
  touched.rows = *rows_to_note;
  if (!stream::intersects(advance.unwritten, touched)) {
    table->note(datasets.features(), file.failing(), *rows_to_note, *checkpoint);
    rows_to_note.reset();
    return true;
  }
  // The last chunks are there in parts: where all before them is whole, these count as missing.
  const std::int64_t step = h5::dataset_chunk(description.shape, description.chunk).front();
  const std::int64_t whole_end = block.rows.end / step * step;
  touched.rows.end = whole_end;
  Advance whole = advance;
  const auto behind =
      std::find_if(whole.unwritten.begin(), whole.unwritten.end(), [&](const Block& box) {
        return box.rows.begin == block.rows.end && box.channels == block.channels &&
               box.bases == block.bases;
      });
  if (touched.rows.size() <= 0 || behind == whole.unwritten.end() ||
      stream::intersects(advance.unwritten, touched)) {
    return false;
  }
  behind->rows.begin = whole_end;
  table->note(datasets.features(), file.failing(), touched.rows, *checkpoint);
  rows_to_note->begin = whole_end;
  save(whole);
  return false;
}

void Hdf5Sink::Opened::save(const Advance& now_noted) {
  noted = now_noted;
  const auto now = Clock::now();
  if (now - on_disk < time_to_disk) {
    checkpoint->save(noted);
    return;
  }
  checkpoint->save_to_disk(noted);
  on_disk = Clock::now();
}

// NOLINTEND(bugprone-unchecked-optional-access)

void Hdf5Sink::Opened::drop() noexcept {
  datasets.drop();
  const bool is_kept = checkpoint && noted.blocks > 0 && options.unfinished == Unfinished::keep;
  if (!is_kept) return file.abandon();
  try {
    checkpoint->save_to_disk(noted);
  } catch (...) {  // a full disk: what was noted before stays
    checkpoint.reset();
  }
  file.leave();
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
  if (m_opened->options.start == Start::resume) m_opened->find_chunk();
}

Hdf5Sink::Hdf5Sink(Hdf5Sink&&) noexcept = default;
Hdf5Sink::~Hdf5Sink() = default;

BlockShape Hdf5Sink::chunk(const FeaturesShape& shape, std::int64_t bytes_at_most) const {
  if (m_opened->options.chunk) return *m_opened->options.chunk;
  if (m_opened->chunk_before) return *m_opened->chunk_before;
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
  const std::int64_t touched =
      h5::chunks_per_write(shape, chunk, block) * stream::bytes_of_touched_chunk;
  const std::int64_t plain = h5::bytes_of_times + touched;
  return needs_whole_chunks() ? plain + own_bytes_of_filter(shape, chunk, block) : plain;
}

void Hdf5Sink::begin(const FeaturesDescription& description) {
  Opened& opened = *m_opened;
  opened.description = description;
  opened.on_disk = Clock::now();
  if (opened.is_filtered()) opened.table.emplace(description.shape, description.chunk);
  if (opened.options.start == Start::resume) {
    if (description.fingerprint.empty()) {
      throw Error("resume", "features without a fingerprint", "FeaturesDescription::fingerprint");
    }
    opened.is_finished = opened.is_there();
    if (opened.is_finished) return;
    if (opened.resume()) return;
  }
  opened.begin_anew();
}

std::optional<Unwritten> Hdf5Sink::unwritten() const {
  if (m_opened->is_finished) return Unwritten{.boxes = {}, .blocks_before = 0};
  if (!m_opened->blocks_before) return std::nullopt;
  return Unwritten{.boxes = m_opened->advance.unwritten, .blocks_before = *m_opened->blocks_before};
}

bool Hdf5Sink::was_finished() const { return m_opened->is_finished; }

void Hdf5Sink::write(const Block& block, const void* values) {
  const h5::Call call;
  m_opened->datasets.write(block, values);
  m_opened->note(block);
}

void Hdf5Sink::finish() {
  if (m_opened->is_finished) return;
  const h5::Call call;
  m_opened->datasets.close_now();
  m_opened->file.commit();
}

void Hdf5Sink::abandon() noexcept {
  if (!m_opened->is_finished) m_opened->drop();
}

}  // namespace synelix
