// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/process/shared_file.hpp"

#include <synelix/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace synelix::tool {
namespace {

constexpr off_t most_bytes = off_t{1} << 30;
constexpr const char* remedy = "Rename or remove it, or choose another name for the output";

/// Repeats a call that a signal has interrupted.
template <class Call>
auto finished(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

class Opened {
 public:
  Opened(const std::string& name, int flags)
      : m_number(finished([&] {
          return ::open(name.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
        })) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  ~Opened() {
    if (m_number >= 0) close(m_number);
  }
  [[nodiscard]] int number() const { return m_number; }
  [[nodiscard]] int release() { return std::exchange(m_number, -1); }

 private:
  int m_number;
};

enum class Lock { taken, refused, unknown };

Lock lock(int descriptor, int kind) {
  if (finished([&] { return flock(descriptor, kind | LOCK_NB); }) == 0) return Lock::taken;
  return errno == EWOULDBLOCK || errno == EACCES ? Lock::refused : Lock::unknown;
}

[[noreturn]] void fail(const std::string& name, const char* what) {
  throw FileError(name + ": cannot be " + what + ": " + std::strerror(errno) + ".");
}

/// All bytes of an open file. \throws Error
std::string text_in(int descriptor, off_t bytes, const std::string& name) {
  std::string text(static_cast<std::size_t>(bytes), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t got = finished([&] {
      return pread(descriptor, &text[done], text.size() - done, static_cast<off_t>(done));
    });
    if (got < 0) fail(name, "read");
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

bool is_written(int descriptor, const std::string& text) {
  if (finished([&] { return ftruncate(descriptor, 0); }) != 0) return false;
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t put = finished([&] {
      return pwrite(descriptor, text.data() + done, text.size() - done, static_cast<off_t>(done));
    });
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return finished([&] { return fsync(descriptor); }) == 0;
}

void sync_folder_of(const std::string& name) {
  const std::filesystem::path folder = std::filesystem::path(name).parent_path();
  const int opened =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  fsync(opened);
  close(opened);
}

/// Whether a name refers to the open file.
bool is_named(const std::string& name, int descriptor) {
  struct stat named = {};
  struct stat mine = {};
  return lstat(name.c_str(), &named) == 0 && fstat(descriptor, &mine) == 0 &&
         named.st_dev == mine.st_dev && named.st_ino == mine.st_ino;
}

}  // namespace

SharedFile::SharedFile(std::string name, std::string magic)
    : m_name(std::move(name)), m_magic(std::move(magic)) {}

SharedFile::~SharedFile() {
  if (is_taken()) give_back();
  if (m_descriptor >= 0) close(m_descriptor);
}

/// Whether a file begins like these files; an unfinished one may be shorter.
bool SharedFile::is_ours(int descriptor, State state) const {
  struct stat status = {};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const auto size = static_cast<off_t>(m_magic.size());
  if (state == State::whole && status.st_size < size) return false;
  return m_magic.starts_with(text_in(descriptor, std::min(status.st_size, size), m_name));
}

std::optional<std::string> SharedFile::read() const {
  struct stat named = {};
  if (lstat(m_name.c_str(), &named) != 0) {
    if (errno == ENOENT) return std::nullopt;
    fail(m_name, "read");
  }
  // Checked before the file is opened, because opening a device or a pipe may have an effect.
  const bool is_regular = S_ISREG(named.st_mode);
  if (is_regular) {
    const Opened opened(m_name, O_RDONLY);
    if (opened.number() < 0) {
      if (errno == ENOENT) return std::nullopt;
      fail(m_name, "read");
    }
    struct stat status = {};
    if (fstat(opened.number(), &status) == 0 && status.st_size <= most_bytes &&
        is_ours(opened.number(), State::whole)) {
      return text_in(opened.number(), status.st_size, m_name);
    }
  }
  throw FileError(m_name, "no part of an output has written this file, or it is damaged", remedy);
}

bool SharedFile::is_held() const {
  const Opened opened(m_name, O_RDONLY);
  return opened.number() >= 0 && lock(opened.number(), LOCK_SH) == Lock::refused;
}

bool SharedFile::take() {
  const std::string made = name_of_new();
  struct stat named = {};
  const bool is_there = lstat(made.c_str(), &named) == 0;
  if (is_there && !S_ISREG(named.st_mode))
    throw FileError(made, "this is not a regular file", remedy);
  Opened opened(made, O_RDWR | O_CREAT);
  if (opened.number() < 0) fail(made, "written");
  const Lock locked = lock(opened.number(), LOCK_EX);
  if (locked == Lock::refused) return false;
  if (locked == Lock::unknown) {
    throw FileError(made,
                    std::string("its file system has no locks between processes (") +
                        std::strerror(errno) + ")",
                    "Run without a part, or write to a file system that has locks");
  }
  if (!is_named(made, opened.number())) return false;  // it is the file now, or was given back
  if (!is_ours(opened.number(), State::begun)) {
    throw FileError(made, "no part of an output has written this file", remedy);
  }
  struct stat mine = {};
  if (fstat(opened.number(), &mine) == 0 && mine.st_nlink > 1) {
    unlink(made.c_str());  // a maker was killed before it removed this name
    return false;
  }
  m_descriptor = opened.release();
  m_is_made = false;
  return true;
}

bool SharedFile::make(const std::string& text) {
  const std::string made = name_of_new();
  if (!is_named(made, m_descriptor)) {
    throw FileError(made, "something else has replaced or removed this file",
                    "Run this part again");
  }
  if (!is_written(m_descriptor, text)) fail(made, "written");
  if (link(made.c_str(), m_name.c_str()) != 0) {
    if (errno == EEXIST) return false;
    // For file systems without hard links. The lock keeps other processes from making one
    // meanwhile.
    struct stat named = {};
    if (lstat(m_name.c_str(), &named) == 0) return false;
    if (rename(made.c_str(), m_name.c_str()) != 0) fail(m_name, "written");
  } else {
    unlink(made.c_str());
  }
  m_is_made = true;
  sync_folder_of(m_name);
  return true;
}

void SharedFile::give_back() noexcept {
  if (!is_taken()) return;
  if (is_named(name_of_new(), m_descriptor)) unlink(name_of_new().c_str());
  close(std::exchange(m_descriptor, -1));
}

void SharedFile::remove(const std::string& name, bool is_new) const noexcept {
  try {
    struct stat named = {};
    if (lstat(name.c_str(), &named) != 0 || !S_ISREG(named.st_mode)) return;
    const Opened opened(name, O_RDONLY);
    const State state = is_new ? State::begun : State::whole;
    if (opened.number() < 0 || !is_ours(opened.number(), state)) return;
    if (is_new && lock(opened.number(), LOCK_SH) != Lock::taken) return;
    if (is_named(name, opened.number())) unlink(name.c_str());
  } catch (...) {  // NOLINT(bugprone-empty-catch): a remaining file does no harm
  }
}

void SharedFile::remove() const noexcept { remove(m_name, false); }
void SharedFile::remove_unmade() const noexcept { remove(name_of_new(), true); }

}  // namespace synelix::tool
