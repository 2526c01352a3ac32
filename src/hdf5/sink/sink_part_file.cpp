// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One part of a filtered output, in its own file. `join_parts` makes the output from these files.
// It is written and resumed like an output of one process with only these rows.
#include "hdf5/sink/sink_part.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"
#include "streams/input_files.hpp"

#include <synelix/types/join_parts.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <fcntl.h>

namespace synelix {
namespace {

FilePath written_path(const FilePath& output, const OutputPart& part, bool has_part_file) {
  if (!has_part_file) return output;
  return {part_file_name(output.file, part), output.dataset};
}

/// The facts of an existing part; nothing if the file has none, or is being made.
std::optional<stream::PartFacts> facts_in(const std::string& name) {
  const auto text = stream::checkpoint_text(name);
  return text ? stream::part_facts(*text) : std::nullopt;
}

}  // namespace

Hdf5Sink::Opened::Opened(FilePath path, Hdf5SinkOptions given)
    : options(std::move(given)),
      output(has_part_file() ? FilePath{h5::behind_link(path.file), path.dataset}
                             : std::move(path)),
      this_part(options.part.value_or(OutputPart())),
      file(written_path(output, this_part, has_part_file()),
           has_part_file() ? Existing::refuse : options.output.existing, options.start) {
  // The output itself must meet the same rules, though it is made later.
  if (has_part_file()) {
    const h5::OutputFile checked(output, options.output.existing, options.start);
  }
}

void Hdf5Sink::Opened::describe(const FeaturesDescription& wanted, Range of_file) {
  description = wanted;
  all = wanted.shape;
  chunk_wanted = wanted.chunk;
  rows = of_file;
  description.shape.rows = rows.size();
  description.chunk.rows =
      std::clamp<std::int64_t>(wanted.chunk.rows, 1, std::max<std::int64_t>(all.rows, 1));
  if (rows.begin == 0) return;
  description.samples_of_rows = [samples = wanted.samples_of_rows, first = rows.begin](
                                    Range part, std::int64_t* to) {
    samples({first + part.begin, first + part.end}, to);
  };
}

void Hdf5Sink::Opened::begin_part_file() {
  const h5::OutputFile whole(output, options.output.existing, Start::resume);
  if (options.output.existing == Existing::replace) {
    stream::require_apart(output.file, description.series.files, "Give another file");
  }
  is_finished = is_there(whole);
  if (is_finished) return;
  FeaturesDescription wanted = description;
  wanted.chunk = chunk_wanted;
  describe(wanted, stream::rows_of_part(all.rows, description.chunk.rows, this_part));
  require_same_run(whole);
  chunks.emplace(description.shape, description.chunk);
  const std::string name = stream::text_of(this_part);
  options.output.attributes.emplace_back("part", name);
  options.output.attributes.emplace_back("part_first_row", rows.begin);
  options.output.attributes.emplace_back("part_of_rows", all.rows);
  blocks_before = 0;
  is_part_finished = is_part_there();
  if (is_part_finished) {
    const BlockShape& block = description.block;
    blocks_before = (rows.size() + block.rows - 1) / std::max<std::int64_t>(block.rows, 1);
    return file.remove_second_name();
  }
  if (!resume()) begin_anew();
}

/// Whether the file of this part is finished. \throws Error if it is of another run
bool Hdf5Sink::Opened::is_part_there() const {
  const std::string& name = file.path().file;
  if (!stream::file_exists(name)) return false;
  const auto found = facts_in(name);
  if (!found) {
    throw FileError(name, "this is an existing file, and not the file of a part",
                    "Rename or remove it, or give another name for the output");
  }
  Fingerprint there = found->run;
  stream::add_part(there, found->part, found->rows);
  h5::require_same(name, there, fingerprint_of_part(), remedy());
  return true;
}

/// Throws if existing parts of the output are incompatible with this one.
void Hdf5Sink::Opened::require_same_run(const h5::OutputFile& whole) const {
  const std::string in_place = whole.path().file + ".part";
  const stream::Descriptor opened = stream::opened_to_read(in_place, O_NOFOLLOW);
  if (opened.is_open() && stream::Ledger::find(opened.number(), in_place)) {
    throw FileError(in_place, "parts without a filter write this file",
                    "Leave the filter out to go on with it; or remove this file to begin anew");
  }
  const std::vector<stream::NamedPart> others = stream::named_parts(output.file);
  for (const stream::NamedPart& other : others) {
    if (other.part.of == this_part.of) continue;
    throw FileError(other.name,
                    "this is part " + stream::text_of(other.part) + " of the output, and part " +
                        stream::text_of(this_part) + " has other rows",
                    "Give parts of " + std::to_string(other.part.of) +
                        "; or remove the part files of this output to begin anew");
  }
  for (const stream::NamedPart& other : others) {
    const auto found = facts_in(other.name);
    if (!found || other.part.number == this_part.number) continue;
    Fingerprint wanted = fingerprint_of_part();
    std::erase_if(wanted, [](const auto& item) {
      return item.first == "part" || item.first == "rows of the part";
    });
    h5::require_same(other.name, found->run, wanted,
                     "Remove the part files of this output to begin anew, or give another name for "
                     "the output");
    return;  // one is enough: it was compared with the others when it was made
  }
}

PartsDescription Hdf5Sink::Opened::described_part_files() const {
  std::map<std::int64_t, stream::NamedPart> there;
  for (const stream::NamedPart& part : stream::named_parts(output.file)) {
    if (part.part.of == this_part.of) there.emplace(part.part.number, part);
  }
  PartsDescription result{.file = output.file, .rows = all.rows};
  for (std::int64_t number = 0; number < this_part.of; ++number) {
    ShareDescription& share = result.shares.emplace_back();
    share.rows = stream::rows_of_part(all.rows, description.chunk.rows, {number, this_part.of});
    const auto found = there.find(number);
    if (found == there.end()) continue;
    share.is_whole = found->second.is_finished;
    share.is_being_written = !share.is_whole && stream::is_being_written(found->second.name);
    share.rows_written = share.is_whole ? share.rows.size() : 0;
    result.rows_written += share.rows_written;
  }
  return result;
}

}  // namespace synelix
