// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The commands that take a model to another recording: predict and score.
#include "tool/commands.hpp"
#include "tool/design/fit_report.hpp"
#include "tool/options/fit_options.hpp"
#include "tool/process/resources.hpp"
#include "tool/process/signals.hpp"
#include "tool/run/design_files.hpp"
#include "tool/run/fitted_design.hpp"
#include "tool/run/inputs.hpp"
#include "tool/run/output.hpp"
#include "tool/text/terminal_text.hpp"

#include <synelix/fit_file.hpp>
#include <synelix/glm_score.hpp>
#include <synelix/session.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <vector>

namespace synelix::tool {
namespace {

/// Reads a model, and checks that the design has its columns.
FitFile model_for(const std::string& file, const FittedDesign& design, const DesignMatrix& matrix) {
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
  return model;
}

/// Means of rows x targets x classes values, computed at once: they have to fit the budget.
template <class Scalar>
std::vector<Scalar> predicted(const FitFile& model, const DesignMatrix& matrix,
                              const DesignRequest& request) {
  const FitResult& result = model.result;
  const std::int64_t columns = result.targets * result.classes;
  const std::int64_t bytes = matrix.rows() * columns * static_cast<std::int64_t>(sizeof(Scalar));
  const std::int64_t budget = request.options.budget.value_or(default_budget());
  if (bytes > budget) {
    throw Error("--budget",
                format_bytes(static_cast<double>(budget)) + " are less than the predictions take",
                "Give at least " + std::to_string(2 * bytes) +
                    " bytes, or predict parts of the recording (--intervals)");
  }
  std::vector<Scalar> means(static_cast<std::size_t>(matrix.rows() * columns));
  if (result.classes > 1) {
    predict(matrix, result,
            StridedOutput(means.data(), {matrix.rows(), result.targets, result.classes}));
  } else {
    predict(matrix, result, StridedOutput(means.data(), {matrix.rows(), result.targets}));
  }
  return means;
}

template <class Scalar>
void write_predictions(const PredictRequest& request, const FitFile& model,
                       const FittedDesign& design, const std::string& command_line) {
  const DesignMatrix matrix = design.matrix();
  const std::vector<Scalar> means = predicted<Scalar>(model, matrix, request);
  const FitResult& result = model.result;
  SeriesShape shape;
  shape.samples = matrix.rows();
  shape.channels = result.targets * result.classes;
  shape.type = stored_type<Scalar>;
  Hdf5OutputOptions options = output_options(request.standing, command_line);
  const SeriesDescription& series = design.inputs().series();
  options.attributes = {{"start_seconds", series.start_seconds},
                        {"model", request.model},
                        {"targets", result.targets},
                        {"classes", result.classes},
                        {"family", std::string(name_of(result.loss.family))}};
  Hdf5SeriesWriter writer(file_path(request.output), shape, series.rate_hz, options);
  note_part(part_of(request.output.file), Rest::removed);
  constexpr std::int64_t values_at_a_time = std::int64_t{1} << 20;
  const std::int64_t step = std::max<std::int64_t>(values_at_a_time / shape.channels, 1);
  for (std::int64_t first = 0; first < shape.samples; first += step) {
    if (stop_requested()) throw Cancelled("nothing was left behind");
    const Range rows{first, std::min(first + step, shape.samples)};
    writer.write(rows, means.data() + first * shape.channels);
  }
  writer.finish();
}

ScoreReport report_of(const Score& score, std::optional<std::int64_t> id) {
  return {.id = id,
          .rows = score.weight,
          .log_likelihood = score.log_likelihood,
          .null_log_likelihood = score.null_log_likelihood,
          .deviance = score.deviance,
          .null_deviance = score.null_deviance,
          .pseudo_r2_mcfadden = score.pseudo_r2_mcfadden,
          .pseudo_r2_cohen = score.pseudo_r2_cohen};
}

}  // namespace

void run_predict(const PredictRequest& request, const std::string& command_line) {
  const RunMemory memory;
  const DesignFile file = read_design(request.design);
  PredictRequest wanted = request;
  apply_options(file, wanted);
  require_free_place(wanted.output, wanted.standing);
  if (wanted.standing == Standing::replace) {
    require_other_files(file, wanted, wanted.output);
    require_other_file(wanted.output, wanted.model, "the model");
  }
  const FittedDesign design(file, wanted, std::nullopt);
  design.require_bounds();
  const FitFile model = model_for(wanted.model, design, design.matrix());
  if (wanted.type == OutputType::float32) {
    write_predictions<float>(wanted, model, design, command_line);
  } else {
    write_predictions<double>(wanted, model, design, command_line);
  }
  const PredictionReport report{.output = wanted.output.text(),
                                .rows = design.rows(),
                                .targets = model.result.targets,
                                .classes = model.result.classes,
                                .seconds = memory.seconds()};
  if (wanted.messages.json) std::cout << json_of(report);
  if (!wanted.messages.quiet) std::cerr << terminal_text(text_of(report));
}

void run_score(const ScoreRequest& request) {
  const DesignFile file = read_design(request.design);
  ScoreRequest wanted = request;
  apply_options(file, wanted);
  FittedDesign design(file, wanted, wanted.target);
  design.require_bounds();
  const Observations observations = design.observations();
  const DesignMatrix matrix = design.matrix();
  const FitFile model = model_for(wanted.model, design, matrix);
  if (design.targets() != model.result.targets) {
    throw Error("--target",
                "it has " + format_count(design.targets()) + " targets, but the model has " +
                    format_count(model.result.targets),
                "Give the targets of the model, in their order");
  }
  const std::vector<std::int64_t> ids = design.target_ids();
  const ScoreResult scores = score(matrix, observations, model.result);
  std::vector<ScoreReport> reports{report_of(scores.all, std::nullopt)};
  for (std::size_t i = 0; i < scores.targets.size(); ++i) {
    reports.push_back(
        report_of(scores.targets[i], ids.empty() ? static_cast<std::int64_t>(i) : ids[i]));
  }
  std::cout << (wanted.messages.json ? json_of(reports) : text_of(reports));
}

}  // namespace synelix::tool
