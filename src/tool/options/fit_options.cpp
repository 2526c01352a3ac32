// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/option_groups.hpp"

#include "tool/design/design_file.hpp"
#include "tool/options/option_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace synelix::tool {
namespace {

std::int64_t parse_at_least(std::int64_t least, const std::string& text) {
  const std::int64_t number = parse_integer(text);
  if (number < least) {
    throw Error("'" + text + "' is too small. Give at least " + std::to_string(least) + ".");
  }
  return number;
}

double parse_positive(const std::string& text) {
  const double number = parse_number(text);
  if (!(number > 0)) throw Error("'" + text + "' is not above 0. Give a number above 0.");
  return number;
}

/// A number above 0 and below 1.
double parse_share(const std::string& text) {
  const double number = parse_number(text);
  if (!(number > 0 && number < 1)) {
    throw Error("'" + text + "' is not between 0 and 1. Give a number such as 0.001.");
  }
  return number;
}

void set_dispersion(FitSettings& fit, Text text) {
  fit.estimates_dispersion = text == "estimate";
  if (fit.estimates_dispersion) return;
  try {
    fit.loss.dispersion = parse_positive(text);
  } catch (const Error&) {
    throw Error("'" + text + "' is not a dispersion. Give a number above 0, or 'estimate'.");
  }
}

/// In the order of the help. Each is also a key of [fit].
constexpr std::array<TableOption<FitRequest>, 16> fit_rows{{
    {"family", "NAME", "Model",
     "Distribution of the targets: poisson (default), gaussian, bernoulli, gamma, "
     "negative-binomial or categorical.",
     [](FitRequest& request, Text text) { request.fit.loss.family = parse_name<Family>(text); }},
    {"link", "NAME", "Model",
     "From the linear predictor to the mean: automatic (default), exp, softplus, logistic, "
     "norm-cdf, one-over-x, identity or softmax.",
     [](FitRequest& request, Text text) {
       request.fit.loss.inverse_link = parse_name<InverseLink>(text);
     }},
    {"dispersion", "A", "Model",
     "For negative-binomial: a of var = mean + a mean^2, or 'estimate'. Default: 1.",
     [](FitRequest& request, Text text) { set_dispersion(request.fit, text); }},
    {"classes", "N", "Model", "For categorical: the number of classes. Default: 2.",
     [](FitRequest& request, Text text) { request.fit.loss.classes = parse_at_least(2, text); }},
    {"no-intercept", "", "Model", "The model has no constant term.",
     [](FitRequest& request, Text) { request.fit.has_intercept = false; }},
    {"mask", "FILE:/dataset", "Model",
     "A dataset (columns, targets) of 0 and 1: which columns each target uses. Default: all.",
     [](FitRequest& request, Text text) { request.fit.mask = parse_dataset_path(text); }},
    {"penalty", "WORDS", "Penalty",
     "none (default), ridge:S, lasso:S, elastic-net:S:RATIO or group-lasso:S with a strength S. A "
     "group is the columns of one channel of a term. S is 'auto' or left out with --path.",
     [](FitRequest& request, Text text) { request.fit.penalty = parse_penalty(text); }},
    {"path", "N", "Penalty",
     "Fit N strengths, from the strongest, where all coefficients are 0 (with ridge: near 0), to "
     "the weakest. Without --folds the model is that of the weakest.",
     [](FitRequest& request, Text text) { request.fit.strengths = parse_at_least(2, text); }},
    {"path-ratio", "X", "Penalty",
     "The weakest strength of a path over the strongest. Default: 0.001; with ridge 1e-7.",
     [](FitRequest& request, Text text) { request.fit.path_ratio = parse_share(text); }},
    {"folds", "K", "Penalty",
     "Cross-validation with K folds, which are ranges of rows of equal length.",
     [](FitRequest& request, Text text) { request.fit.folds = parse_at_least(2, text); }},
    {"gap", "N", "Penalty",
     "With --folds: rows on either side of a fold that training leaves out. Default: 0.",
     [](FitRequest& request, Text text) { request.fit.gap = parse_at_least(0, text); }},
    {"choose", "WORD", "Penalty",
     "With --folds: the strength of the least deviance (min, default), or the strongest within one "
     "standard error of it (1se).",
     [](FitRequest& request, Text text) {
       request.fit.choice = parse_word(std::span<const ChoiceWord>(choices), text);
     }},
    {"errors", "", "Model", "Write standard errors. The penalty must be none or ridge.",
     [](FitRequest& request, Text) { request.fit.wants_errors = true; }},
    {"solver", "NAME", "Computing",
     "automatic (default), newton, lbfgs, or proximal-newton. The first two need a penalty of none "
     "or ridge. With --path it applies to the final fit: the path has its own solver.",
     [](FitRequest& request, Text text) { request.fit.solver = parse_name<Solver>(text); }},
    {"tolerance", "X", "Computing",
     "A target is converged where its relative violation of the optimality conditions is at most "
     "X. Default: 1e-6.",
     [](FitRequest& request, Text text) { request.fit.tolerance = parse_positive(text); }},
    {"evaluations", "N", "Computing", "Most evaluations of the loss of a target. Default: 500.",
     [](FitRequest& request, Text text) {
       request.fit.most_evaluations = parse_at_least(1, text);
     }},
}};
constexpr std::span<const TableOption<FitRequest>> rows_of_fit = fit_rows;

/// The options of all three commands.
void add_common_options(OptionRows& rows, DesignRequest& request, bool has_target) {
  for (const auto& option : design_options()) {
    if (has_target && std::string_view(option.name) == "where") continue;
    add_table_option(rows, request, option);
  }
  add_trust_options(rows, request.trust);
  add_processor_options(rows, request.processors);
  add_message_options(rows, request.messages);
  add_config_option(rows);
}

/// Checks an option in [options] that only `features` has. Such options do not affect rows, with
/// these exceptions.
void require_all_rows(const DesignOption& entry, const std::string& command) {
  const bool changes_rows = (entry.name == "border" && entry.text != "nan") ||
                            (entry.name == "every" && entry.text != "1");
  if (!changes_rows) return;
  throw Error(entry.place,
              command + " takes all rows with whole windows, and no others, so '" + entry.text +
                  "' has no meaning for it",
              "Leave the option out, or give " + std::string(entry.name == "border" ? "nan" : "1"));
}

void apply_common(const DesignFile& design, const std::string& command, DesignRequest& request) {
  for (const DesignOption& entry : design.options) {
    if (take_design_option(design, entry, request)) continue;
    if (!is_of_features_alone(entry.name)) {
      throw Error(entry.place, "this is not an option of " + command,
                  "Valid are: " + with_names({}, design_options()));
    }
    require_all_rows(entry, command);
  }
  finish_design_options(request);
}

/// Words of a penalty between colons.
std::vector<std::string> split_at_colons(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char letter : text) {
    if (letter == ':') {
      words.emplace_back();
    } else {
      words.back() += letter;
    }
  }
  return words;
}

bool is_smooth(PenaltyWords::Kind kind) {
  return kind == PenaltyWords::Kind::none || kind == PenaltyWords::Kind::ridge;
}

/// Checks a penalty against the other options.
void require_penalty(const FitSettings& fit) {
  const PenaltyWords& penalty = fit.penalty;
  if (fit.strengths > 0) {
    if (penalty.kind == PenaltyWords::Kind::none) {
      throw Error("--path", "there is no penalty whose strengths could be a path",
                  "Add --penalty, such as --penalty lasso");
    }
    if (penalty.strength) {
      throw Error("--penalty", "the strength of '" + penalty.text() + "' is given beside --path",
                  "Leave the strength out, or give 'auto'");
    }
  } else if (penalty.kind != PenaltyWords::Kind::none && !penalty.strength) {
    PenaltyWords complete = penalty;
    complete.strength = 1e-3;
    throw Error("--penalty", "'" + penalty.text() + "' has no strength",
                "Give one, such as " + complete.text() + ", or add --path");
  }
  if (is_smooth(penalty.kind)) return;
  if (fit.wants_errors) {
    throw Error("--errors", "the penalty " + penalty.text() + " has no standard errors",
                "Give --penalty none or ridge:S, or leave --errors out");
  }
  if (fit.solver == Solver::newton || fit.solver == Solver::lbfgs) {
    throw Error("--solver",
                name_with_dashes(fit.solver) + " cannot take the penalty " + penalty.text(),
                "Give automatic or proximal-newton");
  }
}

/// Checks the loss. Throws Error, in the words of the options, if the link is not valid for the
/// family.
void require_link(const Loss& loss) {
  std::string problem;
  try {
    static_cast<void>(resolved(loss));
    return;
  } catch (const Error&) {
    problem = "the family " + name_with_dashes(loss.family) + " has no link " +
              name_with_dashes(loss.inverse_link);
  }
  std::string usable;
  for (const InverseLink link : values_with_names<InverseLink>()) {
    Loss other = loss;
    other.inverse_link = link;
    try {
      static_cast<void>(resolved(other));
      usable += (usable.empty() ? "" : ", ") + name_with_dashes(link);
    } catch (const Error&) {
      continue;  // not of this family
    }
  }
  throw Error("--link", problem, "Give one of " + usable);
}

/// Throws Error if a number is given that the family does not use.
void require_own_numbers(const FitRequest& request, const DesignFile& design) {
  const auto is_given = [&](std::string_view name) {
    const auto& given = request.given;
    if (std::find(given.begin(), given.end(), name) != given.end()) return true;
    // The family of a design is the one of its numbers, unless the command line has another.
    if (std::find(given.begin(), given.end(), "family") != given.end()) return false;
    return std::any_of(design.fit.begin(), design.fit.end(),
                       [&](const DesignOption& entry) { return entry.name == name; });
  };
  const Family family = request.fit.loss.family;
  if (is_given("dispersion") && family != Family::negative_binomial) {
    throw Error("--dispersion", "only negative-binomial has a dispersion",
                "Leave it out, or give --family negative-binomial");
  }
  if (is_given("classes") && family != Family::categorical) {
    throw Error("--classes", "only categorical has classes",
                "Leave it out, or give --family categorical");
  }
}

void require_settings(const FitRequest& request) {
  const FitSettings& fit = request.fit;
  const auto is_given = [&](const std::string& name) {
    return std::find(request.given.begin(), request.given.end(), name) != request.given.end();
  };
  require_link(fit.loss);
  for (const char* const name : {"choose", "gap"}) {
    if (fit.folds > 0 || !is_given(name)) continue;
    throw Error("--" + std::string(name), "there is no cross-validation", "Add --folds");
  }
  if (fit.folds > 0 && fit.penalty.kind == PenaltyWords::Kind::none) {
    throw Error("--folds", "there is no penalty whose strength could be chosen",
                "Add --penalty, such as --penalty ridge --path 50");
  }
  if (fit.strengths > 0 || fit.folds > 0) {
    const char* const refused = fit.wants_errors           ? "--errors"
                                : fit.estimates_dispersion ? "--dispersion estimate"
                                                           : nullptr;
    if (refused != nullptr) {
      throw Error(refused, "it is for one model, and is given beside --path or --folds",
                  "Fit the strength that is chosen in a run of its own");
    }
  }
  if (fit.strengths == 0 && is_given("path-ratio")) {
    throw Error("--path-ratio", "there is no path", "Add --path");
  }
  if (fit.mask && fit.mask->dataset.empty()) {
    throw Error("--mask", "'" + fit.mask->file + "' names no dataset", "Give FILE:/dataset");
  }
  require_penalty(fit);
}

void require_target(const std::optional<DesignInput>& target) {
  if (target) return;
  throw Error("--target", "there is none",
              "Give --target FILE:/dataset, --target FILE.nwb --units, or a table [fit.target] in "
              "the design");
}

}  // namespace

std::string PenaltyWords::text() const {
  std::string text(word_of(std::span<const PenaltyWord>(penalties), kind));
  if (kind == Kind::none) return text;
  text += ":" + (strength ? format_number(*strength) : "auto");
  if (kind == Kind::elastic_net) text += ":" + format_number(ratio);
  return text;
}

namespace {

PenaltyWords::Kind kind_of_penalty(const std::string& text) {
  const std::string forms = "none, ridge:S, lasso:S, elastic-net:S:RATIO or group-lasso:S";
  try {
    return parse_word(std::span<const PenaltyWord>(penalties), text);
  } catch (const Error&) {
    std::string corrected = text;
    std::replace(corrected.begin(), corrected.end(), '=', ':');
    throw Error("'" + text + "' is not a penalty. Give " +
                (corrected == text ? forms : "'" + corrected + "', or one of " + forms) + ".");
  }
}

}  // namespace

PenaltyWords parse_penalty(const std::string& text) {
  const std::vector<std::string> words = split_at_colons(text);
  PenaltyWords penalty;
  penalty.kind = kind_of_penalty(words.front());
  const bool is_none = penalty.kind == PenaltyWords::Kind::none;
  const std::size_t most = is_none ? 1 : penalty.kind == PenaltyWords::Kind::elastic_net ? 3 : 2;
  if (words.size() > most) {
    throw Error("'" + text + "' has " + std::to_string(words.size() - 1) + " numbers, but " +
                words.front() + " has " + std::to_string(most - 1) +
                ". Give none, ridge:S, lasso:S, elastic-net:S:RATIO or group-lasso:S.");
  }
  if (words.size() > 1 && words[1] != "auto") {
    penalty.strength = parse_number(words[1]);
    if (*penalty.strength < 0) {
      throw Error("the strength '" + words[1] + "' is below 0. Give 0 or more.");
    }
  }
  if (words.size() > 2) {
    penalty.ratio = parse_number(words[2]);
    if (!(penalty.ratio > 0 && penalty.ratio <= 1)) {
      throw Error("the ratio '" + words[2] + "' is not above 0 and at most 1. Give such a number.");
    }
  }
  return penalty;
}

void add_fit_options(OptionRows& rows, FitRequest& request, TargetFields& target) {
  add_target_options(rows, target, "What is fitted");
  for (const auto& option : rows_of_fit) add_table_option(rows, request, option);
  add_common_options(rows, request, true);
  rows.in_group("");
  rows.add_flag("--dry-run", request.dry_run,
                "Say what the run would do: columns, targets, solver, memory. It writes nothing.");
  add_overwrite_option(rows, request.existing);
  add_resume_option(rows, request.resume);
  add_progress_option(rows, request.messages);
}

void add_predict_options(OptionRows& rows, PredictRequest& request) {
  add_common_options(rows, request, false);
  rows.in_group("Output");
  add_parsed(rows, "--type", request.type, parse_type, "TYPE",
             "Type of the predictions: double (default) or float.");
  add_existing_options(rows, request.existing);
  add_progress_option(rows, request.messages);
}

void add_score_options(OptionRows& rows, ScoreRequest& request, TargetFields& target) {
  add_target_options(rows, target, "What is compared with the model");
  rows.in_group("");
  rows.add_flag("--time-rescaling", request.wants_time_rescaling,
                "Of poisson and bernoulli: test the times between events by the largest distance "
                "(Kolmogorov-Smirnov) from what the model expects.");
  add_parsed(rows, "--seed", request.seed, parse_integer, "N",
             "With --time-rescaling: of the random places of events inside their samples. "
             "Default: 0.");
  add_common_options(rows, request, true);
}

void apply_options(const DesignFile& design, FitRequest& request) {
  apply_common(design, "fit", request);
  if (!request.target) request.target = design.target;
  for (const DesignOption& entry : design.fit) {
    const auto* const option = find_option(rows_of_fit, entry.name);
    if (option == nullptr) {
      throw Error(entry.place, "this is not an option of a fit",
                  "Valid are: " + with_names("target", rows_of_fit));
    }
    take_entry(entry, *option, request);
    const auto& given = request.given;
    const bool yields = std::find(given.begin(), given.end(), entry.name) != given.end();
    if (entry.name == "mask" && !yields && request.fit.mask) {
      request.fit.mask->file = beside(design.file, request.fit.mask->file);
    }
  }
  require_target(request.target);
  require_own_numbers(request, design);
  require_settings(request);
}

void apply_options(const DesignFile& design, PredictRequest& request) {
  apply_common(design, "predict", request);
}

void apply_options(const DesignFile& design, ScoreRequest& request) {
  apply_common(design, "score", request);
  if (!request.target) request.target = design.target;
  require_target(request.target);
}

}  // namespace synelix::tool
