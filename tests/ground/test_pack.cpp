// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "pack/block_copy.hpp"
#include "pack/gather.hpp"

#include "oracle/array.hpp"
#include "oracle/matchers.hpp"
#include "oracle/random_case.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <random>
#include <string>
#include <vector>

// Packed blocks against asking for one sample after the other: all stored types, scalings, strides,
// strips clipped and at the borders of epochs, any cut of rows and lanes, arrays and events.

namespace pack_tests {
namespace {

using namespace synelix;
using oracle::draw;
using oracle::once_in;

constexpr std::int64_t samples = 60;
constexpr std::int64_t channels = 6;

/// A block of a few strips, drawn at random.
template <class Scalar>
struct Fixture {
  explicit Fixture(std::mt19937_64& random) {
    const std::int64_t strip_rows = draw(random, 1, 9);
    block.every = draw(random, 1, 3);
    block.window = draw(random, 1, 8);
    block.rows = (strip_rows - 1) * block.every + block.window;
    block.lag = draw(random, -1, block.window) - (block.window - 1);
    block.strip_count = draw(random, 1, 4);
    for (std::int64_t p = 0; p < block.strip_count; ++p) {
      index::Strip strip;
      const std::int64_t begin = draw(random, 0, samples / 2);
      strip.samples = {begin, draw(random, begin, samples)};
      strip.valid = strip.samples;
      strip.rows = once_in(random, 5) ? 0 : draw(random, 1, strip_rows);
      strip.sample = draw(random, begin, samples);
      strips.push_back(strip);
    }
    block.first_channel = draw(random, 0, 2);
    block.channels = draw(random, 1, channels - block.first_channel);
    block.strips = strips.data();
    for (std::int32_t p = 0; p < block.strip_count; ++p) order.push_back(p);
    std::shuffle(order.begin(), order.end(), random);
    block.order = order.data();
    block.pack_lanes = 4;
    block.lanes = index::round_up(block.strip_count * block.channels, block.pack_lanes);
    values.assign(static_cast<std::size_t>(block.rows * block.lanes), Scalar(-7));
    block.values = values.data();
  }

  /// The expected contents of the block: sample_at(t, c) from the first row's window to the last
  /// one's.
  template <class SampleAt>
  std::vector<double> expected(const SampleAt& sample_at) const {
    std::vector<double> result(values.size(), 0.0);
    for (std::int64_t lane = 0; lane < block.strip_count * block.channels; ++lane) {
      const auto place = static_cast<std::size_t>(lane / block.channels);
      const index::Strip& strip = strips[static_cast<std::size_t>(order[place])];
      const std::int64_t end = strip.rows > 0 ? (strip.rows - 1) * block.every + block.window : 0;
      for (std::int64_t j = 0; j < end; ++j) {
        const std::int64_t t = strip.sample + block.lag + j;
        if (t < strip.samples.begin || t >= strip.samples.end) continue;
        const std::int64_t pack = lane / block.pack_lanes;
        result[static_cast<std::size_t>((pack * block.rows + j) * block.pack_lanes +
                                        lane % block.pack_lanes)] =
            sample_at(t, block.first_channel + lane % block.channels);
      }
    }
    return result;
  }

  /// Gathers in pieces of `row_step` x `lane_step`.
  template <class Source>
  std::vector<Scalar> gathered(const Source& source, std::int64_t row_step,
                               std::int64_t lane_step) {
    for (std::int64_t lane = 0; lane < block.lanes; lane += lane_step) {
      for (std::int64_t row = 0; row < block.rows; row += row_step) {
        pack::gather(block, source, lane, std::min(lane + lane_step, block.lanes), row,
                     std::min(row + row_step, block.rows));
      }
    }
    return values;
  }

  [[nodiscard]] std::vector<std::int64_t> extents() const { return {block.rows, block.lanes}; }

  pack::PackedBlock<Scalar> block{};
  std::vector<index::Strip> strips;
  std::vector<std::int32_t> order;
  std::vector<Scalar> values;
};

template <class Scalar>
class Gather : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Gather, Scalars);

template <class Scalar, class T>
void check_array(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Fixture<Scalar> fixture(random);
  oracle::Array<T> array({samples, 2, 3}, oracle::random_placement(3, oracle::Signs::any, random),
                         T(99));
  for (std::int64_t i = 0; i < array.size(); ++i) {
    array.at(i) = static_cast<T>(oracle::random_stored(random, stored_type<T>));
  }
  const Strided strided = array.strided();
  pack::ArraySource source;
  source.type = strided.type;
  source.sample_stride = strided.strides[0];
  source.channels = index::channel_map(strided, 0);
  source.data = strided.data;
  std::vector<double> scales;
  std::vector<double> offsets;
  for (std::int64_t c = 0; c < channels; ++c) {
    scales.push_back(0.5 * static_cast<double>(c - 2));
    offsets.push_back(static_cast<double>(c) - 3.25);
  }
  if (once_in(random, 2)) source.scale = 0.125;
  if (once_in(random, 2)) source.offset = 3.5;
  if (once_in(random, 3)) source.channel_scale = scales.data();
  if (once_in(random, 3)) source.channel_offset = offsets.data();
  const std::vector<T> values = array.values();
  const auto expected = fixture.expected([&](std::int64_t t, std::int64_t c) {
    const double stored = static_cast<double>(values[static_cast<std::size_t>(t * channels + c)]);
    const auto k = static_cast<std::size_t>(c);
    const double scale = source.channel_scale != nullptr ? scales[k] : source.scale;
    const double offset = source.channel_offset != nullptr ? offsets[k] : source.offset;
    return static_cast<double>(static_cast<Scalar>(stored * scale + offset));
  });
  const auto found =
      fixture.gathered(source, draw(random, 1, fixture.block.rows), draw(random, 1, 9));
  ASSERT_TRUE(oracle::agree(found, expected, fixture.extents(), 0.0)) << "seed " << seed;
}

TYPED_TEST(Gather, GathersArrays) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    check_array<TypeParam, float>(seed);
    check_array<TypeParam, double>(seed);
    check_array<TypeParam, std::int8_t>(seed);
    check_array<TypeParam, std::uint8_t>(seed);
    check_array<TypeParam, std::int16_t>(seed);
    check_array<TypeParam, std::uint16_t>(seed);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(Gather, GathersEvents) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random(seed);
    Fixture<TypeParam> fixture(random);
    std::vector<double> dense(samples * channels, 0.0);
    std::vector<std::int64_t> begins{0};
    std::vector<std::int64_t> at;
    std::vector<float> counts;
    const bool has_counts = once_in(random, 2);
    for (std::int64_t c = 0; c < channels; ++c) {
      for (std::int64_t t = 0; t < samples; ++t) {
        if (!once_in(random, 3) || c == 1) continue;  // channel 1 has none
        at.push_back(t);
        counts.push_back(has_counts ? static_cast<float>(draw(random, 1, 4)) : 1.0F);
        dense[static_cast<std::size_t>(t * channels + c)] = counts.back();
      }
      begins.push_back(static_cast<std::int64_t>(at.size()));
    }
    const pack::EventSource source{begins.data(), at.data(), has_counts ? counts.data() : nullptr};
    const auto expected = fixture.expected([&](std::int64_t t, std::int64_t c) {
      return dense[static_cast<std::size_t>(t * channels + c)];
    });
    const auto found =
        fixture.gathered(source, draw(random, 1, fixture.block.rows), draw(random, 1, 9));
    ASSERT_TRUE(oracle::agree(found, expected, fixture.extents(), 0.0)) << "seed " << seed;
  }
}

/// A block of an entire array and its dense buffer are copied as one line, for any order of the
/// array's dimensions, and for any dimensions of size one.
TEST(Pack, BuffersHaveTheOrderOfTheirArray) {
  constexpr std::int64_t all_extents[][3] = {{5, 4, 3}, {5, 1, 3}, {5, 4, 1},
                                             {1, 4, 3}, {5, 1, 1}, {1, 1, 3}};
  for (const auto& extents : all_extents) {  // rows, channels, bases
    int order[3] = {0, 1, 2};                // the fastest first
    do {
      const std::string name =
          "extents " + testing::PrintToString(extents) + ", order " + testing::PrintToString(order);
      std::int64_t strides[3] = {};
      std::int64_t values = 1;
      for (const int dimension : order) {
        strides[dimension] = values;
        values *= extents[dimension];
      }
      std::vector<std::int32_t> from(static_cast<std::size_t>(values));
      std::vector<std::int32_t> to(from.size(), -1);
      std::iota(from.begin(), from.end(), 0);
      pack::BlockSide array{reinterpret_cast<std::byte*>(from.data()), strides[0], strides[2], {}};
      array.channels.append(extents[1], strides[1]);
      const auto dense = pack::dense_like(array, extents[0], extents[1], extents[2]);
      const pack::BlockCopy copy(
          pack::side_of(reinterpret_cast<std::byte*>(to.data()), dense, extents[1]), array,
          extents[0], extents[1], extents[2], sizeof(std::int32_t));
      EXPECT_EQ(copy.items(), values) << name;
      EXPECT_EQ(copy.values(), 1) << name;
      copy.copy_items(0, copy.items());
      EXPECT_EQ(to, from) << name;
    } while (std::next_permutation(std::begin(order), std::end(order)));
  }
}

/// One channel or one basis of an array that has more of them.
TEST(Pack, BuffersOfOneOfManyHaveTheOrderOfTheirArray) {
  pack::BlockSide array{nullptr, 1, 7 * 100, {}};  // samples fastest, then channels
  array.channels.append(7, 100);
  for (const std::int64_t of_channels : {1, 7}) {
    for (const std::int64_t of_bases : {1, 4}) {
      const auto dense = pack::dense_like(array, 50, of_channels, of_bases);
      EXPECT_EQ(dense.row, 1) << of_channels << " channels, " << of_bases << " bases";
      EXPECT_EQ(dense.channel, 50) << of_bases << " bases";
      EXPECT_EQ(dense.basis, 50 * of_channels);
    }
  }
}

TEST(Pack, FindsTheFirstEventFromASample) {
  const std::vector<std::int64_t> at{2, 3, 5, 5, 9};
  const pack::EventSource events{nullptr, at.data(), nullptr};
  EXPECT_EQ(pack::first_event_from(events, 0, 5, 0), 0);
  EXPECT_EQ(pack::first_event_from(events, 0, 5, 4), 2);
  EXPECT_EQ(pack::first_event_from(events, 0, 5, 5), 2);
  EXPECT_EQ(pack::first_event_from(events, 0, 5, 10), 5);
  EXPECT_EQ(pack::first_event_from(events, 3, 3, 0), 3);
}

}  // namespace
}  // namespace pack_tests
