// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Describes the contents of a file, and the other files that it refers to; and traverses a file.
#include "hdf5/objects/h5_attributes.hpp"
#include "hdf5/objects/h5_file.hpp"
#include "hdf5/source/source_file.hpp"
#include "streams/input_files.hpp"

#include <synelix/error.hpp>
#include <synelix/types/hdf5.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <set>
#include <utility>

namespace synelix::h5 {
namespace {

constexpr std::size_t most_objects = std::size_t{1} << 20;
constexpr std::size_t most_path_bytes = std::size_t{1} << 16;

using Token = std::array<std::uint8_t, H5O_MAX_TOKEN_SIZE>;

struct Link {
  std::string name;
  H5L_type_t type;
};

/// Links of a group. An exception is kept here until HDF5's C code has returned.
struct TakenLinks {
  std::vector<Link> links;
  std::exception_ptr failure;
};

herr_t take_link(hid_t, const char* name, const H5L_info2_t* info, void* data) {
  auto& taken = *static_cast<TakenLinks*>(data);
  try {
    if (taken.links.size() > most_objects) return 1;
    taken.links.push_back({name, info->type});
  } catch (...) {
    taken.failure = std::current_exception();
    return -1;
  }
  return 0;
}

/// A group on the current path from the root.
struct Level {
  Group group;
  std::string path;  ///< empty for the root
  std::vector<Link> links;
  std::size_t next = 0;
};

class LinkWalk {
 public:
  LinkWalk(const SourceFile& file, const Visitor& visitor) : m_file(file), m_visitor(visitor) {}

  void run() {
    enter(Group(H5Gopen2(m_file.id(), "/", H5P_DEFAULT), m_file.name()), "");
    while (!m_levels.empty()) {
      Level& level = m_levels.back();
      if (level.next == level.links.size()) {
        m_levels.pop_back();
        continue;
      }
      const Link link = std::move(level.links[level.next++]);
      const std::string path = level.path + "/" + link.name;
      if (path.size() > most_path_bytes) {
        throw FileError(m_file.name(),
                        "it has a path of more than " + std::to_string(most_path_bytes) +
                            " bytes, made of groups in groups",
                        "Give one dataset of it, as FILE:/dataset");
      }
      if (link.type == H5L_TYPE_EXTERNAL && m_visitor.external) m_visitor.external(path);
      if (link.type == H5L_TYPE_HARD) visit(level.group.id(), link.name, path);
    }
  }

 private:
  void visit(hid_t parent, const std::string& name, const std::string& path) {
    H5O_info2_t info{};
    check(H5Oget_info_by_name3(parent, name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT),
          m_file.name() + ": cannot be looked through");
    if (!is_new(info)) return;
    if (info.type == H5O_TYPE_DATASET && m_visitor.dataset) m_visitor.dataset(path, parent, name);
    if (info.type == H5O_TYPE_GROUP) {
      enter(Group(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), path), path);
    }
  }

  bool is_new(const H5O_info2_t& info) {
    Token token{};
    std::memcpy(token.data(), info.token.__data, token.size());
    if (!m_seen.insert(token).second) return false;
    if (m_seen.size() > most_objects) {
      throw FileError(m_file.name(),
                      "it has more than " + std::to_string(most_objects) + " groups and datasets",
                      "Give one dataset of it, as FILE:/dataset");
    }
    return true;
  }

  void enter(Group group, const std::string& path) {
    TakenLinks taken;
    hsize_t next = 0;
    const herr_t result =
        H5Literate2(group.id(), H5_INDEX_NAME, H5_ITER_INC, &next, take_link, &taken);
    if (taken.failure) std::rethrow_exception(taken.failure);
    check(result, m_file.name() + ": cannot be looked through");
    if (path.empty()) {
      H5O_info2_t info{};
      check(H5Oget_info3(group.id(), &info, H5O_INFO_BASIC), m_file.name());
      is_new(info);
    }
    if (m_visitor.group) {
      std::vector<std::string> names;
      names.reserve(taken.links.size());
      for (const Link& link : taken.links) names.push_back(link.name);
      m_visitor.group(path.empty() ? "/" : path, names);
    }
    m_levels.push_back({std::move(group), path, std::move(taken.links)});
  }

  const SourceFile& m_file;
  const Visitor& m_visitor;
  std::vector<Level> m_levels;
  std::set<Token> m_seen;
};

}  // namespace

void walk(const SourceFile& file, const Visitor& visitor) { LinkWalk(file, visitor).run(); }

}  // namespace synelix::h5

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
  result.refusal = h5::refusal_of([&] {
    h5::require_sources(file, place, dataset, name);
    result.extents = h5::extents_of(dataset);
    result.chunk = h5::chunk_of(dataset);
    result.stored_bytes = static_cast<std::int64_t>(H5Dget_storage_size(dataset.id()));
  });
  if (!result.refusal.empty()) result.extents = extents_made(dataset, name);
  result.filters = h5::filters_of(dataset);
  result.attributes = h5::attributes_text(dataset.id());
  const std::vector<InputFile>& files = file.behind().files();
  result.files.assign(files.begin() + 1, files.end());
  return result;
}

LinkDescription describe_link(const h5::SourceFile& file, const std::string& path) {
  const std::string name = file.name() + ":" + path;
  const h5::LinkTarget to = h5::target_of(file.id(), path, name);
  LinkDescription link{.path = path, .file = to.file, .object = to.object};
  link.refusal = h5::refusal_of([&] {
    if (file.find(path)) return;
    throw Error(name, "there is no object " + link.object + " in " + link.file, "Mend the link");
  });
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
