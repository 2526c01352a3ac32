// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Any dimension of a dataset as time, in blocks of any shape, against a loop over indices.
#include "files/made_file.hpp"
#include "files/made_values.hpp"

#include <synelix/types/hdf5.hpp>

#include <gtest/gtest.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace axes_tests {
namespace {

namespace sx = synelix;
using made::at;
using Numbers = std::vector<std::int64_t>;

/// The value at a sample and a flattened channel, with this dimension of the array as time.
template <class Value>
Value value_at(const std::vector<Value>& values, const Numbers& extents, std::size_t axis,
               std::int64_t sample, std::int64_t channel) {
  Numbers index(extents.size());
  index[axis] = sample;
  for (std::size_t i = extents.size(); i > 0; --i) {
    if (i - 1 == axis) continue;
    index[i - 1] = channel % extents[i - 1];
    channel /= extents[i - 1];
  }
  std::int64_t place = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) place = place * extents[i] + index[i];
  return values[static_cast<std::size_t>(place)];
}

template <class Value>
void expect_boxes_of(const std::string& file, const std::vector<Value>& values,
                     const Numbers& extents, std::size_t axis, std::mt19937& random) {
  sx::Hdf5Source source(at(file, "/x"), {.time_axis = static_cast<std::int64_t>(axis)});
  const std::int64_t samples = source.shape().samples;
  const std::int64_t channels = source.shape().channels;
  ASSERT_EQ(samples, extents[axis]);
  const auto range_in = [&](std::int64_t extent) {
    const auto one = static_cast<std::int64_t>(random() % static_cast<unsigned>(extent));
    const auto other = static_cast<std::int64_t>(random() % static_cast<unsigned>(extent));
    return sx::Range{std::min(one, other), std::max(one, other) + 1};
  };
  for (int i = 0; i < 8; ++i) {
    const sx::Range rows = i == 0 ? sx::Range{0, samples} : range_in(samples);
    const sx::Range columns = i == 0 ? sx::Range{0, channels} : range_in(channels);
    if (i > 1) {
      const std::int64_t own = source.own_bytes(rows.size(), columns.size(), random() % 200'000);
      source.begin(rows.size(), columns.size(), own);
    }
    std::vector<Value> read(static_cast<std::size_t>(rows.size() * columns.size()));
    source.read(rows, columns, read.data());
    std::size_t k = 0;
    for (std::int64_t t = rows.begin; t < rows.end; ++t) {
      for (std::int64_t c = columns.begin; c < columns.end; ++c) {
        ASSERT_EQ(read[k++], value_at(values, extents, axis, t, c))
            << "axis " << axis << ", sample " << t << ", channel " << c;
      }
    }
  }
}

template <class Value>
void expect_axes_of(std::mt19937& random) {
  for (int round = 0; round < 12; ++round) {
    const made::Folder folder;
    Numbers extents(1 + random() % 4);
    std::int64_t count = 1;
    for (std::int64_t& extent : extents) {
      extent = 1 + static_cast<std::int64_t>(random() % (extents.size() < 3 ? 90 : 9));
      count *= extent;
    }
    const std::vector<Value> values = made::numbers<Value>(count);
    const std::vector<hsize_t> sides(extents.begin(), extents.end());
    {
      const made::File made(folder / "x.h5");
      if (round % 3 == 0) {
        made.dataset("/x", sides, values);
      } else {
        std::vector<hsize_t> chunk;
        for (const hsize_t side : sides) chunk.push_back(1 + random() % side);
        const hid_t list = made::chunked(chunk, round % 3 == 1 ? 0 : 1);
        made.dataset("/x", sides, values, made::type_of<Value>(), list);
        H5Pclose(list);
      }
    }
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      expect_boxes_of(folder / "x.h5", values, extents, axis, random);
    }
  }
}

TEST(TimeAxis, AnyDimensionInBlocksOfAnyShape) {
  constexpr unsigned seed = 41;
  std::mt19937 random(seed);
  expect_axes_of<std::int8_t>(random);
  expect_axes_of<std::uint16_t>(random);
  expect_axes_of<float>(random);
  expect_axes_of<double>(random);
}

TEST(TimeAxis, MemoryForTurningIsCounted) {
  const made::Folder folder;
  made::File(folder / "x.h5").dataset("/x", {50, 40}, made::numbers<float>(2000));
  const sx::Hdf5Source source(at(folder / "x.h5", "/x"), {.time_axis = 1});
  EXPECT_EQ(source.own_bytes(10, 7, 0), 10 * 7 * 4);
  EXPECT_EQ(source.own_bytes(std::int64_t{1} << 20, 50, 0), std::int64_t{1} << 20);
  EXPECT_EQ(source.channel_extents(), Numbers{50});
  EXPECT_EQ(sx::Hdf5Source(at(folder / "x.h5", "/x")).own_bytes(10, 7, 0), 0);
}

}  // namespace
}  // namespace axes_tests
