// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "part_files/part_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#ifdef __linux__
#include <sys/xattr.h>
#endif

namespace synelix::stream {
namespace {

/// Whether the last call failed because the file system does not support it.
bool is_unknown_here() {
  return errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP || errno == EPERM;
}

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

void refuse_rename(const std::string& from, const std::string& to) {
  throw FileError(from + ": cannot be renamed to " + to + ": " + std::strerror(errno));
}

bool rename_to_free(const std::string& from, const std::string& to) {
#ifdef RENAME_NOREPLACE
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return true;
  if (errno == EEXIST) return false;
  if (!is_unknown_here()) refuse_rename(from, to);
#endif
  if (link(from.c_str(), to.c_str()) == 0) {
    unlink(from.c_str());
    return true;
  }
  if (errno == EEXIST) return false;
  if (!is_unknown_here()) refuse_rename(from, to);
  // The file system supports neither: the file may appear between this check and the rename.
  if (state_of_name(to)) return false;
  if (std::rename(from.c_str(), to.c_str()) != 0) refuse_rename(from, to);
  return true;
}

void drop_second_name(int descriptor, const std::string& from) {
  constexpr int attempts = 50;
  for (int attempt = 0; attempt <= attempts; ++attempt) {
    const auto mine = state_of(descriptor);
    if (!mine || mine->st_nlink < 2 || !are_same(mine, state_of_name(from))) return;
    if (attempt == attempts || !is_locked(descriptor)) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  unlink(from.c_str());
}

FileAccess::FileAccess(const std::string& file) : m_state(state_of(file)) {
  if (m_state) m_list = access_list_of(file);
}

/// Gives the file the group. Returns whether that worked.
bool FileAccess::give_group(int descriptor) const {
  if (!m_state) return false;
  const auto mine = state_of(descriptor);
  if (mine && mine->st_gid == m_state->st_gid) return true;
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
  const auto mine = state_of(descriptor);
  if (!m_state || !mine) return;
  mode_t mode = mine->st_mode & (m_state->st_mode | 0600U) & 0777U;
  if (!give_group(descriptor)) mode = group_as_others(mode);
  fchmod(descriptor, mode);
}

void FileAccess::give(int descriptor) const {
  if (!m_state) return;
  mode_t mode = m_state->st_mode & 0777U;
  if (!give_group(descriptor)) mode = group_as_others(mode);
  if (!give_list(descriptor)) mode = group_as_others(mode);
  fchmod(descriptor, mode);
  const auto mine = state_of(descriptor);
  if (mine && mine->st_uid != m_state->st_uid) {
    [[maybe_unused]] const int given = fchown(descriptor, m_state->st_uid, static_cast<gid_t>(-1));
  }
}

}  // namespace synelix::stream
