// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The commands that apply a model to another recording: predict and score.
#include "tool/commands.hpp"
#include "tool/design/design_inputs.hpp"
#include "tool/design/design_report.hpp"
#include "tool/options/option_groups.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/fitted_design.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"

#include <synelix/types/fit_file.hpp>
#include <synelix/types/glm_score.hpp>
#include <synelix/types/session.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace synelix::tool {
namespace {

/// Reports why the ids of channels or targets are not compared with those of the model.
void say_unchecked(const std::string& reason, bool is_strict) {
  const std::string found = reason + ", so their order is not compared with that of the model";
  if (is_strict) throw Error("--strict: " + found + ". Leave --strict out, if it is the same.");
  warn(found + ". --strict makes this an error");
}

/// Reads a model, and checks that the design has its columns, of the same channels.
FitFile model_for(const std::string& file, const FittedDesign& design, const DesignMatrix& matrix,
                  bool is_strict) {
  FitFile model = read_fit(file);
  require_same_design(model, matrix.terms(), component_texts(design.components()));
  const std::optional<double> rate = design.inputs().series().rate_hz;
  const bool is_one_rate = !rate || !model.rate_hz || std::abs(*rate / *model.rate_hz - 1) < 1e-3;
  if (!is_one_rate) {
    throw Error("design",
                "its samples have a rate of " + format_number(*rate) +
                    " Hz, but the model was fitted at " + format_number(*model.rate_hz) + " Hz",
                "Give recordings and bins of that rate");
  }
  std::vector<std::string> without;
  require_same_inputs(model, design.channels_beside(model, without));
  if (model.inputs.empty()) {
    say_unchecked(file + " is of an older version, and holds no ids of its inputs", is_strict);
  }
  for (const std::string& name : without)
    say_unchecked(name + " is an array without ids", is_strict);
  return model;
}

/// Checks that targets are those of the model: columns of an array have no ids.
void require_targets(const FitFile& model, const FittedDesign& design, bool is_strict) {
  if (design.targets() != model.result.targets) {
    throw Error("--target",
                "it has " + format_count(design.targets()) + " targets, but the model has " +
                    format_count(model.result.targets),
                "Give the targets of the model, in their order");
  }
  const std::vector<std::int64_t> ids = design.target_ids();
  if (!ids.empty()) return placed("--target", [&] { require_same_targets(model, ids); });
  std::int64_t number = 0;
  const bool is_numbered = std::all_of(model.target_ids.begin(), model.target_ids.end(),
                                       [&](std::int64_t id) { return id == number++; });
  if (!is_numbered) say_unchecked("the target is an array without ids", is_strict);
}

/// Attributes of a file of means. Without one continuous time, the dataset `time` has the times.
Hdf5OutputOptions means_options(const PredictRequest& request, const FitResult& result,
                                const SeriesDescription& series, const std::string& command_line) {
  Hdf5OutputOptions options = output_options(request.existing, command_line);
  options.attributes = {{"start_seconds", series.start_seconds},
                        {"model", request.model},
                        {"targets", result.targets},
                        {"classes", result.classes},
                        {"family", std::string(name_of(result.loss.family))}};
  return options;
}

/// Writes means block by block, so that they are never completely in memory.
template <class Scalar>
void write_predictions(const PredictRequest& request, const FitFile& model,
                       const FittedDesign& design, const DesignMatrix& matrix, Range rows,
                       const std::string& command_line) {
  const FitResult& result = model.result;
  SeriesShape shape;
  shape.samples = rows.size();
  shape.channels = result.targets * result.classes;
  shape.type = stored_type<Scalar>;
  SeriesDescription series = cut(design.inputs().series(), rows);
  if (result.classes == 1) series.channel_ids = model.target_ids;
  Hdf5SeriesWriter writer(file_path(request.output), series, shape,
                          means_options(request, result, series, command_line));
  note_part(part_of(request.output.file), Rest::removed);
  std::vector<Scalar> values;
  const auto take = [&](Range part, std::span<const double> means) {
    if (stop_requested()) throw Cancelled("nothing was left behind");
    constexpr std::int64_t values_at_a_time = std::int64_t{1} << 16;
    const std::int64_t step = std::max<std::int64_t>(values_at_a_time / shape.channels, 1);
    for (std::int64_t first = part.begin; first < part.end; first += step) {
      const Range block{first, std::min(first + step, part.end)};
      const auto from = means.begin() + (block.begin - part.begin) * shape.channels;
      values.assign(from, from + block.size() * shape.channels);
      writer.write({block.begin - rows.begin, block.end - rows.begin}, values.data());
    }
  };
  predict_rows(matrix, result, take, rows);
  writer.finish();
}

/// Numbers that are not known are NaN.
Json score_tree(const Score& score) {
  return {{"rows", score.weight},
          {"log_likelihood", score.log_likelihood},
          {"null_log_likelihood", score.null_log_likelihood},
          {"deviance", score.deviance},
          {"null_deviance", score.null_deviance},
          {"pseudo_r2_mcfadden", score.pseudo_r2_mcfadden},
          {"pseudo_r2_cohen", score.pseudo_r2_cohen}};
}

/// Whether likelihoods need a phi that the model lacks.
bool lacks_scale(const FitResult& model) {
  const Family family = model.loss.family;
  return (family == Family::gaussian || family == Family::gamma) && model.scale.empty();
}

/// Removes likelihoods: with a phi of 1 they would be those of another model.
void leave_likelihoods_out(Score& score) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  score.log_likelihood = unknown;
  score.null_log_likelihood = unknown;
  score.pseudo_r2_mcfadden = unknown;
}

/// Allocates the memory of predictions. \throws BudgetError if it is too much
void walk_some_rows(const DesignMatrix& matrix, const FitFile& model) {
  const std::int64_t rows = matrix.rows();
  // Windows are incomplete at the first or the last row, and an invalid row allocates nothing.
  for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 1}) {
    predict_rows(matrix, model.result, [](Range, std::span<const double>) {}, Range{row, row + 1});
  }
}

}  // namespace

void run_predict(const PredictRequest& request, const std::string& command_line) {
  const RunMemory memory;
  const DesignFile file = read_design(request.design);
  PredictRequest wanted = request;
  apply_options(file, wanted);
  require_free_place(wanted.output, wanted.existing);
  if (wanted.existing == Existing::replace) {
    require_other_files(file, wanted, wanted.output);
    require_other_file(wanted.output, wanted.model, "the model");
  }
  const FittedDesign design(file, wanted, std::nullopt);
  design.require_bounds();
  const Range rows = samples_of(wanted.time, design.rows(), design.inputs().series())
                         .value_or(Range{0, design.rows()});
  FitFile model;
  design.within_budget(
      [&] {
        const DesignMatrix matrix = design.matrix();
        model = model_for(wanted.model, design, matrix, wanted.strict);
        if (wanted.type == OutputType::float32) {
          write_predictions<float>(wanted, model, design, matrix, rows, command_line);
        } else {
          write_predictions<double>(wanted, model, design, matrix, rows, command_line);
        }
      },
      [&](const DesignMatrix& matrix, const Observations&) {
        walk_some_rows(matrix, model_for(wanted.model, design, matrix, wanted.strict));
      });
  print_result(wanted.messages,
               {{"output", wanted.output.text()},
                {"rows", rows.size()},
                {"targets", model.result.targets},
                {"classes", model.result.classes},
                {"seconds", memory.seconds()}},
               prediction_lines);
}

void run_score(const ScoreRequest& request) {
  const DesignFile file = read_design(request.design);
  ScoreRequest wanted = request;
  apply_options(file, wanted);
  FittedDesign design(file, wanted, wanted.target);
  design.require_bounds();
  ScoreOptions options;
  options.time_rescaling = wanted.wants_time_rescaling;
  options.seed = static_cast<std::uint64_t>(wanted.seed);
  FitFile model;
  ScoreResult scores;
  design.within_budget(
      [&] {
        const Observations observations = design.observations();
        const DesignMatrix matrix = design.matrix();
        model = model_for(wanted.model, design, matrix, wanted.strict);
        require_targets(model, design, wanted.strict);
        scores = score(matrix, observations, model.result, options);
      },
      [&](const DesignMatrix& matrix, const Observations&) {
        if (design.has_events_alone()) (void)matrix.valid_rows();  // a score stores the valid rows
        walk_some_rows(matrix, model_for(wanted.model, design, matrix, wanted.strict));
      });
  if (scores.all.weight == 0) {
    throw Error("score",
                "no row counts: in each of them a window is not whole, a value is not finite, or "
                "--time leaves it out",
                "Give a longer time than the windows of the design");
  }
  if (lacks_scale(model.result)) {
    leave_likelihoods_out(scores.all);
    for (Score& each : scores.targets) leave_likelihoods_out(each);
    warn(wanted.model +
         " has no dataset /scale, so log-likelihoods and McFadden's pseudo-R2 are left out");
  }
  Json report = {{"all", score_tree(scores.all)}, {"targets", Json::array()}};
  for (std::size_t i = 0; i < scores.targets.size(); ++i) {
    Json& target = report["targets"].emplace_back(Json{{"target", model.target_ids[i]}});
    target.update(score_tree(scores.targets[i]));
    if (scores.time_rescaling.empty()) continue;
    const TimeRescaling& rescaled = scores.time_rescaling[i];
    target["time_rescaling"] = {{"intervals", rescaled.intervals},
                                {"statistic", rescaled.statistic},
                                {"bound", rescaled.bound},
                                {"is_within", rescaled.statistic <= rescaled.bound}};
  }
  std::cout << (wanted.messages.json ? indented(report) : lines_of(score_lines, report));
}

}  // namespace synelix::tool
