// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "digits.hpp"

#include <synelix/hdf5.hpp>
#include <synelix/synelix.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

/// \file
/// Images with labels in memory: drawn digits, or the images of an HDF5 file.

namespace images {

namespace sx = synelix;

/// Images in memory, consecutive, in their stored type. Images of float are already (grey - mean of
/// all) / 128.
struct Images {
  sx::StoredType type = sx::StoredType::int8;
  std::int64_t count = 0;
  std::int64_t pixels = 0;
  std::vector<std::byte> values = {};

  Images(sx::StoredType stored, std::int64_t number, std::int64_t of_pixels)
      : type(stored),
        count(number),
        pixels(of_pixels),
        values(static_cast<std::size_t>(number * of_pixels * sx::size_of(stored))) {}
  [[nodiscard]] sx::Strided rows(std::int64_t first, std::int64_t number) const {
    sx::Strided rows(static_cast<const std::int8_t*>(nullptr), {number, pixels});
    rows.type = type;
    rows.data = values.data() + first * pixels * sx::size_of(type);
    return rows;
  }
};

/// Images with labels, as bytes and as floats: (grey - mean) / 128.
struct Data {
  Images bytes;
  Images floats;
  std::vector<std::uint8_t> labels;

  Data(sx::StoredType type, std::int64_t count, std::int64_t pixels)
      : bytes(type, count, pixels),
        floats(sx::StoredType::float32, count, pixels),
        labels(static_cast<std::size_t>(count)) {}
  [[nodiscard]] float* begin() { return reinterpret_cast<float*>(floats.values.data()); }
  [[nodiscard]] float* end() { return begin() + floats.count * floats.pixels; }
  [[nodiscard]] double mean() { return std::accumulate(begin(), end(), 0.0) / (end() - begin()); }
  void centre(double mean) {
    for (float& value : *this) value = static_cast<float>((value - mean) / 128);
  }
};

/// New digits: `first` is the number of the first one. -128 is black.
inline Data draw(std::int64_t first, std::int64_t count) {
  Data data(sx::StoredType::int8, count, digits::pixels);
  auto* bytes = reinterpret_cast<std::int8_t*>(data.bytes.values.data());
  Kokkos::parallel_for("draw", Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace>(0, count),
                       [&](const std::int64_t i) {
                         float* grey = data.begin() + i * digits::pixels;
                         data.labels[static_cast<std::size_t>(i)] =
                             static_cast<std::uint8_t>(digits::draw(1, first + i, grey));
                         for (std::int64_t j = 0; j < digits::pixels; ++j) {
                           bytes[i * digits::pixels + j] = digits::as_int8(grey[j]);
                           grey[j] -= 128;
                         }
                       });
  return data;
}

/// All images of a dataset of int8 or uint8, and their labels. Throws if there are fewer than
/// `least`.
inline Data read(const std::string& file, const std::string& images, const std::string& labels,
                 std::int64_t least) {
  sx::Hdf5Source source({file, images});
  const std::int64_t count = source.shape().samples;
  const std::int64_t pixels = source.shape().channels;
  const sx::StoredType type = source.shape().type;
  if (sx::size_of(type) != 1) {
    throw sx::Error(images, "it holds " + std::string(name_of(type)), "Give int8 or uint8");
  }
  if (count < least) {
    throw sx::Error(images, "it has " + std::to_string(count) + " images",
                    "Give " + std::to_string(least) + " or more");
  }
  Data data(type, count, pixels);
  source.read({0, count}, {0, pixels}, data.bytes.values.data());
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.bytes.values.data());
  std::transform(bytes, bytes + count * pixels, data.begin(), [type](std::uint8_t grey) {
    return type == sx::StoredType::int8 ? static_cast<float>(static_cast<std::int8_t>(grey))
                                        : static_cast<float>(grey);
  });
  const std::vector<double> numbers = sx::read_matrix({file, labels}).values;
  if (static_cast<std::int64_t>(numbers.size()) != count) {
    throw sx::Error(labels, "it has " + std::to_string(numbers.size()) + " labels",
                    "Give one for each of the " + std::to_string(count) + " images");
  }
  std::transform(numbers.begin(), numbers.end(), data.labels.begin(), [&](double label) {
    if (!(label >= 0 && label < digits::classes))
      throw sx::Error(labels, std::to_string(label) + " is no digit", "Valid are 0 to 9");
    return static_cast<std::uint8_t>(label);
  });
  return data;
}

}  // namespace images
