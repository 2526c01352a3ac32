// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_gram.hpp"

#include "tune/event_walk.hpp"

#include <algorithm>
#include <cmath>

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

/// The lags whose sums over pairs are made at a time.
std::int64_t lags_at_a_time(std::int64_t sums_step) {
  return std::max<std::int64_t>(8, tune::event_pair_values / sums_step);
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

/// What a thread holds for a pair of channels.
template <class Scalar>
struct PairItems<Scalar>::Memory {
  Scalar* sums;       ///< of some lags
  double* wide_sums;  ///< the same in double, where they are float
  double* lag_sums;   ///< of pairs of one weight, of all lags
  Scalar* own_lag_sums;
  double* packs;
  double* forward;
  double* backward;
  std::int64_t bytes;

  Memory(const EventDesign& design, int lanes, std::byte* memory) : bytes(0) {
    const auto take = [&](std::int64_t count, std::int64_t size) {
      std::byte* const begin = memory == nullptr ? nullptr : memory + bytes;
      bytes += whole_lines<std::byte>(count * size);
      return begin;
    };
    constexpr auto scalar = static_cast<std::int64_t>(sizeof(Scalar));
    constexpr auto wide = static_cast<std::int64_t>(sizeof(double));
    const std::int64_t window = longest_window(design);
    const std::int64_t step = whole_lines<float>(window);
    const std::int64_t values = std::max(8 * step, tune::event_pair_values);
    const std::int64_t block = design.most_bases * whole_lines<double>(design.most_bases);
    sums = reinterpret_cast<Scalar*>(take(values, scalar));
    wide_sums = reinterpret_cast<double*>(take(scalar == wide ? 0 : values, wide));
    lag_sums = reinterpret_cast<double*>(take(step, wide));
    own_lag_sums = reinterpret_cast<Scalar*>(take(step, scalar));
    packs = reinterpret_cast<double*>(take(design.most_bases * design.most_bases * lanes, wide));
    forward = reinterpret_cast<double*>(take(block, wide));
    backward = reinterpret_cast<double*>(take(block, wide));
  }
};

template <class Scalar>
std::int64_t PairItems<Scalar>::bytes_of_team(const EventDesign& design, int lanes) {
  return Memory(design, lanes, nullptr).bytes;
}

/// The channels that have any of the columns.
template <class Scalar>
Range PairItems<Scalar>::channels() const {
  const auto& all = design->channels;
  const auto first = std::upper_bound(
      all.begin(), all.end(), columns.begin,
      [](std::int64_t column, const EventChannel& c) { return column < c.first_column + c.bases; });
  const auto last = std::lower_bound(
      all.begin(), all.end(), columns.end,
      [](const EventChannel& c, std::int64_t column) { return c.first_column < column; });
  return {first - all.begin(), std::max(first, last) - all.begin()};
}

template <class Scalar>
std::int64_t PairItems<Scalar>::items() const {
  const auto all = static_cast<std::int64_t>(design->channels.size());
  return is_whole ? all * (all + 1) / 2 : channels().size() * all;
}

/// Of two channels the first is the later one at lag 0, whichever of them is asked for.
template <class Scalar>
void PairItems<Scalar>::run(std::int64_t item, std::int64_t team) const {
  const Memory memory(*design, tables.products->lanes, scratch + team * scratch_bytes);
  std::int64_t left = 0;
  std::int64_t right = 0;
  const EventChannel* wanted = nullptr;  // both
  if (is_whole) {                        // item = right (right + 1) / 2 + left, left <= right
    right = static_cast<std::int64_t>((std::sqrt(8.0 * static_cast<double>(item) + 1) - 1) / 2);
    while (right * (right + 1) / 2 > item) --right;
    while ((right + 1) * (right + 2) / 2 <= item) ++right;
    left = item - right * (right + 1) / 2;
  } else {
    const auto all = static_cast<std::int64_t>(design->channels.size());
    left = channels().begin + item / all;
    right = item % all;
    wanted = &design->channels[static_cast<std::size_t>(left)];
    if (left > right) std::swap(left, right);
  }
  const EventChannel& first = design->channels[static_cast<std::size_t>(left)];
  const EventChannel& second = design->channels[static_cast<std::size_t>(right)];
  add_direction(memory, first, second, left == right, 0, memory.forward);
  if (left != right) {
    add_direction(memory, second, first, false, 1, memory.backward);
    write(first, second, wanted, memory.forward, memory.backward);
  } else {
    write(first, second, wanted, memory.forward, memory.forward);
  }
}

/// block(b, c) = sum over the pairs, rows of whole lines.
template <class Scalar>
void PairItems<Scalar>::add_direction(const Memory& memory, const EventChannel& later,
                                      const EventChannel& earlier, bool is_one,
                                      std::int64_t first_lag, double* block) const {
  const TapBank& later_bank = design->banks[static_cast<std::size_t>(later.bank)];
  const TapBank& earlier_bank = design->banks[static_cast<std::size_t>(earlier.bank)];
  std::fill(block, block + later.bases * earlier_bank.row_values, 0.0);
  const bool begins_here = weights.is_known_behind && weights.rows.begin > 0;
  const Range laters = events_between(
      later, weights.rows.begin - (begins_here ? 0 : later.window - 1), weights.rows.end);
  const Range earliers = events_between(
      earlier, weights.rows.begin - later.window - earlier.window + 2, weights.rows.end);
  if (laters.size() == 0 || earliers.size() == 0) return;
  tile::EventPairs<Scalar> pairs{};
  pairs.later = later.samples + laters.begin;
  pairs.later_counts = from_event(later.counts, laters.begin);
  pairs.laters = laters.size();
  pairs.later_origin = weights.rows.begin - design->halo + later.offset;
  pairs.later_window = later.window;
  pairs.earlier = earlier.samples + earliers.begin;
  pairs.earlier_counts = from_event(earlier.counts, earliers.begin);
  pairs.earliers = earliers.size();
  pairs.earlier_origin = weights.rows.begin - design->halo + earlier.offset;
  pairs.earlier_window = earlier.window;
  pairs.is_one_list = is_one;
  pairs.weights = weights.values;
  pairs.run_ends = lag_taps == nullptr ? nullptr : weights.run_ends;
  pairs.sums = memory.sums;
  pairs.sums_step = whole_lines<Scalar>(later.window);
  std::fill(memory.own_lag_sums, memory.own_lag_sums + whole_lines<float>(earlier.window),
            Scalar(0));
  tile::LagProducts<double> products{};
  products.sums_step = pairs.sums_step;
  products.later_taps = later_bank.rows.data();
  products.later_step = later_bank.row_values;
  products.later_window = later.window;
  products.later_bases = later.bases;
  products.earlier_taps = earlier_bank.rows.data();
  products.earlier_window = earlier.window;
  products.earlier_packs = earlier_bank.row_values / lag_tables->lanes;
  products.result = block;
  const std::int64_t lags = lags_at_a_time(pairs.sums_step);
  for (std::int64_t lag = first_lag; lag < earlier.window; lag += lags) {
    pairs.first_lag = products.first_lag = lag;
    pairs.last_lag = products.last_lag = std::min(lag + lags, earlier.window);
    pairs.lag_sums = memory.own_lag_sums + lag;
    const std::int64_t values = (pairs.last_lag - lag) * pairs.sums_step;
    if (tables.events->add_pairs(pairs) == 0) continue;
    if constexpr (sizeof(Scalar) == sizeof(double)) {
      products.sums = memory.sums;
    } else {
      std::copy(memory.sums, memory.sums + values, memory.wide_sums);
      products.sums = memory.wide_sums;
    }
    lag_tables->multiply_lags(products);
    std::fill(memory.sums, memory.sums + values, Scalar(0));
  }
  if (lag_taps != nullptr) add_lags(memory, later, earlier, block);
}

/// The pairs of one weight.
template <class Scalar>
void PairItems<Scalar>::add_lags(const Memory& memory, const EventChannel& later,
                                 const EventChannel& earlier, double* block) const {
  const int lanes = tables.products->lanes;
  const std::int64_t count = later.bases * earlier.bases;
  const std::int64_t step = whole_lines<double>(earlier.window);
  std::copy(memory.own_lag_sums, memory.own_lag_sums + step, memory.lag_sums);
  std::fill(memory.packs, memory.packs + count * lanes, 0.0);
  tile::DotTile<double> dot{};
  dot.left = lag_taps->of(later.bank, earlier.bank);
  dot.left_row = step;
  dot.right = memory.lag_sums;
  dot.sums = memory.packs;
  dot.rows = count;
  dot.packs = step / lanes;
  dot.last_columns = lanes;
  tables.products->dot(dot);
  const std::int64_t row = whole_lines<double>(earlier.bases);
  for (std::int64_t i = 0; i < count; ++i) {
    double sum = memory.packs[i * lanes];
    for (int l = 1; l < lanes; ++l) sum += memory.packs[i * lanes + l];
    block[i / earlier.bases * row + i % earlier.bases] += sum;
  }
}

/// Adds the block of two channels, forward(b, c) + backward(c, b), and its transpose, to the rows
/// that are wanted.
template <class Scalar>
void PairItems<Scalar>::write(const EventChannel& left, const EventChannel& right,
                              const EventChannel* wanted, const double* forward,
                              const double* backward) const {
  const std::int64_t forward_row = whole_lines<double>(right.bases);
  const std::int64_t backward_row = whole_lines<double>(left.bases);
  const std::int64_t size = design->columns + 1;
  const auto add = [&](std::int64_t row, std::int64_t column, double value) {
    if (row < columns.begin || row >= columns.end) return;
    result[(row - columns.begin) * size + column] += value;
  };
  const bool writes_left = wanted == nullptr || wanted == &left;
  const bool writes_right = &left != &right && (wanted == nullptr || wanted == &right);
  for (std::int64_t b = 0; b < left.bases; ++b) {
    for (std::int64_t c = 0; c < right.bases; ++c) {
      const double value = forward[b * forward_row + c] + backward[c * backward_row + b];
      if (writes_left) add(left.first_column + b, right.first_column + c, value);
      if (writes_right) add(right.first_column + c, left.first_column + b, value);
    }
  }
}

template struct ChunkWeights<float>;
template struct ChunkWeights<double>;
template class PairItems<float>;
template class PairItems<double>;

}  // namespace synelix::glm
