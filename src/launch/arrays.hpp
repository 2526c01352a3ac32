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

/// Most values of an array, and most bytes from its first to its last: what is computed from the
/// extents and strides of an array within these bounds, and of two such arrays, is counted in 64
/// bits. No memory holds more.
inline constexpr std::int64_t most_values = std::int64_t{1} << 48;
inline constexpr std::int64_t most_bytes = std::int64_t{1} << 56;

/// a b, or `most_bytes` where it is more; a, b >= 0.
std::int64_t product_up_to_most(std::int64_t a, std::int64_t b);

/// Whether an array has to lie in memory: not where a call is only chosen for.
enum class ArrayMemory : std::uint8_t { needed, not_needed };

/// Refuses an array of an unknown type or a wrong rank, with extents below 0, that has more values
/// or reaches further than is counted, or that lies nowhere though it holds values.
template <class Void>
void check_array(const char* name, const BasicStrided<Void>& array,
                 ArrayMemory memory = ArrayMemory::needed);

/// Refuses an operand whose scales or offsets of each channel are not one for each of `channels`.
void check_channels(const char* name, const Operand& operand, std::int64_t channels);

/// Refuses a result that does not exist yet of more values than are counted.
void check_counted(const char* name, const std::vector<std::int64_t>& extents);

/// Refuses a range outside [0, size).
void check_range(const char* name, Range found, std::int64_t size);

/// The bytes that an array touches: the first, and one past the last.
struct Addresses {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
};

template <class Void>
Addresses addresses_of(const BasicStrided<Void>& array);

/// Refuses a trial that differs from the first in more than samples, epochs and events.
void check_alike(const SeriesShape& first, const SeriesShape& found);

/// Refuses a series of another shape or stored type than the plan's.
void check_series(const SeriesShape& bound, const SeriesShape& found);

/// Refuses an output of other extents or another type than expected, that lies nowhere, or that
/// overlaps itself.
void check_output(const char* name, const StridedOutput& found, const StridedOutput& expected);

/// Refuses features that are not (the series' dimensions with `rows` samples, bases) of `type`,
/// that lie nowhere, or that overlap themselves.
void check_features(const StridedOutput& features, StoredType type, const Strided& series,
                    int sample_axis, std::int64_t rows, std::int64_t bases);

/// Refuses features of a block or of events that are not (rows, channels, bases).
void check_features(const StridedOutput& features, StoredType type, std::int64_t rows,
                    std::int64_t channels, std::int64_t bases);

/// Calls visit.operator()<Scalar>() with the scalar of a result. \throws Error naming the argument
/// where that is neither float nor double
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
