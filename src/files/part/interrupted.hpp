// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>

/// \file
/// Calls of the operating system that a signal may interrupt.

namespace synelix::stream {

/// What a call returns that gives a number below 0 where it fails. It is made again as long as a
/// signal interrupts it.
template <class Call>
auto finished(const Call& call) {
  auto status = call();
  while (status < 0 && errno == EINTR) status = call();
  return status;
}

}  // namespace synelix::stream
