// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vocabulary/replaced_file.hpp"

#include <synelix/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace synelix {
namespace {

/// Writes all of a text to a new file and brings it to the disk; false where that fails (errno).
bool write_new(const std::string& file, const std::string& text, unsigned mode) {
  unlink(file.c_str());  // a killed process of the same number may have left one
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(descriptor, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  int synced = fsync(descriptor);
  while (synced != 0 && errno == EINTR) synced = fsync(descriptor);
  const bool is_whole = done == text.size() && synced == 0;
  const int reason = errno;
  const bool is_closed = close(descriptor) == 0;
  if (!is_whole) errno = reason;
  return is_whole && is_closed;
}

void sync_folder(const std::filesystem::path& folder) {
  const int descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

void replace_file(const std::string& file, const std::string& text) {
  std::error_code status;
  std::filesystem::path target = file;
  if (std::filesystem::is_symlink(target, status)) {
    target = std::filesystem::canonical(target, status);
    if (status) {
      throw FileError(file +
                      ": cannot be written: the link leads to no file. Mend the link, or give "
                      "another name.");
    }
  }
  struct stat replaced = {};
  const unsigned mode = stat(target.c_str(), &replaced) == 0 ? replaced.st_mode & 0666U : 0666U;
  const std::string part = target.string() + "." + std::to_string(::getpid()) + ".part";
  bool is_done = write_new(part, text, mode);
  is_done = is_done && std::rename(part.c_str(), target.c_str()) == 0;
  if (!is_done) {
    const std::string reason = std::strerror(errno);
    unlink(part.c_str());
    throw FileError(file + ": cannot be written: " + reason);
  }
  sync_folder(target.parent_path());
}

}  // namespace synelix
