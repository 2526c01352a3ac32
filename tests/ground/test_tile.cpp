// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ground/tile_reference.hpp"
#include "ground/tile_sets.hpp"
#include "tile/flat.hpp"
#include "tile/line.hpp"
#include "tile/select.hpp"
#include "tile/table.hpp"

#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Every tile of every instruction set of this processor has the same bits as its slow equivalent;
// and the packs below.

namespace tile_tests {
namespace {

using namespace synelix;
using ground::Aligned;
using ground::SetOfTiles;
using ground::usable_sets;
using oracle::same_bits;

template <class Scalar>
class Tile : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Tile, Scalars);

/// One flat tile against its twin; `bad` among the samples.
template <class Scalar>
void check_flat(const SetOfTiles<Scalar>& set, tile::FlatTile<Scalar> shape, Scalar bad,
                std::mt19937_64& random) {
  constexpr std::int64_t zeros = tile::flat_zeros<Scalar>;
  Aligned<Scalar> samples(static_cast<std::size_t>(shape.rows - shape.oldest));
  samples.fill(random);
  if (bad != Scalar(0)) samples.data()[random() % samples.values().size()] = bad;
  const std::int64_t taps = shape.window * shape.bases;
  Aligned<Scalar> padded(static_cast<std::size_t>(taps + 2 * zeros));
  padded.fill(random);
  std::fill_n(padded.data(), zeros, Scalar(0));
  std::fill_n(padded.data() + zeros + taps, zeros, Scalar(0));
  shape.samples = samples.data() - shape.oldest;
  shape.taps = padded.data() + zeros;
  const std::int64_t values = shape.rows * shape.bases;
  const auto size = static_cast<std::size_t>(values + set.reference->lanes);
  Aligned<Scalar> found(size + 1);
  Aligned<Scalar> expected(size + 1);
  shape.results = found.data() + 1;  // of any alignment
  set.table->flat(shape);
  EXPECT_EQ(found.data()[size], Scalar(-77)) << "a whole pack is written behind the rows";
  std::fill_n(found.data() + 1 + values, set.reference->lanes, Scalar(-77));
  shape.results = expected.data() + 1;
  set.reference->flat(shape);
  EXPECT_TRUE(same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size) + 1}))
      << name_of(set.set) << ", " << shape.rows << " rows, " << shape.bases << " bases, window "
      << shape.window << ", oldest " << shape.oldest << ", with " << bad;
}

TYPED_TEST(Tile, FlatHasTheBitsOfItsTwin) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const TypeParam infinity = std::numeric_limits<TypeParam>::infinity();
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(4);
    for (const std::int64_t rows : {1, 2, 3, 10, 16, 33}) {
      for (const std::int64_t bases : {1, 2, 3, 5, 8, 13, 20}) {
        for (const std::int64_t window : {1, 2, 7, 40}) {
          for (const std::int64_t before : {0, 3, 100}) {
            for (const TypeParam bad : {TypeParam(0), nan, -infinity}) {
              tile::FlatTile<TypeParam> shape{};
              shape.oldest = -std::min(before, window - 1);
              shape.window = window;
              shape.bases = bases;
              shape.rows = rows;
              check_flat(set, shape, bad, random);
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(Tile, LineHasTheBitsOfItsTwin) {
  const TypeParam nan = std::numeric_limits<TypeParam>::quiet_NaN();
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(6);
    const std::int64_t lanes = set.reference->lanes;
    for (const std::int64_t packs : {1, 2, 3, 7, 12}) {
      for (int bases = 1; bases <= tune::most_line_bases; ++bases) {
        for (const std::int64_t window : {1, 2, 9}) {
          for (const std::int64_t channels : {1, 5, 16}) {
            const std::int64_t before = (window - 1) * channels;
            Aligned<TypeParam> samples(static_cast<std::size_t>(before + packs * lanes));
            samples.fill(random);
            if (channels == 5) samples.data()[random() % samples.values().size()] = nan;
            Aligned<TypeParam> taps(static_cast<std::size_t>(window * (bases + 2)));
            taps.fill(random);
            const auto size = static_cast<std::size_t>(packs * (bases + 1) * lanes);
            Aligned<TypeParam> found(size);
            Aligned<TypeParam> expected(size);
            tile::LineTile<TypeParam> line{.samples = samples.data() + before,
                                           .tap_step = channels,
                                           .taps = taps.data() + 1,
                                           .taps_step = bases + 2,
                                           .window = window,
                                           .packs = packs,
                                           .results = found.data(),
                                           .results_step = (bases + 1) * lanes,
                                           .to = nullptr,
                                           .stores = tile::Stores::cached};
            const auto both = [&](TypeParam*& place, std::int64_t shift) {
              place = found.data() + shift;
              set.table->line[bases](line);
              set.table->fence_streams();
              place = expected.data() + shift;
              set.reference->line(line, bases, static_cast<int>(lanes));
              return same_bits(found.values(), expected.values(),
                               {packs, static_cast<std::int64_t>(bases) + 1, lanes});
            };
            const auto text = [&] {
              return std::string(name_of(set.set)) + ", " + std::to_string(packs) + " packs, " +
                     std::to_string(bases) + " bases, window " + std::to_string(window) + ", " +
                     std::to_string(channels) + " channels";
            };
            EXPECT_TRUE(both(line.results, 0)) << text();
            line.results = nullptr;
            EXPECT_TRUE(both(line.to, 1)) << text() << ", interleaved";
            line.stores = tile::Stores::streamed;
            EXPECT_TRUE(both(line.to, lanes)) << text() << ", interleaved and streamed";
          }
        }
      }
    }
  }
}

/// Rows of sums, aligned to a line or not, past the caches or not: one NaN and one zero for all.
TYPED_TEST(Tile, LeavingHasTheBitsOfItsTwin) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(6);
    for (const std::int64_t count : {1, 3, 8, 10, 16, 37, 64, 300}) {
      for (const std::int64_t gap : {0, 5, 16}) {
        constexpr std::int64_t rows = 20;
        Aligned<TypeParam> from(static_cast<std::size_t>(rows * (count + gap)));
        from.fill(random);
        for (std::int64_t i = 0; i < rows * count; i += 3) {
          const TypeParam odd[] = {TypeParam(-0.0), -Limits::quiet_NaN(), -Limits::infinity()};
          from.data()[i] = odd[random() % 3];
        }
        tile::Copy<TypeParam> arguments{.to = nullptr,
                                        .to_step = count + gap,
                                        .from = from.data(),
                                        .from_step = gap == 5 ? count : count + gap,
                                        .count = count,
                                        .rows = rows};
        const auto size = static_cast<std::size_t>(rows * arguments.to_step + 17);
        for (const std::int64_t shift : {0, 1, 4}) {
          Aligned<TypeParam> expected(size);
          arguments.to = expected.data() + shift;
          set.reference->store_copy(arguments);
          for (const tile::Stores stores : {tile::Stores::cached, tile::Stores::streamed}) {
            Aligned<TypeParam> found(size);
            arguments.to = found.data() + shift;
            set.table->store_copy(arguments, stores);
            set.table->fence_streams();
            EXPECT_TRUE(
                same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size)}))
                << name_of(set.set) << ", rows of " << count << ", gap " << gap << ", shift "
                << shift;
          }
        }
      }
    }
  }
}

/// One direct tile against its reference: rows of neighboring samples, and rows that are apart.
template <class Scalar>
void check_direct(const SetOfTiles<Scalar>& set, int power, std::int64_t window, std::int64_t every,
                  std::mt19937_64& random) {
  const int lanes = set.reference->lanes;
  const int rows = 1 << power;
  const std::int64_t packed = (rows - 1) * every + window;
  Aligned<Scalar> samples(static_cast<std::size_t>(packed * lanes));
  samples.fill(random);
  Aligned<Scalar> taps(static_cast<std::size_t>(window) + 1);
  taps.fill(random);
  const std::int64_t results_step = lanes * (1 + static_cast<std::int64_t>(random() % 3));
  const auto size = static_cast<std::size_t>(rows * results_step);
  Aligned<Scalar> found(size);
  Aligned<Scalar> expected(size);
  tile::DirectTile<Scalar> arguments{.samples = samples.data() + (window - 1) * lanes,
                                     .row_step = every * lanes,
                                     .taps = taps.data() + 1,  // of any alignment
                                     .window = window,
                                     .results = found.data(),
                                     .results_step = results_step};
  if (window == 0) arguments.samples = samples.data();
  set.table->direct[power](arguments);
  arguments.results = expected.data();
  set.reference->direct(arguments, rows, lanes);
  EXPECT_TRUE(same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size)}))
      << name_of(set.set) << ", " << rows << " rows, window " << window << ", every " << every;
}

TYPED_TEST(Tile, DirectHasTheBitsOfItsTwin) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(9);
    ASSERT_GE(set.table->row_powers, 1);
    EXPECT_EQ(set.table->lanes, set.reference->lanes);
    for (int power = 0; power < set.table->row_powers; ++power) {
      for (const std::int64_t window : {0, 1, 2, 3, 4, 5, 7, 8, 100}) {
        for (const std::int64_t every : {1, 2, 5}) {
          check_direct(set, power, window, every, random);
        }
      }
    }
  }
}

/// Sums that overflow, underflow and meet NaN, compared as bits: one NaN and one zero for all.
TYPED_TEST(Tile, ResultsAreCanonical) {
  using Limits = std::numeric_limits<TypeParam>;
  const TypeParam tiny = -Limits::min();
  const TypeParam huge = Limits::max();
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    Aligned<TypeParam> samples(static_cast<std::size_t>(2 * lanes));
    const TypeParam values[] = {tiny, huge, -Limits::quiet_NaN(), Limits::infinity(), 1};
    for (int i = 0; i < 2 * lanes; ++i) samples.data()[i] = values[i % lanes % 5];
    Aligned<TypeParam> taps(2);
    taps.data()[0] = Limits::min();
    taps.data()[1] = huge;
    Aligned<TypeParam> results(static_cast<std::size_t>(lanes));
    tile::DirectTile<TypeParam> arguments{.samples = samples.data() + lanes,
                                          .row_step = lanes,
                                          .taps = taps.data(),
                                          .window = 1,
                                          .results = results.data(),
                                          .results_step = lanes};
    set.table->direct[0](arguments);
    const TypeParam zero = results.data()[0];
    EXPECT_TRUE(zero == 0 && !std::signbit(zero)) << name_of(set.set);
    arguments.window = 2;
    set.table->direct[0](arguments);
    if (lanes > 2) {
      const TypeParam nan = results.data()[2];
      EXPECT_TRUE(std::isnan(nan) && !std::signbit(nan)) << name_of(set.set);
    }
    const bool overflows = lanes < 2 || std::isinf(results.data()[1]);
    EXPECT_TRUE(overflows) << name_of(set.set);
  }
}

TYPED_TEST(Tile, AccumulatorsFitTheRegisters) {
  for (const auto& set : usable_sets<TypeParam>()) {
    const int rows = 1 << (set.table->row_powers - 1);
    EXPECT_LE(rows + 6, set.reference->registers) << name_of(set.set);
    EXPECT_EQ(tune::tile_rows % rows, 0);
  }
}

/// Groups of packs to places that are not in order, without the last of a group.
TYPED_TEST(Tile, SpreadHasTheBitsOfItsTwin) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(14);
    const int lanes = set.reference->lanes;
    for (int count = 1; count <= tune::most_bases; ++count) {
      for (const tile::Stores stores :
           {tile::Stores::cached, tile::Stores::streamed, tile::Stores::streamed_runs}) {
        constexpr std::int64_t times = 3;
        const std::int64_t pack_step = 2 * lanes;
        Aligned<TypeParam> from(static_cast<std::size_t>(times * count * pack_step));
        from.fill(random);
        const int stored = count > 1 ? count - 1 : 1;
        const bool streams = stores == tile::Stores::streamed;
        const std::int64_t place = streams ? 2 * lanes : 2 * lanes + 1;  // of any alignment
        const std::int64_t to_step = count * place + (streams ? lanes : 3);
        const auto size = static_cast<std::size_t>(times * to_step + lanes);
        Aligned<TypeParam> found(size);
        Aligned<TypeParam> expected(size);
        const auto run = [&](Aligned<TypeParam>& to, auto&& spread) {
          std::vector<TypeParam*> places;
          for (int k = 0; k < count; ++k) places.push_back(to.data() + (count - 1 - k) * place);
          unsigned follows = 0;
          if (stores == tile::Stores::streamed_runs) {  // two packs in each run
            for (int k = 1; k < count; k += 2) {
              places[static_cast<std::size_t>(k)] = places[static_cast<std::size_t>(k - 1)] + lanes;
              follows |= 1U << k;
            }
          }
          spread(tile::Spread<TypeParam>{.from = from.data(),
                                         .pack_step = pack_step,
                                         .group_step = count * pack_step,
                                         .times = times,
                                         .to = places.data(),
                                         .stored = stored,
                                         .shift = streams ? lanes : 1,
                                         .to_step = to_step,
                                         .follows = follows});
        };
        run(found, set.table->spread[tile::way_of(stores)][count]);
        set.table->fence_streams();
        run(expected, [&](const auto& spread) { tile::spread_reference(spread, count, lanes); });
        EXPECT_TRUE(same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size)}))
            << name_of(set.set) << ", groups of " << count << ", way " << tile::way_of(stores);
      }
    }
  }
}

TYPED_TEST(Tile, CopiesEachValue) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(15);
    for (std::size_t count = 0; count < 70; ++count) {
      for (const std::size_t shift : {0, 1, 16}) {
        const std::size_t from_step = count + 2;
        const std::size_t to_step = count + 5;
        Aligned<TypeParam> from(2 * from_step + 3);
        from.fill(random);
        std::vector<TypeParam> expected(shift + 2 * to_step, TypeParam(-77));
        for (std::size_t i = 0; i < count; ++i) {
          expected[shift + i] = from.data()[i + 3];
          expected[shift + to_step + i] = from.data()[from_step + i + 3];
        }
        for (const tile::Stores stores : {tile::Stores::cached, tile::Stores::streamed}) {
          Aligned<TypeParam> to(shift + 2 * to_step);
          set.table->copy({.to = to.data() + shift,
                           .to_step = static_cast<std::int64_t>(to_step),
                           .from = from.data() + 3,
                           .from_step = static_cast<std::int64_t>(from_step),
                           .count = static_cast<std::int64_t>(count),
                           .rows = 2},
                          stores);
          set.table->fence_streams();
          EXPECT_EQ(to.values(), expected) << name_of(set.set) << ", " << count << " values";
        }
      }
    }
  }
}

TYPED_TEST(Tile, FindsEachSampleThatIsNotFinite) {
  using Limits = std::numeric_limits<TypeParam>;
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    for (const std::int64_t packs : {1, 4, 7}) {
      Aligned<TypeParam> samples(static_cast<std::size_t>(packs * lanes));
      for (int i = 0; i < packs * lanes; ++i) {
        samples.data()[i] = i % 2 == 0 ? Limits::max() : -Limits::denorm_min();
      }
      EXPECT_TRUE(set.table->is_finite(samples.data(), packs)) << name_of(set.set);
      for (std::int64_t i = 0; i < packs * lanes; ++i) {
        const TypeParam before = samples.data()[i];
        for (const TypeParam value :
             {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
          samples.data()[i] = value;
          EXPECT_FALSE(set.table->is_finite(samples.data(), packs))
              << name_of(set.set) << ", value " << i;
        }
        samples.data()[i] = before;
      }
    }
  }
}

TYPED_TEST(Tile, EventsHaveTheBitsOfTheirTwin) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(10);
    for (std::int64_t width = 0; width <= 40; ++width) {
      for (const std::int64_t rows : {1, 2, 7}) {
        for (const std::int64_t gap : {0, 3}) {
          const std::int64_t shift = width % 4;  // values of any alignment
          const auto size = static_cast<std::size_t>(rows * (width + gap) + shift + 4);
          Aligned<TypeParam> taps(size);
          taps.fill(random);
          Aligned<TypeParam> found(size);
          found.fill(random);
          Aligned<TypeParam> expected(size);
          for (std::size_t i = 0; i < size; ++i) expected.data()[i] = found.data()[i];
          const TypeParam count = static_cast<TypeParam>(1 + width % 3) / 3;
          tile::EventRows<TypeParam> tile{.sums = found.data() + shift,
                                          .sums_step = width + gap,
                                          .taps = taps.data() + shift,
                                          .taps_step = rows == 7 ? width : width + gap,
                                          .width = width,
                                          .rows = rows};
          set.table->add_event(tile, count);
          tile.sums = expected.data() + shift;
          set.reference->add_event(tile, count);
          EXPECT_TRUE(
              same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size)}))
              << name_of(set.set) << ", " << rows << " rows of " << width << ", gap " << gap;
        }
      }
    }
  }
}

TYPED_TEST(Tile, EventsAddUpToTheDirectTile) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(12);
    constexpr int window = 20;
    const int lanes = set.reference->lanes;
    Aligned<TypeParam> samples(static_cast<std::size_t>(window * lanes));
    Aligned<TypeParam> taps(window);
    taps.fill(random);
    Aligned<TypeParam> found(static_cast<std::size_t>(lanes));
    std::vector<TypeParam> sums(static_cast<std::size_t>(lanes), TypeParam(0));
    for (std::int64_t i = 0; i < window * lanes; ++i) {
      samples.data()[i] = random() % 3 == 0 ? static_cast<TypeParam>(random() % 4) : TypeParam(0);
    }
    set.table->direct[0]({.samples = samples.data() + (window - 1) * lanes,
                          .row_step = lanes,
                          .taps = taps.data(),
                          .window = window,
                          .results = found.data(),
                          .results_step = lanes});
    for (int lane = 0; lane < lanes; ++lane) {
      for (int w = 0; w < window; ++w) {
        const TypeParam count = samples.data()[(window - 1 - w) * lanes + lane];
        if (count == TypeParam(0)) continue;
        set.table->add_event({.sums = &sums[static_cast<std::size_t>(lane)],
                              .sums_step = 1,
                              .taps = taps.data() + w,
                              .taps_step = 1,
                              .width = 1,
                              .rows = 1},
                             count);
      }
    }
    EXPECT_TRUE(same_bits(sums, found.values(), {lanes})) << name_of(set.set);
  }
}

TYPED_TEST(Tile, NonFiniteSamplesPassThrough) {
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    Aligned<TypeParam> samples(static_cast<std::size_t>(2 * lanes));
    for (int i = 0; i < 2 * lanes; ++i) samples.data()[i] = TypeParam(1);
    samples.data()[lanes] = std::numeric_limits<TypeParam>::quiet_NaN();
    samples.data()[1] = std::numeric_limits<TypeParam>::infinity();
    Aligned<TypeParam> taps(2);
    Aligned<TypeParam> results(static_cast<std::size_t>(lanes));
    tile::DirectTile<TypeParam> arguments{.samples = samples.data() + lanes,
                                          .row_step = lanes,
                                          .taps = taps.data(),
                                          .window = 2,
                                          .results = results.data(),
                                          .results_step = lanes};
    taps.data()[0] = 0;
    taps.data()[1] = 1;
    set.table->direct[0](arguments);
    EXPECT_TRUE(std::isnan(results.data()[0])) << "0 x NaN";
    EXPECT_TRUE(std::isinf(results.data()[1]));
    taps.data()[0] = 1;
    taps.data()[1] = 0;
    set.table->direct[0](arguments);
    EXPECT_TRUE(std::isnan(results.data()[0]));
    EXPECT_TRUE(std::isnan(results.data()[1])) << "0 x Inf";
  }
}

TYPED_TEST(Tile, PacksComputeEachLane) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(13);
    const int lanes = set.reference->lanes;
    const auto size = static_cast<std::size_t>(lanes);
    Aligned<TypeParam> a(size);
    Aligned<TypeParam> b(size);
    Aligned<TypeParam> c(size);
    a.fill(random);
    b.fill(random);
    c.fill(random);
    std::vector<TypeParam> expected;
    for (int i = 0; i < lanes; ++i) {
      const TypeParam product = a.data()[i] * b.data()[i];
      expected.push_back(set.set == InstructionSet::plain
                             ? product + c.data()[i]
                             : std::fma(a.data()[i], b.data()[i], c.data()[i]));
    }
    set.reference->multiply_add(a.data(), b.data(), c.data());
    EXPECT_TRUE(same_bits(c.values(), expected, {lanes})) << name_of(set.set);
    set.reference->broadcast(TypeParam(0.1), a.data());
    EXPECT_THAT(a.values(), testing::Each(TypeParam(0.1))) << name_of(set.set);
  }
}

TYPED_TEST(Tile, InterleavesPacks) {
  for (const auto& set : usable_sets<TypeParam>()) {
    const int lanes = set.reference->lanes;
    for (int count = 1; count <= tune::most_bases; ++count) {
      Aligned<TypeParam> packs(static_cast<std::size_t>(count * lanes));
      for (int i = 0; i < count * lanes; ++i) packs.data()[i] = static_cast<TypeParam>(i);
      set.reference->interleave(count, packs.data());
      std::vector<TypeParam> expected;
      for (int lane = 0; lane < lanes; ++lane) {
        for (int p = 0; p < count; ++p) {
          expected.push_back(static_cast<TypeParam>(p * lanes + lane));
        }
      }
      EXPECT_EQ(packs.values(), expected) << name_of(set.set) << ", " << count << " packs";
    }
  }
}

TEST(Select, TakesTheWidestSetAndNamesTheOthers) {
  const InstructionSet widest = tile::select_set(InstructionSet::automatic);
  EXPECT_EQ(oracle::sets_at_hand().back(), widest);
  for (const auto& set : usable_sets<float>()) {
    EXPECT_LE(tile::register_bytes(set.set), tile::register_bytes(widest));
    EXPECT_EQ(set.table->lanes * 4, tile::register_bytes(set.set));
  }
  oracle::expect_refused([] { tile::select_set(static_cast<InstructionSet>(99)); },
                         "machine.instruction_set", "unknown", name_of(widest));
}

template <class... Sets>
std::vector<InstructionSet> sets_of(lanes::SetList<Sets...>) {
  return {lanes::set_of(Sets{})...};
}

TEST(Select, EverySetOfHostsHasATagOfItsName) {
  EXPECT_EQ(sets_of(lanes::HostSets{}), oracle::host_sets());
  EXPECT_EQ(tile::register_bytes(InstructionSet::avx512), 64);
  EXPECT_EQ(tile::register_bytes(InstructionSet::neon), 16);
  EXPECT_EQ(tile::register_bytes(InstructionSet::sve256), 32);
}

}  // namespace
}  // namespace tile_tests
