// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/fit/fit_rows.hpp"
#include "glm/pass/remembered_pass.hpp"
#include "glm/path/cross_validation.hpp"
#include "glm/path/path_problem.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "mpi/calls.hpp"
#include "mpi/ranked_pass.hpp"
#include "streams/fingerprint.hpp"
#include "types/number_text.hpp"

#include <Kokkos_Profiling_ScopedRegion.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace synelix::mpi {
namespace {

using stream::Checksum;

/// Facts of arguments that must be the same on all ranks. Lists are compared by their checksums.
class Facts {
 public:
  Facts& add(const std::string& name, const std::string& value) {
    m_facts.emplace_back(name, value);
    return *this;
  }
  template <class Number>
    requires(std::is_arithmetic_v<Number> || std::is_enum_v<Number>)
  Facts& add(const std::string& name, Number number) {
    if constexpr (std::is_floating_point_v<Number>) {
      return add(name, std::vector<double>{number});
    } else {
      return add(name, std::to_string(static_cast<std::int64_t>(number)));
    }
  }
  template <class Number>
  Facts& add(const std::string& name, const std::vector<Number>& numbers) {
    if (numbers.size() == 1 && std::is_same_v<Number, double>) {
      return add(name, number_text(static_cast<double>(numbers.front())));
    }
    return add(name, numbers.empty() ? std::string("none")
                                     : std::to_string(numbers.size()) + " numbers, checksum " +
                                           Checksum().add(numbers).text());
  }
  [[nodiscard]] const Fingerprint& facts() const { return m_facts; }

 private:
  Fingerprint m_facts;
};

void add_strength(Facts& facts, const Strength& strength) {
  facts.add("options.penalty.strength", strength.value)
      .add("options.penalty.strength.each", strength.each)
      .add("options.penalty.strength.per", strength.per);
}

void add_penalty(Facts& facts, const Penalty& penalty) {
  facts.add("options.penalty", penalty.index());
  std::visit(
      [&](const auto& one) {
        using Kind = std::remove_cvref_t<decltype(one)>;
        if constexpr (!std::is_same_v<Kind, NoPenalty>) add_strength(facts, one.strength);
        if constexpr (std::is_same_v<Kind, ElasticNet>) {
          facts.add("options.penalty.ratio", one.ratio);
        }
        if constexpr (std::is_same_v<Kind, GroupLasso>) {
          facts.add("options.penalty.groups", one.groups);
        }
      },
      penalty);
}

Facts facts_of(const DesignMatrix& design, const glm::Observed& observed, const FitOptions& options,
               FitSplit split) {
  Facts facts;
  facts.add("rows of the design", design.rows()).add("columns of the design", design.columns());
  for (const Term& term : design.terms()) facts.add("term of the design", term.label);
  facts.add("source of rows", std::string(name_of(design.choice().source)))
      .add("instruction set", std::string(name_of(design.choice().instruction_set)))
      .add("targets", observed.targets())
      .add("split", split)
      .add("options.loss.family", options.loss.family)
      .add("options.loss.inverse_link", options.loss.inverse_link)
      .add("options.loss.dispersion", options.loss.dispersion)
      .add("options.loss.classes", options.loss.classes)
      .add("options.solver", options.solver)
      .add("options.feature_mask", options.feature_mask)
      .add("options.fit_intercept", options.fit_intercept)
      .add("options.estimate_dispersion", options.estimate_dispersion)
      .add("options.start_coefficients", options.start_coefficients)
      .add("options.start_intercepts", options.start_intercepts)
      .add("options.optimality_tolerance", options.optimality_tolerance)
      .add("options.standard_errors_tolerance", options.standard_errors_tolerance)
      .add("options.most_evaluations", options.most_evaluations)
      .add("options.standard_errors", options.standard_errors);
  add_penalty(facts, options.penalty);
  return facts;
}

void add_path(Facts& facts, const PathOptions& path) {
  facts.add("path.strengths", path.strengths).add("path.count", path.count);
  facts.add("path.ratio", path.ratio);
}

void add_validation(Facts& facts, const CrossValidationOptions& validation) {
  facts.add("validation.folds", validation.folds)
      .add("validation.fold_of_row", validation.fold_of_row)
      .add("validation.gap", validation.gap)
      .add("validation.score", validation.score)
      .add("validation.choose", validation.choose);
  add_path(facts, validation.path);
}

void check_split(FitSplit split) {
  if (split != FitSplit::rows && split != FitSplit::targets) {
    throw Error("split", std::to_string(static_cast<int>(split)) + " is no FitSplit",
                "Use rows or targets");
  }
}

/// The options of a rank: cancellation is agreed with the other ranks, and only rank 0 reports
/// progress.
FitOptions of_rank(const FitOptions& options, const Ranks& ranks, const RankedPass& pass) {
  FitOptions own = options;
  own.cancel = pass.agreed_cancel();
  if (ranks.rank() != 0) own.progress = {};
  own.during_walk = [&options, &pass] {
    pass.ask();
    if (options.during_walk) options.during_walk();
  };
  return own;
}

/// Calls body(pass, observed, loss, options of this rank) on all ranks.
template <class AddFacts, class Body>
void on_ranks(const Ranks& ranks, const DesignMatrix& design, const Observations& observations,
              const FitOptions& options, FitSplit split, const AddFacts& add_facts,
              const Body& body) {
  Facts facts;
  std::optional<glm::ObservedArrays> observed;
  together(ranks, [&] {
    check_split(split);
    observed.emplace(observations, design.rows());
    facts = facts_of(design, *observed, options, split);
    add_facts(facts);
  });
  require_same(ranks, "arguments", facts.facts());
  together(ranks, [&] {
    const glm::RowLoss loss = glm::bind(options.loss, design.choice().instruction_set);
    RankedPass pass(ranks, dynamic_cast<const glm::SegmentedPass&>(design.pass()), split,
                    options.cancel);
    int has_answers = options.answers != nullptr ? 1 : 0;
    check(MPI_Bcast(&has_answers, 1, MPI_INT, 0, ranks.comm()), "MPI_Bcast");
    RankedAnswers answers(ranks, pass, options.answers);
    glm::with_answers(pass, has_answers != 0 ? &answers : nullptr, [&](glm::Pass& remembered) {
      body(remembered, *observed, loss, of_rank(options, ranks, pass));
    });
  });
}

void warn_on_first(const Ranks& ranks, const std::vector<std::string>& warnings) {
  if (ranks.rank() != 0) return;
  for (const std::string& warning : warnings) warn(warning);
}

}  // namespace

FitResult fit(const Ranks& ranks, const DesignMatrix& design, const Observations& observations,
              const FitOptions& options, FitSplit split) {
  const Kokkos::Profiling::ScopedRegion region("synelix::mpi::fit");
  FitResult result;
  on_ranks(
      ranks, design, observations, options, split, [](Facts&) {},
      [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss,
          const FitOptions& own) { result = glm::fit_rows(pass, observed, loss, own); });
  warn_on_first(ranks, result.warnings);
  return result;
}

PathResult fit_path(const Ranks& ranks, const DesignMatrix& design,
                    const Observations& observations, const FitOptions& options,
                    const PathOptions& path, FitSplit split) {
  const Kokkos::Profiling::ScopedRegion region("synelix::mpi::fit_path");
  PathResult result;
  on_ranks(
      ranks, design, observations, options, split, [&](Facts& facts) { add_path(facts, path); },
      [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss,
          const FitOptions& own) { result = glm::fit_path_rows(pass, observed, loss, own, path); });
  warn_on_first(ranks, result.warnings);
  return result;
}

CrossValidationResult cross_validate(const Ranks& ranks, const DesignMatrix& design,
                                     const Observations& observations, const FitOptions& options,
                                     const CrossValidationOptions& validation, FitSplit split) {
  const Kokkos::Profiling::ScopedRegion region("synelix::mpi::cross_validate");
  CrossValidationResult result;
  on_ranks(
      ranks, design, observations, options, split,
      [&](Facts& facts) { add_validation(facts, validation); },
      [&](glm::Pass& pass, const glm::Observed& observed, const glm::RowLoss& loss,
          const FitOptions& own) {
        result = glm::cross_validate_rows(pass, observed, loss, own, validation);
      });
  warn_on_first(ranks, result.model.warnings);
  return result;
}

}  // namespace synelix::mpi
