// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a sink resumes the FILE.part of another run: valid data are taken over, and the rest is
// computed again.
#include "hdf5/sink/sink_part.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"

#include <algorithm>
#include <filesystem>

namespace synelix {
namespace {

/// The most boxes at the beginning of a run. In the order of a stream, a block splits a box into at
/// most three, so they always fit in a slot.
constexpr std::size_t boxes_at_start = stream::Checkpoint::most_boxes / 2;
/// The most boxes that cells are merged to, before they are reduced to the number above. The check
/// of a file also needs a bit for each cell (32 KiB for features of 16 GiB) and the values of one
/// cell. All of it is freed before the buffers of the stream are allocated.
constexpr std::size_t boxes_at_most = 4096;

/// Whether a run ended while it made FILE.part: HDF5's records and blocks are missing.
bool is_begun_only(stream::Checkpoint& found) {
  if (found.frame()) return false;
  try {
    const auto last = found.load();
    return !last || last->blocks == 0;
  } catch (const Error&) {
    return true;
  }
}

}  // namespace

std::string Hdf5Sink::Opened::remedy() const {
  if (has_part_file()) return "Remove this file to begin this part anew";
  return "Start a run without resume, which begins anew and replaces this file";
}

/// The checkpoint of FILE.part, which is open; nothing if no block can have been written.
std::optional<stream::Checkpoint> Hdf5Sink::Opened::find_checkpoint() {
  const std::string part = file.path().file + ".part";
  std::optional<stream::Checkpoint> found =
      stream::Checkpoint::find(file.descriptor(), search_from(), part);
  if (!found) {
    const bool appends = options.output.existing == Existing::append;
    if (stream::holds_nothing_yet(file.descriptor(), appends ? file.path().file : "")) {
      return std::nullopt;
    }
    stream::Ledger::refuse(file.descriptor(), part);
    throw FileError(part, "this is a file without a checkpoint that can be read", remedy());
  }
  if (is_begun_only(*found)) return std::nullopt;
  h5::require_same(part, h5::fingerprint_from(found->text()), fingerprint_of_part(), remedy());
  if (!found->frame()) {
    throw FileError(part, "its damaged checkpoint has blocks but no checksum of HDF5's records",
                    remedy());
  }
  return found;
}

bool Hdf5Sink::Opened::resume() {
  if (!file.take()) return false;
  try {
    std::optional<stream::Checkpoint> found = find_checkpoint();
    if (!found) return false;
    const std::optional<stream::Advance> last = found->load();
    if (!last) {
      warn(file.path().file +
           ".part: nothing of it had reached the disk when the machine stopped, so all of it is "
           "computed again");
      return false;
    }
    advance = *last;
    if (is_filtered()) {
      const h5::ChunkTable::Found before = sound_chunks(*found);
      rebuild(*found, before);
    } else {
      go_on(*found);
    }
  } catch (...) {
    datasets.drop();
    checkpoint.reset();
    // Removes the file beside FILE.part; FILE.part itself stays, whichever of the two is open.
    if (file.part().ends_with(".part.new")) {
      file.abandon();
    } else {
      file.keep_part();
    }
    throw;
  }
  return true;
}

void Hdf5Sink::Opened::warn_of(const std::vector<Block>& damaged, std::int64_t number,
                               std::int64_t of) const {
  if (number == 0) return;
  constexpr std::size_t most = 4;
  std::string rows_text;
  for (std::size_t i = 0; i < std::min(damaged.size(), most); ++i) {
    const Range range = damaged[i].rows;
    rows_text += (i == 0 ? "" : ", ") +
                 stream::rows_text({rows.begin + range.begin, rows.begin + range.end});
  }
  if (damaged.size() > most) rows_text += ", and others";
  warn(file.path().file + ".part: " + std::to_string(number) + " of " + std::to_string(of) +
       " parts do not match their checksums (rows " + rows_text + "), so they are computed again");
}

/// Sets the boxes that this run writes. Blocks of this run are counted as if it had written the
/// earlier ones, too.
void Hdf5Sink::Opened::set_unwritten(std::vector<Block> boxes) {
  advance.unwritten = std::move(boxes);
  const BlockShape& block = description.block;
  const std::int64_t values = std::max<std::int64_t>(block.rows * block.channels * block.bases, 1);
  std::int64_t there = stream::values_in(everything());
  for (const Block& box : advance.unwritten) there -= stream::values_in(box);
  blocks_before = is_filtered() ? (there + values - 1) / values : there > 0 ? advance.blocks : 0;
}

// One of the two tables exists after a sink has begun, and so does the checkpoint if they use it.
// The check cannot see this through members. NOLINTBEGIN(bugprone-unchecked-optional-access)

/// Resumes a file with unfiltered chunks, which stay where they are.
void Hdf5Sink::Opened::go_on(stream::Checkpoint& found) {
  const h5::Call call;
  const std::string part = file.path().file + ".part";
  std::optional<std::uint64_t> sum;
  try {
    found.restore_length();
    file.open_taken();
    datasets.open(file, description);
    sum = frame(found, found.file_bytes());
  } catch (const Error& error) {
    std::string reason = error.what();
    if (reason.ends_with('.')) reason.pop_back();
    throw FileError(part, "this file cannot be opened to go on with: " + reason, remedy());
  }
  if (sum != found.frame()) {
    throw FileError(part,
                    "it is damaged outside of the features: HDF5's own records do not match their "
                    "checksum",
                    remedy());
  }
  const stream::Cells& cells = sums->cells();
  const std::vector<bool> holds =
      sums->verify(advance, found, [&](const Block& cell, void* to) { datasets.read(cell, to); });
  const stream::Cells::LeftOut damaged = cells.left_out(holds, boxes_at_most);
  warn_of(damaged.boxes, std::count(holds.begin(), holds.end(), false), cells.count());
  std::vector<Block> unwritten = advance.unwritten;
  for (const Block& box : damaged.boxes) unwritten = stream::without(unwritten, box);
  unwritten.insert(unwritten.end(), damaged.boxes.begin(), damaged.boxes.end());
  const std::vector<Block> few =
      stream::covered_by_few(unwritten, everything(), cells.step().rows, boxes_at_start);
  // `clear` resets each cell that intersects a box. A box that was unwritten before may end inside
  // a cell, whose other values and their sum must stay. Boxes that are cleared end at cell borders.
  if (few.size() != unwritten.size()) {
    sums->clear(few, found);
  } else if (!damaged.is_exact) {
    sums->clear(damaged.boxes, found);
  }
  set_unwritten(few);
  datasets.write_times({0, description.shape.rows});
  checkpoint = std::move(found);
  noted = to_note();
  checkpoint->save(noted);
}

/// \throws Error if a disk has no space for `bytes` beside FILE.part.
void Hdf5Sink::Opened::require_room(std::int64_t bytes, const std::string& part) const {
  std::error_code status;
  const auto space = std::filesystem::space(stream::folder_of(file.path().file), status);
  if (status || space.available >= static_cast<std::uintmax_t>(bytes)) return;
  throw FileError(
      part,
      "its disk has " + std::to_string(space.available) +
          " bytes free, but compressed chunks are copied to a new file before this one goes",
      "Free disk space, at least " + std::to_string(bytes) + " bytes. Else: " + remedy());
}

/// The chunks of FILE.part to take over; `advance` lists everything else.
h5::ChunkTable::Found Hdf5Sink::Opened::sound_chunks(const stream::Checkpoint& found) {
  const std::string part = file.path().file + ".part";
  const stream::Cells& cells = chunks->cells();
  h5::ChunkTable::Found before = chunks->verify(file.descriptor(), advance, found);
  warn_of(cells.left_out(before.undamaged, boxes_at_most).boxes, before.damaged, cells.count());
  const auto [unwritten, is_exact] = cells.left_out(before.cells, boxes_at_most);
  const std::vector<Block> few =
      stream::covered_by_few(unwritten, everything(), cells.step().rows, boxes_at_start);
  if (few.size() != unwritten.size() || !is_exact) {
    for (const Block& box : few) {
      cells.visit_touched(
          box, [&](std::int64_t cell) { before.cells[static_cast<std::size_t>(cell)] = false; });
    }
  }
  const std::int64_t table = stream::Checkpoint::bytes_for(found.text(), table_bytes());
  require_room(before.bytes + table + search_from(), part);
  set_unwritten(few);
  return before;
}

/// HDF5 changes its records of a file whenever a filtered chunk is written. So only the chunks of a
/// killed run are taken over, and they are copied to a new file.
void Hdf5Sink::Opened::rebuild(const stream::Checkpoint& found,
                               const h5::ChunkTable::Found& before) {
  const h5::Call call;
  const stream::Descriptor taken = file.open_anew();
  const std::string text = h5::text_of(fingerprint_of_part());
  const auto address = file.set_aside(stream::Checkpoint::bytes_for(text, table_bytes()));
  if (!address) {
    throw FileError(
        file.failing() +
        ": it has no space for a checkpoint. Start a run without resume, which begins anew.");
  }
  datasets.create(file, description, options.output, h5::text_of(fingerprint_of_datasets()),
                  cache_bytes());
  const h5::Dataset& features = datasets.features();
  chunks->restore(taken.number(), found, before.cells, features, file.failing());
  datasets.write_times({0, description.shape.rows});
  file.flush();
  noted = to_note();
  checkpoint = stream::Checkpoint::make(file.descriptor(), *address, file.failing(), text,
                                        table_bytes(), noted);
  chunks->note_all({features, file.failing(), file.descriptor(), *checkpoint}, before.cells,
                   advance.blocks);
  checkpoint->confirm(0, 0);
  // Everything is on the disk before it may replace an existing file.
  checkpoint->save_to_disk(noted);
  file.settle();
  stream::sync_name(file.path().file);
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace synelix
