// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/option_groups.hpp"
#include "tool/options/request.hpp"

/// \file
/// Options of `synelix counts`.

namespace synelix::tool {

/// What was read for `counts`.
struct CountsFields {
  ConvolveFields recording;
  std::optional<CountsType> type;
};
void add_counts_options(CLI::App& app, CountsFields& fields);
CountsRequest counts_request_from(CountsFields fields);

/// A line that counts the spikes of a session.
extern const char* const counts_example;

}  // namespace synelix::tool
