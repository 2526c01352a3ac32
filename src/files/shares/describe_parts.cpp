// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is there of an output that several processes write, for whoever looks.
#include "files/shares/parts_output.hpp"
#include "streams/boxes.hpp"

#include <algorithm>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace synelix {
namespace {

/// Rows that no box touches.
std::int64_t rows_apart_from(const std::vector<Block>& boxes, Range rows) {
  std::vector<Range> touched;
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
    ShareWord word = ledger.word(number);
    ShareDescription& share = result.shares.emplace_back();
    share.rows = rows;
    share.rows_written = rows_apart_from(newest.unwritten, rows);
    share.is_whole = ledger.is_finished(number);
    share.is_being_written = ledger.is_locked(number);
    result.rows_written += share.rows_written;
    // Who checks a share that is whole does not say so: the word is of somebody before.
    if (share.is_being_written && word.ending != Ending::running) continue;
    share.host = std::move(word.host);
    share.process = word.process;
    share.seconds = word.seconds;
    share.failure = std::move(word.failure);
  }
  return result;
}

std::optional<PartsDescription> describe_parts(const std::string& file) {
  const stream::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat state = {};
  if (!opened.is_open() || fstat(opened.number(), &state) != 0 || !S_ISREG(state.st_mode)) {
    return std::nullopt;
  }
  const auto ledger = stream::Ledger::find(opened.number(), file);
  if (!ledger) return std::nullopt;
  return stream::described(*ledger, file);
}

}  // namespace synelix
