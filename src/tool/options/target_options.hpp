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
/// The options for the fitted or scored target: --target and how it is read.

namespace synelix::tool {

/// The values read for --target and the options on how it is read.
struct TargetFields {
  std::optional<DatasetPath> file;
  bool units = false;
  std::optional<double> bin;  ///< seconds
  std::optional<std::vector<std::int64_t>> unit_ids;
  std::optional<IndexRange> channels;
  std::optional<std::int64_t> time_axis;
  std::vector<std::string> where;  ///< of units and of intervals
};

/// \param what  the use of the target, at the beginning of the help of --target
void add_target_options(OptionRows& rows, TargetFields& fields, const std::string& what);

/// The target of the command line; nothing if it names none. Conditions of --where on intervals are
/// added to the request.
std::optional<DesignInput> target_from(const TargetFields& fields, DesignRequest& request);

}  // namespace synelix::tool
