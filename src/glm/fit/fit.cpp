// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "glm/fit/fit_rows.hpp"
#include "glm/pass/remembered_pass.hpp"
#include "glm/rows/observed_arrays.hpp"
#include "launch/region.hpp"
#include "tile/select.hpp"

#include <synelix/error.hpp>
#include <synelix/types/glm.hpp>

namespace synelix {
namespace {

glm::RowLoss loss_for(const glm::Pass& pass, const FitOptions& options) {
  return glm::bind(options.loss, tile::select_set(pass.choice().instruction_set));
}

}  // namespace

FitResult fit(const DesignMatrix& design, const Observations& observations,
              const FitOptions& options) {
  const plan::Region region("synelix::fit");
  const glm::PassOf remembered(design.pass(), options);
  glm::Pass& pass = remembered.pass();
  const glm::RowLoss loss = loss_for(pass, options);
  const glm::ObservedArrays observed(observations, pass.rows());
  FitResult result = glm::fit_rows(pass, observed, loss, options);
  for (const std::string& warning : result.warnings) warn(warning);
  return result;
}

FitChoice choose_fit(const DesignMatrix& design, const Observations& observations,
                     const FitOptions& options) {
  const plan::Region region("synelix::choose_fit");
  glm::Pass& pass = design.pass();
  const glm::RowLoss loss = loss_for(pass, options);
  const glm::ObservedArrays observed(observations, pass.rows());
  glm::ChosenFit chosen = glm::choose_fit_rows(pass, observed, loss, options);
  static_cast<void>(glm::FitShare(pass, loss, chosen.needs.least(), chosen.needs.most()));
  return std::move(chosen.choice);
}

}  // namespace synelix
