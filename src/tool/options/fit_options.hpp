// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/design/design_file.hpp"
#include "tool/options/option_groups.hpp"
#include "tool/options/target_options.hpp"

#include <string>

/// \file
/// The options of `fit`, `predict` and `score`: on the command line and, with the same names, in
/// [options] and [fit] of a design.

namespace synelix::tool {

struct FitFields {
  FitRequest request;
  TargetFields target;
  ExistingFields existing;
};
void add_fit_options(OptionRows& rows, FitFields& fields);
FitRequest fit_request_from(const FitFields& fields);

struct PredictFields {
  PredictRequest request;
  ExistingFields existing;
};
void add_predict_options(OptionRows& rows, PredictFields& fields);
PredictRequest predict_request_from(const PredictFields& fields);

struct ScoreFields {
  ScoreRequest request;
  TargetFields target;
};
void add_score_options(OptionRows& rows, ScoreFields& fields);
ScoreRequest score_request_from(const ScoreFields& fields);

/// "none", "ridge:1e-3", "elastic-net:1e-3:0.9", "lasso" or "lasso:auto" for the strengths of a
/// path.
PenaltyWords parse_penalty(const std::string& text);

/// Applies the options of a design that are not on the command line, and checks all options against
/// each other. Throws Error with the place of the fault.
/// @{
void apply_options(const DesignFile& design, FitRequest& request);
void apply_options(const DesignFile& design, PredictRequest& request);
void apply_options(const DesignFile& design, ScoreRequest& request);
/// @}

}  // namespace synelix::tool
