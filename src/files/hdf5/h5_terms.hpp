// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/part/output_file.hpp"

#include <synelix/expression.hpp>

#include <string>
#include <vector>

/// \file
/// The table of a design's terms, beside its columns.

namespace synelix::h5 {

/// Writes a dataset of records (name, first_column, columns, channels, bases), one for each term.
void write_terms(const OutputFile& file, const std::string& path, const std::vector<Term>& terms);

}  // namespace synelix::h5
