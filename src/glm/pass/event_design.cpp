// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_design.hpp"

#include "tune/fit.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

namespace synelix::glm {
namespace {

TapBank make_bank(const Taps& taps) {
  TapBank bank;
  bank.window = taps.window;
  bank.bases = taps.bases;
  bank.row_values = whole_lines<double>(taps.bases);
  bank.values = taps.values;
  const std::int64_t filter = whole_lines<double>(taps.window);
  bank.filters.assign(static_cast<std::size_t>(taps.bases * filter), 0.0);
  bank.absolute = bank.filters;
  bank.rows.assign(static_cast<std::size_t>(taps.window * bank.row_values), 0.0);
  for (std::int64_t w = 0; w < taps.window; ++w) {
    for (std::int64_t b = 0; b < taps.bases; ++b) {
      const double tap = taps(w, b);
      bank.filters[static_cast<std::size_t>(b * filter + w)] = tap;
      bank.absolute[static_cast<std::size_t>(b * filter + w)] = std::fabs(tap);
      bank.rows[static_cast<std::size_t>(w * bank.row_values + b)] = tap;
    }
  }
  return bank;
}

std::int64_t find_bank(std::vector<TapBank>& banks, const Taps& taps) {
  for (std::size_t i = 0; i < banks.size(); ++i) {
    const TapBank& bank = banks[i];
    if (bank.window == taps.window && bank.bases == taps.bases && bank.values == taps.values) {
      return static_cast<std::int64_t>(i);
    }
  }
  banks.push_back(make_bank(taps));
  return static_cast<std::int64_t>(banks.size()) - 1;
}

std::vector<float> absolute_counts_of(const Events& events) {
  const float* const counts = events.counts();
  const auto n = static_cast<std::ptrdiff_t>(events.shape().events);
  if (counts == nullptr || std::none_of(counts, counts + n, [](float c) { return c < 0; })) {
    return {};
  }
  std::vector<float> absolute(counts, counts + n);
  for (float& count : absolute) count = std::fabs(count);
  return absolute;
}

void add_channels(EventDesign& design, const EventTerm& term) {
  const Events& events = term.events;
  for (std::int64_t c = 0; c < term.channels; ++c) {
    EventChannel channel;
    const std::int64_t first = events.begins()[c];
    channel.samples = events.sample_indices() + first;
    channel.counts = events.counts() == nullptr ? nullptr : events.counts() + first;
    channel.absolute_counts =
        term.absolute_counts.empty() ? channel.counts : term.absolute_counts.data() + first;
    channel.events = events.begins()[c + 1] - first;
    channel.offset = term.offset;
    channel.window = term.window;
    channel.bases = term.bases;
    channel.first_column = term.first_column + c * term.bases;
    channel.bank = term.bank;
    channel.window_place = design.window_values;
    channel.float_place = design.window_floats;
    design.window_values += whole_lines<double>(term.window);
    design.window_floats += whole_lines<float>(term.window);
    design.events += channel.events;
    design.channels.push_back(channel);
  }
}

}  // namespace

std::int64_t EventDesign::bytes() const {
  std::size_t bytes = channels.size() * sizeof(EventChannel) + valid.size() * sizeof(Range);
  for (const TapBank& bank : banks) {
    bytes += (bank.values.size() + 2 * bank.filters.size() + bank.rows.size()) * sizeof(double);
  }
  for (const EventTerm& term : event_terms) bytes += term.absolute_counts.size() * sizeof(float);
  return static_cast<std::int64_t>(bytes);
}

EventDesign make_event_design(const std::vector<Term>& terms,
                              const std::vector<Component>& components,
                              std::span<const Events* const> inputs, std::vector<Range> valid) {
  EventDesign design;
  design.terms = terms;
  design.valid = std::move(valid);
  std::int64_t longest = 1;
  design.event_terms.reserve(terms.size());  // channels refer to its elements
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Component& component = components[i];
    const Events& events = *inputs[static_cast<std::size_t>(component.inputs.begin)];
    design.rows = events.shape().samples;
    EventTerm term{events, absolute_counts_of(events)};
    term.bank = find_bank(design.banks, *component.taps);
    term.window = component.window;
    term.bases = component.taps->bases;
    term.offset = lag_offset(component.causality, component.shift, component.window);
    term.channels = terms[i].channels;
    term.first_channel = static_cast<std::int64_t>(design.channels.size());
    term.first_column = terms[i].columns.begin;
    longest = std::max(longest, term.window);
    design.most_bases = std::max(design.most_bases, term.bases);
    design.columns = terms[i].columns.end;
    design.event_terms.push_back(std::move(term));
    add_channels(design, design.event_terms.back());
  }
  design.halo = whole_lines<float>(longest);
  design.tile_rows = tune::event_tile_rows(longest);
  return design;
}

std::vector<Range>::const_iterator range_behind(const std::vector<Range>& ranges,
                                                std::int64_t row) {
  return std::upper_bound(ranges.begin(), ranges.end(), row,
                          [](std::int64_t r, const Range& range) { return r < range.end; });
}

bool has_valid(const std::vector<Range>& valid, Range rows) {
  const auto range = range_behind(valid, rows.begin);
  return range != valid.end() && range->begin < rows.end;
}

bool mask_invalid(const std::vector<Range>& valid, Range rows, double* weights) {
  std::int64_t at = rows.begin;
  bool any = false;
  for (auto range = range_behind(valid, rows.begin); range != valid.end(); ++range) {
    if (range->begin >= rows.end) break;
    any = true;
    if (range->begin > at) {
      std::fill(weights + (at - rows.begin), weights + (range->begin - rows.begin), 0.0);
    }
    at = std::min(range->end, rows.end);
  }
  std::fill(weights + (at - rows.begin), weights + rows.size(), 0.0);
  return any;
}

}  // namespace synelix::glm
