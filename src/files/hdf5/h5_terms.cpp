// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/hdf5/h5_terms.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace synelix::h5 {
namespace {

constexpr std::size_t numbers = 4;
constexpr std::array<const char*, numbers> column_names{"first_column", "columns", "channels",
                                                        "bases"};

/// A record of a name of so many bytes, then the numbers; text that is padded with zeros.
Type record_type(std::size_t name_bytes, const std::string& failing) {
  const Type text(H5Tcopy(H5T_C_S1), failing);
  check(H5Tset_size(text.id(), name_bytes), failing);
  check(H5Tset_cset(text.id(), H5T_CSET_UTF8), failing);
  check(H5Tset_strpad(text.id(), H5T_STR_NULLPAD), failing);
  Type record(H5Tcreate(H5T_COMPOUND, name_bytes + numbers * sizeof(std::int64_t)), failing);
  check(H5Tinsert(record.id(), "name", 0, text.id()), failing);
  for (std::size_t i = 0; i < numbers; ++i) {
    check(H5Tinsert(record.id(), column_names[i], name_bytes + i * sizeof(std::int64_t),
                    H5T_STD_I64LE),
          failing);
  }
  return record;
}

}  // namespace

void write_terms(const OutputFile& file, const std::string& path, const std::vector<Term>& terms) {
  std::size_t name_bytes = 1;
  for (const Term& term : terms) name_bytes = std::max(name_bytes, term.label.size());
  const std::size_t record_bytes = name_bytes + numbers * sizeof(std::int64_t);
  std::vector<std::byte> bytes(terms.size() * record_bytes);
  std::byte* record = bytes.data();
  for (const Term& term : terms) {
    const std::array<std::int64_t, numbers> values{term.columns.begin, term.columns.size(),
                                                   term.channels, term.bases};
    std::memcpy(record, term.label.data(), term.label.size());
    std::memcpy(record + name_bytes, values.data(), sizeof(values));
    record += record_bytes;
  }
  const Type type = record_type(name_bytes, file.failing());
  const Dataset dataset =
      file.create_contiguous(path, type.id(), {static_cast<std::int64_t>(terms.size())});
  check(H5Dwrite(dataset.id(), type.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
        file.failing());
}

}  // namespace synelix::h5
