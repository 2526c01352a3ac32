// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <synelix/glm.hpp>
#include <synelix/types/glm_score.hpp>

/// \file
/// What a fitted model says about data: `predict`, the means of all rows; `score`, how well they
/// agree with observations; `simulate`, targets that are drawn from the model.
///
///     sx::predict(design, model, rates);
///     const sx::ScoreResult held_out = sx::score(test_design, {.targets = counts}, model);
///     held_out.all.pseudo_r2_mcfadden;
///     sx::simulate(design, model, 7, counts);
///
/// All walk over the rows in parts, and hold 4 MiB beside their arguments and what the design
/// holds, or 512 rows of linear predictors where those are more. Arrays lie in host memory: Views,
/// or `StridedOutput(rates.data(), {rows, targets})` of other memory.
