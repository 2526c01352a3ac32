// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/alignment.hpp>
#include <synelix/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// \file
/// Calls of MPI, whose errors become exceptions.

namespace synelix::mpi {

/// Checks the return value of an MPI call. \throws StateError with MPI's message
inline void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  std::string text(MPI_MAX_ERROR_STRING, '\0');
  int length = 0;
  if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) length = 0;
  text.resize(static_cast<std::size_t>(length));
  throw StateError(call, text.empty() ? "error " + std::to_string(code) : text,
                   "End the ranks, and look at what MPI printed");
}

/// Numbers of one message: counts of MPI are ints.
inline constexpr std::int64_t most_of_message = std::int64_t{1} << 27;

/// Calls call(first, count) for each of the messages that this many numbers need.
template <class Call>
void in_messages(std::int64_t numbers, const Call& call) {
  for (std::int64_t at = 0; at < numbers; at += most_of_message) {
    call(at, static_cast<int>(std::min(most_of_message, numbers - at)));
  }
}

/// A rank's share of this many items, cut evenly and in the order of the ranks.
inline Range share_of(std::int64_t items, int rank, int size) {
  const std::int64_t each = items / size;
  const std::int64_t more = items % size;  // the first ranks have one more
  const auto begin_of = [&](std::int64_t r) { return each * r + std::min(r, more); };
  return {begin_of(rank), begin_of(rank + 1)};
}

}  // namespace synelix::mpi
