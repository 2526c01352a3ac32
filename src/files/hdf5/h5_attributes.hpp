// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"

#include <synelix/strided.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

/// \file
/// Attributes of HDF5 objects, and stored types of HDF5 and ours.

namespace synelix::h5 {

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<double>>;

/// Writes an attribute, in place of one of that name.
void write_attribute(hid_t object, const std::string& name, const AttributeValue& value);

/// A numeric attribute of one value; nothing where there is none of that name.
/// \throws Error where it is of another kind, or has not one value
std::optional<double> read_number(hid_t object, const std::string& name);
/// The same; nothing where it is of another kind, either, and nothing is said.
std::optional<double> readable_number(hid_t object, const std::string& name);
/// All values of a numeric attribute; nothing where there is none of that name. Says so where it is
/// of another kind, or empty, and then there is nothing either.
std::optional<std::vector<double>> read_numbers(hid_t object, const std::string& name);
/// The texts of an attribute; none where there is no such attribute, or it is of another kind.
std::vector<std::string> read_texts(hid_t object, const std::string& name);
/// Visits what an attribute of lists of references refers to, but for what is no longer there: the
/// number of the entry, the object, and its path. Nothing where there is no such attribute, or it
/// is of another kind.
void visit_references(hid_t object, const std::string& name,
                      const std::function<void(std::size_t entry, const Object& referred,
                                               const std::string& path)>& visit);
/// A text attribute; nothing where there is none of that name, or another kind.
std::optional<std::string> read_text(hid_t object, const std::string& name);

/// Reads all values of a dataset or attribute of strings, through a call that reads raw values.
template <class Read>
std::vector<std::string> read_strings(const Type& type, std::int64_t count, const Read& read) {
  std::vector<std::string> texts;
  if (H5Tis_variable_str(type.id()) > 0) {
    const Type memory(H5Tcopy(H5T_C_S1), "HDF5 string type");
    H5Tset_size(memory.id(), H5T_VARIABLE);
    H5Tset_cset(memory.id(), H5Tget_cset(type.id()));
    std::vector<char*> pointers(static_cast<std::size_t>(count), nullptr);
    check(read(memory.id(), static_cast<void*>(pointers.data())), "HDF5 strings");
    for (char* const pointer : pointers) {
      texts.emplace_back(pointer != nullptr ? pointer : "");
      H5free_memory(pointer);
    }
    return texts;
  }
  const std::size_t size = H5Tget_size(type.id());
  std::string bytes(size * static_cast<std::size_t>(count), '\0');
  check(read(type.id(), bytes.data()), "HDF5 strings");
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::string text = bytes.substr(i * size, size);
    text.resize(text.find_last_not_of(std::string(" \0", 2)) + 1);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

bool has_attribute(hid_t object, const char* name);
/// A text in lower case, of ASCII alone.
std::string lower_case(std::string text);
/// A text attribute in lower case; empty where there is none.
std::string lower_text(hid_t object, const char* name);

/// Names and values, as text, of all attributes.
std::vector<std::pair<std::string, std::string>> attributes_text(hid_t object);

/// The type in memory of one of ours.
hid_t memory_type(StoredType type);
/// The type in files of one of ours: little endian.
hid_t file_type(StoredType type);

/// What of ours values of a type in a file are read as: exactly, of integers of 64 bits those that
/// fit 32 bits. Nothing where there is none.
std::optional<StoredType> exact_type(hid_t type);

/// Whether a type is a boolean: an enumeration of FALSE and TRUE, as h5py writes it.
bool is_boolean(hid_t type);

/// A type in words: "int16", "float32 (big endian)", "boolean", "string", "compound".
std::string type_text(hid_t type);

}  // namespace synelix::h5
