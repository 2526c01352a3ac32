// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/hdf5/h5_handles.hpp"
#include "files/part/output_file.hpp"
#include "files/source/source_file.hpp"

#include <synelix/expression.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// \file
/// Small datasets that are written and read completely: numbers, texts, records of columns.

namespace synelix::h5 {

/// Writes numbers with these extents. Writes nothing if there are none.
void write_numbers(const OutputFile& file, const std::string& path,
                   const std::vector<std::int64_t>& extents, const std::vector<double>& values);
void write_integers(const OutputFile& file, const std::string& path,
                    const std::vector<std::int64_t>& extents,
                    const std::vector<std::int64_t>& values);
/// Writes texts. Writes nothing if there are none.
void write_texts(const OutputFile& file, const std::string& path,
                 const std::vector<std::string>& texts, const std::vector<std::int64_t>& extents);
/// Writes a dataset of records (term, channel, basis), one for each column.
void write_columns(const OutputFile& file, const std::string& path, const std::vector<Term>& terms);

/// Reads a dataset of the functions above; empty if there is no such dataset.
/// \throws Error if it is of another kind, or has other extents than `extents`; an extent of -1 may
///         be any
std::vector<double> read_numbers(const SourceFile& file, const std::string& path,
                                 const std::vector<std::int64_t>& extents);
std::vector<std::int64_t> read_integers(const SourceFile& file, const std::string& path,
                                        const std::vector<std::int64_t>& extents);
std::vector<std::string> read_texts(const SourceFile& file, const std::string& path);
/// Reads a table of `write_terms`. It does not contain the inputs of terms.
std::vector<Term> read_terms(const SourceFile& file, const std::string& path);

}  // namespace synelix::h5
