// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"
#include "ground/tile_sets.hpp"
#include "launch/last_of_memory.hpp"
#include "oracle/matchers.hpp"
#include "tile/depthwise.hpp"
#include "tune/conv_sizes.hpp"

#include <synelix/choice.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

// The depthwise tile of every number of rows and instruction set that this processor has, bit for
// bit its slow reference. Memory ends at the end of the values that the tile reads and writes.

namespace depthwise_tile_tests {
namespace {

using namespace synelix;
using ground::LastOfMemory;
using ground::usable_sets;
using oracle::same_bits;

/// The arguments of a tile besides its rows.
struct Case {
  int lanes;
  std::int64_t taps;
  bool shares;
  bool carries;  ///< whether sums begin with the stored sums of an earlier tile
  bool ends;
};

template <class Scalar>
class DepthwiseBench {
 public:
  static constexpr std::int64_t gap = 5;

  DepthwiseBench(int rows, const Case& test, std::mt19937_64& random)
      : m_row(test.lanes + gap),
        m_window(test.taps > 0 ? 3 * (test.taps - 1) : 0),
        m_source(m_window + length(rows, test.lanes)),
        m_weights(test.taps > 0 ? (test.taps - 1) * m_row + (test.shares ? 1 : test.lanes) : 0),
        m_from(test.shares ? 1 : test.lanes),
        m_found(length(rows, test.lanes)),
        m_expected(length(rows, test.lanes)) {
    std::normal_distribution<double> normal;
    for (LastOfMemory<Scalar>* values : {&m_source, &m_weights, &m_from, &m_found}) {
      std::vector<Scalar> drawn = values->values();
      for (Scalar& value : drawn) value = static_cast<Scalar>(normal(random));
      values->copy(drawn);
    }
    m_expected.copy(m_found.values());
    for (std::int64_t k = 0; k < test.taps; ++k) {
      m_taps.push_back({3 * (test.taps - 1 - k), k * m_row, !test.shares && k % 4 == 1});
    }
    m_tile.source = m_source.data();
    m_tile.source_row = m_row;
    m_tile.weights = m_weights.data();
    m_tile.taps = m_taps.data();
    m_tile.tap_count = test.taps;
    m_tile.from = m_from.data();
    m_tile.from_row = 0;
    m_tile.to_row = m_row;
    m_tile.lanes = test.lanes;
    m_tile.ends = test.ends;
    m_tile.ahead = m_source.data();
    m_carries = test.carries && !test.shares;
  }

  const tile::DepthwiseTile<Scalar>& for_tile() { return of(m_found); }
  const tile::DepthwiseTile<Scalar>& for_twin() { return of(m_expected); }
  [[nodiscard]] testing::AssertionResult agree() const {
    const auto found = m_found.values();
    return same_bits(found, m_expected.values(), {static_cast<std::int64_t>(found.size())});
  }

 private:
  [[nodiscard]] std::int64_t length(int rows, int lanes) const {
    return (rows - 1) * m_row + lanes;
  }
  const tile::DepthwiseTile<Scalar>& of(LastOfMemory<Scalar>& to) {
    m_tile.to = to.data();
    if (m_carries) {
      m_tile.from = m_tile.to;
      m_tile.from_row = m_row;
    }
    return m_tile;
  }

  std::int64_t m_row;
  std::int64_t m_window;
  LastOfMemory<Scalar> m_source;
  LastOfMemory<Scalar> m_weights;
  LastOfMemory<Scalar> m_from;
  LastOfMemory<Scalar> m_found;
  LastOfMemory<Scalar> m_expected;
  std::vector<tile::DepthwiseTap> m_taps;
  tile::DepthwiseTile<Scalar> m_tile{};
  bool m_carries = false;
};

template <class Scalar>
class DepthwiseTiles : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(DepthwiseTiles, Scalars);

TYPED_TEST(DepthwiseTiles, HaveTheBitsOfTheirTwin) {
  std::mt19937_64 random(31);
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    for (int rows = 1; rows <= tune::most_depthwise_rows; ++rows) {
      for (const int count : std::set<int>{1, lanes - 1, lanes, 2 * lanes, 2 * lanes + 1}) {
        if (count < 1) continue;
        for (const std::int64_t taps : {0, 1, 9}) {
          for (const bool shares : {false, true}) {
            for (const bool carries : {false, true}) {
              for (const bool ends : {false, true}) {
                const Case test{count, taps, shares, carries, ends};
                DepthwiseBench<TypeParam> bench(rows, test, random);
                const auto* const tiles =
                    shares ? set.table->depthwise_shared : set.table->depthwise;
                tiles[rows](bench.for_tile());
                set.reference->depthwise(bench.for_twin(), rows, shares);
                EXPECT_TRUE(bench.agree())
                    << name_of(set.set) << ", " << rows << " rows of " << count << " lanes, "
                    << taps << " taps" << (shares ? ", shared" : "") << (carries ? ", carries" : "")
                    << (ends ? ", ends" : "");
              }
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace depthwise_tile_tests
