// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/pass/event_blocks.hpp"

#include "tune/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace synelix::glm {
namespace {

constexpr std::int64_t page_bytes = 4096;
constexpr int running_sums = 8;  // one for each lane of the widest set: the compiler makes packs

/// The sum of the values, from eight interleaved partial sums that are added in order.
double running_sum_of(const double* values, std::int64_t count) {
  double sums[running_sums] = {};
  std::int64_t i = 0;
  for (; i + running_sums <= count; i += running_sums) {
    for (int l = 0; l < running_sums; ++l) sums[l] += values[i + l];
  }
  for (; i < count; ++i) sums[i % running_sums] += values[i];
  double sum = sums[0];
  for (int l = 1; l < running_sums; ++l) sum += sums[l];
  return sum;
}

double running_absolute_sum_of(const double* values, std::int64_t count) {
  double sums[running_sums] = {};
  for (std::int64_t i = 0; i < count; ++i) sums[i % running_sums] += std::fabs(values[i]);
  double sum = sums[0];
  for (int l = 1; l < running_sums; ++l) sum += sums[l];
  return sum;
}

template <class Stored, class Scalar>
void read_as(const Strided& array, std::int64_t column, Range rows, Scalar* values) {
  const std::int64_t step = array.strides[0];
  const auto* from = static_cast<const Stored*>(array.data) + rows.begin * step +
                     (array.rank > 1 ? column * array.strides[1] : 0);
  for (std::int64_t i = 0; i < rows.size(); ++i) values[i] = static_cast<Scalar>(from[i * step]);
}

template <class Scalar>
void read(const Strided& array, std::int64_t column, Range rows, Scalar* values) {
  switch (array.type) {
    case StoredType::float32:
      return read_as<float>(array, column, rows, values);
    case StoredType::float64:
      return read_as<double>(array, column, rows, values);
    case StoredType::int8:
      return read_as<std::int8_t>(array, column, rows, values);
    case StoredType::uint8:
      return read_as<std::uint8_t>(array, column, rows, values);
    case StoredType::int16:
      return read_as<std::int16_t>(array, column, rows, values);
    case StoredType::uint16:
      return read_as<std::uint16_t>(array, column, rows, values);
  }
}

/// Calls body(rows) for the valid parts of a tile.
template <class Body>
void for_each_valid(const EventDesign& design, Range tile, const Body& body) {
  auto range = range_behind(design.valid, tile.begin);
  for (; range != design.valid.end() && range->begin < tile.end; ++range) {
    body(Range{std::max(range->begin, tile.begin), std::min(range->end, tile.end)});
  }
}

}  // namespace

template <class Scalar>
std::int64_t EventScratch<Scalar>::bytes(const EventDesign& design, int lanes, int window_sets) {
  return EventScratch(design, lanes, window_sets, nullptr).m_bytes;
}

template <class Scalar>
EventScratch<Scalar>::EventScratch(const EventDesign& design, int lanes, int window_sets,
                                   std::byte* memory)
    : m_memory(memory) {
  const std::int64_t buffer = EventTiles<Scalar>::buffer_values(design);
  cursors = take<EventCursor>(static_cast<std::int64_t>(design.channels.size()));
  align_to(page_bytes - design.halo * static_cast<std::int64_t>(sizeof(Scalar)));
  rows = take<Scalar>(buffer);
  curvatures = take<Scalar>(window_sets > 1 ? buffer : 0);
  windows = take<Scalar>(window_sets * design.windows<Scalar>());
  products = take<double>(EventTiles<Scalar>::product_values(design, lanes));
  // 4K aliasing: a load waits for an earlier store whose address has the same low 12 bits. So the
  // arrays of a row loss begin at different offsets within a page.
  std::int64_t page_offset = 0;
  for (double** const array : {&predictors, &targets, &weights, &row_curvatures}) {
    align_to(page_offset);
    *array = take<double>(tune::event_loss_rows);
    page_offset += page_bytes / 4 + static_cast<std::int64_t>(line_bytes);
  }
}

/// The next array begins at this offset within a page, counted from the start of the scratch.
template <class Scalar>
void EventScratch<Scalar>::align_to(std::int64_t page_offset) {
  m_bytes += ((page_offset - m_bytes) % page_bytes + page_bytes) % page_bytes;
}

template <class Scalar>
template <class Value>
Value* EventScratch<Scalar>::take(std::int64_t values) {
  auto* const begin = m_memory == nullptr ? nullptr : m_memory + m_bytes;
  constexpr auto line = static_cast<std::int64_t>(line_bytes);
  m_bytes += (values * static_cast<std::int64_t>(sizeof(Value)) + line - 1) / line * line;
  return reinterpret_cast<Value*>(begin);
}

template <class Scalar>
Range BlockWork<Scalar>::block(std::int64_t i) const {
  const std::int64_t first = rows.begin / tune::event_block_rows + i;
  return {std::max(rows.begin, first * tune::event_block_rows),
          std::min(rows.end, (first + 1) * tune::event_block_rows)};
}

template <class Scalar>
void KernelItems<Scalar>::compute(std::int64_t item, std::int64_t team) const {
  static_cast<void>(team);
  const auto channels = static_cast<std::int64_t>(design->channels.size());
  const EventChannel& channel = design->channels[static_cast<std::size_t>(item % channels)];
  const TapBank& bank = design->banks[static_cast<std::size_t>(channel.bank)];
  Scalar* const kernel =
      kernels + item / channels * design->windows<Scalar>() + place_of<Scalar>(channel);
  std::fill(kernel, kernel + whole_lines<Scalar>(channel.window), Scalar(0));
  const double* const own = coefficients[item / channels] + channel.first_column * step;
  for (std::int64_t w = 0; w < channel.window; ++w) {
    double sum = 0;
    for (std::int64_t b = 0; b < channel.bases; ++b) {
      sum += bank.values[static_cast<std::size_t>(w * channel.bases + b)] * own[b * step];
    }
    kernel[w] = static_cast<Scalar>(sum);
  }
}

template <class Scalar>
struct EvaluateItems<Scalar>::Block {
  const Request& request;
  EventScratch<Scalar> scratch;
  EventTiles<Scalar> tiles;
  Scalar* kernels;
  double* sums;
};

template <class Scalar>
void EvaluateItems<Scalar>::compute(std::int64_t item, std::int64_t team) const {
  const EventDesign& design = *work.design;
  const std::int64_t r = item / work.blocks;
  const Range rows = work.block(item % work.blocks);
  const EventScratch<Scalar> scratch = work.scratch_of(team);
  const Request& request = requests[static_cast<std::size_t>(r)];
  const std::int64_t windows = design.windows<Scalar>();
  Block block{request,
              scratch,
              {design, work.tables, scratch.cursors},
              work.kernels + r * windows,
              sums + item * layout.values()};
  std::fill(block.sums, block.sums + layout.values(), 0.0);
  std::fill(scratch.windows, scratch.windows + work.window_sets * windows, Scalar(0));
  if (curvatures != nullptr) {
    Scalar* const own = curvatures + (rows.begin - work.rows.begin);
    std::fill(own, own + rows.size(), Scalar(0));
  }
  block.tiles.begin(rows.begin);
  for_each_tile(design, rows, every, [&](Range tile) { run_tile(block, tile); });
  if (loss != nullptr) {
    block.tiles.multiply_taps(scratch.windows, false, scratch.products, block.sums + layout.set(0));
  }
  int set = 1;
  if (wants_curvatures) {
    block.tiles.multiply_taps(scratch.windows + set * windows, false, scratch.products,
                              block.sums + layout.set(set));
    ++set;
  }
  if (request.wants_scale) {
    block.tiles.multiply_taps(scratch.windows + set * windows, true, scratch.products,
                              block.sums + layout.set(set));
  }
}

template <class Scalar>
void EvaluateItems<Scalar>::run_tile(Block& block, Range tile) const {
  const EventDesign& design = *work.design;
  const EventScratch<Scalar>& scratch = block.scratch;
  const std::int64_t windows = design.windows<Scalar>();
  block.tiles.move(tile);
  if (loss != nullptr) block.tiles.scatter(block.kernels, scratch.rows);
  for (std::int64_t t = tile.begin; t < tile.end; t += tune::event_loss_rows) {
    const std::int64_t place = design.halo + t - tile.begin;
    run_rows(block, {t, std::min(t + tune::event_loss_rows, tile.end)}, scratch.rows + place,
             wants_curvatures ? scratch.curvatures + place : nullptr);
  }
  if (loss != nullptr) {
    block.tiles.clear_halo(scratch.rows);
    block.tiles.gather(scratch.rows, scratch.windows, false);
  }
  int set = 1;
  if (wants_curvatures) {
    block.tiles.clear_halo(scratch.curvatures);
    block.tiles.gather(scratch.curvatures, scratch.windows + set * windows, false);
    if (curvatures != nullptr) {
      const Scalar* const from = scratch.curvatures + design.halo;
      std::copy(from, from + tile.size(), curvatures + (tile.begin - work.rows.begin));
    }
    ++set;
  }
  if (block.request.wants_scale) {
    Scalar* const values = scratch.rows + design.halo;
    for (std::int64_t i = 0; i < tile.size(); ++i) values[i] = std::fabs(values[i]);
    block.tiles.gather(scratch.rows, scratch.windows + set * windows, true);
  }
}

template <class Scalar>
void EvaluateItems<Scalar>::run_rows(Block& block, Range rows, Scalar* values,
                                     Scalar* curvature_rows) const {
  const EventScratch<Scalar>& scratch = block.scratch;
  const std::int64_t n = rows.size();
  const std::int64_t columns = work.design->columns;
  if (!has_valid(work.design->valid, rows)) {
    std::fill(values, values + n, Scalar(0));
    if (curvature_rows != nullptr) std::fill(curvature_rows, curvature_rows + n, Scalar(0));
    return;
  }
  observed->read_weights(block.request.rows, rows, scratch.weights);
  mask_invalid(work.design->valid, rows, scratch.weights);
  block.sums[BlockSums::weight] += running_sum_of(scratch.weights, n);
  double* const predictors = [&] {  // rows of doubles are used in place
    if constexpr (sizeof(Scalar) == sizeof(double))
      return values;
    else
      return scratch.predictors;
  }();
  double* row_curvatures = curvature_rows == nullptr ? nullptr : scratch.row_curvatures;
  if (loss == nullptr) {
    row_curvatures = scratch.weights;
  } else {
    const double intercept = block.request.parameters[columns];
    for (std::int64_t i = 0; i < n; ++i) predictors[i] = static_cast<double>(values[i]) + intercept;
    if (observed->has_offset()) {
      observed->read_offsets(block.request.rows.target, rows, scratch.targets);
      for (std::int64_t i = 0; i < n; ++i) predictors[i] += scratch.targets[i];
    }
    observed->read_targets(block.request.rows.target, rows, scratch.targets);
    // This is a named variable, because nvcc 13 drops the braces of a temporary in such a sum.
    const tile::RowLossTile rows_loss{
        predictors, scratch.targets, scratch.weights, n, block.request.dispersion,
        predictors, row_curvatures};
    block.sums[BlockSums::loss] += loss->of_rows(rows_loss);
    block.sums[layout.set(0) + columns] += running_sum_of(predictors, n);
    if constexpr (sizeof(Scalar) != sizeof(double)) std::copy(predictors, predictors + n, values);
  }
  int set = 1;
  if (curvature_rows != nullptr) {
    std::copy(row_curvatures, row_curvatures + n, curvature_rows);
    block.sums[layout.set(set++) + columns] += running_sum_of(row_curvatures, n);
  }
  if (block.request.wants_scale) {
    block.sums[layout.set(set) + columns] += running_absolute_sum_of(predictors, n);
  }
}

template <class Scalar>
void ApplyItems<Scalar>::compute(std::int64_t item, std::int64_t team) const {
  const EventDesign& design = *work.design;
  const std::int64_t r = item / work.blocks;
  const Range rows = work.block(item % work.blocks);
  const EventScratch<Scalar> scratch = work.scratch_of(team);
  const auto to = [&](std::int64_t row) -> double& {
    return predictors[(row - work.rows.begin) * right_hand_sides + r];
  };
  for (std::int64_t t = rows.begin; t < rows.end; ++t) {
    to(t) = std::numeric_limits<double>::quiet_NaN();
  }
  EventTiles<Scalar> tiles(design, work.tables, scratch.cursors);
  tiles.begin(rows.begin);
  for_each_tile(design, rows, 1, [&](Range tile) {
    tiles.move(tile);
    tiles.scatter(work.kernels + r * design.windows<Scalar>(), scratch.rows);
    for_each_valid(design, tile, [&](Range part) {
      for (std::int64_t t = part.begin; t < part.end; ++t) {
        to(t) = static_cast<double>(scratch.rows[design.halo + t - tile.begin]);
      }
    });
  });
}

template <class Scalar>
void AdjointItems<Scalar>::compute(std::int64_t item, std::int64_t team) const {
  const EventDesign& design = *work.design;
  const Range rows = work.block(item % work.blocks);
  const EventScratch<Scalar> scratch = work.scratch_of(team);
  std::fill(scratch.windows, scratch.windows + design.windows<Scalar>(), Scalar(0));
  EventTiles<Scalar> tiles(design, work.tables, scratch.cursors);
  tiles.begin(rows.begin);
  for_each_tile(design, rows, 1, [&](Range tile) {
    tiles.move(tile);
    std::fill(scratch.rows, scratch.rows + EventTiles<Scalar>::buffer_values(design), Scalar(0));
    for_each_valid(design, tile, [&](Range part) {
      read(residuals, first_right_hand_side + item / work.blocks, part,
           scratch.rows + design.halo + part.begin - tile.begin);
    });
    tiles.gather(scratch.rows, scratch.windows, false);
  });
  tiles.multiply_taps(scratch.windows, false, scratch.products, sums + item * design.columns);
}

#define SYNELIX_INSTANTIATE(SCALAR)     \
  template class EventScratch<SCALAR>;  \
  template struct BlockWork<SCALAR>;    \
  template class KernelItems<SCALAR>;   \
  template class EvaluateItems<SCALAR>; \
  template class ApplyItems<SCALAR>;    \
  template class AdjointItems<SCALAR>;
SYNELIX_INSTANTIATE(float)
SYNELIX_INSTANTIATE(double)
#undef SYNELIX_INSTANTIATE

}  // namespace synelix::glm
