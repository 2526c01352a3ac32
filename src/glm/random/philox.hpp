// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

/// \file
/// Random numbers that are a function of a seed and a counter. So a draw depends only on the seed,
/// its row and its target, and not on threads, on the cut of the rows, or on earlier draws.
///
/// Source: Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011:
/// Philox 4x32 with 10 rounds.

namespace synelix::glm {

/// A block of 128 random bits.
using PhiloxBlock = std::array<std::uint32_t, 4>;

/// Philox 4x32-10 of a counter and a key.
constexpr PhiloxBlock philox(PhiloxBlock counter, std::array<std::uint32_t, 2> key) {
  constexpr std::uint32_t multipliers[2] = {0xD2511F53U, 0xCD9E8D57U};
  constexpr std::uint32_t key_steps[2] = {0x9E3779B9U, 0xBB67AE85U};
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t a = std::uint64_t{multipliers[0]} * counter[0];
    const std::uint64_t b = std::uint64_t{multipliers[1]} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key = {key[0] + key_steps[0], key[1] + key_steps[1]};
  }
  return counter;
}

/// The purpose of the numbers: streams of different purposes share no number.
enum class Purpose : std::uint32_t { targets, event_times };

/// The random numbers of one row of one target.
class RandomStream {
 public:
  /// Distinguishes rows up to 2^63, targets up to 2^24 and 2^31 numbers.
  constexpr RandomStream(std::uint64_t seed, std::int64_t row, std::int64_t target,
                         Purpose purpose = Purpose::targets)
      : m_key{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
        m_counter{static_cast<std::uint32_t>(row),
                  static_cast<std::uint32_t>(static_cast<std::uint64_t>(row) >> 32),
                  static_cast<std::uint32_t>(target) |
                      (static_cast<std::uint32_t>(purpose) << purpose_shift),
                  0} {}

  /// A number above 0 and below 1: the middle of one of 2^52 equal intervals, which a double holds.
  constexpr double uniform() {
    if (m_left == 0) {
      m_block = philox(m_counter, m_key);
      ++m_counter[3];
      m_left = 2;
    }
    --m_left;
    const std::size_t i = m_left == 1 ? 0 : 2;
    const std::uint64_t bits = std::uint64_t{m_block[i]} | (std::uint64_t{m_block[i + 1]} << 32);
    constexpr double step = 1.0 / 4503599627370496.0;  // 2^-52
    return (static_cast<double>(bits >> 12) + 0.5) * step;
  }

 private:
  static constexpr int purpose_shift = 24;
  std::array<std::uint32_t, 2> m_key;
  PhiloxBlock m_counter;
  PhiloxBlock m_block{};
  int m_left = 0;
};

}  // namespace synelix::glm
