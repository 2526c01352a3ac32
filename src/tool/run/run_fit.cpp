// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/commands.hpp"
#include "tool/design/design_inputs.hpp"
#include "tool/design/design_report.hpp"
#include "tool/options/option_groups.hpp"
#include "tool/options/request.hpp"
#include "tool/options/values.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/fit_model.hpp"
#include "tool/run/fitted_design.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/machine.hpp"
#include "tool/run/output.hpp"
#include "tool/text/progress.hpp"

#include <synelix/types/fit_file.hpp>
#include <synelix/types/glm.hpp>
#include <synelix/types/glm_score.hpp>
#include <synelix/types/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// Shows the progress of a fit, and stores it.
class FitDisplay {
 public:
  /// \param targets  of the model that is written
  FitDisplay(const Messages& messages, double tolerance, std::int64_t targets);

  void show(const FitProgress& progress);

  /// Passes over the rows, of the path or of the following model.
  [[nodiscard]] std::int64_t passes() const { return m_passes; }
  /// "2 of 3 targets were done"
  [[nodiscard]] std::string text() const;

 private:
  ProgressDisplay m_display;
  FitEstimate m_estimate;
  std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
  FitProgress m_last;
  std::int64_t m_targets;
  std::int64_t m_passes = 0;
};

std::string number_text_or_null(double number) {
  return std::isfinite(number) ? format_number(number) : "null";
}

FitDisplay::FitDisplay(const Messages& messages, double tolerance, std::int64_t targets)
    : m_display(messages.quiet ? ProgressStyle::none : messages.progress, "fit"),
      m_estimate(tolerance, targets),
      m_targets(targets) {
  m_last.targets = targets;
}

void FitDisplay::show(const FitProgress& progress) {
  m_last = progress;
  m_passes = std::max(m_passes, progress.passes);  // the final model counts its own passes
  Advance advance;
  advance.is_estimate = true;
  advance.fraction =
      m_estimate.fraction({progress.targets_done, progress.targets, progress.worst_optimality});
  // A path and the following model each count their own seconds.
  advance.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
  const std::string done = std::to_string(progress.targets_done);
  const std::string all = std::to_string(progress.targets);
  const std::string passes = std::to_string(progress.passes);
  advance.parts = done + " of " + all + " done, pass " + passes;
  const std::optional<double> left = advance.seconds_left();
  advance.json = "\"targets_done\": " + done + ", \"targets\": " + all + ", \"passes\": " + passes +
                 ", \"worst_optimality\": " + number_text_or_null(progress.worst_optimality) +
                 ", \"estimated_seconds_left\": " +
                 (left ? format_number(std::ceil(*left * 1000) / 1000) : "null");
  m_display.show(advance);
}

std::string FitDisplay::text() const {
  const char* const of = m_last.targets == m_targets ? " targets" : " models";
  return format_count(m_last.targets_done) + " of " + format_count(m_last.targets) + of +
         " were done";
}

/// Everything that is known before the fit.
struct Prepared {
  const FitRequest& request;
  FittedDesign& design;
  const DesignMatrix& matrix;
  const Observations& observations;
  const FitOptions& options;
  const FitChoice choice;
  std::vector<std::int64_t> target_ids;
  std::vector<InputFile> files;
};

/// Tests request all answers, because the duration of a pass, and so the answers worth keeping,
/// depend on the machine.
AnswersKept kept_answers() {
  const char* const text = std::getenv("SYNELIX_KEEP_ANSWERS");
  if (text == nullptr) return AnswersKept::cheap;
  if (std::string_view(text) == "all") return AnswersKept::all;
  throw Error("SYNELIX_KEEP_ANSWERS", "'" + std::string(text) + "' is not a choice",
              "Set it to all, or leave it unset");
}

Json plan_tree(const Prepared& prepared) {
  const FitChoice& choice = prepared.choice;
  const FitRequest& request = prepared.request;
  const FitSettings& fit = request.fit;
  const FittedDesign& design = prepared.design;
  const DesignMatrixChoice& rows = prepared.matrix.choice();
  const Loss loss = resolved(fit.loss);
  Json tree = outline_of(request.design, design.file(), design.inputs(), design.terms(),
                         prepared.matrix.terms());
  tree["target"] = request.target ? request.target->text() : std::string();
  tree["rows"] = prepared.matrix.rows();
  tree["columns"] = prepared.matrix.columns();
  tree["targets"] = prepared.target_ids.size();
  tree["model"] = {{"family", name_of(loss.family)},
                   {"inverse_link", name_of(loss.inverse_link)},
                   {"penalty", fit.penalty.text()},
                   {"strengths", fit.strengths},
                   {"folds", fit.folds},
                   {"solver", name_of(choice.solver)},
                   {"solver_reason", choice.reason}};
  tree["row_source"] = name_of(rows.source);
  tree["instruction_set"] = name_of(rows.instruction_set);
  tree["memory"] = {{"held_bytes", design.held_bytes()},
                    {"buffer_bytes", rows.buffer_bytes},
                    {"feature_bytes", rows.feature_bytes}};
  // The prediction is for one model, so it is not valid for a path.
  if (fit.strengths == 0 && fit.folds == 0) tree["predicted"] = {{"seconds", choice.seconds}};
  if (!request.output.empty()) tree["output"] = request.output;
  return tree;
}

/// A number of a target; NaN if the model has none.
double number_of(const std::vector<double>& values, std::size_t target) {
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : values[target];
}

/// The result of a fit. Numbers that are not known are NaN.
Json run_tree(const FitFile& model) {
  const FitResult& result = model.result;
  const std::vector<std::int64_t>& ids = model.target_ids;
  Json targets = Json::array();
  std::int64_t not_converged = 0;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const bool is_known = i < result.stop.size();
    not_converged += !is_known || result.stop[i] != Stop::converged;
    Json& target = targets.emplace_back(
        Json{{"id", ids[i]},
             {"stopped", is_known ? name_of(result.stop[i]) : "unknown"},
             {"evaluations", result.evaluations.empty() ? 0 : result.evaluations[i]},
             {"mean_loss", number_of(result.mean_loss, i)},
             {"optimality", number_of(result.optimality, i)}});
    const double away = number_of(result.standard_errors_away, i);
    if (!std::isnan(away)) target["standard_errors_away"] = away;
    if (model.path) {
      const auto row = static_cast<std::size_t>(model.path->chosen[i]);
      target["strength"] = model.path->path.strengths[row * ids.size() + i];
    }
  }
  std::vector<std::string> warnings = result.warnings;
  for (const std::string& text :
       model.path ? model.path->path.warnings : std::vector<std::string>()) {
    const bool is_new = std::find(warnings.begin(), warnings.end(), text) == warnings.end();
    if (is_new) warnings.push_back(text);
  }
  return {{"seconds", 0.0},
          {"passes", 0},
          {"targets", std::move(targets)},
          {"not_converged", not_converged},
          {"path_not_optimal", model.path ? model.path->path.not_optimal : 0},
          {"warnings", warnings},
          {"resumed_answers", 0},
          {"was_finished", false}};
}

/// A note on the rest of a fit that was stopped.
std::string note_of_part_file(const std::string& output) {
  const std::optional<std::string> part = unfinished_output(output);
  if (!part) return "nothing was left behind";
  return *part + " is kept, and the same command with --resume goes on with it";
}

/// Throws if the objective of a model is not finite, so that such a model is not written.
void require_finite_objectives(const FitFile& model) {
  const FitResult& result = model.result;
  std::string names;
  std::int64_t count = 0;
  for (std::size_t i = 0; i < result.objective.size(); ++i) {
    if (std::isfinite(result.objective[i])) continue;
    constexpr std::int64_t most_named = 8;
    if (++count <= most_named) {
      names += (names.empty() ? "" : ", ") + std::to_string(model.target_ids[i]);
    }
  }
  if (count == 0) return;
  throw Error("fit",
              "the objective of " + format_count(count) + " of " +
                  format_count(static_cast<std::int64_t>(result.objective.size())) +
                  " targets is not finite, the first of them " + names,
              "Leave these targets out, scale inputs down, or use another --link");
}

/// Reports the targets that did not converge. The model is written in any case, so this is an error
/// only with --strict. The same holds for models of the path or its folds: the library warns of
/// them. Other warnings are the library's, too.
void note_not_converged(const Json& run, const FitRequest& request) {
  const auto not_optimal = run["path_not_optimal"].get<std::int64_t>();
  if (not_optimal > 0 && request.strict) {
    throw Error("--strict: " + format_count(not_optimal) +
                " models of the path did not reach the optimum; the dataset /path/stopped of " +
                request.output + " names those of all rows" +
                ". Raise --evaluations, or leave --strict out.");
  }
  if (run["not_converged"] == 0) return;
  const std::string found =
      sentence_of(
          "{not_converged} of {targets/count} targets did not converge; the dataset /stopped of ",
          run) +
      request.output + " says why";
  if (request.strict) {
    throw Error("--strict: " + found +
                ". Raise --evaluations, add a penalty, or leave --strict out.");
  }
  warn(found + ". --strict makes this an error");
}

/// Fits and scores. \throws Cancelled with the progress if a signal interrupted it
FitFile fit_shown(Prepared& prepared, FitOptions options, FitOutput& output, RunMemory& memory,
                  std::int64_t& passes) {
  FitDisplay display(prepared.request.messages, prepared.request.fit.tolerance,
                     static_cast<std::int64_t>(prepared.target_ids.size()));
  options.cancel = &stop_requested();
  options.answers = &output;
  options.progress = [&](const FitProgress& progress) {
    memory.look();
    display.show(progress);
  };
  // At any time of the signal, the answers are kept, and a resumed run continues from them.
  const auto stopped = [&] { return Cancelled("the fit is not done: " + display.text()); };
  try {
    FitFile model = fitted(prepared.matrix, prepared.observations, prepared.request.fit, options);
    if (stop_requested()) throw stopped();
    model.scores = score(prepared.matrix, prepared.observations, model.result).targets;
    if (stop_requested()) throw stopped();
    passes = display.passes();
    return model;
  } catch (const Cancelled&) {  // from a pass over files
    throw stopped();
  }
}

void finish(Prepared& prepared, Json& report, const std::string& command_line, RunMemory& memory) {
  const FitRequest& request = prepared.request;
  const Existing existing =
      request.existing == Existing::replace ? Existing::replace : Existing::refuse;
  FitOutput output(request.output, {.existing = existing,
                                    .start = request.resume ? Start::resume : Start::anew,
                                    .history = command_line,
                                    .fingerprint = fingerprint_of(
                                        request, prepared.design, prepared.matrix, prepared.choice,
                                        prepared.target_ids, prepared.files),
                                    .answers = kept_answers()});
  Json& run = report["run"];
  if (output.was_finished()) {
    const FitFile model = read_fit(request.output);
    require_finite_objectives(model);
    run = run_tree(model);
    run["was_finished"] = true;
  } else {
    note_part(part_of(request.output), Rest::resumes);
    const std::int64_t resumed = output.resumed_answers();
    std::int64_t passes = 0;
    FitFile model = fit_shown(prepared, prepared.options, output, memory, passes);
    model.terms = prepared.matrix.terms();
    model.components = component_texts(prepared.design.components());
    model.target_ids = prepared.target_ids;
    model.inputs = prepared.design.channels();
    require_finite_objectives(model);
    model.rate_hz = prepared.design.inputs().series().rate_hz;
    model.penalty = request.fit.penalty.text();
    run = run_tree(model);
    run["passes"] = passes;
    run["resumed_answers"] = resumed;
    output.write(model, {.components = prepared.design.components(),
                         .design = prepared.design.file().text,
                         .files = prepared.files});
  }
  run["seconds"] = memory.seconds();
  run["peak_bytes"] = memory.peak();
  run["program_bytes"] = memory.before();
  run["used_bytes"] = memory.used();
  if (request.messages.json) std::cout << indented(report);
  if (!request.messages.quiet) {
    std::cerr << (run["was_finished"] == true ? "the model is finished already: nothing to do\n"
                                              : lines_of(fit_run_lines, run));
  }
  note_not_converged(run, request);
}

/// Throws Error if a file already exists. A model has its own file, so there is no --append.
void require_free_name(const FitRequest& request) {
  std::error_code status;
  const bool is_there = std::filesystem::exists(request.output, status);
  if (request.dry_run || request.resume || !is_there) return;
  if (request.existing == Existing::replace) return;
  throw Error("output " + request.output, "this is an existing file",
              "Give a new name, or -O to replace the file");
}

std::vector<std::int64_t> ids_of_targets(const FittedDesign& design, std::int64_t targets) {
  std::vector<std::int64_t> ids = design.target_ids();
  for (std::int64_t i = 0; ids.empty() && i < targets; ++i) {
    ids.resize(static_cast<std::size_t>(targets));
    for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = static_cast<std::int64_t>(k);
  }
  return ids;
}

void fit_opened(const FitRequest& request, FittedDesign& design, const std::string& command_line,
                RunMemory& memory) {
  const Observations observations = design.observations();
  const DesignMatrix matrix = design.matrix();
  require_filter_names(matrix.terms());
  const std::int64_t targets = design.targets();
  const FitOptions options = fit_options(request.fit, matrix.terms(), targets);
  std::vector<InputFile> files = design.files();
  for (InputFile& held : files_held(design.file(), request)) files.push_back(std::move(held));
  if (request.fit.mask) {
    for (InputFile& held : held_files({{*request.fit.mask, "the mask", "--mask"}})) {
      files.push_back(std::move(held));
    }
  }
  Prepared prepared{.request = request,
                    .design = design,
                    .matrix = matrix,
                    .observations = observations,
                    .options = options,
                    .choice = chosen_fit(matrix, observations, request.fit, options),
                    .target_ids = ids_of_targets(design, targets),
                    .files = std::move(files)};
  Json report = plan_tree(prepared);
  require_free_name(request);
  const std::string note = standing_note({.path = {request.output, "/coefficients"},
                                          .chunk = {},
                                          .filter = {},
                                          .existing = request.existing,
                                          .resume = request.resume,
                                          .dry_run = request.dry_run},
                                         "fit");
  if (!note.empty()) report["output_note"] = note;
  print_plan(request.messages, request.dry_run, report, fit_plan_lines);
  if (request.dry_run) return;
  try {
    finish(prepared, report, command_line, memory);
  } catch (const Cancelled& stopped) {
    throw Cancelled(std::string(stopped.what()) + "; " + note_of_part_file(request.output));
  }
}

void fit_design(const FitRequest& request, const DesignFile& file, const std::string& command_line,
                RunMemory& memory) {
  FittedDesign design(file, request, request.target);
  design.within_budget([&] { fit_opened(request, design, command_line, memory); },
                       [&](const DesignMatrix& matrix, const Observations& observations) {
                         const FitOptions options =
                             fit_options(request.fit, matrix.terms(), design.targets());
                         chosen_fit(matrix, observations, request.fit, options);
                       });
}

}  // namespace

void run_fit(const FitRequest& request, const std::string& command_line) {
  RunMemory memory;
  const DesignFile design = read_design(request.design);
  FitRequest wanted = request;
  apply_options(design, wanted);
  DesignFile read = design;
  if (wanted.target) read.inputs.push_back(*wanted.target);  // apply_options requires one
  if (wanted.existing == Existing::replace) {
    const DatasetPath output{wanted.output, {}};
    require_other_files(read, wanted, output);
    if (wanted.fit.mask) require_other_file(output, wanted.fit.mask->file, "the mask");
  }
  fit_design(wanted, design, command_line, memory);
}

}  // namespace synelix::tool
