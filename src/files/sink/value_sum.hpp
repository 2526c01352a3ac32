// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>

#include <cstdint>
#include <optional>
#include <vector>

/// \file
/// A checksum of numbered words that is a sum: pieces of any size may be added in any order. So
/// blocks of any shape add up to the checksum of the chunk that they fill.
///
///     sum = sum over words p of (word(p) xor low(p)) * high(p)   modulo 2^64
///
/// `low` and `high` are 32-bit keys of the word's number; `high` is odd, so that a change of any
/// one word changes the sum.

namespace synelix::stream {

/// The sum of `words` 32-bit words; the first one has the number `first`.
std::uint64_t value_sum(const void* bytes, std::int64_t words, std::uint64_t first);

/// The same for bytes, as words numbered from 0; the last word is padded with zeros.
class ByteSum {
 public:
  /// Each call except the last must have a multiple of four bytes.
  void add(const void* bytes, std::int64_t size);
  [[nodiscard]] std::uint64_t value() const { return m_sum; }

 private:
  std::uint64_t m_sum = 0;
  std::uint64_t m_words = 0;
};

/// A checksum of some ranges of a file, in their order; never 0. Nothing if the file cannot be
/// read, or is too short.
std::optional<std::uint64_t> sum_of_ranges(int descriptor, const std::vector<Range>& ranges);

/// Nothing if the file cannot be read, or is shorter than `bytes`.
std::optional<std::uint64_t> frame_sum(int descriptor, std::int64_t bytes,
                                       std::vector<Range> left_out);

}  // namespace synelix::stream
