// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "golden/golden_file.hpp"

#include <cmath>
#include <functional>
#include <numeric>

namespace golden {
namespace {

std::string join(const std::string& path, const std::string& name) {
  return path == "/" ? path + name : path + "/" + name;
}

std::vector<std::int64_t> extents_of(hid_t space) {
  std::vector<hsize_t> extents(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
  H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  return {extents.begin(), extents.end()};
}

std::size_t size_of(const std::vector<std::int64_t>& extents) {
  return static_cast<std::size_t>(
      std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>()));
}

/// Reads a string attribute of one element, of fixed or variable length.
std::optional<std::string> read_text(hid_t attribute, hid_t type) {
  const Handle space(H5Aget_space(attribute), H5Sclose, "H5Aget_space");
  if (H5Sget_simple_extent_npoints(space) != 1) return std::nullopt;
  if (H5Tis_variable_str(type) > 0) {
    const Handle memory(H5Tcopy(H5T_C_S1), H5Tclose, "H5Tcopy");
    H5Tset_size(memory, H5T_VARIABLE);
    H5Tset_cset(memory, H5Tget_cset(type));
    char* text = nullptr;
    if (H5Aread(attribute, memory, static_cast<void*>(&text)) < 0 || text == nullptr)
      return std::nullopt;
    std::string result = text;
    H5free_memory(text);
    return result;
  }
  std::string result(H5Tget_size(type), '\0');
  if (H5Aread(attribute, type, result.data()) < 0) return std::nullopt;
  result.resize(result.find_last_not_of(std::string(" \0", 2)) + 1);  // either kind of padding
  return result;
}

/// NumPy's name of a type.
std::string name_of_type(hid_t type) {
  const std::string bits = std::to_string(8 * H5Tget_size(type));
  if (H5Tget_class(type) == H5T_FLOAT) return "float" + bits;
  if (H5Tget_class(type) != H5T_INTEGER) return "";
  return (H5Tget_sign(type) == H5T_SGN_NONE ? "uint" : "int") + bits;
}

}  // namespace

std::string Group::file_name() const {
  const ssize_t length = H5Fget_name(m_id, nullptr, 0);
  if (length < 0) fail("HDF5 does not name its file");
  std::string name(static_cast<std::size_t>(length) + 1, '\0');
  H5Fget_name(m_id, name.data(), name.size());
  name.pop_back();
  return name;
}

File::File(const std::string& path)
    : Group(Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose,
                   path + " cannot be opened as an HDF5 file"),
            "/") {}

void Group::fail(const std::string& what) const { throw FormatError(m_path + ": " + what); }

bool Group::has(const std::string& name) const {
  return H5Lexists(m_id, name.c_str(), H5P_DEFAULT) > 0 &&
         H5Oexists_by_name(m_id, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> Group::members(H5O_type_t type) const {
  H5G_info_t group{};
  if (H5Gget_info(m_id, &group) < 0) fail("cannot be listed");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < group.nlinks; ++i) {
    const auto length =
        H5Lget_name_by_idx(m_id, ".", H5_INDEX_NAME, H5_ITER_INC, i, nullptr, 0, H5P_DEFAULT);
    if (length < 0) fail("cannot be listed");
    std::string name(static_cast<std::size_t>(length) + 1, '\0');
    H5Lget_name_by_idx(m_id, ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(),
                       H5P_DEFAULT);
    name.pop_back();
    H5O_info2_t object{};
    if (!has(name) ||
        H5Oget_info_by_name3(m_id, name.c_str(), &object, H5O_INFO_BASIC, H5P_DEFAULT) < 0) {
      fail("link " + name + " leads nowhere");
    }
    if (object.type == type) names.push_back(name);
  }
  return names;
}

Group Group::group(const std::string& name) const {
  return {Handle(H5Gopen2(m_id, name.c_str(), H5P_DEFAULT), H5Gclose,
                 m_path + ": group " + name + " cannot be opened"),
          join(m_path, name)};
}

Array Group::array(const std::string& name) const {
  if (!has(name)) fail("dataset " + name + " is missing");
  const Handle dataset(H5Dopen2(m_id, name.c_str(), H5P_DEFAULT), H5Dclose,
                       m_path + ": " + name + " is not a dataset");
  const Handle space(H5Dget_space(dataset), H5Sclose, m_path + ": H5Dget_space");
  if (H5Sget_simple_extent_type(space) == H5S_NULL) fail("dataset " + name + " holds nothing");
  const Handle type(H5Dget_type(dataset), H5Tclose, m_path + ": H5Dget_type");
  Array result;
  result.extents = extents_of(space);
  result.is_narrow = H5Tget_class(type) == H5T_FLOAT && H5Tget_size(type) < sizeof(double);
  result.stored = name_of_type(type);
  result.values.resize(size_of(result.extents));
  if (!result.values.empty() && H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT,
                                        result.values.data()) < 0) {
    fail("dataset " + name + " cannot be read as numbers");
  }
  return result;
}

std::vector<std::string> Group::attributes() const {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* to) -> herr_t {
    static_cast<std::vector<std::string>*>(to)->emplace_back(name);
    return 0;
  };
  if (H5Aiterate2(m_id, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names) < 0) {
    fail("its attributes cannot be listed");
  }
  return names;
}

std::optional<std::string> Group::text(const std::string& name) const {
  if (H5Aexists(m_id, name.c_str()) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(m_id, name.c_str(), H5P_DEFAULT), H5Aclose, "H5Aopen");
  const Handle type(H5Aget_type(attribute), H5Tclose, "H5Aget_type");
  if (H5Tget_class(type) != H5T_STRING) return std::nullopt;
  std::optional<std::string> found = read_text(attribute, type);
  if (!found) fail("attribute " + name + " cannot be read as one string");
  if (*found == "none" || *found == "None" || found->empty()) return std::nullopt;
  return found;
}

std::optional<std::vector<double>> Group::numbers(const std::string& name) const {
  if (H5Aexists(m_id, name.c_str()) <= 0) return std::nullopt;
  const Handle attribute(H5Aopen(m_id, name.c_str(), H5P_DEFAULT), H5Aclose, "H5Aopen");
  const Handle type(H5Aget_type(attribute), H5Tclose, "H5Aget_type");
  const Handle space(H5Aget_space(attribute), H5Sclose, "H5Aget_space");
  if (H5Sget_simple_extent_type(space) == H5S_NULL) return std::nullopt;
  if (H5Tget_class(type) == H5T_STRING) {
    const std::optional<std::string> found = text(name);
    if (!found) return std::nullopt;
    fail("attribute " + name + " is the string '" + *found + "'; a number was expected");
  }
  std::vector<double> values(size_of(extents_of(space)));
  if (H5Aread(attribute, H5T_NATIVE_DOUBLE, values.data()) < 0) {
    fail("attribute " + name + " cannot be read as numbers");
  }
  return values;
}

std::optional<double> Group::number(const std::string& name) const {
  const auto values = numbers(name);
  if (!values) return std::nullopt;
  if (values->size() != 1) fail("attribute " + name + " is not a single number");
  return values->front();
}

std::optional<std::int64_t> Group::integer(const std::string& name) const {
  const auto value = number(name);
  if (!value) return std::nullopt;
  if (std::nearbyint(*value) != *value || std::abs(*value) > 9.0e15) {
    fail("attribute " + name + " is not a whole number");
  }
  return static_cast<std::int64_t>(*value);
}

std::optional<bool> Group::flag(const std::string& name) const {
  const auto value = number(name);
  if (!value) return std::nullopt;
  return *value != 0.0;
}

}  // namespace golden
