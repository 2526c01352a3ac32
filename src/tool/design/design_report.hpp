// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/text/stream_report.hpp"

#include <array>

/// \file
/// The sentences of the reports of commands that read a design.

namespace synelix::tool {

/// The most targets in a list on a terminal.
inline constexpr std::size_t most_targets = 12;

/// The parts of a design.
inline constexpr std::array outline_lines{
    ReportLine{"design", "{design}"},
    ReportLine{"input",
               "{name}: {path}, {samples} x {channels} {type}"
               "[{?read_for_range}, read once before for its range][; {spikes/spikes}]",
               "inputs"},
    ReportLine{"basis",
               "{name}: a window of {window} sample{window/s}[ ({window_seconds/seconds})]",
               "bases"},
    ReportLine{"term",
               "{name}: columns {first_column} to {end_column} ({channels} x {bases}) of {inputs}",
               "terms"},
};

/// The plan of `features`.
inline constexpr auto features_lines = together(
    outline_lines,
    std::array{
        ReportLine{"features", features_sentence, "features"},
        ReportLine{"blocks",
                   "{blocks} of {batch.rows} rows x {batch.bases} columns ({instruction_set})"},
        ReportLine{"memory",
                   "{memory.total_bytes/bytes} of a budget of {memory.budget_bytes/bytes}"
                   "[: <spike trains {memory.spike_trains_bytes/bytes}"
                   ";inputs {memory.input_bytes/bytes};features {memory.features_bytes/bytes}"
                   ";workspace {memory.workspace_bytes/bytes};reading {memory.reading_bytes/bytes}"
                   ";writing {memory.writing_bytes/bytes}>]"},
        ReportLine{"device", staging_sentence},
        ReportLine{"cost",
                   "{predicted.bytes/bytes} moved, {predicted.seconds/seconds} of computing "
                   "predicted"},
    });

/// The plan of `fit`.
inline constexpr auto fit_plan_lines =
    together(outline_lines,
             std::array{
                 ReportLine{"target", "{target}, {rows} x {targets}"},
                 ReportLine{"model",
                            "{model.family} with {model.inverse_link}, penalty {model.penalty}"
                            "[{?model.strengths}, {model.strengths} strengths]"
                            "[{?model.folds}, {model.folds} folds]"},
                 ReportLine{"solver", "{model.solver}[: {model.solver_reason}]"},
                 ReportLine{"features", "{row_source}, {columns} columns ({instruction_set})"},
                 ReportLine{"memory",
                            "spike trains and targets {memory.held_bytes/bytes}, buffers "
                            "{memory.buffer_bytes/bytes}"},
                 ReportLine{"model to", "[{output}[ ({output_note})]]"},
             });

/// A fit that has run.
inline constexpr std::array fit_run_lines{
    ReportLine{"target",
               "{id/plain}: {stopped} after {evaluations} evaluations, mean loss "
               "{mean_loss/%.4g}, optimality {optimality/%.4g}[, strength {strength/%.4g}]",
               "targets", most_targets},
    ReportLine{"done",
               "{passes} passes in {seconds/seconds}, peak {used_bytes/bytes} beyond the program"
               "[{?not_converged}; {not_converged} not converged]"},
};

/// The agreement of a model with one target, or with all of them.
inline constexpr std::string_view score_sentence =
    "[{target/plain}: ]pseudo-R2 [{&log_likelihood}{pseudo_r2_mcfadden/%.4g} (McFadden), ]"
    "{pseudo_r2_cohen/%.4g} (Cohen), "
    "[{&log_likelihood}log-likelihood {log_likelihood/%.4g} a row, ]"
    "deviance {deviance/%.4g} a row, {rows} rows"
    "[, time rescaling {time_rescaling.statistic/%.4g} "
    "([{?time_rescaling.is_within}within][{!time_rescaling.is_within}beyond] "
    "{time_rescaling.bound/%.4g})]";
inline constexpr std::array score_lines{
    ReportLine{"all", score_sentence, "all"},
    ReportLine{"target", score_sentence, "targets", most_targets},
};

inline constexpr std::array prediction_lines{
    ReportLine{"means",
               "{rows} x {targets}[{+classes} x {classes} classes] to {output} in "
               "{seconds/seconds}"},
};

}  // namespace synelix::tool
