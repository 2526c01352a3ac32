// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/options/option_groups.hpp"

#include <string>

/// \file
/// The options of `features`: on the command line and, under the same names, in [options] of a
/// design.

namespace synelix::tool {

/// What was read for `features`.
struct FeaturesFields {
  FeaturesRequest request;
  ExistingFields existing;
  std::optional<std::string> list;
};
void add_features_options(OptionRows& rows, FeaturesFields& fields);
FeaturesRequest features_request_from(const FeaturesFields& fields);

/// Takes the options of a design where the command line has none of that name.
void apply_options(const DesignFile& design, FeaturesRequest& request);

/// Whether an option is one of `features` alone, and of no other command that reads a design.
bool is_of_features_alone(const std::string& name);

}  // namespace synelix::tool
