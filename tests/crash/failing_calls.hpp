// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

/// \file
/// Calls of the C library that fail when a test asks for it. This program defines them itself;
/// those that HDF5 and the standard library make always work.

namespace failing {

enum class Call : std::uint8_t {
  open_file,
  status,       ///< fstat
  name_status,  ///< lstat and stat
  read,
  write,
  resize,
  sync,
  rename,
  rename_to_free,  ///< renameat2
  link,
  lock_range,  ///< fcntl with F_OFD_SETLK
  lock_file,   ///< flock
  group,       ///< fchown
  access_list,
  set_access_list,
  room,          ///< fstatvfs
  lock_of_hdf5,  ///< flock, as HDF5 calls it
  reserve        ///< fallocate
};
constexpr std::size_t calls = 18;

/// A read or a write with this error does half of its bytes instead; a disk has no room.
constexpr int half = 0;

/// The monotonic clock is stopped during the lifetime of this object, so that a test does not
/// depend on its duration. One object at a time.
class StoppedClock {
 public:
  StoppedClock();
  StoppedClock(const StoppedClock&) = delete;
  StoppedClock& operator=(const StoppedClock&) = delete;
  ~StoppedClock();
  /// Sets it forward.
  void add(std::int64_t seconds) const;
};

/// The calls that fail: a number of consecutive calls.
struct Fault {
  Call call;
  int error;
  std::int64_t first = 1;
  std::int64_t times = std::int64_t{1} << 40;
};

/// Counts calls, and has them fail, while it lives.
class Faults {
 public:
  explicit Faults(std::vector<Fault> faults);
  Faults(const Faults&) = delete;
  Faults& operator=(const Faults&) = delete;
  ~Faults();

  [[nodiscard]] std::int64_t made(Call call) const {
    return m_made[static_cast<std::size_t>(call)];
  }
  [[nodiscard]] std::int64_t failed() const { return m_failed; }
  /// Counts a call; the error that it has to end with, or -1.
  int next(Call call);

 private:
  std::vector<Fault> m_faults;
  std::array<std::int64_t, calls> m_made = {};
  std::int64_t m_failed = 0;
};

}  // namespace failing
