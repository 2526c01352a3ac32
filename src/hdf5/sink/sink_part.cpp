// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/sink/sink_part.hpp"

#include "hdf5/objects/h5_file.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"
#include "streams/input_files.hpp"
#include "types/number_text.hpp"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <sstream>

#include <fcntl.h>

namespace synelix {
namespace {

std::optional<BlockShape> chunk_from(const std::string& text) {
  BlockShape chunk;
  std::istringstream stream(text);
  char times = 'x';
  stream >> chunk.rows >> times >> chunk.channels >> times >> chunk.bases;
  if (!stream || std::min({chunk.rows, chunk.channels, chunk.bases}) < 1) return std::nullopt;
  return chunk;
}

const char* compression_text(Compression compression) {
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

std::string stream::chunk_text(const BlockShape& chunk) {
  return std::to_string(chunk.rows) + "x" + std::to_string(chunk.channels) + "x" +
         std::to_string(chunk.bases);
}

std::int64_t stream::own_bytes_of_filter(const FeaturesShape& shape, const BlockShape& chunk,
                                         const BlockShape& block) {
  const BlockShape one{std::min(chunk.rows, std::max<std::int64_t>(shape.rows, 1)),
                       std::min(chunk.channels, shape.channels),
                       std::min(chunk.bases, shape.bases)};
  const std::int64_t bytes = one.rows * one.channels * one.bases * size_of(shape.type);
  const std::int64_t across = ((block.channels + one.channels - 2) / one.channels + 1) *
                              ((block.bases + one.bases - 2) / one.bases + 1);
  return (across + 2) * bytes;
}

/// The facts that determine the bytes of the datasets.
Fingerprint Hdf5Sink::Opened::fingerprint_of_datasets() const {
  Fingerprint result = description.fingerprint;
  const Filter& filter = options.output.filter;
  const bool is_contiguous = options.part && !is_filtered();
  const std::string level = is_filtered() ? ":" + std::to_string(filter.level) : "";
  result.emplace_back("extents", extents_text(stream::features_extents(all)));
  result.emplace_back("filter", std::string(compression_text(filter.compression)) + level);
  result.emplace_back("chunk", is_contiguous ? "contiguous" : stream::chunk_text(chunk_wanted));
  return result;
}

/// The additional facts that a run needs to resume FILE.part.
Fingerprint Hdf5Sink::Opened::fingerprint_of_part() const {
  Fingerprint result = fingerprint_of_datasets();
  result.emplace_back("dataset", file.path().dataset);
  if (has_part_file()) stream::add_part(result, this_part, rows);
  if (options.output.existing == Existing::append && stream::file_exists(file.path().file)) {
    const Fingerprint below = fingerprint_of_file(file.path().file);
    result.emplace_back("bytes of " + file.path().file, below[0].second);
    result.emplace_back("change of " + file.path().file, below[1].second);
  }
  return result;
}

std::int64_t Hdf5Sink::Opened::cache_bytes() const {
  if (!is_filtered()) return 0;
  const std::int64_t bytes =
      stream::product_of(h5::dataset_chunk(description.shape, description.chunk)) *
      size_of(description.shape.type);
  return std::max<std::int64_t>(
      stream::own_bytes_of_filter(all, description.chunk, description.block) - 2 * bytes, 0);
}

/// The smallest address of a checkpoint: after the copied bytes.
std::int64_t Hdf5Sink::Opened::search_from() const {
  std::error_code status;
  if (options.output.existing != Existing::append) return 0;
  const auto bytes = std::filesystem::file_size(file.path().file, status);
  return status ? 0 : static_cast<std::int64_t>(bytes);
}

void Hdf5Sink::Opened::begin_part() {
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): only for parts
  parts.emplace(file, options.output, *options.part);
  is_finished = !parts->begin({.description = description,
                               .text_of_datasets = h5::text_of(fingerprint_of_datasets()),
                               .of_part = fingerprint_of_part(),
                               .is_there = [this] { return is_there(file); }});
}

void Hdf5Sink::Opened::find_chunk() {
  std::vector<std::string> names = {file.path().file + ".part"};
  if (has_part_file()) {  // parts use the chunks of the first existing one
    for (const stream::NamedPart& part : stream::named_parts(output.file)) {
      names.push_back(part.name);
    }
  }
  for (std::size_t i = 0; i < names.size() && !chunk_before; ++i) {
    const auto found = stream::checkpoint_text(names[i], search_from());
    const auto text = found ? h5::value_of(h5::fingerprint_from(*found), "chunk") : std::nullopt;
    if (text) chunk_before = chunk_from(*text);
  }
}

void Hdf5Sink::Opened::find_shares() {
  const std::string part = file.path().file + ".part";
  const stream::Descriptor opened = stream::opened_to_read(part, O_NOFOLLOW);
  if (!opened.is_open()) return;
  try {
    const auto found = stream::Ledger::find(opened.number(), part);
    if (found) shares_before = found->facts().shares;
  } catch (const Error&) {  // `begin_part` reports its fault
    return;
  }
}

stream::Shares Hdf5Sink::Opened::shares_of(const FeaturesShape& shape) const {
  const std::int64_t row_bytes = shape.channels * shape.bases * size_of(shape.type);
  // NOLINTNEXTLINE(bugprone-unchecked-optional-access): only for parts
  return shares_before.value_or(stream::Shares::of(shape.rows, row_bytes, options.part->of));
}

/// Whether the series is read from this file.
bool Hdf5Sink::Opened::is_input(const std::string& name) const {
  if (description.series.name.empty()) return false;
  std::error_code status;
  return std::filesystem::equivalent(parse_file_path(description.series.name).file, name, status);
}

/// The names of facts about FILE itself if it is one of the inputs: appending to it has changed
/// them. A design adds a number to such names, and may have the same facts of other files.
std::vector<std::string> Hdf5Sink::Opened::names_of_own_change(const std::string& name_of_file,
                                                               const Fingerprint& wanted) const {
  std::vector<std::string> names =
      stream::fingerprint_names(name_of_file, description.series.files);
  if (names.empty()) return names;
  const Fingerprint now = fingerprint_of_file(name_of_file);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string of_input = names[i] + " of input ";
    for (const auto& [name, value] : wanted) {
      if (name.starts_with(of_input) && value == now[i].second) names.push_back(name);
    }
  }
  return names;
}

bool Hdf5Sink::Opened::is_there(const h5::OutputFile& of) const {
  const FilePath& path = of.path();
  if (!stream::file_exists(path.file)) return false;
  const bool may_replace = options.output.existing == Existing::replace;
  try {
    const h5::Call call;
    const h5::SourceFile opened = h5::open_file(path.file, path.links);
    if (!h5::exists(opened, path.dataset)) {
      if (options.output.existing == Existing::refuse) of.require_free();
      return false;
    }
    const h5::Dataset dataset = h5::open_dataset(opened, path);
    Fingerprint found =
        h5::fingerprint_from(h5::read_text(dataset.id(), "fingerprint").value_or(""));
    if (found.empty()) {
      of.require_free();
      throw FileError(to_string(path), "this is an existing dataset",
                      "Give a name that the file does not hold");
    }
    Fingerprint wanted = fingerprint_of_datasets();
    const auto leave_out = [&](const std::string& left_out) {
      const auto is_it = [&](const auto& item) { return item.first == left_out; };
      std::erase_if(found, is_it);
      std::erase_if(wanted, is_it);
    };
    if (!options.chunk) leave_out("chunk");  // depends on the budget
    if (is_input(path.file)) {               // appending to it has changed it
      leave_out("input bytes");
      leave_out("input changed");
    }
    for (const std::string& name : names_of_own_change(path.file, wanted)) leave_out(name);
    h5::require_same(to_string(path), found, wanted, "Give a new name for the output");
    return true;
  } catch (const Error&) {
    if (!may_replace) throw;
    return false;
  }
}

Block Hdf5Sink::Opened::everything() const { return stream::everything_in(description.shape); }

// One of the two tables exists after a sink has begun, and so does the checkpoint if they use it.
// The check cannot see this through members. NOLINTBEGIN(bugprone-unchecked-optional-access)

std::int64_t Hdf5Sink::Opened::table_bytes() const {
  return chunks ? chunks->bytes() : sums->bytes();
}

/// The checksum of HDF5's own records, and of the original content of a file that is appended to.
std::optional<std::uint64_t> Hdf5Sink::Opened::frame(const stream::Checkpoint& of,
                                                     std::int64_t file_bytes) const {
  if (is_filtered()) return 0;  // none of them are taken over
  std::vector<Range> left_out = datasets.ranges_of_rows();
  left_out.push_back(of.range());
  // From this version on the superblock changes while a file is open, and has its own checksum.
  constexpr unsigned with_checksum = 2;
  constexpr std::int64_t superblock_bytes = 48;
  H5F_info2_t info{};
  h5::check(H5Fget_info2(file.file().id(), &info), file.failing());
  if (info.super.version >= with_checksum) left_out.push_back({0, superblock_bytes});
  return stream::frame_sum(file.descriptor(), file_bytes, std::move(left_out));
}

void Hdf5Sink::Opened::begin_anew() {
  const h5::Call call;
  file.open();
  advance = {.unwritten = {everything()}, .blocks = 0};
  const std::string text = h5::text_of(fingerprint_of_part());
  std::optional<std::int64_t> address;
  if (!description.fingerprint.empty()) {
    address = file.set_aside(stream::Checkpoint::bytes_for(text, table_bytes()));
  }
  if (address) {
    checkpoint = stream::Checkpoint::make(file.descriptor(), *address, file.failing(), text,
                                          table_bytes(), to_note());
  }
  datasets.create(file, description, options.output, h5::text_of(fingerprint_of_datasets()),
                  cache_bytes());
  if (!checkpoint) return;
  file.flush();
  const auto bytes = static_cast<std::int64_t>(std::filesystem::file_size(file.part()));
  checkpoint->confirm(bytes, stream::required_sum(frame(*checkpoint, bytes), file.failing()));
}

void Hdf5Sink::Opened::note(const Block& block, const void* values) {
  advance.unwritten = stream::without(advance.unwritten, block);
  ++advance.blocks;
  if (!checkpoint) return;
  if (chunks) {
    chunks->note({datasets.features(), file.failing(), file.descriptor(), *checkpoint}, block,
                 advance.unwritten, advance.blocks);
  } else {
    sums->add(block, values, advance.blocks, *checkpoint);
  }
  save();
}

/// The unwritten boxes, as far as they fit in a slot. If there are too many, fewer boxes cover
/// them, and their contents are computed again. Filtered chunks are recorded in the table instead.
stream::Advance Hdf5Sink::Opened::to_note() const {
  stream::Advance result{.unwritten = {}, .blocks = advance.blocks};
  if (sums) {
    result.unwritten = stream::covered_by_few(
        advance.unwritten, everything(), sums->cells().step().rows, stream::Checkpoint::most_boxes);
  }
  return result;
}

void Hdf5Sink::Opened::save() {
  const stream::Advance next = to_note();
  const auto now = Clock::now();
  if (now - on_disk < stream::time_to_disk) {
    checkpoint->save(next);
  } else {
    has_name_on_disk = has_name_on_disk || stream::sync_name(file.path().file);
    checkpoint->save_to_disk(next);
    on_disk = Clock::now();
  }
  noted = next;
}

void Hdf5Sink::Opened::note_end() {
  if (!checkpoint) return;
  if (has_part_file()) {
    const auto sum = stream::sum_of_ranges(file.descriptor(), coordinates);
    checkpoint->confirm(checkpoint->file_bytes(), stream::required_sum(sum, file.failing()));
  }
  checkpoint->save_to_disk(noted);
}

void Hdf5Sink::Opened::drop() noexcept {
  datasets.drop();
  // A part file is always resumed. After an input changed, nothing records which rows came from the
  // old one.
  const bool is_doubtful =
      has_part_file() && std::current_exception() && stream::is_of_changed_input();
  const bool is_kept = checkpoint && noted.blocks > 0 && !is_doubtful &&
                       (options.unfinished == Unfinished::keep || options.part);
  if (!is_kept) return file.abandon();
  try {
    stream::sync_name(file.path().file);
    checkpoint->save_to_disk(noted);
  } catch (...) {  // a full disk: the state saved before stays
    checkpoint.reset();
  }
  file.keep_part();
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace synelix
