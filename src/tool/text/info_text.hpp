// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/text/report.hpp"

#include <string>

/// \file
/// The texts of `info`, made of the trees that `info --json` prints.

namespace synelix::tool {

/// This build on this machine. Facts that need a running Kokkos are left out if it cannot run.
std::string build_text(const Json& build);
/// A file. Attributes of datasets are texts.
std::string file_text(const Json& file);

}  // namespace synelix::tool
