// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rooms/tile_reference.hpp"
#include "tile/select.hpp"
#include "tile/table.hpp"

#include "oracle/matchers.hpp"
#include "oracle/refusals.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <gmock/gmock.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// Every tile of every instruction set that this processor has, bit for bit its slow twin's; and the
// packs below.

namespace {

using namespace synelix;
using oracle::same_bits;

/// Values that begin at a cache line.
template <class Scalar>
class Aligned {
 public:
  explicit Aligned(std::size_t count) : m_count(count) {
    m_data = static_cast<Scalar*>(::operator new(count * sizeof(Scalar), std::align_val_t(64)));
    for (std::size_t i = 0; i < count; ++i) m_data[i] = Scalar(-77);
  }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;
  ~Aligned() { ::operator delete(m_data, std::align_val_t(64)); }

  Scalar* data() { return m_data; }
  [[nodiscard]] std::vector<Scalar> values() const { return {m_data, m_data + m_count}; }
  void fill(std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < m_count; ++i) m_data[i] = static_cast<Scalar>(normal(random));
  }

 private:
  std::size_t m_count;
  Scalar* m_data;
};

template <class Scalar>
struct SetOfTiles {
  InstructionSet set;
  const tile::TileTable<Scalar>* table;
  const rooms::TileReference<Scalar>* reference;
};

bool is_usable(InstructionSet set) {
  try {
    return tile::select_set(set) == set;
  } catch (const Error&) {
    return false;
  }
}

/// The sets of this build that this processor has.
template <class Scalar>
std::vector<SetOfTiles<Scalar>> usable_sets() {
  std::vector<SetOfTiles<Scalar>> sets;
  const auto add = [&](InstructionSet set, const rooms::TileReference<float>& of_float,
                       const rooms::TileReference<double>& of_double) {
    if (!is_usable(set)) return;
    if constexpr (std::is_same_v<Scalar, float>) {
      sets.push_back({set, &tile::table_of<float>(set), &of_float});
    } else {
      sets.push_back({set, &tile::table_of<double>(set), &of_double});
    }
  };
#ifdef SYNELIX_SET_PLAIN
  add(InstructionSet::plain, rooms::float_reference_plain, rooms::double_reference_plain);
#endif
#ifdef SYNELIX_SET_AVX2
  add(InstructionSet::avx2, rooms::float_reference_avx2, rooms::double_reference_avx2);
#endif
#ifdef SYNELIX_SET_AVX512
  add(InstructionSet::avx512, rooms::float_reference_avx512, rooms::double_reference_avx512);
#endif
  return sets;
}

template <class Scalar>
class Tile : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Tile, Scalars);

/// One direct tile against its twin: samples of every pack anywhere in a block, a window, taps of
/// a bank with more bases than the tile's.
template <class Scalar>
void check_direct(const SetOfTiles<Scalar>& set, int packs, int bases, std::int64_t window,
                  std::mt19937_64& random) {
  const int lanes = set.reference->lanes;
  const std::int64_t tap_step = lanes * (1 + static_cast<std::int64_t>(random() % 3));
  const std::int64_t rows = window + 9;
  Aligned<Scalar> samples(static_cast<std::size_t>(rows * tap_step));
  samples.fill(random);
  const std::int64_t taps_step = bases + static_cast<std::int64_t>(random() % 3);
  Aligned<Scalar> taps(static_cast<std::size_t>(window * taps_step));
  taps.fill(random);
  constexpr std::size_t guard = 16;
  const auto size = static_cast<std::size_t>(packs * bases * lanes);
  Aligned<Scalar> found(size + guard);
  Aligned<Scalar> expected(size + guard);
  tile::DirectTile<Scalar> arguments{};
  for (int p = 0; p < packs; ++p) {
    const auto row = window - 1 + static_cast<std::int64_t>(random() % 9);
    const auto pack = static_cast<std::int64_t>(random()) & 0x7fffffff;
    arguments.samples[p] = samples.data() + row * tap_step + pack % (tap_step / lanes) * lanes;
  }
  arguments.tap_step = tap_step;
  arguments.taps = taps.data();
  arguments.taps_step = taps_step;
  arguments.window = window;
  arguments.results = found.data();
  (packs == 1 ? set.table->single[bases] : set.table->direct[bases])(arguments);
  arguments.results = expected.data();
  set.reference->direct(arguments, packs, bases, lanes);
  EXPECT_TRUE(
      same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size + guard)}))
      << name_of(set.set) << ", " << packs << " packs x " << bases << " bases, window " << window;
}

TYPED_TEST(Tile, DirectHasTheBitsOfItsTwin) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(9);
    ASSERT_GE(set.table->bases, 1);
    EXPECT_EQ(set.table->lanes, set.reference->lanes);
    for (int bases = 1; bases <= set.table->bases; ++bases) {
      ASSERT_GE(set.table->packs[bases], 1);
      ASSERT_LE(set.table->packs[bases], tile::DirectTile<TypeParam>::most_packs);
      for (const std::int64_t window : {1, 2, 7, 100}) {
        check_direct(set, set.table->packs[bases], bases, window, random);
        check_direct(set, 1, bases, window, random);
      }
    }
  }
}

TYPED_TEST(Tile, AccumulatorsFitTheRegisters) {
  for (const auto& set : usable_sets<TypeParam>()) {
    for (int bases = 1; bases <= set.table->bases; ++bases) {
      EXPECT_LE(set.table->packs[bases] * bases, set.reference->registers - 2)
          << name_of(set.set) << ", " << bases << " bases";
    }
  }
}

TYPED_TEST(Tile, EventsHaveTheBitsOfTheirTwin) {
  for (const auto& set : usable_sets<TypeParam>()) {
    std::mt19937_64 random(10);
    for (std::int64_t n = 0; n <= 70; ++n) {
      for (const std::size_t shift : {0, 1, 3}) {  // values of any alignment
        const auto size = static_cast<std::size_t>(n) + shift + 4;
        Aligned<TypeParam> taps(size);
        taps.fill(random);
        Aligned<TypeParam> found(size);
        found.fill(random);
        Aligned<TypeParam> expected(size);
        for (std::size_t i = 0; i < size; ++i) expected.data()[i] = found.data()[i];
        const TypeParam count = static_cast<TypeParam>(1 + n % 3) / 3;
        set.table->add_event(found.data() + shift, taps.data() + shift, count, n);
        set.reference->add_event(expected.data() + shift, taps.data() + shift, count, n);
        EXPECT_TRUE(same_bits(found.values(), expected.values(), {static_cast<std::int64_t>(size)}))
            << name_of(set.set) << ", " << n << " values";
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
    tile::DirectTile<TypeParam> arguments{};
    arguments.samples[0] = samples.data() + (window - 1) * lanes;
    arguments.tap_step = lanes;
    arguments.taps = taps.data();
    arguments.taps_step = 1;
    arguments.window = window;
    arguments.results = found.data();
    set.table->single[1](arguments);
    for (int lane = 0; lane < lanes; ++lane) {
      for (int w = 0; w < window; ++w) {
        const TypeParam count = samples.data()[(window - 1 - w) * lanes + lane];
        if (count == TypeParam(0)) continue;
        set.table->add_event(&sums[static_cast<std::size_t>(lane)], taps.data() + w, count, 1);
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
    Aligned<TypeParam> taps(4);
    const TypeParam values[] = {0, 1, 1, 0};
    for (int i = 0; i < 4; ++i) taps.data()[i] = values[i];
    Aligned<TypeParam> results(static_cast<std::size_t>(2 * lanes));
    tile::DirectTile<TypeParam> arguments{};
    arguments.samples[0] = samples.data() + lanes;
    arguments.tap_step = lanes;
    arguments.taps = taps.data();
    arguments.taps_step = 2;
    arguments.window = 2;
    arguments.results = results.data();
    set.table->single[2](arguments);
    EXPECT_TRUE(std::isnan(results.data()[0]) && std::isnan(results.data()[1])) << "0 x NaN";
    EXPECT_TRUE(std::isinf(results.data()[2]));
    EXPECT_TRUE(std::isnan(results.data()[3])) << "0 x Inf";
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
    for (const int count : {2, 4, 8}) {
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
  EXPECT_TRUE(is_usable(widest));
  for (const auto& set : usable_sets<float>()) {
    EXPECT_LE(tile::register_bytes(set.set), tile::register_bytes(widest));
    EXPECT_EQ(set.table->lanes * 4, tile::register_bytes(set.set));
  }
  oracle::expect_refused([] { tile::select_set(static_cast<InstructionSet>(99)); },
                         "machine.instruction_set", "unknown", name_of(widest));
}

}  // namespace
