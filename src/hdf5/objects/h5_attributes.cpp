// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/objects/h5_attributes.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <sstream>

namespace synelix::h5 {
namespace {

void write_raw(hid_t object, const std::string& name, hid_t file, hid_t memory, const Space& space,
               const void* values) {
  if (H5Aexists(object, name.c_str()) > 0) check(H5Adelete(object, name.c_str()), name);
  const AttributeHandle attribute(
      H5Acreate2(object, name.c_str(), file, space.id(), H5P_DEFAULT, H5P_DEFAULT), name);
  check(H5Awrite(attribute.id(), memory, values), "attribute " + name);
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const Type type(H5Tcopy(H5T_C_S1), name);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const Space space(H5Screate(H5S_SCALAR), name);
  const char* const pointer = text.c_str();
  write_raw(object, name, type.id(), type.id(), space, static_cast<const void*>(&pointer));
}

/// An attribute, its type and the number of its values.
struct OpenAttribute {
  AttributeHandle handle;
  Type type;
  Space space;
  H5T_class_t kind;
  std::int64_t count;

  OpenAttribute(AttributeHandle opened, const std::string& name)
      : handle(std::move(opened)),
        type(H5Aget_type(handle.id()), name),
        space(H5Aget_space(handle.id()), "HDF5 dataspace"),
        kind(H5Tget_class(type.id())),
        count(H5Sget_simple_extent_npoints(space.id())) {}

  [[nodiscard]] bool is_number() const { return kind == H5T_INTEGER || kind == H5T_FLOAT; }
  /// Whether it is small enough to be read. A larger one is no description, and a file may claim
  /// any size.
  [[nodiscard]] bool is_small() const {
    constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
    const auto size = static_cast<std::int64_t>(std::max<std::size_t>(H5Tget_size(type.id()), 1));
    return size <= most_bytes && count >= 0 && count <= most_bytes / size;
  }
  template <class Value>
  [[nodiscard]] std::vector<Value> values(hid_t memory_type, const std::string& failing) const {
    std::vector<Value> read(static_cast<std::size_t>(count));
    check(H5Aread(handle.id(), memory_type, read.data()), failing);
    return read;
  }
  [[nodiscard]] std::vector<std::string> strings() const {
    return read_strings(type, count,
                        [&](hid_t memory, void* to) { return H5Aread(handle.id(), memory, to); });
  }
};

/// Nothing if there is no attribute of this name.
std::optional<OpenAttribute> find_attribute(hid_t object, const std::string& name) {
  if (H5Aexists(object, name.c_str()) <= 0) return std::nullopt;
  return OpenAttribute(AttributeHandle(H5Aopen(object, name.c_str(), H5P_DEFAULT), name), name);
}

template <class Value>
std::string list_text(const std::vector<Value>& values) {
  constexpr std::size_t most = 16;
  std::ostringstream text;
  text.precision(17);
  for (std::size_t i = 0; i < values.size() && i < most; ++i) {
    text << (i > 0 ? ", " : "") << values[i];
  }
  if (values.size() > most) text << ", ...";
  return text.str();
}

/// FILE:/PATH of an open object, for messages.
std::string place_of(hid_t object) {
  std::array<char, 1024> file{};
  std::array<char, 1024> path{};
  H5Fget_name(object, file.data(), file.size());
  H5Iget_name(object, path.data(), path.size());
  return std::string(file.data()) + ":" + path.data();
}

std::string value_text(const OpenAttribute& attribute) {
  const hid_t type = attribute.type.id();
  if (!attribute.is_small()) {
    return "(" + std::to_string(static_cast<std::size_t>(attribute.count)) + " of " +
           type_text(type) + ")";
  }
  if (attribute.count == 0)
    return "(none of " + type_text(type) + ")";  // HDF5 reads no null pointer
  if (attribute.kind == H5T_STRING) return list_text(attribute.strings());
  if (attribute.kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_NONE) {
    return list_text(attribute.values<std::uint64_t>(H5T_NATIVE_UINT64, "attribute"));
  }
  if (attribute.kind == H5T_INTEGER) {
    return list_text(attribute.values<std::int64_t>(H5T_NATIVE_INT64, "attribute"));
  }
  if (attribute.kind == H5T_FLOAT) {
    return list_text(attribute.values<double>(H5T_NATIVE_DOUBLE, "attribute"));
  }
  return "(" + type_text(type) + ")";
}

}  // namespace

void write_attribute(hid_t object, const std::string& name, const AttributeValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return write_text(object, name, *text);
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    const hsize_t length = list->size();
    const Space space(H5Screate_simple(1, &length, nullptr), name);
    return write_raw(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, list->data());
  }
  const Space space(H5Screate(H5S_SCALAR), name);
  if (const auto* number = std::get_if<double>(&value)) {
    return write_raw(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, space, number);
  }
  const std::int64_t number = std::get<std::int64_t>(value);
  write_raw(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, space, &number);
}

std::optional<double> read_number(hid_t object, const std::string& name) {
  const auto found = find_attribute(object, name);
  if (!found) return std::nullopt;
  if (!found->is_number() || found->count != 1) {
    throw FileError(place_of(object) + ", attribute " + name,
                    "the file holds " + type_text(found->type.id()) + " " + value_text(*found) +
                        " (" + std::to_string(found->count) + " values), which is not one number",
                    "Write one number, or remove the attribute");
  }
  return found->values<double>(H5T_NATIVE_DOUBLE, "attribute " + name).front();
}

std::optional<double> readable_number(hid_t object, const std::string& name) {
  try {
    return read_number(object, name);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<std::vector<double>> read_numbers(hid_t object, const std::string& name) {
  const auto found = find_attribute(object, name);
  if (!found) return std::nullopt;
  if (!found->is_number() || found->count < 1 || !found->is_small()) {
    warn(place_of(object) + ": its attribute " + name + ", " + type_text(found->type.id()) + " " +
         value_text(*found) + ", is no number, and is not applied");
    return std::nullopt;
  }
  return found->values<double>(H5T_NATIVE_DOUBLE, "attribute " + name);
}

std::vector<std::string> read_texts(hid_t object, const std::string& name) {
  const auto found = find_attribute(object, name);
  if (!found || found->kind != H5T_STRING || found->count < 1 || !found->is_small()) return {};
  return found->strings();
}

void visit_references(hid_t object, const std::string& name,
                      const std::function<void(std::size_t entry, const Object& referred,
                                               const std::string& path)>& visit) {
  const auto found = find_attribute(object, name);
  if (!found || found->kind != H5T_VLEN || !found->is_small()) return;
  const Type entry(H5Tget_super(found->type.id()), name);
  if (H5Tequal(entry.id(), H5T_STD_REF_OBJ) <= 0 || found->count < 1) return;
  const Type memory(H5Tvlen_create(H5T_STD_REF_OBJ), name);
  std::vector<hvl_t> lists = found->values<hvl_t>(memory.id(), "attribute " + name);
  std::vector<std::vector<hobj_ref_t>> references;
  for (const hvl_t& list : lists) {
    const auto* const first = static_cast<const hobj_ref_t*>(list.p);
    references.emplace_back();
    if (first != nullptr) references.back().assign(first, first + list.len);
  }
  H5Treclaim(memory.id(), found->space.id(), H5P_DEFAULT, lists.data());
  for (std::size_t i = 0; i < references.size(); ++i) {
    for (const hobj_ref_t& reference : references[i]) {
      const hid_t id = H5Rdereference2(object, H5P_DEFAULT, H5R_OBJECT, &reference);
      if (id < 0) continue;
      const Object referred(id, name);
      const ssize_t length = H5Iget_name(id, nullptr, 0);
      if (length <= 0) continue;
      std::string path(static_cast<std::size_t>(length) + 1, '\0');
      H5Iget_name(id, path.data(), path.size());
      path.pop_back();
      visit(i, referred, path);
    }
  }
}

std::optional<std::string> read_text(hid_t object, const std::string& name) {
  const std::vector<std::string> texts = read_texts(object, name);
  return texts.size() == 1 ? std::optional(texts.front()) : std::nullopt;
}

bool has_attribute(hid_t object, const char* name) { return H5Aexists(object, name) > 0; }

std::string lower_case(std::string text) {
  for (char& letter : text) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return text;
}

std::string lower_text(hid_t object, const char* name) {
  return lower_case(read_text(object, name).value_or(""));
}

std::vector<std::pair<std::string, std::string>> attributes_text(hid_t object) {
  std::vector<std::pair<std::string, std::string>> result;
  H5O_info2_t info{};
  check(H5Oget_info3(object, &info, H5O_INFO_NUM_ATTRS), "attributes");
  for (hsize_t i = 0; i < info.num_attrs; ++i) {
    AttributeHandle opened(
        H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
        "attribute");
    const OpenAttribute attribute(std::move(opened), "HDF5 type");
    char name[256] = {};
    H5Aget_name(attribute.handle.id(), sizeof(name), name);
    result.emplace_back(name, value_text(attribute));
  }
  return result;
}

namespace {

std::string numeric_type_text(hid_t type, const char* name) {
  std::string text = name + std::to_string(8 * H5Tget_size(type));
  if (H5Tget_size(type) > 1 && H5Tget_order(type) == H5T_ORDER_BE) text += " (big endian)";
  return text;
}

/// Whether the bits of a float have the IEEE layout of its size.
bool is_ieee(hid_t type) {
  return H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0 ||
         H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0;
}

/// The HDF5 type of a StoredType, of a list in the order of its values.
hid_t type_in(const std::array<hid_t, 6>& types, StoredType type) {
  const auto number = static_cast<std::size_t>(type);
  return number < types.size() ? types[number] : H5I_INVALID_HID;
}

}  // namespace

hid_t memory_type(StoredType type) {
  return type_in({H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE, H5T_NATIVE_INT8, H5T_NATIVE_UINT8,
                  H5T_NATIVE_INT16, H5T_NATIVE_UINT16},
                 type);
}

hid_t file_type(StoredType type) {
  return type_in(
      {H5T_IEEE_F32LE, H5T_IEEE_F64LE, H5T_STD_I8LE, H5T_STD_U8LE, H5T_STD_I16LE, H5T_STD_U16LE},
      type);
}

std::optional<StoredType> exact_type(hid_t type) {
  if (is_boolean(type)) return StoredType::int8;
  const std::size_t size = H5Tget_size(type);
  if (H5Tget_class(type) == H5T_FLOAT) {
    if (size == 2) return StoredType::float32;
    if (size == 4 && is_ieee(type)) return StoredType::float32;
    if (size == 8 && is_ieee(type)) return StoredType::float64;
  }
  if (H5Tget_class(type) == H5T_INTEGER) {
    const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
    if (size == 1) return is_signed ? StoredType::int8 : StoredType::uint8;
    if (size == 2) return is_signed ? StoredType::int16 : StoredType::uint16;
    if (size == 4 || size == 8) return StoredType::float64;
  }
  if (H5Tget_class(type) == H5T_BITFIELD && size == 1) return StoredType::int8;
  return std::nullopt;
}

bool is_boolean(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) {
    return false;
  }
  const auto is_member = [&](unsigned number, const char* wanted) {
    char* const name = H5Tget_member_name(type, number);
    signed char value = -1;
    const bool is_it = name != nullptr && std::string(name) == wanted &&
                       H5Tget_member_value(type, number, &value) >= 0 &&
                       value == static_cast<signed char>(number);
    H5free_memory(name);
    return is_it;
  };
  return is_member(0, "FALSE") && is_member(1, "TRUE");
}

namespace {

/// Whether a compound type is a complex number, as h5py, MATLAB and PyTables store it.
bool is_complex(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  std::string names;
  for (const unsigned member : {0U, 1U}) {
    if (H5Tget_member_class(type, member) != H5T_FLOAT) return false;
    char* const name = H5Tget_member_name(type, member);
    names += (name == nullptr ? "" : name) + std::string(" ");
    H5free_memory(name);
  }
  return names == "r i " || names == "real imag ";
}

}  // namespace

std::string type_text(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER) {
    return numeric_type_text(type, H5Tget_sign(type) == H5T_SGN_2 ? "int" : "uint");
  }
  if (kind == H5T_FLOAT) return numeric_type_text(type, "float");
  if (kind == H5T_TIME) {
    return H5Tget_size(type) > 4 ? "time (PyTables' Time64)" : "time (PyTables' Time32)";
  }
  if (kind == H5T_COMPOUND && is_complex(type)) return "complex numbers";
  if (kind == H5T_ENUM && is_boolean(type)) return "boolean";
  constexpr std::array<std::pair<H5T_class_t, const char*>, 8> names{
      {{H5T_STRING, "string"},
       {H5T_BITFIELD, "bit field"},
       {H5T_OPAQUE, "opaque"},
       {H5T_COMPOUND, "compound"},
       {H5T_REFERENCE, "reference"},
       {H5T_ENUM, "enumeration"},
       {H5T_VLEN, "list of variable length"},
       {H5T_ARRAY, "array"}}};
  const auto named = std::find_if(names.begin(), names.end(),
                                  [&](const auto& name) { return name.first == kind; });
  return named == names.end() ? "unknown type" : named->second;
}

}  // namespace synelix::h5
