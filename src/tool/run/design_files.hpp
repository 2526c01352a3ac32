// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_inputs.hpp"
#include "tool/design/design_report.hpp"
#include "tool/options/request.hpp"

#include <synelix/types/stream.hpp>

#include <string>
#include <vector>

/// \file
/// The files of a design, and the reports on its inputs and terms, for all commands that read a
/// design.

namespace synelix::tool {

/// Throws if a file that is read would be replaced.
void require_other_files(const DesignFile& design, const DesignRequest& request,
                         const DatasetPath& output);

/// Files that a run depends on, other than arrays.
std::vector<InputFile> files_held(const DesignFile& design, const DesignRequest& request);

/// The beginning of a report on a design with this layout of terms: its parts.
Json outline_of(const std::string& name, const DesignFile& design, const DesignInputs& inputs,
                const DesignExpression& from, const std::vector<Term>& terms);

}  // namespace synelix::tool
