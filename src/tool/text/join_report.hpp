// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// \file
/// What `join` says, as text and as JSON.

namespace synelix::tool {

/// What became of the files of parts.
struct JoinedReport {
  std::string output;
  std::vector<std::int64_t> shape;
  std::string type;
  std::int64_t parts = 0;
  std::int64_t chunks = 0;
  std::int64_t bytes = 0;
  std::int64_t removed = 0;
  bool was_finished = false;
  double seconds = 0;
};

std::string text_of(const JoinedReport& joined);
std::string json_of(const JoinedReport& joined);

}  // namespace synelix::tool
