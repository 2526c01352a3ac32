// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "part_files/descriptor.hpp"
#include "streams/fingerprint.hpp"

#include <synelix/types/stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// What records in a file that is being written have in common: heads with a version and a text,
/// checksums, the boot id of the kernel that received them, and fingerprints as text.

namespace synelix::stream {

/// The checksum of all members of a record after the checksum itself, and of the text or the values
/// after the record.
template <class Record>
std::uint64_t checksum_of_record(const Record& record, std::string_view behind = {}) {
  constexpr std::size_t begin = offsetof(Record, checksum) + sizeof(record.checksum);
  return Checksum()
      .add(reinterpret_cast<const char*>(&record) + begin, sizeof(Record) - begin)
      .add(behind.data(), behind.size())
      .value();
}

/// Tables of records begin at page borders, because a disk reads and writes entire pages.
constexpr std::int64_t page_bytes = 4096;
inline std::int64_t whole_pages(std::int64_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// The head of records in a file, and whether it and its text match their checksum.
template <class Head>
struct FoundHead {
  std::int64_t address = 0;
  Head head = {};
  std::string text = {};  ///< after the head
  bool is_sound = false;
};

/// A kind of records, for `find_head`.
struct RecordFormat {
  std::string_view name;   ///< the last character is the version
  const char* what;        ///< "checkpoint", for messages
  const char* remedy;      ///< for records of another version
  bool is_needed = false;  ///< whether a file that cannot be read is an error
};

/// The longest text of a head.
constexpr std::int64_t most_text_bytes = 1 << 24;

/// Finds the first head of a format at a page border from an address on: HDF5's own records at the
/// beginning of a file take the first places. Nothing if there is none. A head has the members
/// name, checksum and text_bytes first.
/// \throws FileError if the head is of another version of the format
template <class Head>
std::optional<FoundHead<Head>> find_head(int descriptor, std::int64_t address,
                                         const std::string& file, const RecordFormat& format) {
  constexpr std::int64_t places = 1024;
  const std::size_t version = format.name.size() - 1;
  FoundHead<Head> found{.address = address / page_bytes * page_bytes};
  for (std::int64_t i = 0; i < places; ++i, found.address += page_bytes) {
    const std::int64_t bytes = read_up_to(descriptor, found.address, &found.head, sizeof(Head));
    if (bytes < 0 && format.is_needed) {
      throw FileError(file + ": cannot be read: " + std::strerror(errno));
    }
    if (bytes < static_cast<std::int64_t>(sizeof(Head))) return std::nullopt;
    const std::string_view name(found.head.name.data(), found.head.name.size());
    if (name.substr(0, version) != format.name.substr(0, version)) continue;
    if (name != format.name && name.back() >= '0' && name.back() <= '9') {
      throw FileError(file,
                      std::string("its ") + format.what + " has format " + name.back() +
                          ", and this version of synelix reads format " + format.name.back(),
                      format.remedy);
    }
    if (name == format.name && found.head.text_bytes >= 0 &&
        found.head.text_bytes <= most_text_bytes) {
      found.text.resize(static_cast<std::size_t>(found.head.text_bytes));
      found.is_sound = read_at(descriptor, found.address + static_cast<std::int64_t>(sizeof(Head)),
                               found.text.data(), found.text.size()) &&
                       checksum_of_record(found.head, found.text) == found.head.checksum;
    }
    return found;
  }
  return std::nullopt;
}

/// The bytes of a head and its text, whose lengths and checksum are set here.
/// \param bytes  their number; zeros follow the text
template <class Head>
std::string bytes_of_head(Head head, std::string_view format, const std::string& text,
                          std::size_t bytes) {
  std::copy(format.begin(), format.end(), head.name.begin());
  head.text_bytes = static_cast<std::int64_t>(text.size());
  head.checksum = checksum_of_record(head, text);
  std::string result(reinterpret_cast<const char*>(&head), sizeof(head));
  result += text;
  result.resize(bytes, '\0');
  return result;
}

/// Used instead of a boot id: the record is valid under every kernel.
constexpr std::uint64_t on_disk = ~std::uint64_t{0};

/// Identifies one run of a kernel; 0 if the system does not report it.
inline std::uint64_t boot_of_kernel() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string text;
  std::getline(file, text);
  return text.empty() ? 0 : Checksum().add(text.data(), text.size()).value();
}

/// A checksum of numbered words that is a sum: pieces of any size may be added in any order. So
/// blocks of any shape add up to the checksum of the chunk that they fill.
///
///     sum = sum over words p of (word(p) xor low(p)) * high(p)   modulo 2^64
///
/// `low` and `high` are 32-bit keys of the word's number; `high` is odd, so that a change of any
/// one word changes the sum. This is the sum of `words` 32-bit words; the first one has the number
/// `first`.
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

/// The `ByteSum` of a range of a file. Nothing if the file cannot be read, or is too short.
std::optional<std::uint64_t> sum_of_range(int descriptor, Range range);

/// A checksum of some ranges of a file, in their order; never 0. Nothing if the file cannot be
/// read, or is too short.
std::optional<std::uint64_t> sum_of_ranges(int descriptor, const std::vector<Range>& ranges);

/// Nothing if the file cannot be read, or is shorter than `bytes`.
std::optional<std::uint64_t> frame_sum(int descriptor, std::int64_t bytes,
                                       std::vector<Range> left_out);

/// The sum of a range or ranges of a file that this run has written. \throws FileError if there is
/// none \param failing  "FILE.part: cannot be written"
std::uint64_t required_sum(std::optional<std::uint64_t> sum, const std::string& failing);

}  // namespace synelix::stream

namespace synelix::h5 {

/// "name: value; name: value". A backslash escapes backslashes, and text that looks like a
/// separator.
std::string text_of(const Fingerprint& fingerprint);
/// Parses a text of `text_of`; values of another form are dropped.
Fingerprint fingerprint_from(const std::string& text);
/// The value of a name.
std::optional<std::string> value_of(const Fingerprint& fingerprint, const std::string& name);

/// Throws Error("WHERE: it was made with NAME VALUE, ..., but this run asks for NAME VALUE, ....
/// REMEDY.") if they differ. \param but  replaces "this run asks for"
void require_same(const std::string& where, const Fingerprint& found, const Fingerprint& wanted,
                  const std::string& remedy, const std::string& but = "this run asks for");

}  // namespace synelix::h5
