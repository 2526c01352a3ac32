// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/option_rows.hpp"
#include "tool/options/request.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// The options that say what is fitted or scored: --target and how it is read.

namespace synelix::tool {

/// What was read of --target and the options that say how it is read.
struct TargetFields {
  std::optional<DatasetPath> file;
  bool units = false;
  std::optional<double> bin;  ///< seconds
  std::optional<std::vector<std::int64_t>> unit_ids;
  std::optional<IndexRange> channels;
  std::optional<std::int64_t> time_axis;
  std::vector<std::string> where;  ///< of units and of intervals
};

/// \param what  what is done with the target, at the start of the help of --target
void add_target_options(OptionRows& rows, TargetFields& fields, const std::string& what);

/// The target of the command line; nothing where it names none. Conditions of --where on intervals
/// go to the request.
std::optional<DesignInput> target_from(const TargetFields& fields, DesignRequest& request);

}  // namespace synelix::tool
