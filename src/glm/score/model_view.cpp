// SPDX-FileCopyrightText: 2026 The Synelix developers
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "glm/score/model_view.hpp"

#include "launch/arrays.hpp"

#include <synelix/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

namespace synelix::glm {

namespace {

void check_size(const char* name, std::size_t found, std::int64_t expected) {
  if (found == static_cast<std::size_t>(expected)) return;
  throw Error(name,
              std::to_string(found) + " values do not match the " + std::to_string(expected) +
                  " that the model's columns, targets and classes ask for",
              "Pass the result of a fit as it came");
}

/// One number for each target: those of the model, or a number for all.
std::vector<double> for_each_target(const char* name, const std::vector<double>& found,
                                    std::int64_t targets, double otherwise) {
  if (found.empty()) return std::vector<double>(static_cast<std::size_t>(targets), otherwise);
  check_size(name, found.size(), targets);
  return found;
}

}  // namespace

ModelView view_of(const DesignMatrix& design, const FitResult& model) {
  if (model.columns != design.columns()) {
    throw Error("model",
                "its " + std::to_string(model.columns) + " columns do not match the " +
                    std::to_string(design.columns()) + " of the design",
                "Use a design of the expression that the model was fitted on");
  }
  const RowLoss loss = bind(model.loss, design.choice().instruction_set);
  ModelView view{loss.loss, loss, model.targets, loss.classes()};
  if (view.targets < 1) {
    throw Error("model", "it has no target", "Pass the result of a fit");
  }
  if (model.classes != view.classes) {
    throw Error("model",
                "its " + std::to_string(model.classes) + " classes do not match the " +
                    std::to_string(view.classes) + " of its loss",
                "Pass the result of a fit as it came");
  }
  check_size("model coefficients", model.coefficients.size(), model.columns * view.predictors());
  check_size("model intercepts", model.intercepts.size(), view.predictors());
  view.coefficients = model.coefficients.data();
  view.intercepts = model.intercepts.data();
  view.scale = for_each_target("model scale", model.scale, view.targets, 1.0);
  view.dispersion =
      for_each_target("model dispersion", model.dispersion, view.targets, view.loss.dispersion);
  // A fit without degrees of freedom has no scale: its likelihood is NaN, but its rates are valid.
  // Dispersions of families that do not use them are not checked.
  return view;
}

void check_rows_by_targets(const char* name, const StridedOutput& array, std::int64_t rows,
                           std::int64_t targets, std::int64_t classes) {
  const int with_targets = classes > 1 ? 3 : 2;
  const bool is_without = targets == 1 && array.rank == with_targets - 1;
  StridedOutput expected;
  expected.type = array.type == StoredType::float32 ? StoredType::float32 : StoredType::float64;
  expected.rank = is_without ? with_targets - 1 : with_targets;
  std::size_t i = 0;
  expected.extents[i++] = rows;
  if (!is_without) expected.extents[i++] = targets;
  if (classes > 1) expected.extents[i] = classes;
  plan::check_output(name, array, expected);
}

void softmax(const double* predictors, std::int64_t classes, double* probabilities) {
  const double largest = *std::max_element(predictors, predictors + classes);
  double sum = 0;
  for (std::int64_t k = 0; k < classes; ++k) {
    probabilities[k] = std::exp(predictors[k] - largest);
    sum += probabilities[k];
  }
  for (std::int64_t k = 0; k < classes; ++k) probabilities[k] /= sum;
}

OutputRows::OutputRows(const StridedOutput& array, std::int64_t classes)
    : m_data(array.data), m_type(array.type), m_row(array.strides[0]) {
  const int with_targets = classes > 1 ? 3 : 2;
  std::size_t i = 1;
  if (array.rank == with_targets) m_target = array.strides[i++];
  if (classes > 1) m_class = array.strides[i];
}

}  // namespace synelix::glm
