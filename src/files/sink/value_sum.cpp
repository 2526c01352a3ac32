// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/sink/value_sum.hpp"

#include "files/part/descriptor.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace synelix::stream {
namespace {

/// A table has keys for this many words; later words change the key by the number of the
/// repetition.
constexpr std::size_t key_words = 64;
constexpr std::uint64_t golden = 0x9e3779b97f4a7c15U;  // 2^64 / golden ratio, as SplitMix64 steps

constexpr std::uint64_t mixed(std::uint64_t value) {  // SplitMix64
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31U);
}

struct Keys {
  std::array<std::uint32_t, key_words> low = {};
  std::array<std::uint32_t, key_words> high = {};
};

constexpr Keys make_keys() {
  Keys keys;
  for (std::size_t i = 0; i < key_words; ++i) {
    const std::uint64_t key = mixed((i + 1) * golden);
    keys.low[i] = static_cast<std::uint32_t>(key);
    keys.high[i] = static_cast<std::uint32_t>(key >> 32U);
  }
  return keys;
}

constexpr Keys keys = make_keys();

/// Products of 32 by 32 bits, which compilers vectorize on every processor.
inline std::uint64_t product(std::uint32_t word, std::size_t i, std::uint64_t turn) {
  const std::uint32_t low = keys.low[i] ^ static_cast<std::uint32_t>(turn);
  const std::uint32_t high = (keys.high[i] + static_cast<std::uint32_t>(turn >> 32U)) | 1U;
  return static_cast<std::uint64_t>(word ^ low) * high;
}

std::uint64_t sum_of_period(const unsigned char* bytes, std::uint64_t turn) {
  std::array<std::uint32_t, key_words> words;
  std::memcpy(words.data(), bytes, sizeof(words));
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < key_words; ++i) sum += product(words[i], i, turn);
  return sum;
}

}  // namespace

std::uint64_t value_sum(const void* bytes, std::int64_t words, std::uint64_t first) {
  const auto* next = static_cast<const unsigned char*>(bytes);
  std::uint64_t sum = 0;
  while (words > 0) {
    const std::uint64_t turn = mixed(first / key_words * golden);
    const auto begin = static_cast<std::size_t>(first % key_words);
    const auto count = std::min(static_cast<std::size_t>(words), key_words - begin);
    if (count == key_words) {
      sum += sum_of_period(next, turn);
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, next + 4 * i, sizeof(word));
        sum += product(word, begin + i, turn);
      }
    }
    next += 4 * count;
    words -= static_cast<std::int64_t>(count);
    first += count;
  }
  return sum;
}

void ByteSum::add(const void* bytes, std::int64_t size) {
  const std::int64_t whole = size / 4;
  m_sum += value_sum(bytes, whole, m_words);
  m_words += static_cast<std::uint64_t>(whole);
  if (size % 4 == 0) return;
  std::uint32_t rest = 0;
  std::memcpy(&rest, static_cast<const unsigned char*>(bytes) + 4 * whole,
              static_cast<std::size_t>(size % 4));
  m_sum += value_sum(&rest, 1, m_words);
  ++m_words;
}

std::optional<std::uint64_t> sum_of_ranges(int descriptor, const std::vector<Range>& ranges) {
  std::array<char, 1 << 15> part;
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    ByteSum bytes;
    for (std::int64_t at = ranges[i].begin; at < ranges[i].end;) {
      const auto size =
          std::min<std::size_t>(part.size(), static_cast<std::size_t>(ranges[i].end - at));
      if (!read_at(descriptor, at, part.data(), size)) return std::nullopt;
      bytes.add(part.data(), static_cast<std::int64_t>(size));
      at += static_cast<std::int64_t>(size);
    }
    const std::array<std::uint64_t, 2> record = {bytes.value(),
                                                 static_cast<std::uint64_t>(ranges[i].size())};
    sum += value_sum(record.data(), 4, 4 * static_cast<std::uint64_t>(i));
  }
  return sum == 0 ? 1 : sum;
}

std::optional<std::uint64_t> frame_sum(int descriptor, std::int64_t bytes,
                                       std::vector<Range> left_out) {
  std::sort(left_out.begin(), left_out.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  left_out.push_back({bytes, bytes});
  std::array<char, 1 << 15> part;
  std::uint64_t sum = 0;
  std::int64_t at = 0;
  for (const Range& range : left_out) {
    const std::int64_t end = std::min(range.begin, bytes);
    while (at < end) {
      const auto size = std::min<std::size_t>(part.size(), static_cast<std::size_t>(end - at));
      if (!read_at(descriptor, at, part.data(), size)) return std::nullopt;
      ByteSum piece;
      piece.add(part.data(), static_cast<std::int64_t>(size));
      const std::array<std::uint64_t, 2> record = {piece.value(), static_cast<std::uint64_t>(at)};
      // The place of a piece is a part of the sum.
      sum += value_sum(record.data(), 4, 4 * static_cast<std::uint64_t>(at));
      at += static_cast<std::int64_t>(size);
    }
    at = std::max(at, range.end);
  }
  return sum;
}

}  // namespace synelix::stream
