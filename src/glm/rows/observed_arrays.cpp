// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/rows/observed_arrays.hpp"

#include "index/range.hpp"
#include "launch/arrays.hpp"
#include "machine/host_memory.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace synelix::glm {
namespace {

constexpr std::int64_t word_bits = 64;

void require_reached(const char* name, const Operand& operand) {
  for (const char* const space :
       {operand.memory_space(), operand.scale().memory_space(), operand.offset().memory_space()}) {
    if (is_reached_by_host(space)) continue;
    throw Error(name, std::string("it lies in ") + space + ", which the host does not reach",
                "Use memory of the host");
  }
}

Scaling scaling_of(const Operand& operand) {
  Scaling scaling;
  scaling.scale = operand.scale().all();
  scaling.offset = operand.offset().all();
  const auto copy = [](const PerChannel& numbers, std::vector<double>& to) {
    if (numbers.is_each()) to.assign(numbers.each(), numbers.each() + numbers.count());
  };
  copy(operand.scale(), scaling.channel_scale);
  copy(operand.offset(), scaling.channel_offset);
  return scaling;
}

template <class Value>
void read_strided(const void* data, std::int64_t first, std::int64_t step, std::int64_t count,
                  double* values) {
  const Value* const from = static_cast<const Value*>(data) + first;
  for (std::int64_t i = 0; i < count; ++i) values[i] = static_cast<double>(from[i * step]);
}

void read_stored(const Strided& array, std::int64_t first, std::int64_t step, std::int64_t count,
                 double* values) {
  switch (array.type) {
    case StoredType::float32:
      return read_strided<float>(array.data, first, step, count, values);
    case StoredType::float64:
      return read_strided<double>(array.data, first, step, count, values);
    case StoredType::int8:
      return read_strided<std::int8_t>(array.data, first, step, count, values);
    case StoredType::uint8:
      return read_strided<std::uint8_t>(array.data, first, step, count, values);
    case StoredType::int16:
      return read_strided<std::int16_t>(array.data, first, step, count, values);
    case StoredType::uint16:
      return read_strided<std::uint16_t>(array.data, first, step, count, values);
  }
}

/// Counts of a channel of events; 0 in rows without an event.
void read_events(const Events& events, std::int64_t channel, Range rows, double* values) {
  std::fill_n(values, rows.size(), 0.0);
  const std::int64_t* const samples = events.sample_indices();
  const std::int64_t* const end = samples + events.begins()[channel + 1];
  const std::int64_t* event = std::lower_bound(samples + events.begins()[channel], end, rows.begin);
  for (; event != end && *event < rows.end; ++event) {
    const double count =
        events.counts() == nullptr ? 1.0 : static_cast<double>(events.counts()[event - samples]);
    values[*event - rows.begin] += count;
  }
}

}  // namespace

ObservedArrays::ObservedArrays(const Observations& observations, std::int64_t rows,
                               std::vector<std::uint8_t> folds)
    : m_rows(rows),
      m_folds(std::move(folds)),
      m_is_common(observations.rows == Observations::Rows::common) {
  bind_targets(observations.targets);
  m_offset = columns_of("offset", observations.offset, rows);
  if (m_offset.channels > 1 && m_offset.channels != targets()) {
    throw Error("offset",
                std::to_string(m_offset.channels) + " columns are not one for each of " +
                    std::to_string(targets()) + " targets",
                "Pass (rows) or (rows, targets)");
  }
  m_row_weights = columns_of("row_weights", observations.row_weights, rows);
  if (m_row_weights.channels > 1) {
    throw Error("row_weights", plan::extents_text(m_row_weights.array) + " has several columns",
                "Pass one weight for each row");
  }
  if (!m_folds.empty() && static_cast<std::int64_t>(m_folds.size()) != rows) {
    throw Error(
        "folds",
        std::to_string(m_folds.size()) + " folds do not match " + std::to_string(rows) + " rows",
        "Pass the fold of each row");
  }
  if (may_be_missing()) find_common_rows();
  find_counted_rows();
}

ObservedArrays::Columns ObservedArrays::columns_of(const char* name, const Operand& operand,
                                                   std::int64_t rows) {
  Columns columns;
  if (!operand.is_given()) return columns;
  plan::check_array(name, operand.array());
  require_reached(name, operand);
  columns.array = operand.array();
  const Strided& array = columns.array;
  if (array.rank > 2 || array.extents[0] != rows || (array.rank == 2 && array.extents[1] < 1)) {
    throw Error(name,
                plan::extents_text(array) + " does not match the " + std::to_string(rows) +
                    " rows of the design matrix",
                "Pass " + std::to_string(rows) + " rows");
  }
  columns.channels = array.rank == 2 ? array.extents[1] : 1;
  plan::check_channels(name, operand, columns.channels);
  columns.scaling = scaling_of(operand);
  return columns;
}

void ObservedArrays::bind_targets(const AnySeries& targets) {
  m_events = targets.events();
  const SeriesShape shape = targets.shape().series;
  if (shape.samples != m_rows) {
    throw Error("targets",
                std::to_string(shape.samples) + " rows do not match the " + std::to_string(m_rows) +
                    " rows of the design matrix",
                "Pass one value for each row");
  }
  m_targets.channels = shape.channels;
  m_epochs = shape.epochs.list();
  if (m_events != nullptr) {
    if (!m_events->is_on_host()) {
      throw Error("targets",
                  std::string("the lists of the events lie in ") + m_events->memory_space(),
                  "Pass Events of the host");
    }
    return;
  }
  require_reached("targets", targets.samples());
  m_targets.array = targets.samples().array();
  m_targets.axis = targets.sample_axis();
  m_targets.scaling = shape.scaling;
}

void ObservedArrays::Columns::read(std::int64_t channel, Range rows, double* values) const {
  const auto time = static_cast<std::size_t>(axis);
  const std::int64_t step = array.strides[time];
  std::int64_t first = rows.begin * step;
  std::int64_t rest = channel;
  for (auto d = static_cast<std::size_t>(array.rank); d-- > 0;) {
    if (d == time) continue;
    first += rest % array.extents[d] * array.strides[d];
    rest /= array.extents[d];
  }
  read_stored(array, first, step, rows.size(), values);
  if (scaling.is_identity()) return;
  const auto of_channel = [channel](double all, const std::vector<double>& each) {
    return each.empty() ? all : each[static_cast<std::size_t>(channel)];
  };
  const double scale = of_channel(scaling.scale, scaling.channel_scale);
  const double offset = of_channel(scaling.offset, scaling.channel_offset);
  for (std::int64_t i = 0; i < rows.size(); ++i) values[i] = values[i] * scale + offset;
}

bool ObservedArrays::may_be_missing() const {
  if (!m_epochs.empty()) return true;
  if (m_events != nullptr) return false;
  return m_targets.array.type == StoredType::float32 || m_targets.array.type == StoredType::float64;
}

void ObservedArrays::find_common_rows() {
  constexpr std::int64_t together = 4096;
  m_common.assign(static_cast<std::size_t>((m_rows + word_bits - 1) / word_bits),
                  ~std::uint64_t{0});
  const auto leave_out = [this](std::int64_t row) {
    m_common[static_cast<std::size_t>(row / word_bits)] &= ~(std::uint64_t{1} << (row % word_bits));
  };
  std::vector<double> values(static_cast<std::size_t>(together));
  for (std::int64_t first = 0; first < m_rows; first += together) {
    const Range rows{first, std::min(m_rows, first + together)};
    for (std::int64_t target = 0; target < targets(); ++target) {
      read_found(target, rows, values.data());
      for (std::int64_t t = rows.begin; t < rows.end; ++t) {
        if (!std::isfinite(values[static_cast<std::size_t>(t - first)])) leave_out(t);
      }
    }
  }
  if (m_epochs.empty()) return;
  std::int64_t row = 0;
  for (const Epoch& epoch : m_epochs) {
    for (; row < epoch.begin; ++row) leave_out(row);
    row = std::max(row, epoch.end);
  }
  for (; row < m_rows; ++row) leave_out(row);
}

/// Uses only epochs and row weights. Missing targets at an end are few, and are ignored.
void ObservedArrays::find_counted_rows() {
  m_counted = {0, m_rows};
  if (!m_epochs.empty()) m_counted = {m_epochs.front().begin, m_epochs.back().end};
  if (m_row_weights.channels == 0) return;
  constexpr std::int64_t together = 4096;
  std::vector<double> weights(static_cast<std::size_t>(together));
  const auto has_weight = [](double weight) { return weight != 0; };
  Range found{m_counted.end, m_counted.begin};
  for (std::int64_t first = m_counted.begin; first < m_counted.end; first += together) {
    const Range rows{first, std::min(m_counted.end, first + together)};
    m_row_weights.read(0, rows, weights.data());
    const auto end = weights.begin() + rows.size();
    const auto one = std::find_if(weights.begin(), end, has_weight);
    if (one == end) continue;
    found.begin = std::min(found.begin, first + (one - weights.begin()));
    const auto last = std::find_if(std::make_reverse_iterator(end), weights.rend(), has_weight);
    found.end = first + (weights.rend() - last);
  }
  m_counted = found.begin < found.end ? found : Range{0, 0};
}

void ObservedArrays::read_found(std::int64_t target, Range rows, double* values) const {
  if (m_events != nullptr) return read_events(*m_events, target, rows, values);
  m_targets.read(target, rows, values);
}

void ObservedArrays::read_targets(std::int64_t target, Range rows, double* values) const {
  read_found(target, rows, values);
  if (m_events != nullptr) return;  // counts are finite
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    if (!std::isfinite(values[i])) values[i] = 0;
  }
}

void ObservedArrays::read_weights(const RowsOf& choice, Range rows, double* weights) const {
  const std::int64_t count = rows.size();
  const bool has_own_rows = !m_is_common && choice.target >= 0;
  if (has_own_rows && !m_common.empty()) {
    // First marks missing values, in the memory of the weights; then epochs, then weights.
    read_found(choice.target, rows, weights);
    for (std::int64_t i = 0; i < count; ++i) weights[i] = std::isfinite(weights[i]) ? 1.0 : 0.0;
    if (!m_epochs.empty()) {
      auto epoch = std::upper_bound(m_epochs.begin(), m_epochs.end(), rows.begin,
                                    [](std::int64_t row, const Epoch& e) { return row < e.end; });
      for (std::int64_t t = rows.begin; t < rows.end; ++t) {
        while (epoch != m_epochs.end() && epoch->end <= t) ++epoch;
        if (epoch == m_epochs.end() || t < epoch->begin) weights[t - rows.begin] = 0;
      }
    }
  } else {
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t t = rows.begin + i;
      const bool counts = m_common.empty() ||
                          (m_common[static_cast<std::size_t>(t / word_bits)] >> (t % word_bits) &
                           std::uint64_t{1}) != 0;
      weights[i] = counts ? 1.0 : 0.0;
    }
  }
  if (m_row_weights.channels > 0) {
    constexpr std::int64_t together = 128;
    double of_rows[together];
    for (std::int64_t first = 0; first < count; first += together) {
      const std::int64_t end = std::min(count, first + together);
      m_row_weights.read(0, {rows.begin + first, rows.begin + end}, of_rows);
      for (std::int64_t i = first; i < end; ++i) {
        if (weights[i] != 0) weights[i] = of_rows[i - first];
      }
    }
  }
  if (m_folds.empty() || choice.folds == RowsOf::Fold::all) return;
  const bool is_only = choice.folds == RowsOf::Fold::only;
  for (std::int64_t i = 0; i < count; ++i) {
    const bool is_fold = m_folds[static_cast<std::size_t>(rows.begin + i)] == choice.fold;
    if (is_fold != is_only) weights[i] = 0;
  }
}

void ObservedArrays::read_offsets(std::int64_t target, Range rows, double* offsets) const {
  m_offset.read(m_offset.channels > 1 ? target : 0, rows, offsets);
}

}  // namespace synelix::glm
