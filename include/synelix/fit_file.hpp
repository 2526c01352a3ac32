// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/glm_path.hpp>
#include <synelix/hdf5.hpp>
#include <synelix/types/fit_file.hpp>

/// \file
/// Fitted models in HDF5 files, and the intermediate answers of an unfinished fit. Needs the target
/// Synelix::hdf5.
///
///     sx::FitOutput output("model.h5", {.start = sx::Start::resume, .fingerprint = inputs});
///     sx::FitOptions options{.penalty = sx::Ridge{1e-3}, .answers = &output};
///     const sx::FitResult model = sx::fit(design, {.targets = counts}, options);
///     output.write({.result = model, .terms = design.terms()});
///
/// A file holds, at its root:
///
/// | dataset                     | extents                        | what                         |
/// |-----------------------------|--------------------------------|------------------------------|
/// | coefficients                | columns, targets[, classes]    |                              |
/// | intercepts                  | targets[, classes]             |                              |
/// | standard_errors             | columns + 1, targets[, classes] | the intercept last          |
/// | columns                     | columns                        | records: term, channel, basis |
/// | terms                       | terms                          | records, as Hdf5Sink's       |
/// | target_ids                  | targets                        |                              |
/// | inputs/input, ../name, ../id | channels of all inputs        | see `InputChannels`          |
/// | stopped                     | targets                        | words: `name_of(Stop)`       |
/// | optimality, ...             | targets                        | as the members of FitResult  |
/// | scores/log_likelihood, ...  | targets                        | as the members of Score      |
/// | filters/TERM                | window, bases                  | taps of terms in conv mode   |
/// | path/..., folds/...         |                                | see `FitPathRecord`          |
/// | components, warnings        |                                | sentences                    |
///
/// Attributes of the root say how it was fitted: family, inverse_link, penalty, solver, choice,
/// rate_hz (rows a second), time_unit, design, files, fingerprint, synelix_version,
/// synelix_revision, synelix_build, history.
