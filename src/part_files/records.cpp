// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "part_files/records.hpp"

#include "streams/input_files.hpp"

#include <synelix/types/hdf5.hpp>

#include <array>
#include <cstring>
#include <initializer_list>

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

std::optional<std::uint64_t> sum_of_range(int descriptor, Range range) {
  ByteSum sum;
  std::array<char, 1 << 15> part;
  while (range.size() > 0) {
    const std::int64_t size = std::min(static_cast<std::int64_t>(part.size()), range.size());
    if (!read_at(descriptor, range.begin, part.data(), static_cast<std::size_t>(size))) {
      return std::nullopt;
    }
    sum.add(part.data(), size);
    range.begin += size;
  }
  return sum.value();
}

std::optional<std::uint64_t> sum_of_ranges(int descriptor, const std::vector<Range>& ranges) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const auto bytes = sum_of_range(descriptor, ranges[i]);
    if (!bytes) return std::nullopt;
    const std::array<std::uint64_t, 2> record = {*bytes,
                                                 static_cast<std::uint64_t>(ranges[i].size())};
    sum += value_sum(record.data(), 4, 4 * static_cast<std::uint64_t>(i));
  }
  return sum == 0 ? 1 : sum;
}

std::optional<std::uint64_t> frame_sum(int descriptor, std::int64_t bytes,
                                       std::vector<Range> left_out) {
  constexpr std::int64_t together = 1 << 15;
  std::sort(left_out.begin(), left_out.end(),
            [](const Range& a, const Range& b) { return a.begin < b.begin; });
  left_out.push_back({bytes, bytes});
  std::uint64_t sum = 0;
  std::int64_t at = 0;
  for (const Range& range : left_out) {
    const std::int64_t end = std::min(range.begin, bytes);
    for (; at < end; at = std::min(at + together, end)) {
      const auto piece = sum_of_range(descriptor, {at, std::min(at + together, end)});
      if (!piece) return std::nullopt;
      const std::array<std::uint64_t, 2> record = {*piece, static_cast<std::uint64_t>(at)};
      // The place of a piece is a part of the sum.
      sum += value_sum(record.data(), 4, 4 * static_cast<std::uint64_t>(at));
    }
    at = std::max(at, range.end);
  }
  return sum;
}

std::uint64_t required_sum(std::optional<std::uint64_t> sum, const std::string& failing) {
  if (sum) return *sum;
  throw FileError(failing +
                  ": what was written cannot be read back. Check the disk, and run again.");
}

}  // namespace synelix::stream

namespace synelix {
namespace h5 {
namespace {

constexpr std::string_view between = "; ";
constexpr std::string_view behind_name = ": ";
constexpr char escape = '\\';

/// Escapes a text so that it contains no separator.
std::string escaped(const std::string& text, std::initializer_list<std::string_view> separators) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::string_view rest = std::string_view(text).substr(at);
    const bool is_separator =
        std::any_of(separators.begin(), separators.end(),
                    [&](std::string_view separator) { return rest.starts_with(separator); });
    if (is_separator || text[at] == escape) result += escape;
    result += text[at];
  }
  return result;
}

std::string unescaped(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == escape && at + 1 < text.size()) ++at;
    result += text[at];
  }
  return result;
}

/// The beginning of the next separator that is not escaped; the end of the text if there is none.
std::size_t find_separator(const std::string& text, std::string_view separator, std::size_t at) {
  for (; at < text.size(); ++at) {
    if (text[at] == escape) {
      ++at;
    } else if (std::string_view(text).substr(at).starts_with(separator)) {
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::string text_of(const Fingerprint& fingerprint) {
  std::string text;
  for (const auto& [name, value] : fingerprint) {
    if (value.empty()) continue;
    if (!text.empty()) text += between;
    text += escaped(name, {between, behind_name});
    text += behind_name;
    text += escaped(value, {between});
  }
  return text;
}

Fingerprint fingerprint_from(const std::string& text) {
  Fingerprint fingerprint;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = find_separator(text, between, begin);
    const std::string item = text.substr(begin, end - begin);
    if (const std::size_t colon = find_separator(item, behind_name, 0); colon < item.size()) {
      fingerprint.emplace_back(unescaped(item.substr(0, colon)),
                               unescaped(item.substr(colon + behind_name.size())));
    }
    begin = end + between.size();
  }
  return fingerprint;
}

std::optional<std::string> value_of(const Fingerprint& fingerprint, const std::string& name) {
  for (const auto& [known, value] : fingerprint) {
    if (known == name && !value.empty()) return value;
  }
  return std::nullopt;
}

void require_same(const std::string& where, const Fingerprint& found, const Fingerprint& wanted,
                  const std::string& remedy, const std::string& but) {
  std::string there;
  std::string here;
  const auto compare = [&](const std::string& name) {
    const auto one = value_of(found, name);
    const auto other = value_of(wanted, name);
    if (one == other) return;
    there += (there.empty() ? "" : ", ") + name + " " + one.value_or("none");
    here += (here.empty() ? "" : ", ") + name + " " + other.value_or("none");
  };
  for (const auto& [name, value] : wanted) compare(name);
  for (const auto& [name, value] : found) {
    if (!value_of(wanted, name)) compare(name);
  }
  if (there.empty()) return;
  throw FileError(where, "it was made with " + there + ", but " + but + " " + here, remedy);
}

}  // namespace h5

Fingerprint fingerprint_of_text(const std::string& name, const std::string& text) {
  return {{name + " bytes", std::to_string(text.size())},
          {name + " checksum", stream::Checksum().add(text.data(), text.size()).text()}};
}

Fingerprint fingerprint_of_file(const std::string& file) {
  return stream::fingerprint_of({look_at_file(file)});
}

}  // namespace synelix
