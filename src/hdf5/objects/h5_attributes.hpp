// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_handles.hpp"

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
/// Attributes of HDF5 objects, and the relation of HDF5 types to StoredType.

namespace synelix::h5 {

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<double>>;

/// Writes an attribute; replaces one with the same name.
void write_attribute(hid_t object, const std::string& name, const AttributeValue& value);

/// A numeric attribute of one value; nothing if there is no attribute of that name.
/// \throws Error if it is of another kind, or does not have one value
std::optional<double> read_number(hid_t object, const std::string& name);
/// The same, but nothing, without a message, if it is of another kind.
std::optional<double> readable_number(hid_t object, const std::string& name);
/// All values of a numeric attribute; nothing if there is no attribute of that name. If it is of
/// another kind, or empty, it warns and returns nothing.
std::optional<std::vector<double>> read_numbers(hid_t object, const std::string& name);
/// The texts of an attribute; none if there is no such attribute, or it is of another kind.
std::vector<std::string> read_texts(hid_t object, const std::string& name);
/// Visits the targets of an attribute of lists of references, except targets that no longer exist:
/// the number of the entry, the object, and its path. Visits nothing if there is no such attribute,
/// or it is of another kind.
void visit_references(hid_t object, const std::string& name,
                      const std::function<void(std::size_t entry, const Object& referred,
                                               const std::string& path)>& visit);
/// A text attribute; nothing if there is none of that name, or it is of another kind.
std::optional<std::string> read_text(hid_t object, const std::string& name);

/// Reads all values of a dataset or attribute of strings. `read` reads raw values.
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
/// An ASCII text in lower case.
std::string lower_case(std::string text);
/// A text attribute in lower case; empty if there is none.
std::string lower_text(hid_t object, const char* name);

/// Names and values, as text, of all attributes.
std::vector<std::pair<std::string, std::string>> attributes_text(hid_t object);

/// The HDF5 type in memory of a StoredType.
hid_t memory_type(StoredType type);
/// The HDF5 type in files of a StoredType: little endian.
hid_t file_type(StoredType type);

/// The StoredType that represents the values of a file type exactly; 64-bit integers only if the
/// values fit in 32 bits. Nothing if there is none.
std::optional<StoredType> exact_type(hid_t type);

/// Whether a type is a boolean: an enumeration of FALSE and TRUE, as h5py writes it.
bool is_boolean(hid_t type);

/// A type in words: "int16", "float32 (big endian)", "boolean", "string", "compound".
std::string type_text(hid_t type);

}  // namespace synelix::h5
