// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mpi/halo.hpp"

#include <gmock/gmock.h>
#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

// The rows whose windows contain samples of other ranks, and the messages, without any rank.

namespace halo_tests {
namespace {

using namespace synelix;
using mpi::halo_of;
using mpi::RankSamples;

stream::RowMap rows_of(std::int64_t samples, std::int64_t window, Epochs epochs = {},
                       Causality causality = Causality::causal) {
  SeriesShape shape;
  shape.samples = samples;
  shape.channels = 1;
  shape.epochs = std::move(epochs);
  ConvolveOptions options;
  options.causality = causality;
  options.shift = Shift::off;
  return {shape, window, options};
}

mpi::RowCut cut_rows(const stream::RowMap& map, Range own) {
  return mpi::cut_rows(mpi::rows_of_samples(map, own), own,
                       [&](Range rows) { return map.samples_for(rows); });
}

/// Every row of a cut is in the right place: seams and interior are consecutive, windows of
/// interior rows have only own samples, and windows of seams are in their samples.
void expect_whole(const stream::RowMap& map, Range own, const mpi::RowCut& cut) {
  EXPECT_EQ(cut.rows, own.size() > 0 ? map.rows_for(own) : cut.rows);
  EXPECT_EQ(cut.seams[0].rows.begin, cut.rows.begin);
  EXPECT_EQ(cut.seams[0].rows.end, cut.interior.begin);
  if (cut.interior.size() > 0) {
    EXPECT_EQ(cut.interior.end, cut.seams[1].rows.begin);
    EXPECT_EQ(cut.seams[1].rows.end, cut.rows.end);
  }
  for (std::int64_t row = cut.rows.begin; row < cut.rows.end; ++row) {
    const Range seen = map.samples_for({row, row + 1});
    if (seen.size() == 0) continue;
    const bool is_interior = row >= cut.interior.begin && row < cut.interior.end;
    const Range held = is_interior                   ? own
                       : row < cut.seams[0].rows.end ? cut.seams[0].samples
                                                     : cut.seams[1].samples;
    EXPECT_LE(held.begin, seen.begin) << "row " << row;
    EXPECT_GE(held.end, seen.end) << "row " << row;
  }
}

TEST(RowsOfARank, CausalWindowsSeeTheRankBefore) {
  const auto map = rows_of(100, 5);
  const auto cut = cut_rows(map, {40, 80});
  EXPECT_EQ(cut.rows, (Range{40, 80}));
  EXPECT_EQ(cut.interior, (Range{44, 80}));
  EXPECT_EQ(cut.seams[0].rows, (Range{40, 44}));
  EXPECT_EQ(cut.seams[0].samples, (Range{36, 44}));
  EXPECT_EQ(cut.seams[1].rows.size(), 0);
}

TEST(RowsOfARank, AnEpochThatBeginsWithTheRankNeedsNothing) {
  const auto cut = cut_rows(rows_of(100, 5, {{0, 40}, {40, 100}}), {40, 80});
  EXPECT_EQ(cut.interior, (Range{40, 80}));
  EXPECT_EQ(cut.seams[0].samples.size(), 0);
}

TEST(RowsOfARank, ARankThatIsShorterThanTheWindowHasOneSeam) {
  const auto cut = cut_rows(rows_of(100, 20), {50, 53});
  EXPECT_EQ(cut.interior.size(), 0);
  EXPECT_EQ(cut.seams[0].rows, (Range{50, 53}));
  EXPECT_EQ(cut.seams[0].samples, (Range{31, 53}));
}

TEST(RowsOfARank, AllCutsAreWhole) {
  for (const Causality causality :
       {Causality::causal, Causality::acausal, Causality::anti_causal}) {
    for (const std::int64_t window : {1, 3, 20, 90}) {
      for (const auto& epochs : {Epochs{}, Epochs{{2, 30}, {30, 61}, {70, 100}}}) {
        const auto map = rows_of(100, window, epochs, causality);
        std::int64_t rows = 0;
        for (std::int64_t begin = 0; begin < 100; begin += 7) {
          const Range own{begin, std::min<std::int64_t>(100, begin + 7)};
          const auto cut = cut_rows(map, own);
          expect_whole(map, own, cut);
          EXPECT_EQ(cut.rows.begin, rows);
          rows = cut.rows.end;
          const Range nothing{begin, begin};
          EXPECT_EQ(cut_rows(map, nothing).rows, (Range{cut.rows.begin, cut.rows.begin}));
        }
        EXPECT_EQ(rows, map.rows());
      }
    }
  }
}

TEST(RowsOfARank, BlocksOfTransformsAreReadWhole) {
  const auto blocks = [](Range rows) {  // rows of tens, each block with 5 samples before it
    return Range{std::max<std::int64_t>(0, rows.begin / 10 * 10 - 5), (rows.end + 9) / 10 * 10};
  };
  const auto cut = mpi::cut_rows({34, 78}, {34, 78}, blocks);
  EXPECT_EQ(cut.interior, (Range{40, 70}));
  EXPECT_EQ(cut.seams[0].rows, (Range{34, 40}));
  EXPECT_EQ(cut.seams[0].samples, (Range{25, 40}));
  EXPECT_EQ(cut.seams[1].samples, (Range{65, 80}));
}

TEST(Messages, EachRankSendsWhatOthersReceive) {
  const auto map = rows_of(60, 25);
  const std::vector<Range> owns{{0, 20}, {20, 20}, {20, 24}, {24, 30}, {30, 60}};
  std::vector<RankSamples> all;
  for (const Range own : owns) {
    const auto cut = cut_rows(map, own);
    all.push_back({own, {cut.seams[0].samples, cut.seams[1].samples}});
  }
  std::int64_t sent = 0;
  std::int64_t received = 0;
  for (int r = 0; r < 5; ++r) {
    const mpi::Halo halo = halo_of(r, all);
    sent += mpi::rows_of(halo.sends);
    received += mpi::rows_of(halo.receives);
    // The received and the own samples are those in the windows of the seams.
    for (int k = 0; k < 2; ++k) {
      std::vector<bool> there(60, false);
      for (std::int64_t t = halo.own.begin; t < halo.own.end; ++t) there[t] = true;
      for (const mpi::Message& message : halo.receives) {
        if (message.seam != k) continue;
        for (std::int64_t t = message.samples.begin; t < message.samples.end; ++t) {
          EXPECT_FALSE(there[t]) << "sample " << t << " comes twice to rank " << r;
          there[t] = true;
        }
      }
      for (std::int64_t t = halo.seams[k].begin; t < halo.seams[k].end; ++t) {
        EXPECT_TRUE(there[t]) << "sample " << t << " of rank " << r;
      }
    }
  }
  EXPECT_EQ(sent, received);
  EXPECT_GT(sent, 0);
}

}  // namespace
}  // namespace halo_tests
