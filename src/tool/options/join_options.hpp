// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/option_groups.hpp"
#include "tool/options/request.hpp"

/// \file
/// Options of `synelix join`.

namespace synelix::tool {

/// What was read for `join`.
struct JoinFields {
  JoinRequest request;
  ExistingFields existing;
};
void add_join_options(CLI::App& app, JoinFields& fields);
JoinRequest join_request_from(const JoinFields& fields);

/// Lines that make the parts of an output, and join them.
extern const char* const join_example;

}  // namespace synelix::tool
