// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_report.hpp"

#include <synelix/types/glm_score.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// \file
/// The reports of `fit` and `score`: plain values, and their two output formats.

namespace synelix::tool {

/// The result for one target.
struct TargetReport {
  std::int64_t id = 0;
  std::string stopped;
  std::int64_t evaluations = 0;
  double mean_loss = 0;
  double optimality = 0;
  std::optional<double> standard_errors_away;  ///< absent: the penalty is not smooth
  std::optional<double> strength;              ///< the chosen strength of a path
};

/// The planned fit.
struct FitPlanReport {
  DesignOutline outline;  ///< its inputs include the target
  std::string target;     ///< its source
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t targets = 0;
  std::string family;
  std::string inverse_link;
  std::string penalty;
  std::int64_t strengths = 0;  ///< of a path; 0: none
  std::int64_t folds = 0;      ///< 0: none
  std::string solver;
  std::string reason;      ///< the reason for this solver
  std::string row_source;  ///< "kept", "computed", "events", "streamed"
  std::string instruction_set;
  std::int64_t feature_bytes = 0;
  std::int64_t buffer_bytes = 0;
  std::int64_t held_bytes = 0;  ///< by spike trains and targets
  double predicted_seconds = 0;
  std::string output;       ///< empty: none given
  std::string output_note;  ///< the reason why it cannot be written
};

/// The result of a fit.
struct FitRunReport {
  std::vector<TargetReport> targets;
  std::vector<std::string> warnings;
  std::int64_t path_not_optimal = 0;  ///< models of the path and its folds
  std::int64_t passes = 0;
  double seconds = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t program_bytes = 0;
  std::int64_t resumed_answers = 0;  ///< answers of an earlier run
  bool was_finished = false;         ///< there was nothing to do

  [[nodiscard]] std::int64_t not_converged() const;
};

/// The agreement of a model with one target, or with all of them. NaN: an unknown number.
struct ScoreReport {
  std::optional<std::int64_t> id;  ///< absent: all targets
  double rows = 0;
  double log_likelihood = 0;
  double null_log_likelihood = 0;
  double deviance = 0;
  double null_deviance = 0;
  double pseudo_r2_mcfadden = 0;
  double pseudo_r2_cohen = 0;
  std::optional<TimeRescaling> time_rescaling = {};  ///< absent: not requested
};

/// The result of a prediction.
struct PredictionReport {
  std::string output;
  std::int64_t rows = 0;
  std::int64_t targets = 0;
  std::int64_t classes = 1;
  double seconds = 0;
};

std::string text_of(const PredictionReport& prediction);
std::string json_of(const PredictionReport& prediction);
/// Four digits.
std::string short_number(double number);

std::string text_of(const FitPlanReport& plan);
std::string text_of(const FitRunReport& run);
std::string json_of(const FitPlanReport& plan);
std::string json_of(const FitPlanReport& plan, const FitRunReport& run);
/// All targets together come first.
std::string text_of(const std::vector<ScoreReport>& scores);
std::string json_of(const std::vector<ScoreReport>& scores);

}  // namespace synelix::tool
