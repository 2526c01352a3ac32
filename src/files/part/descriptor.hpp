// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

/// \file
/// A file descriptor that is closed at the end, and its lock with it.

namespace synelix::stream {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : m_number(number) {}
  Descriptor(Descriptor&& other) noexcept : m_number(std::exchange(other.m_number, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(m_number, other.m_number);
    return *this;
  }
  ~Descriptor() { close_now(); }

  [[nodiscard]] int number() const { return m_number; }
  [[nodiscard]] bool is_open() const { return m_number >= 0; }
  void close_now() noexcept {
    if (m_number >= 0) ::close(std::exchange(m_number, -1));
  }

 private:
  int m_number = -1;
};

/// Why a file cannot be opened, with what to do where the process has no descriptor left.
inline std::string reason_text(int error) {
  const bool is_used_up = error == EMFILE || error == ENFILE;
  return std::strerror(error) +
         std::string(is_used_up ? "; raise the limit of open files (ulimit -n)" : "");
}

}  // namespace synelix::stream
