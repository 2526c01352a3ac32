// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "convolve/plan/row_table.hpp"
#include "index/channel_map.hpp"
#include "index/segment.hpp"
#include "index/small_divisor.hpp"
#include "index/team_memory.hpp"
#include "index/work_grid.hpp"

#include "oracle/convolution.hpp"
#include "oracle/random_case.hpp"

#include <synelix/convolve.hpp>

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

// Window arithmetic against counting on one's fingers.

namespace index_tests {
namespace {

using namespace synelix;
using namespace synelix::index;
using oracle::draw;
using oracle::once_in;

/// Strip number `strip` of all, clipped to the requested rows.
Strip located(const plan::RowTable& table, std::int64_t strip, std::int64_t strip_rows,
              Range rows) {
  const auto count = static_cast<std::int64_t>(table.segments.size());
  const std::int64_t k =
      last_at_or_before(table.segments.data(), count, &Segment::strip_begin, strip);
  return strip_of(table.segments[static_cast<std::size_t>(k)], strip, strip_rows, table.layout,
                  rows);
}

/// Random sizes that determine the memory of a team.
DirectTeam random_team(std::mt19937_64& random) {
  DirectTeam team;
  team.strips = draw(random, 1, 40);
  team.channels = draw(random, 1, 9);
  team.staged_bases = draw(random, 1, 20);
  team.staged_rows = draw(random, 0, 8);
  team.packed_rows = draw(random, 1, 500);
  team.shared_rows = once_in(random, 2) ? 0 : draw(random, 1, 90);
  team.register_lanes = std::int64_t{1} << draw(random, 0, 5);
  team.scalar_bytes = once_in(random, 2) ? 4 : 8;
  team.lane_bytes = draw(random, 1, 70);
  team.pack_bytes = draw(random, 1, 70);
  return team;
}

TEST(Index, DividesAndRoundsUp) {
  static_assert(ceil_divide(0, 3) == 0 && ceil_divide(1, 3) == 1 && ceil_divide(3, 3) == 1);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  static_assert(ceil_divide(1, most) == 1 && ceil_divide(most, most) == 1);
  static_assert(ceil_divide(most, 1) == most && ceil_divide(most - 1, 2) == most / 2);
  static_assert(round_up(65, 64) == 128 && round_up(64, 64) == 64 && round_up(0, 64) == 0);
}

TEST(Index, DividesSmallNumbersByOneMultiplication) {
  for (const std::int64_t size : {1, 2, 3, 5, 7, 9, 31, 64, 65, 1000, 4097, 32767, 32768, 65535}) {
    const synelix::index::SmallDivisor divisor(size);
    for (std::int32_t n = 0; n < synelix::index::SmallDivisor::most; ++n) {
      std::int32_t left = n;
      ASSERT_EQ(divisor.take_digit(left), n % size) << n << " by " << size;
      ASSERT_EQ(left, n / size) << n << " by " << size;
    }
  }
}

TEST(Index, EveryRowLiesInOneStrip) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 200; ++round) {
    SeriesShape shape;
    shape.samples = draw(random, 1, 200);
    shape.channels = 1;
    if (once_in(random, 2)) shape.epochs = oracle::random_epochs(random, shape.samples);
    ConvolveOptions options;
    options.causality = static_cast<Causality>(draw(random, 0, 2));
    options.border = static_cast<Border>(draw(random, 0, 2));
    options.every = once_in(random, 2) ? 1 : draw(random, 1, 9);
    const std::int64_t window = draw(random, 1, 12);
    plan::RowTable table = plan::make_rows(shape, window, options);
    const std::int64_t strip_rows = draw(random, 1, 20);
    const std::int64_t strips = plan::number_strips(table, strip_rows);
    const auto samples = feature_samples(shape, window, options);
    ASSERT_EQ(static_cast<std::int64_t>(samples.size()), table.rows);
    const Range asked{draw(random, 0, table.rows / 2), draw(random, table.rows / 2, table.rows)};
    std::int64_t next = 0;
    std::int64_t next_asked = asked.begin;
    for (std::int64_t p = 0; p < strips; ++p) {
      const auto locate = [&](Range rows) { return located(table, p, strip_rows, rows); };
      const Strip whole = locate({0, table.rows});
      ASSERT_EQ(whole.row, next) << "strips follow each other";
      ASSERT_GE(whole.rows, 1);
      ASSERT_LE(whole.rows, strip_rows);
      next += whole.rows;
      for (std::int64_t r = 0; r < whole.rows; ++r) {
        ASSERT_EQ(samples[static_cast<std::size_t>(whole.row + r)],
                  whole.sample + r * options.every);
      }
      const Strip part = locate(asked);
      if (part.rows == 0) continue;
      ASSERT_EQ(part.row, next_asked) << "clipped strips cover what is asked for";
      ASSERT_EQ(part.sample, samples[static_cast<std::size_t>(part.row)]);
      next_asked += part.rows;
    }
    ASSERT_EQ(next, table.rows);
    ASSERT_EQ(next_asked, std::max(asked.begin, asked.end));
  }
}

/// A row has a value if its complete window is in its epoch, or if it is extended with zeros.
TEST(Index, RowsHaveValuesWhereTheirWholeWindowIsInTheEpoch) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 200; ++round) {
    SeriesShape shape;
    shape.samples = draw(random, 1, 60);
    shape.channels = 1;
    if (once_in(random, 2)) shape.epochs = oracle::random_epochs(random, shape.samples);
    oracle::Problem problem;
    problem.window = draw(random, 1, 12);
    problem.causality = static_cast<Causality>(draw(random, 0, 2));
    ConvolveOptions options;
    options.causality = problem.causality;
    options.border = static_cast<Border>(draw(random, 0, 2));
    const plan::RowTable table = plan::make_rows(shape, problem.window, options);
    for (const Segment& segment : table.segments) {
      const Range valid = valid_of(segment, table.layout);
      for (std::int64_t t = segment.range.begin; t < segment.range.end; ++t) {
        const std::int64_t newest = t + oracle::lag(problem);
        const bool is_whole =
            newest - (problem.window - 1) >= segment.range.begin && newest < segment.range.end;
        ASSERT_EQ(valid.begin <= t && t < valid.end,
                  !segment.is_gap && (is_whole || options.border == Border::zero))
            << "sample " << t << " of [" << segment.range.begin << ", " << segment.range.end
            << "), window " << problem.window << ", lag " << oracle::lag(problem);
      }
    }
  }
}

TEST(Index, AStripIsAnchoredAtItsSegment) {
  SeriesShape shape;
  shape.samples = 100;
  shape.channels = 1;
  shape.epochs = {{10, 45}, {50, 90}};
  plan::RowTable table = plan::make_rows(shape, 5, {});
  plan::number_strips(table, 16);
  for (const Range asked : {Range{0, 100}, Range{33, 77}, Range{41, 42}}) {
    for (std::int64_t p = 0; p < 9; ++p) {
      const Strip strip = located(table, p, 16, asked);
      if (strip.rows == 0) continue;
      const Strip whole = located(table, p, 16, {0, 100});
      EXPECT_GE(strip.row, whole.row);
      EXPECT_LE(strip.row + strip.rows, whole.row + whole.rows);
    }
  }
}

TEST(Index, NothingInTheMemoryOfATeamOverlaps) {
  std::mt19937_64 random(19);
  for (int i = 0; i < 1000; ++i) {
    const DirectTeam team = random_team(random);
    const std::int64_t most = round_up(team.strips * team.channels, team.register_lanes);
    for (std::int64_t lanes = team.register_lanes; lanes <= most; lanes += team.register_lanes) {
      const DirectMemory memory = direct_memory(team, lanes);
      const StripMemory strips = strip_memory(team.strips);
      EXPECT_GE(strips.order, team.strips * static_cast<std::int64_t>(sizeof(Strip)));
      EXPECT_GE(strips.bytes - strips.order, team.strips * 4);
      EXPECT_GE(memory.strips, strips.bytes);
      EXPECT_GE(memory.lane_records, lanes * team.lane_bytes);
      EXPECT_GE(memory.pack_records, lanes / team.register_lanes * team.pack_bytes);
      EXPECT_GE(memory.stage, memory.stage_values * team.scalar_bytes);
      EXPECT_GE(memory.samples, team.packed_rows * lanes * team.scalar_bytes);
      EXPECT_GE(memory.shared, team.shared_rows * lanes * team.scalar_bytes);
      for (const std::int64_t part : {memory.strips, memory.lane_records, memory.pack_records,
                                      memory.stage, memory.samples, memory.shared}) {
        EXPECT_EQ(part % 64, 0);
      }
      EXPECT_LE(memory.bytes(), direct_memory(team, most).bytes())
          << "a smaller item takes no more";
    }
  }
}

TEST(Index, ChannelsLieWhereTheirDimensionsSay) {
  std::mt19937_64 random(5);
  for (int round = 0; round < 300; ++round) {
    const int rank = static_cast<int>(draw(random, 1, 8));
    const int trailing = static_cast<int>(draw(random, 0, rank > 1 ? 1 : 0));
    const int axis = static_cast<int>(draw(random, 0, rank - trailing - 1));
    Strided array;
    array.rank = rank;
    const oracle::Placement placement =
        oracle::random_placement(static_cast<std::size_t>(rank), oracle::Signs::any, random);
    std::int64_t stride = 1;
    for (std::size_t k = static_cast<std::size_t>(rank); k-- > 0;) {
      const std::size_t i = placement.order[k];
      stride *= 1 + placement.gaps[i];
      array.extents[i] = draw(random, 1, 4);
      array.strides[i] = placement.is_backward[i] ? -stride : stride;
      stride *= array.extents[i];
    }
    const ChannelMap map = channel_map(array, axis, trailing);
    std::int64_t channels = 1;
    for (int i = 0; i < rank - trailing; ++i) {
      if (i != axis) channels *= array.extents[static_cast<std::size_t>(i)];
    }
    for (std::int64_t c = 0; c < channels; ++c) {
      std::int64_t rest = c;
      std::int64_t offset = 0;
      for (int i = rank - trailing - 1; i >= 0; --i) {
        if (i == axis) continue;
        const auto k = static_cast<std::size_t>(i);
        offset += rest % array.extents[k] * array.strides[k];
        rest /= array.extents[k];
      }
      ASSERT_EQ(map.offset(c), offset) << "channel " << c;
      ASSERT_GE(map.run_length(c), 1);
      for (std::int64_t i = 1; i < std::min(map.run_length(c), channels - c); ++i) {
        ASSERT_EQ(map.offset(c + i), map.offset(c) + i * map.stride());
      }
    }
  }
}

TEST(Index, MergesWhatLiesBehindEachOther) {
  const std::vector<float> data(2 * 3 * 4 * 5);
  EXPECT_EQ(channel_map(Strided(data.data(), {2, 3, 4, 5}), 0).rank, 1);
  EXPECT_EQ(channel_map(Strided(data.data(), {2, 3, 4, 5}), 1).rank, 2);
  EXPECT_EQ(channel_map(Strided(data.data(), {2, 3, 4, 5}), 3).run_length(0), 24);
  EXPECT_EQ(channel_map(Strided(data.data(), {120}), 0).run_length(0), 1);
}

TEST(Index, ItemsCoverTheGridOnce) {
  std::mt19937_64 random(6);
  for (int round = 0; round < 100; ++round) {
    const auto range = [&] {
      const std::int64_t begin = draw(random, 0, 9);
      return Range{begin, begin + draw(random, 0, 11)};
    };
    const WorkGrid grid{range(),           range(), range(), draw(random, 1, 6), draw(random, 1, 6),
                        draw(random, 1, 6)};
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> seen;
    for (std::int64_t i = 0; i < grid.size(); ++i) {
      const WorkItem item = grid.item(i);
      ASSERT_LE(item.strips.size(), grid.strip_step);
      ASSERT_LE(item.channels.size(), grid.channel_step);
      ASSERT_LE(item.bases.size(), grid.basis_step);
      for (std::int64_t p = item.strips.begin; p < item.strips.end; ++p) {
        for (std::int64_t c = item.channels.begin; c < item.channels.end; ++c) {
          for (std::int64_t b = item.bases.begin; b < item.bases.end; ++b) {
            ASSERT_TRUE(seen.emplace(p, c, b).second) << "twice";
          }
        }
      }
    }
    ASSERT_EQ(static_cast<std::int64_t>(seen.size()),
              grid.strips.size() * grid.channels.size() * grid.bases.size());
  }
}

}  // namespace
}  // namespace index_tests
