// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/part/file_access.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>

#ifdef __linux__
#include <sys/xattr.h>
#endif

namespace synelix::stream {
namespace {

constexpr mode_t all_of_group = 070U;

/// The permissions of all others, as bits of the group.
mode_t group_as_others(mode_t mode) {
  return (mode & ~all_of_group) | (((mode & 07U) << 3U) & mode);
}

#ifdef __linux__
constexpr const char* list_name = "system.posix_acl_access";
#endif

/// The access list of a file; empty if it has none.
std::optional<std::vector<char>> access_list_of([[maybe_unused]] const std::string& file) {
  std::vector<char> list;
#ifdef __linux__
  constexpr std::size_t most = 4096;
  list.resize(most);
  const ssize_t bytes = getxattr(file.c_str(), list_name, list.data(), list.size());
  if (bytes < 0 && errno == ERANGE) return std::nullopt;
  list.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
#endif
  return list;
}

}  // namespace

FileAccess::FileAccess(const std::string& file) {
  struct stat state = {};
  if (stat(file.c_str(), &state) != 0) return;
  m_state = state;
  m_list = access_list_of(file);
}

/// Gives the file the group. Returns whether that worked.
bool FileAccess::give_group(int descriptor) const {
  if (!m_state) return false;
  struct stat mine = {};
  if (fstat(descriptor, &mine) == 0 && mine.st_gid == m_state->st_gid) return true;
  return fchown(descriptor, static_cast<uid_t>(-1), m_state->st_gid) == 0;
}

/// Gives the file the access list. Returns whether it has the list now, or neither file has one.
bool FileAccess::give_list([[maybe_unused]] int descriptor) const {
#ifdef __linux__
  if (!m_list) return false;
  if (!m_list->empty()) {
    return fsetxattr(descriptor, list_name, m_list->data(), m_list->size(), 0) == 0;
  }
  fremovexattr(descriptor, list_name);  // the default list that the folder gives to new files
#endif
  return true;
}

void FileAccess::limit(int descriptor) const {
  struct stat mine = {};
  if (!m_state || fstat(descriptor, &mine) != 0) return;
  mode_t mode = mine.st_mode & (m_state->st_mode | 0600U) & 0777U;
  if (!give_group(descriptor)) mode = group_as_others(mode);
  fchmod(descriptor, mode);
}

void FileAccess::give(int descriptor) const {
  if (!m_state) return;
  mode_t mode = m_state->st_mode & 0777U;
  if (!give_group(descriptor)) mode = group_as_others(mode);
  if (!give_list(descriptor)) mode = group_as_others(mode);
  fchmod(descriptor, mode);
  struct stat mine = {};
  if (fstat(descriptor, &mine) == 0 && mine.st_uid != m_state->st_uid) {
    [[maybe_unused]] const int given = fchown(descriptor, m_state->st_uid, static_cast<gid_t>(-1));
  }
}

}  // namespace synelix::stream
