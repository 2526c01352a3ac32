// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "glm/fit_case.hpp"
#include "glm/path/path_problem.hpp"

#include <synelix/glm_path.hpp>

#include <string>
#include <utility>

/// \file
/// Paths on the reference pass.

namespace path_case {

inline synelix::PathResult path_of(const fit_case::Case& made, const synelix::FitOptions& options,
                                   const synelix::PathOptions& path) {
  oracle::ReferencePass pass = made.pass();
  const oracle::ReferenceObserved observed = made.observed();
  return synelix::glm::fit_path_rows(pass, observed, fit_case::loss_of(options.loss), options,
                                     path);
}

inline synelix::FitOptions options_of(synelix::Family family, synelix::Penalty penalty) {
  synelix::FitOptions options;
  options.loss.family = family;
  options.loss.dispersion = 0.5;
  if (family == synelix::Family::gamma) options.loss.inverse_link = synelix::InverseLink::exp;
  options.penalty = std::move(penalty);
  options.optimality_tolerance = 1e-8;
  return options;
}

inline synelix::Penalty penalty_of(const std::string& name, double strength) {
  if (name == "ridge") return synelix::Ridge{strength};
  if (name == "lasso") return synelix::Lasso{strength};
  if (name == "elastic_net") return synelix::ElasticNet{strength, 0.7};
  return synelix::GroupLasso{strength, {0, 0, 1, 1, 1, -1, 2, 2}};
}

}  // namespace path_case
