// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a part begins: FILE.part is made by one process and joined by the others, and what is sound
// of a part that was begun before is taken over.
#include "files/part/descriptor_io.hpp"
#include "files/part/file_lock.hpp"
#include "files/shares/parts_output.hpp"
#include "files/shares/value_runs.hpp"
#include "files/sink/fingerprint_text.hpp"
#include "files/sink/frame_sum.hpp"
#include "files/sink/value_sum.hpp"
#include "streams/boxes.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace synelix::stream {
namespace {

constexpr const char* anew = "Remove this file to begin anew, or give another name for the output";

std::int64_t bytes_of(int descriptor) {
  struct stat now = {};
  return fstat(descriptor, &now) == 0 ? static_cast<std::int64_t>(now.st_size) : 0;
}

std::int64_t address_of(const h5::Dataset& dataset) {
  const haddr_t address = H5Dget_offset(dataset.id());
  return address == HADDR_UNDEF ? 0 : static_cast<std::int64_t>(address);  // without rows
}

}  // namespace

bool PartsOutput::begin(Wanted wanted) {
  m_wanted = std::move(wanted);
  m_on_disk = Clock::now();
  for (;;) {
    if (m_wanted.is_there()) {
      m_file.remove_second_name();
      return false;
    }
    if (join()) return true;
    make();
  }
}

/// Whether another process is making FILE.part, or has made it. Waits a moment. It may rename its
/// file, or end, between two looks: so it has to be missed several times in a row.
bool PartsOutput::wait_for_maker() {
  constexpr int most_missed = 5;
  std::error_code status;
  if (std::filesystem::exists(name(), status)) return true;
  const std::string made = name() + ".new";
  const Descriptor opened(::open(made.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  const bool is_making = opened.is_open() && is_locked(opened.number());
  m_makers_missed = is_making ? 0 : m_makers_missed + 1;
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return m_makers_missed < most_missed;
}

/// Makes FILE.part.new, of which one process at a time has the lock, and gives it the name
/// FILE.part once it is whole.
void PartsOutput::make() {
  const h5::Call call;
  const FeaturesDescription& description = m_wanted.description;
  const FeaturesShape& shape = description.shape;
  try {
    m_file.align(mebibytes(1));
    [[maybe_unused]] const Descriptor none = m_file.open_anew();
  } catch (const FileError&) {
    m_file.abandon();  // where it was this process that had the lock, and failed
    if (wait_for_maker()) return;
    throw;
  }
  // FILE.part was made before this process had the lock, or is finished even.
  if (access(name().c_str(), F_OK) == 0 || m_wanted.is_there()) return m_file.abandon();
  const std::int64_t row_bytes = shape.channels * shape.bases * value_bytes();
  LedgerFacts facts{.text = h5::text_of(m_wanted.of_part),
                    .channels = shape.channels,
                    .bases = shape.bases,
                    .shares = Shares::of(shape.rows, row_bytes, m_part.of)};
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
  facts.file_bytes = bytes_of(descriptor);
  const Ledger ledger = Ledger::make(descriptor, *address, m_file.failing(), facts);
  const auto frame = frame_sum(descriptor, facts.file_bytes,
                               {ledger.range(),
                                {facts.values_at, facts.values_at + shape.bytes()},
                                {facts.times_at, facts.times_at + shape.rows * 8}});
  if (!frame) {
    throw FileError(m_file.failing() +
                    ": what was written cannot be read back. Check the disk, and run again.");
  }
  facts.frame = *frame;
  Ledger::make(descriptor, *address, m_file.failing(), facts);
  sync_data(descriptor, m_file.failing());
  // Others may have shares from the moment on at which the file has its name. The rest of the lock
  // keeps everybody from taking it for one that a killed run has left.
  unlock_bytes(descriptor, ledger.records());
  if (!m_file.settle_where_free()) return m_file.abandon();
  sync_name(name());
  m_file.keep_part();
}

bool PartsOutput::join() {
  m_joined = PartFile(name(), m_file.path().file);
  if (!m_joined.join()) return false;
  try {
    std::optional<Ledger> found = Ledger::find(m_joined.descriptor(), name());
    if (!found) {
      throw FileError(name(), "this is what a run without parts has left, or is writing",
                      "Continue it without a part (--resume); or remove this file to begin anew");
    }
    h5::require_same(name(), h5::fingerprint_from(found->facts().text), m_wanted.of_part, anew);
    require_frame(*found);
    m_ledger = std::move(found);
    if (take_shares()) return true;
  } catch (...) {
    m_ledger.reset();
    m_joined.close();
    throw;
  }
  m_ledger.reset();
  m_joined.close();
  return false;
}

void PartsOutput::require_frame(const Ledger& ledger) const {
  const LedgerFacts& facts = ledger.facts();
  const FeaturesShape& shape = m_wanted.description.shape;
  const Range values{facts.values_at, facts.values_at + shape.bytes()};
  const Range times{facts.times_at, facts.times_at + shape.rows * 8};
  const bool is_inside = values.begin >= 0 && times.begin >= 0 && values.end <= facts.file_bytes &&
                         times.end <= facts.file_bytes && facts.shares.rows == shape.rows &&
                         facts.channels == shape.channels && facts.bases == shape.bases;
  const std::int64_t bytes = bytes_of(m_joined.descriptor());
  if (bytes < facts.file_bytes) {
    throw FileError(name(),
                    "it was cut from " + std::to_string(facts.file_bytes) + " to " +
                        std::to_string(bytes) + " bytes",
                    anew);
  }
  if (!is_inside || frame_sum(m_joined.descriptor(), facts.file_bytes,
                              {ledger.range(), values, times}) != facts.frame) {
    throw FileError(name(),
                    "it is damaged outside of the features: HDF5's own records do not match their "
                    "checksum",
                    anew);
  }
}

/// Locks the shares of this part, and takes over what is written of them. False where the file has
/// lost its name meanwhile.
bool PartsOutput::take_shares() {
  m_mine.clear();
  const Range numbers = m_ledger->facts().shares.shares_of(m_part);
  for (std::int64_t number = numbers.begin; number < numbers.end; ++number) {
    Share share{.number = number, .all = m_ledger->rows_of(number), .state = {}};
    if (!m_ledger->lock(number)) {
      const ShareWord word = m_ledger->word(number);
      const std::string who = word.host.empty() ? ""
                                                : " (host " + word.host + ", process " +
                                                      std::to_string(word.process) + ")";
      throw FileError(name(),
                      "another process" + who + " is writing rows " +
                          std::to_string(share.all.rows.begin) + " to " +
                          std::to_string(share.all.rows.end - 1) + ", which belong to part " +
                          std::to_string(m_part.number) + "/" + std::to_string(m_part.of),
                      "Give each part to one process, or wait until that one has ended");
    }
    m_mine.push_back(std::move(share));
  }
  if (!m_joined.is_named()) return false;
  for (Share& share : m_mine) take_over(share);
  try_to_say(Ending::running);
  return true;
}

/// What does not match its checksum is computed again.
void PartsOutput::take_over(Share& share) {
  bool is_damaged = false;
  share.state = m_ledger->load(share.number, Ledger::Trust::reliable, &is_damaged);
  const std::string rows = "rows " + std::to_string(share.all.rows.begin) + " to " +
                           std::to_string(share.all.rows.end - 1);
  if (is_damaged) {
    warn(name() + ": its ledger is damaged where it lists " + rows +
         ", so they are computed again");
  } else if (!is_sound(share)) {
    is_damaged = true;
    warn(name() + ": " + rows + " do not match their checksum, so they are computed again");
  }
  if (is_damaged) {
    share.state = {.unwritten = {share.all}, .blocks = 0, .sum = 0};
    m_ledger->save(share.number, share.state, true);
  }
  const bool is_whole = share.state.unwritten.empty();
  share.is_finished = is_whole && m_ledger->word(share.number).ending == Ending::finished;
  share.is_noted = share.is_finished;
  if (share.state.blocks > 0) put_times(share.all.rows, Times::where_wrong);
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
      for_each_run(m_wanted.description.shape, piece, piece,
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

}  // namespace synelix::stream
