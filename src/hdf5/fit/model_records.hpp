// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "hdf5/objects/h5_handles.hpp"
#include "hdf5/objects/output_file.hpp"
#include "hdf5/source/source_file.hpp"

#include <synelix/expression.hpp>
#include <synelix/types/fit_file.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// A model as datasets and attributes, with the names that writers and readers share; and its
/// datasets, which are small, and written and read completely: numbers, texts, records of columns.

namespace synelix::h5 {

/// Throws an error for a file that is no model.
[[noreturn]] void refuse_model(const std::string& where, const std::string& problem);

/// Writes numbers, as doubles or integers, with these extents. Writes nothing if there are none.
template <class Value>
void write_values(const OutputFile& file, const std::string& path,
                  const std::vector<std::int64_t>& extents, const std::vector<Value>& values);
/// Writes texts. Writes nothing if there are none.
void write_texts(const OutputFile& file, const std::string& path,
                 const std::vector<std::string>& texts, const std::vector<std::int64_t>& extents);
/// Writes a dataset of records (term, channel, basis), one for each column.
void write_columns(const OutputFile& file, const std::string& path, const std::vector<Term>& terms);

/// Reads a dataset of the functions above; empty if there is no such dataset.
/// \throws Error if it is of another kind, or has other extents than `extents`; an extent of -1 may
///         be any
template <class Value>
std::vector<Value> read_values(const SourceFile& file, const std::string& path,
                               const std::vector<std::int64_t>& extents);
std::vector<std::string> read_texts(const SourceFile& file, const std::string& path);
/// Reads a table of `write_terms`. It does not contain the inputs of terms.
std::vector<Term> read_terms(const SourceFile& file, const std::string& path);

/// Writes an entire model into an otherwise empty file.
/// \throws Error if the sizes of the model do not agree with each other
void write_model(const OutputFile& file, const FitFile& model, const FitProvenance& provenance,
                 const FitOutputOptions& options);

/// The last character is the version of the format.
inline constexpr std::string_view format_name = "Synelix model 1";

/// A member with its name in files.
template <class Record, class Value>
struct Member {
  const char* name;
  Value Record::* value;
};

/// Numbers of a model that may be missing, one for each target.
inline constexpr std::array<Member<FitResult, std::vector<double>>, 8> of_targets{
    {{"mean_loss", &FitResult::mean_loss},
     {"objective", &FitResult::objective},
     {"optimality", &FitResult::optimality},
     {"standard_errors_away", &FitResult::standard_errors_away},
     {"rows_used", &FitResult::rows_used},
     {"residual_degrees_of_freedom", &FitResult::residual_degrees_of_freedom},
     {"scale", &FitResult::scale},
     {"dispersion", &FitResult::dispersion}}};
inline constexpr std::array<Member<FitResult, std::vector<std::int64_t>>, 2> counts_of_targets{
    {{"evaluations", &FitResult::evaluations}, {"hessians", &FitResult::hessians}}};
inline constexpr std::array<Member<Score, double>, 7> scores_of_targets{
    {{"weight", &Score::weight},
     {"log_likelihood", &Score::log_likelihood},
     {"null_log_likelihood", &Score::null_log_likelihood},
     {"deviance", &Score::deviance},
     {"null_deviance", &Score::null_deviance},
     {"pseudo_r2_mcfadden", &Score::pseudo_r2_mcfadden},
     {"pseudo_r2_cohen", &Score::pseudo_r2_cohen}}};

/// Extents of values for each target, and for each class if there are several.
inline std::vector<std::int64_t> with_targets(std::vector<std::int64_t> before,
                                              const FitResult& result) {
  before.push_back(result.targets);
  if (result.classes > 1) before.push_back(result.classes);
  return before;
}

/// The name of the filters of a term, without slashes, since a slash would start a group.
std::string filter_name(const Term& term);

}  // namespace synelix::h5
