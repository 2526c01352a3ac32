// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/fit/fit_datasets.hpp"

#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/h5_file.hpp"
#include "vocabulary/number_text.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

namespace synelix::h5 {
namespace {

/// A file with more values was not written by this library: the values are read into memory.
constexpr std::int64_t most_model_values = std::int64_t{1} << 28;
constexpr std::int64_t most_texts = std::int64_t{1} << 20;
constexpr std::int64_t most_columns = std::int64_t{1} << 32;

/// A text type of `bytes` bytes, padded with zeros.
Type text_type(std::size_t bytes, const std::string& failing) {
  Type text(H5Tcopy(H5T_C_S1), failing);
  check(H5Tset_size(text.id(), bytes), failing);
  check(H5Tset_cset(text.id(), H5T_CSET_UTF8), failing);
  check(H5Tset_strpad(text.id(), H5T_STR_NULLPAD), failing);
  return text;
}

void write_all(const OutputFile& file, const std::string& path, hid_t file_type, hid_t memory_type,
               const std::vector<std::int64_t>& extents, const void* values) {
  const Dataset dataset = file.create_contiguous(path, file_type, extents);
  check(H5Dwrite(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), file.failing());
}

template <class Value>
std::vector<Value> read_model_values(const SourceFile& file, const std::string& path,
                                     hid_t memory_type, const std::vector<std::int64_t>& wanted) {
  if (!exists(file, path)) return {};
  const std::string name = file.name() + ":" + path;
  const Dataset dataset = open_dataset(file, FilePath{file.name(), path});
  const Type type = type_of(dataset);
  const H5T_class_t kind = H5Tget_class(type.id());
  const std::vector<std::int64_t> extents = extents_of(dataset);
  const bool fits = std::equal(
      extents.begin(), extents.end(), wanted.begin(), wanted.end(),
      [](std::int64_t is, std::int64_t has_to_be) { return has_to_be < 0 || is == has_to_be; });
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || !fits) {
    throw FileError(name,
                    "it holds " + type_text(type.id()) + " of extents " + extents_text(extents) +
                        ", which a model of this file cannot have",
                    "Give a file that synelix fit has written");
  }
  std::vector<Value> values(static_cast<std::size_t>(count_of(dataset, most_model_values)));
  check(H5Dread(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
        name + ": cannot be read");
  return values;
}

}  // namespace

void write_numbers(const OutputFile& file, const std::string& path,
                   const std::vector<std::int64_t>& extents, const std::vector<double>& values) {
  if (values.empty()) return;
  write_all(file, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, extents, values.data());
}

void write_integers(const OutputFile& file, const std::string& path,
                    const std::vector<std::int64_t>& extents,
                    const std::vector<std::int64_t>& values) {
  if (values.empty()) return;
  write_all(file, path, H5T_STD_I64LE, H5T_NATIVE_INT64, extents, values.data());
}

void write_texts(const OutputFile& file, const std::string& path,
                 const std::vector<std::string>& texts, const std::vector<std::int64_t>& extents) {
  if (texts.empty()) return;
  std::size_t most = 1;
  for (const std::string& text : texts) most = std::max(most, text.size());
  std::vector<char> bytes(texts.size() * most, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::memcpy(bytes.data() + i * most, texts[i].data(), texts[i].size());
  }
  const Type type = text_type(most, file.failing());
  write_all(file, path, type.id(), type.id(), extents, bytes.data());
}

void write_columns(const OutputFile& file, const std::string& path,
                   const std::vector<Term>& terms) {
  std::size_t name_bytes = 1;
  std::int64_t columns = 0;
  for (const Term& term : terms) {
    name_bytes = std::max(name_bytes, term.label.size());
    columns += term.columns.size();
  }
  if (columns == 0) return;
  const std::string failing = file.failing();
  const std::size_t record_bytes = name_bytes + 2 * sizeof(std::int64_t);
  const Type text = text_type(name_bytes, failing);
  const Type type(H5Tcreate(H5T_COMPOUND, record_bytes), failing);
  check(H5Tinsert(type.id(), "term", 0, text.id()), failing);
  check(H5Tinsert(type.id(), "channel", name_bytes, H5T_STD_I64LE), failing);
  check(H5Tinsert(type.id(), "basis", name_bytes + sizeof(std::int64_t), H5T_STD_I64LE), failing);
  std::vector<std::byte> bytes(static_cast<std::size_t>(columns) * record_bytes);
  std::byte* record = bytes.data();
  for (const Term& term : terms) {
    for (std::int64_t column = 0; column < term.columns.size(); ++column) {
      const std::array<std::int64_t, 2> place{column / term.bases, column % term.bases};
      std::memcpy(record, term.label.data(), term.label.size());
      std::memcpy(record + name_bytes, place.data(), sizeof(place));
      record += record_bytes;
    }
  }
  write_all(file, path, type.id(), type.id(), {columns}, bytes.data());
}

std::vector<double> read_numbers(const SourceFile& file, const std::string& path,
                                 const std::vector<std::int64_t>& extents) {
  return read_model_values<double>(file, path, H5T_NATIVE_DOUBLE, extents);
}

std::vector<std::int64_t> read_integers(const SourceFile& file, const std::string& path,
                                        const std::vector<std::int64_t>& extents) {
  return read_model_values<std::int64_t>(file, path, H5T_NATIVE_INT64, extents);
}

std::vector<std::string> read_texts(const SourceFile& file, const std::string& path) {
  if (!exists(file, path)) return {};
  const Dataset dataset = open_dataset(file, FilePath{file.name(), path});
  const Type type = type_of(dataset);
  if (H5Tget_class(type.id()) != H5T_STRING) {
    throw FileError(file.name() + ":" + path, "it holds " + type_text(type.id()) + ", not text",
                    "Give a file that synelix fit has written");
  }
  return read_strings(type, count_of(dataset, most_texts), [&](hid_t memory, void* to) {
    return H5Dread(dataset.id(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, to);
  });
}

std::vector<Term> read_terms(const SourceFile& file, const std::string& path) {
  const std::string name = file.name() + ":" + path;
  const Dataset dataset = open_dataset(file, FilePath{file.name(), path});
  const Type type = type_of(dataset);
  const int member =
      H5Tget_class(type.id()) == H5T_COMPOUND ? H5Tget_member_index(type.id(), "name") : -1;
  if (member < 0) {
    throw FileError(name, "it is not a table of terms", "Give a file that synelix fit has written");
  }
  const Type label(H5Tget_member_type(type.id(), static_cast<unsigned>(member)), name);
  const std::size_t name_bytes = H5Tget_size(label.id());
  const std::size_t record_bytes = name_bytes + 4 * sizeof(std::int64_t);
  const Type memory(H5Tcreate(H5T_COMPOUND, record_bytes), name);
  check(H5Tinsert(memory.id(), "name", 0, label.id()), name);
  constexpr std::array<const char*, 4> names{"first_column", "columns", "channels", "bases"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    check(H5Tinsert(memory.id(), names[i], name_bytes + i * sizeof(std::int64_t), H5T_NATIVE_INT64),
          name);
  }
  const auto count = static_cast<std::size_t>(count_of(dataset, most_texts));
  std::vector<std::byte> bytes(count * record_bytes);
  check(H5Dread(dataset.id(), memory.id(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
        name + ": cannot be read");
  std::vector<Term> terms(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::byte* const record = bytes.data() + i * record_bytes;
    std::string text(reinterpret_cast<const char*>(record), name_bytes);
    text.resize(std::min(text.find('\0'), text.size()));
    std::array<std::int64_t, 4> values{};
    std::memcpy(values.data(), record + name_bytes, sizeof(values));
    const bool is_sound = std::all_of(values.begin(), values.end(), [](std::int64_t value) {
      return value >= 0 && value <= most_columns;
    });
    if (!is_sound) {
      throw FileError(name, "its term '" + text + "' has a number of columns that no design has",
                      "Give a file that synelix fit has written");
    }
    terms[i].label = text;
    terms[i].columns = {values[0], values[0] + values[1]};
    terms[i].channels = values[2];
    terms[i].bases = values[3];
  }
  return terms;
}

}  // namespace synelix::h5
