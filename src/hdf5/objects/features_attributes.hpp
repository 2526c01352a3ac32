// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_handles.hpp"
#include "hdf5/objects/output_file.hpp"

#include <synelix/expression.hpp>
#include <synelix/types/hdf5.hpp>

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// Metadata of features in a file: attributes of their dataset, the terms of a design, the meaning
/// of times, and the build of this library that wrote an object.
///
/// A dataset of times has the attribute `position`: "start of the bin", with `bin_seconds` and, in
/// `centers`, the path of the dataset of centers; or "sample" if the width of a sample is not
/// known. The centers have the position "center of the bin".

namespace synelix::h5 {

/// Writes everything except the names of the datasets beside it.
void write_description(hid_t dataset, const FeaturesDescription& from,
                       const std::string& fingerprint, const Hdf5OutputOptions& options);

/// A text type of `bytes` bytes, padded with zeros.
Type text_type(std::size_t bytes, const std::string& failing);

/// A type of records: a text, then numbers of 64 bits with these names.
Type record_type(const char* name, const Type& text, std::span<const char* const> numbers,
                 hid_t number_type, const std::string& failing);

/// A record: a text and its numbers, of which a table may have fewer.
struct NamedNumbers {
  std::string_view name;
  std::array<std::int64_t, 4> numbers = {};
};

/// Writes a dataset of records; texts take as many bytes as the longest.
void write_records(const OutputFile& file, const std::string& path, const char* name,
                   std::span<const char* const> numbers, const std::vector<NamedNumbers>& records);

/// The numbers of a term in its record.
inline constexpr std::array<const char*, 4> numbers_of_terms{"first_column", "columns", "channels",
                                                             "bases"};
/// Writes a dataset of records (name, first_column, columns, channels, bases), one for each term.
void write_terms(const OutputFile& file, const std::string& path, const std::vector<Term>& terms);

inline constexpr const char* at_sample = "sample";
inline constexpr const char* at_bin_start = "start of the bin";
inline constexpr const char* at_bin_center = "center of the bin";

/// The name of the dataset of centers for times with this name.
std::string centers_beside(const std::string& time_path);

/// Writes the attribute with the meaning of times.
void write_position(hid_t times, const char* position);

/// Writes the attribute that times are starts of bins, and creates the dataset of their centers.
Dataset create_centers(const OutputFile& file, const Dataset& times, const std::string& time_path,
                       std::int64_t rows, double bin_seconds);

/// Writes synelix_version, synelix_revision and synelix_build. Readers of the values ignore them: a
/// run may resume a file that another revision began.
void write_origin(hid_t object);
/// The same, and the fingerprint, the history and the attributes of an output.
void write_origin(hid_t object, const Hdf5OutputOptions& options,
                  const std::string& fingerprint = {});

}  // namespace synelix::h5
