// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/glm.hpp>
#include <synelix/types/glm_score.hpp>

/// \file
/// Functions of a fitted model and data: `predict`, the means of all rows; `score`, how well they
/// agree with observations; `simulate`, targets that are drawn from the model.
///
///     sx::predict(design, model, rates);
///     const sx::ScoreResult held_out = sx::score(test_design, {.targets = counts}, model);
///     held_out.all.pseudo_r2_mcfadden;
///     sx::simulate(design, model, 7, counts);
///
/// All walk over the rows in parts. They hold 4 MiB in addition to their arguments and the design,
/// or 512 rows of linear predictors if those take more. Arrays are in host memory: Views, or
/// `StridedOutput(rates.data(), {rows, targets})` of other memory.
