// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "convolve/choice/smallest_fft_items.hpp"

#include "convolve/choice/device_fft_blocks.hpp"
#include "index/segment.hpp"

#include <algorithm>
#include <cstdint>

namespace synelix::chooser {
namespace {

/// So many bases are tried one by one, which takes a few milliseconds.
constexpr std::int64_t most_single = 4096;

/// Calls `visit` with the numbers of bases, up to `most`, whose work items may take least: all of
/// them where they are few. Fewer bases make the memory of a team smaller and the tables of all
/// groups larger: of the numbers that make equally many groups the first counts, and those up to a
/// pack behind it, since tables are smaller where bases and lanes divide each other.
template <class Visit>
void for_each_number_of_bases(std::int64_t all, std::int64_t most, std::int64_t lanes,
                              const Visit& visit) {
  for (std::int64_t bases = 1; bases <= most;) {
    const std::int64_t groups = index::ceil_divide(all, bases);
    const std::int64_t next = groups == 1 ? most + 1 : (all - 1) / (groups - 1) + 1;
    const std::int64_t tried = most > most_single ? bases + lanes + 1 : next;
    const std::int64_t end = std::min({next, tried, most + 1});
    for (std::int64_t b = bases; b < end; ++b) visit(b);
    bases = next;
  }
}

}  // namespace

Choice smallest_fft(const ProblemSize& problem, const Resources& resources, const Choice& choice) {
  Choice candidate = choice;
  candidate.teams = 1;
  candidate.strips = 1;
  if (transforms_in_scratch(resources)) return candidate;  // scratch, not workspace, holds a block
  Choice least = candidate;
  std::int64_t least_bytes = workspace_bytes(problem, resources, candidate);
  // More channels than a pack has lanes only add to the packed samples.
  const std::int64_t most_channels = std::min<std::int64_t>(choice.batch_channels, resources.lanes);
  for_each_number_of_bases(problem.bases, choice.batch_bases, resources.lanes, [&](std::int64_t b) {
    candidate.batch_bases = b;
    for (std::int64_t c = 1; c <= most_channels; ++c) {
      candidate.batch_channels = c;
      const std::int64_t bytes = workspace_bytes(problem, resources, candidate);
      if (bytes >= least_bytes) continue;
      least = candidate;
      least_bytes = bytes;
    }
  });
  return least;
}

}  // namespace synelix::chooser
