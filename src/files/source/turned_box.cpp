// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reads boxes of datasets whose time is not the first dimension. HDF5 copies values in the order of
// the file, so a part of the box is read in that order, and then transposed in memory.
#include "files/source/axis_order.hpp"

#include <algorithm>

namespace synelix::h5 {
namespace {

using Numbers = std::vector<std::int64_t>;

std::int64_t values_in(const Numbers& numbers) {
  std::int64_t product = 1;
  for (const std::int64_t number : numbers) product *= number;
  return product;
}

/// The extents of the parts of a box: full chunks if they fit, the last dimensions first.
Numbers steps_of(const Numbers& count, const Numbers& chunk, std::int64_t most_values,
                 std::int64_t most_chunks) {
  Numbers steps(count.size(), 1);
  for (std::size_t i = 0; i < chunk.size(); ++i) steps[i] = chunk[i];
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::int64_t product = values_in(steps);
    if (product <= most_values) break;
    steps[i] = std::max<std::int64_t>(most_values / (product / steps[i]), 1);
  }
  std::int64_t chunks = 1;
  for (std::size_t i = steps.size(); i > 0; --i) {
    std::int64_t& step = steps[i - 1];
    std::int64_t factor = most_values / values_in(steps);
    if (!chunk.empty()) factor = std::min(factor, most_chunks / chunks);
    factor = std::clamp<std::int64_t>(factor, 1, (count[i - 1] + step - 1) / step);
    step *= factor;
    chunks *= factor;
  }
  return steps;
}

/// Visits the parts of a box in the order of the file.
template <class Visit>
void for_each_part(const Numbers& start, const Numbers& count, const Numbers& steps,
                   const Visit& visit) {
  const std::size_t rank = start.size();
  const auto length_at = [&](std::size_t i, std::int64_t at) {
    return std::min(start[i] + count[i], (at / steps[i] + 1) * steps[i]) - at;
  };
  Numbers at = start;
  Numbers length(rank);
  for (std::size_t i = 0; i < rank; ++i) length[i] = length_at(i, at[i]);
  for (;;) {
    visit(at, length);
    std::size_t moved = rank;
    for (; moved > 0; --moved) {
      const std::size_t i = moved - 1;
      const std::int64_t next = at[i] + length[i];
      const bool goes_on = next < start[i] + count[i];
      at[i] = goes_on ? next : start[i];
      length[i] = length_at(i, at[i]);
      if (goes_on) break;
    }
    if (moved == 0) return;
  }
}

/// Copies dense values of extents `count` to places with these strides. It copies tiles of two
/// dimensions: the last one, and the one whose values are closest in memory. So each cache line is
/// used while it is in the cache.
template <class Value>
void scatter(const Value* from, const Numbers& count, const Numbers& strides, Value* to) {
  constexpr std::int64_t tile = 32;
  const std::size_t rank = count.size();
  const std::size_t last = rank - 1;
  std::size_t close = last;
  for (std::size_t i = 0; i < rank; ++i) {
    if (count[i] > 1 && (count[close] <= 1 || strides[i] < strides[close])) close = i;
  }
  Numbers dense(rank, 1);
  for (std::size_t i = last; i > 0; --i) dense[i - 1] = dense[i] * count[i];
  const std::int64_t columns = count[last];
  const std::int64_t rows = close == last ? 1 : count[close];
  const std::int64_t from_row = close == last ? 0 : dense[close];
  const std::int64_t to_row = close == last ? 0 : strides[close];
  const std::int64_t to_column = strides[last];
  Numbers at(rank, 0);
  for (;;) {
    std::int64_t from_begin = 0;
    std::int64_t to_begin = 0;
    for (std::size_t i = 0; i < rank; ++i) {
      from_begin += at[i] * dense[i];
      to_begin += at[i] * strides[i];
    }
    for (std::int64_t c = 0; c < columns; c += tile) {
      const std::int64_t end = std::min(c + tile, columns);
      for (std::int64_t r = 0; r < rows; ++r) {
        const Value* const source = from + from_begin + r * from_row;
        Value* const target = to + to_begin + r * to_row;
        for (std::int64_t k = c; k < end; ++k) target[k * to_column] = source[k];
      }
    }
    std::size_t moved = rank;
    for (; moved > 0; --moved) {
      const std::size_t i = moved - 1;
      if (i == last || i == close) continue;
      if (++at[i] < count[i]) break;
      at[i] = 0;
    }
    if (moved == 0) return;
  }
}

void scatter_bytes(std::size_t size, const std::byte* from, const Numbers& count,
                   const Numbers& strides, std::byte* to) {
  const auto scatter_as = [&]<class Value>(Value*) {
    scatter(reinterpret_cast<const Value*>(from), count, strides, reinterpret_cast<Value*>(to));
  };
  if (size == 1) return scatter_as(static_cast<std::uint8_t*>(nullptr));
  if (size == 2) return scatter_as(static_cast<std::uint16_t*>(nullptr));
  if (size == 4) return scatter_as(static_cast<float*>(nullptr));
  scatter_as(static_cast<double*>(nullptr));
}

}  // namespace

void read_turned(const Dataset& dataset, hid_t memory_type, const AxisOrder& axes,
                 const TurnedBox& box, std::vector<std::byte>& scratch, std::byte* to,
                 const std::string& failing) {
  const std::size_t size = H5Tget_size(memory_type);
  const Numbers start = axes.to_file(box.start);
  const Numbers count = axes.to_file(box.count);
  Numbers of_series(box.count.size(), 1);
  for (std::size_t i = of_series.size() - 1; i > 0; --i) {
    of_series[i - 1] = i > 1 ? of_series[i] * box.count[i] : box.row;
  }
  if (of_series.size() == 1) of_series[0] = box.row;
  const Numbers strides = axes.to_file(of_series);
  const Numbers chunk = axes.chunk.empty() ? axes.chunk : axes.to_file(axes.chunk);
  const auto most = static_cast<std::int64_t>(scratch.size() / size);
  const Numbers steps = steps_of(count, chunk, most, box.chunks);
  const Space in_file(H5Dget_space(dataset.id()), failing);
  for_each_part(start, count, steps, [&](const Numbers& at, const Numbers& length) {
    const std::vector<hsize_t> from(at.begin(), at.end());
    const std::vector<hsize_t> extents(length.begin(), length.end());
    const Space in_memory(
        H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr), failing);
    check(H5Sselect_hyperslab(in_file.id(), H5S_SELECT_SET, from.data(), nullptr, extents.data(),
                              nullptr),
          failing);
    check(H5Dread(dataset.id(), memory_type, in_memory.id(), in_file.id(), H5P_DEFAULT,
                  scratch.data()),
          failing);
    std::int64_t place = 0;
    for (std::size_t i = 0; i < at.size(); ++i) place += (at[i] - start[i]) * strides[i];
    scatter_bytes(size, scratch.data(), length, strides,
                  to + static_cast<std::size_t>(place) * size);
  });
}

}  // namespace synelix::h5
