// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch/arrays.hpp"

#include "types/checks.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace synelix::plan {
namespace {

/// Whether two indices of the array may have the same address: each dimension, smallest stride
/// first, must step over the range of all smaller ones.
bool overlaps_itself(const StridedOutput& array) {
  std::array<std::pair<std::int64_t, std::int64_t>, max_rank> steps;
  std::size_t count = 0;
  for (int i = 0; i < array.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (array.extents[k] == 0) return false;
    if (array.extents[k] == 1) continue;
    const std::pair step{array.strides[k], array.extents[k]};
    std::size_t place = count++;
    for (; place > 0 && step < steps[place - 1]; --place) steps[place] = steps[place - 1];
    steps[place] = step;
  }
  std::int64_t reach = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (steps[i].first <= reach) return true;
    reach += (steps[i].second - 1) * steps[i].first;
  }
  return false;
}

std::string shape_text(const SeriesShape& shape) {
  return std::to_string(shape.samples) + " samples x " + std::to_string(shape.channels) +
         " channels of " + (shape.has_events ? "events" : std::string(name_of(shape.type)));
}

}  // namespace

template <class Void>
Addresses addresses_of(const BasicStrided<Void>& array) {
  std::int64_t low = 0;
  std::int64_t high = 1;
  for (int i = 0; i < array.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (array.extents[k] == 0) return {0, 0};
    const std::int64_t reach = (array.extents[k] - 1) * array.strides[k];
    (reach < 0 ? low : high) += reach;
  }
  const auto base = reinterpret_cast<std::uintptr_t>(array.data);
  const std::int64_t size = size_of(array.type);
  return {base + static_cast<std::uintptr_t>(low * size),
          base + static_cast<std::uintptr_t>(high * size)};
}

template Addresses addresses_of(const Strided&);
template Addresses addresses_of(const StridedOutput&);

template <class Void>
std::string extents_text(const BasicStrided<Void>& array) {
  if (array.rank < 0 || array.rank > max_rank) {
    return "an array of " + std::to_string(array.rank) + " dimensions";
  }
  return synelix::extents_text({array.extents.data(), static_cast<std::size_t>(array.rank)});
}

template std::string extents_text(const Strided&);
template std::string extents_text(const StridedOutput&);

std::int64_t product_up_to_most(std::int64_t a, std::int64_t b) {
  return b == 0 || a <= most_bytes / b ? a * b : most_bytes;
}

void check_counted(const char* name, const std::vector<std::int64_t>& extents) {
  std::int64_t values = 1;
  for (const std::int64_t extent : extents) {
    values = product_up_to_most(values, std::max<std::int64_t>(1, extent));
  }
  if (values <= most_values) return;
  throw Error(name, synelix::extents_text(extents) + " is more values than are counted",
              "Use at most 2^48 values");
}

template <class Void>
void check_array(const char* name, const BasicStrided<Void>& array, ArrayMemory memory) {
  if (array.rank < 0 || array.rank > max_rank) {
    throw Error(name, std::to_string(array.rank) + " dimensions are not supported",
                "Use at most " + std::to_string(max_rank));
  }
  require_known(std::string(name) + ".type", array.type);
  bool is_empty = false;
  std::int64_t values = 1;
  std::int64_t bytes = size_of(array.type);
  for (int i = 0; i < array.rank; ++i) {
    const std::int64_t extent = array.extents[static_cast<std::size_t>(i)];
    const std::int64_t stride = array.strides[static_cast<std::size_t>(i)];
    if (extent < 0) {
      throw Error(name, extents_text(array) + " has a negative extent", "Use extents of 0 or more");
    }
    is_empty = is_empty || extent == 0;
    values = product_up_to_most(values, std::max<std::int64_t>(1, extent));
    if (values > most_values) {
      throw Error(name, extents_text(array) + " is more values than are counted",
                  "Use at most 2^48 values");
    }
    if (extent < 2) continue;
    const std::int64_t length =
        stride > -most_bytes ? product_up_to_most(extent - 1, std::abs(stride)) : most_bytes;
    bytes = std::min(most_bytes, bytes + product_up_to_most(length, size_of(array.type)));
    if (bytes == most_bytes) {
      throw Error(name,
                  extents_text(array) + " with a stride of " + std::to_string(stride) +
                      " reaches further than addresses do",
                  "Keep at most 2^56 bytes from the first value to the last");
    }
  }
  if (array.data == nullptr && !is_empty && memory == ArrayMemory::needed) {
    throw Error(name, "a null pointer holds no values", "Pass memory for " + extents_text(array));
  }
}

template void check_array(const char*, const Strided&, ArrayMemory);
template void check_array(const char*, const StridedOutput&, ArrayMemory);

void check_channels(const char* name, const Operand& operand, std::int64_t channels) {
  const auto check = [&](const PerChannel& numbers, const char* part) {
    if (!numbers.is_each() || numbers.count() == channels) return;
    throw Error(
        std::string(name) + part,
        std::to_string(numbers.count()) + " numbers do not match the channels",
        "Give one number, or one for each of the " + std::to_string(channels) + " channels");
  };
  check(operand.scale(), "'s scales");
  check(operand.offset(), "'s offsets");
}

void check_output(const char* name, const StridedOutput& found, const StridedOutput& expected) {
  const bool same_extents =
      found.rank == expected.rank &&
      std::equal(expected.extents.begin(), expected.extents.begin() + expected.rank,
                 found.extents.begin());
  if (!same_extents || found.type != expected.type) {
    throw Error(name,
                extents_text(found) + " of " + std::string(name_of(found.type)) +
                    " does not match the result",
                "Use " + extents_text(expected) + " of " + std::string(name_of(expected.type)));
  }
  check_array(name, found);
  for (int i = 0; i < found.rank; ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (found.strides[k] >= 0 || found.extents[k] < 2) continue;
    throw Error(name,
                extents_text(found) + " has a stride of " + std::to_string(found.strides[k]) +
                    " along dimension " + std::to_string(i),
                "Use an output whose strides are above 0, and reverse the result");
  }
  if (overlaps_itself(found)) {
    throw Error(name, extents_text(found) + " has strides that make values overlap",
                "Use an output in which every value has a place of its own");
  }
}

void check_range(const char* name, Range found, std::int64_t size) {
  if (found.begin < 0 || found.end < found.begin || found.end > size) {
    throw Error(
        name,
        "[" + std::to_string(found.begin) + ", " + std::to_string(found.end) + ") is out of range",
        "Use a range within [0, " + std::to_string(size) + ")");
  }
}

void check_alike(const SeriesShape& first, const SeriesShape& found) {
  if (first.channels != found.channels || first.has_events != found.has_events ||
      first.type != found.type) {
    throw Error("series", shape_text(found) + " differ from the first trial",
                "Use " + std::to_string(first.channels) + " channels of " +
                    (first.has_events ? "events" : std::string(name_of(first.type))) +
                    ", as the first trial has");
  }
  if (!(first.scaling == found.scaling)) {
    throw Error("series", "the scaling differs from that of the first trial",
                "Use the scaling of the first trial");
  }
}

void check_series(const SeriesShape& bound, const SeriesShape& found) {
  if (bound.samples != found.samples || bound.channels != found.channels ||
      bound.has_events != found.has_events || bound.type != found.type) {
    throw Error("series", shape_text(found) + " differ from the plan",
                "Use " + shape_text(bound) + ", which the plan was made for");
  }
  if (bound.epochs != found.epochs) {
    throw Error("series",
                std::to_string(found.epochs.size()) + " epochs differ from those of the plan",
                "Use the " + std::to_string(bound.epochs.size()) + " epochs of the plan");
  }
  if (!(bound.scaling == found.scaling)) {
    throw Error("series", "the scaling differs from that of the plan",
                "Use the scaling that the plan was made for");
  }
}

void check_features(const StridedOutput& features, StoredType type, const Strided& series,
                    int sample_axis, std::int64_t rows, std::int64_t bases) {
  StridedOutput expected;
  expected.type = type;
  expected.rank = series.rank + 1;
  expected.extents = series.extents;
  expected.extents[static_cast<std::size_t>(sample_axis)] = rows;
  expected.extents[static_cast<std::size_t>(series.rank)] = bases;
  check_output("features", features, expected);
}

void check_features(const StridedOutput& features, StoredType type, std::int64_t rows,
                    std::int64_t channels, std::int64_t bases) {
  StridedOutput expected;
  expected.type = type;
  expected.rank = 3;
  expected.extents = {rows, channels, bases};
  check_output("features", features, expected);
}

}  // namespace synelix::plan
