// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/hdf5/h5_types.hpp"

#include <cstdlib>

namespace synelix::h5 {
namespace {

std::string numeric_type_text(hid_t type, const char* name) {
  std::string text = name + std::to_string(8 * H5Tget_size(type));
  if (H5Tget_size(type) > 1 && H5Tget_order(type) == H5T_ORDER_BE) text += " (big endian)";
  return text;
}

/// Whether the bits of a float are laid out as IEEE's of its size.
bool is_ieee(hid_t type) {
  return H5Tequal(type, H5T_IEEE_F32LE) > 0 || H5Tequal(type, H5T_IEEE_F32BE) > 0 ||
         H5Tequal(type, H5T_IEEE_F64LE) > 0 || H5Tequal(type, H5T_IEEE_F64BE) > 0;
}

}  // namespace

hid_t memory_type(StoredType type) {
  switch (type) {
    case StoredType::float32:
      return H5T_NATIVE_FLOAT;
    case StoredType::float64:
      return H5T_NATIVE_DOUBLE;
    case StoredType::int8:
      return H5T_NATIVE_INT8;
    case StoredType::uint8:
      return H5T_NATIVE_UINT8;
    case StoredType::int16:
      return H5T_NATIVE_INT16;
    case StoredType::uint16:
      return H5T_NATIVE_UINT16;
  }
  return H5I_INVALID_HID;
}

hid_t file_type(StoredType type) {
  switch (type) {
    case StoredType::float32:
      return H5T_IEEE_F32LE;
    case StoredType::float64:
      return H5T_IEEE_F64LE;
    case StoredType::int8:
      return H5T_STD_I8LE;
    case StoredType::uint8:
      return H5T_STD_U8LE;
    case StoredType::int16:
      return H5T_STD_I16LE;
    case StoredType::uint16:
      return H5T_STD_U16LE;
  }
  return H5I_INVALID_HID;
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
    if (size == 4) return StoredType::float64;
  }
  return std::nullopt;
}

bool is_boolean(hid_t type) {
  if (H5Tget_class(type) != H5T_ENUM || H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) {
    return false;
  }
  char* const first = H5Tget_member_name(type, 0);
  const bool is_false = first != nullptr && std::string(first) == "FALSE";
  H5free_memory(first);
  return is_false;
}

std::string type_text(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return numeric_type_text(type, H5Tget_sign(type) == H5T_SGN_2 ? "int" : "uint");
    case H5T_FLOAT:
      return numeric_type_text(type, "float");
    case H5T_STRING:
      return "string";
    case H5T_BITFIELD:
      return "bit field";
    case H5T_OPAQUE:
      return "opaque";
    case H5T_COMPOUND:
      return "compound";
    case H5T_REFERENCE:
      return "reference";
    case H5T_ENUM:
      return is_boolean(type) ? "boolean" : "enumeration";
    case H5T_VLEN:
      return "list of variable length";
    case H5T_ARRAY:
      return "array";
    default:
      return "unknown type";
  }
}

}  // namespace synelix::h5
