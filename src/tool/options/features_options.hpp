// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/options/option_groups.hpp"

#include <string>

/// \file
/// The options of `features`: on the command line and, with the same names, in [options] of a
/// design.

namespace synelix::tool {

/// The values read for `features`.
struct FeaturesFields {
  FeaturesRequest request;
  ExistingFields existing;
  std::optional<std::string> list;
};
void add_features_options(OptionRows& rows, FeaturesFields& fields);
FeaturesRequest features_request_from(const FeaturesFields& fields);

/// Applies the options of a design that are not on the command line.
void apply_options(const DesignFile& design, FeaturesRequest& request);

/// Whether an option belongs only to `features`, and to no other command that reads a design.
bool is_of_features_alone(const std::string& name);

}  // namespace synelix::tool
