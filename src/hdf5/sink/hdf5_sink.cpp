// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Features as a dataset, with datasets of the time of each row and the id of each channel.
#include "hdf5/objects/known_options.hpp"
#include "hdf5/sink/sink_part.hpp"
#include "streams/input_files.hpp"
#include "types/number_text.hpp"

#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace synelix {
namespace {

constexpr std::int64_t chunk_bytes_wanted = mebibytes(2);
constexpr std::int64_t chunk_bytes_least = std::int64_t{64} << 10;

std::int64_t floor_power_of_two(std::int64_t n) {
  return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n)));
}

/// HDF5 creates 400,000 chunks a second, all of them before the first block, in one call that
/// cannot be interrupted.
void require_few_chunks(const FeaturesShape& shape, const BlockShape& chunk) {
  constexpr double most = 1 << 22;  // takes 10 seconds
  const auto along = [](std::int64_t extent, std::int64_t step) {
    return std::ceil(static_cast<double>(extent) / static_cast<double>(step));
  };
  const double chunks = along(shape.rows, chunk.rows) * along(shape.channels, chunk.channels) *
                        along(shape.bases, chunk.bases);
  if (chunks <= most) return;
  constexpr double most_exact = std::int64_t{1} << 53;
  const std::string number =
      chunks < most_exact ? std::to_string(static_cast<std::int64_t>(chunks)) : number_text(chunks);
  throw Error("chunk",
              "the chunk is " + stream::chunk_text(chunk) + ", which makes " + number +
                  " chunks of the output",
              "Give larger chunks, so that there are at most 2^22; without --chunk a size is "
              "chosen");
}

Range shifted(Range range, std::int64_t by) { return {range.begin + by, range.end + by}; }

void require_fingerprint(const char* argument, const FeaturesDescription& description) {
  if (!description.fingerprint.empty()) return;
  throw Error(argument, "these features come without a fingerprint",
              "Set FeaturesDescription::fingerprint, or start anew");
}

/// Checks the options that a part of an output requires.
void require_part(const Hdf5SinkOptions& options) {
  constexpr std::int64_t most = 65536;
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): the caller asks
  const OutputPart& part = *options.part;
  const std::string name = std::to_string(part.number) + "/" + std::to_string(part.of);
  if (part.of < 1 || part.of > most) {
    throw Error("part", name + " is not a part", "Give 1 to " + std::to_string(most) + " parts");
  }
  if (part.number < 0 || part.number >= part.of) {
    throw Error("part", name + " is none of the parts, which are counted from 0",
                "Give 0/" + std::to_string(part.of) + " to " + std::to_string(part.of - 1) + "/" +
                    std::to_string(part.of));
  }
  const bool is_filtered = options.output.filter.compression != Compression::none;
  if (options.chunk && !is_filtered) {
    throw Error("chunk",
                "an output that is written in parts without a filter is one contiguous dataset",
                "Leave the chunk out, give a filter, or give no part");
  }
  if (options.output.existing == Existing::append) {
    throw Error("append", "an output that is written in parts has a file of its own",
                "Give another file for the output, or give no part");
  }
  if constexpr (std::endian::native != std::endian::little) {
    if (is_filtered) return;
    throw Error("part", "parts write little-endian values, and this machine has others",
                "Give no part, or a filter");
  }
}

}  // namespace

Hdf5Sink::Hdf5Sink(FilePath path, Hdf5SinkOptions options) {
  stream::require_known_options(options.output);
  require_known("unfinished", options.unfinished);
  if (options.chunk &&
      std::min({options.chunk->rows, options.chunk->channels, options.chunk->bases}) < 1) {
    throw Error("chunk",
                std::to_string(options.chunk->rows) + ", " +
                    std::to_string(options.chunk->channels) + ", " +
                    std::to_string(options.chunk->bases) + " is not a chunk",
                "Give rows, channels and bases, each at least 1");
  }
  if (options.part) {
    require_part(options);
    options.start = Start::resume;
  }
  m_opened = std::make_unique<Opened>(std::move(path), std::move(options));
  const Hdf5SinkOptions& given = m_opened->options;
  if (given.part && !m_opened->has_part_file()) {
    m_opened->find_shares();
  } else if (given.start == Start::resume) {
    m_opened->find_chunk();
  }
}

Hdf5Sink::Hdf5Sink(Hdf5Sink&&) noexcept = default;
Hdf5Sink::~Hdf5Sink() = default;

BlockShape Hdf5Sink::chunk(const FeaturesShape& shape, std::int64_t bytes_at_most) const {
  if (m_opened->options.chunk) {
    require_few_chunks(shape, *m_opened->options.chunk);
    return *m_opened->options.chunk;
  }
  const bool is_contiguous = m_opened->options.part && !m_opened->has_part_file();
  if (is_contiguous) return {1, shape.channels, shape.bases};
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
  if (m_opened->options.part && !m_opened->has_part_file()) {
    return h5::bytes_of_times +
           stream::PartsOutput::memory_of(m_opened->shares_of(shape), *m_opened->options.part);
  }
  const std::int64_t touched =
      h5::chunks_per_write(shape, chunk, block) * stream::bytes_of_touched_chunk;
  const std::int64_t plain = h5::bytes_of_times + touched;
  return needs_whole_chunks() ? plain + stream::own_bytes_of_filter(shape, chunk, block) : plain;
}

void Hdf5Sink::begin(const FeaturesDescription& description) {
  const StoredType type = description.shape.type;
  if (type != StoredType::float32 && type != StoredType::float64) {
    throw Error("shape.type", std::string(name_of(type)) + " cannot be written as features",
                "Give float32 or float64");
  }
  Opened& opened = *m_opened;
  const std::string& output = opened.file.path().file;
  const std::vector<InputFile>& inputs = description.series.files;
  if (opened.options.output.existing == Existing::replace) {
    stream::require_apart(output, inputs, "Give another file, or append to it (--append)");
  }
  for (const char* const ending : {".part", ".part.new"}) {
    stream::require_apart(output + ending, inputs,
                          "The output is written there first: give another name for the output, or "
                          "rename the file that is read");
  }
  opened.describe(description, {0, description.shape.rows});
  opened.on_disk = Opened::Clock::now();
  if (opened.options.part) {
    require_fingerprint("part", description);
    return opened.has_part_file() ? opened.begin_part_file() : opened.begin_part();
  }
  if (opened.is_filtered()) {
    opened.chunks.emplace(description.shape, opened.description.chunk);
  } else {
    opened.sums.emplace(description.shape);
  }
  if (opened.options.start == Start::resume) {
    require_fingerprint("resume", description);
    opened.is_finished = opened.is_there(opened.file);
    if (opened.is_finished) return opened.file.remove_second_name();
    if (opened.resume()) return;
  }
  opened.begin_anew();
}

std::optional<Unwritten> Hdf5Sink::unwritten() const {
  if (m_opened->is_finished) return Unwritten{.boxes = {}, .blocks_before = 0};
  if (m_opened->parts) return m_opened->parts->unwritten();
  if (!m_opened->blocks_before) return std::nullopt;
  Unwritten result{.boxes = m_opened->advance.unwritten, .blocks_before = *m_opened->blocks_before};
  for (Block& box : result.boxes) box.rows = shifted(box.rows, m_opened->rows.begin);
  return result;
}

bool Hdf5Sink::was_finished() const { return m_opened->is_finished; }

const std::optional<PartsDescription>& Hdf5Sink::missing_parts() const {
  static const std::optional<PartsDescription> nothing;
  if (m_opened->has_part_file()) return m_opened->part_files;
  return m_opened->parts ? m_opened->parts->missing() : nothing;
}

void Hdf5Sink::write(const Block& block, const void* values) {
  if (m_opened->parts) return m_opened->parts->write(block, values);
  const h5::Call call;
  m_opened->file.require_whole();
  try {
    Block in_file = block;
    in_file.rows = shifted(block.rows, -m_opened->rows.begin);
    m_opened->datasets.write(in_file, values);
    m_opened->note(in_file, values);
  } catch (const Error&) {
    m_opened->file.require_whole();  // reports a truncated file, which would otherwise fail at any
                                     // later place
    throw;
  }
}

void Hdf5Sink::finish() {
  if (m_opened->is_finished) return;
  if (m_opened->parts) return m_opened->parts->finish();
  const h5::Call call;
  if (!m_opened->is_part_finished) {
    if (m_opened->has_part_file()) {
      m_opened->coordinates = m_opened->datasets.ranges_of_coordinates(m_opened->file);
    }
    m_opened->datasets.close_now();
    m_opened->file.commit([&] { m_opened->note_end(); });
  }
  if (m_opened->has_part_file()) m_opened->part_files = m_opened->described_part_files();
}

void Hdf5Sink::abandon() noexcept {
  if (m_opened->is_finished || m_opened->is_part_finished) return;
  if (m_opened->parts) m_opened->parts->abandon();
  m_opened->drop();
}

}  // namespace synelix
