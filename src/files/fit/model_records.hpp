// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "files/part/output_file.hpp"

#include <synelix/types/fit_file.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// \file
/// A model as datasets and attributes, with the names that writers and readers share.

namespace synelix::h5 {

/// Writes an entire model into an otherwise empty file.
/// \throws Error if the sizes of the model do not agree with each other
void write_model(const OutputFile& file, const FitFile& model, const FitProvenance& provenance,
                 const FitOutputOptions& options);

/// The last character is the version of the format.
inline constexpr std::string_view format_name = "Synelix model 1";

/// Numbers of a model that may be missing.
struct Member {
  const char* name;
  std::vector<double> FitResult::* values;
};
inline constexpr std::array<Member, 8> of_targets{
    {{"mean_loss", &FitResult::mean_loss},
     {"objective", &FitResult::objective},
     {"optimality", &FitResult::optimality},
     {"standard_errors_away", &FitResult::standard_errors_away},
     {"rows_used", &FitResult::rows_used},
     {"residual_degrees_of_freedom", &FitResult::residual_degrees_of_freedom},
     {"scale", &FitResult::scale},
     {"dispersion", &FitResult::dispersion}}};
struct Counts {
  const char* name;
  std::vector<std::int64_t> FitResult::* values;
};
struct ScoreMember {
  const char* name;
  double Score::* value;
};
inline constexpr std::array<ScoreMember, 7> scores_of_targets{
    {{"weight", &Score::weight},
     {"log_likelihood", &Score::log_likelihood},
     {"null_log_likelihood", &Score::null_log_likelihood},
     {"deviance", &Score::deviance},
     {"null_deviance", &Score::null_deviance},
     {"pseudo_r2_mcfadden", &Score::pseudo_r2_mcfadden},
     {"pseudo_r2_cohen", &Score::pseudo_r2_cohen}}};
inline constexpr std::array<Counts, 2> counts_of_targets{
    {{"evaluations", &FitResult::evaluations}, {"hessians", &FitResult::hessians}}};

/// The name of the filters of a term, without slashes, since a slash would start a group.
std::string filter_name(const Term& term);

}  // namespace synelix::h5
