// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/expression.hpp>
#include <synelix/types/series.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <vector>

/// \file
/// `EventDesign`: a sum of bases in conv mode on lists of events, with tables for products.
///
/// An event at sample s is a window of taps on the rows [s - o, s - o + W), o the lag offset. The
/// window of a valid row is inside its epoch, so events of other epochs do not affect it. Epochs
/// are therefore handled by weights: 0 in invalid rows.

namespace synelix::glm {

inline constexpr std::size_t line_bytes = 64;

/// Allocates memory aligned to a cache line.
template <class Value>
struct LineAllocator {
  using value_type = Value;

  LineAllocator() = default;
  template <class Other>
  LineAllocator(const LineAllocator<Other>&) {}  // NOLINT(google-explicit-constructor): a rebind

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(::operator new(count * sizeof(Value), std::align_val_t(line_bytes)));
  }
  void deallocate(Value* values, std::size_t) {
    ::operator delete(values, std::align_val_t(line_bytes));
  }
  friend bool operator==(const LineAllocator&, const LineAllocator&) { return true; }
};

template <class Value>
using LineVector = std::vector<Value, LineAllocator<Value>>;

/// A number of values, rounded up to complete cache lines.
template <class Value>
constexpr std::int64_t whole_lines(std::int64_t values) {
  constexpr auto line = static_cast<std::int64_t>(line_bytes / sizeof(Value));
  return (values + line - 1) / line * line;
}

/// Taps in the orders in which products read them. Terms with equal taps share one.
struct TapBank {
  std::int64_t window = 0;
  std::int64_t bases = 0;
  std::int64_t row_values = 0;       ///< bases, rounded up to complete lines
  std::vector<double> values = {};   ///< (window, bases)
  LineVector<double> filters = {};   ///< (bases, window), each filter in complete lines
  LineVector<double> absolute = {};  ///< their absolute values
  LineVector<double> rows = {};      ///< (window, row_values)
};

/// One basis on one list of events.
struct EventTerm {
  Events events;                            ///< shares its lists with the caller's
  std::vector<float> absolute_counts = {};  ///< empty if no count is negative
  std::int64_t bank = 0;
  std::int64_t window = 0;
  std::int64_t bases = 0;
  std::int64_t offset = 0;  ///< an event's window begins at its sample - offset
  std::int64_t channels = 0;
  std::int64_t first_channel = 0;  ///< of all channels of the design
  std::int64_t first_column = 0;
};

/// One channel of the design, and its place.
struct EventChannel {
  const std::int64_t* samples = nullptr;
  const float* counts = nullptr;           ///< null: all are 1
  const float* absolute_counts = nullptr;  ///< null: all are 1
  std::int64_t events = 0;
  std::int64_t offset = 0;
  std::int64_t window = 0;
  std::int64_t bases = 0;
  std::int64_t first_column = 0;
  std::int64_t bank = 0;
  std::int64_t window_place = 0;  ///< of its window among all windows, in doubles
  std::int64_t float_place = 0;   ///< the same in floats
};

struct EventDesign {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<Term> terms = {};
  std::vector<TapBank> banks = {};
  std::vector<EventTerm> event_terms = {};
  std::vector<EventChannel> channels = {};
  std::vector<Range> valid = {};  ///< sorted and disjoint
  std::int64_t halo = 0;          ///< rows that windows reach on each side of a tile: full lines
  std::int64_t tile_rows = 0;
  std::int64_t window_values = 0;  ///< doubles of the windows of all channels
  std::int64_t window_floats = 0;  ///< the same in floats
  std::int64_t most_bases = 0;
  std::int64_t events = 0;

  template <class Scalar>
  [[nodiscard]] std::int64_t windows() const {
    return sizeof(Scalar) == sizeof(double) ? window_values : window_floats;
  }
  /// Bytes of tables, without the lists of events.
  [[nodiscard]] std::int64_t bytes() const;
};

template <class Scalar>
std::int64_t place_of(const EventChannel& channel) {
  return sizeof(Scalar) == sizeof(double) ? channel.window_place : channel.float_place;
}

/// The design of terms that each have one component, in conv mode, on one list of events.
EventDesign make_event_design(const std::vector<Term>& terms,
                              const std::vector<Component>& components,
                              std::span<const Events* const> inputs, std::vector<Range> valid);

/// The first of the sorted ranges that ends after a row.
std::vector<Range>::const_iterator range_behind(const std::vector<Range>& ranges, std::int64_t row);

/// Sets the weights of invalid rows to 0. Returns whether any row is valid.
bool mask_invalid(const std::vector<Range>& valid, Range rows, double* weights);

/// Whether any of the rows is valid.
bool has_valid(const std::vector<Range>& valid, Range rows);

}  // namespace synelix::glm
