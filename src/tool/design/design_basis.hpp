// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/design/toml_tree.hpp"

/// \file
/// A table [bases.NAME] of a design.

namespace synelix::tool {

DesignBasis basis_from(const Section& table, const std::string& name);

/// A file's name as seen from the current folder, where it stands in the design `design`.
std::string beside(const std::string& design, const std::string& file);

}  // namespace synelix::tool
