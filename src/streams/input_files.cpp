// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "streams/input_files.hpp"

#include "streams/fingerprint.hpp"

#include <synelix/error.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace synelix {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * second_ns +
         static_cast<std::int64_t>(time.tv_nsec);
}

/// The clock that file systems use for times of change. It is constant within a tick.
std::int64_t file_clock_ns() {
  timespec now = {};
#ifdef CLOCK_REALTIME_COARSE
  clock_gettime(CLOCK_REALTIME_COARSE, &now);
#else
  clock_gettime(CLOCK_REALTIME, &now);
#endif
  return nanoseconds(now);
}

InputFile file_of(const std::string& path, const struct stat& status) {
  InputFile file{.path = path};
  file.device = static_cast<std::uint64_t>(status.st_dev);
  file.inode = static_cast<std::uint64_t>(status.st_ino);
  file.bytes = static_cast<std::int64_t>(status.st_size);
  file.modified_ns = nanoseconds(status.st_mtim);
  file.changed_ns = nanoseconds(status.st_ctim);
  return file;
}

}  // namespace

InputFile look_at_file(const std::string& path) {
  // The clock of another machine may be ahead, so the wait is bounded.
  constexpr int most_waits = 50;
  struct stat status = {};
  for (int waits = 0;; ++waits) {
    if (stat(path.c_str(), &status) != 0) {
      throw FileError(path + ": cannot be read: " + std::strerror(errno));
    }
    if (nanoseconds(status.st_ctim) < file_clock_ns() || waits == most_waits) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  InputFile file = file_of(path, status);
  std::error_code error;
  file.resolved = std::filesystem::canonical(path, error).string();
  return file;
}

namespace stream {
namespace {

using Identity = std::pair<std::uint64_t, std::uint64_t>;

Identity identity_of(const InputFile& file) { return {file.device, file.inode}; }

std::optional<InputFile> file_now(const std::string& path) {
  struct stat status = {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return file_of(path, status);
}

/// Seconds with all nine decimal digits.
std::string time_text(std::int64_t time_ns) {
  std::int64_t seconds = time_ns / second_ns;
  std::int64_t rest = time_ns % second_ns;
  if (rest < 0) {
    --seconds;
    rest += second_ns;
  }
  std::string digits = std::to_string(rest);
  digits.insert(0, 9 - digits.size(), '0');
  return std::to_string(seconds) + "." + digits;
}

/// The change of a file; empty if nothing changed that affects values.
std::string change_of(const InputFile& before, const std::optional<InputFile>& now) {
  if (!now) return "removed while it was read";
  if (identity_of(*now) != identity_of(before)) return "replaced by another file while it was read";
  if (now->bytes != before.bytes) {
    return "changed while it was read: it had " + std::to_string(before.bytes) + " bytes and has " +
           std::to_string(now->bytes);
  }
  if (now->modified_ns != before.modified_ns) {
    return "changed while it was read: its time of change was " + time_text(before.modified_ns) +
           " and is " + time_text(now->modified_ns);
  }
  return {};
}

/// \throws InputChanged if a file has changed
void refuse_change(const InputFile& before, const std::optional<InputFile>& now) {
  const std::string change = change_of(before, now);
  if (change.empty()) return;
  throw InputChanged(text_of(before) + ": this file was " + change +
                     ". An input must stay as it is until the run ends.");
}

/// The path of a file relative to the folder of the first one, which may be named in several ways.
/// It is for the text of a fingerprint, in which "; " and ": " separate names and values.
std::string name_beside(const InputFile& first, const InputFile& file) {
  std::string name = std::filesystem::path(file.resolved)
                         .lexically_relative(std::filesystem::path(first.resolved).parent_path())
                         .string();
  for (char& letter : name) {
    if (letter == ';' || letter == ':') letter = '_';
  }
  return name;
}

/// The names in a fingerprint for size and time of change of a file.
std::pair<std::string, std::string> names_of(const InputFile& first, const InputFile& file) {
  if (file.role.empty()) return {"input bytes", "input changed"};
  const std::string name = name_beside(first, file);
  return {"bytes of " + name, "change of " + name};
}

}  // namespace

void add_files(std::vector<InputFile>& files, const std::vector<InputFile>& more) {
  std::set<Identity> known;
  for (const InputFile& file : files) known.insert(identity_of(file));
  for (const InputFile& file : more) {
    if (known.insert(identity_of(file)).second) {
      files.push_back(file);
    } else if (file.is_read_in_run) {
      const auto same = std::find_if(files.begin(), files.end(), [&](const InputFile& other) {
        return identity_of(other) == identity_of(file);
      });
      same->is_read_in_run = true;
    }
  }
}

std::string text_of(const InputFile& file) {
  return file.role.empty() ? file.path : file.path + " (" + file.role + ")";
}

void require_apart(const std::string& output, const std::vector<InputFile>& files,
                   const std::string& remedy) {
  const auto found = file_now(output);
  if (!found) return;
  for (const InputFile& file : files) {
    if (identity_of(file) != identity_of(*found)) continue;
    throw FileError("output " + output, "this run reads this file, as " + text_of(file), remedy);
  }
}

void require_same_content(const std::vector<InputFile>& files) {
  for (const InputFile& file : files) {
    if (!file.is_read_in_run) continue;
    const std::optional<InputFile> now = file_now(file.path);
    if (now || !file.role.empty()) refuse_change(file, now);
  }
}

void require_unchanged(const std::vector<InputFile>& files) {
  for (const InputFile& file : files) {
    if (!file.is_read_in_run) continue;
    const std::optional<InputFile> now = file_now(file.path);
    if (!now && file.role.empty()) {
      warn(file.path + " was removed while it was read; all of its values were read");
      continue;
    }
    refuse_change(file, now);
    if (now && now->changed_ns != file.changed_ns) {
      warn(text_of(file) +
           ": its mode, owner or number of names changed while it was read; size and time of its "
           "content are as before");
    }
  }
}

bool is_of_changed_input() noexcept {
  try {
    throw;
  } catch (const InputChanged&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::vector<std::string> fingerprint_names(const std::string& path,
                                           const std::vector<InputFile>& files) {
  const auto found = file_now(path);
  for (const InputFile& file : files) {
    if (!found || identity_of(file) != identity_of(*found)) continue;
    const auto [bytes, change] = names_of(files.front(), file);
    return {bytes, change};
  }
  return {};
}

Fingerprint fingerprint_of(const std::vector<InputFile>& files) {
  constexpr std::size_t most_named = 64;
  Fingerprint result;
  Checksum rest;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const InputFile& file = files[i];
    if (file.role.empty() || i < most_named) {
      const auto [bytes, change] = names_of(files.front(), file);
      result.emplace_back(bytes, std::to_string(file.bytes));
      result.emplace_back(change, time_text(file.modified_ns));
    } else {
      const std::string name = name_beside(files.front(), file);
      rest.add(name.data(), name.size());
      rest.add(&file.bytes, sizeof(file.bytes)).add(&file.modified_ns, sizeof(file.modified_ns));
    }
  }
  if (files.size() > most_named) {
    result.emplace_back("further input files",
                        std::to_string(files.size() - most_named) + ", checksum " + rest.text());
  }
  return result;
}

}  // namespace stream
}  // namespace synelix
