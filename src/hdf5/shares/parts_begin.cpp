// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The beginning of a part: one process makes FILE.part and the others join it, and valid data of a
// part that was begun before are taken over.
#include "hdf5/shares/parts_output.hpp"
#include "part_files/descriptor.hpp"
#include "part_files/records.hpp"
#include "streams/boxes.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace synelix::stream {
namespace {

constexpr const char* parts_anew =
    "Remove this file to begin the parts anew, or give another name for the output";

std::int64_t file_bytes_of(int descriptor, const std::string& name) {
  if (const auto now = state_of(descriptor)) return static_cast<std::int64_t>(now->st_size);
  throw FileError(name + ": its length cannot be found: " + std::strerror(errno));
}

/// The ranges of the file with the values and the times of all rows.
Range values_of(const LedgerFacts& facts, const FeaturesShape& shape) {
  return {facts.values_at, facts.values_at + shape.bytes()};
}
Range times_of(const LedgerFacts& facts, const FeaturesShape& shape) {
  return {facts.times_at, facts.times_at + shape.rows * 8};
}

std::int64_t address_of(const h5::Dataset& dataset) {
  const haddr_t address = H5Dget_offset(dataset.id());
  return address == HADDR_UNDEF ? 0 : static_cast<std::int64_t>(address);  // without rows
}

}  // namespace

// The ledger exists after FILE.part was joined, which the check cannot see through members.
// NOLINTBEGIN(bugprone-unchecked-optional-access)

bool PartsOutput::begin(Wanted wanted) {
  m_wanted = std::move(wanted);
  m_on_disk = Clock::now();
  for (;;) {
    if (m_wanted.is_there()) {
      m_file.remove_second_name();
      return false;
    }
    switch (join()) {
      case Joined::yes:
        return true;
      case Joined::whole:
        return false;
      case Joined::again:
        break;
    }
    make();
  }
}

Range PartsOutput::numbers() const { return m_ledger->facts().shares.shares_of(m_part); }

/// Whether another process is making FILE.part, or has made it. Waits a moment. The process may
/// rename its file, or end, between two checks, so the file has to be missing several times in a
/// row.
bool PartsOutput::wait_for_maker() {
  constexpr int most_missed = 5;
  if (file_exists(name())) return true;
  const bool is_making = is_being_written(name() + ".new");
  m_makers_missed = is_making ? 0 : m_makers_missed + 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return m_makers_missed < most_missed;
}

/// Makes FILE.part.new, which only one process at a time has locked, and renames it to FILE.part
/// when it is complete.
void PartsOutput::make() {
  if (access(name().c_str(), F_OK) == 0) return;
  const h5::Call call;
  const FeaturesDescription& description = m_wanted.description;
  const FeaturesShape& shape = description.shape;
  try {
    m_file.align(mebibytes(1));
    [[maybe_unused]] const Descriptor none = m_file.open_anew();
  } catch (const FileError&) {
    m_file.abandon();  // removes the file if this process had the lock and failed
    if (wait_for_maker()) return;
    throw;
  }
  // FILE.part was made before this process got the lock, or FILE is even finished.
  if (access(name().c_str(), F_OK) == 0 || m_wanted.is_there()) return m_file.abandon();
  const std::int64_t row_bytes = shape.channels * shape.bases * value_bytes();
  LedgerFacts facts{{.channels = shape.channels,
                     .bases = shape.bases,
                     .shares = Shares::of(shape.rows, row_bytes, m_part.of)},
                    h5::text_of(m_wanted.of_part)};
  const auto address = m_file.set_aside(Ledger::bytes_for(facts.text, facts.shares));
  if (!address) throw FileError(m_file.failing() + ": it has no space for a ledger.");
  h5::FeatureDatasets datasets;
  datasets.create(m_file, description, m_options, m_wanted.text_of_datasets, 0,
                  h5::Layout::contiguous);
  facts.values_at = address_of(datasets.features());
  facts.times_at = address_of(datasets.time());
  datasets.close_now();
  m_file.close_file();
  const int descriptor = m_file.descriptor();
  facts.file_bytes = file_bytes_of(descriptor, m_file.failing());
  // Reports a full disk before anything is computed, if the file system can reserve space.
  if (!reserve_space(descriptor, facts.file_bytes, m_file.failing())) {
    warn(name() +
         ": its file system cannot set disk space aside, so a disk that others fill meanwhile is "
         "noticed only when the rows are written");
  }
  const Ledger ledger = Ledger::make(descriptor, *address, m_file.failing(), facts);
  facts.frame =
      required_sum(frame_sum(descriptor, facts.file_bytes,
                             {ledger.range(), values_of(facts, shape), times_of(facts, shape)}),
                   m_file.failing());
  Ledger::make(descriptor, *address, m_file.failing(), facts);
  sync_data(descriptor, m_file.failing());
  // Other processes may lock shares as soon as the file has its name. The rest of the lock keeps
  // them from treating it as the file of a killed run.
  unlock_bytes(descriptor, ledger.records());
  if (!m_file.settle_where_free()) return m_file.abandon();
  sync_name(name());
  m_file.keep_part();
}

/// Whether the name leads to a file that has just got its final name. File servers show a removed
/// name for up to a minute. Much later, it is a finished output that a user has renamed.
bool PartsOutput::was_published_now() const {
  constexpr std::int64_t most_seconds = 120;
  try {
    const Descriptor opened = opened_to_read(name(), O_NOFOLLOW);
    if (!opened.is_open()) return false;
    const auto ledger = Ledger::find(opened.number(), name());
    const auto since = ledger ? ledger->complete_since() : std::nullopt;
    if (!since || ledger->facts().text != h5::text_of(m_wanted.of_part)) return false;
    return std::abs(static_cast<std::int64_t>(std::time(nullptr)) - *since) <= most_seconds;
  } catch (const Error&) {  // not ours
    return false;
  }
}

PartsOutput::Joined PartsOutput::join() {
  try {
    m_joined = PartFile(name(), m_file.path().file);
    if (!m_joined.join()) return Joined::again;
  } catch (const FileError&) {
    if (!was_published_now()) throw;
    if (!m_wanted.is_there()) {
      warn(m_file.path().file + " is whole, but this machine does not see its name yet");
    }
    return Joined::whole;
  }
  Joined joined = Joined::again;
  try {
    std::optional<Ledger> found = Ledger::find(m_joined.descriptor(), name());
    if (!found) {
      throw FileError(
          name(), "this is what a run without parts has left, or is writing",
          "Continue it without a part (--resume); or remove this file to begin parts_anew");
    }
    h5::require_same(name(), h5::fingerprint_from(found->facts().text), m_wanted.of_part,
                     parts_anew);
    m_ledger = std::move(found);
    if (m_ledger->complete_since()) {
      joined = publish_whole();
    } else if (has_sound_frame()) {
      joined = take_shares();
    }
  } catch (...) {
    m_ledger.reset();
    m_joined.close();
    throw;
  }
  if (joined == Joined::yes) return joined;
  m_ledger.reset();
  m_joined.close();
  return joined;
}

/// Completes the work of a process that was killed before it could give the file its final name.
/// Waits for such a process if it is still running.
PartsOutput::Joined PartsOutput::publish_whole() {
  m_ledger->lock_name();
  if (is_published()) return Joined::again;
  require_frame();
  publish();
  return Joined::whole;
}

/// False if the file gets its final name meanwhile, and loses its mark. \throws Error if it is
/// damaged
bool PartsOutput::has_sound_frame() const {
  try {
    require_frame();
  } catch (const FileError&) {
    if (m_ledger->complete_since() || !m_joined.is_named()) return false;
    throw;
  }
  return true;
}

void PartsOutput::require_frame() const {
  const LedgerFacts& facts = m_ledger->facts();
  const FeaturesShape& shape = m_wanted.description.shape;
  const Range values = values_of(facts, shape);
  const Range times = times_of(facts, shape);
  const bool is_inside = values.begin >= 0 && times.begin >= 0 && values.end <= facts.file_bytes &&
                         times.end <= facts.file_bytes && facts.shares.rows == shape.rows &&
                         facts.channels == shape.channels && facts.bases == shape.bases;
  const std::int64_t bytes = file_bytes_of(m_joined.descriptor(), name());
  if (bytes < facts.file_bytes) {
    throw FileError(name(),
                    "it was cut from " + std::to_string(facts.file_bytes) + " to " +
                        std::to_string(bytes) + " bytes",
                    parts_anew);
  }
  if (!is_inside || frame_sum(m_joined.descriptor(), facts.file_bytes,
                              {m_ledger->range(), values, times}) != facts.frame) {
    throw FileError(name(),
                    "it is damaged outside of the features: HDF5's own records do not match their "
                    "checksum",
                    parts_anew);
  }
}

/// Locks the shares of this part, and takes over their written data. State that was read before is
/// read again after locking.
PartsOutput::Joined PartsOutput::take_shares() {
  if (!lock_shares() || m_ledger->complete_since() || !m_joined.is_named()) return Joined::again;
  m_mine.clear();
  m_mine.reserve(static_cast<std::size_t>(numbers().size()));
  for (std::int64_t number = numbers().begin; number < numbers().end; ++number) {
    m_mine.push_back({.number = number, .all = m_ledger->rows_of(number), .state = {}});
    m_mine.back().is_finished = m_ledger->is_finished(number);
  }
  try_to_write_status(Ending::running);
  take_over_all();
  return Joined::yes;
}

/// False if the file gets its final name meanwhile. The process that gives it that name locks all
/// shares for a moment, but nobody can do so while another process has the right to the name.
bool PartsOutput::lock_shares() {
  if (m_ledger->lock(numbers())) return true;
  m_ledger->lock_name();
  const bool has_lock = m_ledger->lock(numbers());
  if (!has_lock && !m_ledger->complete_since() && m_joined.is_named()) refuse_share();
  m_ledger->unlock_name();
  return has_lock;
}

/// Reports which process has a share of this part. If a share was not running, its entry in the
/// ledger is from an earlier process.
void PartsOutput::refuse_share() const {
  std::int64_t number = numbers().begin;
  while (number + 1 < numbers().end && !m_ledger->is_locked(number)) ++number;
  const Range rows = m_ledger->rows_of(number).rows;
  const ShareStatus status = m_ledger->status(number);
  const bool is_running = status.ending == Ending::running && !status.host.empty();
  const std::string who = is_running ? "another process (host " + status.host + ", process " +
                                           std::to_string(status.process) + ") is writing rows "
                                     : "another process is checking rows ";
  throw FileError(name(),
                  who + rows_text(rows) + ", which belong to part " +
                      std::to_string(m_part.number) + "/" + std::to_string(m_part.of),
                  "Give each part to one process, or wait until that one has ended");
}

/// Records on the disk which damaged rows are to be computed, before any of them is written again.
void PartsOutput::take_over_all() {
  bool are_all_sound = true;
  for (Share& share : m_mine) are_all_sound = take_over(share) && are_all_sound;
  if (!are_all_sound) sync_data(m_joined.descriptor(), name());
}

/// Discards values that do not match their checksum, so that they are computed again; returns false
/// then.
bool PartsOutput::take_over(Share& share) {
  bool is_damaged = false;
  share.state = m_ledger->load(share.number, Ledger::Trust::reliable, &is_damaged);
  const std::string rows = "rows " + rows_text(share.all.rows);
  if (is_damaged) {
    warn(name() + ": its ledger is damaged where it lists " + rows +
         ", so they are computed again");
  } else if (!is_sound(share)) {
    is_damaged = true;
    warn(name() + ": " + rows + " do not match their checksum, so they are computed again");
  }
  if (is_damaged) {
    share.state = nothing_of(share.all);
    share.is_finished = false;
    m_ledger->write_status(share.number,
                           status_of_this(Ending::running));  // not finished any more, even if
                                                              // it was before
    m_ledger->save(share.number, share.state, true);
  }
  share.is_noted = share.is_finished;
  if (share.state.blocks > 0) put_times(share.all.rows, Times::where_wrong);
  return !is_damaged;
}

bool PartsOutput::is_sound(const Share& share) const {
  std::vector<Block> written = {share.all};
  for (const Block& box : share.state.unwritten) written = without(written, box);
  const std::int64_t value = value_bytes();
  const std::int64_t words = value / 4;
  std::vector<std::byte> bytes;
  std::uint64_t sum = 0;
  bool is_read = true;
  for (const Block& box : written) {
    const std::int64_t row = box.channels.size() * box.bases.size() * value;
    const std::int64_t together = std::max<std::int64_t>(mebibytes(1) / row, 1);
    for (std::int64_t begin = box.rows.begin; begin < box.rows.end && is_read; begin += together) {
      const Block piece{{begin, std::min(begin + together, box.rows.end)}, box.channels, box.bases};
      for_each_run(piece, everything_in(m_wanted.description.shape), piece,
                   [&](std::int64_t in_features, std::int64_t, std::int64_t count) {
                     bytes.resize(static_cast<std::size_t>(count * value));
                     is_read = is_read && read_at(m_joined.descriptor(),
                                                  m_ledger->facts().values_at + in_features * value,
                                                  bytes.data(), bytes.size());
                     sum += value_sum(bytes.data(), count * words,
                                      static_cast<std::uint64_t>(in_features * words));
                   });
    }
  }
  return is_read && sum == share.state.sum;
}

// NOLINTEND(bugprone-unchecked-optional-access)

}  // namespace synelix::stream
