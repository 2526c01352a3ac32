// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_gram.hpp"

#include "glm/pass/event_blocks.hpp"
#include "glm/pass/event_merge.hpp"
#include "tune/fit.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace synelix::glm {
namespace {

/// Products of the taps of two banks: sum over k of later(k, b) earlier(k + lag, c).
LineVector<double> products_of(const TapBank& later, const TapBank& earlier) {
  const std::int64_t step = whole_lines<double>(earlier.window);
  LineVector<double> products(static_cast<std::size_t>(later.bases * earlier.bases * step), 0.0);
  for (std::int64_t lag = 0; lag < earlier.window; ++lag) {
    for (std::int64_t k = 0; k < std::min(later.window, earlier.window - lag); ++k) {
      const double* const left = later.values.data() + k * later.bases;
      const double* const right = earlier.values.data() + (k + lag) * earlier.bases;
      for (std::int64_t b = 0; b < later.bases; ++b) {
        for (std::int64_t c = 0; c < earlier.bases; ++c) {
          products[static_cast<std::size_t>((b * earlier.bases + c) * step + lag)] +=
              left[b] * right[c];
        }
      }
    }
  }
  return products;
}

std::int64_t longest_window(const EventDesign& design) {
  std::int64_t longest = 1;
  for (const TapBank& bank : design.banks) longest = std::max(longest, bank.window);
  return longest;
}

/// The largest number of events of a channel in a chunk and the rows before it that windows reach.
std::int64_t most_events_of(const EventChannel& channel, const EventDesign& design) {
  std::int64_t most = 0;
  for (std::int64_t t = 0; t < design.rows; t += tune::event_chunk_rows) {
    const std::int64_t end = std::min(t + tune::event_chunk_rows, design.rows);
    most = std::max(most, events_between(channel, t - 2 * design.halo, end).size());
  }
  return most;
}

}  // namespace

std::int64_t LagTaps::bytes_for(const EventDesign& design) {
  std::int64_t values = 0;
  for (const TapBank& later : design.banks) {
    for (const TapBank& earlier : design.banks) {
      values += later.bases * earlier.bases * whole_lines<double>(earlier.window);
    }
  }
  const std::int64_t bytes = values * static_cast<std::int64_t>(sizeof(double));
  return bytes > tune::event_lag_taps_bytes ? 0 : bytes;
}

LagTaps::LagTaps(const EventDesign& design)
    : m_banks(static_cast<std::int64_t>(design.banks.size())) {
  if (bytes_for(design) == 0) return;
  for (const TapBank& later : design.banks) {
    for (const TapBank& earlier : design.banks) m_products.push_back(products_of(later, earlier));
  }
}

std::int64_t LagTaps::bytes() const {
  std::size_t bytes = 0;
  for (const auto& products : m_products) bytes += products.size() * sizeof(double);
  return static_cast<std::int64_t>(bytes);
}

template <class Scalar>
void ChunkWeights<Scalar>::clear_halo(const EventDesign& design) const {
  std::fill(values, values + design.halo, Scalar(0));
  std::fill(values + design.halo + rows.size(), values + size(design, rows.size()), Scalar(0));
}

template <class Scalar>
void ChunkWeights<Scalar>::find_runs(const EventDesign& design) const {
  const auto last = static_cast<std::int32_t>(size(design, rows.size()) - 1);
  run_ends[last] = last + 1;
  for (std::int32_t i = last; i-- > 0;) {
    run_ends[i] = values[i] == values[i + 1] ? run_ends[i + 1] : i + 1;
  }
}

PairGroups::PairGroups(const EventDesign& design, std::int64_t most_channels,
                       std::int64_t most_values) {
  const auto count = static_cast<std::int64_t>(design.channels.size());
  const EventChannel* before = nullptr;
  for (std::int64_t c = 0; c < count; ++c) {
    const EventChannel& channel = design.channels[static_cast<std::size_t>(c)];
    const std::int64_t most = most_events_of(channel, design);
    const std::int64_t sums = channel.window * whole_lines<float>(longest_window(design));
    const bool is_alike =
        before != nullptr && before->bank == channel.bank && before->offset == channel.offset;
    before = &channel;
    const std::int64_t size = is_alike ? m_groups.back().channels.size() + 1 : 1;
    if (size > 1 && size <= most_channels && size * sums <= most_values &&
        m_groups.back().most_events + most <= tune::event_pair_events) {
      m_groups.back().channels.end = c + 1;
      m_groups.back().most_events += most;
    } else {
      m_groups.push_back({{c, c + 1}, most});
    }
    m_most_events = std::max(m_most_events, m_groups.back().most_events);
    m_most_channels = std::max(m_most_channels, m_groups.back().channels.size());
  }
}

PairGrouping::PairGrouping(const EventDesign& design)
    : single(design, 1, 0),
      narrow(design, tune::event_pair_channels, tune::event_pair_values),
      wide(design, tune::event_pair_channels, std::numeric_limits<std::int64_t>::max()) {}

/// The memory of a thread for two groups.
template <class Scalar>
struct PairItems<Scalar>::Memory {
  std::int64_t bytes = 0;
  Scalar* sums = nullptr;       ///< of some lags of each pair of channels
  double* wide_sums = nullptr;  ///< of one pair in double, if sums are float
  Scalar* lag_sums = nullptr;   ///< of pairs of one weight, of all lags of each pair of channels
  double* wide_lag_sums = nullptr;
  double* packs = nullptr;
  double* blocks;  ///< of each pair of channels
  tile::PairEvent* earlier;
  tile::PairEvent* later;
  tile::PairEvent* merged;
  unsigned char* is_touched;

  Memory(const EventDesign& design, const PairGroups& later_groups,
         const PairGroups& earlier_groups, tile::PairKinds kinds, int lanes, std::byte* memory) {
    const auto take = [&](std::int64_t count, std::int64_t size) {
      std::byte* const begin = memory == nullptr ? nullptr : memory + bytes;
      bytes += whole_lines<std::byte>(count * size);
      return begin;
    };
    constexpr auto scalar = static_cast<std::int64_t>(sizeof(Scalar));
    constexpr auto wide = static_cast<std::int64_t>(sizeof(double));
    constexpr auto event = static_cast<std::int64_t>(sizeof(tile::PairEvent));
    const std::int64_t pairs = later_groups.most_channels() * earlier_groups.most_channels();
    const std::int64_t step = whole_lines<float>(longest_window(design));
    const std::int64_t most_events =
        std::max(later_groups.most_events(), earlier_groups.most_events());
    if (kinds == tile::PairKinds::one_weight) {
      lag_sums = reinterpret_cast<Scalar*>(take(pairs * step, scalar));
      wide_lag_sums = reinterpret_cast<double*>(take(step, wide));
      packs = reinterpret_cast<double*>(take(design.most_bases * design.most_bases * lanes, wide));
    } else {
      const std::int64_t values = std::max(8 * step, tune::event_pair_values);
      sums = reinterpret_cast<Scalar*>(take(values, scalar));
      wide_sums = reinterpret_cast<double*>(take(scalar == wide ? 0 : values, wide));
    }
    blocks = reinterpret_cast<double*>(take(pairs * block_values(design), wide));
    earlier = reinterpret_cast<tile::PairEvent*>(take(earlier_groups.most_events(), event));
    later = reinterpret_cast<tile::PairEvent*>(take(later_groups.most_events(), event));
    merged = reinterpret_cast<tile::PairEvent*>(take(most_events, event));
    is_touched = reinterpret_cast<unsigned char*>(take(pairs, 1));
  }

  static std::int64_t block_values(const EventDesign& design) {
    return design.most_bases * whole_lines<double>(design.most_bases);
  }
};

template <class Scalar>
std::int64_t PairItems<Scalar>::bytes_of_team(const EventDesign& design,
                                              const PairGrouping& grouping, int lanes) {
  using tile::PairKinds;
  return std::max(
      Memory(design, grouping.single, grouping.narrow, PairKinds::all, lanes, nullptr).bytes,
      Memory(design, grouping.wide, grouping.wide, PairKinds::one_weight, lanes, nullptr).bytes);
}

/// The number of items of a group. Each of them merges the events of the group again.
template <class Scalar>
std::int64_t PairItems<Scalar>::parts_of_laters() const {
  const auto groups = static_cast<std::int64_t>(earlier_groups->all().size());
  const auto most = static_cast<std::int64_t>(later_groups->all().size());
  return std::clamp<std::int64_t>((least_items + groups - 1) / groups, 1, most);
}

template <class Scalar>
std::int64_t PairItems<Scalar>::items() const {
  return static_cast<std::int64_t>(earlier_groups->all().size()) * parts_of_laters();
}

template <class Scalar>
void PairItems<Scalar>::compute(std::int64_t item, std::int64_t team) const {
  const std::int64_t parts = parts_of_laters();
  const auto part_of = [](const PairGroup& group, Range wanted) {
    return Range{std::max(group.channels.begin, wanted.begin),
                 std::min(group.channels.end, wanted.end)};
  };
  const Range earlier =
      part_of(earlier_groups->all()[static_cast<std::size_t>(item / parts)], earliers);
  if (earlier.size() == 0) return;
  const Memory memory(*design, *later_groups, *earlier_groups, kinds, tables.products->lanes,
                      scratch + team * scratch_bytes);
  const EventMerge merge{*design, weights.rows.begin - design->halo, memory.merged};
  const std::int64_t events = merge.write_sorted(
      earlier, {weights.rows.begin - 2 * design->halo, weights.rows.end}, memory.earlier);
  if (events == 0) return;
  const auto groups = static_cast<std::int64_t>(later_groups->all().size());
  const std::int64_t part = item % parts;
  for (std::int64_t g = part * groups / parts; g < (part + 1) * groups / parts; ++g) {
    const Range later = part_of(later_groups->all()[static_cast<std::size_t>(g)], laters);
    if (later.size() > 0) add_group(memory, earlier, events, later);
  }
}

/// Removes events whose windows overlap no tile in use: all of their weights are 0. Returns the
/// number of events left.
template <class Scalar>
std::int64_t PairItems<Scalar>::drop_unweighted(tile::PairEvent* events, std::int64_t count,
                                                std::int64_t window) const {
  if (every == 1) return count;
  const std::int64_t origin = weights.rows.begin - design->halo;
  return std::remove_if(events, events + count,
                        [&](const tile::PairEvent& event) {
                          const std::int64_t begin = event.row + origin;
                          return !meets_taken_tile(*design, {begin, begin + window}, every);
                        }) -
         events;
}

/// Adds the pairs of later channels with the events of earlier ones.
template <class Scalar>
void PairItems<Scalar>::add_group(const Memory& memory, Range earlier, std::int64_t events,
                                  Range later) const {
  const EventChannel& left = design->channels[static_cast<std::size_t>(later.begin)];
  const EventChannel& right = design->channels[static_cast<std::size_t>(earlier.begin)];
  const bool begins_here = weights.is_known_behind && weights.rows.begin > 0;
  const EventMerge merge{*design, weights.rows.begin - design->halo, memory.merged};
  tile::EventPairs<Scalar> pairs{};
  const Range rows{weights.rows.begin - (begins_here ? 0 : left.window - 1), weights.rows.end};
  pairs.laters = kinds == tile::PairKinds::others
                     ? merge.copy_leaving(left, rows, weights.run_ends, memory.later)
                     : merge.write_sorted(later, rows, memory.later);
  pairs.laters = drop_unweighted(memory.later, pairs.laters, left.window);
  if (pairs.laters == 0) return;
  pairs.later = memory.later;
  pairs.later_window = left.window;
  pairs.earlier = memory.earlier;
  pairs.earliers = events;
  pairs.earlier_window = right.window;
  pairs.earlier_channels = earlier.size();
  pairs.own = later.begin - earlier.begin;
  pairs.kinds = kinds;
  pairs.weights = weights.values;
  pairs.run_ends = weights.run_ends;
  pairs.lag_sums = memory.lag_sums;
  pairs.lag_sums_step = whole_lines<float>(right.window);
  pairs.sums = memory.sums;
  pairs.sums_step = whole_lines<Scalar>(left.window);
  pairs.is_touched = memory.is_touched;
  const std::int64_t count = later.size() * earlier.size();
  const std::int64_t block = Memory::block_values(*design);
  std::fill(memory.blocks, memory.blocks + count * block, 0.0);
  std::int64_t lags = right.window;
  if (kinds == tile::PairKinds::one_weight) {
    std::fill(memory.lag_sums, memory.lag_sums + count * pairs.lag_sums_step, Scalar(0));
  } else {
    lags = std::min(lags,
                    std::max<std::int64_t>(8, tune::event_pair_values / (pairs.sums_step * count)));
    pairs.pair_step = lags * pairs.sums_step;
  }
  for (std::int64_t lag = 0; lag < right.window; lag += lags) {
    pairs.first_lag = lag;
    pairs.last_lag = std::min(lag + lags, right.window);
    tables.events->add_pairs(pairs);
    multiply_lags(memory, later, earlier, {lag, pairs.last_lag}, pairs.pair_step);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const auto c = static_cast<std::size_t>(later.begin + i / earlier.size());
    const auto d = static_cast<std::size_t>(earlier.begin + i % earlier.size());
    if (kinds == tile::PairKinds::one_weight) {
      add_lags(memory, i, design->channels[c], design->channels[d]);
    }
    write(design->channels[c], design->channels[d], memory.blocks + i * block);
  }
}

/// Adds the sums of some lags to blocks, and resets them to 0.
template <class Scalar>
void PairItems<Scalar>::multiply_lags(const Memory& memory, Range later, Range earlier, Range lags,
                                      std::int64_t pair_step) const {
  if (kinds == tile::PairKinds::one_weight) return;
  const EventChannel& left = design->channels[static_cast<std::size_t>(later.begin)];
  const EventChannel& right = design->channels[static_cast<std::size_t>(earlier.begin)];
  const TapBank& later_bank = design->banks[static_cast<std::size_t>(left.bank)];
  const TapBank& earlier_bank = design->banks[static_cast<std::size_t>(right.bank)];
  tile::LagProducts<double> products{};
  products.sums_step = whole_lines<Scalar>(left.window);
  products.first_lag = lags.begin;
  products.last_lag = lags.end;
  products.later_taps = later_bank.rows.data();
  products.later_step = later_bank.row_values;
  products.later_window = left.window;
  products.later_bases = left.bases;
  products.earlier_taps = earlier_bank.rows.data();
  products.earlier_window = right.window;
  products.earlier_packs = earlier_bank.row_values / lag_tables->lanes;
  const std::int64_t values = lags.size() * products.sums_step;
  for (std::int64_t i = 0; i < later.size() * earlier.size(); ++i) {
    if (memory.is_touched[i] == 0) continue;
    memory.is_touched[i] = 0;
    Scalar* const sums = memory.sums + i * pair_step;
    if constexpr (sizeof(Scalar) == sizeof(double)) {
      products.sums = sums;
    } else {
      std::copy(sums, sums + values, memory.wide_sums);
      products.sums = memory.wide_sums;
    }
    products.result = memory.blocks + i * Memory::block_values(*design);
    lag_tables->multiply_lags(products);
    std::fill(sums, sums + values, Scalar(0));
  }
}

/// Adds the pairs of one weight of a pair of channels.
template <class Scalar>
void PairItems<Scalar>::add_lags(const Memory& memory, std::int64_t pair, const EventChannel& later,
                                 const EventChannel& earlier) const {
  const int lanes = tables.products->lanes;
  const std::int64_t count = later.bases * earlier.bases;
  const std::int64_t step = whole_lines<double>(earlier.window);
  const Scalar* const from = memory.lag_sums + pair * whole_lines<float>(earlier.window);
  std::copy(from, from + step, memory.wide_lag_sums);
  std::fill(memory.packs, memory.packs + count * lanes, 0.0);
  tile::DotTile<double> dot{};
  dot.left = lag_taps->of(later.bank, earlier.bank);
  dot.left_row = step;
  dot.right = memory.wide_lag_sums;
  dot.sums = memory.packs;
  dot.rows = count;
  dot.packs = step / lanes;
  dot.last_columns = lanes;
  tables.products->dot(dot);
  double* const block = memory.blocks + pair * Memory::block_values(*design);
  const std::int64_t row = whole_lines<double>(earlier.bases);
  for (std::int64_t k = 0; k < count; ++k) {
    double sum = memory.packs[k * lanes];
    for (int l = 1; l < lanes; ++l) sum += memory.packs[k * lanes + l];
    block[k / earlier.bases * row + k % earlier.bases] += sum;
  }
}

template <class Scalar>
void PairItems<Scalar>::write(const EventChannel& later, const EventChannel& earlier,
                              const double* block) const {
  const std::int64_t size = design->columns + 1;
  const std::int64_t step = whole_lines<double>(earlier.bases);
  for (std::int64_t b = 0; b < later.bases; ++b) {
    for (std::int64_t c = 0; c < earlier.bases; ++c) {
      const std::int64_t j = later.first_column + b;
      const std::int64_t k = earlier.first_column + c;
      const std::int64_t row = is_transposed ? k : j;
      if (row < columns.begin || row >= columns.end) continue;
      result[(row - columns.begin) * size + (is_transposed ? j : k)] += block[b * step + c];
    }
  }
}

Range channels_of(const EventDesign& design, Range columns) {
  const auto& all = design.channels;
  const auto first = std::upper_bound(
      all.begin(), all.end(), columns.begin,
      [](std::int64_t column, const EventChannel& c) { return column < c.first_column + c.bases; });
  const auto last = std::lower_bound(
      all.begin(), all.end(), columns.end,
      [](const EventChannel& c, std::int64_t column) { return c.first_column < column; });
  return {first - all.begin(), std::max(first, last) - all.begin()};
}

template struct ChunkWeights<float>;
template struct ChunkWeights<double>;
template class PairItems<float>;
template class PairItems<double>;

}  // namespace synelix::glm
