// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/error.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

/// \file
/// `Strided`: a pointer, a stored type, extents and strides. The public functions convert Views of
/// any rank and layout to it. Callers without Views construct it directly.

namespace synelix {

/// The types that a series may be stored in.
enum class StoredType : std::uint8_t {
  float32,  ///< float
  float64,  ///< double
  int8,     ///< std::int8_t
  uint8,    ///< std::uint8_t
  int16,    ///< std::int16_t
  uint16    ///< std::uint16_t
};

/// Bytes of one stored value.
constexpr std::int64_t size_of(StoredType type) {
  switch (type) {
    case StoredType::float64:
      return 8;
    case StoredType::float32:
      return 4;
    case StoredType::int16:
    case StoredType::uint16:
      return 2;
    case StoredType::int8:
    case StoredType::uint8:
      return 1;
  }
  return 0;
}

/// The name of a stored type, as HDF5 and NumPy users write it.
constexpr std::string_view name_of(StoredType type) {
  switch (type) {
    case StoredType::float32:
      return "float32";
    case StoredType::float64:
      return "float64";
    case StoredType::int8:
      return "int8";
    case StoredType::uint8:
      return "uint8";
    case StoredType::int16:
      return "int16";
    case StoredType::uint16:
      return "uint16";
  }
  return "unknown";
}

/// The types of values that are stored: float, double, (u)int8_t, (u)int16_t.
template <class T, class Value = std::remove_cv_t<T>>
concept Stored = std::is_same_v<Value, float> || std::is_same_v<Value, double> ||
                 std::is_same_v<Value, std::int8_t> || std::is_same_v<Value, std::uint8_t> ||
                 std::is_same_v<Value, std::int16_t> || std::is_same_v<Value, std::uint16_t>;

/// The tag of a stored type.
template <Stored T>
inline constexpr StoredType stored_type = [] {
  if (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? StoredType::float32 : StoredType::float64;
  }
  if (sizeof(T) == 1) return std::is_signed_v<T> ? StoredType::int8 : StoredType::uint8;
  return std::is_signed_v<T> ? StoredType::int16 : StoredType::uint16;
}();

/// Most dimensions of an array: a series has 7 at most, its features one more.
inline constexpr int max_rank = 8;

/// An array that somebody else owns. `Void` is `const void` for inputs, `void` for outputs. Strides
/// count elements, and may be in any order. Only inputs may have zero or negative strides.
template <class Void>
struct BasicStrided {
  Void* data = nullptr;                          ///< element (0, ..., 0); null: no array
  StoredType type = StoredType::float32;         ///< of the elements
  int rank = 0;                                  ///< dimensions, 1 to 8; 0: no array
  std::array<std::int64_t, max_rank> extents{};  ///< of the first `rank` dimensions
  std::array<std::int64_t, max_rank> strides{};  ///< of the first `rank` dimensions, in elements

  BasicStrided() = default;  ///< no array

  /// An array of the given extents, last index fastest and without gaps.
  /// \throws Error for more than 8 extents, a negative one, or 2^62 elements or more
  template <class T>
    requires Stored<T> && std::is_convertible_v<T*, Void*>
  BasicStrided(T* pointer, std::span<const std::int64_t> shape)
      : data(pointer), type(stored_type<T>), rank(checked_rank(shape.size())) {
    require_countable(shape);
    std::int64_t stride = 1;
    for (int i = rank - 1; i >= 0; --i) {
      const std::int64_t extent = shape[static_cast<std::size_t>(i)];
      extents[static_cast<std::size_t>(i)] = extent;
      strides[static_cast<std::size_t>(i)] = stride;
      stride *= extent;
    }
  }

  /// An array of the given extents and strides, both in elements.
  template <class T>
    requires Stored<T> && std::is_convertible_v<T*, Void*>
  BasicStrided(T* pointer, std::span<const std::int64_t> shape, std::span<const std::int64_t> steps)
      : data(pointer), type(stored_type<T>), rank(checked_rank(shape.size())) {
    if (steps.size() != shape.size()) {
      throw Error("Strided strides",
                  std::to_string(steps.size()) + " strides for " + std::to_string(shape.size()) +
                      " extents do not match",
                  "Give one stride for each extent");
    }
    for (std::size_t i = 0; i < shape.size(); ++i) {
      extents[i] = shape[i];
      strides[i] = steps[i];
    }
  }

  /// As above, with the extents written out: `Strided(pointer, {10'000, 10})`.
  template <class T>
    requires Stored<T> && std::is_convertible_v<T*, Void*>
  BasicStrided(T* pointer, std::initializer_list<std::int64_t> shape)
      : BasicStrided(pointer, std::span(shape.begin(), shape.size())) {}

  /// As above, with extents and strides written out.
  template <class T>
    requires Stored<T> && std::is_convertible_v<T*, Void*>
  BasicStrided(T* pointer, std::initializer_list<std::int64_t> shape,
               std::initializer_list<std::int64_t> steps)
      : BasicStrided(pointer, std::span(shape.begin(), shape.size()),
                     std::span(steps.begin(), steps.size())) {}

 private:
  static int checked_rank(std::size_t rank) {
    if (rank < 1 || rank > static_cast<std::size_t>(max_rank)) {
      throw Error("Strided extents", std::to_string(rank) + " dimensions are not supported",
                  "Use 1 to 8 dimensions");
    }
    return static_cast<int>(rank);
  }
  /// Strides are products of extents: they must fit in 64 bits.
  static void require_countable(std::span<const std::int64_t> shape) {
    std::int64_t left = (std::int64_t{1} << 62) - 1;
    for (const std::int64_t extent : shape) {
      if (extent >= 0 && extent <= left) {
        left /= extent > 0 ? extent : 1;
        continue;
      }
      std::string text;
      for (const std::int64_t one : shape) text += (text.empty() ? "" : ", ") + std::to_string(one);
      throw Error("Strided extents", "the extents (" + text + ") are negative or too large",
                  "Use extents of 0 or more, and an array of less than 2^62 elements");
    }
  }
};

/// An array that is read.
using Strided = BasicStrided<const void>;
/// An array that is written.
using StridedOutput = BasicStrided<void>;

}  // namespace synelix
