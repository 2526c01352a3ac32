// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/run/fit_model.hpp"

#include "tool/design/design_inputs.hpp"
#include "tool/options/option_words.hpp"
#include "tool/run/inputs.hpp"

#include <synelix/types/fit_file.hpp>
#include <synelix/types/glm_path.hpp>
#include <synelix/types/glm_score.hpp>
#include <synelix/types/hdf5.hpp>
#include <synelix/version.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace synelix::tool {
namespace {

std::vector<std::uint8_t> read_mask(const DatasetPath& path, std::int64_t columns,
                                    std::int64_t targets) {
  const Matrix matrix = read_matrix(file_path(path));
  if (matrix.rows != columns || matrix.columns != targets) {
    throw Error("--mask",
                path.text() + " has extents (" + std::to_string(matrix.rows) + ", " +
                    std::to_string(matrix.columns) + "), but there are " + std::to_string(columns) +
                    " columns and " + std::to_string(targets) + " targets",
                "Give a dataset (columns, targets)");
  }
  std::vector<std::uint8_t> mask;
  mask.reserve(matrix.values.size());
  for (const double value : matrix.values) {
    if (value != 0 && value != 1) {
      throw Error("--mask", path.text() + " holds the value " + format_number(value),
                  "Give 0 where a target does not use a column, and 1 where it does");
    }
    mask.push_back(value == 0 ? 0 : 1);
  }
  return mask;
}

/// Options of the path. The model of the weakest strengths starts from the solution of the path. A
/// path has no phi and no degrees of freedom; a fit has them, and scores need them.
PathOptions path_options_of(const FitSettings& settings) {
  PathOptions path;
  path.count = settings.strengths;
  path.ratio = settings.path_ratio;
  if (settings.strengths == 0) path.strengths.push_back(1.0);
  return path;
}

CrossValidationOptions validation_options_of(const FitSettings& settings) {
  return {.folds = settings.folds,
          .gap = settings.gap,
          .path = path_options_of(settings),
          .choose = settings.choice};
}

FitResult fit_weakest(const DesignMatrix& design, const Observations& observations,
                      const FitSettings& settings, const FitOptions& options,
                      const PathResult& path) {
  FitResult last = path.model(path.count - 1);
  const bool is_cancelled =
      std::find(last.stop.begin(), last.stop.end(), Stop::cancelled) != last.stop.end();
  if (is_cancelled) return last;
  FitOptions refit = options;
  refit.start_coefficients = std::move(last.coefficients);
  refit.start_intercepts = std::move(last.intercepts);
  const auto weakest = path.strengths.end() - path.targets;
  refit.penalty = penalty_of(settings.penalty, design.terms(),
                             Strength({weakest, path.strengths.end()}, Strength::Per::target));
  return fit(design, observations, refit);
}

}  // namespace

Penalty penalty_of(const PenaltyWords& words, const std::vector<Term>& terms,
                   const Strength& strength) {
  const Strength wanted = words.strength ? Strength(*words.strength) : strength;
  switch (words.kind) {
    case PenaltyWords::Kind::none:
      break;
    case PenaltyWords::Kind::ridge:
      return Ridge{wanted};
    case PenaltyWords::Kind::lasso:
      return Lasso{wanted};
    case PenaltyWords::Kind::elastic_net:
      return ElasticNet{wanted, words.ratio};
    case PenaltyWords::Kind::group_lasso:
      return GroupLasso{wanted, groups_of_channels(terms)};
  }
  return NoPenalty{};
}

FitOptions fit_options(const FitSettings& settings, const std::vector<Term>& terms,
                       std::int64_t targets) {
  FitOptions options;
  options.loss = settings.loss;
  options.penalty = penalty_of(settings.penalty, terms);
  options.solver = settings.solver;
  options.fit_intercept = settings.has_intercept;
  options.estimate_dispersion = settings.estimates_dispersion;
  options.optimality_tolerance = settings.tolerance;
  options.most_evaluations = settings.most_evaluations;
  options.standard_errors = settings.wants_errors;
  if (settings.mask) {
    std::int64_t columns = 0;
    for (const Term& term : terms) columns += term.columns.size();
    options.feature_mask = read_mask(*settings.mask, columns, targets);
  }
  return options;
}

FitChoice chosen_fit(const DesignMatrix& design, const Observations& observations,
                     const FitSettings& settings, const FitOptions& options) {
  if (settings.folds > 0) {
    require_budget(design, observations, options, validation_options_of(settings));
  } else if (settings.strengths > 0) {
    require_budget(design, observations, options, path_options_of(settings));
  }
  return choose_fit(design, observations, options);
}

FitFile fitted(const DesignMatrix& design, const Observations& observations,
               const FitSettings& settings, const FitOptions& options) {
  FitFile model;
  if (settings.folds > 0) {
    CrossValidationResult found =
        cross_validate(design, observations, options, validation_options_of(settings));
    model.result = std::move(found.model);
    model.path = FitPathRecord{.path = std::move(found.path),
                               .chosen = std::move(found.chosen),
                               .folds = found.folds,
                               .scores = std::move(found.scores),
                               .mean = std::move(found.mean),
                               .standard_error = std::move(found.standard_error),
                               .score = name_of(ScoreKind::deviance),
                               .choose = name_of(settings.choice)};
  } else if (settings.strengths > 0) {
    FitOptions of_path = options;
    of_path.solver = Solver::automatic;  // the final fit uses the requested one
    PathResult found = fit_path(design, observations, of_path, path_options_of(settings));
    model.result = fit_weakest(design, observations, settings, options, found);
    model.path =
        FitPathRecord{.path = std::move(found),
                      .chosen = std::vector<std::int64_t>(
                          static_cast<std::size_t>(model.result.targets), settings.strengths - 1)};
  } else {
    model.result = fit(design, observations, options);
  }
  return model;
}

std::string settings_text(const FitSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += (text.empty() ? "" : " ") + std::string(name) + "=" + value;
  };
  add("family", name_of(settings.loss.family));
  add("link", name_of(resolved(settings.loss).inverse_link));
  add("dispersion",
      settings.estimates_dispersion ? "estimate" : format_number(settings.loss.dispersion));
  add("classes", std::to_string(settings.loss.classes));
  add("penalty", settings.penalty.text());
  add("solver", name_with_dashes(settings.solver));
  add("intercept", settings.has_intercept ? "yes" : "no");
  add("errors", settings.wants_errors ? "yes" : "no");
  add("path", std::to_string(settings.strengths));
  add("path-ratio", format_number(settings.path_ratio));
  add("folds", std::to_string(settings.folds));
  add("gap", std::to_string(settings.gap));
  add("choose", std::string(word_of(std::span<const ChoiceWord>(choices), settings.choice)));
  add("tolerance", format_number(settings.tolerance));
  add("evaluations", std::to_string(settings.most_evaluations));
  return text;
}

namespace {

/// How a target is read.
std::string target_text(const DesignInput& target) {
  std::string text = target.text();
  if (const auto* const spikes = std::get_if<SpikeInput>(&target.from)) {
    text += " units";
    if (spikes->bin_seconds) text += " bin " + format_number(*spikes->bin_seconds);
    for (const std::int64_t id : spikes->ids) text += " " + std::to_string(id);
    return text + conditions_text(spikes->where);
  }
  const auto& array = std::get<ArrayInput>(target.from);
  if (array.channels) {
    text += " channels " + std::to_string(array.channels->begin) + ":";
    if (array.channels->end) text += std::to_string(*array.channels->end);
  }
  if (array.time_axis) text += " time axis " + std::to_string(*array.time_axis);
  if (array.scale) text += " scale " + format_number(*array.scale);
  if (array.offset) text += " offset " + format_number(*array.offset);
  if (array.rate_hz) text += " rate " + format_number(*array.rate_hz);
  return text;
}

std::string in_lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

}  // namespace

Fingerprint fingerprint_of(const FitRequest& request, const FittedDesign& design,
                           const DesignMatrix& matrix, const FitChoice& choice,
                           const std::vector<std::int64_t>& target_ids,
                           const std::vector<InputFile>& files) {
  Fingerprint result = fingerprint_of_text("design", design.file().columns_text);
  const auto add = [&](const std::string& name, const std::string& value) {
    result.emplace_back(name, value);
  };
  add("settings", settings_text(request.fit));
  add("solver", name_of(choice.solver));
  add("target", request.target ? target_text(*request.target) : std::string("none"));
  std::string ids;
  for (const std::int64_t id : target_ids) ids += std::to_string(id) + " ";
  add("targets", ids);
  add("mask", request.fit.mask ? request.fit.mask->text() : "none");
  add("rows", std::to_string(matrix.rows()));
  add("columns", std::to_string(matrix.columns()));
  add("row weights", design.weights_text());
  add("epochs", request.epochs ? request.epochs->text() : "none");
  add("intervals", request.intervals
                       ? request.intervals->table.text() + intervals_text(*request.intervals)
                       : std::string("none"));
  add("bins from", request.from_seconds ? format_number(*request.from_seconds) : std::string());
  add("feature source", matrix.choice().source == RowSource::events ? "events" : "dense");
  add("method", name_with_dashes(request.options.method) + ": " + design.methods_text());
  add("instruction set", name_of(matrix.choice().instruction_set));
  add("synelix", std::string(version()));
  for (const InputFile& file : files) {
    const bool is_words =
        file.path == request.design || file.path == request.config || file.path == request.machine;
    if (is_words) continue;
    add("file " + file.resolved,
        std::to_string(file.bytes) + " bytes, modified " + std::to_string(file.modified_ns));
  }
  const std::string components = in_lines(component_texts(design.components()));
  for (const auto& [name, value] : fingerprint_of_text("bases", components)) add(name, value);
  return result;
}

}  // namespace synelix::tool
