// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mpi/halo.hpp"

#include <algorithm>
#include <cstddef>

namespace synelix::mpi {
namespace {

Range overlap(Range a, Range b) {
  const Range both{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return both.size() > 0 ? both : Range{};
}

/// The first of [begin, end) for which a condition holds, or end. Once it holds, it must hold for
/// all later ones.
template <class Condition>
std::int64_t first_that(std::int64_t begin, std::int64_t end, const Condition& holds) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (holds(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
}

/// Calls found(receiver's seam, samples) for the samples that one rank sends to another.
template <class Found>
void visit(const RankSamples& from, const RankSamples& to, const Found& found) {
  for (int seam = 0; seam < 2; ++seam) {
    const Range samples = overlap(from.own, to.seams[static_cast<std::size_t>(seam)]);
    if (samples.size() > 0) found(seam, samples);
  }
}

}  // namespace

Range rows_of_samples(const stream::RowMap& map, Range own) {
  if (own.size() > 0) return map.rows_for(own);
  const std::int64_t first = own.begin > 0 ? map.rows_for({0, own.begin}).end : 0;
  return {first, first};
}

RowCut cut_rows(Range rows, Range own, const std::function<Range(Range)>& samples_for) {
  RowCut cut;
  cut.rows = rows;
  const auto seen = [&](std::int64_t begin, std::int64_t end) {
    return begin < end ? samples_for({begin, end}) : Range{};
  };
  // Rows of gaps depend on no samples, so `seen` is evaluated for all rows up to an end, not for
  // one.
  const std::int64_t begin = first_that(cut.rows.begin, cut.rows.end, [&](std::int64_t row) {
    const Range samples = seen(row, cut.rows.end);
    return samples.size() == 0 || samples.begin >= own.begin;
  });
  const std::int64_t end = first_that(begin, cut.rows.end, [&](std::int64_t row) {
    const Range samples = seen(begin, row + 1);
    return samples.size() > 0 && samples.end > own.end;
  });
  cut.interior = {begin, end};
  if (cut.interior.size() == 0) {
    cut.interior = {cut.rows.end, cut.rows.end};
    cut.seams[0].rows = cut.rows;
  } else {
    cut.seams[0].rows = {cut.rows.begin, begin};
    cut.seams[1].rows = {end, cut.rows.end};
  }
  for (Seam& seam : cut.seams) seam.samples = seen(seam.rows.begin, seam.rows.end);
  return cut;
}

Halo halo_of(int rank, std::span<const RankSamples> all) {
  const RankSamples& mine = all[static_cast<std::size_t>(rank)];
  Halo halo{mine.own, mine.seams, {}, {}};
  for (int other = 0; other < static_cast<int>(all.size()); ++other) {
    if (other == rank) continue;
    const RankSamples& theirs = all[static_cast<std::size_t>(other)];
    visit(theirs, mine,
          [&](int seam, Range samples) { halo.receives.push_back({other, seam, samples}); });
    visit(mine, theirs,
          [&](int seam, Range samples) { halo.sends.push_back({other, seam, samples}); });
  }
  return halo;
}

std::int64_t rows_of(const std::vector<Message>& messages) {
  std::int64_t rows = 0;
  for (const Message& message : messages) rows += message.samples.size();
  return rows;
}

}  // namespace synelix::mpi
