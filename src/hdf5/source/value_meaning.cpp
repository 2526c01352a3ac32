// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/value_meaning.hpp"

#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "types/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>

namespace synelix::h5 {
namespace {

/// A list with more values than this is not accepted as marks of missing values.
constexpr std::size_t most_marks = 16;
/// The range of 64-bit integers that can be read.
constexpr double least_wide = -2147483648.0;
constexpr double most_wide = 4294967295.0;

/// Whether the netCDF library wrote a dataset: then its fill value marks missing values.
bool is_of_netcdf(const Dataset& dataset) {
  for (const char* const attribute : {"_Netcdf4Dimid", "_Netcdf4Coordinates"}) {
    if (has_attribute(dataset.id(), attribute)) return true;
  }
  const File file(H5Iget_file_id(dataset.id()), "HDF5 file");
  return H5Aexists_by_name(file.id(), "/", "_NCProperties", H5P_DEFAULT) > 0;
}

/// The fill value that the netCDF library has set; nothing if there is none.
std::optional<double> netcdf_fill(const Dataset& dataset, const std::string& name) {
  const Properties creation(H5Dget_create_plist(dataset.id()), name);
  H5D_fill_value_t defined = H5D_FILL_VALUE_DEFAULT;
  check(H5Pfill_value_defined(creation.id(), &defined), name);
  if (defined != H5D_FILL_VALUE_USER_DEFINED) return std::nullopt;
  double fill = 0;
  check(H5Pget_fill_value(creation.id(), H5T_NATIVE_DOUBLE, &fill), name);
  return fill;
}

/// The nearest 16-bit floating-point number.
double as_float16(double number) {
  constexpr int digits = 11;
  constexpr int least_exponent = -13;  // of normal numbers, as defined by frexp
  if (!std::isfinite(number) || number == 0) return number;
  const int place = std::max(std::ilogb(number) + 1, least_exponent) - digits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(number, -place)), place);
  constexpr double largest = 65504;
  return std::abs(rounded) > largest ? std::copysign(INFINITY, number) : rounded;
}

/// An integer without exponent, for messages.
std::string integer_text(double value) {
  char text[64] = {};
  std::snprintf(text, sizeof(text), "%.0f", value);
  return text;
}

}  // namespace

ValueMeaning::ValueMeaning(const Dataset& dataset, AttributeScaling attributes,
                           const std::string& name) {
  Type type = type_of(dataset);
  const auto stored = exact_type(type.id());
  if (!stored) {
    throw FileError(name, "it holds " + contents_text(dataset) + ", which is not read",
                    "Convert it: valid are float16, float32, float64, integers or boolean");
  }
  m_type = *stored;
  m_memory_type = h5::memory_type(m_type);
  m_bits = 8 * static_cast<std::int64_t>(H5Tget_size(type.id()));
  m_is_integer = H5Tget_class(type.id()) == H5T_INTEGER;
  m_is_bit_field = H5Tget_class(type.id()) == H5T_BITFIELD;
  m_is_wide = m_is_integer && m_bits == 64;
  if (is_boolean(type.id())) {
    for (const char* const attribute : {"_FillValue", "missing_value"}) {
      if (!has_attribute(dataset.id(), attribute)) continue;
      warn(name + ": its attribute " + attribute + " is not applied, since it holds booleans");
    }
    m_memory_type = type.id();
    m_own_type = std::move(type);
    return;
  }
  if (m_is_bit_field) {
    m_memory_type = H5T_NATIVE_B8;
    return;
  }
  if (attributes == AttributeScaling::ignore) return;
  const bool is_signed = m_is_integer && H5Tget_sign(type.id()) == H5T_SGN_2;
  if (m_is_integer) take_signedness(dataset, name);
  take_missing(dataset, name);
  take_valid_range(dataset, name);
  // Missing values become NaN, which integers cannot represent.
  if (m_is_integer && has_marks() && m_bits < 32) {
    m_type = StoredType::float32;
    m_memory_type = H5T_NATIVE_FLOAT;
  } else if (m_is_integer && m_bits < 32 && wrapped(-1) != -1) {
    m_type = m_bits == 8 ? StoredType::uint8 : StoredType::uint16;  // the same bytes
  } else if (m_is_integer && m_bits < 32 && !is_signed && std::isfinite(m_wraps_from)) {
    m_type = m_bits == 8 ? StoredType::int8 : StoredType::int16;
  }
}

bool ValueMeaning::has_marks() const {
  return !m_missing.empty() || std::isfinite(m_least) || std::isfinite(m_most);
}

/// A stored integer with its sign changed by the attribute _Unsigned.
double ValueMeaning::wrapped(double value) const {
  const double all = std::ldexp(1.0, static_cast<int>(m_bits));
  if (value < m_wraps_below) return value + all;
  return value >= m_wraps_from ? value - all : value;
}

void ValueMeaning::take_signedness(const Dataset& dataset, const std::string& name) {
  if (!has_attribute(dataset.id(), "_Unsigned")) return;
  const std::string word = lower_text(dataset.id(), "_Unsigned");
  if (word != "true" && word != "false") {
    throw FileError(name + ", attribute _Unsigned", "it is neither true nor false",
                    "Write the text \"true\" or \"false\", or remove the attribute");
  }
  const bool is_signed = H5Tget_sign(type_of(dataset).id()) == H5T_SGN_2;
  if (is_signed && word == "true") m_wraps_below = 0;
  if (!is_signed && word == "false") {
    m_wraps_from = std::ldexp(1.0, static_cast<int>(m_bits) - 1);
  }
}

void ValueMeaning::add_mark(double mark) {
  if (std::isnan(mark)) return;
  if (m_is_integer) mark = wrapped(mark);
  if (m_type == StoredType::float32 && !m_is_integer) {
    mark = m_bits == 16 ? as_float16(mark) : static_cast<double>(static_cast<float>(mark));
  }
  if (std::find(m_missing.begin(), m_missing.end(), mark) == m_missing.end()) {
    m_missing.push_back(mark);
  }
}

void ValueMeaning::take_missing(const Dataset& dataset, const std::string& name) {
  bool has_own_fill = false;
  for (const char* const attribute : {"_FillValue", "missing_value"}) {
    const auto marks = read_numbers(dataset.id(), attribute);
    if (!marks) continue;
    if (marks->size() > most_marks) {
      throw FileError(name + ", attribute " + attribute,
                      "it has " + std::to_string(marks->size()) + " numbers",
                      "Valid are at most " + std::to_string(most_marks));
    }
    has_own_fill = has_own_fill || std::string(attribute) == "_FillValue";
    for (const double mark : *marks) add_mark(mark);
  }
  // R's integers have a value for NA, unless rhdf5 has marked it as a number.
  if (m_is_integer && m_bits == 32 && has_attribute(dataset.id(), "rhdf5-NA.OK")) {
    add_mark(least_wide);
  }
  // As in netCDF's own readers, bytes have no default fill value: each of their values is a number.
  if (has_own_fill || m_bits == 8 || !is_of_netcdf(dataset)) return;
  if (const auto fill = netcdf_fill(dataset, name)) add_mark(*fill);
}

void ValueMeaning::take_valid_range(const Dataset& dataset, const std::string& name) {
  // If packed integers have floating-point bounds, these apply to the scaled values.
  bool is_unpacked = false;
  const auto take = [&](const char* attribute, std::size_t count) {
    const auto numbers = read_numbers(dataset.id(), attribute);
    if (!numbers) return std::vector<double>();
    if (numbers->size() != count) {
      throw FileError(name + ", attribute " + attribute,
                      "it has " + std::to_string(numbers->size()) + " numbers",
                      count == 1 ? "Write one number, or remove the attribute"
                                 : "Write the least and the largest valid value, or remove it");
    }
    const AttributeHandle opened(H5Aopen(dataset.id(), attribute, H5P_DEFAULT), name);
    const Type type(H5Aget_type(opened.id()), name);
    is_unpacked = is_unpacked || (m_is_integer && H5Tget_class(type.id()) == H5T_FLOAT);
    return *numbers;
  };
  const std::vector<double> range = take("valid_range", 2);
  const std::vector<double> lower_bound = take("valid_min", 1);
  const std::vector<double> upper_bound = take("valid_max", 1);
  double least = m_least;
  double most = m_most;
  const auto take_bound = [](double number, double& bound) {
    if (!std::isnan(number)) bound = number;
  };
  if (!range.empty()) {
    take_bound(range[0], least);
    take_bound(range[1], most);
  }
  if (!lower_bound.empty()) take_bound(lower_bound[0], least);
  if (!upper_bound.empty()) take_bound(upper_bound[0], most);
  if (is_unpacked) {
    const auto either = [&](const char* one, const char* other, double neutral) {
      return readable_number(dataset.id(), one)
          .value_or(readable_number(dataset.id(), other).value_or(neutral));
    };
    const double scale = either("scale_factor", "conversion", 1.0);
    const double offset = either("add_offset", "offset", 0.0);
    if (scale != 0 && std::isfinite(scale) && std::isfinite(offset)) {
      // A stored value counts as valid if it exceeds the bound only by the rounding of this
      // division.
      const auto packed = [&](double bound) {
        const double value = (bound - offset) / scale;
        const double nearest = std::round(value);
        return std::abs(value - nearest) < 1e-6 * std::max(1.0, std::abs(value)) ? nearest : value;
      };
      const double one = packed(least);
      const double other = packed(most);
      least = scale > 0 ? one : other;
      most = scale > 0 ? other : one;
    }
  } else if (m_is_integer) {
    least = std::isfinite(least) ? wrapped(least) : least;
    most = std::isfinite(most) ? wrapped(most) : most;
  }
  if (least > most) {
    throw FileError(name,
                    "its valid values end at " + number_text(most) + " and begin at " +
                        number_text(least) +
                        " (attributes valid_range, valid_min and valid_max): none is valid",
                    "Write the least one first, or remove the attributes");
  }
  m_least = least;
  m_most = most;
}

template <class Value>
std::optional<UnreadableValue> ValueMeaning::finish_numbers(Value* values,
                                                            std::int64_t count) const {
  constexpr Value missing = std::numeric_limits<Value>::quiet_NaN();
  const bool wraps = wrapped(-1) != -1 || std::isfinite(m_wraps_from);
  for (std::int64_t i = 0; i < count; ++i) {
    auto value = static_cast<double>(values[i]);
    if (wraps) {
      value = wrapped(value);
      values[i] = static_cast<Value>(value);
    }
    if (value < m_least || value > m_most ||
        std::find(m_missing.begin(), m_missing.end(), value) != m_missing.end()) {
      values[i] = missing;
    } else if (m_is_wide && !(value >= least_wide && value <= most_wide)) {
      return UnreadableValue{i, "the value " + integer_text(value) +
                                    " does not fit 32 bits, and integers of 64 bits "
                                    "are read if all of them do (" +
                                    integer_text(least_wide) + " to " + integer_text(most_wide) +
                                    ")"};
    }
  }
  return std::nullopt;
}

std::optional<UnreadableValue> ValueMeaning::finish(void* values, std::int64_t count) const {
  if (m_is_bit_field) {
    const std::span bytes(static_cast<const std::uint8_t*>(values),
                          static_cast<std::size_t>(count));
    const auto other = std::find_if(bytes.begin(), bytes.end(), [](auto byte) { return byte > 1; });
    if (other == bytes.end()) return std::nullopt;
    return UnreadableValue{other - bytes.begin(),
                           "the bit field " + std::to_string(*other) +
                               " is no boolean, and bit fields are read if all of them are 0 or 1"};
  }
  const bool is_plain = !has_marks() && !m_is_wide;
  const bool wraps = wrapped(-1) != -1 || std::isfinite(m_wraps_from);
  if (m_type == StoredType::float32 && !is_plain) {
    return finish_numbers(static_cast<float*>(values), count);
  }
  if (m_type == StoredType::float64 && (!is_plain || wraps)) {
    return finish_numbers(static_cast<double*>(values), count);
  }
  return std::nullopt;
}

std::string ValueMeaning::text() const {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : "; ") + words; };
  if (m_is_integer && wrapped(-1) != -1) add("unsigned");
  if (m_is_integer && std::isfinite(m_wraps_from)) add("signed");
  std::string marks;
  for (const double mark : m_missing) marks += (marks.empty() ? "" : ", ") + number_text(mark);
  if (!marks.empty()) add("missing " + marks);
  if (std::isfinite(m_least)) add("from " + number_text(m_least));
  if (std::isfinite(m_most)) add("to " + number_text(m_most));
  return text;
}

}  // namespace synelix::h5
