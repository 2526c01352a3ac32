// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hdf5/source/source_file.hpp"

#include "hdf5/objects/h5_file.hpp"
#include "part_files/descriptor.hpp"
#include "streams/input_files.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace synelix::h5 {
namespace {

namespace fs = std::filesystem;

/// More links than this on one path are a cycle; HDF5 itself allows 16 of each kind.
constexpr int most_links = 64;
constexpr std::size_t most_files = std::size_t{1} << 16;
/// The number of other files that stay open between two checks.
constexpr std::size_t most_open = 8;

std::string canonical(const std::string& path) {
  std::error_code status;
  const fs::path found = fs::canonical(path, status);
  return status ? std::string() : found.string();
}

bool is_regular(const std::string& path) {
  std::error_code status;
  return fs::is_regular_file(path, status);
}

}  // namespace

FilesBehind::FilesBehind(const std::string& named, Links links) : m_links(links) {
  m_files.push_back(look_at_file(named));
  for (const std::string& folder :
       {canonical(stream::folder_of(named)), stream::folder_of(m_files[0].resolved)}) {
    if (!folder.empty()) m_folders.push_back(folder);
  }
}

bool FilesBehind::is_inside(const std::string& resolved) const {
  return std::any_of(m_folders.begin(), m_folders.end(), [&](const std::string& folder) {
    return resolved.starts_with(folder.ends_with('/') ? folder : folder + "/");
  });
}

const InputFile& FilesBehind::admit(const std::string& path, const std::string& role) {
  if (!is_regular(path)) {
    throw FileError(role, path + " is not a regular file", "Give a file in its place");
  }
  InputFile file = look_at_file(path);
  file.role = role;
  const bool may_be_read = m_links == Links::anywhere || is_inside(file.resolved);
  const auto known = std::find_if(m_files.begin(), m_files.end(), [&](const InputFile& other) {
    return other.device == file.device && other.inode == file.inode;
  });
  const bool is_known = known != m_files.end();
  const std::size_t at =
      is_known ? static_cast<std::size_t>(known - m_files.begin()) : m_files.size();
  if (!is_known && m_files.size() == most_files) {
    throw FileError(
        role, m_files[0].path + " leads to more than " + std::to_string(most_files) + " files",
        "Give a recording that is spread over fewer files");
  }
  const std::string resolved = file.resolved;
  if (!is_known) m_files.push_back(std::move(file));
  if (!may_be_read) {
    throw FileError(
        role, path + " is " + resolved + ", which lies outside of " + m_folders.back(),
        "Files are read in the folder of the recording and below it, because a file from elsewhere "
        "could name any file of yours. If you trust it, give --follow-links (Links::anywhere)");
  }
  return m_files[at];
}

SourceFile::SourceFile(File file, const std::string& name, Links links)
    : m_root{std::make_shared<const File>(std::move(file)), name, "/"},
      m_behind(std::make_shared<FilesBehind>(name, links)) {}

std::optional<ObjectPath> SourceFile::find(const std::string& path) const {
  return find(m_root, path);
}

std::optional<ObjectPath> SourceFile::find(ObjectPath from, const std::string& path) const {
  const std::string name = from.file_name + ":" + path;
  std::vector<std::string> rest = parts_of_path(path);  // in reverse: the next part is the last
                                                        // entry
  if (path.starts_with('/')) from.path = "/";
  for (int links = 0; !rest.empty();) {
    const std::string next = (from.path == "/" ? "/" : from.path + "/") + rest.back();
    rest.pop_back();
    H5L_info2_t info{};
    if (H5Lexists(from.file->id(), next.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
    check(H5Lget_info2(from.file->id(), next.c_str(), &info, H5P_DEFAULT), name);
    if (info.type == H5L_TYPE_HARD) {
      from.path = next;
      continue;
    }
    if (++links > most_links) {
      throw FileError(name, "more than " + std::to_string(most_links) + " links are on its way",
                      "Mend links that lead in a circle");
    }
    if (info.type != H5L_TYPE_SOFT && info.type != H5L_TYPE_EXTERNAL) {
      throw FileError(name,
                      "this is a link of class " + std::to_string(static_cast<int>(info.type)),
                      "Valid are hard, soft and external links");
    }
    const auto [file, to] = target_of(from.file->id(), next, name);
    if (info.type == H5L_TYPE_EXTERNAL) {
      from = follow(from, file, "external link " + from.file_name + ":" + next);
    }
    if (to.starts_with('/')) from.path = "/";
    const std::vector<std::string> parts = parts_of_path(to);
    rest.insert(rest.end(), parts.begin(), parts.end());
  }
  return from;
}

LinkTarget target_of(hid_t file, const std::string& link, const std::string& name) {
  H5L_info2_t info{};
  check(H5Lget_info2(file, link.c_str(), &info, H5P_DEFAULT), name);
  std::vector<char> value(info.u.val_size + 1, '\0');
  check(H5Lget_val(file, link.c_str(), value.data(), value.size(), H5P_DEFAULT), name);
  if (info.type != H5L_TYPE_EXTERNAL) return {{}, value.data()};
  unsigned flags = 0;
  const char* to_file = nullptr;
  const char* to_object = nullptr;
  check(H5Lunpack_elink_val(value.data(), info.u.val_size, &flags, &to_file, &to_object), name);
  return {to_file, to_object};
}

ObjectPath SourceFile::follow(const ObjectPath& from, const std::string& file,
                              const std::string& role) const {
  const auto found = first_of(places_of(file, from.file_name, std::getenv("HDF5_EXT_PREFIX")));
  if (!found) {
    throw FileError(role, "there is no file " + file,
                    "Put that file beside " + from.file_name +
                        ", or into a folder that the environment variable HDF5_EXT_PREFIX names");
  }
  return open_behind(*found, role);
}

ObjectPath SourceFile::open_behind(const std::string& path, const std::string& role) const {
  m_behind->admit(path, role);
  const auto open = std::find_if(m_recent.begin(), m_recent.end(),
                                 [&](const ObjectPath& place) { return place.file_name == path; });
  if (open != m_recent.end()) return *open;
  ObjectPath place{std::make_shared<const File>(open_for_reading(path)), path, "/"};
  if (m_recent.size() == most_open) m_recent.erase(m_recent.begin());
  m_recent.push_back(place);
  return place;
}

std::vector<std::string> places_of(const std::string& name, const std::string& parent,
                                   const char* folders) {
  std::vector<std::string> places;
  std::string rest = name;
  if (name.starts_with('/')) {
    places.push_back(name);
    rest = name.substr(name.rfind('/') + 1);
  }
  const auto in = [&](const std::string& folder) {
    places.push_back(folder.empty() || folder == "." ? rest : folder + "/" + rest);
  };
  std::string list = folders != nullptr ? folders : "";
  while (!list.empty()) {
    const std::size_t colon = std::min(list.find(':'), list.size());
    if (colon > 0) in(list.substr(0, colon));
    list.erase(0, colon + 1);
  }
  in(stream::folder_of(parent));
  places.push_back(rest);
  if (const std::string real = canonical(parent); !real.empty()) in(stream::folder_of(real));
  return places;
}

std::optional<std::string> first_of(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code status;
    if (fs::exists(path, status)) return path;
  }
  return std::nullopt;
}

std::vector<std::string> parts_of_path(const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t end = path.size(); end > 0;) {
    const std::size_t slash = path.rfind('/', end - 1);
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const std::string part = path.substr(begin, end - begin);
    if (!part.empty() && part != ".") parts.push_back(part);
    end = slash == std::string::npos ? 0 : slash;
  }
  return parts;
}

}  // namespace synelix::h5
