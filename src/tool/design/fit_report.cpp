// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/design/fit_report.hpp"

#include "tool/options/values.hpp"
#include "tool/text/json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace synelix::tool {
namespace {

/// The most targets in a list on a terminal.
constexpr std::size_t most_lines = 12;

std::string model_text(const FitPlanReport& plan) {
  std::string text = plan.family + " with " + plan.inverse_link + ", penalty " + plan.penalty;
  if (plan.strengths > 0) text += ", " + format_count(plan.strengths) + " strengths";
  if (plan.folds > 0) text += ", " + format_count(plan.folds) + " folds";
  return text;
}

Json fit_plan_json(const FitPlanReport& plan) {
  Json json = parse_json(json_of(plan.outline));
  json["target"] = plan.target;
  json["rows"] = plan.rows;
  json["columns"] = plan.columns;
  json["targets"] = plan.targets;
  json["model"] = {{"family", plan.family},       {"inverse_link", plan.inverse_link},
                   {"penalty", plan.penalty},     {"strengths", plan.strengths},
                   {"folds", plan.folds},         {"solver", plan.solver},
                   {"solver_reason", plan.reason}};
  json["row_source"] = plan.row_source;
  json["instruction_set"] = plan.instruction_set;
  json["memory"] = {{"held_bytes", plan.held_bytes},
                    {"buffer_bytes", plan.buffer_bytes},
                    {"feature_bytes", plan.feature_bytes}};
  // The prediction is for one model, so it is not valid for a path.
  if (plan.strengths == 0 && plan.folds == 0) {
    json["predicted"] = {{"seconds", plan.predicted_seconds}};
  }
  if (!plan.output.empty()) json["output"] = plan.output;
  if (!plan.output_note.empty()) json["output_note"] = plan.output_note;
  return json;
}

/// A number; null if there is none.
Json number_or_null(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json score_json(const ScoreReport& score) {
  Json json;
  if (score.id) json["target"] = *score.id;
  json["rows"] = score.rows;
  json["log_likelihood"] = number_or_null(score.log_likelihood);
  json["null_log_likelihood"] = number_or_null(score.null_log_likelihood);
  json["deviance"] = number_or_null(score.deviance);
  json["null_deviance"] = number_or_null(score.null_deviance);
  json["pseudo_r2_mcfadden"] = number_or_null(score.pseudo_r2_mcfadden);
  json["pseudo_r2_cohen"] = number_or_null(score.pseudo_r2_cohen);
  if (score.time_rescaling) {
    json["time_rescaling"] = {{"intervals", score.time_rescaling->intervals},
                              {"statistic", number_or_null(score.time_rescaling->statistic)},
                              {"bound", number_or_null(score.time_rescaling->bound)}};
  }
  return json;
}

}  // namespace

std::string short_number(double number) {
  char text[32] = {};
  std::snprintf(text, sizeof(text), "%.4g", number);
  return text;
}

std::int64_t FitRunReport::not_converged() const {
  return std::count_if(targets.begin(), targets.end(),
                       [](const TargetReport& target) { return target.stopped != "converged"; });
}

std::string text_of(const FitPlanReport& plan) {
  std::string text = text_of(plan.outline);
  text += report_line(
      "target", plan.target + ", " + format_count(plan.rows) + " x " + format_count(plan.targets));
  text += report_line("model", model_text(plan));
  text += report_line("solver", plan.solver + (plan.reason.empty() ? "" : ": " + plan.reason));
  text += report_line("features", plan.row_source + ", " + format_count(plan.columns) +
                                      " columns (" + plan.instruction_set + ")");
  text += report_line("memory", "spike trains and targets " + format_byte_count(plan.held_bytes) +
                                    ", buffers " + format_byte_count(plan.buffer_bytes));
  if (!plan.output.empty()) {
    text += report_line(
        "model to", plan.output + (plan.output_note.empty() ? "" : " (" + plan.output_note + ")"));
  }
  return text;
}

std::string text_of(const FitRunReport& run) {
  if (run.was_finished) return "the model is finished already: nothing to do\n";
  std::string text;
  for (std::size_t i = 0; i < std::min(run.targets.size(), most_lines); ++i) {
    const TargetReport& target = run.targets[i];
    std::string line = target.stopped + " after " + format_count(target.evaluations) +
                       " evaluations, mean loss " + short_number(target.mean_loss) +
                       ", optimality " + short_number(target.optimality);
    if (target.strength) line += ", strength " + short_number(*target.strength);
    text += report_line("target", std::to_string(target.id) + ": " + line);
  }
  if (run.targets.size() > most_lines) {
    text += report_line(
        "", format_count(static_cast<std::int64_t>(run.targets.size() - most_lines)) + " more");
  }
  const std::int64_t missed = run.not_converged();
  text += report_line(
      "done", format_count(run.passes) + " passes in " + format_seconds(run.seconds) + ", peak " +
                  format_byte_count(run.peak_bytes - run.program_bytes) + " beyond the program" +
                  (missed > 0 ? "; " + format_count(missed) + " not converged" : ""));
  return text;
}

std::string json_of(const FitPlanReport& plan) { return indented(fit_plan_json(plan)); }

std::string json_of(const FitPlanReport& plan, const FitRunReport& run) {
  Json json = fit_plan_json(plan);
  Json targets = Json::array();
  for (const TargetReport& target : run.targets) {
    Json entry = {{"id", target.id},
                  {"stopped", target.stopped},
                  {"evaluations", target.evaluations},
                  {"mean_loss", number_or_null(target.mean_loss)},
                  {"optimality", number_or_null(target.optimality)}};
    if (target.standard_errors_away) {
      entry["standard_errors_away"] = number_or_null(*target.standard_errors_away);
    }
    if (target.strength) entry["strength"] = *target.strength;
    targets.push_back(std::move(entry));
  }
  json["run"] = {{"seconds", run.seconds},
                 {"passes", run.passes},
                 {"targets", std::move(targets)},
                 {"not_converged", run.not_converged()},
                 {"path_not_optimal", run.path_not_optimal},
                 {"warnings", run.warnings},
                 {"resumed_answers", run.resumed_answers},
                 {"was_finished", run.was_finished},
                 {"peak_bytes", run.peak_bytes},
                 {"program_bytes", run.program_bytes}};
  return indented(json);
}

std::string text_of(const PredictionReport& prediction) {
  return report_line(
      "means",
      format_count(prediction.rows) + " x " + format_count(prediction.targets) +
          (prediction.classes > 1 ? " x " + format_count(prediction.classes) + " classes" : "") +
          " to " + prediction.output + " in " + format_seconds(prediction.seconds));
}

std::string json_of(const PredictionReport& prediction) {
  return indented({{"output", prediction.output},
                   {"rows", prediction.rows},
                   {"targets", prediction.targets},
                   {"classes", prediction.classes},
                   {"seconds", prediction.seconds}});
}

std::string text_of(const std::vector<ScoreReport>& scores) {
  std::string text;
  for (std::size_t i = 0; i < std::min(scores.size(), most_lines + 1); ++i) {
    const ScoreReport& score = scores[i];
    std::string line = score.id ? std::to_string(*score.id) + ": pseudo-R2 " : "pseudo-R2 ";
    const bool has_likelihood = !std::isnan(score.log_likelihood);
    if (has_likelihood) line += short_number(score.pseudo_r2_mcfadden) + " (McFadden), ";
    line += short_number(score.pseudo_r2_cohen) + " (Cohen), ";
    if (has_likelihood) line += "log-likelihood " + short_number(score.log_likelihood) + " a row, ";
    line += "deviance " + short_number(score.deviance) + " a row, " +
            format_count(static_cast<std::int64_t>(score.rows)) + " rows";
    if (score.time_rescaling) {
      const TimeRescaling& rescaled = *score.time_rescaling;
      line += ", time rescaling " + short_number(rescaled.statistic) + " (" +
              (rescaled.statistic <= rescaled.bound ? "within " : "beyond ") +
              short_number(rescaled.bound) + ")";
    }
    text += report_line(score.id ? "target" : "all", line);
  }
  if (scores.size() > most_lines + 1) {
    text += report_line(
        "", format_count(static_cast<std::int64_t>(scores.size() - most_lines - 1)) + " more");
  }
  return text;
}

std::string json_of(const std::vector<ScoreReport>& scores) {
  Json targets = Json::array();
  for (const ScoreReport& score : scores) {
    if (score.id) targets.push_back(score_json(score));
  }
  return indented({{"all", score_json(scores.front())}, {"targets", std::move(targets)}});
}

}  // namespace synelix::tool
