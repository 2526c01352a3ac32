// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_handles.hpp"

#include <synelix/strided.hpp>
#include <synelix/types/hdf5.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// \file
/// `ValueMeaning`: the conversion of stored values to samples, by their type and by the attributes
/// of netCDF that change the meaning of values. docs/reference/conventions.md lists them.

namespace synelix::h5 {

/// A value that cannot be read, and its place in a buffer.
struct UnreadableValue {
  std::int64_t place = 0;
  std::string text;  ///< "the value 5000000000"
};

/// Converts stored values to samples. HDF5 converts to `memory_type`, and `finish` does the rest.
class ValueMeaning {
 public:
  ValueMeaning() = default;
  /// Uses the type of a dataset, and with AttributeScaling::use also its attributes.
  /// \param name  of the dataset, for messages
  /// \throws Error if the type is not supported, or an attribute is not a usable number
  ValueMeaning(const Dataset& dataset, AttributeScaling attributes, const std::string& name);

  /// The type of samples in memory.
  [[nodiscard]] StoredType type() const { return m_type; }
  [[nodiscard]] hid_t memory_type() const {
    return m_own_type.is_open() ? m_own_type.id() : m_memory_type;
  }
  /// Applies the conversions that HDF5 does not do, in place. Returns the first value that cannot
  /// be read, if any.
  [[nodiscard]] std::optional<UnreadableValue> finish(void* values, std::int64_t count) const;
  /// The attributes as text, for fingerprints; empty: none.
  [[nodiscard]] std::string text() const;

 private:
  void take_signedness(const Dataset& dataset, const std::string& name);
  void take_missing(const Dataset& dataset, const std::string& name);
  void take_valid_range(const Dataset& dataset, const std::string& name);
  void add_mark(double mark);
  [[nodiscard]] double wrapped(double value) const;
  [[nodiscard]] bool has_marks() const;
  template <class Value>
  std::optional<UnreadableValue> finish_numbers(Value* values, std::int64_t count) const;

  StoredType m_type = StoredType::float32;
  hid_t m_memory_type = H5I_INVALID_HID;
  Type m_own_type;  ///< open only for booleans
  bool m_is_integer = false;
  bool m_is_bit_field = false;
  std::int64_t m_bits = 0;  ///< of a stored value
  bool m_is_wide = false;   ///< integers of 64 bits
  /// Limits for integers whose sign the attribute _Unsigned changes: values from here on...
  double m_wraps_from = std::numeric_limits<double>::infinity();
  double m_wraps_below = -std::numeric_limits<double>::infinity();  ///< ... or below here
  std::vector<double> m_missing;                                    ///< values that mark missing
                                                                    ///< data
  double m_least = -std::numeric_limits<double>::infinity();        ///< range of valid values
  double m_most = std::numeric_limits<double>::infinity();
};

}  // namespace synelix::h5
