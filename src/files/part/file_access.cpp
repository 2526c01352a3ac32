// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "files/part/file_access.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#ifdef __linux__
#include <sys/xattr.h>

#include <array>
#endif

namespace synelix::stream {
namespace {

constexpr mode_t all_of_group = 070U;

/// What all others may do, as bits of the group.
mode_t group_as_others(mode_t mode) {
  return (mode & ~all_of_group) | (((mode & 07U) << 3U) & mode);
}

/// Whether the file has the group now.
bool take_group(int descriptor, const struct stat& mine, gid_t group) {
  return mine.st_gid == group || fchown(descriptor, static_cast<uid_t>(-1), group) == 0;
}

/// Whether the file has the access list of the other now, or neither has one.
bool take_access_list([[maybe_unused]] const std::string& other, [[maybe_unused]] int descriptor) {
#ifdef __linux__
  constexpr const char* name = "system.posix_acl_access";
  std::array<char, 4096> list = {};
  const ssize_t bytes = getxattr(other.c_str(), name, list.data(), list.size());
  if (bytes > 0) {
    return fsetxattr(descriptor, name, list.data(), static_cast<std::size_t>(bytes), 0) == 0;
  }
  if (bytes < 0 && errno == ERANGE) return false;
  fremovexattr(descriptor, name);  // that the folder gives to new files
#endif
  return true;
}

}  // namespace

void limit_access_to(const std::string& other, int descriptor) {
  struct stat wanted = {};
  struct stat mine = {};
  if (stat(other.c_str(), &wanted) != 0 || fstat(descriptor, &mine) != 0) return;
  mode_t mode = mine.st_mode & (wanted.st_mode | 0600U) & 0777U;
  if (!take_group(descriptor, mine, wanted.st_gid)) mode = group_as_others(mode);
  fchmod(descriptor, mode);
}

void copy_access(const std::string& other, int descriptor) {
  struct stat wanted = {};
  struct stat mine = {};
  if (stat(other.c_str(), &wanted) != 0 || fstat(descriptor, &mine) != 0) return;
  mode_t mode = wanted.st_mode & 0777U;
  if (!take_group(descriptor, mine, wanted.st_gid)) mode = group_as_others(mode);
  if (!take_access_list(other, descriptor)) mode = group_as_others(mode);
  fchmod(descriptor, mode);
  if (mine.st_uid != wanted.st_uid) {
    [[maybe_unused]] const int given = fchown(descriptor, wanted.st_uid, static_cast<gid_t>(-1));
  }
}

}  // namespace synelix::stream
