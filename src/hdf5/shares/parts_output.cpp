// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/shares/parts_output.hpp"

#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"
#include "streams/boxes.hpp"
#include "streams/input_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <exception>
#include <utility>

namespace synelix::stream {
namespace {

std::string host_name() {
  std::array<char, 256> name = {};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

/// The message of the current exception.
std::string current_reason() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) return "it was ended";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

}  // namespace

PartsOutput::PartsOutput(h5::OutputFile& file, Hdf5OutputOptions options, OutputPart part)
    : m_file(file), m_options(std::move(options)), m_part(part) {}

std::int64_t PartsOutput::memory_of(const Shares& shares, const OutputPart& part) {
  constexpr std::int64_t of_boxes = 3 * sizeof(Block) + 32;
  constexpr std::int64_t of_texts = 192;  // of a description: name of a host, reason of a failure
  constexpr std::int64_t of_share = sizeof(Share) + of_boxes;
  constexpr std::int64_t of_description = sizeof(ShareDescription) + of_texts;
  return shares.shares_of(part).size() * of_share + shares.count * of_description;
}

std::string PartsOutput::name() const { return m_file.path().file + ".part"; }

std::int64_t PartsOutput::value_bytes() const { return size_of(m_wanted.description.shape.type); }

Unwritten PartsOutput::unwritten() const {
  Unwritten result;
  const FeaturesShape& shape = m_wanted.description.shape;
  std::int64_t values = 0;
  for (const Share& share : m_mine) {
    values += share.all.rows.size();
    for (const Block& box : share.state.unwritten) {
      // Blocks may cross the borders of consecutive shares.
      const bool has_all = box.channels.size() == shape.channels && box.bases.size() == shape.bases;
      if (has_all && !result.boxes.empty() && result.boxes.back().rows.end == box.rows.begin &&
          result.boxes.back().channels.size() == shape.channels &&
          result.boxes.back().bases.size() == shape.bases) {
        result.boxes.back().rows.end = box.rows.end;
      } else {
        result.boxes.push_back(box);
      }
    }
  }
  values *= shape.channels * shape.bases;
  for (const Block& box : result.boxes) values -= values_in(box);
  const BlockShape& block = m_wanted.description.block;
  const std::int64_t of_block =
      std::max<std::int64_t>(block.rows * block.channels * block.bases, 1);
  result.blocks_before = (values + of_block - 1) / of_block;
  return result;
}

// The ledger exists once a part has begun, which the check cannot see through members.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

bool PartsOutput::put_times(Range rows, Times which) const {
  constexpr std::int64_t bytes = 8;
  std::vector<std::byte> found;
  bool has_written = false;
  h5::for_each_times(m_wanted.description, rows, [&](Range part, const void* times) {
    const auto size = static_cast<std::size_t>(part.size() * bytes);
    const std::int64_t address = m_ledger->facts().times_at + part.begin * bytes;
    if (which == Times::where_wrong) {
      found.resize(size);
      if (read_at(m_joined.descriptor(), address, found.data(), size) &&
          std::memcmp(found.data(), times, size) == 0) {
        return;
      }
    }
    write_at(m_joined.descriptor(), address, times, size, name());
    has_written = true;
  });
  return has_written;
}

void PartsOutput::write(const Block& block, const void* values) {
  m_joined.require_whole();
  const FeaturesShape& shape = m_wanted.description.shape;
  const auto* const bytes = static_cast<const std::byte*>(values);
  const std::int64_t value = value_bytes();
  for_each_run(block, everything_in(shape), block,
               [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                 write_at(m_joined.descriptor(), m_ledger->facts().values_at + to * value,
                          bytes + from * value, static_cast<std::size_t>(count * value), name());
               });
  const bool is_design = shape.channel_extents.empty();
  if ((is_design || block.channels.begin == 0) && block.bases.begin == 0)
    put_times(block.rows, Times::all);
  for (Share& share : m_mine) {
    const Block part = common(share.all, block);
    if (is_empty(part)) continue;
    share.state.unwritten = without(share.state.unwritten, part);
    share.is_written = true;
    ++share.state.blocks;
    const std::int64_t words = value / 4;
    for_each_run(part, everything_in(shape), block,
                 [&](std::int64_t to, std::int64_t from, std::int64_t count) {
                   share.state.sum += value_sum(bytes + from * value, count * words,
                                                static_cast<std::uint64_t>(to * words));
                 });
    note(share);
  }
  if (Clock::now() - m_on_disk >= time_to_disk || !m_ledger->knows_kernel()) note_on_disk();
}

/// Does not save a state that does not fit in a slot. The state saved before is still valid, since
/// values are only added.
void PartsOutput::note(Share& share) {
  share.is_noted = false;
  if (!Ledger::has_room(share.state)) return;
  if (m_ledger->knows_kernel()) m_ledger->save(share.number, share.state, false);
}

void PartsOutput::note_on_disk() {
  try {
    sync_data(m_joined.descriptor(), name());
  } catch (...) {
    m_has_lost = true;  // the system reports the loss once, and shows the lost values until it
                        // needs the memory
    throw;
  }
  for (Share& share : m_mine) {
    if (share.is_noted || !Ledger::has_room(share.state)) continue;
    m_ledger->save(share.number, share.state, true);
    share.is_noted = true;
  }
  sync_data(m_joined.descriptor(), name());
  m_on_disk = Clock::now();
}

/// Records that doubtful shares are not written at all, so that they are computed again.
void PartsOutput::forget(bool (*is_doubtful)(const Share&)) noexcept {
  for (Share& share : m_mine) {
    if (share.is_finished || !is_doubtful(share)) continue;
    share.state = nothing_of(share.all);
    share.is_noted = true;
    try {
      m_ledger->save(share.number, share.state, true);
    } catch (...) {  // for example no space: the status of the share still says that it failed
      share.is_noted = false;
    }
  }
  try {
    sync_data(m_joined.descriptor(), name());
  } catch (...) {  // as above; these rows are checked again before any are written
    m_has_lost = true;
  }
}

ShareStatus PartsOutput::status_of_this(Ending ending, const std::string& failure) {
  return {.ending = ending,
          .host = host_name(),
          .process = getpid(),
          .seconds = static_cast<std::int64_t>(std::time(nullptr)),
          .failure = failure};
}

void PartsOutput::write_status(Ending ending, const std::string& failure) {
  const ShareStatus status = status_of_this(ending, failure);
  for (const Share& share : m_mine) {
    if (!share.is_finished) m_ledger->write_status(share.number, status);
  }
}

/// Writes the status, which informs others but affects no decision.
void PartsOutput::try_to_write_status(Ending ending, const std::string& failure) noexcept {
  try {
    write_status(ending, failure);
    // For example a full disk: the share is not finished, and its slots have its progress.
  } catch (...) {  // NOLINT(bugprone-empty-catch)
  }
}

void PartsOutput::finish() {
  note_on_disk();
  write_status(Ending::finished);
  sync_data(m_joined.descriptor(), name());
  m_has_ended = true;
  // A later process sees this status and that this process has no share any more. So the last of
  // all processes sees that everything is written.
  m_ledger->unlock(numbers());
  m_ledger->lock_name();
  if (is_published()) return m_joined.close();  // another process was the last
  m_joined.require_whole();
  const Range all{0, m_ledger->facts().shares.count};
  const auto is_not_done = [](const ShareDescription& share) {
    return !share.is_whole || share.is_being_written;
  };
  for (;;) {
    // A share that another process writes or checks may change. That process checks here later.
    if (m_ledger->lock(all)) {
      if (m_ledger->complete_since() || are_all_finished()) return publish();
      m_ledger->unlock(all);
    }
    m_missing = described(*m_ledger, name());
    const auto& shares = m_missing->shares;
    if (std::any_of(shares.begin(), shares.end(), is_not_done)) break;
    m_missing.reset();  // the shares that were missing at the check are written now
  }
  m_ledger->unlock_name();  // others wait for it
  m_joined.close();
}

/// Whether another process has given the file its final name. A file server may show the old name
/// for a while.
bool PartsOutput::is_published() const {
  if (m_ledger->complete_since()) return !m_joined.is_named() || !m_joined.is_marked();
  return !m_joined.is_named() && m_joined.is_output();
}

bool PartsOutput::are_all_finished() const {
  const std::int64_t shares = m_ledger->facts().shares.count;
  std::int64_t number = 0;
  while (number < shares && m_ledger->is_finished(number)) ++number;
  return number == shares;
}

/// Compares the data of other processes with their checksums, while it has all shares. Data that do
/// not match are recorded as not written before the error is thrown, so their process computes them
/// again.
void PartsOutput::require_sound_shares() {
  std::string damaged;
  const std::int64_t count = m_ledger->facts().shares.count;
  for (std::int64_t number = 0; number < count; ++number) {
    if (number >= numbers().begin && number < numbers().end) continue;
    const Range rows = m_ledger->rows_of(number).rows;
    Share share{.number = number, .all = m_ledger->rows_of(number), .state = {}};
    share.state = m_ledger->load(number, Ledger::Trust::reliable);
    if (is_sound(share)) continue;
    damaged += (damaged.empty() ? "" : ", ") + rows_text(rows);
    m_ledger->write_status(number,
                           status_of_this(Ending::failed, "its rows do not match their checksum"));
    m_ledger->save(number, nothing_of(share.all), true);
  }
  if (damaged.empty()) return;
  sync_data(m_joined.descriptor(), name());
  throw FileError(name(), "rows " + damaged + " of other parts do not match their checksums",
                  "Run the parts again, which compute these rows alone; --part 0/1 does so in one "
                  "process");
}

/// Gives the file its final name, with the right to do so and all shares locked. Times that others
/// wrote have no checksum, so they are compared. The completion is on the disk before the rename,
/// so a process that still sees the old name knows.
void PartsOutput::publish() {
  if (!m_ledger->complete_since()) {
    require_sound_shares();
    if (put_times({0, m_wanted.description.shape.rows}, Times::where_wrong)) {
      sync_data(m_joined.descriptor(), name());
    }
    m_ledger->mark_complete(static_cast<std::int64_t>(std::time(nullptr)));
    sync_data(m_joined.descriptor(), name());
  }
  m_joined.publish(m_options.existing == Existing::replace);
}

void PartsOutput::abandon() noexcept {
  if (m_ledger && m_joined.is_open() && !m_has_ended) {
    try {
      if (std::current_exception() && is_of_changed_input())
        forget([](const Share& share) { return share.is_written; });
      try_to_write_status(Ending::failed, current_reason());
      if (m_has_lost) {
        forget([](const Share& share) { return !share.is_noted; });
      } else {
        note_on_disk();
      }
    } catch (...) {  // the state saved before stays
      m_missing.reset();
    }
  }
  m_joined.close();
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace synelix::stream

namespace synelix {
namespace {

/// Rows that are in no box.
std::int64_t rows_apart_from(const std::vector<Block>& boxes, Range rows) {
  std::vector<Range> touched;
  touched.reserve(boxes.size());
  for (const Block& box : boxes) touched.push_back(box.rows);
  std::sort(touched.begin(), touched.end(), [](Range a, Range b) { return a.begin < b.begin; });
  std::int64_t apart = 0;
  std::int64_t at = rows.begin;
  for (const Range& range : touched) {
    apart += std::max<std::int64_t>(std::min(range.begin, rows.end) - at, 0);
    at = std::max(at, range.end);
  }
  return apart + std::max<std::int64_t>(rows.end - at, 0);
}

}  // namespace

PartsDescription stream::described(const Ledger& ledger, const std::string& file) {
  const Shares& shares = ledger.facts().shares;
  PartsDescription result{.file = file, .rows = shares.rows};
  result.shares.reserve(static_cast<std::size_t>(shares.count));
  for (std::int64_t number = 0; number < shares.count; ++number) {
    const Range rows = shares.rows_of(number);
    const ShareState newest = ledger.load(number, Ledger::Trust::newest);
    ShareStatus status = ledger.status(number);
    ShareDescription& share = result.shares.emplace_back();
    share.rows = rows;
    share.rows_written = rows_apart_from(newest.unwritten, rows);
    share.is_whole = ledger.is_finished(number);
    share.is_being_written = ledger.is_locked(number);
    result.rows_written += share.rows_written;
    // A process that checks a complete share does not write a status: the status is from an earlier
    // process.
    if (share.is_being_written && status.ending != Ending::running) continue;
    share.host = std::move(status.host);
    share.process = status.process;
    share.seconds = status.seconds;
    share.failure = std::move(status.failure);
  }
  return result;
}

std::optional<PartsDescription> describe_parts(const std::string& file) {
  const stream::Descriptor opened = stream::opened_to_read(file);
  struct stat state = {};
  if (!opened.is_open() || fstat(opened.number(), &state) != 0 || !S_ISREG(state.st_mode)) {
    return std::nullopt;
  }
  const auto ledger = stream::Ledger::find(opened.number(), file);
  if (!ledger) return std::nullopt;
  return stream::described(*ledger, file);
}

}  // namespace synelix
