// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_gram.hpp"

#include "tune/event_walk.hpp"

#include <algorithm>
#include <array>
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

/// The events of a channel whose windows begin in [first, last) rows.
Range events_between(const EventChannel& channel, std::int64_t first, std::int64_t last) {
  const std::int64_t* const end = channel.samples + channel.events;
  return {std::lower_bound(channel.samples, end, first + channel.offset) - channel.samples,
          std::lower_bound(channel.samples, end, last + channel.offset) - channel.samples};
}

const float* from_event(const float* counts, std::int64_t first) {
  return counts == nullptr ? nullptr : counts + first;
}

std::int64_t longest_window(const EventDesign& design) {
  std::int64_t longest = 1;
  for (const TapBank& bank : design.banks) longest = std::max(longest, bank.window);
  return longest;
}

/// The most events of a channel that any chunk and what lies before it have.
std::int64_t most_events_of(const EventChannel& channel, const EventDesign& design) {
  std::int64_t most = 0;
  for (std::int64_t t = 0; t < design.rows; t += tune::event_chunk_rows) {
    const std::int64_t end = std::min(t + tune::event_chunk_rows, design.rows);
    most = std::max(most, events_between(channel, t - 2 * design.halo, end).size());
  }
  return most;
}

}  // namespace

LagTaps::LagTaps(const EventDesign& design)
    : m_banks(static_cast<std::int64_t>(design.banks.size())) {
  std::int64_t values = 0;
  for (const TapBank& later : design.banks) {
    for (const TapBank& earlier : design.banks) {
      values += later.bases * earlier.bases * whole_lines<double>(earlier.window);
    }
  }
  if (values > tune::event_lag_taps_bytes / static_cast<std::int64_t>(sizeof(double))) return;
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

PairGroups::PairGroups(const EventDesign& design) {
  const auto count = static_cast<std::int64_t>(design.channels.size());
  for (std::int64_t c = 0; c < count; ++c) {
    const EventChannel& channel = design.channels[static_cast<std::size_t>(c)];
    const std::int64_t most = most_events_of(channel, design);
    const std::int64_t sums = channel.window * whole_lines<float>(longest_window(design));
    PairGroup* const group = m_groups.empty() ? nullptr : &m_groups.back();
    const EventChannel& before = design.channels[static_cast<std::size_t>(std::max(c, 1L) - 1)];
    const bool is_alike = before.bank == channel.bank && before.offset == channel.offset;
    if (group != nullptr && is_alike && group->most_events + most <= tune::event_pair_events &&
        group->channels.size() < tune::event_pair_channels &&
        (group->channels.size() + 1) * sums <= tune::event_pair_values) {
      group->channels.end = c + 1;
      group->most_events += most;
    } else {
      m_groups.push_back({{c, c + 1}, most});
    }
    m_most_events = std::max(m_most_events, m_groups.back().most_events);
  }
}

/// What a thread holds for a channel and a group.
template <class Scalar>
struct PairItems<Scalar>::Memory {
  Scalar* sums;       ///< of some lags of each channel of the group
  double* wide_sums;  ///< of one channel in double, where they are float
  Scalar* lag_sums;   ///< of pairs of one weight, of all lags of each channel
  double* wide_lag_sums;
  double* packs;
  double* blocks;  ///< of each channel
  tile::PairEvent* events;
  tile::PairEvent* merged;
  unsigned char* is_touched;
  std::int64_t bytes;

  Memory(const EventDesign& design, const PairGroups& groups, int lanes, std::byte* memory)
      : bytes(0) {
    const auto take = [&](std::int64_t count, std::int64_t size) {
      std::byte* const begin = memory == nullptr ? nullptr : memory + bytes;
      bytes += whole_lines<std::byte>(count * size);
      return begin;
    };
    constexpr auto scalar = static_cast<std::int64_t>(sizeof(Scalar));
    constexpr auto wide = static_cast<std::int64_t>(sizeof(double));
    constexpr auto event = static_cast<std::int64_t>(sizeof(tile::PairEvent));
    constexpr std::int64_t channels = tune::event_pair_channels;
    const std::int64_t step = whole_lines<float>(longest_window(design));
    const std::int64_t values = std::max(8 * step, tune::event_pair_values);
    sums = reinterpret_cast<Scalar*>(take(values, scalar));
    wide_sums = reinterpret_cast<double*>(take(scalar == wide ? 0 : values, wide));
    lag_sums = reinterpret_cast<Scalar*>(take(channels * step, scalar));
    wide_lag_sums = reinterpret_cast<double*>(take(step, wide));
    packs = reinterpret_cast<double*>(take(design.most_bases * design.most_bases * lanes, wide));
    blocks = reinterpret_cast<double*>(take(channels * block_values(design), wide));
    events = reinterpret_cast<tile::PairEvent*>(take(groups.most_events(), event));
    merged = reinterpret_cast<tile::PairEvent*>(take(groups.most_events(), event));
    is_touched = reinterpret_cast<unsigned char*>(take(channels, 1));
  }

  static std::int64_t block_values(const EventDesign& design) {
    return design.most_bases * whole_lines<double>(design.most_bases);
  }
};

template <class Scalar>
std::int64_t PairItems<Scalar>::bytes_of_team(const EventDesign& design, const PairGroups& groups,
                                              int lanes) {
  return Memory(design, groups, lanes, nullptr).bytes;
}

/// Each group has so many items. Each of them merges the events of the group again.
template <class Scalar>
std::int64_t PairItems<Scalar>::parts_of_laters() const {
  const auto count = static_cast<std::int64_t>(groups->all().size());
  return std::clamp<std::int64_t>((tune::event_pair_items + count - 1) / count, 1,
                                  std::max<std::int64_t>(1, laters.size()));
}

template <class Scalar>
std::int64_t PairItems<Scalar>::items() const {
  return static_cast<std::int64_t>(groups->all().size()) * parts_of_laters();
}

template <class Scalar>
void PairItems<Scalar>::run(std::int64_t item, std::int64_t team) const {
  const std::int64_t parts = parts_of_laters();
  const PairGroup& group = groups->all()[static_cast<std::size_t>(item / parts)];
  const Range channels{std::max(group.channels.begin, earliers.begin),
                       std::min(group.channels.end, earliers.end)};
  if (channels.size() == 0) return;
  const Memory memory(*design, *groups, tables.products->lanes, scratch + team * scratch_bytes);
  const std::int64_t events = merge(memory, channels);
  if (events == 0) return;
  const std::int64_t part = item % parts;
  const std::int64_t last = laters.begin + (part + 1) * laters.size() / parts;
  for (std::int64_t c = laters.begin + part * laters.size() / parts; c < last; ++c) {
    add_channel(memory, channels, events, c);
  }
}

/// The events of the channels that pairs of this chunk may have, sorted. Returns how many.
template <class Scalar>
std::int64_t PairItems<Scalar>::merge(const Memory& memory, Range channels) const {
  const auto is_before = [](const tile::PairEvent& a, const tile::PairEvent& b) {
    return a.row != b.row ? a.row < b.row : a.channel < b.channel;
  };
  std::array<std::int64_t, tune::event_pair_channels + 1> ends{};
  const std::int64_t origin = weights.rows.begin - design->halo;
  for (std::int64_t i = 0; i < channels.size(); ++i) {
    const EventChannel& channel = design->channels[static_cast<std::size_t>(channels.begin + i)];
    const Range events =
        events_between(channel, weights.rows.begin - 2 * design->halo, weights.rows.end);
    tile::PairEvent* to = memory.merged + ends[static_cast<std::size_t>(i)];
    for (std::int64_t e = events.begin; e < events.end; ++e, ++to) {
      to->row = static_cast<std::int32_t>(channel.samples[e] - channel.offset - origin);
      to->channel = static_cast<std::int32_t>(i);
      to->count = channel.counts == nullptr ? 1.0F : channel.counts[e];
    }
    ends[static_cast<std::size_t>(i + 1)] = to - memory.merged;
  }
  tile::PairEvent* from = memory.merged;
  tile::PairEvent* into = memory.events;
  for (std::int64_t step = 1; step < channels.size(); step *= 2) {  // two lists become one
    for (std::int64_t i = 0; i < channels.size(); i += 2 * step) {
      const auto end = [&](std::int64_t list) {
        return ends[static_cast<std::size_t>(std::min(list, channels.size()))];
      };
      std::merge(from + end(i), from + end(i + step), from + end(i + step),
                 from + end(i + 2 * step), into + end(i), is_before);
    }
    std::swap(from, into);
  }
  const std::int64_t count = ends[static_cast<std::size_t>(channels.size())];
  if (from != memory.events) std::copy(from, from + count, memory.events);
  return count;
}

/// The pairs of a later channel with the events of a group.
template <class Scalar>
void PairItems<Scalar>::add_channel(const Memory& memory, Range group, std::int64_t events,
                                    std::int64_t later) const {
  const EventChannel& channel = design->channels[static_cast<std::size_t>(later)];
  const EventChannel& first = design->channels[static_cast<std::size_t>(group.begin)];
  const bool begins_here = weights.is_known_behind && weights.rows.begin > 0;
  const Range own = events_between(
      channel, weights.rows.begin - (begins_here ? 0 : channel.window - 1), weights.rows.end);
  if (own.size() == 0) return;
  tile::EventPairs<Scalar> pairs{};
  pairs.later = channel.samples + own.begin;
  pairs.later_counts = from_event(channel.counts, own.begin);
  pairs.laters = own.size();
  pairs.later_origin = weights.rows.begin - design->halo + channel.offset;
  pairs.later_window = channel.window;
  pairs.earlier = memory.events;
  pairs.earliers = events;
  pairs.earlier_window = first.window;
  pairs.own = later - group.begin;
  pairs.weights = weights.values;
  pairs.run_ends = lag_taps == nullptr ? nullptr : weights.run_ends;
  pairs.lag_sums = memory.lag_sums;
  pairs.lag_sums_step = whole_lines<float>(first.window);
  pairs.sums = memory.sums;
  pairs.sums_step = whole_lines<Scalar>(channel.window);
  pairs.is_touched = memory.is_touched;
  const std::int64_t block = Memory::block_values(*design);
  std::fill(memory.blocks, memory.blocks + group.size() * block, 0.0);
  if (lag_taps != nullptr) {
    std::fill(memory.lag_sums, memory.lag_sums + group.size() * pairs.lag_sums_step, Scalar(0));
  }
  const std::int64_t lags = std::min(
      first.window,
      std::max<std::int64_t>(8, tune::event_pair_values / (pairs.sums_step * group.size())));
  pairs.channel_step = lags * pairs.sums_step;
  for (std::int64_t lag = 0; lag < first.window; lag += lags) {
    pairs.first_lag = lag;
    pairs.last_lag = std::min(lag + lags, first.window);
    tables.events->add_pairs(pairs);
    multiply_lags(memory, {lag, pairs.last_lag}, group, channel);
  }
  for (std::int64_t i = 0; i < group.size(); ++i) {
    const EventChannel& earlier = design->channels[static_cast<std::size_t>(group.begin + i)];
    if (lag_taps != nullptr) add_lags(memory, i, channel, earlier);
    write(channel, earlier, memory.blocks + i * block);
  }
}

/// The sums of some lags to blocks, and back to 0.
template <class Scalar>
void PairItems<Scalar>::multiply_lags(const Memory& memory, Range lags, Range group,
                                      const EventChannel& later) const {
  const EventChannel& earlier = design->channels[static_cast<std::size_t>(group.begin)];
  const TapBank& later_bank = design->banks[static_cast<std::size_t>(later.bank)];
  const TapBank& earlier_bank = design->banks[static_cast<std::size_t>(earlier.bank)];
  tile::LagProducts<double> products{};
  products.sums_step = whole_lines<Scalar>(later.window);
  products.first_lag = lags.begin;
  products.last_lag = lags.end;
  products.later_taps = later_bank.rows.data();
  products.later_step = later_bank.row_values;
  products.later_window = later.window;
  products.later_bases = later.bases;
  products.earlier_taps = earlier_bank.rows.data();
  products.earlier_window = earlier.window;
  products.earlier_packs = earlier_bank.row_values / lag_tables->lanes;
  const std::int64_t most = std::min(
      earlier.window,
      std::max<std::int64_t>(8, tune::event_pair_values / (products.sums_step * group.size())));
  const std::int64_t values = lags.size() * products.sums_step;
  for (std::int64_t i = 0; i < group.size(); ++i) {
    if (memory.is_touched[i] == 0) continue;
    memory.is_touched[i] = 0;
    Scalar* const sums = memory.sums + i * most * products.sums_step;
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

/// The pairs of one weight with channel i of the group.
template <class Scalar>
void PairItems<Scalar>::add_lags(const Memory& memory, std::int64_t i, const EventChannel& later,
                                 const EventChannel& earlier) const {
  const int lanes = tables.products->lanes;
  const std::int64_t count = later.bases * earlier.bases;
  const std::int64_t step = whole_lines<double>(earlier.window);
  const Scalar* const from = memory.lag_sums + i * whole_lines<float>(earlier.window);
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
  double* const block = memory.blocks + i * Memory::block_values(*design);
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
