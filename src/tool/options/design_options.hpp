// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/option_table.hpp"
#include "tool/options/request.hpp"

#include <span>

/// \file
/// The options of all commands that read a design, on the command line and in [options].

namespace synelix::tool {

/// The options in the order of the help.
std::span<const TableOption<DesignRequest>> design_options();

/// Applies an entry of [options], unless the command line has that option; false if it is not one
/// of these options. Names of files in a design are relative to its folder.
bool take_design_option(const DesignFile& design, const DesignOption& entry,
                        DesignRequest& request);

/// Joins --intervals and --where, and checks for contradictions. Called after all options of the
/// command line and the design.
void finish_design_options(DesignRequest& request);

}  // namespace synelix::tool
