// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/source/source_file.hpp"

#include <string>

/// \file
/// Where the values of a dataset lie, if not in its own file: raw data in other files, and the
/// sources of a virtual dataset. HDF5 reads what is missing of them as fill values, without a word.

namespace synelix::h5 {

/// Looks at all files and datasets behind an open dataset, and at theirs.
/// \param name  of the dataset, for messages
/// \throws Error where a source is missing or too small, is its own source, is not admitted (see
///         FilesBehind), or values have neither a source nor a fill value of the author's
void require_sources(const SourceFile& file, const ObjectPath& place, const Dataset& dataset,
                     const std::string& name);

/// The name of a source with blocks: "%b" is the number of the block, "%%" a percent sign.
std::string name_of_block(const std::string& name, hsize_t block);
/// Whether a name has a "%b".
bool has_blocks(const std::string& name);

}  // namespace synelix::h5
