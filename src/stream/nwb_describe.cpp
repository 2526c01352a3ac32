// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an NWB file holds that can be read here.
#include "stream/h5_attributes.hpp"
#include "stream/h5_types.hpp"
#include "stream/nwb_signal.hpp"
#include "stream/nwb_table.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <exception>
#include <string_view>

namespace synelix {
namespace {

/// Paths of all groups of a file but those of the schema; what is thrown waits here until HDF5's C
/// code has returned.
struct Groups {
  std::vector<std::string> paths;
  std::exception_ptr failure;
};

herr_t visit(hid_t, const char* name, const H5O_info2_t* info, void* data) {
  auto& groups = *static_cast<Groups*>(data);
  const std::string_view link = name;
  if (info->type != H5O_TYPE_GROUP || link == ".") return 0;
  try {
    const std::string path = "/" + std::string(link);
    if (!path.starts_with("/specifications")) groups.paths.push_back(path);
  } catch (...) {
    groups.failure = std::current_exception();
    return -1;
  }
  return 0;
}

std::vector<std::string> groups_of(const h5::File& file, const std::string& name) {
  Groups groups;
  const herr_t result =
      H5Ovisit3(file.id(), H5_INDEX_NAME, H5_ITER_INC, visit, &groups, H5O_INFO_BASIC);
  if (groups.failure) std::rethrow_exception(groups.failure);
  h5::check(result, name + ": cannot be looked through");
  std::sort(groups.paths.begin(), groups.paths.end());
  return groups.paths;
}

std::string kind_of(const h5::File& file, const std::string& path) {
  const h5::Group group(H5Gopen2(file.id(), path.c_str(), H5P_DEFAULT), path);
  return h5::read_text(group.id(), "neurodata_type").value_or("");
}

SignalDescription signal_at(const h5::File& file, const FilePath& group) {
  SignalDescription signal;
  signal.path = group.dataset;
  try {
    signal.kind = kind_of(file, group.dataset);
    const h5::Dataset data = h5::open_dataset(file, {group.file, group.dataset + "/data"});
    signal.type = h5::type_text(h5::type_of(data).id());
    signal.extents = h5::extents_of(data);
  } catch (const Error& error) {
    signal.refusal = error.what();
    return signal;
  }
  try {
    const Hdf5Source source(group);
    signal.times = source.description();
    signal.fit = source.timestamps_fit();
  } catch (const Error& error) {
    signal.refusal = error.what();
  }
  return signal;
}

IntervalsDescription intervals_at(const h5::File& file, const FilePath& table) {
  IntervalsDescription description;
  description.path = table.dataset;
  try {
    description.columns = nwb::columns_of(file, table.dataset);
    description.rows = nwb::open_intervals(table).rows();
    description.intervals = read_intervals(table);
  } catch (const Error& error) {
    description.refusal = error.what();
  }
  return description;
}

}  // namespace

NwbDescription describe_nwb(const std::string& name) {
  const h5::Call call;
  const h5::File file = h5::open_file(name);
  NwbDescription description;
  const auto holds = [&](const std::string& path) { return h5::exists(file.id(), path); };
  for (const std::string& path : groups_of(file, name)) {
    if (holds(path + "/start_time") && holds(path + "/stop_time")) {
      description.intervals.push_back(intervals_at(file, {name, path}));
    } else if (holds(path + "/data") &&
               (holds(path + "/starting_time") || holds(path + "/timestamps"))) {
      description.signals.push_back(signal_at(file, {name, path}));
    }
  }
  if (holds("/units/id")) description.unit_columns = nwb::columns_of(file, "/units");
  return description;
}

}  // namespace synelix
