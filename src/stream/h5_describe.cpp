// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a file holds.
#include "stream/h5_attributes.hpp"
#include "stream/h5_file.hpp"
#include "stream/h5_types.hpp"

#include <synelix/hdf5.hpp>

#include <exception>
#include <filesystem>

namespace synelix {
namespace {

DatasetDescription describe(const h5::Dataset& dataset, const std::string& path) {
  DatasetDescription result;
  result.path = path;
  result.type = h5::type_text(h5::type_of(dataset).id());
  result.extents = h5::extents_of(dataset);
  result.chunk = h5::chunk_of(dataset);
  result.filters = h5::filters_of(dataset);
  result.stored_bytes = static_cast<std::int64_t>(H5Dget_storage_size(dataset.id()));
  result.attributes = h5::attributes_text(dataset.id());
  return result;
}

/// Collects datasets; what is thrown waits here until HDF5's C code has returned.
struct Visit {
  FileDescription* description;
  std::exception_ptr failure;
};

herr_t visit(hid_t root, const char* name, const H5O_info2_t* info, void* data) {
  auto& state = *static_cast<Visit*>(data);
  if (info->type != H5O_TYPE_DATASET) return 0;
  try {
    const h5::Dataset dataset(H5Dopen2(root, name, H5P_DEFAULT), name);
    state.description->datasets.push_back(describe(dataset, "/" + std::string(name)));
  } catch (...) {
    state.failure = std::current_exception();
    return -1;
  }
  return 0;
}

}  // namespace

FileDescription describe_file(const FilePath& path) {
  const h5::Call call;
  const h5::File file = h5::open_file(path.file);
  FileDescription description;
  description.file = path.file;
  std::error_code status;
  description.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path.file, status));
  description.nwb_version = h5::read_text(file.id(), "nwb_version").value_or("");
  if (!path.dataset.empty() && h5::exists(file.id(), path.dataset)) {
    const h5::Object object(H5Oopen(file.id(), path.dataset.c_str(), H5P_DEFAULT), path.dataset);
    if (H5Iget_type(object.id()) == H5I_DATASET) {
      const h5::Dataset dataset(H5Dopen2(file.id(), path.dataset.c_str(), H5P_DEFAULT),
                                path.dataset);
      description.datasets.push_back(describe(dataset, path.dataset));
      return description;
    }
  }
  if (!path.dataset.empty()) h5::open_dataset(file, path);  // says what is there instead
  Visit state{&description, nullptr};
  const herr_t result =
      H5Ovisit3(file.id(), H5_INDEX_NAME, H5_ITER_INC, visit, &state, H5O_INFO_BASIC);
  if (state.failure) std::rethrow_exception(state.failure);
  h5::check(result, path.file + ": cannot be looked through");
  return description;
}

std::string hdf5_version() {
  const h5::Call call;
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  H5get_libversion(&major, &minor, &release);
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace synelix
