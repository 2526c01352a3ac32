// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.hpp"
#include "options.hpp"

namespace synelix::python {
namespace {

using namespace nb::literals;

nb::dict fit_model(Design& design, const nb::object& targets, const std::optional<Array>& offset,
                   const std::optional<Array>& weights, const nb::dict& options,
                   const nb::object& progress) {
  const Observed observed(targets, offset, weights);
  const FitOptions chosen = fit_options(options, progress);
  FitResult model;
  design.use([&](const DesignMatrix& matrix) {
    model = fit(matrix, observed.get(), chosen);
    forget_warnings(model.warnings);
  });
  return described(model);
}

nb::dict explain_model(Design& design, const nb::object& targets,
                       const std::optional<Array>& offset, const std::optional<Array>& weights,
                       const nb::dict& options) {
  const Observed observed(targets, offset, weights);
  const nb::object no_progress = nb::none();  // the options refer to it
  const FitOptions chosen = fit_options(options, no_progress);
  FitChoice choice;
  design.use(
      [&](const DesignMatrix& matrix) { choice = choose_fit(matrix, observed.get(), chosen); });
  nb::dict candidates;
  for (const auto& [solver, seconds] : choice.candidates) candidates[name_of(solver)] = seconds;
  nb::dict result;
  result["solver"] = name_of(choice.solver);
  result["seconds"] = choice.seconds;
  result["reason"] = choice.reason;
  result["candidates"] = candidates;
  return result;
}

PathOptions path_options(const nb::dict& options) {
  PathOptions path;
  path.count = whole("n_strengths", options["count"]);
  path.ratio = real("ratio", options["ratio"]);
  path.strengths = reals("strengths", options["strengths"]);
  return path;
}

nb::dict fit_models(Design& design, const nb::object& targets, const std::optional<Array>& offset,
                    const std::optional<Array>& weights, const nb::dict& options,
                    const nb::dict& path, const nb::object& progress) {
  const Observed observed(targets, offset, weights);
  const FitOptions chosen = fit_options(options, progress);
  const PathOptions strengths = path_options(path);
  PathResult result;
  design.use([&](const DesignMatrix& matrix) {
    result = fit_path(matrix, observed.get(), chosen, strengths);
    forget_warnings(result.warnings);
  });
  return described(result);
}

CrossValidationOptions validation_options(const nb::dict& path, const nb::dict& folds) {
  CrossValidationOptions validation;
  validation.path = path_options(path);
  validation.folds = whole("cv", folds["folds"]);
  validation.gap = whole("gap", folds["gap"]);
  validation.fold_of_row = nb::cast<std::vector<std::uint8_t>>(folds["fold_of_row"]);
  validation.score = score_kind_of(folds["score"]);
  validation.choose = word<Choose>("choose", folds["choose"],
                                   {{"best", Choose::best}, {"1se", Choose::one_standard_error}});
  return validation;
}

nb::dict validate(Design& design, const nb::object& targets, const std::optional<Array>& offset,
                  const std::optional<Array>& weights, const nb::dict& options,
                  const nb::dict& path, const nb::dict& folds, const nb::object& progress) {
  const Observed observed(targets, offset, weights);
  const FitOptions chosen = fit_options(options, progress);
  const CrossValidationOptions validation = validation_options(path, folds);
  CrossValidationResult result;
  design.use([&](const DesignMatrix& matrix) {
    result = cross_validate(matrix, observed.get(), chosen, validation);
    forget_warnings(result.model.warnings);
    forget_warnings(result.path.warnings);
  });
  const std::vector<std::int64_t> each{result.path.count, result.path.targets};
  nb::dict answer;
  answer["path"] = described(result.path);
  answer["model"] = described(result.model);
  answer["scores"] =
      array_of(result.scores, {result.folds, result.path.count, result.path.targets});
  answer["mean"] = array_of(result.mean, each);
  answer["standard_error"] = array_of(result.standard_error, each);
  answer["chosen"] = array_of(result.chosen);
  return answer;
}

/// Throws if the budget of a design is too small for a path, with or without folds.
void require_room(Design& design, const nb::object& targets, const std::optional<Array>& offset,
                  const std::optional<Array>& weights, const nb::dict& options,
                  const nb::dict& path, const std::optional<nb::dict>& folds) {
  const Observed observed(targets, offset, weights);
  const nb::object no_progress = nb::none();  // the options refer to it
  const FitOptions chosen = fit_options(options, no_progress);
  const PathOptions strengths = path_options(path);
  std::optional<CrossValidationOptions> validation;
  if (folds) validation = validation_options(path, *folds);
  design.use([&](const DesignMatrix& matrix) {
    if (validation) return require_budget(matrix, observed.get(), chosen, *validation);
    require_budget(matrix, observed.get(), chosen, strengths);
  });
}

}  // namespace

void bind_fit(nb::module_& module) {
  bind_design(module);
  module.def("fit", &fit_model, "design"_a, "targets"_a, "offset"_a.none(), "weights"_a.none(),
             "options"_a, "progress"_a.none());
  module.def("explain_fit", &explain_model, "design"_a, "targets"_a, "offset"_a.none(),
             "weights"_a.none(), "options"_a);
  module.def("require_room", &require_room, "design"_a, "targets"_a, "offset"_a.none(),
             "weights"_a.none(), "options"_a, "path"_a, "folds"_a.none());
  module.def("fit_path", &fit_models, "design"_a, "targets"_a, "offset"_a.none(),
             "weights"_a.none(), "options"_a, "path"_a, "progress"_a.none());
  module.def("cross_validate", &validate, "design"_a, "targets"_a, "offset"_a.none(),
             "weights"_a.none(), "options"_a, "path"_a, "folds"_a, "progress"_a.none());
  bind_scores(module);
}

}  // namespace synelix::python
