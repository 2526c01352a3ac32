// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

/// \file
/// A folder for the files of one test, and files made with HDF5's own interface.

namespace made {

/// A separate folder, removed at the end.
class Folder {
 public:
  Folder()
      : m_path(std::filesystem::temp_directory_path() /
               ("synelix_test_" + std::to_string(getpid()) + "_" + std::to_string(next()))) {
    std::filesystem::create_directories(m_path);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code status;
    std::filesystem::remove_all(m_path, status);
  }
  std::string operator/(const std::string& name) const { return (m_path / name).string(); }
  /// Names of its files.
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(m_path)) {
      found.push_back(entry.path().filename().string());
    }
    return found;
  }

 private:
  static int next() {
    static int number = 0;
    return number++;
  }
  std::filesystem::path m_path;
};

template <class Value>
hid_t type_of();
template <>
inline hid_t type_of<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t type_of<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t type_of<std::int8_t>() {
  return H5T_NATIVE_INT8;
}
template <>
inline hid_t type_of<std::uint8_t>() {
  return H5T_NATIVE_UINT8;
}
template <>
inline hid_t type_of<std::int16_t>() {
  return H5T_NATIVE_INT16;
}
template <>
inline hid_t type_of<std::uint16_t>() {
  return H5T_NATIVE_UINT16;
}
template <>
inline hid_t type_of<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
inline hid_t type_of<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
inline hid_t type_of<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}

/// A file that is being made.
class File {
 public:
  explicit File(const std::string& name)
      : m_file(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
        m_links(H5Pcreate(H5P_LINK_CREATE)) {
    H5Pset_create_intermediate_group(m_links, 1);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    H5Pclose(m_links);
    H5Fclose(m_file);
  }

  [[nodiscard]] hid_t id() const { return m_file; }

  void group(const std::string& path) const {
    H5Gclose(H5Gcreate2(m_file, path.c_str(), m_links, H5P_DEFAULT, H5P_DEFAULT));
  }

  template <class Value>
  void dataset(const std::string& path, const std::vector<hsize_t>& extents,
               const std::vector<Value>& values, hid_t file_type = type_of<Value>(),
               hid_t creation = H5P_DEFAULT) const {
    raw(path, extents, values.data(), type_of<Value>(), file_type, creation);
  }

  void raw(const std::string& path, const std::vector<hsize_t>& extents, const void* values,
           hid_t memory_type, hid_t file_type, hid_t creation = H5P_DEFAULT) const {
    const hid_t space = extents.empty() ? H5Screate(H5S_SCALAR)
                                        : H5Screate_simple(static_cast<int>(extents.size()),
                                                           extents.data(), nullptr);
    const hid_t dataset =
        H5Dcreate2(m_file, path.c_str(), file_type, space, m_links, creation, H5P_DEFAULT);
    if (values != nullptr) {
      H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    }
    H5Dclose(dataset);
    H5Sclose(space);
  }

  void strings(const std::string& path, const std::vector<const char*>& texts) const {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    raw(path, {texts.size()}, texts.data(), type, type);
    H5Tclose(type);
  }

  void number(const std::string& path, const std::string& name, double value) const {
    attribute(path, name, H5T_NATIVE_DOUBLE, &value);
  }

  void text(const std::string& path, const std::string& name, const std::string& value) const {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size() + 1);
    attribute(path, name, type, value.c_str());
    H5Tclose(type);
  }

 private:
  void attribute(const std::string& path, const std::string& name, hid_t type,
                 const void* value) const {
    const hid_t object = H5Oopen(m_file, path.c_str(), H5P_DEFAULT);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Oclose(object);
  }

  hid_t m_file;
  hid_t m_links;
};

/// Properties of a dataset in chunks; the caller closes them.
inline hid_t chunked(const std::vector<hsize_t>& chunk, unsigned deflate = 0) {
  const hid_t list = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
  if (deflate > 0) {
    H5Pset_shuffle(list);
    H5Pset_deflate(list, deflate);
  }
  return list;
}

/// All values of a dataset.
template <class Value>
std::vector<Value> read(const std::string& file, const std::string& path,
                        std::vector<hsize_t>* extents = nullptr) {
  const hid_t opened = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(opened, path.c_str(), H5P_DEFAULT);
  const hid_t space = H5Dget_space(dataset);
  std::vector<Value> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (extents != nullptr) {
    extents->resize(static_cast<std::size_t>(H5Sget_simple_extent_ndims(space)));
    H5Sget_simple_extent_dims(space, extents->data(), nullptr);
  }
  H5Dread(dataset, type_of<Value>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(dataset);
  H5Fclose(opened);
  return values;
}

}  // namespace made
