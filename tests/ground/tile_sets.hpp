// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ground/tile_reference.hpp"
#include "lanes/set_of.hpp"
#include "oracle/sets.hpp"
#include "tile/select.hpp"
#include "tile/table.hpp"

#include <synelix/choice.hpp>
#include <synelix/error.hpp>

#include <cstddef>
#include <new>
#include <random>
#include <type_traits>
#include <vector>

/// \file
/// The tiles of each instruction set that this processor has, and their slow equivalents.

namespace ground {

using synelix::InstructionSet;

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
  const synelix::tile::TileTable<Scalar>* table;
  const TileReference<Scalar>* reference;
};

/// The sets of this build that this processor has.
template <class Scalar>
std::vector<SetOfTiles<Scalar>> usable_sets() {
  std::vector<SetOfTiles<Scalar>> sets;
  for (const InstructionSet set : oracle::sets_at_hand()) {
    const auto* reference = synelix::lanes::built_table<TileReference<Scalar>>(
        set, [](auto tag) -> const auto& { return reference_for<Scalar, decltype(tag)>(); });
    sets.push_back({set, &synelix::tile::table_of<Scalar>(set), reference});
  }
  return sets;
}

}  // namespace ground
