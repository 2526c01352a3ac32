// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/source/source_file.hpp"

#include <functional>
#include <string>
#include <vector>

/// \file
/// All groups and datasets of a file. HDF5's own walk calls itself for each group in a group, and
/// ends with the stack where there are thousands.

namespace synelix::h5 {

/// What is called for what a walk comes to. Paths begin with a slash. What is null is passed over.
struct Visitor {
  /// A group with the names of its links.
  std::function<void(const std::string& path, const std::vector<std::string>& names)> group = {};
  /// A dataset, and the group that it is in.
  std::function<void(const std::string& path, hid_t parent, const std::string& name)> dataset = {};
  /// A link to another file, which is not followed.
  std::function<void(const std::string& path)> external = {};
};

/// Walks over hard links, in the order of names; objects that have several are visited once.
/// \throws Error where there are more than 2^20 objects, or a path is longer than 2^16 bytes
void walk(const SourceFile& file, const Visitor& visitor);

}  // namespace synelix::h5
