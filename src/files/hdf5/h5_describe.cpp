// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Describes the contents of a file, and the other files that it refers to.
#include "files/hdf5/h5_attributes.hpp"
#include "files/hdf5/h5_file.hpp"
#include "files/source/source_file.hpp"
#include "streams/input_files.hpp"

#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <filesystem>

namespace synelix {
namespace {

/// The extents with which a virtual dataset was created. The current extents depend on its sources.
std::vector<std::int64_t> extents_made(const h5::Dataset& dataset, const std::string& name) {
  const h5::Properties creation(H5Dget_create_plist(dataset.id()), name);
  std::size_t count = 0;
  if (H5Pget_layout(creation.id()) != H5D_VIRTUAL) return h5::extents_of(dataset);
  h5::check(H5Pget_virtual_count(creation.id(), &count), name);
  if (count == 0) return {};
  const h5::Space space(H5Pget_virtual_vspace(creation.id(), 0), name);
  std::vector<hsize_t> extents(H5S_MAX_RANK);
  const int rank = H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr);
  extents.resize(static_cast<std::size_t>(std::max(rank, 0)));
  return {extents.begin(), extents.end()};
}

/// \param place  of the open dataset, in a file with a separate list of the files that it refers to
DatasetDescription describe(const h5::SourceFile& file, const h5::ObjectPath& place,
                            const h5::Dataset& dataset, const std::string& path) {
  const std::string name = file.name() + ":" + path;
  DatasetDescription result;
  result.path = path;
  result.type = h5::type_text(h5::type_of(dataset).id());
  try {
    h5::require_sources(file, place, dataset, name);
    result.extents = h5::extents_of(dataset);
    result.chunk = h5::chunk_of(dataset);
    result.stored_bytes = static_cast<std::int64_t>(H5Dget_storage_size(dataset.id()));
  } catch (const Error& error) {
    result.refusal = error.what();
    result.extents = extents_made(dataset, name);
  }
  result.filters = h5::filters_of(dataset);
  result.attributes = h5::attributes_text(dataset.id());
  const std::vector<InputFile>& files = file.behind().files();
  result.files.assign(files.begin() + 1, files.end());
  return result;
}

LinkDescription describe_link(const h5::SourceFile& file, const std::string& path) {
  const std::string name = file.name() + ":" + path;
  H5L_info2_t info{};
  h5::check(H5Lget_info2(file.id(), path.c_str(), &info, H5P_DEFAULT), name);
  std::vector<char> value(info.u.val_size + 1, '\0');
  h5::check(H5Lget_val(file.id(), path.c_str(), value.data(), value.size(), H5P_DEFAULT), name);
  unsigned flags = 0;
  const char* to_file = "";
  const char* to_object = "";
  h5::check(H5Lunpack_elink_val(value.data(), info.u.val_size, &flags, &to_file, &to_object), name);
  LinkDescription link{.path = path, .file = to_file, .object = to_object};
  try {
    if (!file.find(path)) {
      link.refusal =
          Error(name, "there is no object " + link.object + " in " + link.file, "Mend the link")
              .what();
    }
  } catch (const Error& error) {
    link.refusal = error.what();
  }
  return link;
}

}  // namespace

FileDescription describe_file(const FilePath& path) {
  const h5::Call call;
  const h5::SourceFile file = h5::open_file(path.file, path.links);
  FileDescription description;
  description.file = path.file;
  std::error_code status;
  description.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path.file, status));
  description.nwb_version = h5::read_text(file.id(), "nwb_version").value_or("");
  const auto with_own_list = [&] { return file.with_new_list(path.links); };
  if (!path.dataset.empty()) {
    const h5::SourceFile own = with_own_list();
    const auto place = own.find(path.dataset);
    if (place && H5Iget_type(h5::open_object(own, path.dataset).id()) == H5I_DATASET) {
      const h5::Dataset dataset =
          h5::open_known(place->file->id(), place->path, H5P_DEFAULT, to_string(path));
      description.datasets.push_back(describe(own, *place, dataset, path.dataset));
      return description;
    }
    h5::open_dataset(file, path);  // throws with a description of what is there instead
  }
  h5::Visitor visitor;
  visitor.dataset = [&](const std::string& at, hid_t parent, const std::string& name) {
    const h5::SourceFile own = with_own_list();
    try {
      const h5::Dataset dataset = h5::open_known(parent, name, H5P_DEFAULT, path.file + ":" + at);
      description.datasets.push_back(describe(own, own.at(at), dataset, at));
    } catch (const Error& error) {  // the rest can still be described
      DatasetDescription& refused = description.datasets.emplace_back();
      refused.path = at;
      refused.type = "unknown type";
      refused.refusal = error.what();
    }
  };
  visitor.external = [&](const std::string& at) {
    description.links.push_back(describe_link(with_own_list(), at));
  };
  h5::walk(file, visitor);
  return description;
}

std::vector<InputFile> files_behind(const FilePath& path) {
  const h5::Call call;
  const h5::SourceFile file = h5::open_file(path.file, path.links);
  if (path.dataset.empty()) return file.behind().files();
  const auto place = file.find(path.dataset);
  const bool is_group = place && H5Iget_type(h5::open_object(file, path.dataset).id()) == H5I_GROUP;
  if (!is_group) {
    h5::open_dataset(file, path);
    return file.behind().files();
  }
  // Files are recorded as they are opened. Here it is not known whether a dataset is needed.
  for (const std::string& name : h5::links_of(file, path.dataset)) {
    const std::string at = path.dataset == "/" ? "/" + name : path.dataset + "/" + name;
    try {
      if (!h5::exists(file, at)) continue;
      if (H5Iget_type(h5::open_object(file, at).id()) != H5I_DATASET) continue;
      h5::open_dataset(file, {path.file, at, path.links});
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): its files are noted
    }
  }
  return file.behind().files();
}

void set_filter_plugins(FilterPlugins plugins) {
  const h5::Call call;
  const bool is_allowed = plugins == FilterPlugins::load;
  h5::check(H5PLset_loading_state(is_allowed ? H5PL_ALL_PLUGIN : 0U), "filter plug-ins");
}

void append_plugin_folder(const std::string& folder) {
  const h5::Call call;
  if (folder.empty()) throw Error("folder", "its name is empty", "Give the folder of the plug-ins");
  h5::check(H5PLappend(folder.c_str()), "filter plug-ins: " + folder);
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
