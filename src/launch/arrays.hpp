// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>
#include <synelix/strided.hpp>
#include <synelix/types/scaled.hpp>
#include <synelix/types/series.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// Checks of arrays against a plan, before any launch.

namespace synelix::plan {

/// "(10000, 10, 8)"
template <class Void>
std::string extents_text(const BasicStrided<Void>& array);

/// The most values of an array, and the most bytes from its first to its last value. Within these
/// bounds, numbers computed from the extents and strides of one or two arrays fit in 64 bits. No
/// memory holds more.
inline constexpr std::int64_t most_values = std::int64_t{1} << 48;
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 56;

/// a b, or `most_bytes` if it is more; a, b >= 0.
std::int64_t product_up_to_most(std::int64_t a, std::int64_t b);

/// Whether an array needs memory: not if only the choice of a call is made.
enum class ArrayMemory : std::uint8_t { needed, not_needed };

/// Throws if an array has an unknown type, a wrong rank, negative extents, too many values, too
/// large a span, or values but no memory.
template <class Void>
void check_array(const char* name, const BasicStrided<Void>& array,
                 ArrayMemory memory = ArrayMemory::needed);

/// Throws if an operand has scales or offsets for each channel that are not `channels` numbers.
void check_channels(const char* name, const Operand& operand, std::int64_t channels);

/// Throws if a result that does not exist yet would have too many values.
void check_counted(const char* name, const std::vector<std::int64_t>& extents);

/// Throws if a range is outside of [0, size).
void check_range(const char* name, Range found, std::int64_t size);

/// The bytes of an array: the first one, and one past the last.
struct Addresses {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

template <class Void>
Addresses addresses_of(const BasicStrided<Void>& array);

/// The part of an output of `Scalar` that starts at one of its rows.
template <class Scalar>
StridedOutput from_row(StridedOutput features, std::int64_t row, int axis) {
  features.data =
      static_cast<Scalar*>(features.data) + row * features.strides[static_cast<std::size_t>(axis)];
  return features;
}

/// Throws if a trial differs from the first in more than samples, epochs and events.
void check_alike(const SeriesShape& first, const SeriesShape& found);

/// Throws if a series has another shape or stored type than the plan's.
void check_series(const SeriesShape& bound, const SeriesShape& found);

/// Throws if an output has other extents or another type than expected, has no memory, or overlaps
/// itself.
void check_output(const char* name, const StridedOutput& found, const StridedOutput& expected);

/// Throws if features are not (the series' dimensions with `rows` samples, bases) of `type`, have
/// no memory, or overlap themselves.
void check_features(const StridedOutput& features, StoredType type, const Strided& series,
                    int sample_axis, std::int64_t rows, std::int64_t bases);

/// Throws if features of a block or of events are not (rows, channels, bases).
void check_features(const StridedOutput& features, StoredType type, std::int64_t rows,
                    std::int64_t channels, std::int64_t bases);

/// Calls visit.operator()<Scalar>() with the scalar of a result. \throws Error naming the argument
/// if it is neither float nor double
template <class Visitor>
auto visit_scalar(const std::string& argument, StoredType type, const Visitor& visit) {
  switch (type) {
    case StoredType::float32:
      return visit.template operator()<float>();
    case StoredType::float64:
      return visit.template operator()<double>();
    default:
      throw Error(argument, std::string(synelix::name_of(type)) + " is not supported",
                  "Use float32 or float64");
  }
}

}  // namespace synelix::plan
